"""Figures that papers and released models state exactly, proved as claims at their sizes.

Only figures whose sources count matrices (and, where `bias` is 1, biases) and nothing else are here: embeddings,
layer norms and rounded millions cannot be held against a claim.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mha_spec.claims.prover import prove

FIGURES = Path(__file__).parents[1] / "data" / "published_figures.csv"
ROWS = list(csv.DictReader(FIGURES.read_text(encoding="utf-8").splitlines()))
SUMS = {
    "body weights": "layers*(3*projection_weights + 4*d_model*d_ff)",
    "decoder weights": "layers*(projection_weights + 2*d_model*d_ff)",
    "cache bytes a token": "2*layers*kv_cache_entries",
    "attention parameters": "layers*parameters",
}


def conditions(row: dict[str, str]) -> str:
    named = ("layers", "d_model", "d_ff", "h", "kv_heads", "d_k", "bias")
    one_token = ["m == 1"] if row["quantity"] == "cache bytes a token" else []
    return ", ".join([f"{name} == {row[name]}" for name in named if row[name]] + one_token)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['source']}, h={row['h']}, kv_heads={row['kv_heads']}")
def test_a_published_figure_is_what_the_theorems_give(row: dict[str, str]) -> None:
    claim = f"{SUMS[row['quantity']]} == {{}} where {conditions(row)}"
    setting = {"drop": ("H1", "H3", "H4", "H5"), "extra": ("layers", "d_ff"), "designs": 0}
    value = int(row["value"])
    thousands, rest = divmod(value, 10**6)
    shown = f"{thousands}*10**6 + {rest}"  # a literal of the claim language is at most a thousand million
    assert prove(claim.format(shown), **setting).outcome == "PROVED"  # type: ignore[arg-type]
    assert prove(claim.format(f"{shown} + 1"), **setting).outcome == "REFUTED"  # type: ignore[arg-type]
