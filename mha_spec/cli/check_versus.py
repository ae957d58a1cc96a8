"""Two checked models side by side: their sizes, costs and verdicts, claim by claim."""

from __future__ import annotations

from collections.abc import Iterator

from mha_spec.models.checking import CheckedDesign, CheckedModel
from mha_spec.models.costs import layer_cost, model_cost
from mha_spec.models.designs import SIZES

from .check_text import columns, number, title


def print_comparison(first: CheckedModel, second: CheckedModel) -> None:
    """Kinds of layers are paired by side, kind, window and tower; one without a partner stands alone."""
    print("\n".join(_lines(first, second)))


def _lines(first: CheckedModel, second: CheckedModel) -> Iterator[str]:
    yield " against ".join(f"{model.reading.file} ({model.reading.model_type})" for model in (first, second))
    if first.setting.n != second.setting.n:
        yield f"at n = {first.setting.n:,} and n = {second.setting.n:,}: --seq compares them at one length"
    others = {_key(checked): checked for checked in second.designs}
    for checked in first.designs:
        partner = others.pop(_key(checked), None)
        yield ""
        yield from _pair(checked, partner, first, second)
    for checked in others.values():
        yield ""
        yield f"only in {second.reading.file}: {title(checked.design)}"
    yield ""
    costs = [model_cost(model.reading, model.setting) for model in (first, second)]
    totals = [model.reading.totals() for model in (first, second)]
    rows = [(name, *_compared(totals[0][name], totals[1][name])) for name in totals[0]]
    rows += [(name, *_compared(costs[0][name], costs[1][name])) for name in ("multiplications", "kv_cache_bytes")]
    yield "the whole models"
    yield from (f"  {line}" for line in columns(rows))
    for model in (first, second):
        for one in model.reading.not_covered:
            yield f"NOT COVERED  {model.reading.file}: {one.key}: {one.reason}"


def _key(checked: CheckedDesign) -> tuple[object, ...]:
    design = checked.design
    return design.side, design.kind, design.sliding, design.tower


def _pair(
    checked: CheckedDesign, partner: CheckedDesign | None, first: CheckedModel, second: CheckedModel
) -> Iterator[str]:
    design = checked.design
    if partner is None:
        yield f"only in {first.reading.file}: {title(design)}"
        return
    yield title(design)
    rows = [(name, *_compared(design.sizes[name], partner.design.sizes[name])) for name in SIZES]
    costs = (layer_cost(design, first.setting).as_json(), layer_cost(partner.design, second.setting).as_json())
    rows += [(name, *_compared(costs[0][name], costs[1][name])) for name in costs[0]]
    yield from (f"  {line}" for line in columns(rows))
    mine = {one.claim: one for one in (*checked.textbook, *checked.claims)}
    theirs = {one.claim: one for one in (*partner.textbook, *partner.claims)}
    claims = [
        (claim, *(one.outcome if one else "" for one in (mine.get(claim), theirs.get(claim))), "")
        for claim in dict.fromkeys((*mine, *theirs))
    ]
    yield from (f"  {line}" for line in columns(claims))


def _compared(one: int | None, other: int | None) -> tuple[str, str, str]:
    if not one or not other:
        return number(one), number(other), ""
    return number(one), number(other), "the same" if one == other else f"{other / one:.4g} times"
