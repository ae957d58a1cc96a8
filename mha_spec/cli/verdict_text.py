"""Verdicts and the catalogue as text for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mha_spec.claims.equations import ALWAYS, HYPOTHESIS_EQUATIONS
from mha_spec.claims.printing import text
from mha_spec.claims.quantities import all_traced_values, traced_counts
from mha_spec.claims.terms import IndependentOfH, Relation, evaluate
from mha_spec.claims.theorem import Theorem
from mha_spec.claims.verdict import Design, Verdict
from mha_spec.design import HYPOTHESES

_STYLES = {"PROVED": "green", "REFUTED": "red", "UNKNOWN": "yellow"}
_LARGEST_SHOWN = 60  # characters of a cofactor; a longer one is cut, and whole in --format json


class CatalogueRow(NamedTuple):
    """A theorem with what was found of it."""

    theorem: Theorem
    steps: int
    verdicts: tuple[Verdict, ...]
    without: tuple[tuple[str, Verdict], ...]
    expected_and_false: int


def print_catalogue(console: Console, rows: Sequence[CatalogueRow]) -> None:
    """A table of the claims, what fails without each hypothesis, the hypotheses, and the paper's own case."""
    table = _table("claim", "verdict", "uses", "runs")
    table.columns[0].min_width = 38
    for row in rows:
        for verdict in _shown(row):
            used = " ".join(verdict.hypotheses_used) or "none"
            table.add_row(Text(verdict.claim.text), _outcome(verdict), used, _runs(verdict))
    _print(console, table)
    claims = sum(len(row.verdicts) for row in rows)
    steps = sum(row.steps for row in rows)
    refuted = sum(len(row.without) + row.expected_and_false for row in rows)
    agreed = all(v.confirmed and v.confirmed.agreed == v.confirmed.designs for row in rows for v in row.verdicts)
    console.print(
        f"{len(rows)} theorems, {claims} claims, {steps} steps: all proved, with certificates checked in integers. "
        f"{refuted} claims that lack a hypothesis they need are refuted. Runs are designs at which the layer was run "
        f"and every operation counted; {'all agree with the proofs' if agreed else 'SOME DISAGREE'}.\n"
    )
    used_names = {name for row in rows for verdict in row.verdicts for name in verdict.hypotheses_used}
    _print_hypotheses(console, used_names)
    console.print()
    _print_paper_case(console)


def _shown(row: CatalogueRow) -> tuple[Verdict, ...]:
    """The claim that a theorem derives, and its independence of `h`; `mha-spec explain` shows the others."""
    first, *others = row.verdicts
    return (first, *(verdict for verdict in others if isinstance(verdict.claim.goal, IndependentOfH)))


def _print_hypotheses(console: Console, names: Collection[str]) -> None:
    for name, equation in HYPOTHESES.items():
        if name in names:
            console.print(f"{name}  {equation}")


def _print_paper_case(console: Console) -> None:
    """What the proved quantities are in the paper's layer, with eight heads and with one."""
    n, d_model = 10, 512
    table = _table("h", "d_k", "projection weights", "score multiplications", "attention matrices")
    for h in (1, 8):
        d_k = d_model // h
        sizes = {"n": n, "m": n, "d_model": d_model, "d_memory": d_model, "d_k": d_k, "d_v": d_k, "h": h}
        sizes |= {"kv_heads": h, "group": 1, "bias": 0}
        count = traced_counts(sizes)
        table.add_row(
            str(h),
            str(d_k),
            f"{count['projection_weights']:,}",
            f"{count['score_multiplications']:,}",
            f"{count['attention_matrices']} of {n} x {n}",
        )
    console.print(f"The paper's layer, d_model = {d_model}, on n = {n} tokens:")
    _print(console, table)


def print_verdict(console: Console, verdict: Verdict, dropped: Collection[str]) -> None:
    """One claim: its verdict, and the certificate, the counterexample or the reason it rests on."""
    console.print(Text.assemble(_outcome(verdict), "  ", verdict.claim.text))
    lines = {"PROVED": _proved, "REFUTED": _refuted, "UNKNOWN": _unknown}[verdict.outcome](verdict, dropped)
    for line in lines:
        _print(console, Padding(line, (0, 0, 0, 2), expand=False))
    console.print()


