"""A checked model as text: each kind of layer with its sizes, the verdicts, the costs, and what is not covered."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from mha_spec.models.checking import CheckedDesign, CheckedModel
from mha_spec.models.class_defaults import library
from mha_spec.models.costs import layer_cost, model_cost
from mha_spec.models.designs import MATRICES, SIZES, LayerDesign
from mha_spec.models.verdicts import ModelVerdict, broken_hypotheses

from .check_tables import overview_rows

_MEANINGS = {
    "d_model": "width of the model",
    "d_memory": "width that keys and values are read from",
    "h": "heads",
    "kv_heads": "heads of keys and values",
    "d_k": "width of a head's queries and keys",
    "d_v": "width of a head's values",
}


def print_models(models: Sequence[CheckedModel]) -> None:
    """One model in full; of several, one table with a row for each kind of layer."""
    lines: Iterable[str] = _model(models[0]) if len(models) == 1 else _overview(models)
    print("\n".join(lines))


def _overview(models: Sequence[CheckedModel]) -> Iterator[str]:
    yield from columns(overview_rows(models))
    for model in models:
        for one in model.reading.not_covered:
            yield f"NOT COVERED  {model.reading.file}: {one.key}: {one.reason}"
        for checked in model.designs:
            for verdict in checked.claims:
                yield f"{verdict.outcome}  {model.reading.file}: {verdict.claim}  {verdict.why}".rstrip()


def _model(model: CheckedModel) -> Iterator[str]:
    reading = model.reading
    yield f"{reading.file}: {reading.model_type or 'a design given by flags'}"
    if any(checked.design.assumed for checked in model.designs):
        yield f"ASSUMED: {model.designs[0].design.assumed[0]}; nothing below is known of this model type"
    for checked in model.designs:
        yield ""
        yield from _design(checked, model)
    yield ""
    yield from _totals(model)
    if model.designs:
        yield ""
        yield from _heads(model.designs[0].design)
    for claim in model.unread_claims:
        yield f"NOT COVERED  {claim}: no layer was read"
    if reading.not_covered:
        yield ""
        yield from columns([("NOT COVERED", one.key, one.reason) for one in reading.not_covered])
    if any("class default" in text for checked in model.designs for text in checked.design.provenance.values()):
        yield ""
        yield f"Class defaults are those of {library()}."


def title(design: LayerDesign) -> str:
    """What a design is called: its side and kind, the window, and the place of its tower."""
    kind = {"self": "self-attention", "cross": "cross-attention", "latent": "latent attention"}[design.kind]
    window = f" with a window of {design.window:,}" if design.sliding and design.window else " with a window"
    place = f" ({design.tower})" if design.tower else ""
    return f"{design.side + ' ' if design.side else ''}{kind}{window if design.sliding else ''}{place}"


def _design(checked: CheckedDesign, model: CheckedModel) -> Iterator[str]:
    design = checked.design
    modules = "an unknown number of" if design.modules is None else f"{design.modules:,}"
    again = f", applied {design.applied:,} times" if design.applied not in (None, design.modules) else ""
    yield f"{title(design)}: {modules} {'layer' if design.modules == 1 else 'layers'}{again}"
    if design.rule:
        yield f"  {design.rule}"
    yield from _indented(
        [
            (name, number(design.sizes[name]), design.provenance.get(name, ""), _MEANINGS[name])
            for name in SIZES
            if design.sizes[name] is not None or name in {"d_model", "h"}
        ],
        right=1,
    )
    yield ""
    yield from _parameters(design)
    yield ""
    yield from _verdicts((*checked.textbook, *checked.claims))
    yield ""
    yield from _costs(design, model)


def _parameters(design: LayerDesign) -> Iterator[str]:
    weights = design.weights
    parts = [(f"W_{name.upper()}", number(weights.matrices[name])) for name in MATRICES]
    if weights.biases:
        shown = ", ".join(weights.biases)
        parts.append((f"biases on {shown}", number(weights.bias_entries)))
    for name, entries in (weights.other or {}).items():
        shape = weights.factored.get(name)
        parts.append((f"{name} {' x '.join(map(str, shape))}" if shape else name, number(entries)))
    if weights.other is None:
        parts.append(("other", "unknown"))
    parts.append(("parameters of a layer", number(weights.total)))
    factored = "  (its factors stand below)" if weights.factored else ""
    rows = [
        (name, f"in factors{factored}" if entries == "unknown" and factored else entries) for name, entries in parts
    ]
    yield from _indented(rows, right=1)


def _verdicts(verdicts: Sequence[ModelVerdict]) -> Iterator[str]:
    """A line for each claim, and below it why it does not hold."""
    lines = _indented([(one.claim, one.outcome, _in_short(one)) for one in verdicts])
    for line, verdict in zip(lines, verdicts, strict=True):
        yield line
        if not verdict.theorem:
            yield from textwrap.wrap(verdict.why, 80, initial_indent="      ", subsequent_indent="      ")


def _in_short(verdict: ModelVerdict) -> str:
    if verdict.theorem:
        return f"by theorem {verdict.theorem}"
    return f"{float(verdict.ratio):.6g} times" if verdict.ratio is not None and verdict.outcome == "FAILS" else ""


def _costs(design: LayerDesign, model: CheckedModel) -> Iterator[str]:
    setting, cost = model.setting, layer_cost(design, model.setting)
    pairs = "only the pairs that causality leaves" if setting.causal == "kept" and design.causal else "all pairs"
    within = " in the window" if design.sliding else ""
    at = f"n = {setting.n:,} ({model.length_source}), batch {setting.batch}, {setting.dtype}"
    yield f"  a layer at {at}; {pairs}{within}"
    rows = [
        ("projections", number(cost.projection_multiplications), "multiplications"),
        ("scores Q K^T", number(cost.score_multiplications), "multiplications"),
        ("weights times values", number(cost.mixing_multiplications), "multiplications"),
        ("softmax", number(cost.exponentials), "exponentials"),
        ("scores kept whole", number(cost.score_bytes), "bytes"),
    ]
    if design.caches:
        what = "cache of the latent" if design.kind == "latent" else "cache of keys and values"
        rows.append((what, number(cost.kv_cache_bytes), "bytes"))
    yield from _indented(rows, right=1)


def _totals(model: CheckedModel) -> Iterator[str]:
    totals, cost = model.reading.totals(), model_cost(model.reading, model.setting)
    yield "the whole model"
    yield from _indented(
        [
            ("attention layers", number(totals["attention_layers"]), "distinct modules"),
            ("weights of q, k, v and o", number(totals["qkvo_weights"]), "entries"),
            ("biases of q, k, v and o", number(totals["qkvo_biases"]), "entries"),
            ("attention parameters", number(totals["attention_parameters"]), "entries"),
            ("multiplications", number(cost["multiplications"]), f"at n = {model.setting.n:,}"),
            ("cache", number(cost["kv_cache_bytes"]), f"bytes at n = {model.setting.n:,}"),
        ],
        right=1,
    )


def _heads(design: LayerDesign) -> Iterator[str]:
    """What the number of heads decides for this model, and what it does not."""
    h, kv_heads = design.size("h"), design.size("kv_heads")
    if h is None:
        return
    shared = [size for size in divisors(h) if kv_heads is None or kv_heads % size == 0]
    yield f"h = {h} decides"
    yield f"  {h:,} attention matrices a layer, n x n exponentials each"
    yield f"  tensor parallelism without a split head: {', '.join(map(str, shared))} ways"
    sizes = design.sizes
    if design.kind == "latent" or design.gate or None in sizes.values():
        return
    if broken_hypotheses(design, ("H1", "H2", "H3")):
        yield "it decides costs too: heads of keys and values, or widths of heads, are of their own here"
    else:
        yield "it decides neither parameters, multiplications nor cache: the heads share d_model between them"


def divisors(number: int) -> list[int]:
    """The divisors of a number, in order."""
    small = [candidate for candidate in range(1, int(number**0.5) + 1) if number % candidate == 0]
    return sorted({*small, *(number // candidate for candidate in small)})


def number(value: int | None) -> str:
    """A count with commas, or ``unknown``."""
    return "unknown" if value is None else f"{value:,}"


def columns(rows: Sequence[Sequence[str]], right: int | None = None) -> Iterator[str]:
    """Rows as lines with aligned columns; the column `right` is aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    for row in rows:
        cells = [
            cell.rjust(width) if place == right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _indented(rows: Sequence[Sequence[str]], right: int | None = None) -> Iterator[str]:
    return (f"  {line}" for line in columns(rows, right))
