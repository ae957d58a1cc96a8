"""Layers that the tests point the suite at: a right one, and wrong ones of several kinds."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mha_spec import AttentionDesign, Parameters, multi_head_attention
from mha_spec.conformance import Unsupported

Layer = Callable[..., Any]


def right(design: AttentionDesign, parameters: Parameters) -> Layer:
    """The package's own layer."""

    def layer(x: Any, memory: Any = None, mask: Any = None) -> Any:
        return multi_head_attention(x, parameters, memory, mask, design=design)

    return layer


right.causal_alignment = "top-left"  # type: ignore[attr-defined]
right.empty_row = "zero"  # type: ignore[attr-defined]
right.dtypes = ("float64", "float32")  # type: ignore[attr-defined]
right.hidden_values_may_leak = True  # type: ignore[attr-defined]


def unscaled(design: AttentionDesign, parameters: Parameters) -> Layer:
    return right(dataclasses.replace(design, scale=1.0), parameters)


def explained(design: AttentionDesign, parameters: Parameters) -> Layer:
    return unscaled(design, parameters)


explained.known_failures = [  # type: ignore[attr-defined]
    (("two_keys_pin_the_scale",), lambda design, call: True, "the scale was left out on purpose"),
    (("masking_a_key_equals_deleting_it",), lambda design, call: True, "once thought to fail"),
]


def refuses(design: AttentionDesign, parameters: Parameters) -> Layer:
    raise Unsupported("it does nothing yet")


def raises(design: AttentionDesign, parameters: Parameters) -> Layer:
    raise RuntimeError("a bug of the layer's")


def wrong_shape(design: AttentionDesign, parameters: Parameters) -> Layer:
    return lambda x, memory=None, mask=None: np.zeros((1, 2, 3, 4))


def chatty(design: AttentionDesign, parameters: Parameters) -> Layer:
    print("this must not reach the output of the suite")
    print("nor this", file=sys.stderr)
    return right(design, parameters)


def hangs(design: AttentionDesign, parameters: Parameters) -> Layer:
    time.sleep(10_000)
    raise AssertionError


not_callable = 3
