"""Attention that never holds a whole row of weights: keys and values are read block by block.

The running sums are rescaled whenever a larger score is met (online softmax; Milakov and Gimelshein 2018,
section 3; Dao et al. 2022, algorithm 1).  Like `mha_spec.attention` the code reads sizes only through shapes, so
it runs unmodified on symbolic arrays and on counting scalars.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .shapes import each, sqrt

Floats: TypeAlias = npt.NDArray[np.floating[Any]]


def streamed_attention(Q: Floats, K: Floats, V: Floats) -> Floats:
    """Attention of queries `(n, d_k)` to keys `(blocks, block, d_k)` and values `(blocks, block, d_v)`.

    Returns `(n, d_v)`: what attention over all `blocks*block` keys at once returns, without a mask.  At any time
    the weights of one block are alive, `n*block` entries.
    """
    n, d_k, d_v = Q.shape[-2], Q.shape[-1], V.shape[-1]
    maximum: Floats = np.full((n, 1), -np.inf, like=Q)
    total: Floats = np.zeros_like(maximum)
    output: Floats = np.full((n, d_v), 0.0, like=Q)
    for j in each(K.shape[0]):
        S = Q @ K[j].mT / sqrt(d_k)
        larger = np.maximum(maximum, S.max(axis=-1, keepdims=True))
        weights = weights_of_block(S, larger)
        kept = np.exp(maximum - larger)
        total *= kept
        total += weights.sum(axis=-1, keepdims=True)
        output *= kept
        output += mix_block(weights, V[j])
        maximum = larger
    return output / total


def weights_of_block(S: Floats, maximum: Floats) -> Floats:
    """The weights of one block of scores, before they are divided by their total."""
    weights: Floats = np.exp(S - maximum)
    return weights


def mix_block(weights: Floats, V: Floats) -> Floats:
    """The values of one block, averaged with its weights."""
    mixed: Floats = weights @ V
    return mixed
