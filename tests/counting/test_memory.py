"""The weights alive at once, as traced and as a counted run hands them on."""

from __future__ import annotations

import pytest

from mha_spec.counting.memory import MEMORY_QUANTITIES, counted_memory, traced_memory
from mha_spec.sampling.designs import DesignSpace

DESIGNS = DesignSpace((), extra=("block",)).first(3_000)[::150]


@pytest.mark.parametrize("name", MEMORY_QUANTITIES)
@pytest.mark.parametrize("sizes", DESIGNS, ids=lambda sizes: "-".join(map(str, sizes.values())))
def test_what_is_traced_is_what_a_run_hands_on(name: str, sizes: dict[str, int]) -> None:
    assert traced_memory()[name].at(sizes) == counted_memory(name, sizes)


def test_the_three_programs_differ() -> None:
    shown = {name: str(size) for name, size in traced_memory().items()}
    assert shown["batched_weights_alive"] == "group*kv_heads*m*n"
    assert shown["per_head_weights_alive"] == "m*n"
    assert shown["streamed_weights_alive"] == "block*n"
