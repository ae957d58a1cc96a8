"""A correct layer in NumPy, cut into steps so that a mutant can get one of them wrong.

It can do everything that the contract knows: weights, gradients, cached decoding, sizes of zero, hidden NaN.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray
from mha_spec.design import AttentionDesign, Parameters

Memory = Array | None
Pairs = BoolArray | None


class CorrectLayer:
    """Multi-head attention as in the contract; arrays inside have the head axis before the token axis."""

    def __init__(self, design: AttentionDesign, parameters: Parameters) -> None:
        self.design = design
        self.p = parameters
        self.tokens: Array | None = None

    def __call__(self, x: Array, memory: Memory = None, mask: Pairs = None) -> Array:
        return self.run(x, memory, mask)[0]

    def weights(self, x: Array, memory: Memory = None, mask: Pairs = None) -> Array:
        return self.run(x, memory, mask)[1]

    def parameter_count(self) -> int:
        return self.p.count()

    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        """The output and the weights."""
        y = self.read_from(x, memory)
        q, k, v = self.queries(x), self.keys(y), self.values(y)
        k, v = self.for_every_head(k), self.for_every_head(v)
        weights = self.softmax(self.capped(self.scores(q, k)), self.seen(x, y, memory, mask))
        return self.output(self.merge(self.mix(weights, v))), weights

    def read_from(self, x: Array, memory: Memory) -> Array:
        return x if memory is None else memory

    def project(self, rows: Array, w: Array, b: Array | None) -> Array:
        projected: Array = rows[:, None] @ w
        return projected if b is None else projected + b[None, :, None]

    def queries(self, x: Array) -> Array:
        return self.project(x, self.p.w_q, self.p.b_q)

    def keys(self, y: Array) -> Array:
        return self.project(y, self.p.w_k, self.p.b_k)

    def values(self, y: Array) -> Array:
        return self.project(y, self.p.w_v, self.p.b_v)

    def for_every_head(self, heads: Array) -> Array:
        return np.repeat(heads, self.design.group, axis=1)

    def scale(self) -> float:
        return self.design.d_k**-0.5 if self.design.scale is None else self.design.scale

    def scores(self, q: Array, k: Array) -> Array:
        scores: Array = (q * q.dtype.type(self.scale())) @ k.swapaxes(-1, -2)
        return scores

    def capped(self, scores: Array) -> Array:
        cap = self.design.softcap
        if cap is None:
            return scores
        kind = scores.dtype.type
        capped: Array = np.tanh(scores / kind(cap)) * kind(cap)
        return capped

    def position(self, n: int, m: int) -> Array:
        """The position of every query among the keys."""
        return np.arange(n) + (m - n if self.design.causal_alignment == "bottom-right" else 0)

    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        """What causality and the window allow, `(n, m)`."""
        design, position, keys = self.design, self.position(n, m)[:, None], np.arange(m)
        if not design.causal:
            return np.ones((n, m), dtype=np.bool_)
        past: BoolArray = keys <= position
        return past if design.window is None else past & (keys > position - design.window)

    def spread(self, mask: BoolArray) -> BoolArray:
        """The mask for every head."""
        return mask[:, None]

    def seen(self, x: Array, y: Array, memory: Memory, mask: Pairs) -> BoolArray:
        """What may be attended to, `(batch, h, n, m)`."""
        n, m = x.shape[1], y.shape[1]
        visible = self.visible(n, m, memory, mask)
        both = visible if mask is None else self.joined(visible, self.spread(mask))
        return np.broadcast_to(both, (x.shape[0], self.design.h, n, m))

    def joined(self, visible: BoolArray, mask: BoolArray) -> BoolArray:
        return visible & mask

    def hide(self, scores: Array, seen: BoolArray) -> Array:
        return np.where(seen, scores, scores.dtype.type(-np.inf))

    def exponentials(self, hidden: Array) -> Array:
        top = hidden.max(-1, keepdims=True, initial=-np.inf)
        exponentials: Array = np.exp(hidden - np.where(np.isfinite(top), top, 0).astype(hidden.dtype))
        return exponentials

    def softmax(self, scores: Array, seen: BoolArray) -> Array:
        e = self.exponentials(self.hide(scores, seen))
        return self.normalise(e, e.sum(-1, keepdims=True))

    def normalise(self, e: Array, total: Array) -> Array:
        weights: Array = e / np.where(total > 0, total, 1).astype(e.dtype)
        return weights

    def mix(self, weights: Array, v: Array) -> Array:
        mixed: Array = weights @ np.where(np.isfinite(v), v, v.dtype.type(0))
        return mixed

    def merge(self, heads: Array) -> Array:
        batch, h, n, d_v = heads.shape
        return heads.transpose(0, 2, 1, 3).reshape(batch, n, h * d_v)

    def output(self, merged: Array) -> Array:
        product: Array = merged @ self.p.w_o
        return product if self.p.b_o is None else product + self.p.b_o

    def reset(self) -> None:
        self.tokens = None

    def step(self, x_part: Array) -> Array:
        before = x_part[:, :0] if self.tokens is None else self.tokens
        self.tokens = self.cached(before, x_part)
        n, m = x_part.shape[1], self.tokens.shape[1]
        design = replace(self.design, causal_alignment="bottom-right")
        visible = type(self)(design, self.p).visible(n, m, self.tokens, None) if self.design.causal else None
        free = type(self)(replace(self.design, causal=False, window=None), self.p)
        mask = None if visible is None else np.broadcast_to(self.chunk(visible), (len(x_part), n, m))
        return free(x_part, self.tokens, mask)

    def cached(self, before: Array, x_part: Array) -> Array:
        return np.concatenate([before, x_part], axis=1)

    def chunk(self, visible: BoolArray) -> BoolArray:
        return visible

    def vjp(self, x: Array, memory: Memory, mask: Pairs, cotangent: Array) -> dict[str, Array]:
        """Gradients by the chain rule, from the output back to every array."""
        design, p, y = self.design, self.p, self.read_from(x, memory)
        q, k, v = self.queries(x), self.keys(y), self.values(y)
        K, V = self.for_every_head(k), self.for_every_head(v)
        scores = self.scores(q, K)
        seen = self.seen(x, y, memory, mask)
        weights = self.softmax(self.capped(scores), seen)
        heads = self.mix(weights, V)
        d_heads = (cotangent @ p.w_o.T).reshape(*x.shape[:2], design.h, design.d_v).transpose(0, 2, 1, 3)
        d_scores = self.softmax_gradient(weights, d_heads @ V.swapaxes(-1, -2), seen)
        if design.softcap is not None:
            d_scores = d_scores * (1 - np.tanh(scores / design.softcap) ** 2)
        d_q = self.scale() * d_scores @ K
        d_k = self.summed(self.scale() * d_scores.swapaxes(-1, -2) @ q)
        d_v = self.summed(weights.swapaxes(-1, -2) @ d_heads)
        found = {
            "w_q": x[:, None].swapaxes(-1, -2) @ d_q,
            "w_k": y[:, None].swapaxes(-1, -2) @ d_k,
            "w_v": y[:, None].swapaxes(-1, -2) @ d_v,
            "w_o": self.merge(heads).swapaxes(-1, -2) @ cotangent,
        }
        if design.bias:
            found |= {"b_q": d_q.sum(2), "b_k": d_k.sum(2), "b_v": d_v.sum(2), "b_o": cotangent.sum(1)}
        gradients: dict[str, Array] = {name: gradient.sum(0) for name, gradient in found.items()}
        d_x = (d_q @ p.w_q.swapaxes(-1, -2)).sum(1)
        d_y = (d_k @ p.w_k.swapaxes(-1, -2) + d_v @ p.w_v.swapaxes(-1, -2)).sum(1)
        return gradients | ({"x": d_x + d_y} if memory is None else {"x": d_x, "memory": d_y})

    def softmax_gradient(self, weights: Array, d_weights: Array, seen: BoolArray) -> Array:
        gradient: Array = weights * (d_weights - (weights * d_weights).sum(-1, keepdims=True))
        return gradient

    def summed(self, heads: Array) -> Array:
        """The gradient of a key/value head: the sum over the heads that read it."""
        batch, _, m, width = heads.shape
        summed: Array = heads.reshape(batch, self.design.kv_heads, self.design.group, m, width).sum(2)
        return summed


def factory_of(layer: type[CorrectLayer], alignment: str = "top-left", **declared: Any) -> Any:
    """A factory of layers of this class, which declares all that they can do."""

    def factory(design: AttentionDesign, parameters: Parameters) -> CorrectLayer:
        return layer(design, parameters)

    says = {"causal_alignment": alignment, "empty_row": "zero", "allows_empty": True, **declared}
    for name, value in says.items():
        setattr(factory, name, value)
    factory.__name__ = factory.__qualname__ = layer.__name__
    return factory
