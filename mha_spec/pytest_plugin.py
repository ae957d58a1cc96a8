"""The laws of attention as pytest tests: one parametrised test for each law and layer.

    from mha_spec.pytest_plugin import parametrize_with_laws

    @parametrize_with_laws([my_project.attention.factory])
    def test_attention(layer, law):
        law(layer)

pytest loads this module in every run of an environment that has mha-spec; until the decorator is used it imports
nothing but pytest, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from mha_spec.conformance import Factory
    from mha_spec.conformance.outcome import Outcome

Target: TypeAlias = "Factory | str"

UNEXPECTED_PASS = pytest.StashKey[str]()
_CURRENT_ITEM: list[pytest.Item] = []


class LawOnLayer:
    """One law, called with a layer's factory: it passes, fails with an example, skips, or fails as expected."""

    def __init__(self, name: str, examples: int, seed: int, fixed: bool) -> None:
        self.name, self.examples, self.seed, self.fixed = name, examples, seed, fixed

    def __repr__(self) -> str:
        return self.name.replace("_", " ")

    def __call__(self, layer: Target) -> None:
        """Run the law on the layer of a factory, or of a target such as ``package.module:name``."""
        __tracebackhide__ = True
        from mha_spec.conformance import verify

        report = verify(
            layer, laws=[self.name], examples=self.examples, seed=self.seed, fixed=self.fixed, isolated=False
        )
        _tell(report.outcomes[0])


def parametrize_with_laws(
    layers: Sequence[Target],
    *,
    laws: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
    examples: int = 100,
    seed: int = 0,
    fixed: bool = False,
) -> Callable[[Any], Any]:
    """Parametrise a test that takes `layer` and `law` with every layer and every selected law.

    `layers` are factories or targets such as ``package.module:name``; `laws` and `exclude` are names or patterns;
    the others are those of `mha_spec.conformance.verify`.  Raises SelectionError for a name that is no law.
    """
    from mha_spec.conformance.selection import selected

    chosen = selected(laws, exclude)
    cases = [
        pytest.param(layer, LawOnLayer(law.name, examples, seed, fixed), id=f"{_name(layer)}: {_sentence(law.name)}")
        for layer in layers
        for law in chosen
    ]
    return pytest.mark.parametrize(("layer", "law"), cases)


def _name(layer: Target) -> str:
    if isinstance(layer, str):
        return layer
    return str(getattr(layer, "__qualname__", type(layer).__qualname__))


def _sentence(name: str) -> str:
    return name.replace("_", " ")


def _tell(outcome: Outcome) -> None:
    """Say the outcome of a law in pytest's words; UNKNOWN is a failure, since it never counts as a pass."""
    __tracebackhide__ = True
    if outcome.outcome == "SKIP":
        pytest.skip(outcome.reason)
    if outcome.outcome == "XFAIL":
        pytest.xfail(outcome.reason)
    if outcome.outcome in ("FAIL", "UNKNOWN"):
        pytest.fail(outcome.text(), pytrace=False)
    if outcome.outcome == "XPASS" and _CURRENT_ITEM:
        _CURRENT_ITEM[-1].stash[UNEXPECTED_PASS] = outcome.reason


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Remember which test runs, so that a law that passes against expectation can be told of it."""
    _CURRENT_ITEM.append(item)
    try:
        return (yield)
    finally:
        _CURRENT_ITEM.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a law that passes although a known failure was declared as XPASS."""
    report = yield
    if report.when == "call" and report.passed and UNEXPECTED_PASS in item.stash:
        report.wasxfail = item.stash[UNEXPECTED_PASS]
    return report
