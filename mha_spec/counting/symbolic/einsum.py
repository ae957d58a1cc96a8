"""What `np.einsum` costs: it adds every product to a sum that starts at zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mha_spec.counting.errors import TraceError
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic.array import Shape, SymbolicArray
from mha_spec.counting.symbolic.broadcasting import (
    book,
    broadcast,
    is_symbolic,
    new_array,
    product,
    result_dtype,
    shape_of,
    view,
)
from mha_spec.counting.symbolic.products import book_product


class Subscripts(NamedTuple):
    """The letters of each operand and of the result; "..." is kept as the letter ".", which no axis has."""

    operands: tuple[str, ...]
    result: str


def read_subscripts(text: str) -> Subscripts:
    """The subscripts in `text`, with the result that NumPy takes if none is written."""
    compact = text.replace(" ", "").replace("...", ".")
    inputs, arrow, result = compact.partition("->")
    operands = tuple(inputs.split(","))
    letters = "".join(operands)
    if not arrow:
        once = sorted(letter for letter in set(letters) if letter != "." and letters.count(letter) == 1)
        result = ("." if "." in letters else "") + "".join(once)
    valid = all(part.count(".") <= 1 and part.replace(".", "a").isalpha() for part in operands if part)
    if not valid or not set(result) <= set(letters) or len(set(result)) != len(result):
        raise TraceError(f"the subscripts {text!r} of np.einsum cannot be read", 'write them as "nd,dk->nk"')
    return Subscripts(operands, result)


def _axis_sizes(subscripts: Subscripts, shapes: Iterable[Shape], text: str) -> tuple[dict[str, int | Size], Shape]:
    """The size of each letter, and the shape that the ellipses stand for."""
    sizes: dict[str, int | Size] = {}
    hidden: Shape = ()
    for letters, shape in zip(subscripts.operands, shapes, strict=True):
        head, dots, tail = letters.partition(".")
        between = len(shape) - len(head) - len(tail)
        if between < 0 or (between and not dots):
            raise TraceError(f"np.einsum {text!r}: {letters!r} does not fit the shape {shape}", "name every axis")
        if dots:
            hidden = broadcast(hidden, shape[len(head) : len(head) + between])
        named = [*shape[: len(head)], *shape[len(head) + between :]]
        for letter, size in zip(head + tail, named, strict=True):
            what = f"np.einsum {text!r}, index {letter}"
            (sizes[letter],) = broadcast((sizes.get(letter, 1),), (size,), what=what)
    return sizes, hidden


def einsum(subscripts: object, *operands: object, optimize: object = False) -> SymbolicArray:
    """`np.einsum(text, ...)`: for k operands, k-1 multiplications and one addition for each index tuple.

    One operand costs one addition for each entry if an index is summed over, else nothing. `optimize=` is
    refused: the order that NumPy picks depends on the sizes and on its version.
    """
    if not isinstance(subscripts, str):
        raise TraceError("np.einsum with lists of axes is not traced", 'write a text such as "nd,dk->nk"')
    if optimize is not False:
        raise TraceError(
            "np.einsum with optimize= chooses its order by the sizes",
            "leave it out, or write one product a line",
        )
    read = read_subscripts(subscripts)
    if len(read.operands) != len(operands):
        raise TraceError(f"np.einsum {subscripts!r} is given {len(operands)} arrays", "give one a subscript")
    sizes, hidden = _axis_sizes(read, map(shape_of, operands), subscripts)
    head, dots, tail = read.result.partition(".")
    shape = (*(sizes[x] for x in head), *(hidden if dots else ()), *(sizes[x] for x in tail))
    tuples = product((*sizes.values(), *hidden))
    return _booked(
        operands,
        shape,
        tuples,
        summed=len(read.result.replace(".", "")) < len(sizes) or bool(hidden and not dots),
    )


def _booked(operands: tuple[object, ...], shape: Shape, tuples: Size, summed: bool) -> SymbolicArray:
    (first, *others) = operands
    if others:
        book_product(operands, tuples * len(others), tuples, product(shape))
    elif is_symbolic(first) and not summed:
        return view(first, shape)
    else:
        book("add" if result_dtype(first).kind in "fc" else "integer", tuples)
    return new_array(shape, result_dtype(*operands))
