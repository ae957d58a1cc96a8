"""An ONNX graph as a layer under test, or as a function with a layer around it."""

from __future__ import annotations

import numpy as np

from mha_spec.adapters.functions.layer import FunctionLayer
from mha_spec.adapters.masks import allowed_pairs
from mha_spec.conformance.contract import Array, BoolArray, Unsupported
from mha_spec.design import AttentionDesign, Parameters

from .engine import Run
from .signature import Signature


class OnnxLayer:
    """A layer whose output is the first of a graph with the inputs `x`, and `memory`, `mask` and parameters or not."""

    def __init__(self, signature: Signature, run: Run, design: AttentionDesign, parameters: Parameters | None) -> None:
        self._signature = signature
        self._run = run
        self._design = design
        self._parameters = parameters

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The output `(batch, n, d_model)`."""
        entries = self._signature.entries
        given = {"x": x}
        if "memory" in entries:
            given["memory"] = x if memory is None else memory
        elif memory is not None:
            raise Unsupported("the file has no input named memory")
        if self._parameters is not None:
            given |= parameters_due(self._signature, self._parameters)
        fed = {entries[name].name: entries[name].fitted(array) for name, array in given.items()}
        keys = x if memory is None else memory
        fed |= masked(self._signature, self._design, x.shape[0], x.shape[1], keys.shape[1], mask)
        return self._run(fed)[0]


class OnnxFunction(FunctionLayer):
    """A layer around a graph with the inputs `q`, `k`, `v`, and `mask` or not; the projections are NumPy's."""

    def __init__(self, signature: Signature, run: Run, design: AttentionDesign, parameters: Parameters) -> None:
        super().__init__(design, parameters)
        self._signature = signature
        self._run = run

    def attend(self, q: Array, k: Array, v: Array, mask: BoolArray | None) -> Array:
        """The heads' outputs; the graph has heads before tokens, or beside one another within a token."""
        entries = self._signature.entries
        flat = len(entries["q"].shape) == 3
        arrays = {"q": q, "k": k, "v": v}
        fed = {entries[name].name: entries[name].fitted(beside(a) if flat else a) for name, a in arrays.items()}
        fed |= masked(self._signature, self.design, q.shape[0], q.shape[2], k.shape[2], mask)
        heads = self._run(fed)[0]
        if not flat:
            return heads
        batch, n = heads.shape[:2]
        return heads.reshape(batch, n, self.design.h, self.design.d_v).transpose(0, 2, 1, 3)


def parameters_due(signature: Signature, parameters: Parameters) -> dict[str, Array]:
    """The parameters that are inputs; raises `Unsupported` where the file has others than the design."""
    given = parameters.arrays()
    wanted = {name for name in signature.entries if name.startswith(("w_", "b_"))}
    if wanted != set(given):
        other = ", ".join(sorted(wanted ^ set(given)))
        raise Unsupported(f"the design and the file do not both have {other}")
    return dict(given)


def masked(
    signature: Signature, design: AttentionDesign, batch: int, n: int, m: int, mask: BoolArray | None
) -> dict[str, Array]:
    """The mask input, with the causality of the design in it unless the graph is causal itself."""
    allowed = mask if signature.causal else allowed_pairs(design, batch, n, m, mask)
    if not signature.has("mask"):
        if allowed is not None:
            raise Unsupported("the file has no input named mask")
        return {}
    entry = signature.entries["mask"]
    every = np.ones((batch, n, m), dtype=np.bool_) if allowed is None else allowed
    return {entry.name: entry.fitted_mask(every)}


def beside(heads: Array) -> Array:
    """`(batch, heads, n, d)` as `(batch, n, heads*d)`."""
    batch, count, n, width = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, n, count * width)
