"""What changes as the number of heads varies, the other sizes held or following."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from mha_spec.design import DesignError

from .costs import LayerCost, Setting, layer_cost
from .designs import LayerDesign, Weights

Held: TypeAlias = Literal["d_model", "d_k", "kv_heads"]


@dataclass(frozen=True)
class Variant:
    """The layer with another number of heads, and what it costs; `problem` where there is no such layer."""

    h: int
    design: LayerDesign | None
    cost: LayerCost | None
    problem: str = ""


def vary_heads(
    design: LayerDesign, heads: Sequence[int], hold: Sequence[Held], setting: Setting
) -> tuple[Variant, ...]:
    """The layer at each number of heads. Held: d_model by default, so that head sizes follow; d_k; kv_heads.

    With d_k held and d_model not, the width follows: ``d_model = h*d_k``.  Raises DesignError for a design whose
    layers have no plain heads.
    """
    if design.kind == "latent" or design.gate or any(size is None for size in design.sizes.values()):
        raise DesignError("--vary h is for layers with plain heads of known sizes; this one has formulas of its own")
    return tuple(_variant(design, h, hold, setting) for h in heads)


def _variant(design: LayerDesign, h: int, hold: Sequence[Held], setting: Setting) -> Variant:
    sizes = {name: size for name, size in design.sizes.items() if size is not None}
    d_model, d_k, d_v, d_memory = (sizes[name] for name in ("d_model", "d_k", "d_v", "d_memory"))
    if "d_k" in hold and "d_model" not in hold:
        d_memory = h * d_k if d_memory == d_model else d_memory
        d_model = h * d_k
    elif "d_k" not in hold:
        whole = sizes["h"] * d_k  # the width that the heads share
        if whole % h:
            return Variant(h, None, None, f"{h} heads do not divide the width {whole:,} that they share")
        d_v = d_v if d_v != d_k else whole // h
        d_k = whole // h
    kv_heads = sizes["kv_heads"] if "kv_heads" in hold else h if sizes["kv_heads"] == sizes["h"] else sizes["kv_heads"]
    if h % kv_heads:
        return Variant(h, None, None, f"{kv_heads} key/value heads do not divide {h} heads")
    there = design.weights.biases or {}
    widths = {"q": h * d_k, "k": kv_heads * d_k, "v": kv_heads * d_v, "o": d_model}
    matrices = {"q": d_model * h * d_k, "k": d_memory * kv_heads * d_k, "v": d_memory * kv_heads * d_v}
    weights = Weights({**matrices, "o": h * d_v * d_model}, {name: widths[name] for name in there}, {})
    varied = replace(
        design,
        sizes={"d_model": d_model, "d_memory": d_memory, "h": h, "kv_heads": kv_heads, "d_k": d_k, "d_v": d_v},
        weights=weights,
        cache=None,
    )
    return Variant(h, varied, layer_cost(varied, setting))
