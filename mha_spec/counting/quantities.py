"""The quantities of an attention layer: what they are, and how they are read from a trace of the layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np

from mha_spec import attention
from mha_spec.counting.errors import TraceError
from mha_spec.counting.ledger import Ledger
from mha_spec.counting.recording import recording
from mha_spec.counting.sizes import Size, SizeLike
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.design import DEFAULT_RULE, ScoreRule

Form: TypeAlias = Literal["batched", "per-head"]


class Quantity(NamedTuple):
    """A quantity of one layer and one sequence."""

    name: str
    unit: str
    meaning: str


def _quantities(*rows: tuple[str, str, str]) -> Mapping[str, Quantity]:
    return MappingProxyType({row[0]: Quantity(*row) for row in rows})


QUANTITIES: Mapping[str, Quantity] = _quantities(
    ("projection_weights", "entries", "entries of W_Q, W_K, W_V and W_O"),
    ("parameters", "entries", "projection weights and biases"),
    ("projection_multiplications", "multiplications", "of inputs by W_Q, W_K, W_V and of heads by W_O"),
    ("score_multiplications", "multiplications", "of queries by keys, Q K^T"),
    ("mixing_multiplications", "multiplications", "of weights by values"),
    ("multiplications", "multiplications", "of projections, scores and mixing; not of scale and softmax"),
    ("exponentials", "exponentials", "of the softmax"),
    ("softmax_divisions", "divisions", "of the softmax; that by sqrt(d_k) is counted apart"),
    ("comparisons", "comparisons", "of the row maxima in the softmax"),
    ("attention_matrices", "matrices", "matrices of n x m scores, one a head"),
    ("score_entries", "entries", "entries of all matrices of scores, masked or not"),
    ("kv_cache_entries", "entries", "entries of the projected keys and values of all key/value heads"),
)
"""Every quantity that a trace of the layer gives, in the order in which they are printed."""

ROLES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("project", "mul"): "projection_multiplications",
        ("scores", "mul"): "score_multiplications",
        ("mix", "mul"): "mixing_multiplications",
        ("softmax", "exp"): "exponentials",
        ("softmax", "div"): "softmax_divisions",
        ("softmax", "cmp"): "comparisons",
    }
)
"""The quantity to which each (function, kind of work) of the layer belongs."""

COUNTED_APART: frozenset[tuple[str, str]] = frozenset(
    {
        ("scale_scores", "div"),
        ("scale_scores", "mul"),
        ("cap_scores", "div"),
        ("cap_scores", "mul"),
    }
)
"""Work of the scale and the soft cap, which is in no quantity."""

KINDS_WITH_A_ROLE = ("mul", "div", "exp", "cmp")
"""Kinds of which every operation has a role or is counted apart; additions belong to a kernel."""


def traced_quantities(form: Form = "batched", *, masked: bool = False) -> Mapping[str, Size]:
    """Every quantity of `QUANTITIES`, derived from the code of the layer for all sizes at once.

    The sizes are `n m d_model d_memory kv_heads group d_k d_v bias`, with h = kv_heads*group; no hypothesis
    is assumed. The layer is traced with biases and without, and `bias`, which is 0 or 1, chooses. Raises
    TraceError if the layer does work that belongs to no quantity.
    """
    return _traced_quantities(form, masked)


@cache
def _traced_quantities(form: Form, masked: bool) -> Mapping[str, Size]:
    without, with_biases = (read_quantities(trace_layer(form, masked=masked, bias=bias)) for bias in (False, True))
    bias = Size.of("bias")
    return MappingProxyType({name: without[name] + bias * (with_biases[name] - without[name]) for name in QUANTITIES})


def trace_layer(
    form: Form = "batched",
    *,
    masked: bool = False,
    bias: bool = False,
    rule: ScoreRule = DEFAULT_RULE,
    lengths: tuple[SizeLike, SizeLike] = ("n", "m"),
) -> Ledger:
    """The ledger of one form of `mha_spec.attention` at the most general sizes, for these numbers of tokens."""
    heads = Size.of("kv_heads*group")
    shapes: dict[str, tuple[SizeLike, ...]] = {
        "w_q": (heads, "d_model", "d_k"),
        "w_k": ("kv_heads", "d_memory", "d_k"),
        "w_v": ("kv_heads", "d_memory", "d_v"),
        "w_o": (heads * Size.of("d_v"), "d_model"),
    }
    if bias:
        shapes |= {"b_q": (heads, "d_k"), "b_k": ("kv_heads", "d_k")}
        shapes |= {"b_v": ("kv_heads", "d_v"), "b_o": ("d_model",)}
    with recording() as run:
        parameters = {name: SymbolicArray(shape, name=name) for name, shape in shapes.items()}
        run.ledger.parameters.update({name: array.entries for name, array in parameters.items()})
        layer = cast(Callable[..., object], _forms()[form])
        mask = SymbolicArray(lengths, np.bool_) if masked else None
        weights = cast(Callable[..., object], attention.Weights)(**parameters)
        inputs = SymbolicArray((lengths[0], "d_model")), SymbolicArray((lengths[1], "d_memory"))
        result = layer(*inputs, weights, Size.of("kv_heads"), Size.of("group"), mask, rule)
        _require_output(result, lengths[0])
        return run.finish()


def _forms() -> Mapping[Form, object]:
    return {"batched": attention.multi_head_batched, "per-head": attention.multi_head_per_head}


def _require_output(result: object, n: SizeLike) -> None:
    shape: tuple[SizeLike, ...] = getattr(result, "shape", ())
    wanted = (n, "d_model")
    if len(shape) != 2 or not all(Size.of(a).same_as(b) for a, b in zip(shape, wanted, strict=True)):
        raise TraceError(f"the layer gave an output of shape {shape}, not (n, d_model)", "check its projections")


def read_quantities(ledger: Ledger) -> dict[str, Size]:
    """The quantities in the ledger of one trace of the layer. TraceError if work belongs to none of them."""
    _require_roles(ledger)
    counts = {quantity: ledger.get_count(function, kind) for (function, kind), quantity in ROLES.items()}
    weights = [size for name, size in ledger.parameters.items() if name.startswith("w_")]
    counts["projection_weights"] = sum(weights, Size())
    counts["parameters"] = sum(ledger.parameters.values(), Size())
    counts["multiplications"] = (
        counts["projection_multiplications"] + counts["score_multiplications"] + counts["mixing_multiplications"]
    )
    counts["score_entries"] = ledger.get_count("scores", "out")
    counts["attention_matrices"] = counts["score_entries"] // Size.of("n*m")
    counts["kv_cache_entries"] = ledger.through["w_k"]["out"] + ledger.through["w_v"]["out"]
    return {name: counts[name] for name in QUANTITIES}


def _require_roles(ledger: Ledger) -> None:
    for function, row in ledger.items():
        for kind, count in row.items():
            known = (function, kind) in ROLES or (function, kind) in COUNTED_APART
            if kind in KINDS_WITH_A_ROLE and not known and not count.same_as(0):
                raise TraceError(
                    f"{count} {kind} in {function} belong to no quantity",
                    "give this work a function of its own with a role in mha_spec.counting.quantities.ROLES",
                )
