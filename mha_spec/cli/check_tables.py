"""Checked models as one table, in Markdown or CSV: a row for each kind of layer."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence

from mha_spec.models.checking import CheckedModel
from mha_spec.models.costs import layer_cost
from mha_spec.models.designs import SIZES, LayerDesign

HEADER = (
    "file",
    "model_type",
    "layers",
    "kind",
    *SIZES,
    "biases",
    "parameters a layer",
    "share of 4*d_model**2",
    "multiplications a layer",
    "cache bytes a layer",
)


def overview_rows(models: Sequence[CheckedModel], thousands: str = ",") -> list[tuple[str, ...]]:
    """The header and a row for each design; a model of which nothing was read has one row."""
    rows: list[tuple[str, ...]] = [HEADER]
    for model in models:
        for checked in model.designs:
            rows.append(_row(model, checked.design, thousands))
        if not model.designs:
            rows.append(
                (model.reading.file, model.reading.model_type or "", "", "NOT COVERED", *[""] * (len(HEADER) - 4))
            )
    return rows


def _row(model: CheckedModel, design: LayerDesign, thousands: str) -> tuple[str, ...]:
    cost, d_model = layer_cost(design, model.setting), design.size("d_model")

    def shown(value: int | None) -> str:
        return "unknown" if value is None else f"{value:{thousands}}"

    weights = design.weights.projection_weights
    share = "unknown" if weights is None or d_model is None else f"{weights / (4 * d_model**2):.4g}"
    kind = " ".join(filter(None, (design.side, "sliding" if design.sliding else "", design.kind)))
    biases = "unknown" if design.weights.biases is None else "".join(design.weights.biases) or "none"
    return (
        model.reading.file,
        model.reading.model_type or "",
        shown(design.modules),
        f"{kind} ({design.tower})" if design.tower else kind,
        *(shown(design.sizes[name]) for name in SIZES),
        biases,
        shown(cost.parameters),
        share,
        shown(cost.multiplications),
        shown(cost.kv_cache_bytes) if design.caches else "none",
    )


def print_csv(models: Sequence[CheckedModel]) -> None:
    """The table as comma-separated values, numbers without commas."""
    csv.writer(sys.stdout, lineterminator="\n").writerows(overview_rows(models, thousands=""))


def print_markdown(models: Sequence[CheckedModel]) -> None:
    """The table in Markdown, then the verdicts of each model and what is not covered."""
    print(markdown_table(overview_rows(models)))
    for model in models:
        rows: list[tuple[str, ...]] = [("design", "claim", "verdict", "ratio", "why")]
        for number, checked in enumerate(model.designs, 1):
            for verdict in (*checked.textbook, *checked.claims):
                ratio = "" if verdict.ratio is None else f"{float(verdict.ratio):.4g}"
                why = f"theorem `{verdict.theorem}`" if verdict.theorem else verdict.why
                rows.append((str(number), f"`{verdict.claim}`", verdict.outcome, ratio, why))
        rows += [("", f"`{one.key}`", "NOT COVERED", "", one.reason) for one in model.reading.not_covered]
        n = f"n = {model.setting.n:,} ({model.length_source})"
        print(f"\n### {model.reading.file}\n\nAt {n}, batch {model.setting.batch}, {model.setting.dtype}.\n")
        print(markdown_table(rows))


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a table in Markdown, the first being the header."""
    header, *body = rows
    lines = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