def _proved(verdict: Verdict, dropped: Collection[str]) -> Iterator[RenderableType]:
    yield Text(f"for all sizes, using {' '.join(verdict.hypotheses_used) or 'no hypothesis'}")
    if verdict.held:
        yield Text(f"held fixed while h varies: {' '.join(verdict.held)}")
    entries = verdict.certificate()
    if entries:
        yield Text("certificate, checked in integers: the sides differ by these multiples")
        certificate = Table.grid(padding=(0, 2))
        for label, cofactor in entries.items():
            certificate.add_row("", Text(_equation(label)), Text("times"), Text(_shortened(cofactor)))
        yield certificate
    else:
        yield Text("certificate: none needed, the sides multiplied out show it")
    if verdict.confirmed:
        yield Text(f"counted runs of the layer, at drawn sizes: {_runs(verdict)}")


def _equation(label: str) -> str:
    """A label of a certificate, with its equation where it is not the user's own."""
    part, _, name = label.rpartition(": ")
    known = {**ALWAYS, **HYPOTHESIS_EQUATIONS}
    stem = name.rstrip("'")
    if stem not in known:
        return label
    left, right = known[stem]
    second = ", second design" if name.endswith("'") else ""
    shown = f"{text(left)} == {text(right)}"
    named = shown if stem in ALWAYS else f"{stem}  {shown}"
    return f"{part}: {named}{second}" if part else f"{named}{second}"


def _shortened(cofactor: str) -> str:
    return cofactor if len(cofactor) <= _LARGEST_SHOWN else cofactor[: _LARGEST_SHOWN - 3] + "..."


def _refuted(verdict: Verdict, dropped: Collection[str]) -> Iterator[RenderableType]:
    two = len(verdict.counterexample) == 2
    yield "smallest counterexample, two designs:" if two else "smallest counterexample:"
    for design in verdict.counterexample:
        yield "  " + " ".join(f"{name}={size}" for name, size in design.items())
        yield "    " + _values(verdict, design)
    if dropped:
        yield f"dropped: {' '.join(dropped)}"
    if verdict.held:
        yield f"held fixed while h varies: {' '.join(verdict.held)}"
    if verdict.confirmed:
        where = "there" if verdict.confirmed.agreed else "there, but the count DISAGREES"
        yield f"the layer was run {where}, counting every operation" if verdict.confirmed.designs else (
            "the layer was not run there: counting every operation would take too long"
        )


def _values(verdict: Verdict, design: Design) -> str:
    sizes = {**design, "group": design["h"] // design["kv_heads"]}
    facts = sizes | all_traced_values(sizes)
    goal = verdict.claim.goal
    if isinstance(goal, IndependentOfH):
        return f"{text(goal.term)} is {evaluate(goal.term, facts):,}"
    relations = (goal,) if isinstance(goal, Relation) else (goal.left, goal.right)
    return ";  ".join(
        f"{text(r.left)} is {evaluate(r.left, facts):,} and {text(r.right)} is {evaluate(r.right, facts):,}"
        for r in relations
    )


def _unknown(verdict: Verdict, dropped: Collection[str]) -> Iterator[RenderableType]:
    yield verdict.reason
    yield "undecided is not a pass"


def _outcome(verdict: Verdict) -> Text:
    return Text(verdict.outcome, style=_STYLES[verdict.outcome])


def _runs(verdict: Verdict) -> str:
    confirmed = verdict.confirmed
    if confirmed is None or confirmed.designs == 0:
        return "none made"
    if confirmed.agreed == confirmed.designs:
        return f"{confirmed.designs} agree"
    return f"{confirmed.designs - confirmed.agreed} of {confirmed.designs} DISAGREE"


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _print(console: Console, what: RenderableType) -> None:
    """Print without the blanks that rich fills lines with: output is also pasted, diffed and piped."""
    with console.capture() as captured:
        console.print(what)
    console.file.write("".join(line.rstrip() + "\n" for line in captured.get().splitlines()))
