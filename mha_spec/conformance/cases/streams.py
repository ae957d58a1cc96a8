"""The cases of a law: first independently drawn ones, then some of Hypothesis's own distribution.

Hypothesis likes repeated and small values, which finds coincidences such as `d_k == d_v == d_model`, but rarely a case
away from every corner; independent choices find those. Both record their choices in the same way.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeAlias

from ..declarations import Declarations
from .building import build
from .case import Case
from .choices import Choices
from .wanted import Wanted

Visit: TypeAlias = Callable[[Case], bool]

INDEPENDENT_SHARE: Final = 0.75


class _Enough(Exception):  # noqa: N818 -- it is not an error
    """No further case is wanted."""


def visit_cases(wanted: Wanted, declared: Declarations, seed: str, examples: int, visit: Visit) -> None:
    """Visit `examples` cases, the zero case first, until a visit returns True (no more are wanted).

    Raises `Unsupported` where the factory accepts nothing that the law wants.
    """
    if visit(replayed((), wanted, declared)):
        return
    rng = random.Random(seed)
    independent = max(1, round(examples * INDEPENDENT_SHARE)) - 1
    for _ in range(min(independent, examples - 1)):
        if visit(build(Choices.random(rng), wanted, declared)):
            return
    left = examples - 1 - independent
    if left > 0:
        _visit_hypothesis(wanted, declared, rng.getrandbits(32), left, visit)


def replayed(choices: tuple[int, ...], wanted: Wanted, declared: Declarations) -> Case:
    """The case that these choices make."""
    return build(Choices.replayed(choices), wanted, declared)


def _visit_hypothesis(wanted: Wanted, declared: Declarations, seed: int, examples: int, visit: Visit) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as st

    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        return build(Choices(lambda count: draw(st.integers(0, count - 1))), wanted, declared)

    # No database: nothing is written into the folder of whoever runs this. Failures are simplified by choices.
    @seeded(seed)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(cases())
    def run(case: Case) -> None:
        if visit(case):
            raise _Enough

    try:
        run()
    except _Enough:
        return
