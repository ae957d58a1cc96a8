"""What second witnesses said, as text: of each claim, or of the whole catalogue in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from mha_spec.claims.witnesses.calling import Witnessed
from mha_spec.claims.witnesses.coqc import coqc_version
from mha_spec.claims.witnesses.outcome import Judged, Outcome

_STYLES = {"accepted": "green", "REJECTED": "red", "unknown": "yellow"}


def print_witnesses(console: Console, judged: Sequence[Judged], witnessed: Witnessed, *, each: bool) -> None:
    """What the witnesses said: of every claim with `each`, else in numbers, with what they do not accept."""
    console.print(Text("Second witnesses", style="bold"))
    if each:
        _print_claims(console, judged, witnessed)
    else:
        _print_numbers(console, "claims", witnessed.claims)
        _print_exceptions(console, [(one.verdict.claim.text, said) for one, said in _rejected(judged, witnessed)])
        _print_undecided(console, judged, witnessed)
    if witnessed.values:
        files = {f"{name}.v": {"rocq": said} for name, said in witnessed.values.items()}
        _print_numbers(console, "files of theorems about values", tuple(files.values()))
        _print_exceptions(console, tuple(files.items()))
    if witnessed.seconds:
        took = ", ".join(f"{kind} {seconds:.0f} s" for kind, seconds in witnessed.seconds.items())
        version = coqc_version() if "rocq" in witnessed.seconds else ""
        console.print(f"  time: {took}{f' (coqc {version})' if version else ''}", soft_wrap=True, markup=False)
    for kind, said in witnessed.missing.items():
        told = f"  {kind} was asked for and nothing could be checked with it; {said}"
        console.print(told, soft_wrap=True, markup=False)
    if witnessed.speaks_against:
        console.print(Text("  A WITNESS CONTRADICTS A VERDICT. One of them is wrong: please report it.", style="red"))


def _print_claims(console: Console, judged: Sequence[Judged], witnessed: Witnessed) -> None:
    for one, said in zip(judged, witnessed.claims, strict=True):
        console.print(Text(f"  {one.verdict.claim.text}"), soft_wrap=True)
        for name, outcome in said.items():
            console.print(Text.assemble(f"    {name:5} ", _styled(outcome)), soft_wrap=True)


def _styled(outcome: Outcome) -> Text:
    return Text(str(outcome), style=_STYLES.get(outcome.status, ""))


def _print_numbers(console: Console, what: str, said: Sequence[Mapping[str, Outcome]]) -> None:
    """For each witness how many it accepts, and how many not, by what it says of them."""
    for name in dict.fromkeys(name for answers in said for name in answers):
        counts = Counter(_kind(answers[name]) for answers in said)
        told = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        console.print(f"  {name:5} {len(said)} {what}: {told}", soft_wrap=True, markup=False)


def _kind(outcome: Outcome) -> str:
    """The outcome without what is said of one claim alone."""
    return outcome.status if outcome.status in ("REJECTED", "nothing to check") else str(outcome)


def _rejected(judged: Sequence[Judged], witnessed: Witnessed) -> Iterator[tuple[Judged, Mapping[str, Outcome]]]:
    for one, said in zip(judged, witnessed.claims, strict=True):
        if any(outcome.speaks_against for outcome in said.values()):
            yield one, said


def _print_exceptions(console: Console, exceptions: Sequence[tuple[str, Mapping[str, Outcome]]]) -> None:
    for what, said in exceptions:
        for name, outcome in said.items():
            if outcome.status != "accepted":
                console.print(Text.assemble(f"    {what}: {name} ", _styled(outcome)), soft_wrap=True)


def _print_undecided(console: Console, judged: Sequence[Judged], witnessed: Witnessed) -> None:
    """The claims that no witness accepts, whichever were asked; what is unknown stands on its certificate alone."""
    alone = [
        one.verdict.claim.text
        for one, said in zip(judged, witnessed.claims, strict=True)
        if said and not any(outcome.status in ("accepted", "REJECTED") for outcome in said.values())
    ]
    if witnessed.claims and not alone:
        console.print("  every claim is accepted by at least one of them", soft_wrap=True)
    for text in alone if len(alone) < len(witnessed.claims) else ():
        console.print(Text(f"    accepted by none of them: {text}"), soft_wrap=True)
