"""What the attention modules hold that the transformers library builds from a config, on the meta device.

Nothing here knows the rules: modules are recognised by their parameters, and sizes are read off them.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .measured_projections import Projection, output_beside, projections_of

_HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "heads", "nhead", "attention_heads")
_KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "kv_heads")
_HEAD_DIMS = ("head_dim", "attention_head_size", "key_value_proj_dim", "d_head", "dim_head", "qk_head_dim")
_NO_SOFTMAX = re.compile(r"Deformable|Delta|Lightning|Mamba|ShortConv|RecurrentBlock|LinearAttention|GlobalPointer|MLP")
_ATTENTION = re.compile(r"[Aa]tt|ATT|MLA|[Mm]ixer")
_CROSS = re.compile(r"cross|encoder_attn|encdec|enc_dec|encoder_attention|encoder_decoder_attention", re.IGNORECASE)
_BLOCK_NORM = re.compile(
    r"^(LayerNorm|layer_norm|norm|pre_norm|group_norm|pre_attn_norm|post_norm|self\.layer_norm|layernorm"
    r"|output\.LayerNorm|input_layernorm|attention_norm|output\.layer_norm)\.(weight|bias)$"
)


class MeasuredLayer(NamedTuple):
    """The numbers of one attention module; a matrix that is not there is None, or 0 if keys come from elsewhere."""

    kind: str
    d_model: int | None
    d_memory: int | None
    h: int | None
    kv_heads: int | None
    d_k: int | None
    d_v: int | None
    matrices: tuple[int | None, ...]
    biases: tuple[int, ...]
    other: int


def measure(keys: Mapping[str, object]) -> Counter[MeasuredLayer]:
    """The attention modules that the library builds from a config, counted by their numbers.

    Raises ImportError without transformers and torch, and ValueError for a config that the library refuses.
    """
    auto = importlib.import_module("transformers.models.auto.configuration_auto")
    try:
        config = auto.CONFIG_MAPPING[keys["model_type"]].from_dict(dict(keys))
    except Exception as error:  # classes raise what they like
        raise ValueError(str(error)) from error
    return Counter(_layers(_built(config)))


def _built(config: Any) -> Any:
    """The model of a config, without weights; of several classes the library's own choice comes first."""
    torch = importlib.import_module("torch")
    problems: list[str] = []
    for model_class in _model_classes(type(config)):
        try:
            with torch.device("meta"):
                return model_class._from_config(config)
        except Exception as error:  # a class for another task may refuse what the next one takes
            problems.append(f"{model_class.__name__}: {error}"[:200])
    raise ValueError("; ".join(problems) or f"no model class for {type(config).__name__}")


def _model_classes(config_class: type) -> Iterator[Any]:
    modeling = importlib.import_module("transformers.models.auto.modeling_auto")
    base = importlib.import_module("transformers").PreTrainedModel
    for name in ("MODEL_MAPPING", "MODEL_FOR_PRETRAINING_MAPPING", "MODEL_FOR_CAUSAL_LM_MAPPING"):
        if config_class in getattr(modeling, name):
            chosen = getattr(modeling, name)[config_class]
            yield from chosen if isinstance(chosen, (tuple, list)) else (chosen,)
    own = importlib.import_module(config_class.__module__.replace("configuration_", "modeling_"))
    classes = [one for _, one in inspect.getmembers(own, inspect.isclass) if issubclass(one, base)]
    named = [one for one in classes if getattr(one, "config_class", None) is config_class]
    yield from sorted(
        (one for one in named if not one.__name__.endswith("PreTrainedModel")),
        key=lambda one: ("For" in one.__name__, len(one.__name__)),
    )


def _layers(model: Any) -> Iterator[MeasuredLayer]:
    modules = dict(model.named_modules())
    cores = {name: module for name, module in modules.items() if _is_core(module)}
    for name, module in cores.items():
        class_name = type(module).__name__
        if any(other.startswith(f"{name}.") for other in cores) or _NO_SOFTMAX.search(class_name):
            continue
        if _ATTENTION.search(class_name + name):
            yield _layer(name, module, modules.get(name.rpartition(".")[0]))


def _is_core(module: Any) -> bool:
    roles = set(projections_of(module))
    if roles == {"q", "o"}:
        return "Attention" in type(module).__name__  # keys and values of another layer
    return _is_latent(module) or bool({"qkv"} & roles) or ("q" in roles and bool({"k", "v", "kv"} & roles))


def _is_latent(module: Any) -> bool:
    return any(name.startswith("kv_a_proj") or name == "kv_b_proj" for name, _ in module.named_children())


