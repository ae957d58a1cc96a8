"""Targets by path: a correct layer, and layers that print, hang, crash, or return nonsense."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

from mha_spec import AttentionDesign, Parameters, multi_head_attention
from mha_spec.conformance import Unsupported
from mha_spec.conformance.contract import Array, BoolArray

number = 3


class Own:
    """The layer of this package, put under test as anyone's would be."""

    def __init__(self, design: AttentionDesign, parameters: Parameters) -> None:
        self.design, self.parameters = design, parameters

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        return multi_head_attention(x, self.parameters, memory, mask, design=self.design)


def own(design: AttentionDesign, parameters: Parameters) -> Own:
    return Own(design, parameters)


class Prints(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        print('{"outcome": "not ours"}')
        os.write(1, b'{"law": "nor this"}\n')
        return super().__call__(x, memory, mask)


class Hangs(Own):
    """Only on three tokens, so that some laws get through."""

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        if x.shape[1] == 3:
            time.sleep(1000)
        return super().__call__(x, memory, mask)


class Crashes(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        sys.stderr.write("the last words\n")
        sys.stderr.flush()
        os._exit(9)


class Exits(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        sys.exit("good bye")


class Raises(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        raise KeyError("head_dim")


class ReturnsAList(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Any:
        return super().__call__(x, memory, mask).tolist()


class ReturnsAnotherShape(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        return super().__call__(x, memory, mask)[..., None]


class ReturnsAnotherDtype(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        return super().__call__(x, memory, mask).astype(np.int64)


class DoesNothing(Own):
    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        raise Unsupported("not today")


def no_layer(design: AttentionDesign, parameters: Parameters) -> int:
    return 4


def wrongly_declared(design: AttentionDesign, parameters: Parameters) -> Own:
    return Own(design, parameters)


wrongly_declared.empty_row = "zeros"  # type: ignore[attr-defined]


def by_loader(text: str) -> Any:
    """A loader: makes a factory from the text of a target."""
    return {"anything at all": own}[text]
