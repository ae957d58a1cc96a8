"""How far rounding may move a result: first-order propagation of rounding errors, element by element.

Every operation rounds its result by a relative error of one unit of the dtype, independently of the others; `k` terms
of a sum add `k` such errors. A variance is carried through projection, scores, exponent, mixing and output (Higham,
"Accuracy and Stability of Numerical Algorithms", section 3, with root sums of squares instead of bounds). Two results
agree iff the largest deviation is at most `MOST_SIGMA` and the root mean square at most `MOST_RMS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mha_spec.design import AttentionDesign, FloatArray, Parameters

from .contract import Array, BoolArray
from .definition import scale_of, visible_pairs

Float64: TypeAlias = npt.NDArray[np.float64]

MOST_SIGMA: Final = 4.0
MOST_RMS: Final = 2.0


@dataclass(frozen=True)
class Rounding:
    """The rounding of a dtype: the relative unit, and the smallest step above zero."""

    unit: float
    tiny: float

    @staticmethod
    def of(dtype: str) -> Rounding:
        """That of a floating dtype of NumPy."""
        info = np.finfo(dtype)
        return Rounding(float(info.eps) / 2, float(info.smallest_subnormal))


@dataclass(frozen=True)
class Deviation:
    """The standard deviations of a layer's results: `output (batch, n, d_model)`, `weights (batch, h, n, m)`."""

    output: Float64
    weights: Float64


@dataclass(frozen=True)
class Uncertain:
    """Values and the variances of their errors."""

    value: Float64
    variance: Float64

    def repeated(self, group: int) -> Uncertain:
        """Each head `group` times in a row."""
        return Uncertain(np.repeat(self.value, group, 1), np.repeat(self.variance, group, 1))


@dataclass(frozen=True)
class Distance:
    """How far two results are apart, in sigma: the largest deviation, where it is, and the root mean square."""

    largest: float
    rms: float
    at: tuple[int, ...]

    @property
    def is_rounding(self) -> bool:
        """Whether rounding explains it. A distance that is not a number is not explained."""
        return self.largest <= MOST_SIGMA and self.rms <= MOST_RMS


