"""The normal form of finite sums against every sum written out, and faults in its rules that this finds."""

from __future__ import annotations

import inspect
import sys
from fractions import Fraction
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.claims.values.sums import atoms, facts, polynomials, reading, rules
from mha_spec.claims.values.sums.notation import Below, Gradient, Quotient, total
from mha_spec.claims.values.sums.polynomials import vanishes
from mha_spec.claims.values.sums.reading import UnknownFormulaError

from .written_out import F, G, drawn_formula, evaluated, f, g, i, m, n, p, pi, reader, rho, valuation, w, x

j, k = sympy.symbols("j k", integer=True, nonnegative=True)
exp, delta, Sum = sympy.exp, sympy.KroneckerDelta, sympy.Sum


def places_of(seed: int) -> dict[str, int]:
    """Sizes and free indices, small and away from the corners as often as at them."""
    rng = np.random.default_rng(seed)
    sizes = {name: int(rng.integers(1, 4)) for name in ("n", "m", "w")}
    return {**sizes, "i": int(rng.integers(sizes["n"])), "p": int(rng.integers(sizes["m"])), "x": 2, "z": -1}


def agrees(formula: sympy.Expr, seed: int) -> bool:
    """Whether a formula and its normal form have the same value."""
    places = places_of(seed)
    values = valuation(seed, places)
    return bool(evaluated(reader().read(formula), values, places) == Fraction(values.value(formula)))


@given(st.integers(0, 2**32 - 1))
def test_a_formula_has_the_value_of_its_normal_form(seed: int) -> None:
    formula = drawn_formula(np.random.default_rng(seed))
    for places in range(3):
        assert agrees(formula, seed % 1000 + places), formula


EQUAL = [
    (total(f[j] * g[i], (j, n)), g[i] * total(f[k], (k, n))),
    (total(F[j, k], (j, n), (k, m)), total(F[j, k], (k, m), (j, n))),
    (total(f[j], (j, n)) ** 2, total(f[j] * f[k], (j, n), (k, n))),
    (Sum(f[j], (j, 0, p)) + Sum(f[j], (j, p + 1, m - 1)), total(f[j], (j, m))),
    (Sum(f[j + 2], (j, 1, n)), Sum(f[k], (k, 3, n + 2))),
    (total(f[j + 1] - f[j], (j, n)), f[n] - f[0]),
    (total(exp(f[j] + x), (j, n)), exp(x) * total(exp(f[j]), (j, n))),
    (exp(total(f[j], (j, n)) + total(g[j], (j, n))), exp(total(f[j] + g[j], (j, n)))),
    (total(delta(j, i) * f[j], (j, n)), f[i]),
    (total(Below(j, p) * f[j], (j, m)), Sum(f[j], (j, 0, p - 1))),
    (total(Below(j, p) * f[j] + (1 - Below(j, p)) * f[j + 1], (j, m - 1)), total(f[j] * (1 - delta(j, p)), (j, m))),
    (total(f[pi(j)] * F[i, pi(j)], (j, n)), total(f[j] * F[i, j], (j, n))),
    (total(F[j, rho(j, k)], (j, n), (k, m)), total(F[j, k], (j, n), (k, m))),
    (total(f[Quotient(j, w)], (j, n * w)), w * total(f[j], (j, n))),
    (total(f[j], (j, n * w)), total(f[j * w + k], (j, n), (k, w))),
    (total(exp(f[j]) / total(exp(f[k]), (k, n)), (j, n)), sympy.Integer(1)),
    (total(sympy.Integer(1), (j, n), (k, m)), n * m),
    (1 / (exp(x) * exp(f[0]) + exp(x) * exp(f[1])), exp(-x) / (exp(f[0]) + exp(f[1]))),
    (Gradient(total(f[j] ** 2, (j, m)), f[p]), 2 * f[p]),
    (Gradient(exp(-total(f[j] * g[j], (j, m))), f[p]), -g[p] * exp(-total(f[j] * g[j], (j, m)))),
    (Gradient(1 / (exp(f[0]) + exp(f[1])), f[0]), -exp(f[0]) / (exp(f[0]) + exp(f[1])) ** 2),
    (total(total(F[j, k], (k, m)) ** 2, (j, n)), total(F[j, k] * F[j, i], (j, n), (k, m), (i, m))),
    (x / sympy.sqrt(n) / sympy.sqrt(n), x / n),
]


@pytest.mark.parametrize(("left", "right"), EQUAL, ids=str)
def test_equal_formulas_are_found_equal(left: sympy.Expr, right: sympy.Expr) -> None:
    both = reader()
    assert vanishes(both.read(left) - both.read(right))


