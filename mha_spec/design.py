"""What an attention layer is: its sizes, its rule for the scores, and its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .score_rule import DEFAULT_RULE, DesignError, ScoreRule, positive
from .shapes import Alignment

__all__ = [
    "DEFAULT_RULE",
    "HYPOTHESES",
    "PARAMETER_AXES",
    "SIZES",
    "AttentionDesign",
    "DesignError",
    "FloatArray",
    "Parameters",
    "ScoreRule",
]

FloatArray = npt.NDArray[np.floating[Any]]

SIZES = ("n", "m", "d_model", "d_memory", "h", "d_k", "d_v", "kv_heads", "bias")
"""The sizes of a call of a layer. All are at least 1, except that `bias` is 0 or 1."""

HYPOTHESES: Mapping[str, str] = {
    "H1": "h*d_k == d_model",
    "H2": "d_v == d_k",
    "H3": "kv_heads == h",
    "H4": "bias == 0",
    "H5": "m == n",
    "H6": "d_memory == d_model",
}
"""The hypotheses of Vaswani et al. 2017: H5 is about a call, the others are about a design."""


PARAMETER_AXES: Mapping[str, tuple[str, ...]] = {
    "w_q": ("h", "d_model", "d_k"),
    "w_k": ("kv_heads", "d_memory", "d_k"),
    "w_v": ("kv_heads", "d_memory", "d_v"),
    "w_o": ("h*d_v", "d_model"),
    "b_q": ("h", "d_k"),
    "b_k": ("kv_heads", "d_k"),
    "b_v": ("kv_heads", "d_v"),
    "b_o": ("d_model",),
}
"""The axes of the parameters in the paper's layout: heads first, and `w_o` with one block of rows a head."""


def divides(divisor: str, by: int, dividend: str, whole: int, fix: str) -> None:
    """Raise `DesignError`, with both numbers and the fix, unless `by` divides `whole`."""
    if whole % by:
        raise DesignError(
            f"{divisor}={by} does not divide {dividend}={whole} "
            f"({whole} = {by}*{whole // by} + {whole % by}): {fix}"
        )


def product(text: str, sizes: Mapping[str, int]) -> int:
    """The value of a product such as `h*d_k`, whose factors are integers or names of sizes."""
    return math.prod(sizes[factor] if factor in sizes else int(factor) for factor in text.split("*"))


