"""What a program of torch costs, measured: multiplications by operator, and the operators without a price.

The prices are those of torch's `FlopCounterMode`, which counts two floating point operations a multiplication. It
counts an operator that it has no price for as nothing: on a CPU that is all of `nn.MultiheadAttention` for inference,
and all of `scaled_dot_product_attention`. Here such an operator is reported, and the measure is not `complete`. On the
meta device, which computes shapes and no values, attention is made of matrix products, and each of them has a price.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode, flop_registry

from mha_spec.design import AttentionDesign, Parameters

from .layer import ModuleLayer, TorchLayer
from .tensors import dtype_of

MAKE_OR_MOVE: Final = (
    "alias arange as_strided cat clone contiguous copy_ detach empty empty_like expand fill_ full full_like index "
    "lift_fresh new_ones new_zeros ones ones_like permute repeat reshape scalar_tensor select slice split "
    "split_with_sizes squeeze stack t _to_copy transpose tril triu unbind _unsafe_view unsqueeze view zeros zeros_like"
)
MASKS: Final = (
    "all any bitwise_and bitwise_not bitwise_or eq ge gt le logical_and logical_not logical_or logical_or_ lt "
    "masked_fill masked_fill_ ne where"
)
COUNTED_APART: Final = "add add_ amax div div_ exp max neg _safe_softmax _softmax sub sum"
"""Additions, and what a ledger counts apart: the scale, and the softmax with its divisions and comparisons."""

FREE: Final = frozenset(f"{MAKE_OR_MOVE} {MASKS} {COUNTED_APART}".split())
PRODUCTS: Final = frozenset({"mul", "mul_"})


@dataclass(frozen=True)
class Metered:
    """The cost of one run.

    - `multiplications`: scalar multiplications in matrix products, and `by_operator` the same by operator.
    - `elementwise`: multiplications of two arrays entry by entry, such as a rotation; a scale is not counted.
    - `without_price`: how often each operator ran whose cost is not known.
    """

    multiplications: int
    by_operator: Mapping[str, int]
    elementwise: int
    without_price: Mapping[str, int]

    @property
    def complete(self) -> bool:
        """Whether every operator had a price."""
        return not self.without_price


class Operators(TorchDispatchMode):  # type: ignore[misc, unused-ignore]  # torch may not be installed
    """Watches the operators that run: how often each, and elementwise products by the entries of their results."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: Counter[Any] = Counter()
        self.elementwise = 0

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run an operator and note it."""
        result = func(*args, **(kwargs or {}))
        self.runs[func.overloadpacket] += 1
        arrays = [entry for entry in args if isinstance(entry, torch.Tensor) and entry.dim()]
        if func.overloadpacket.__name__ in PRODUCTS and len(arrays) > 1:
            self.elementwise += result.numel()
        return result


def meter(run: Callable[[], object]) -> Metered:
    """The cost of what `run` does."""
    operators, flops = Operators(), FlopCounterMode(display=False)
    with operators, flops:
        run()
    counted = flops.get_flop_counts().get("Global", {})
    by_operator = {str(operator): flop // 2 for operator, flop in counted.items()}
    without = {
        str(operator): runs
        for operator, runs in operators.runs.items()
        if operator not in flop_registry and operator.__name__ not in FREE | PRODUCTS
    }
    return Metered(sum(by_operator.values()), by_operator, operators.elementwise, without)


def meter_layer(
    factory: type[TorchLayer], design: AttentionDesign, n: int, m: int | None = None, batch: int = 1
) -> Metered:
    """The cost of one call of a layer without a mask, on the meta device; `m` None is self-attention.

    A causal design is metered as the one that is not: torch's programs compute hidden scores as well.
    """
    layer = factory(replaced(design), Parameters.draw(design, np.random.default_rng(0)))
    if isinstance(layer, ModuleLayer):
        layer.module.to("meta")
    else:
        layer.own = {name: entry.to("meta") for name, entry in layer.own.items()}

    def tokens(length: int, width: int) -> torch.Tensor:
        return torch.empty(batch, length, width, dtype=dtype_of(design), device="meta")

    x, memory = tokens(n, design.d_model), None if m is None else tokens(m, design.d_memory)
    with torch.no_grad():
        return meter(lambda: layer.output(x, memory, None))


def replaced(design: AttentionDesign) -> AttentionDesign:
    """The design without causality and its window."""
    fields = vars(design) | {"causal": False, "window": None}
    return AttentionDesign(**fields)