UNEQUAL = [
    (total(f[j], (j, n)), total(f[j], (j, m))),
    (total(f[j] * g[j], (j, n)), total(f[j], (j, n)) * total(g[j], (j, n))),
    (Sum(f[j], (j, 0, p)), Sum(f[j], (j, 0, p - 1))),
    (total(delta(j, p) * f[j], (j, n)), f[p]),  # p may not be below n
    (total(Below(j, p) * f[j], (j, n)), Sum(f[j], (j, 0, p - 1))),  # nor is the range split there
    (total(f[pi(j)] * g[j], (j, n)), total(f[j] * g[j], (j, n))),
    (total(f[pi(j)], (j, m)), total(f[j], (j, m))),
    (total(exp(total(F[k, rho(k, j)], (k, n))), (j, m)), total(exp(total(F[k, j], (k, n))), (j, m))),
    (total(f[Quotient(j, w)], (j, n * w)), w * total(f[j], (j, w))),
    (exp(f[0] * f[1]), exp(f[0]) * exp(f[1])),
    (total(F[j, k] * G[k, j], (j, n), (k, n)), total(F[j, k] * G[j, k], (j, n), (k, n))),
    (Gradient(total(f[j] ** 2, (j, n)), f[p]), 2 * f[p]),
]


@pytest.mark.parametrize(("left", "right"), UNEQUAL, ids=str)
def test_unequal_formulas_are_not(left: sympy.Expr, right: sympy.Expr) -> None:
    both = reader()
    assert not vanishes(both.read(left) - both.read(right))


UNREADABLE = [
    1 / total(f[j], (j, n)),
    1 / x,
    1 / Sum(exp(f[j]), (j, 0, n - 2)),
    1 / Sum(exp(f[j]), (j, 0, p - 1)),
    1 / (exp(f[0]) - exp(f[1])),
    sympy.sqrt(x**2),
    sympy.sin(x),
    n**x,
    Gradient(total(f[j], (j, n)), x),
]


@pytest.mark.parametrize("formula", UNREADABLE, ids=str)
def test_what_cannot_be_vouched_for_is_refused(formula: sympy.Expr) -> None:
    with pytest.raises(UnknownFormulaError):
        reader().read(formula)


class Fault(NamedTuple):
    """A sentence, the module, and the text to replace (it occurs once) by another."""

    sentence: str
    module: ModuleType
    old: str
    new: str


FAULTS = [
    Fault("a sum of a constant counts one too many", rules, "else high - low", "else high - low + ONE"),
    Fault(
        "a factor is taken out that depends on the index", rules, "if name not in p[0].free)", "if len(p[0].free) > 3)"
    ),
    Fault("what comes before the lower bound is kept", rules, " - self._before(name, low, inside)", ""),
    Fault(
        "the shift moves only the lower bound", rules, "low, high = low + offset, high + offset", "low = low + offset"
    ),
    Fault("the shift goes the wrong way", rules, "symbol(index) - offset", "symbol(index) + offset"),
    Fault("a delta is met outside the range", rules, "self.facts.at_most(at + ONE, high):", "True:"),
    Fault("a delta is met at the wrong sign", rules, "Polynomial.of(-slope)", "Polynomial.of(slope)"),
    Fault(
        "a guard is split one too late", rules, "self._part(name, low, point, ", "self._part(name, low, point + ONE, "
    ),
    Fault(
        "both parts of a guard count",
        rules,
        "name, point, high, inside, atom, ZERO",
        "name, point, high, inside, atom, ONE",
    ),
    Fault("a guard is split outside the range", rules, "and self.facts.at_most(point, high):", ":"),
    Fault("a permutation of other indices", rules, "self.facts.permutations.get(atom.name) != high", "False"),
    Fault("a permutation beside the index itself", rules, "if name not in body.free:", "if True:"),
    Fault("a permutation under another sum", rules, "or _has_bound(arg)", ""),
    Fault(
        "blocks and entries are exchanged", rules, "symbol(block) * entries + symbol(entry)", "symbol(entry) * blocks"
    ),
    Fault("a term too many below the bound", rules, "range(distance) if", "range(distance + 1) if"),
    Fault("terms after the bound are added", rules, "else result - term", "else result + term"),
    Fault("a power has the wrong derivative", rules, "coefficient * exponent}", "coefficient}"),
    Fault("a power keeps its exponent", rules, "e - 1 if a == atom", "e if a == atom"),
    Fault(
        "an inverse has the sign of what it inverts",
        rules,
        "return -Polynomial.of(((atom, 2),))",
        "return Polynomial.of(((atom, 2),))",
    ),
    Fault(
        "the exponential of a product is a sum", atoms, "Polynomial.of(term),)): factor", "Polynomial.of(term),)): 1"
    ),
    Fault("indices that may be equal are not", atoms, "if difference.is_number():", "if True:"),
    Fault("an index may be below itself", atoms, "self.facts.at_most(ONE, gap)", "self.facts.at_most(ZERO, gap)"),
    Fault("a remainder is any rest", atoms, "and self.facts.at_most(rest + ONE, size)", ""),
    Fault("a square of a sum is a sum of squares", atoms, "for _ in range(int(exponent)):", "for _ in range(1):"),
    Fault("inverted sums are multiplied", atoms, 'atom.kind != "sum" or exponent < 0', 'atom.kind != "sum"'),
    Fault("a range ends too late", facts, "high - ONE)", "high)"),
    Fault("sizes may be negative", facts, "all(coefficient > 0 for coefficient in growing) and ", ""),
    Fault(
        "a sum of unknown length is positive", facts, "all(self.at_most(ONE, high) for high in atom.args[1:])", "True"
    ),
    Fault(
        "any entry is positive",
        facts,
        'or (atom.kind == "entry" and atom.name in self.positive)',
        'or atom.kind == "entry"',
    ),
    Fault("powers of every factor are the factor", polynomials, "if a.kind in INDICATORS and e > 0", "if e > 0"),
    Fault("exponents are multiplied", polynomials, "powers.get(atom, 0) + exponent", "powers.get(atom, 1) * exponent"),
    Fault("a common factor is not inverted", polynomials, "(atom, -e * exponent) for", "(atom, e * exponent) for"),
    Fault("the leading number is not inverted", polynomials, "Fraction(leading) ** -int(exponent)", "Fraction(1)"),
]


