"""What is slow, measured and reported:   python tests/benchmarks/report.py

Each line shows a time, the bar it should stay below, and how many yardsticks long it is. The exit status is 0
whatever the times are, since a busy machine is no fault of the code; an action that raises fails the run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mha_spec.claims.certificate import accepts
from mha_spec.claims.equations import equations_for
from mha_spec.claims.language import parse_claim
from mha_spec.claims.search import find_certificate
from mha_spec.claims.terms import Relation
from mha_spec.counting.counted_run import counted_quantities
from mha_spec.counting.quantities import Form, trace_layer
from mha_spec.design import HYPOTHESES, SIZES
from stopwatch import Action, Benchmark, Measurement, measure

ROOT = Path(__file__).resolve().parents[2]
PAPER = {"d_model": 512, "d_memory": 512, "h": 8, "kv_heads": 8, "d_k": 64, "d_v": 64, "bias": 0}
WEIGHTS = "kv_heads*group*d_model*(d_k + d_v) + kv_heads*d_memory*(d_k + d_v) == 4*d_model**2"


def command(*arguments: str) -> Action:
    """Run Python in a new interpreter."""

    def run() -> None:
        subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    return run


def python_loop() -> int:
    """The yardstick for work in Python: a hundred thousand small steps."""
    total = 0
    for number in range(100_000):
        total += number
    return total


def certificate_check() -> Action:
    """The check of one certificate: the paper's number of projection weights, with all that it rests on."""
    goal = parse_claim(WEIGHTS, (*SIZES, "group")).goal
    assert isinstance(goal, Relation)
    equations = equations_for(HYPOTHESES)
    certificate = find_certificate(goal, equations)
    assert certificate is not None
    return lambda: accepts(goal, equations, certificate)


def benchmarks() -> list[Benchmark]:
    """Everything that has a bar."""
    loop = ("100,000 steps of Python", python_loop)
    python = ("python -c 'import numpy'", command("-c", "import numpy"))
    sympy = ("python -c 'import sympy'", command("-c", "import sympy"))
    mypy = ("mypy of a line that imports numpy", command(*MYPY, "--config-file=", "-c", "import numpy"))
    return [
        Benchmark("mha-spec --help", command("-m", "mha_spec", "--help"), 2.5, *python, relative=True, repeats=9),
        Benchmark("mha-spec prove, every theorem", command("-m", "mha_spec", "prove"), 5.0, *sympy, repeats=3),
        Benchmark("trace of the batched form, warm", trace_of("batched"), 0.005, *loop, repeats=15, warm=True),
        Benchmark("trace of the loop over heads, warm", trace_of("per-head"), 0.030, *loop, repeats=15, warm=True),
        Benchmark("check of a certificate", certificate_check(), 0.002, *loop, repeats=15, warm=True),
        Benchmark("counted run, d_model=512 h=8 n=m=10", counted_run, 12.0, *loop, repeats=1),
        Benchmark("mypy of the package, cold", command(*MYPY, "-p", "mha_spec"), 5.0, *mypy, repeats=1),
    ]


MYPY = ("-m", "mypy", "--cache-dir", os.devnull)


def trace_of(form: Form) -> Action:
    """A trace of the layer at symbolic sizes, which is then not kept."""
    return lambda: trace_layer(form)


def counted_run() -> None:
    """The paper's base layer on counting scalars."""
    counted_quantities({"n": 10, "m": 10, **PAPER})


def line(measured: Measurement) -> str:
    """One measurement in one line."""
    benchmark = measured.benchmark
    bar = f"{benchmark.bar:g} x" if benchmark.relative else length(benchmark.bar)
    verdict = "" if measured.within else "   OVER THE BAR"
    return (
        f"{benchmark.name:36} {length(measured.seconds):>8} {bar:>8}   "
        f"{measured.ratio:.3g} x {benchmark.yardstick_name}{verdict}"
    )


def length(seconds: float) -> str:
    """A time in the unit that suits it."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def main() -> None:
    """Measure everything and print a line for each."""
    print(f"{'':36} {'time':>8} {'bar':>8}   yardsticks")
    for benchmark in benchmarks():
        print(line(measure(benchmark)), flush=True)


if __name__ == "__main__":
    main()
