"""A case: the sizes and the mask of one call, and the seed from which its arrays come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack, cast

import numpy as np

from mha_spec.design import AttentionDesign, Parameters

from ..contract import Array, BoolArray, Call
from ..definition import visible_pairs


class Changes(TypedDict, total=False):
    """What of the inputs may be changed."""

    design: AttentionDesign
    parameters: Parameters | None
    x: Array
    memory: Array | None
    mask: BoolArray | None


@dataclass(frozen=True, eq=False)
class Inputs:
    """A design, its parameters (None for a ready-made layer), and the arrays of one call."""

    design: AttentionDesign
    parameters: Parameters | None
    x: Array
    memory: Array | None
    mask: BoolArray | None

    def but(self, **changes: Unpack[Changes]) -> Inputs:
        """The same with some of it replaced."""
        return replace(self, **changes)

    def but_parameters(self, **arrays: Array | None) -> Inputs:
        """The same with some arrays of the parameters replaced."""
        return replace(self, parameters=replace(self.given, **cast(dict[str, Any], arrays)))

    @property
    def given(self) -> Parameters:
        """The parameters; an AssertionError for a ready-made layer, for which no law asks this."""
        assert self.parameters is not None
        return self.parameters

    @property
    def call(self) -> Call:
        """The sizes and the mask of the call."""
        return Call.of(self.x, self.memory, self.mask)

    @property
    def read_from(self) -> Array:
        """What keys and values are read from, `(batch, m, d_memory)`: the memory, or `x` in self-attention."""
        return self.x if self.memory is None else self.memory

    @property
    def seen(self) -> BoolArray:
        """Which pairs both mask and causality allow, `(batch, n, m)`."""
        call = self.call
        visible = np.broadcast_to(visible_pairs(self.design, call.n, call.m), (call.batch, call.n, call.m))
        return visible if self.mask is None else visible & self.mask

    def entry(self, e: int) -> Inputs:
        """One entry of the batch alone."""
        return self.but(
            x=self.x[e : e + 1],
            memory=None if self.memory is None else self.memory[e : e + 1],
            mask=None if self.mask is None else self.mask[e : e + 1],
        )

    def copied(self) -> tuple[Array, Array | None, BoolArray | None]:
        """Copies of the arrays of the call."""
        memory = None if self.memory is None else self.memory.copy()
        return self.x.copy(), memory, None if self.mask is None else self.mask.copy()


@dataclass(frozen=True)
class Case:
    """One drawn case. `m` is None in self-attention; `hidden` has one integer for each query of each entry, in which
    bit `j` hides key `j`, or is None without a mask; `choices` are the integers from which it was built.
    """

    design: AttentionDesign
    batch: int
    n: int
    m: int | None
    hidden: tuple[tuple[int, ...], ...] | None
    seed: int
    choices: tuple[int, ...] = ()

    @property
    def keys(self) -> int:
        """The number of keys, which in self-attention is `n`."""
        return self.n if self.m is None else self.m

    def mask(self) -> BoolArray | None:
        """The mask `(batch, n, m)`, True = may attend."""
        if self.hidden is None:
            return None
        bits = [[[not row >> j & 1 for j in range(self.keys)] for row in entry] for entry in self.hidden]
        return np.array(bits, dtype=np.bool_).reshape(self.batch, self.n, self.keys)

    def rng(self, stream: int = 0) -> np.random.Generator:
        """A generator for what a law draws beside the inputs."""
        return np.random.default_rng([self.seed, stream + 1])

    def inputs(self, *, fixed: bool = False) -> Inputs:
        """The arrays: normal entries, projections that keep their size. No parameters for a ready-made layer."""
        rng, design = np.random.default_rng([self.seed, 0]), self.design
        parameters = None if fixed else Parameters.draw(design, rng)
        x = rng.standard_normal((self.batch, self.n, design.d_model)).astype(design.dtype)
        memory = None
        if self.m is not None:
            memory = rng.standard_normal((self.batch, self.m, design.d_memory)).astype(design.dtype)
        return Inputs(design, parameters, x, memory, self.mask())

    def sizes_text(self) -> str:
        """The call in words, such as `batch 2, 3 queries, 4 keys in a memory, a mask that hides 5 of 24 pairs`."""
        queries = f"{self.n} quer{'y' if self.n == 1 else 'ies'}"
        keys = "self-attention" if self.m is None else f"a memory of {self.m} key{'s' if self.m != 1 else ''}"
        mask = self.mask()
        hides = "no mask" if mask is None else f"a mask that hides {int((~mask).sum())} of {mask.size} pairs"
        return f"batch {self.batch}, {queries}, {keys}, {hides}, seed {self.seed}"
