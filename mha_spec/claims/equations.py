"""What may be assumed: hypotheses and conditions as equations, for one design or for a pair of designs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mha_spec.design import HYPOTHESES, SIZES

from .language import ClaimError, parse_claim
from .terms import Operation, Relation, Term, divides, substitute, substitute_in_relation

ALL_HYPOTHESES: tuple[str, ...] = tuple(HYPOTHESES)


def _sides(equation: str) -> tuple[Term, Term]:
    goal = parse_claim(equation, (*SIZES, "group")).goal
    if not isinstance(goal, Relation) or goal.sign != "==":
        raise ValueError(f"the hypothesis {equation!r} is not an equation")
    return goal.left, goal.right


HYPOTHESIS_EQUATIONS: Mapping[str, tuple[Term, Term]] = {
    name: _sides(equation) for name, equation in HYPOTHESES.items()
}
# These hold in every design; the third says, with `no_bias` at least 0, that bias is at most 1.
ALWAYS: Mapping[str, tuple[Term, Term]] = {
    "h": _sides("kv_heads*group == h"),
    "bias": _sides("bias*bias == bias"),
    "bias <= 1": (Operation("+", "bias", "no_bias"), 1),
}


def varying_sizes(active: Iterable[str], hold: Iterable[str] = (), claim: str = "") -> tuple[str, ...]:
    """The sizes that differ between two designs that are compared under the hypotheses in `active`.

    Only `h` varies and what follows from it; every other size is one symbol in both designs, and is held.
    Raises ClaimError if a size in `hold` follows from `h`.
    """
    active, hold = set(active), tuple(hold)
    width_is_held = "d_k" in hold or ("d_v" in hold and "H2" in active)
    varying = {"h", "group"}
    if "H1" in active:
        varying.add("d_model" if width_is_held else "d_k")
    if "H3" in active:
        varying.add("kv_heads")
    if "H2" in active and "d_k" in varying:
        varying.add("d_v")
    if "H6" in active and "d_model" in varying:
        varying.add("d_memory")
    for size in hold:
        if size in varying:
            raise ClaimError(f"{size} cannot be held: under {' '.join(sorted(active))} it follows from h", claim)
    return tuple(size for size in (*SIZES, "group") if size in varying)


def primed(sizes: Iterable[str]) -> dict[str, Term]:
    """The renaming of sizes to those of the second design of a pair."""
    return {size: size + "'" for size in sizes}


def conditions_as_equations(where: Iterable[Relation], label: str = "where") -> dict[str, tuple[Term, Term]]:
    """Each ``==`` as it stands, each inequality as an equation with a slack that is at least 0.

    Labels are `where 1`, `where 2`, ... with slacks `slack1`, `slack2`, ...  A ``!=`` or a division says nothing
    a polynomial identity can use and is left out, which proves less and never more.
    """
    equations: dict[str, tuple[Term, Term]] = {}
    for number, relation in enumerate(where, 1):
        if divides(relation):
            continue
        relation = as_at_most(relation)
        if relation.sign == "==":
            equations[f"{label} {number}"] = (relation.left, relation.right)
        elif relation.sign == "<=":
            slack = f"slack{number}" if label == "where" else f"slack_{label}{number}"
            equations[f"{label} {number}"] = (relation.right, Operation("+", relation.left, slack))
    return equations


def as_at_most(relation: Relation) -> Relation:
    """An inequality as ``<=``, which over the integers says the same; other relations unchanged."""
    left, right = relation.left, relation.right
    if relation.sign in (">=", ">"):
        left, right = right, left
    if relation.sign in ("<", ">"):
        left = Operation("+", left, 1)
    return Relation("<=", left, right) if relation.sign in ("<", "<=", ">", ">=") else relation


def equations_for(active: Iterable[str], where: Iterable[Relation] = ()) -> dict[str, tuple[Term, Term]]:
    """Everything that may be used about one design: label to the two sides of an equation."""
    hypotheses = {name: HYPOTHESIS_EQUATIONS[name] for name in active}
    return {**ALWAYS, **hypotheses, **conditions_as_equations(where)}


def equations_for_pair(
    active: Iterable[str], varying: Iterable[str], where: Iterable[Relation] = ()
) -> dict[str, tuple[Term, Term]]:
    """Everything that may be used about two designs: an equation that mentions a varying size is doubled."""
    renaming = primed(varying)
    doubled: dict[str, tuple[Term, Term]] = {}
    for label, (left, right) in equations_for(active, where).items():
        doubled[label] = (left, right)
        slack = {f"slack{label.removeprefix('where ')}": f"slack{label.removeprefix('where ')}'"}
        second = substitute(left, renaming), substitute(right, renaming)
        if second != (left, right):
            doubled[label + "'"] = substitute(second[0], slack), substitute(second[1], slack)
    return doubled


def second_design(relation: Relation, varying: Iterable[str]) -> Relation:
    """A relation about the first design of a pair, said of the second."""
    return substitute_in_relation(relation, primed(varying))