def _layer(name: str, module: Any, parent: Any) -> MeasuredLayer:
    found = projections_of(module)
    mine = {name for one in found.values() for name in one.parameters}
    other = {
        inner: parameter.numel()
        for inner, parameter in module.named_parameters()
        if inner not in mine and not _BLOCK_NORM.match(inner)
    }
    if "o" not in found and parent is not None and not _is_latent(module):
        beside = output_beside(parent)
        found |= {"o": beside} if beside else {}
    if parent is not None:  # LiLT's second attention has its output beside the first one's
        other |= {n: p.numel() for n, p in parent.named_parameters() if re.match(r"\w+_output\.dense\.", n)}
    h = _number((module, parent, getattr(module, "config", None)), _HEADS)
    if _is_latent(module):
        output = found.get("o")
        d_k = _number((module,), ("qk_head_dim", "q_head_dim"))
        d_v = _number((module,), ("v_head_dim",))
        matrices, biases = _entries({role: one for role, one in found.items() if role in {"q", "o"}})
        d_model = output.rows if output else None
        return MeasuredLayer("latent", d_model, None, h, None, d_k, d_v, matrices, biases, sum(other.values()))
    split = _split(found, module, h)
    matrices, biases = _entries(split)
    if "q_bias" in other and "v_bias" in other:  # BEiT's manner: biases beside one matrix for all three
        biases = (other.pop("q_bias"), 0, other.pop("v_bias"), biases[3])
    query, key, value = (split.get(role) for role in "qkv")
    kv_heads, d_k = _key_heads(module, h, query, key or value)
    d_model, memory = query.columns if query else None, key or value
    cross = bool(_CROSS.search(f"{name} {type(module).__name__}")) or (memory and memory.columns != d_model)
    d_v = value.rows // kv_heads if value and kv_heads else d_k
    kind = "cross" if cross or getattr(module, "is_cross_attention", False) is True else "self"
    width = memory.columns if memory else None
    return MeasuredLayer(kind, d_model, width, h, kv_heads, d_k, d_v, matrices, biases, sum(other.values()))


def _split(found: Mapping[str, Projection], module: Any, h: int | None) -> dict[str, Projection]:
    """Matrices that hold several projections, taken apart by the number of heads."""
    split = {role: one for role, one in found.items() if role in {"q", "k", "v", "o"}}
    if (both := found.get("kv")) and "k" not in split:
        split |= dict.fromkeys("kv", Projection(both.rows // 2, both.columns, both.bias // 2, both.parameters))
    if (both := found.get("qk")) and "q" not in split:
        split |= dict.fromkeys("qk", Projection(both.rows // 2, both.columns, both.bias // 2, both.parameters))
    if (three := found.get("qkv")) and "k" not in split:
        head = _number((module,), _HEAD_DIMS)
        heads = h or 1
        kv_heads = _number((module, getattr(module, "config", None)), _KV_HEADS) or heads
        if head and (three.rows - heads * head) > 0 and (three.rows - heads * head) % (2 * head) == 0:
            kv_heads = (three.rows - heads * head) // (2 * head)
        else:
            head = three.rows // (heads + 2 * kv_heads)
        for role, count in (("q", heads), ("k", kv_heads), ("v", kv_heads)):
            rows = count * head
            split[role] = Projection(rows, three.columns, rows if three.bias == three.rows else 0, three.parameters)
    return split


def _key_heads(
    module: Any, h: int | None, query: Projection | None, memory: Projection | None
) -> tuple[int | None, int | None]:
    """The number of key/value heads and the width of a head, by what the module says and its matrices allow."""
    head = _number((module,), _HEAD_DIMS)
    if memory is None:
        return None, head
    if head and memory.rows % head == 0:
        return memory.rows // head, head
    kv_heads = _number((module,), _KV_HEADS) or (h if query and query.rows == memory.rows else None)
    return (kv_heads, memory.rows // kv_heads) if kv_heads and memory.rows % kv_heads == 0 else (None, None)


def _entries(found: Mapping[str, Projection]) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
    matrices = tuple(math.prod((found[role].rows, found[role].columns)) if role in found else None for role in "qkvo")
    return matrices, tuple(found[role].bias if role in found else 0 for role in "qkvo")


def _number(holders: tuple[Any, ...], names: tuple[str, ...]) -> int | None:
    for holder in holders:
        known = {} if holder is None else object.__getattribute__(holder, "__dict__")
        for name in names:
            value = known.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None