@dataclass(frozen=True, init=False)
class AttentionDesign:
    """The sizes and options of one attention layer, every size resolved to an `int`.

    Sizes left out are those of the paper (section 3.2.2): `d_memory = d_model`, `kv_heads = h`,
    `d_k = d_model/h`, `d_v = d_k`. Raises `DesignError`, with both numbers, where a size is not an integer of
    at least 1, where `d_k` is left out and `h` does not divide `d_model`, or `kv_heads` does not divide `h`.
    """

    d_model: int
    d_memory: int
    h: int
    kv_heads: int
    d_k: int
    d_v: int
    bias: int
    causal: bool
    causal_alignment: Alignment
    scale: float | None
    softcap: float | None
    window: int | None
    dtype: str

    def __init__(
        self,
        *,
        d_model: int,
        h: int,
        d_memory: int | None = None,
        kv_heads: int | None = None,
        d_k: int | None = None,
        d_v: int | None = None,
        bias: int = 0,
        causal: bool = False,
        causal_alignment: Alignment = "top-left",
        scale: float | None = None,
        softcap: float | None = None,
        window: int | None = None,
        dtype: npt.DTypeLike = "float64",
    ) -> None:
        d_model, h = positive("d_model", d_model), positive("h", h)
        if d_k is None:
            divides("h", h, "d_model", d_model, "give d_k, or an h that divides d_model")
            d_k = d_model // h
        kv_heads = h if kv_heads is None else positive("kv_heads", kv_heads)
        divides("kv_heads", kv_heads, "h", h, "every key/value head serves the same number of query heads")
        if bias not in (0, 1):
            raise DesignError(f"bias is {bias!r}, but must be 0 or 1")
        if np.dtype(dtype).kind != "f":
            raise DesignError(f"dtype is {np.dtype(dtype).name}, but must be floating, such as float64")
        rule = ScoreRule(causal, causal_alignment, window, scale, softcap)
        fields = vars(rule) | {
            "d_model": d_model,
            "d_memory": d_model if d_memory is None else positive("d_memory", d_memory),
            "h": h,
            "kv_heads": kv_heads,
            "d_k": positive("d_k", d_k),
            "d_v": positive("d_v", d_k if d_v is None else d_v),
            "bias": int(bias),
            "dtype": np.dtype(dtype).name,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def group(self) -> int:
        """How many query heads read one key/value head: `h = kv_heads*group`."""
        return self.h // self.kv_heads

    @property
    def score_rule(self) -> ScoreRule:
        """The options that concern the scores."""
        return ScoreRule(self.causal, self.causal_alignment, self.window, self.scale, self.softcap)

    def sizes(self, n: int | None = None, m: int | None = None) -> dict[str, int]:
        """The sizes by name, in the order of `SIZES`; those of a call only if they are given."""
        known = {"n": n, "m": m, **{name: getattr(self, name) for name in SIZES[2:]}}
        return {name: size for name, size in known.items() if size is not None}

    def satisfies(self, hypothesis: str, n: int | None = None, m: int | None = None) -> bool:
        """Whether a hypothesis, named as in `HYPOTHESES`, is met; H5 is about a call and needs `n` and `m`.

        Raises `DesignError` for a name that is not a hypothesis, and for H5 without `n` and `m`.
        """
        if hypothesis not in HYPOTHESES:
            raise DesignError(f"{hypothesis!r} is not one of {', '.join(HYPOTHESES)}")
        if hypothesis == "H5" and (n is None or m is None):
            raise DesignError(f"H5 ({HYPOTHESES['H5']}) is about a call: give n and m (n={n}, m={m})")
        sizes = self.sizes(n, m)
        left, right = HYPOTHESES[hypothesis].split(" == ")
        return product(left, sizes) == product(right, sizes)

    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every array of `Parameters` that this design has, in the paper's layout."""
        sizes = self.sizes()
        return {
            name: tuple(product(axis, sizes) for axis in axes)
            for name, axes in PARAMETER_AXES.items()
            if self.bias or name.startswith("w")
        }


@dataclass(frozen=True, eq=False)
class Parameters:
    """The parameters of one layer as ndarrays, heads first; the biases are all given or all None.

    Query head `i` reads key/value head `i // (h // kv_heads)`; row block `i` of `w_o` belongs to head `i`.
    """

    w_q: FloatArray
    w_k: FloatArray
    w_v: FloatArray
    w_o: FloatArray
    b_q: FloatArray | None = None
    b_k: FloatArray | None = None
    b_v: FloatArray | None = None
    b_o: FloatArray | None = None

    def __post_init__(self) -> None:
        for name, array in self.arrays().items():
            if not isinstance(array, np.ndarray):
                raise DesignError(f"{name} is a {type(array).__name__}, expected an ndarray {axes_of(name)}")

    @staticmethod
    def draw(design: AttentionDesign, rng: np.random.Generator) -> Parameters:
        """Normal parameters of `design.dtype`, each matrix with variance one over the number of its rows."""
        arrays = {}
        for name, shape in design.parameter_shapes().items():
            deviation = shape[-2] ** -0.5 if name.startswith("w") else 1.0
            arrays[name] = (deviation * rng.standard_normal(shape)).astype(design.dtype)
        return Parameters(**arrays)

    def arrays(self) -> dict[str, FloatArray]:
        """The arrays that are given, by name."""
        return {name: array for name in PARAMETER_AXES if (array := getattr(self, name)) is not None}

    def count(self) -> int:
        """The number of entries of all arrays: projection weights and biases."""
        return sum(array.size for array in self.arrays().values())

    def design(
        self,
        *,
        causal: bool = False,
        causal_alignment: Alignment = "top-left",
        scale: float | None = None,
        softcap: float | None = None,
        window: int | None = None,
    ) -> AttentionDesign:
        """The design that these arrays are parameters of; options, which no array shows, are given by name.

        Raises `DesignError` where the shapes contradict each other.
        """
        for name in ("w_q", "w_k", "w_v"):
            if getattr(self, name).ndim != 3:
                raise DesignError(f"{name} has shape {getattr(self, name).shape}, not {axes_of(name)}")
        h, d_model, d_k = self.w_q.shape
        kv_heads, d_memory, d_v = self.w_v.shape
        design = AttentionDesign(
            d_model=d_model,
            d_memory=d_memory,
            h=h,
            kv_heads=kv_heads,
            d_k=d_k,
            d_v=d_v,
            bias=int(any(name.startswith("b") for name in self.arrays())),
            causal=causal,
            causal_alignment=causal_alignment,
            scale=scale,
            softcap=softcap,
            window=window,
            dtype=self.w_q.dtype,
        )
        self.check(design)
        return design

    def check(self, design: AttentionDesign) -> None:
        """Raise `DesignError`, with the shape found and expected, unless these are parameters of `design`."""
        arrays, expected = self.arrays(), design.parameter_shapes()
        for name in PARAMETER_AXES:
            if (name in arrays) != (name in expected):
                has = "missing" if name in expected else f"given, with shape {arrays[name].shape}"
                raise DesignError(f"{name} is {has}, but the design has bias={design.bias}")
        for name, shape in expected.items():
            if arrays[name].shape != shape:
                found = arrays[name].shape
                raise DesignError(f"{name} has shape {found}, expected {axes_of(name)} = {shape}")
            if arrays[name].dtype != design.dtype:
                raise DesignError(f"{name} has dtype {arrays[name].dtype}, but the design has {design.dtype}")


def axes_of(name: str) -> str:
    """The axes of a parameter as text, such as `(h, d_model, d_k)`."""
    return f"({', '.join(PARAMETER_AXES[name])})"
