"""Numbers computed from symbolic sizes that are no sizes themselves, such as sqrt(d_k)."""

from __future__ import annotations

from typing import NoReturn, cast

from mha_spec.counting.errors import TraceError
from mha_spec.counting.line_fixes import fix_of_creation


class UnknownNumber:
    """A number whose value is not known: it may scale an array, never shape one or decide a branch."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _joined(self, other: object, sign: str, swapped: bool) -> UnknownNumber:
        if hasattr(other, "passes") or getattr(other, "shape", ()) != ():
            return cast(UnknownNumber, NotImplemented)
        left, right = (other, self) if swapped else (self, other)
        return UnknownNumber(f"({left} {sign} {right})")

    def __add__(self, other: object) -> UnknownNumber:
        return self._joined(other, "+", False)

    def __radd__(self, other: object) -> UnknownNumber:
        return self._joined(other, "+", True)

    def __sub__(self, other: object) -> UnknownNumber:
        return self._joined(other, "-", False)

    def __rsub__(self, other: object) -> UnknownNumber:
        return self._joined(other, "-", True)

    def __mul__(self, other: object) -> UnknownNumber:
        return self._joined(other, "*", False)

    def __rmul__(self, other: object) -> UnknownNumber:
        return self._joined(other, "*", True)

    def __truediv__(self, other: object) -> UnknownNumber:
        return self._joined(other, "/", False)

    def __rtruediv__(self, other: object) -> UnknownNumber:
        return self._joined(other, "/", True)

    def __pow__(self, other: object) -> UnknownNumber:
        return self._joined(other, "**", False)

    def __rpow__(self, other: object) -> UnknownNumber:
        return self._joined(other, "**", True)

    def __neg__(self) -> UnknownNumber:
        return UnknownNumber(f"(-{self})")

    def _no_value(self, *_: object) -> NoReturn:
        raise TraceError(
            f"the value of {self} was asked for, and it depends on the sizes",
            fix_of_creation(
                "divide sizes with // where the result is a size, take roots with np.sqrt(d) or d**0.5, "
                "and use the number only to scale arrays"
            ),
        )

    __bool__ = __float__ = __int__ = __index__ = __round__ = __ceil__ = __floor__ = __trunc__ = _no_value
    __lt__ = __le__ = __gt__ = __ge__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _no_value
    __eq__ = __ne__ = _no_value
    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc: object, method: str, *inputs: object, **keywords: object) -> object:
        """A function of numbers gives an unknown number; with a symbolic array, that array answers."""
        return unknown_result(getattr(ufunc, "__name__", str(ufunc)), method, inputs)


def unknown_result(name: str, method: str, inputs: tuple[object, ...]) -> object:
    """What NumPy's function `name` gives for inputs among which are sizes or unknown numbers.

    NotImplemented where an array is among them, so that a symbolic array takes over; an array of plain
    numbers alone cannot, and TraceError says so.
    """
    if any(hasattr(x, "passes") for x in inputs):
        return NotImplemented
    if method == "__call__" and all(getattr(x, "shape", ()) == () for x in inputs):
        return UnknownNumber(f"{name}({', '.join(map(str, inputs))})")
    raise TraceError(
        f"np.{name} combines an array of plain numbers with one computed from symbolic sizes",
        "make that array with like=x, where x is one of the traced arrays",
    )
