"""The mask and causality of a design as one mask, for frameworks that take a single one."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import BoolArray
from mha_spec.design import AttentionDesign


def causal_pairs(design: AttentionDesign, n: int, m: int) -> BoolArray | None:
    """Which key each query may attend to by causality and window alone, `(n, m)`; None where that is every key."""
    if not design.causal:
        return None
    shift = m - n if design.causal_alignment == "bottom-right" else 0
    allowed: BoolArray = np.tri(n, m, shift, dtype=np.bool_)
    if design.window is not None:
        allowed &= ~np.tri(n, m, shift - design.window, dtype=np.bool_)
    return allowed


def allowed_pairs(design: AttentionDesign, batch: int, n: int, m: int, mask: BoolArray | None) -> BoolArray | None:
    """Which pairs mask and causality both allow, `(batch, n, m)` with True = may attend; None where all are."""
    causal = causal_pairs(design, n, m)
    if causal is None:
        return mask
    spread: BoolArray = np.broadcast_to(causal, (batch, n, m)) if mask is None else mask & causal
    return spread
