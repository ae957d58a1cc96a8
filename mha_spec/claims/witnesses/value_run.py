"""Rocq is asked about the theorems about values: every file is compiled, after the files it needs.

A file is accepted if coqc accepts it, if its text adds no axiom and leaves no proof open, and if every theorem in
it rests on nothing beyond what the standard library assumes for its real numbers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from .coqc import MISSING, assumptions, compile_file, coqc_path, error_line, error_message, named
from .outcome import Outcome
from .value_files import LIBRARY, ValueFile, assuming_word

WORKERS = 2
REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""What the standard library of Rocq assumes for its real numbers."""


def value_outcomes(files: Sequence[ValueFile], seconds: float) -> dict[str, Outcome]:
    """For each file whether it is accepted, `seconds` being the limit for one file."""
    if coqc_path() is None:
        return {file.name: MISSING for file in files}
    with tempfile.TemporaryDirectory(prefix="mha-spec-") as name:
        folder = Path(name)
        outcomes = _compiled({file.name: file for file in files}, folder, seconds)
        proving = [file for file in files if file.theorems and outcomes[file.name].status == "accepted"]
        return outcomes | _assuming_the_reals(proving, folder, seconds)


def _compiled(files: Mapping[str, ValueFile], folder: Path, seconds: float) -> dict[str, Outcome]:
    """Compile each file once those it needs are accepted, two at a time; those that many need go first."""
    outcomes: dict[str, Outcome] = {}
    running: dict[Future[Outcome], str] = {}
    waiting = sorted(files, key=lambda name: -sum(name in file.needs for file in files.values()))
    with ThreadPoolExecutor(WORKERS) as pool:
        while waiting or running:
            for name in list(waiting):
                if in_vain := _needs_in_vain(files[name], files, outcomes):
                    outcomes[name] = in_vain
                    waiting.remove(name)
                elif all(need in outcomes for need in files[name].needs) and len(running) < WORKERS:
                    running[pool.submit(_compiled_alone, files[name], folder, seconds)] = name
                    waiting.remove(name)
            if not running:
                break  # every file was settled, or the rest waits for itself
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                outcomes[running.pop(done)] = done.result()
    return {name: outcomes.get(name, Outcome("REJECTED", "the files need each other in a circle")) for name in files}


def _needs_in_vain(
    file: ValueFile, files: Mapping[str, ValueFile], outcomes: Mapping[str, Outcome]
) -> Outcome | None:
    for need in file.needs:
        if need not in files:
            return Outcome("REJECTED", f"it needs {need}.v, which is not there")
        if need in outcomes and outcomes[need].status != "accepted":
            return Outcome(outcomes[need].status, f"it needs {need}.v, which is not accepted")
    return None


def _compiled_alone(file: ValueFile, folder: Path, seconds: float) -> Outcome:
    if word := assuming_word(file.text):
        return Outcome("REJECTED", f"its text says {word}")
    path = folder / f"{file.name}.v"
    path.write_text(file.without_questions(), encoding="utf-8")
    run = compile_file(path, seconds, LIBRARY)
    if run.status is None:
        return Outcome("unknown", f"({seconds:g} s)")
    if run.status != 0:
        return Outcome("REJECTED", f"line {error_line(run)}: {error_message(run)}")
    return Outcome("accepted")


def _assuming_the_reals(files: Sequence[ValueFile], folder: Path, seconds: float) -> dict[str, Outcome]:
    """What the theorems of compiled files rest on: asked of all together, and of each file only if that is too much.

    Rocq walks through its real numbers each time it is asked, which takes longer than most of the proofs.
    """
    if not files:
        return {}
    modules = " ".join(file.name for file in files)
    theorems = ",\n  ".join(f"@{file.name}.{theorem}" for file in files for theorem in file.theorems)
    path = folder / "what_the_theorems_rest_on.v"
    path.write_text(
        f"From {LIBRARY} Require {modules}.\nDefinition every_theorem := (\n  {theorems}).\n"
        "Print Assumptions every_theorem.\n",
        encoding="utf-8",
    )
    run = compile_file(path, seconds, LIBRARY)
    assumed = assumptions(run.output)
    if run.status == 0 and assumed is not None and frozenset().union(*assumed) <= REALS:
        return {file.name: Outcome("accepted") for file in files}
    if len(files) > 1:
        return {name: said for file in files for name, said in _assuming_the_reals([file], folder, seconds).items()}
    if run.status is None:
        said = Outcome("unknown", f"({seconds:g} s)")
    elif run.status != 0 or assumed is None:
        said = Outcome("REJECTED", f"Rocq does not say what it rests on: {error_message(run)}")
    else:
        said = Outcome("REJECTED", f"it rests on {named(frozenset().union(*assumed) - REALS)}")
    return {files[0].name: said}
