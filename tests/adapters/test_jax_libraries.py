"""The layers of JAX's libraries: the package's own layer agrees with them, and they pass the laws.

What fails is declared by each, with a condition and a reason, and written down in the documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np
import pytest

from mha_spec.adapters import load_factory
from mha_spec.conformance import Unsupported, verify
from mha_spec.conformance.contract import Array, BoolArray
from mha_spec.design import AttentionDesign, Parameters
from mha_spec.layer import multi_head_attention

pytestmark = pytest.mark.filterwarnings(r"ignore:(.|\n)*softmax over axis:UserWarning")

LOADER = "mha_spec.adapters:load_factory"
EXACT, SINGLE = 1e-12, 2e-5
DESIGNS, CALLS = 25, 8
IN_FLOAT16 = {
    "it_runs_on_every_design_it_accepts",
    "it_equals_the_definition_in_low_precision",
    "large_scores_stay_finite",
    "half_precision_scores_do_not_overflow_before_the_scale",
    "a_head_without_output_rows_has_no_influence",
}


@dataclass(frozen=True)
class Library:
    """A target, the modules that it needs, how near it comes to the definition, and which laws it is known to fail."""

    target: str
    needs: tuple[str, ...]
    within: float
    fails: set[str] = field(default_factory=set)

    def need(self) -> None:
        """Skip the test if a module is not installed."""
        for name in self.needs:
            if find_spec(name) is None:
                pytest.skip(f"{name} is not installed")


GQA = "mha_spec.adapters.keras.group_query_attention:with_scores"
MHA = "mha_spec.adapters.keras.multi_head_attention:with_scores"
OVERFLOW = {"half_precision_scores_do_not_overflow_before_the_scale"}
LIBRARIES = (
    Library("equinox.nn:MultiheadAttention", ("equinox",), EXACT),
    Library("flax.linen:MultiHeadDotProductAttention", ("flax",), EXACT),
    Library("haiku:MultiHeadAttention", ("haiku",), EXACT, OVERFLOW),
    Library("flax.nnx:MultiHeadAttention", ("flax",), SINGLE, IN_FLOAT16),
    Library("jax.nn:dot_product_attention", ("jax",), SINGLE, IN_FLOAT16),
    Library("keras.layers:MultiHeadAttention", ("keras", "jax"), SINGLE, IN_FLOAT16),
    Library("keras.layers:GroupQueryAttention", ("keras", "jax"), SINGLE, IN_FLOAT16),
    Library(MHA, ("keras", "jax"), EXACT),
    Library(GQA, ("keras", "jax"), EXACT),
)
every_library = pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.target)


def drawn_designs(rng: np.random.Generator) -> Iterator[AttentionDesign]:
    """Designs of all kinds, of which every library can do some; the widths are equal in half of them."""
    while True:
        kv_heads, group, d_k = (int(size) for size in rng.integers(1, 4, 3))
        equal = rng.random() < 0.5
        yield AttentionDesign(
            d_model=int(rng.integers(1, 9)),
            d_memory=int(rng.integers(1, 9)),
            h=kv_heads * (group if rng.random() < 0.3 else 1),
            kv_heads=kv_heads,
            d_k=d_k,
            d_v=d_k if equal else int(rng.integers(1, 6)),
            bias=int(rng.integers(2)),
            causal=bool(rng.integers(2)),
        )


def drawn_call(rng: np.random.Generator, n: int, m: int, design: AttentionDesign) -> tuple[Array, Array, BoolArray]:
    """A call with a mask that leaves every query its own first key."""
    mask = rng.random((2, n, m)) < 0.6
    mask[..., 0] = True
    return rng.standard_normal((2, n, design.d_model)), rng.standard_normal((2, m, design.d_memory)), mask


@every_library
def test_it_agrees_with_the_packages_own_layer(library: Library) -> None:
    """200 calls each, in float64, with masks, memories and causality."""
    library.need()
    factory, rng = load_factory(library.target), np.random.default_rng(4)
    done, worst = 0, 0.0
    for design in drawn_designs(rng):
        parameters = Parameters.draw(design, rng)
        n, m = (int(size) for size in rng.integers(1, 7, 2))
        try:
            layer = factory(design, parameters)
        except Unsupported:
            continue
        for _ in range(CALLS):
            x, memory, mask = drawn_call(rng, n, m, design)
            due = multi_head_attention(x, parameters, memory, mask, design=design)
            error = np.abs(layer(x, memory, mask) - due).max()
            worst = max(worst, float(error / max(1.0, np.abs(due).max())))
        done += 1
        if done == DESIGNS:
            break
    assert worst <= library.within


@every_library
def test_it_passes_the_laws_or_fails_as_declared(library: Library) -> None:
    library.need()
    report = verify(library.target, loader=LOADER, examples=20)
    found = {one.law: one.outcome for one in report.outcomes if one.outcome not in ("PASS", "SKIP")}
    assert {law for law, outcome in found.items() if outcome != "XFAIL"} == set(), report.text()
    assert set(found) <= library.fails
    assert sum(one.outcome == "PASS" for one in report.outcomes) >= 40


def test_keras_refuses_values_of_another_width_than_the_keys() -> None:
    """On JAX, called without its scores; with them it can."""
    Library("", ("keras", "jax"), EXACT).need()
    target = "mha_spec.adapters.keras.multi_head_attention:any_value_width"
    laws = ["it_runs_on_every_design_it_accepts", "it_equals_the_definition"]
    report = verify(target, examples=20, laws=laws)
    assert {one.outcome for one in report.outcomes} == {"XFAIL"}
    assert all("values of another width" in one.reason for one in report.outcomes)
    assert verify(MHA, examples=20, laws=laws).exit_status == 0
