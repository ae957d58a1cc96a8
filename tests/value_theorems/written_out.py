"""Normal forms evaluated at sizes, and formulas drawn to be compared with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.sums.facts import Facts
from mha_spec.claims.values.sums.notation import Below, Gradient, Quotient, Remainder, total
from mha_spec.claims.values.sums.polynomials import ZERO, Atom, Polynomial, symbol
from mha_spec.claims.values.sums.reading import Definitions, Reader

ROOT = 3
"""What stands for the root of e: powers with halves are exact, and obey the same law."""

n, m, w = sympy.symbols("n m w", integer=True, positive=True)
i, p = sympy.symbols("i p", integer=True, nonnegative=True)
x, z = sympy.symbols("x z", real=True)
f, g, F, G, T = map(sympy.IndexedBase, "fgFGT")
pi, rho = sympy.Function("pi"), sympy.Function("rho")
a, b = sympy.symbols("a b", integer=True, nonnegative=True)
DEFINITIONS: Definitions = {T[a, b]: F[b, a] + f[a + 1] * total(G[a, i], (i, m))}
SIZES = (n, m, n * w)


def exact_exp(of: Any) -> Fraction:
    """A function with exp(a + b) = exp(a) exp(b), exact on integers and halves."""
    assert 2 * of == int(2 * of)
    return Fraction(ROOT) ** int(2 * of)


def exact_power(base: Any, exponent: sympy.Rational) -> Any:
    """A power; of a root only one that is an integer."""
    if exponent.is_Integer:
        return (Fraction(base) if isinstance(base, int) else base) ** int(exponent)
    root = sympy.sqrt(int(base)) ** int(2 * exponent)
    assert root.is_Rational
    return Fraction(int(root.p), int(root.q))


def integers(seed: int, name: str) -> Callable[..., int]:
    """An array of small integers, defined at every place, that differs from seed to seed."""

    def entry(*at: int) -> int:
        mixed = sum((place + 7) * factor for place, factor in zip((seed, *at), (911, 31, 57, 83, 101), strict=False))
        return (mixed * 2654435761 + sum(map(ord, name)) * 40503) // 64 % 5 - 2

    return entry


def valuation(seed: int, sizes: Mapping[str, int], definitions: Definitions = DEFINITIONS) -> Valuation:
    """Integers for everything: arrays by seed, permutations by turning the indices round."""
    turned: dict[str, Callable[..., int]] = {
        "pi": lambda at: (at + 1 + seed) % sizes["n"],
        "rho": lambda of, at: (at + of + seed) % sizes["m"],
    }
    return Valuation(dict(sizes), lambda name: integers(seed, name), definitions, turned, exact_exp, exact_power)


def reader() -> Reader:
    """Reads formulas of the names above: i below n, p below m, pi and rho permutations, n*w laid out in blocks."""
    facts = Facts(
        sizes={"n", "m", "w"},
        ranges={"i": (ZERO, symbol("n")), "p": (ZERO, symbol("m"))},
        permutations={"pi": symbol("n"), "rho": symbol("m")},
        layouts={(symbol("n") * symbol("w")).key: (symbol("n"), symbol("w"))},
    )
    return Reader(facts, DEFINITIONS)


def evaluated(polynomial: Polynomial, values: Valuation, places: Mapping[str, int]) -> Any:
    """The value of a normal form, by the meaning of each atom."""
    result: Any = Fraction(0)
    for monomial, coefficient in polynomial.terms.items():
        term: Any = Fraction(coefficient)
        for atom, exponent in monomial:
            if atom.kind == "exp":  # a power of it is taken in the exponent, where halves may become whole
                term = term * exact_exp(exponent * evaluated(atom.args[0], values, places))
                continue
            value = _atom(atom, values, places)
            term = term * exact_power(value, sympy.Rational(exponent.numerator, exponent.denominator))
        result = result + term
    return result


def _atom(atom: Atom, values: Valuation, places: Mapping[str, int]) -> Any:
    if atom.kind == "sum":
        return _sum(atom, values, dict(places), list(zip(atom.bound, atom.args[1:], strict=True)))
    if atom.kind == "symbol":
        return places[atom.name]
    args = [evaluated(arg, values, places) for arg in atom.args]
    if atom.kind in ("entry", "call"):
        lookup = values.arrays(atom.name) if atom.kind == "entry" else values.functions[atom.name]
        return lookup(*map(int, args))
    if atom.kind == "inverse":
        return 1 / Fraction(args[0])
    if atom.kind == "delta":
        return int(args[0] == 0)
    if atom.kind == "below":
        return int(args[0] > 0)
    return args[0] // args[1] if atom.kind == "quotient" else args[0] % args[1]


def _sum(atom: Atom, values: Valuation, places: dict[str, int], waiting: list[tuple[str, Polynomial]]) -> Any:
    if not waiting:
        return evaluated(atom.args[0], values, places)
    left = {name for name, _ in waiting}
    bound, high = next(pair for pair in waiting if not pair[1].free & left)
    end = int(evaluated(high, values, places))
    others = [pair for pair in waiting if pair[0] != bound]
    span, sign = (range(end), 1) if end >= 0 else (range(end, 0), -1)
    return sign * sum((_sum(atom, values, {**places, bound: at}, others) for at in span), Fraction(0))


class Drawn:
    """Formulas by a generator of random numbers; each index knows the size it lies below."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.names = rng, 0

    def pick(self, *options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def index(self, scope: dict[sympy.Symbol, sympy.Expr]) -> sympy.Symbol:
        return self.pick(*scope)

    def leaf(self, scope: dict[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
        one, other = self.index(scope), self.index(scope)
        within_n = [index for index, size in scope.items() if size == n]
        blocked = [index for index, size in scope.items() if size == n * w]
        leaves = [f[one], g[other + 1], F[one, other], G[other, one], T[one, other], sympy.Integer(2), x, n, p + 1]
        leaves += [sympy.KroneckerDelta(one, other), Below(one, other), Below(one, p), Below(one, other + 1)]
        leaves += [f[pi(self.pick(*within_n))], G[pi(self.pick(*within_n)), 3]]
        leaves += [F[i, pi(self.pick(*within_n))], f[rho(i, p)]]
        if blocked:
            at = self.pick(*blocked)
            leaves += 3 * [F[Quotient(at, w), Remainder(at, w)]]
        return self.pick(*leaves)

    def formula(self, depth: int, scope: dict[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
        if depth == 0:
            return self.leaf(scope)
        kind = self.pick(
            "product", "product", "sum", "total", "total", "total", "exp", "share", "difference", "permuted"
        )
        if kind in ("product", "sum", "difference"):
            left, right = self.formula(depth - 1, scope), self.formula(int(self.rng.integers(depth)), scope)
            return {"product": left * right, "sum": left + right, "difference": left - 2 * right}[kind]
        if kind == "exp":
            return sympy.exp(self.pick(f[self.index(scope)] + x, self.leaf(scope)) - g[self.index(scope)])
        if kind == "share":
            inner, (index, size) = self.inside(scope)
            return self.formula(depth - 1, scope) / total(sympy.exp(self.leaf(inner)), (index, size))
        inner, (index, size) = self.inside(scope)
        if kind == "permuted":
            index, inner = self.fresh(), scope
            moved = self.pick(f[pi(index)], F[i, pi(index)] * sympy.exp(g[pi(index)]), f[pi(index)] * G[index, 1])
            return total(moved * self.formula(depth - 1, scope), (index, n))
        low, high = self.pick((0, size - 1), (0, size - 1), (0, p), (0, p - 1), (p, m - 1), (p + 1, size + 1))
        return sympy.Sum(self.formula(depth - 1, inner), (index, low, high))

    def fresh(self) -> sympy.Symbol:
        self.names += 1
        return sympy.Symbol(self.pick("j", "k", f"k{self.names}"), integer=True, nonnegative=True)

    def inside(
        self, scope: dict[sympy.Symbol, sympy.Expr]
    ) -> tuple[dict[sympy.Symbol, sympy.Expr], tuple[sympy.Symbol, sympy.Expr]]:
        index, size = self.fresh(), self.pick(*SIZES)
        return {**scope, index: size}, (index, size)


def drawn_formula(rng: np.random.Generator) -> sympy.Expr:
    """A formula in the free indices i and p; one in four is a derivative towards an entry of f."""
    drawn = Drawn(rng)
    formula = drawn.formula(int(rng.integers(1, 4)), {i: n, p: m})
    return Gradient(formula, f[p]) if rng.random() < 0.25 else formula
