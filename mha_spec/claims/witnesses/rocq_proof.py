"""Proofs in Rocq from certificates: what Rocq must do is multiply out, and see that a sum of products is not negative.

For each proved part a lemma of the file's head is applied, and Rocq's `ring` checks that

    multiplier*(left - right) = sum of cofactor*(l - r), and for an inequality a sum of products that are at least 0

where each ``l = r`` is a premise.  Slacks do not occur: each is written as the difference it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mha_spec.claims.certificate import at_least_zero, polynomial, remainder
from mha_spec.claims.terms import Iff, Operation, Relation, Term, fold, names, substitute, total
from mha_spec.claims.verdict import ProvedPart

from .argument import Branch, Division, Piece
from .rocq_terms import rocq, rocq_relation
from .statement import case_premise_name, premise_name


def proof_lines(branches: Sequence[Branch], goal: Relation | Iff) -> Iterator[str]:
    """The tactics that prove a goal whose premises have been introduced."""
    if branches[0].case and not branches[0].shown:
        yield "destruct (two_cases n m) as [lengths | lengths]."
        for branch in branches:
            yield from _block(_goal(branch, goal))
        return
    (branch,) = branches
    if branch.shown:
        yield from _asserted("lengths", branch.shown)
    yield from _goal(branch, goal)


def _goal(branch: Branch, goal: Relation | Iff) -> Iterator[str]:
    case = branch.case.condition if branch.case else None
    if len(branch.pieces) == 1:
        yield from _piece(branch.pieces[0], case)
        return
    both_ways = isinstance(goal, Iff)
    yield "split." if both_ways else "apply Z.le_antisymm."
    for piece in branch.pieces:
        yield from _block([*(["intro assumed_1."] if both_ways else []), *_piece(piece, case)])


def _block(lines: Iterable[str]) -> Iterator[str]:
    yield "{"
    yield from (f"  {line}" for line in lines)
    yield "}"


def _piece(piece: Piece, case: Relation | None) -> Iterator[str]:
    for number, division in enumerate(piece.divisions, 1):
        yield from _division(division, number, case)
    yield from _asserted("certified", piece.part, case)
    yield "first [exact certified | lia]."


def _division(division: Division, number: int, case: Relation | None) -> Iterator[str]:
    lemma = "exact_quotient" if division.operation.operator == "//" else "exact_remainder"
    yield from _asserted(f"exact_{number}", division.exact, case)
    yield from _asserted(f"positive_{number}", division.positive, case)
    yield f"assert (division_{number} : {rocq_relation(Relation('==', division.operation, division.result))})."
    yield from _block([f"exact ({lemma} _ _ _ positive_{number} exact_{number})."])
    yield f"rewrite ?division_{number}."


def _asserted(name: str, part: ProvedPart, case: Relation | None = None) -> Iterator[str]:
    yield f"assert ({name} : {rocq_relation(part.relation)})."
    yield from _block(_by_certificate(part, case))


def _by_certificate(part: ProvedPart, case: Relation | None) -> Iterator[str]:
    relation, certificate, meaning = part.relation, part.certificate, _meanings(part)
    above, facts = _not_negative(Operation("-", certificate.multiplier, 1), meaning)
    given = [certificate.multiplier, relation.left, relation.right, above]
    if relation.sign == "<=":
        rest, more = _rest(part, meaning)
        facts |= more
        given.append(rest)
    else:
        rest = 0
    for number, fact in enumerate(sorted(map(rocq, facts)), 1):
        yield f"assert (fact_{number} : 0 <= {fact}) by lia."
    if "bias" in certificate.cofactors:
        yield "assert (bias_twice : bias * bias = bias) by nia."
    lemma = "certified_equal" if relation.sign == "==" else "certified_at_most"
    yield f"apply ({lemma} {' '.join(rocq(substitute(term, meaning), 5) for term in given)})."
    yield "- not_negative."
    yield "- ring."
    if relation.sign == "<=":
        yield "- not_negative."
    yield from _sum_of_equations(part, meaning, rest, case)


def _rest(part: ProvedPart, meaning: Mapping[str, Term]) -> tuple[Term, set[Term]]:
    """What an inequality leaves, as a sum that is at least 0, and the factors in it: squares first, then products."""
    left_over = remainder(part.relation.right, part.relation.left, part.equations, part.certificate)
    rest, facts = _not_negative(left_over, meaning)
    for factor, base in part.certificate.squares:
        shifted, more = _not_negative(factor, meaning)
        square = Operation("*", shifted, Operation("**", substitute(base, meaning), 2))
        rest, facts = Operation("+", square, rest), facts | more
    return rest, facts


def _sum_of_equations(
    part: ProvedPart, meaning: Mapping[str, Term], rest: Term, case: Relation | None
) -> Iterator[str]:
    """That the multiplied goal is the sum of the equations, each of which adds nothing, and the rest."""
    written, proof = rocq(rest), "eq_refl"
    for label, cofactor in reversed(tuple(part.certificate.cofactors.items())):
        left, right = part.equations[label]
        if not (names(left) | names(right)).isdisjoint(meaning):
            continue  # it says what a slack is, and is no premise
        product = Operation("*", substitute(cofactor, meaning), Operation("-", left, right))
        written = f"{rocq(product)} + ({written})"
        proof = f"adds_nothing _ _ _ _ _ {_reason(label, case)} ({proof})"
    yield f"- transitivity ({written})."
    yield "  + ring."
    yield f"  + exact ({proof})."


def _reason(label: str, case: Relation | None) -> str:
    """The proof of an equation: a premise, or one that holds in the case."""
    if label == "bias":
        return "bias_twice"
    if case and label.endswith(("kept_pairs", "empty_rows")):
        return f"({case_premise_name(label, case)} lengths)"
    return premise_name(label)


def _meanings(part: ProvedPart) -> dict[str, Term]:
    """What each slack stands for, and `no_bias`: a difference that is at least 0 by a premise.

    A slack whose equation is not used may have any value that is at least 0, and gets 0.
    """
    sides = [side for pair in part.equations.values() for side in pair]
    squares = [term for square in part.certificate.squares for term in square]
    terms = (*sides, *squares, *part.certificate.cofactors.values(), part.certificate.multiplier)
    named = frozenset().union(*map(names, terms))
    meaning: dict[str, Term] = {name: 0 for name in named if name.startswith("slack")}
    for left, right in part.equations.values():
        if isinstance(right, Operation) and isinstance(right.right, str) and right.right.startswith("slack"):
            meaning[right.right] = Operation("-", left, right.left)
    return {**meaning, "no_bias": Operation("-", 1, "bias")}


def _not_negative(term: Term, meaning: Mapping[str, Term]) -> tuple[Term, set[Term]]:
    """A term as a sum of products of factors that are at least 0, and those factors.

    The factors are what sizes are above 1, and slacks; that no coefficient is negative is what the checker of
    certificates has found, and what Rocq is to find again.
    """
    variables = tuple(sorted(names(term)))
    factors: dict[str, Term] = {
        name: meaning.get(name, name if at_least_zero(name) else Operation("-", name, 1)) for name in variables
    }
    shifted: dict[str, Term] = {name: name if at_least_zero(name) else Operation("+", 1, name) for name in variables}
    moved = fold(term, lambda number: number, shifted.__getitem__, Operation)
    summands: list[Term] = []
    used: set[Term] = set()
    for exponents, coefficient in polynomial(moved, variables).items():
        product: Term = coefficient
        for name, exponent in zip(variables, exponents, strict=True):
            for _ in range(exponent):
                product = factors[name] if product == 1 else Operation("*", product, factors[name])
                used.add(factors[name])
        summands.append(product)
    return total(tuple(summands)), used
