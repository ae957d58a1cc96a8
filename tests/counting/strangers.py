"""Multi-head attention as people write it in plain NumPy; nothing here knows that it will be traced.

Each takes `x (n, d_model)`, a dict of projection weights, and the number of heads. Only a loop over the heads
uses `each`, because `range` cannot take a symbolic size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mha_spec.shapes import each


def split_heads(x: Any, h: Any) -> Any:
    n, d = x.shape
    return x.reshape(n, h, d // h).transpose(1, 0, 2)


def merge_heads(z: Any) -> Any:
    h, n, d_k = z.shape
    return z.transpose(1, 0, 2).reshape(n, h * d_k)


def softmax(s: Any) -> Any:
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def batched(x: Any, p: Any, h: Any) -> Any:
    if x.shape[-1] % h != 0:
        raise ValueError("h must divide d_model")
    q, k, v = (split_heads(x @ p[name], h) for name in ("W_q", "W_k", "W_v"))
    return merge_heads(softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v) @ p["W_o"]


def loop_of_slices(x: Any, p: Any, h: Any) -> Any:
    d_k = x.shape[1] // h
    heads = []
    for i in each(h):
        part = slice(i * d_k, (i + 1) * d_k)
        q, k, v = x @ p["W_q"][:, part], x @ p["W_k"][:, part], x @ p["W_v"][:, part]
        s = (q @ k.T) * d_k**-0.5
        s -= s.max(axis=-1, keepdims=True)
        np.exp(s, out=s)
        s /= s.sum(axis=-1, keepdims=True)
        heads.append(s @ v)
    return np.concatenate(heads, axis=-1) @ p["W_o"]


def heads_added_up(x: Any, p: Any, h: Any) -> Any:
    d_k = x.shape[1] // h
    out = np.zeros_like(x)
    for i in each(h):
        part = slice(i * d_k, (i + 1) * d_k)
        q, k, v = (np.dot(x, p[name][:, part]) for name in ("W_q", "W_k", "W_v"))
        out += np.matmul(softmax(np.matmul(q, k.T) / np.sqrt(d_k)), v) @ p["W_o"][part]
    return out


def heads_written_into_place(x: Any, p: Any, h: Any) -> Any:
    d_k = x.shape[1] // h
    q, k, v = x @ p["W_q"], x @ p["W_k"], x @ p["W_v"]
    z = np.empty_like(q)
    for i in each(h):
        lo, hi = i * d_k, (i + 1) * d_k
        z[:, lo:hi] = softmax(q[:, lo:hi] @ k[:, lo:hi].T / np.sqrt(d_k)) @ v[:, lo:hi]
    return z @ p["W_o"]


def einsums(x: Any, p: Any, h: Any) -> Any:
    d = x.shape[-1]
    wq, wk, wv = (p[name].reshape(d, h, d // h) for name in ("W_q", "W_k", "W_v"))
    q, k, v = (np.einsum("nd,dhk->hnk", x, w) for w in (wq, wk, wv))
    a = softmax(np.einsum("hnk,hmk->hnm", q, k) / np.sqrt(d // h))
    return np.einsum("hnm,hmk,hkd->nd", a, v, p["W_o"].reshape(h, d // h, d))


def array_api(x: Any, p: Any, h: Any) -> Any:
    xp = x.__array_namespace__() if hasattr(x, "__array_namespace__") else np
    n, d = x.shape
    q, k, v = (xp.permute_dims(xp.reshape(x @ p[name], (n, h, d // h)), (1, 0, 2)) for name in ("W_q", "W_k", "W_v"))
    s = q @ xp.matrix_transpose(k) / (d // h) ** 0.5
    e = xp.exp(s - xp.max(s, axis=-1, keepdims=True))
    z = e / xp.sum(e, axis=-1, keepdims=True) @ v
    return xp.reshape(xp.permute_dims(z, (1, 0, 2)), (n, d)) @ p["W_o"]


def causal_by_where(x: Any, p: Any, h: Any) -> Any:
    n = x.shape[0]
    q, k, v = (split_heads(x @ p[name], h) for name in ("W_q", "W_k", "W_v"))
    s = np.where(np.tri(n, like=x) == 0, -np.inf, q @ k.mT / np.sqrt(q.shape[-1]))
    return merge_heads(softmax(s) @ v) @ p["W_o"]


def causal_by_positions(x: Any, p: Any, h: Any) -> Any:
    q, k, v = (split_heads(x @ p[name], h) for name in ("W_q", "W_k", "W_v"))
    positions = np.arange(x.shape[0], like=x)
    visible = positions[:, None] >= positions[None, :]
    s = q @ k.mT / np.sqrt(q.shape[-1]) + (1.0 - visible) * -1e9
    return merge_heads(softmax(s) @ v) @ p["W_o"]


def causal_by_triu(x: Any, p: Any, h: Any) -> Any:
    n, d = x.shape
    q, k, v = (split_heads(x @ p[name], h) for name in ("W_q", "W_k", "W_v"))
    s = np.multiply(q @ k.mT, (d // h) ** -0.5)
    s += np.triu(np.full((n, n), -np.inf, like=x), k=1)
    e = np.exp(np.subtract(s, s.max(-1)[..., None]))
    return merge_heads(np.divide(e, e.sum(-1)[..., None]) @ v) @ p["W_o"]


def fused_projection(x: Any, p: Any, h: Any) -> Any:
    fused = np.concatenate([p["W_q"], p["W_k"], p["W_v"]], axis=1)
    q, k, v = (split_heads(part, h) for part in np.split(x @ fused, 3, axis=-1))
    weights = softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))
    return merge_heads(weights @ v) @ p["W_o"]


def one_array_of_three(x: Any, p: Any, h: Any) -> Any:
    n, d = x.shape
    w = np.stack([p["W_q"], p["W_k"], p["W_v"]])
    qkv = (x @ w).reshape(3, n, h, -1).transpose(0, 2, 1, 3)
    q, k, v = qkv
    return merge_heads(softmax(q @ k.mT * (d // h) ** -0.5) @ v) @ p["W_o"]


def multi_query(x: Any, p: Any, h: Any) -> Any:
    d_k = x.shape[1] // h
    q = split_heads(x @ p["W_q"], h)
    k, v = (np.tile(x @ p[name][:, :d_k], (h, 1, 1)) for name in ("W_k", "W_v"))
    return merge_heads(softmax(q @ k.mT / np.sqrt(d_k)) @ v) @ p["W_o"]


def online_softmax(x: Any, p: Any, h: Any) -> Any:
    n = x.shape[0]
    q, k, v = (split_heads(x @ p[name], h) for name in ("W_q", "W_k", "W_v"))
    largest = np.full((h, n, 1), -np.inf, like=x)
    total, z = np.zeros_like(largest), np.zeros_like(q)
    for j in each(n):
        s = q @ k[:, j, :, None] / np.sqrt(q.shape[-1])
        larger = np.maximum(largest, s)
        old, new = np.exp(largest - larger), np.exp(s - larger)
        total *= old
        total += new
        z *= old
        z += new * v[:, j, None, :]
        largest = larger
    return merge_heads(z / total) @ p["W_o"]


def query_by_query(x: Any, p: Any, h: Any) -> Any:
    q, k, v = (split_heads(x @ p[name], h) for name in ("W_q", "W_k", "W_v"))
    rows = []
    for i in each(x.shape[0]):
        row = q[:, i, None, :] @ k.mT / np.sqrt(q.shape[-1])
        rows.append(softmax(row) @ v)
    return merge_heads(np.concatenate(rows, axis=1)) @ p["W_o"]


def normalised_and_gated(x: Any, p: Any, h: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    y = centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
    gate = 1.0 / (1.0 + np.exp(-y))
    return x + gate * batched(y, p, h)


STRANGERS = (
    batched,
    loop_of_slices,
    heads_added_up,
    heads_written_into_place,
    einsums,
    array_api,
    causal_by_where,
    causal_by_positions,
    causal_by_triu,
    fused_projection,
    one_array_of_three,
    multi_query,
    online_softmax,
    query_by_query,
    normalised_and_gated,
)
