"""Every quantity of the layer at given sizes, by running the layer and counting what NumPy executes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from mha_spec import attention
from mha_spec.counting.counting_array import CountingArray, CountingRun, Product, lift, lifted_with
from mha_spec.counting.counting_scalar import ParameterScalar, Scalar
from mha_spec.counting.scalars import counted_call
from mha_spec.design import DEFAULT_RULE, ScoreRule
from mha_spec.shapes import Alignment

SIZES = ("n", "m", "d_model", "d_memory", "h", "d_k", "d_v", "kv_heads", "bias")


def counted_quantities(
    sizes: Mapping[str, int],
    *,
    form: Literal["batched", "per-head"] = "batched",
    mask: npt.NDArray[np.bool_] | None = None,
    seed: int = 0,
    rule: ScoreRule = DEFAULT_RULE,
) -> dict[str, int]:
    """Every quantity of one form of `mha_spec.attention` at given sizes, an integer for each of `QUANTITIES`.

    The sizes are `n m d_model d_memory h d_k d_v kv_heads bias`. Nothing is computed from them: operations
    are those that NumPy executed in each function, parameters are the scalars that an operation read,
    matrices and their entries are those that `scores` returned, and cached entries are the different scalars
    that `scores` and `mix` read as keys and values. `mask` is boolean (n, m). Raises ValueError for sizes
    that no layer has.
    """
    _check(sizes, mask)
    parameters = _draw_parameters(sizes, np.random.default_rng(seed))
    return _read(_counted(sizes, parameters, form, mask, seed, rule), parameters)


def counted_causality(
    sizes: Mapping[str, int],
    alignment: Alignment,
    *,
    form: Literal["batched", "per-head"] = "batched",
    seed: int = 0,
) -> tuple[int, int]:
    """The kept pairs and the empty rows of one head in a causal run at these sizes.

    A pair is kept if its weight is not zero when it meets the values: nothing is computed from the sizes.
    """
    _check(sizes, None)
    parameters = _draw_parameters(sizes, np.random.default_rng(seed))
    rule = ScoreRule(causal=True, causal_alignment=alignment)
    run = _counted(sizes, parameters, form, None, seed, rule)
    first_head = next(product.left for product in run.products["mix"]).reshape(-1, sizes["n"], sizes["m"])[0]
    kept = [[scalar.value != 0 for scalar in row] for row in cast(list[list[Scalar]], first_head.tolist())]
    return sum(map(sum, kept)), sum(not any(row) for row in kept)


def counted_weights(sizes: Mapping[str, int], form: Literal["batched", "per-head"]) -> int:
    """The entries of the largest array of attention weights that meets values in a run at these sizes."""
    _check(sizes, None)
    parameters = _draw_parameters(sizes, np.random.default_rng(0))
    run = _counted(sizes, parameters, form, None, 0, DEFAULT_RULE)
    return max(product.left.size for product in run.products["mix"])


def _counted(
    sizes: Mapping[str, int],
    parameters: Mapping[str, CountingArray],
    form: Literal["batched", "per-head"],
    mask: npt.NDArray[np.bool_] | None,
    seed: int,
    rule: ScoreRule,
) -> CountingRun:
    generator = np.random.default_rng((seed, 1))
    run = CountingRun()
    layer = attention.multi_head_batched if form == "batched" else attention.multi_head_per_head
    inputs = [
        lifted_with(generator.standard_normal(shape), Scalar)
        for shape in ((sizes["n"], sizes["d_model"]), (sizes["m"], sizes["d_memory"]))
    ]
    weights = cast(Callable[..., object], attention.Weights)(**parameters)
    group = sizes["h"] // sizes["kv_heads"]
    arguments = [*inputs, weights, sizes["kv_heads"], group, None if mask is None else lift(mask), rule]
    counted_call(run, cast(Callable[..., object], layer), arguments, {})
    return run


def _check(sizes: Mapping[str, int], mask: npt.NDArray[np.bool_] | None) -> None:
    missing = [name for name in SIZES if name not in sizes]
    if missing:
        raise ValueError(f"sizes without {', '.join(missing)}: a counted run needs {', '.join(SIZES)}")
    wrong = [name for name in SIZES[:-1] if sizes[name] < 1]
    if wrong:
        raise ValueError(f"{wrong[0]} is {sizes[wrong[0]]}: every size must be at least 1")
    if sizes["bias"] not in (0, 1):
        raise ValueError(f"bias is {sizes['bias']}: it must be 0 or 1")
    if sizes["h"] % sizes["kv_heads"]:
        raise ValueError(f"kv_heads is {sizes['kv_heads']} and h is {sizes['h']}: kv_heads must divide h")
    if mask is not None and (mask.dtype != np.bool_ or mask.shape != (sizes["n"], sizes["m"])):
        raise ValueError(f"mask is {mask.dtype} {mask.shape}: expected bool {(sizes['n'], sizes['m'])}")


def _draw_parameters(sizes: Mapping[str, int], generator: np.random.Generator) -> dict[str, CountingArray]:
    h, kv, d_k, d_v = sizes["h"], sizes["kv_heads"], sizes["d_k"], sizes["d_v"]
    shapes: dict[str, tuple[int, ...]] = {
        "w_q": (h, sizes["d_model"], d_k),
        "w_k": (kv, sizes["d_memory"], d_k),
        "w_v": (kv, sizes["d_memory"], d_v),
        "w_o": (h * d_v, sizes["d_model"]),
    }
    if sizes["bias"]:
        shapes |= {"b_q": (h, d_k), "b_k": (kv, d_k), "b_v": (kv, d_v), "b_o": (sizes["d_model"],)}
    return {
        name: lifted_with(generator.standard_normal(shape) * 0.1, ParameterScalar) for name, shape in shapes.items()
    }


def _read(run: CountingRun, parameters: Mapping[str, CountingArray]) -> dict[str, int]:
    touched = {
        name: sum(scalar.touched for scalar in cast(list[ParameterScalar], array.ravel().tolist()))
        for name, array in parameters.items()
    }
    projection, score, mixing = (run.counts[function]["mul"] for function in ("project", "scores", "mix"))
    results = [product.result for product in run.products["scores"]]
    return {
        "projection_weights": sum(count for name, count in touched.items() if name.startswith("w_")),
        "parameters": sum(touched.values()),
        "projection_multiplications": projection,
        "score_multiplications": score,
        "mixing_multiplications": mixing,
        "multiplications": projection + score + mixing,
        "exponentials": run.counts["softmax"]["exp"],
        "softmax_divisions": run.counts["softmax"]["div"],
        "comparisons": run.counts["softmax"]["cmp"],
        "attention_matrices": sum(_matrices(result.shape) for result in results),
        "score_entries": sum(result.size for result in results),
        "kv_cache_entries": _distinct(run.products["scores"]) + _distinct(run.products["mix"]),
    }


def _matrices(shape: tuple[int, ...]) -> int:
    """How many matrices an array of this shape holds: one for each index of its leading axes."""
    return sum(1 for _ in np.ndindex(shape[:-2]))


def _distinct(products: Iterable[Product]) -> int:
    """How many different scalars were read as the right factor; a repeated head brings no new ones."""
    return len({id(scalar) for product in products for scalar in product.right.ravel().tolist()})
