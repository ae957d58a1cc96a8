"""Cases for tests: drawn as the laws draw them."""

from __future__ import annotations

from mha_spec.conformance.cases.case import Case
from mha_spec.conformance.cases.streams import visit_cases
from mha_spec.conformance.cases.wanted import Wanted
from mha_spec.conformance.declarations import Declarations

ANYTHING = Declarations(causal_alignment="top-left")


def cases(
    wanted: Wanted | None = None, declared: Declarations = ANYTHING, examples: int = 100, seed: object = 0
) -> list[Case]:
    """The cases of one law with these wishes."""
    found: list[Case] = []

    def visit(case: Case) -> bool:
        found.append(case)
        return False

    visit_cases(wanted or Wanted(), declared, str(seed), examples, visit)
    return found
