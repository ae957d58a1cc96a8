"""From choices to a case, inside what a factory accepts: built, never drawn and thrown away.

The first value of every list is informative by itself: all sizes differ and none is a corner, so that a case made of
zeros shows most mistakes, and what is left in a simplified case beside that is what the mistake needs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mha_spec.design import AttentionDesign
from mha_spec.sampling.designs import DesignSpace, Sizes

from ..contract import Unsupported
from ..declarations import DTYPES, Declarations
from ..definition import visible
from .case import Case
from .choices import Choices
from .slow_shapes import slow_shapes
from .wanted import ALL_OPTIONS, LONG_LENGTHS, Wanted

WIDTHS: Final = {
    "d_k": (2, 3, 1, 5, 4, 7, 8),
    "d_v": (3, 2, 1, 5, 4, 7, 8),
    "d_model": (5, 4, 3, 2, 1, 7, 8),
    "d_memory": (4, 5, 3, 2, 1, 7, 8),
}
KV_HEADS: Final = (2, 1, 3, 4)
GROUPS: Final = (1, 2, 3)
OPTION_VALUES: Final = {"scale": (0.3, 1.0, 0.5), "softcap": (2.0, 0.8), "window": (2, 1, 3)}
MOST_ENTRIES_AS_HEADS: Final = 4
MOST_PAIRS_WITH_A_BATCH: Final = 3000
MOST_PAIRS_WITH_FREE_BITS: Final = 300


def build(choices: Choices, wanted: Wanted, declared: Declarations) -> Case:
    """A case that the law wants and the factory accepts; raises `Unsupported` where there is none."""
    fixed = declared.fixed_design
    dtype = choices.one_of(_dtypes(wanted, declared)) if fixed is None else fixed.dtype
    causal = _causal(choices, wanted, declared)
    memory = _memory(choices, wanted, declared, causal)
    sizes, batch = _sizes(choices, wanted, declared, memory)
    options = _options(choices, wanted, declared, causal)
    design = fixed if fixed is not None else _design(sizes, dtype, causal, declared, options)
    n, m = sizes["n"], sizes["m"] if memory else None
    if m is not None and m < n and _empties(design) and not wanted.empty_row:
        n, m = m, n
    if n * (m or n) > MOST_PAIRS_WITH_A_BATCH:
        batch = 1
    if wanted.empty_size:
        batch, n, m = _emptied(choices, declared, batch, n, m)
    hidden = _hidden(choices, wanted, design, batch, n, n if m is None else m)
    return Case(design, batch, n, m, hidden, choices.below(1 << 16), tuple(choices.made))


def _dtypes(wanted: Wanted, declared: Declarations) -> tuple[str, ...]:
    dtypes = tuple(name for name in wanted.dtypes if name in declared.dtypes)
    if dtypes:
        return dtypes
    if set(wanted.dtypes) < set(DTYPES) and "float64" not in wanted.dtypes:
        raise Unsupported(f"it does not do {' or '.join(wanted.dtypes)}")
    return declared.dtypes[:1]


def _causal(choices: Choices, wanted: Wanted, declared: Declarations) -> bool:
    wants = True if wanted.set_option == "window" else wanted.causal
    possible = [causal for causal in (False, True) if declared.allows_causal(causal) and wants in (None, causal)]
    if not possible:
        raise Unsupported(f"it does no {'causal' if wants else 'non-causal'} designs")
    return choices.one_of(possible) if len(possible) > 1 else possible[0]


def _memory(choices: Choices, wanted: Wanted, declared: Declarations, causal: bool) -> bool:
    needs_memory = declared.fixed_design is not None and not declared.fixed_design.satisfies("H6")
    undeclared = causal and declared.causal_alignment is None
    no_keys = wanted.empty_size and declared.allows_empty == {"m"}  # only a memory can be empty by itself
    possible = [
        memory
        for memory in (False, True)
        if wanted.memory in (None, memory) and not (memory and undeclared) and (memory or not (needs_memory or no_keys))
    ]
    if not possible:
        why = "its causal alignment with a memory is not declared" if undeclared else "it needs a memory"
        raise Unsupported(why)
    return choices.one_of(possible) if len(possible) > 1 else possible[0]


def _sizes(choices: Choices, wanted: Wanted, declared: Declarations, memory: bool) -> tuple[Sizes, int]:
    """The sizes of the design and of the call, and the batch."""
    requires = declared.requires if memory else declared.requires | {"H5", "H6"}
    if declared.fixed_design is not None:
        sizes = declared.fixed_design.sizes(n=_length(choices, wanted, "n"))
        sizes["m"] = _length(choices, wanted, "m") if memory else sizes["n"]
        return sizes, choices.one_of(wanted.batches)
    if wanted.grouped and "H3" in requires:
        raise Unsupported("it requires kv_heads == h")
    if wanted.bias and "H4" in requires:
        raise Unsupported("it has no biases")
    if declared.slow_shapes and (shapes := slow_shapes(requires, wanted, memory)):
        shape = choices.one_of(shapes)
        return dict(shape.sizes), shape.batch
    shared = wanted.lengths_of_both()
    if memory and shared and choices.below(4) == 3:
        requires, wanted = requires | {"H5", "H6"}, replace(wanted, n=shared)  # the memory has the shape of x
    space = DesignSpace(requires)
    free: Sizes = {}
    for name in space.free:
        free[name] = _size(choices, wanted, name, free)
    sizes = space.complete(free)
    as_many_as_heads = choices.below(4) == 3 and sizes["h"] <= MOST_ENTRIES_AS_HEADS
    return sizes, sizes["h"] if as_many_as_heads else choices.one_of(wanted.batches)


def _size(choices: Choices, wanted: Wanted, name: str, free: Sizes) -> int:
    if name in WIDTHS:
        return choices.one_of(WIDTHS[name])
    if name == "bias":
        return choices.below(2) if wanted.bias is None else wanted.bias
    if name == "kv_heads":
        return choices.one_of([k for k in KV_HEADS if k >= wanted.least_kv_heads and (k >= wanted.least_h or k > 1)])
    if name == "group":
        groups = [g for g in GROUPS if g * free["kv_heads"] >= wanted.least_h and (g > 1 or not wanted.grouped)]
        return choices.one_of(groups)
    return _length(choices, wanted, name)


def _length(choices: Choices, wanted: Wanted, name: str) -> int:
    if wanted.long and choices.flag():
        return choices.one_of(LONG_LENGTHS)
    listed, least = (wanted.n, wanted.least_n) if name == "n" else (wanted.m, wanted.least_m)
    return choices.one_of([length for length in listed if length >= least])


def _options(choices: Choices, wanted: Wanted, declared: Declarations, causal: bool) -> dict[str, float | int]:
    if wanted.set_option is not None and wanted.set_option not in declared.options:
        raise Unsupported(f"it does not do the option {wanted.set_option}")
    drawn: dict[str, float | int] = {}
    for name in ALL_OPTIONS:
        possible = name in declared.options and (causal or name != "window")
        if name == wanted.set_option or (name in wanted.options and possible and choices.flag()):
            drawn[name] = choices.one_of(OPTION_VALUES[name])
    return drawn


def _design(
    sizes: Sizes, dtype: str, causal: bool, declared: Declarations, options: dict[str, float | int]
) -> AttentionDesign:
    window = options.get("window")
    return AttentionDesign(
        **{name: sizes[name] for name in ("d_model", "d_memory", "h", "kv_heads", "d_k", "d_v", "bias")},
        causal=causal,
        causal_alignment=declared.causal_alignment or "top-left",
        scale=options.get("scale"),
        softcap=options.get("softcap"),
        window=None if window is None else int(window),
        dtype=dtype,
    )


def _empties(design: AttentionDesign) -> bool:
    """Whether causality can leave a query without a key when there are fewer keys than queries."""
    return design.causal and (design.causal_alignment == "bottom-right" or design.window is not None)


def _emptied(
    choices: Choices, declared: Declarations, batch: int, n: int, m: int | None
) -> tuple[int, int, int | None]:
    """The sizes of the call with one of those that may be 0 made 0."""
    names = [name for name in ("n", "m", "batch") if name in declared.allows_empty and (name != "m" or m is not None)]
    if not names:
        raise Unsupported("it declares no size that may be 0")
    name = choices.one_of(names)
    return (0 if name == "batch" else batch), (0 if name == "n" else n), (0 if name == "m" else m)


def _hidden(
    choices: Choices, wanted: Wanted, design: AttentionDesign, batch: int, n: int, m: int
) -> tuple[tuple[int, ...], ...] | None:
    """The hidden keys of every query: free bits, or padding at the end of each entry; no row is empty."""
    if not choices.flag(True if wanted.empty_row else wanted.masked):
        return None
    free_bits = n * m <= MOST_PAIRS_WITH_FREE_BITS and m <= 16 and choices.below(2) == 0
    rows: list[list[int]] = []
    for _ in range(batch):
        padding = 0 if free_bits or not m else (1 << m) - (1 << (m - choices.below(m)))
        rows.append([_revealed(choices.below(1 << m) if free_bits else padding, design, i, n, m) for i in range(n)])
    if wanted.empty_row and batch and n:
        rows[choices.below(batch)][choices.below(n)] = (1 << m) - 1
    return tuple(map(tuple, rows))


def _revealed(hidden: int, design: AttentionDesign, i: int, n: int, m: int) -> int:
    """The hidden keys without the last that causality allows, if all of those were hidden."""
    allowed = [j for j in range(m) if visible(design, i, j, n, m)]
    if allowed and all(hidden >> j & 1 for j in allowed):
        return hidden & ~(1 << allowed[-1])
    return hidden
