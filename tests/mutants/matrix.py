"""The matrix law x mutant: which law kills which wrong layer. `python -m mutants.matrix 0 1 2` prints it for seeds."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from mha_spec.conformance.contract import Factory
from mha_spec.conformance.declarations import Declarations
from mha_spec.conformance.judging import Budget, judge
from mha_spec.conformance.laws import Law, catalogue
from mha_spec.conformance.outcome import Outcome

from .registry import Mutant, mutants

UNSIMPLIFIED = Budget(shrink_seconds=0.0)


@dataclass
class Matrix:
    """The laws that killed each mutant, by seed, and the seconds to the first failure in the order of the laws."""

    killed: dict[str, dict[str, set[int]]] = field(default_factory=dict)
    seconds: dict[tuple[str, int], float] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)

    def add(self, mutant: Mutant, seed: int, laws: Iterable[Law]) -> None:
        """Judge all laws on one mutant."""
        spent = 0.0
        for law in laws:
            outcome = judged(law, mutant.factory(), seed)
            if outcome.outcome == "FAIL":
                self.killed.setdefault(mutant.name, {}).setdefault(law.name, set()).add(seed)
                first = (outcome.first_failure or (0, 0.0))[1]
                self.seconds.setdefault((mutant.name, seed), spent + first)
            elif outcome.outcome == "UNKNOWN" and "every call broke" not in outcome.reason:
                self.odd.append(f"{mutant.name}, {law.name}: {outcome.reason}")
            spent += outcome.seconds

    def report(self, every: tuple[Mutant, ...], laws: tuple[Law, ...], seeds: tuple[int, ...]) -> str:
        """A row for each mutant with a mark for each law, who is alive, which laws kill nothing, and the median."""
        marks = [f"{number:3} {law.sentence}" for number, law in enumerate(laws, 1)]
        rows = [f"{m.name:44} {''.join(self.mark(m, law, len(seeds)) for law in laws)}  {m.kind}" for m in every]
        alive = [f"{m.name} (seed {s})" for m in every for s in seeds if (m.name, s) not in self.seconds]
        idle = [law.name for law in laws if not any(law.name in by for by in self.killed.values())]
        times = list(self.seconds.values())
        ends = [
            f"{len(every)} mutants, {len(laws)} laws, seeds {', '.join(map(str, seeds))}",
            f"alive: {', '.join(alive) or 'none'}",
            f"laws that kill none: {', '.join(idle) or 'none'}",
            f"odd: {'; '.join(self.odd) or 'nothing'}",
            f"seconds to the first failure: median {median(times):.2f}, most {max(times):.2f}",
        ]
        return "\n".join(["# killed by every seed, + by some, . by none", *marks, "", *rows, "", *ends])

    def mark(self, mutant: Mutant, law: Law, seeds: int) -> str:
        """What stands in the matrix."""
        by = self.killed.get(mutant.name, {}).get(law.name, set())
        return "#" if len(by) == seeds else "+" if by else "."


def judged(law: Law, factory: Factory, seed: int) -> Outcome:
    """The outcome of one law at the default number of examples, without simplifying."""
    return judge(law, factory, Declarations.of(factory), budget=UNSIMPLIFIED, seed=seed)


def main(seeds: tuple[int, ...]) -> None:
    """Print the matrix."""
    matrix, every, laws = Matrix(), mutants(), catalogue()
    for seed in seeds:
        for mutant in every:
            matrix.add(mutant, seed, laws)
    print(matrix.report(every, laws, seeds))


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or (0,))
