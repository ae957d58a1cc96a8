"""How implementations treat masks, empty rows, causality, scale and precision: asked of what is installed.

A probe is one attention with one head, called as its own documentation says: queries `(n, d)`, keys and values
`(m, d)`, and a boolean mask `(n, m)` that is handed on as it is. Layers get identity matrices as projections.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

import convention_calls as calls

Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]

COLUMNS: Final = (
    "boolean mask",
    "empty row",
    "causal, n != m",
    "mask and causality",
    "scale",
    "bias by default",
    "float64 in",
)
N, M, D = 3, 5, 4


@dataclass(frozen=True)
class Probe:
    """One implementation: the distributions it needs, how it is called, and whether it has biases by default."""

    name: str
    needs: tuple[str, ...]
    call: calls.Call
    bias: Callable[[], bool] | None = None

    def version(self) -> str | None:
        """The version of the first distribution; None unless all are installed."""
        try:
            found = [version(name) for name in self.needs]
        except PackageNotFoundError:
            return None
        return found[0].partition("+")[0]


PROBES: Final = (
    Probe("torch F.scaled_dot_product_attention", ("torch",), calls.torch_function),
    Probe("torch nn.MultiheadAttention", ("torch",), calls.torch_layer, calls.torch_bias),
    Probe("jax.nn.dot_product_attention", ("jax",), calls.jax_function),
    Probe("flax.nnx.MultiHeadAttention", ("flax", "jax"), calls.flax_nnx, calls.flax_nnx_bias),
    Probe("flax.linen.MultiHeadDotProductAttention", ("flax", "jax"), calls.flax_linen, calls.flax_linen_bias),
    Probe("equinox.nn.MultiheadAttention", ("equinox", "jax"), calls.equinox_layer, calls.equinox_bias),
    Probe("haiku.MultiHeadAttention", ("dm-haiku", "jax"), calls.haiku_layer, calls.haiku_bias),
    Probe("keras MultiHeadAttention (jax)", ("keras", "jax"), calls.keras_layer, calls.keras_bias),
    Probe("the same with return_attention_scores", ("keras", "jax"), calls.keras_scores, calls.keras_bias),
    Probe("keras GroupQueryAttention (jax)", ("keras", "jax"), calls.keras_grouped, calls.keras_grouped_bias),
    Probe("ONNX Attention, onnxruntime", ("onnxruntime", "onnx"), calls.onnxruntime_operator),
    Probe("ONNX Attention, reference evaluator", ("onnx",), calls.onnx_reference_operator),
)


def measured(probe: Probe) -> dict[str, str]:
    """What a probe says in each column; it must be installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "boolean mask": polarity(probe),
            "empty row": empty_row(probe),
            "causal, n != m": causality(probe),
            "mask and causality": both(probe),
            "scale": scale(probe),
            "bias by default": "none to have" if probe.bias is None else "yes" if probe.bias() else "no",
            "float64 in": precision(probe),
        }


def drawn(seed: int = 0) -> tuple[Floats, Floats, Floats]:
    """Queries, keys and values."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((N, D)), rng.standard_normal((M, D)), rng.standard_normal((M, D))


def defined(allowed: Bools, by: float = D**-0.5) -> Floats:
    """Attention by its definition, where every query has a key."""
    q, k, v = drawn()
    scores = np.where(allowed, q @ k.T * by, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed: Floats = weights / weights.sum(-1, keepdims=True) @ v
    return mixed


def near(came: Floats | str, due: Floats) -> bool:
    """Whether two results are the same in single precision."""
    return not isinstance(came, str) and came.shape == due.shape and bool(np.allclose(came, due, rtol=0, atol=2e-6))


def answer(probe: Probe, mask: Bools | None = None, causal: bool = False) -> Floats | str:
    """What comes out, or the word `none` where there is no such argument, or `raises`."""
    try:
        return np.asarray(probe.call(*drawn(), mask, causal), np.float64)
    except calls.NoSuchArgument as error:
        return str(error)
    except Exception:
        return "raises"


MASK: Final = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [1, 1, 0, 0, 1]], dtype=np.bool_)
TOP_LEFT: Final = np.tri(N, M, dtype=np.bool_)
BOTTOM_RIGHT: Final = np.tri(N, M, M - N, dtype=np.bool_)


def polarity(probe: Probe) -> str:
    """What True means in a boolean mask."""
    came = answer(probe, MASK)
    if near(came, defined(MASK)):
        return "True = may attend"
    return "True = hidden" if near(came, defined(~MASK)) else "other"


def empty_row(probe: Probe) -> str:
    """What a query gets that may attend to nothing."""
    mask = MASK.copy()
    mask[1] = False
    came = answer(probe, mask if polarity(probe) == "True = may attend" else ~mask)
    if isinstance(came, str):
        return came
    others = defined(MASK)
    if not near(came[[0, 2]], others[[0, 2]]):
        return "harms other rows"
    if np.isnan(came[1]).all():
        return "NaN"
    if np.allclose(came[1], 0, atol=1e-12):
        return "zero"
    return "mean of all values" if np.allclose(came[1], drawn()[2].mean(0), atol=2e-6) else "other"


def causality(probe: Probe) -> str:
    """How positions are counted where there are more keys than queries."""
    came = answer(probe, causal=True)
    if isinstance(came, str):
        return came
    if near(came, defined(TOP_LEFT)):
        return "top-left"
    return "bottom-right" if near(came, defined(BOTTOM_RIGHT)) else "other"


def both(probe: Probe) -> str:
    """What a mask and causality together do."""
    mask = MASK.copy()
    mask[:, 0] = True
    came = answer(probe, mask if polarity(probe) == "True = may attend" else ~mask, causal=True)
    if isinstance(came, str):
        return came
    if near(came, defined(mask & TOP_LEFT)) or near(came, defined(mask & BOTTOM_RIGHT)):
        return "both must allow"
    if near(came, defined(mask)):
        return "the mask alone"
    return "NaN" if np.isnan(came).any() else "other"


def scale(probe: Probe) -> str:
    """The factor of the scores where none is given."""
    came, everything = answer(probe), np.ones((N, M), dtype=np.bool_)
    if near(came, defined(everything)):
        return "1/sqrt(d_k)"
    return "1" if near(came, defined(everything, 1.0)) else "other"


def precision(probe: Probe) -> str:
    """In what a call with float64 computes."""
    came = answer(probe)
    if isinstance(came, str):
        return came
    error = np.abs(came - defined(np.ones((N, M), dtype=np.bool_))).max()
    return "float64" if error < 1e-13 else "float32" if error < 1e-5 else "less"
