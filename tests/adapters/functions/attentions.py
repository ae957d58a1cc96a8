"""Plain functions of queries, keys and values, right and wrong, that know nothing of this package."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def attention(q: Array, k: Array, v: Array, mask: Array | None = None) -> Array:
    """As in the paper; a query that may attend to nothing gives NaN."""
    scores = q @ k.swapaxes(-1, -2) * q.dtype.type(1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed: Array = weights / weights.sum(-1, keepdims=True) @ v
    return mixed


def scaled(query: Array, key: Array, value: Array, mask: Array | None = None, scale: float | None = None) -> Array:
    """The same, with a scale that may be given."""
    factor = 1.0 if scale is None else scale * math.sqrt(query.shape[-1])
    return attention(query * query.dtype.type(factor), key, value, mask)


def ignores_scale(q: Array, k: Array, v: Array, mask: Array | None = None, scale: float | None = None) -> Array:
    """A scale that is given has no effect."""
    return attention(q, k, v, mask)


def transposed_mask(q: Array, k: Array, v: Array, mask: Array | None = None) -> Array:
    """With as many keys as queries, the mask is read with its axes exchanged."""
    square = mask is not None and mask.shape[-1] == mask.shape[-2]
    return attention(q, k, v, mask.swapaxes(-1, -2) if mask is not None and square else mask)


def layer(design: object, parameters: object) -> object:
    """No attention but, by its parameters, a factory."""
    raise NotImplementedError


def declared(q: Array, k: Array, v: Array, mask: Array | None = None) -> Array:
    """Attention that says what it does."""
    return attention(q, k, v, mask)


vars(declared).update(empty_row="nan", hidden_values_may_leak=True, dtypes=("float64",), causal_alignment="top-left")