def distance(came: Array, expected: Array, sigma: Array) -> Distance:
    """The distance of two arrays of one shape, in units of `sigma`; equal entries are at distance 0."""
    if came.size == 0:
        return Distance(0.0, 0.0, ())
    error = np.abs(np.asarray(came, np.float64) - np.asarray(expected, np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(error == 0, 0.0, error / np.broadcast_to(sigma, came.shape))
    at = tuple(int(k) for k in np.unravel_index(int(np.argmax(ratio)), ratio.shape))
    return Distance(float(ratio[at]), math.sqrt(float(np.mean(ratio**2))), at)


def deviation(
    design: AttentionDesign,
    parameters: Parameters,
    x: Array,
    memory: Array | None = None,
    mask: BoolArray | None = None,
    *,
    dtype: str | None = None,
) -> Deviation:
    """The deviations of a layer that computes in `dtype` (`design.dtype` if None) from the exact one."""
    rounding = Rounding.of(design.dtype if dtype is None else dtype)
    x64 = np.asarray(x, np.float64)
    from64 = x64 if memory is None else np.asarray(memory, np.float64)
    p, group = parameters, design.group
    query = project(x64, p.w_q, p.b_q, rounding)
    key = project(from64, p.w_k, p.b_k, rounding).repeated(group)
    value = project(from64, p.w_v, p.b_v, rounding).repeated(group)
    seen = visible_pairs(design, x64.shape[1], from64.shape[1])[None, None]
    if mask is not None:
        seen = seen & mask[:, None]
    weights = softmax(scores(query, key, design, rounding), seen, rounding)
    heads = mix(weights, value, rounding)
    return Deviation(combine(heads, p, rounding), of_weights(weights, rounding))


@dataclass(frozen=True)
class UncertainWeights:
    """Weights after the softmax, and the variances of the scores from which they come."""

    value: Float64
    scores: Float64


def project(rows: Float64, w: FloatArray, b: FloatArray | None, rounding: Rounding) -> Uncertain:
    """`rows W + b` for each head, `(batch, heads, tokens, width)`."""
    W = np.asarray(w, np.float64)
    value, squares = rows[:, None] @ W, (rows**2)[:, None] @ W**2
    if b is not None:
        B = np.asarray(b, np.float64)[None, :, None]
        value, squares = value + B, squares + B**2
    terms = rows.shape[-1] + 1
    return Uncertain(value, rounding.unit**2 * terms * (value**2 + squares) + rounding.tiny**2)


def scores(query: Uncertain, key: Uncertain, design: AttentionDesign, rounding: Rounding) -> Uncertain:
    """The scores after scale and softcap."""
    scale, u2 = scale_of(design), rounding.unit**2
    K, dK = key.value.swapaxes(-1, -2), key.variance.swapaxes(-1, -2)
    raw, squares = query.value @ K, query.value**2 @ K**2
    carried = query.variance @ K**2 + query.value**2 @ dK
    own = u2 * (design.d_k + 2) * (raw**2 + squares)
    S = scale * raw
    variance = scale**2 * (carried + own) + u2 * S**2
    if design.softcap is not None:
        S = design.softcap * np.tanh(S / design.softcap)
        variance = variance + 3 * u2 * S**2
    return Uncertain(S, variance)


def softmax(score: Uncertain, seen: npt.NDArray[np.bool_], rounding: Rounding) -> UncertainWeights:
    """The weights over the keys that are seen; zero in an empty row."""
    S = np.where(seen, score.value, -np.inf)
    top = S.max(-1, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    exponent = np.where(seen, S - top, 0.0)
    E = np.where(seen, np.exp(exponent), 0.0)
    total = E.sum(-1, keepdims=True)
    variance = np.where(seen, score.variance + rounding.unit**2 * (2 + exponent**2), 0.0)
    return UncertainWeights(E / np.where(total > 0, total, 1.0), variance)


def of_weights(weights: UncertainWeights, rounding: Rounding) -> Float64:
    """The deviation of the weights: `dP_j = P_j (dS_j - sum_k P_k dS_k)`, and the roundings of the division."""
    P, dS = weights.value, weights.scores
    shared = (P**2 * dS).sum(-1, keepdims=True)
    variance = P**2 * ((1 - 2 * P) * dS + shared) + rounding.unit**2 * (P.shape[-1] + 3) * P**2
    result: Float64 = np.sqrt(np.maximum(variance, 0) + rounding.tiny**2)
    return result


def mix(weights: UncertainWeights, value: Uncertain, rounding: Rounding) -> Uncertain:
    """The heads: weights times values, `dO = sum_j P_j (V_j - O) dS_j + P_j dV_j`."""
    P, V = weights.value, value.value
    O = P @ V
    A = P**2 * weights.scores
    carried = A @ V**2 - 2 * O * (A @ V) + O**2 * A.sum(-1, keepdims=True)
    own = rounding.unit**2 * (P.shape[-1] + 2) * (O**2 + P**2 @ V**2)
    return Uncertain(O, np.maximum(carried, 0) + P**2 @ value.variance + own + rounding.tiny**2)


def combine(heads: Uncertain, p: Parameters, rounding: Rounding) -> Float64:
    """The deviation of the output: the concatenated heads times `W_O`, plus `b_o`."""
    W = np.asarray(p.w_o, np.float64)
    O, dO = concatenated(heads.value), concatenated(heads.variance)
    Y, squares = O @ W, O**2 @ W**2
    if p.b_o is not None:
        b = np.asarray(p.b_o, np.float64)
        Y, squares = Y + b, squares + b**2
    variance = dO @ W**2 + rounding.unit**2 * (W.shape[0] + 2) * (Y**2 + squares) + rounding.tiny**2
    result: Float64 = np.sqrt(variance)
    return result


def concatenated(heads: Float64) -> Float64:
    """The heads of each token side by side, `(batch, tokens, heads*width)`."""
    batch, h, tokens, width = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, tokens, h * width)
