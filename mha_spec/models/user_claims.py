"""A user's claim on one design of a model: its sizes and quantities are bound, and the claim holds there or fails."""

from __future__ import annotations

from collections.abc import Mapping

from mha_spec.claims.language import ClaimError, parse_claim
from mha_spec.claims.printing import text
from mha_spec.claims.terms import Goal, Iff, IndependentOfH, Relation, evaluate, goal_terms, names, relation_holds
from mha_spec.design import HYPOTHESES, SIZES

from .closed_form import at_sizes
from .costs import Setting
from .designs import MATRICES, LayerDesign
from .quantity_formulas import FORMULAS
from .verdicts import ModelVerdict, broken_hypotheses

KNOWN = (*SIZES, *FORMULAS)


def require_readable(claim: str) -> None:
    """Raise ClaimError for text that is no claim."""
    parse_claim(claim, KNOWN)


def judge(claim: str, design: LayerDesign, setting: Setting) -> ModelVerdict:
    """The verdict on a claim in the claim language, for one design at the setting's length.

    A claim of independence is about all sizes, and is proved or refuted under the hypotheses that the design meets;
    any other is evaluated at the design's sizes, and proved where that can be done.
    """
    parsed = parse_claim(claim, KNOWN)
    needed = frozenset().union(
        *map(names, (*goal_terms(parsed.goal), *(s for r in parsed.where for s in (r.left, r.right))))
    )
    if isinstance(parsed.goal, IndependentOfH):
        return _by_proof(claim, design, at_these_sizes="")
    known = bound_names(design, setting)
    missing = sorted(needed - known.keys())
    if missing:
        return ModelVerdict(claim, "NOT COVERED", why=f"{', '.join(missing)}: {_why_missing(design)}")
    try:
        if not all(relation_holds(relation, known) for relation in parsed.where):
            return ModelVerdict(claim, "NOT COVERED", why="the conditions after 'where' do not hold for this design")
        holds = _holds(parsed.goal, known)
    except ZeroDivisionError:
        return ModelVerdict(claim, "NOT COVERED", why="a divisor is 0 at these sizes")
    shown = _sides(parsed.goal, known)
    if not holds:
        return ModelVerdict(claim, "FAILS", why=shown)
    return _by_proof(claim, design, at_these_sizes=f"at these sizes: {shown}")


def bound_names(design: LayerDesign, setting: Setting) -> dict[str, int]:
    """The sizes and quantities that a claim can name on a design; those that are not known are left out."""
    known = {name: size for name, size in design.sizes.items() if size is not None}
    known |= {"n": setting.n, "m": setting.n}
    if design.weights.biases is not None:
        known["bias"] = int(bool(design.weights.biases))
    if not set(SIZES) <= known.keys() or design.kind == "latent" or design.gate or not _is_plain(design):
        return _with_counted(known, design)
    return _with_counted({**{name: at_sizes(name, known) for name in FORMULAS}, **known}, design)


def _with_counted(known: dict[str, int], design: LayerDesign) -> dict[str, int]:
    """The quantities that the config itself decides: partial biases, and parameters of the design's own."""
    weights, biases = design.weights.projection_weights, design.weights.bias_entries
    for name, value in (
        ("projection_weights", weights),
        ("parameters", None if weights is None or biases is None else weights + biases),
    ):
        known.pop(name, None)
        if value is not None:
            known[name] = value
    return known


def _is_plain(design: LayerDesign) -> bool:
    """Whether the matrices are those that the sizes say, and every query sees every key."""
    sizes = {name: size for name, size in design.sizes.items() if size is not None}
    expected = {
        "q": sizes["d_model"] * sizes["h"] * sizes["d_k"],
        "k": sizes["d_memory"] * sizes["kv_heads"] * sizes["d_k"],
        "v": sizes["d_memory"] * sizes["kv_heads"] * sizes["d_v"],
        "o": sizes["d_model"] * sizes["h"] * sizes["d_v"],
    }
    return not design.sliding and all(design.weights.matrices[name] == expected[name] for name in MATRICES)


def _why_missing(design: LayerDesign) -> str:
    if design.kind == "latent":
        return "latent attention has formulas of its own"
    if design.sliding:
        return "the layer sees a window"
    return "it is not known for this design"


def _holds(goal: Goal, known: Mapping[str, int]) -> bool:
    if isinstance(goal, Iff):
        return relation_holds(goal.left, known) == relation_holds(goal.right, known)
    assert isinstance(goal, Relation)
    return relation_holds(goal, known)


def _sides(goal: Goal, known: Mapping[str, int]) -> str:
    terms = goal_terms(goal)
    return ", ".join(dict.fromkeys(f"{text(term)} is {evaluate(term, known):,}" for term in terms if names(term)))


def _by_proof(claim: str, design: LayerDesign, at_these_sizes: str) -> ModelVerdict:
    """HOLDS by a certificate under the hypotheses that the design meets; else by its sizes, or not at all."""
    from mha_spec.claims.prover import prove

    broken = broken_hypotheses(design, tuple(name for name in HYPOTHESES if name != "H5"))
    try:
        verdict = prove(claim, drop=broken, designs=0)
    except ClaimError:
        if at_these_sizes:
            return ModelVerdict(claim, "HOLDS", why=at_these_sizes)
        raise
    if verdict.outcome == "PROVED":
        used = " ".join(verdict.hypotheses_used) or "no hypothesis"
        return ModelVerdict(claim, "HOLDS", why=f"by proof, for all sizes, using {used}")
    if at_these_sizes:
        return ModelVerdict(claim, "HOLDS", why=at_these_sizes)
    if verdict.outcome == "REFUTED":
        shown = "; ".join(" ".join(f"{k}={v}" for k, v in design.items()) for design in verdict.counterexample)
        return ModelVerdict(claim, "FAILS", broken=broken, why=f"two designs of its kind differ: {shown}")
    return ModelVerdict(claim, "NOT COVERED", why=verdict.reason)
