"""A program of its own, since a solver can hang or crash: answers SMT-LIB scripts with one solver.

    python -P solver.py z3|cvc5 SECONDS

Reads a JSON list of scripts and prints a JSON line for each: ``[answer, model]``, where the answer is `sat`,
`unsat` or `unknown` and the model, if there is one, maps each name to its integer.  Imports nothing of mha_spec.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from typing import TypeAlias

Answer: TypeAlias = tuple[str, dict[str, int]]


def by_z3(script: str, seconds: float) -> Answer:
    """The answer of z3, with each size that an equation defines eliminated first."""
    z3 = importlib.import_module("z3")  # not `import`: its types are unknown whether or not it is installed
    solver = z3.Then("simplify", "solve-eqs", "smt").solver()
    solver.set("timeout", round(1000 * seconds))
    solver.from_string("\n".join(line for line in script.splitlines() if not line.startswith(("(set-", "(check-"))))
    answer = solver.check()
    if answer != z3.sat:
        return str(answer), {}
    model = solver.model()
    constants = [name for name in model.decls() if name.arity() == 0]  # the others say what a division by 0 is
    return "sat", {constant.name(): model[constant].as_long() for constant in constants}


def by_cvc5(script: str, seconds: float) -> Answer:
    """The answer of cvc5."""
    cvc5 = importlib.import_module("cvc5")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(round(1000 * seconds)))
    solver.setOption("produce-models", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "claim")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said = str(command.invoke(solver, symbols)).strip() or said
    if said != "sat":
        return said if said == "unsat" else "unknown", {}
    return "sat", {
        constant.getSymbol().strip("|"): solver.getValue(constant).getIntegerValue()
        for constant in symbols.getDeclaredTerms()
    }


SOLVERS: dict[str, Callable[[str, float], Answer]] = {"z3": by_z3, "cvc5": by_cvc5}


def main() -> None:
    """Answer the scripts on standard input, one line each, as soon as an answer is known."""
    solver, seconds = SOLVERS[sys.argv[1]], float(sys.argv[2])
    for script in json.load(sys.stdin):
        print(json.dumps(solver(script, seconds)), flush=True)


if __name__ == "__main__":
    main()
