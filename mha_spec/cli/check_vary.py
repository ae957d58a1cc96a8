"""``mha-spec check --vary h=1,2,4``: what changes as the number of heads varies, as a table and as a picture."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from typing import cast, get_args

from mha_spec.design import DesignError
from mha_spec.models.checking import CheckedModel
from mha_spec.models.varying import Held, Variant, vary_heads

from .check_tables import markdown_table
from .check_text import columns, number, title

_COSTS = ("parameters", "multiplications", "score_multiplications", "exponentials", "kv_cache_bytes", "score_bytes")
MOST_VARIANTS = 1000


def print_variants(
    models: Sequence[CheckedModel], vary: str, hold: Sequence[str], plot: str | None, output: str
) -> None:
    """A table for each kind of layer; raises DesignError for text that is not ``h=1,2,4`` and for a strange size."""
    heads, held = _heads(vary), _held(hold)
    files = []
    for model in models:
        for checked in model.designs:
            variants = vary_heads(checked.design, heads, held, model.setting)
            files.append((model, title(checked.design), variants))
    if not files:
        raise DesignError("--vary: no layer was read")
    if output == "json":
        print(json.dumps({"schema": 1, "variants": [_as_json(*entry) for entry in files]}, indent=2))
    else:
        for model, name, variants in files:
            _print_table(model, name, held, variants, output)
    if plot is not None:
        from .check_plot import plot_variants

        plot_variants(files[0][2], files[0][1], plot)


def _heads(vary: str) -> tuple[int, ...]:
    name, _, numbers = vary.partition("=")
    parts = numbers.split(",")
    if name.strip() != "h" or not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise DesignError(f"--vary {vary}: expected h and numbers of heads, such as h=1,2,4,8")
    if len(parts) > MOST_VARIANTS:
        raise DesignError(f"--vary: {len(parts)} numbers of heads, expected at most {MOST_VARIANTS}")
    return tuple(int(part) for part in parts)


def _held(hold: Sequence[str]) -> tuple[Held, ...]:
    for name in hold:
        if name not in get_args(Held):
            raise DesignError(f"--hold {name}: expected one of {', '.join(get_args(Held))}")
    return cast("tuple[Held, ...]", tuple(hold))


def _row(variant: Variant, thousands: str) -> tuple[str, ...]:
    if variant.design is None or variant.cost is None:
        return (str(variant.h), variant.problem, *[""] * (len(_COSTS) + 2))
    sizes, cost = variant.design.sizes, variant.cost.as_json()
    shown = [sizes["kv_heads"], sizes["d_model"], sizes["d_k"], *(cost[name] for name in _COSTS)]
    texts = [number(value) if thousands else str(value) for value in shown]
    return (str(variant.h), *texts)


def _print_table(
    model: CheckedModel, name: str, held: Sequence[Held], variants: Sequence[Variant], output: str
) -> None:
    rows = [
        ("h", "kv_heads", "d_model", "d_k", *_COSTS),
        *(_row(one, "" if output == "csv" else ",") for one in variants),
    ]
    if output == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return
    print(f"{model.reading.file}: {name}, a layer at n = {model.setting.n:,} ({model.length_source})")
    print(f"held: {', '.join(held) or 'd_model'}; what does not follow from h stays")
    print(markdown_table(rows) if output in {"markdown", "github"} else "\n".join(columns(rows)))


def _as_json(model: CheckedModel, name: str, variants: Sequence[Variant]) -> dict[str, object]:
    return {
        "file": model.reading.file,
        "design": name,
        "n": model.setting.n,
        "rows": [
            {
                "h": one.h,
                "problem": one.problem or None,
                "sizes": dict(one.design.sizes) if one.design else None,
                "costs": one.cost.as_json() if one.cost else None,
            }
            for one in variants
        ],
    }