@pytest.fixture
def faulty(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Fault:
    """The fault at hand, put in the place of the right code."""
    fault: Fault = request.param
    source = inspect.getsource(fault.module)
    assert source.count(fault.old) == 1, f"{fault.sentence}: the text occurs {source.count(fault.old)} times"
    wrong = ModuleType(f"{fault.module.__name__}_faulty")
    wrong.__package__ = fault.module.__package__
    monkeypatch.setitem(sys.modules, wrong.__name__, wrong)  # where a dataclass looks up its annotations
    exec(compile(source.replace(fault.old, fault.new), "faulty.py", "exec"), vars(wrong))
    for module in (polynomials, facts, atoms, rules, reading):
        for name, right in list(vars(module).items()):
            if getattr(right, "__module__", "") == fault.module.__name__ and hasattr(wrong, name):
                _replace(monkeypatch, module, name, right, vars(wrong)[name])
    return fault


def _replace(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, right: object, wrong: object) -> None:
    """A function is replaced by name; a class keeps its identity and gets the methods of the wrong one."""
    if not inspect.isclass(right):
        monkeypatch.setattr(module, name, wrong)
        return
    for method, body in vars(wrong).items():
        if inspect.isfunction(body):
            monkeypatch.setattr(right, method, body)


def _shows(left: sympy.Expr, right: sympy.Expr | None, seed: int) -> bool:
    """Whether a formula has another value than its normal form or none; of two, whether they are found equal."""
    try:
        if right is None:
            return not agrees(left, seed)
        both = reader()
        return vanishes(both.read(left) - both.read(right))
    except (ArithmeticError, ValueError, AssertionError, KeyError, StopIteration):
        return True


@pytest.mark.parametrize("faulty", FAULTS, ids=lambda fault: fault.sentence, indirect=True)
def test_a_fault_in_a_rule_shows(faulty: Fault) -> None:
    fixed = [side for pair in EQUAL + UNEQUAL for side in pair]
    drawn = [drawn_formula(np.random.default_rng(seed)) for seed in range(400)]
    found = any(_shows(formula, None, seed) for formula in fixed for seed in range(6))
    found = found or any(_shows(left, right, 0) for left, right in UNEQUAL)
    found = found or any(_readable(formula) for formula in UNREADABLE)
    found = found or not all(_shows(left, right, 0) for left, right in EQUAL)
    assert found or any(_shows(formula, None, seed) for formula in drawn for seed in range(4)), faulty.sentence


def _readable(formula: sympy.Expr) -> bool:
    try:
        reader().read(formula)
    except ValueError:
        return False
    return True


def test_nothing_shows_without_a_fault() -> None:
    assert not any(_shows(left, right, 0) for left, right in UNEQUAL)
    assert not any(_shows(side, None, seed) for pair in EQUAL + UNEQUAL for side in pair for seed in range(6))
