"""The value theorems, loaded by path, and an example of numbers that meet the hypotheses of each."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.theorem import ValueTheorem

from .written_out import exact_exp, exact_power, integers

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
FILES = sorted((PROOFS / "values").glob("*.py"))
Lookup = Callable[..., Any]


@cache
def load(path: Path) -> ValueTheorem:
    """The theorem that a file defines under the name `theorem`."""
    spec = importlib.util.spec_from_file_location(f"value_theorem_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    theorem = module.theorem
    assert isinstance(theorem, ValueTheorem)
    return theorem


@cache
def theorems() -> tuple[ValueTheorem, ...]:
    return tuple(load(path) for path in FILES)


def mask(*at: int) -> int:
    """0 or 1; every query keeps key 0."""
    return int(at[-1] == 0 or (at[0] + at[-1]) % 3 != 0)


def combined_queries(i: int, d: int) -> int:
    """Queries of which the first two cancel when combined with 2 and -1."""
    return (i + 1) * (d % 3 - 1)


def shifted(places: Mapping[str, int]) -> dict[str, Lookup]:
    """The identity moved on by one, whose transpose is its inverse."""
    return {name: lambda a, d: int(d == (a + 1) % places["d_k"]) for name in "GH"}


def worlds(places: Mapping[str, int]) -> list[Mapping[str, Lookup]]:
    """All signs for the entries of a query and a key, and the same with a mean."""
    found: list[Mapping[str, Lookup]] = []
    for signs in product((-1, 1), repeat=2 * places["d_k"]):
        query, key = signs[: places["d_k"]], signs[places["d_k"] :]
        both = (("q", query, 0), ("k", key, 0), ("q'", query, places["mean"]), ("k'", key, places["mean"]))
        found.append({name: lambda d, of=of, more=more: of[d] + more for name, of, more in both})
    return found


SPECIAL: Mapping[str, Callable[[Mapping[str, int]], dict[str, Lookup]]] = {
    "blocks_recombine_to_the_whole": lambda at: {"begin": lambda b: 0 if b == 0 else min(b + 1, at["m"])},
    "scores_depend_on_the_product_of_query_and_key_weights": shifted,
    "scores_of_a_head_have_rank_at_most_d_k": lambda at: {
        "Q": combined_queries,
        "x": lambda i: (2, -1)[i] if i < 2 else 0,
    },
}
FIXED: Mapping[str, Mapping[str, int]] = {
    "masking_a_key_equals_deleting_it": {"m": 3, "p": 1},
    "one_head_is_plain_attention": {"d_model": 4},
    "blocks_recombine_to_the_whole": {"m": 4, "blocks": 3},
    "scores_of_a_head_have_rank_at_most_d_k": {"n": 3, "d_k": 1},
    "dot_product_variance_is_d_k": {"d_k": 2},
}


def example(theorem: ValueTheorem, seed: int) -> tuple[Valuation, dict[str, int]]:
    """Numbers that meet the theorem's hypotheses, and a place for each free index; exact, whatever the theorem."""
    rng = np.random.default_rng(seed)
    names = ("n", "m", "d_model", "d_memory", "h", "kv_heads", "group", "d_v")
    places = {name: int(rng.integers(1, 3)) for name in names}
    places |= {"d_k": 1 if rng.random() < 0.7 else 4, "u": 9, "w": -9, "T": 1, "mean": 2, "c": 1}
    places |= {"m": int(rng.integers(2, 4)), **FIXED.get(theorem.name, {})}
    own = SPECIAL[theorem.name](places) if theorem.name in SPECIAL else {}
    functions: dict[str, Callable[..., int]] = {
        "pi": lambda at: (
            (at + 1) % places["kv_heads" if "heads" in theorem.name else "m" if "keys" in theorem.name else "n"]
        ),
        "sigma": lambda t, g: (t + g + 1) % places["group"],
    }
    drawn = worlds(places) if theorem.random else ()
    given: dict[str, Lookup] = {"mu": mask, **own}
    values = Valuation(
        places,
        lambda name: given.get(name, integers(seed, name)),
        theorem.definitions,
        functions,
        exact_exp,
        _power,
        drawn,
    )
    for index, size in theorem.indices.items():
        if str(index) not in FIXED.get(theorem.name, {}):
            places[str(index)] = int(rng.integers(int(values.value(size))))
    return values, places


def _power(base: Any, exponent: Any) -> Any:
    """Exact where it can be; the root of d_k where the theorem is about means is a float."""
    if exponent.is_Integer:
        return (Fraction(base) if isinstance(base, int) else base) ** int(exponent)
    return exact_power(base, exponent) if base in (1, 4) else float(base) ** float(exponent)
