"""Cached decoding by `flax.nnx.MultiHeadAttention`: one token at a time, on a cache that has a fixed length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from mha_spec.adapters.jax.compiled import QUICK_TO_COMPILE, CompiledLayerWithWeights, JaxArray, JaxArrays
from mha_spec.conformance.contract import Array, Unsupported
from mha_spec.design import AttentionDesign

LONGEST: Final = 16
CACHE: Final = ("cached_key", "cached_value", "cache_index")


class DecodingLayer(CompiledLayerWithWeights):
    """The layer with its own cache. `decoded` is a program from a token and the cache to an output and the next."""

    decoded: Callable[[AttentionDesign, JaxArrays, JaxArray, tuple[JaxArray, ...]], tuple[JaxArray, Any]]

    def reset(self) -> None:
        """Forget every token; raises `Unsupported` unless the layer is causal, since a cache is."""
        if not self.design.causal:
            raise Unsupported("decoding is causal")
        self._cache: tuple[JaxArray, ...] | None = None
        self._tokens = 0

    def step(self, x_part: Array) -> Array:
        """The outputs of the next tokens, `(batch, some, d_model)`; at most `LONGEST` since the reset."""
        self._tokens += x_part.shape[1]
        if self._tokens > LONGEST:
            raise Unsupported(f"the cache holds {LONGEST} tokens here")
        with jax.enable_x64(True):
            if self._cache is None:
                self._cache = empty_cache(self.design, x_part.shape[0])
            outputs = []
            for place in range(x_part.shape[1]):
                token = x_part[:, place : place + 1]
                out, self._cache = self.decoded(self.design, self.parameters.arrays(), token, self._cache)
                outputs.append(np.asarray(out))
        return np.concatenate(outputs, axis=1)


def empty_cache(design: AttentionDesign, batch: int) -> tuple[JaxArray, ...]:
    """Keys, values, and the number of tokens, in the order of `CACHE`."""
    entries = jnp.zeros((batch, LONGEST, design.kv_heads, design.d_k), design.dtype)
    return entries, entries, jnp.array(0, dtype=jnp.int32)


def decoding(with_parameters: Callable[[AttentionDesign, JaxArrays], Any]) -> Any:
    """The compiled program of one step, of the layer that `with_parameters` makes."""

    def decoded(design: AttentionDesign, p: JaxArrays, token: JaxArray, cache: tuple[JaxArray, ...]) -> Any:
        layer = with_parameters(design, p)
        layer.init_cache((token.shape[0], LONGEST, design.d_model), dtype=design.dtype)
        for name, entries in zip(CACHE, cache, strict=True):
            getattr(layer, name).set_value(entries)
        out = layer(token, decode=True)
        return out, tuple(getattr(layer, name).get_value() for name in CACHE)

    return staticmethod(jax.jit(decoded, static_argnums=0, compiler_options=QUICK_TO_COMPILE))
