"""z3 and cvc5 are asked about statements, each in a process of its own that is replaced if it hangs."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from .outcome import Judged, Outcome, accepted
from .smt import script
from .statement import Statement, StatementError, statement_of

SOLVERS = ("z3", "cvc5")
MISSING = Outcome("not installed", "pip install 'mha-spec[smt]'")
_PROGRAM = Path(__file__).with_name("solver.py")
_PATIENCE = 20.0  # seconds past its limit before a solver counts as hung; starting one takes a second or two


class Answer(NamedTuple):
    """`sat`, `unsat` or `unknown`, and the values of the variables with `sat`."""

    said: str
    model: Mapping[str, int]


def installed(solver: str) -> bool:
    """Whether the Python package of a solver can be imported."""
    return importlib.util.find_spec(solver) is not None


def smt_outcomes(judged: Sequence[Judged], seconds: float) -> tuple[dict[str, Outcome], ...]:
    """For each claim what each solver says of it, `seconds` being its limit for one claim."""
    statements = [stated(one) for one in judged]
    scripts = [script(statement) for statement in statements if isinstance(statement, Statement)]

    def answers(solver: str) -> Iterator[Answer]:
        return iter(ask_solver(solver, scripts, seconds)) if installed(solver) else iter(())

    with ThreadPoolExecutor(len(SOLVERS)) as pool:
        found = dict(zip(SOLVERS, pool.map(answers, SOLVERS), strict=True))
    return tuple(
        {solver: _outcome(solver, one, statement, found[solver], seconds) for solver in SOLVERS}
        for one, statement in zip(judged, statements, strict=True)
    )


def stated(judged: Judged) -> Statement | StatementError:
    """The statement of a claim under the hypotheses its verdict used, else under all that are active; or why not."""
    verdict = judged.verdict
    under = verdict.hypotheses_used if verdict.outcome == "PROVED" else judged.question.active
    try:
        return statement_of(judged.question, under)
    except StatementError as problem:
        return problem


def _outcome(
    solver: str, judged: Judged, statement: Statement | StatementError, answers: Iterator[Answer], seconds: float
) -> Outcome:
    if isinstance(statement, StatementError):
        return Outcome("unknown", f"({statement})")
    if not installed(solver):
        return MISSING
    said, model = next(answers)
    if said == "unknown":
        return Outcome("unknown", f"({seconds:g} s)")
    if said not in ("sat", "unsat"):
        return Outcome("unknown", f"({said})")
    return compared(judged.verdict.outcome, said, _shown(statement, model))


def compared(outcome: str, said: str, shown: str) -> Outcome:
    """What an answer means beside a verdict: a refuted claim has a counterexample, and a proved one has none."""
    if outcome == "UNKNOWN":
        return Outcome("nothing to check", shown if said == "sat" else "the solver finds that no sizes refute it")
    if (outcome == "PROVED") == (said == "unsat"):
        return accepted(outcome)
    return Outcome("REJECTED", shown if said == "sat" else "the solver finds that no sizes refute it")


def _shown(statement: Statement, model: Mapping[str, int]) -> str:
    values = " ".join(f"{name}={model[name]}" for name in statement.variables if name in model)
    if set(statement.variables) <= model.keys() and statement.fails_at(dict(model)):
        return f"it fails at {values}"
    return f"the solver answers sat, with values at which it does not fail: {values or 'none'}"


def ask_solver(solver: str, scripts: Sequence[str], seconds: float, program: Path = _PROGRAM) -> list[Answer]:
    """The answer to each script.  A process that hangs or dies costs the script it was at, and the next goes on."""
    answers: list[Answer] = []
    while len(answers) < len(scripts):
        answers += _answers_of_one_process([solver, str(seconds)], scripts[len(answers) :], seconds, program)
        if len(answers) < len(scripts):
            answers.append(Answer("the solver hung or stopped", {}))
    return answers


def _answers_of_one_process(
    arguments: Sequence[str], scripts: Sequence[str], seconds: float, program: Path
) -> list[Answer]:
    answers: list[Answer] = []
    command = [sys.executable, "-P", str(program), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdin is not None  # both are pipes
            assert process.stdout is not None
            with process.stdin:
                json.dump(list(scripts), process.stdin)
            while len(answers) < len(scripts):
                watch = threading.Timer(seconds + _PATIENCE, process.kill)
                watch.start()
                line = process.stdout.readline()
                watch.cancel()
                if not line:
                    break
                answers.append(Answer(*json.loads(line)))
        except BrokenPipeError:
            pass  # it died before it had read the scripts
        finally:
            process.kill()
    return answers
