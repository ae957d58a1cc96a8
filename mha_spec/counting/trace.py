"""Run a function on symbolic arrays and return what it costs for all sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral

from mha_spec.counting.errors import TraceError
from mha_spec.counting.ledger import Ledger
from mha_spec.counting.recording import Recording, recording
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic.array import SymbolicArray


def trace(
    function: Callable[..., object],
    *arguments: object,
    declare: Mapping[str, str] | None = None,
    **keywords: object,
) -> Ledger:
    """The exact cost of `function`, as polynomials in the sizes, by function and kind of work.

    Among the arguments, a tuple of integers, names and products such as `("n", "h*d_k")` stands for an array
    of that shape, and a text such as `"h"` for a size; a dict of such tuples for a dict of arrays, which are
    the parameters of the ledger. Everything else is passed on as it is, `SymbolicArray` among it. Names stand
    for integers that are at least 1. `declare={"d_model": "h*d_k"}` replaces a name by a product wherever it
    occurs, so that the program may divide by a factor of it.

    Raises TraceError, which names the line and the fix, where the program does what has no cost for all
    sizes at once, and UndecidedBranch where it branches on sizes.

    >>> ledger = trace(lambda x, w: x @ w, ("n", "d"), ("d", "d"))
    >>> ledger.total("mul")
    d**2*n
    """
    products = _declared(declare or {})
    with recording() as run:
        positional = [_symbolic(argument, products, None) for argument in arguments]
        named = {name: _symbolic(argument, products, None) for name, argument in keywords.items()}
        for argument in (*positional, *named.values()):
            if isinstance(argument, dict):
                run.ledger.parameters.update(
                    {key: value.entries for key, value in argument.items() if type(value) is SymbolicArray}
                )
        _call(run, function, positional, named)
        return run.finish()


def _call(run: Recording, function: Callable[..., object], positional: list[object], named: dict[str, object]) -> None:
    """Run the function; where NumPy's C code hid that a size was refused, tell it."""
    try:
        function(*positional, **named)
    except TraceError:
        raise
    except TypeError as error:
        if run.refused is None:
            raise
        raise run.refused from error


def _declared(declare: Mapping[str, str]) -> dict[str, Size]:
    """What each declared name stands for, with declared names inside products replaced as well."""
    products = {name: Size.of(text) for name, text in declare.items()}
    for _ in products:
        products = {name: product.substitute(products) for name, product in products.items()}
    for name, product in products.items():
        if product.names() & products.keys():
            raise TraceError(f"{name} is declared by itself: {dict(declare)}", "declare each name by other names")
    return products


def _is_shape(argument: object) -> bool:
    return (
        isinstance(argument, tuple)
        and bool(argument)
        and all(isinstance(x, (str, Size, Integral)) and not isinstance(x, bool) for x in argument)
    )


def _symbolic(argument: object, products: Mapping[str, Size], name: str | None) -> object:
    if isinstance(argument, str):
        return Size.of(argument).substitute(products)
    if isinstance(argument, tuple) and _is_shape(argument):
        return SymbolicArray([Size.of(size).substitute(products) for size in argument], name=name)
    if isinstance(argument, dict):
        return {
            key: _symbolic(value, products, str(key)) if _is_shape(value) else value for key, value in argument.items()
        }
    return argument
