"""Finds the projections of an attention module of the transformers library, by the names that its authors use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NAMES = {
    "q": "q_proj query q q_lin to_q linear_q Wq query_proj q_attn q_proj.linear query_projection",
    "k": "k_proj key k k_lin to_k linear_k Wk key_proj k_proj.linear key_projection",
    "v": "v_proj value v v_lin to_v linear_v Wv value_proj v_proj.linear value_projection",
    "qkv": "qkv qkv_proj c_attn query_key_value Wqkv att_proj in_proj_weight in_proj self.in_proj",
    "kv": "to_kv kv_proj kv key_value",
    "qk": "query_key to_qk qk_proj",
    "o": "o_proj out_proj o dense out_lin c_proj proj projection to_out to_out.0 linear_out Wo output_proj"
    " o_proj.linear output.dense proj_out projection_layer post.linear output_projection.o_proj",
}
ROLES: Mapping[str, str] = {name: role for role, names in _NAMES.items() for name in names.split()}
_OUTPUTS_BESIDE = ("output.dense", "out_proj", "o_proj", "output", "out_lin", "proj", "dense", "o", "linear_out")


@dataclass(frozen=True)
class Projection:
    """A linear map: rows (outputs), columns (inputs), entries of its bias, and the parameters that it consists of."""

    rows: int
    columns: int
    bias: int
    parameters: frozenset[str]


def projections_of(module: Any) -> dict[str, Projection]:
    """The projections among a module's own parameters, by role; `kv` and `qk` are two in one matrix, `qkv` three."""
    inner = dict(module.named_modules())
    found: dict[str, Projection] = {}
    for name, parameter in module.named_parameters():
        place, _, leaf = name.rpartition(".")
        bare = name in ROLES
        role = ROLES.get(name if bare else place)
        if role is None or role in found or not (bare or leaf == "weight"):
            continue
        owner = None if bare else inner[place]
        projection = _bare(module, name, tuple(parameter.shape)) if bare else _linear(owner, place)
        if projection is not None:
            found[role] = projection
    if "q" in found and "qkv" in found:  # GPT-2's cross-attention projects keys and values with what else is all three
        found["kv"] = found.pop("qkv")
    if "o" not in found and (output := getattr(module, "output", None)) is not None:
        projection = _linear(output, "output")
        if projection is not None:
            found["o"] = projection
    return found


def output_beside(parent: Any) -> Projection | None:
    """The output projection that stands beside an attention module instead of in it, as BERT's does."""
    for name, module in parent.named_modules():
        if name in _OUTPUTS_BESIDE and (projection := _linear(module, name)) is not None:
            return projection
    return None


def _linear(owner: Any, place: str) -> Projection | None:
    weight = getattr(owner, "weight", None)
    if weight is None:
        return None
    shape = tuple(weight.shape)
    while len(shape) > 2 and shape[-1] == 1:  # a convolution of width 1 is a linear map
        shape = shape[:-1]
    if len(shape) != 2:
        return None
    rows, columns = shape[::-1] if type(owner).__name__ == "Conv1D" else shape
    bias = getattr(owner, "bias", None)
    names = {f"{place}.weight", f"{place}.bias"} if bias is not None else {f"{place}.weight"}
    return Projection(rows, columns, 0 if bias is None else bias.numel(), frozenset(names))


def _bare(module: Any, name: str, shape: tuple[int, ...]) -> Projection | None:
    """A parameter without a module of its own; with three axes the heads stand in the middle."""
    if len(shape) == 3:
        return Projection(shape[1] * shape[2], shape[0], 0, frozenset({name}))
    if len(shape) != 2:
        return None
    bias_name = name.replace("_weight", "_bias")
    bias = getattr(module, bias_name, None) if bias_name != name else None
    names = {name, bias_name} if bias is not None else {name}
    return Projection(shape[0], shape[1], 0 if bias is None else bias.numel(), frozenset(names))
