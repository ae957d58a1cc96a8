"""A design given by flags instead of a file."""

from __future__ import annotations

from collections.abc import Mapping

from mha_spec.design import AttentionDesign, DesignError

from .designs import LayerDesign, ModelReading, Weights
from .resolution import FLAG

NAMES: Mapping[str, str] = {
    "d_model": "--d-model",
    "h": "--heads",
    "kv_heads": "--kv-heads",
    "d_k": "--head-dim",
    "d_v": "--value-dim",
    "d_memory": "--d-memory",
}
"""The flag of each size."""


def read_flags(sizes: Mapping[str, int], *, layers: int = 1, bias: bool = False) -> ModelReading:
    """The model of `layers` equal layers with the sizes that are given, the others as in the paper.

    Raises DesignError for sizes that make no attention layer.
    """
    missing = [NAMES[name] for name in ("d_model", "h") if name not in sizes]
    if missing:
        raise DesignError(f"{' and '.join(missing)} missing: a design needs at least --d-model and --heads")
    design = AttentionDesign(
        d_model=sizes["d_model"],
        h=sizes["h"],
        d_memory=sizes.get("d_memory"),
        kv_heads=sizes.get("kv_heads"),
        d_k=sizes.get("d_k"),
        d_v=sizes.get("d_v"),
        bias=int(bias),
    )
    resolved = design.sizes()
    h, kv_heads, d_k, d_v = (resolved[name] for name in ("h", "kv_heads", "d_k", "d_v"))
    d_model, d_memory = resolved["d_model"], resolved["d_memory"]
    matrices = {"q": d_model * h * d_k, "k": d_memory * kv_heads * d_k, "v": d_memory * kv_heads * d_v}
    matrices["o"] = h * d_v * d_model
    biases = {"q": h * d_k, "k": kv_heads * d_k, "v": kv_heads * d_v, "o": d_model} if bias else {}
    derived = {
        "d_memory": "derived: d_model",
        "kv_heads": "derived: h",
        "d_k": f"derived: {d_model}/{h}",
        "d_v": "derived: d_k",
    }
    layer = LayerDesign(
        kind="cross" if d_memory != d_model else "self",
        sliding=False,
        side=None,
        tower="",
        modules=layers,
        applied=layers,
        sizes={name: resolved[name] for name in NAMES},
        gate=False,
        weights=Weights(matrices, biases, {}),
        provenance={name: FLAG if name in sizes else derived[name] for name in NAMES},
        rule="the paper's layer at these sizes",
    )
    return ModelReading("flags", None, (layer,))
