"""Terms, relations and claims drawn by Hypothesis, within what the claim language can express."""

from __future__ import annotations

from hypothesis import strategies as st

from mha_spec.claims.bounds import excess
from mha_spec.claims.terms import Claim, Goal, Iff, IndependentOfH, Operation, Operator, Relation, RelationSign, Term

NAMES = ("n", "m", "h", "d_k", "d_model", "bias", "parameters")
RINGS: tuple[Operator, ...] = ("+", "-", "*")
ALL_OPERATORS: tuple[Operator, ...] = ("+", "-", "*", "//", "%")
SIGNS: tuple[RelationSign, ...] = ("==", "!=", "<=", "<", ">=", ">")


def leaves(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Term]:
    """Integers and names."""
    return st.one_of(st.integers(0, 12), st.sampled_from(names))


def terms(
    operators: tuple[Operator, ...] = ALL_OPERATORS, names: tuple[str, ...] = NAMES, size: int = 10
) -> st.SearchStrategy[Term]:
    """Trees as they are read from text: no negative integer, but a negation; an exponent is a literal."""

    def deeper(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        return st.one_of(
            st.builds(Operation, st.sampled_from(operators), inner, inner),
            st.builds(Operation, st.just("**"), inner, st.integers(0, 3)),
            st.builds(Operation, st.just("-"), st.just(0), inner),
        )

    return st.recursive(leaves(names), deeper, max_leaves=size).filter(lambda term: not excess(term))


def polynomials(names: tuple[str, ...] = NAMES, size: int = 8) -> st.SearchStrategy[Term]:
    """Terms without division."""
    return terms(RINGS, names, size)


def relations(sides: st.SearchStrategy[Term] | None = None) -> st.SearchStrategy[Relation]:
    """Relations of any sign between drawn terms."""
    side = terms() if sides is None else sides
    return st.builds(Relation, st.sampled_from(SIGNS), side, side)


def goals() -> st.SearchStrategy[Goal]:
    """Goals of all three kinds."""
    return st.one_of(relations(), st.builds(IndependentOfH, terms()), st.builds(Iff, relations(), relations()))


def claims() -> st.SearchStrategy[Claim]:
    """Claims with up to two conditions."""
    where = st.lists(relations(terms(size=4)), max_size=2).map(tuple)
    return st.builds(Claim, st.just(""), goals(), where)


def points(names: tuple[str, ...], most: int = 9) -> st.SearchStrategy[dict[str, int]]:
    """Sizes of at least 1 for names; `bias` is 0 or 1."""
    return st.fixed_dictionaries({n: st.integers(0, 1) if n == "bias" else st.integers(1, most) for n in names})
