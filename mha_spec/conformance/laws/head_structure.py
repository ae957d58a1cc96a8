"""How heads are built: groups share keys and values, queries and keys meet in a product, outputs are averages."""

from __future__ import annotations

import numpy as np

from mha_spec.design import AttentionDesign

from ..cases.wanted import Wanted
from ..contract import Array
from ..failure import LawBroken
from ..tolerance import MOST_SIGMA
from ..trial import Trial
from .law import law


@law(
    "relation",
    "grouped_heads_equal_repeated_heads",
    Wanted(grouped=True),
    "parameters",
    only_sees="grouped heads that read the wrong key/value head",
)
def grouped_heads_equal_repeated_heads(t: Trial) -> None:
    """Grouped heads give what as many key/value heads as heads give, each repeated for its group."""
    p, design = t.inputs.given, t.inputs.design

    def repeated(array: Array) -> Array:
        return np.repeat(array, design.group, axis=0)

    arrays = {name: repeated(array) for name, array in p.arrays().items() if name in ("w_k", "w_v", "b_k", "b_v")}
    changes = {name: getattr(design, name) for name in vars(design)} | {"kv_heads": design.h}
    full = t.inputs.but_parameters(**arrays).but(design=AttentionDesign(**changes))
    t.same("the output with grouped heads", full, t.inputs)


@law("relation", "outputs_lie_between_kept_values", Wanted(), "parameters", only_sees="outputs that are no averages")
def outputs_lie_between_kept_values(t: Trial) -> None:
    """With `W_O` showing one head as it is, every output lies between the least and the greatest visible value."""
    design, p = t.inputs.design, t.inputs.given
    head, width = int(t.rng.integers(design.h)), min(design.d_v, design.d_model)
    w_o = np.zeros_like(p.w_o)
    w_o[head * design.d_v : head * design.d_v + width, :width] = np.eye(width)
    shown = t.inputs.but_parameters(w_o=w_o, b_o=None if p.b_o is None else p.b_o * 0)
    kv = head // design.group
    values = (t.inputs.read_from.astype(np.float64) @ p.w_v[kv] + (0 if p.b_v is None else p.b_v[kv]))[..., :width]
    out, slack = t.run(shown)[..., :width].astype(np.float64), MOST_SIGMA * t.sigma(shown)[..., :width]
    seen = t.inputs.seen[..., None]
    least = np.where(seen, values[:, None], np.inf).min(2)
    greatest = np.where(seen, values[:, None], -np.inf).max(2)
    between = (out >= least - slack) & (out <= greatest + slack)
    if not between.all():
        e, i, c = (int(k) for k in np.argwhere(~between)[0])
        hull = f"between {least[e, i, c]:.9g} and {greatest[e, i, c]:.9g}"
        raise LawBroken(f"head {head}, entry {e}, query {i}, feature {c}", f"{out[e, i, c]:.9g}", hull)


@law(
    "relation",
    "scores_depend_on_the_product_of_query_and_key_weights",
    Wanted(bias=0),
    "parameters",
    only_sees="scores that are no scalar products",
)
def scores_depend_on_the_product_of_query_and_key_weights(t: Trial) -> None:
    """Queries and keys rotated by one orthogonal matrix a key/value head give the same scores."""
    design, p = t.inputs.design, t.inputs.given
    draws = t.rng.standard_normal((design.kv_heads, design.d_k, design.d_k))
    turns = np.stack([np.linalg.qr(draw)[0] for draw in draws])
    w_q = p.w_q @ np.repeat(turns, design.group, axis=0)
    turned = t.inputs.but_parameters(w_q=w_q.astype(p.w_q.dtype), w_k=(p.w_k @ turns).astype(p.w_k.dtype))
    # the rotated matrices are rounded as well
    t.agree("the output with rotated heads", t.run(turned), t.run(), 2 * t.sigma(turned), t.sigma())


@law("relation", "softmax_rows_sum_to_one", Wanted(causal=False, memory=True, masked=False, least_m=2))
def repeating_the_only_key_changes_nothing(t: Trial) -> None:
    """A memory of one token, and of the same token many times over, give the same."""
    one = t.inputs.but(memory=t.inputs.read_from[:, :1].copy())
    many = t.inputs.but(memory=np.repeat(t.inputs.read_from[:, :1], t.case.keys, axis=1))
    t.same("the output with the only key repeated", one, many)
