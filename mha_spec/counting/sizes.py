"""Symbolic sizes: integer polynomials over names that stand for integers that are at least 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import NoReturn, TypeAlias, cast

from mha_spec.counting import polynomials
from mha_spec.counting.comparisons import decide, is_nonnegative
from mha_spec.counting.division import floor_and_remainder
from mha_spec.counting.errors import TraceError, UndecidedBranch
from mha_spec.counting.polynomials import BINARY, Monomial, Polynomial
from mha_spec.counting.reading import read_polynomial
from mha_spec.counting.unknown import UnknownNumber, unknown_result

__all__ = ["BINARY", "Size", "SizeLike", "TraceError", "UndecidedBranch"]


class Size:
    """An immutable integer polynomial in sizes, exact in every operation.

    Names stand for integers that are at least 1, except `bias`, which is 0 or 1. Comparisons are
    three-valued: proved true, proved false, or UndecidedBranch, which shows sizes of both kinds. A
    division whose floor is not one polynomial for all sizes raises TraceError.
    """

    __slots__ = ("_hash", "_terms")
    _terms: Polynomial
    _hash: int | None
    __array_priority__ = 1000

    def __init__(self, terms: Mapping[Monomial, int] | None = None) -> None:
        self._terms = {monomial: value for monomial, value in (terms or {}).items() if value}
        self._hash = None

    @classmethod
    def _from(cls, terms: Polynomial) -> Size:
        """A size of terms that have no zero coefficient and that nobody changes any more."""
        size = object.__new__(cls)
        size._terms, size._hash = terms, None
        return size

    @classmethod
    def of(cls, value: SizeLike) -> Size:
        """The size that an integer, a text such as `"h*d_k"`, or a size is. TraceError for anything else."""
        if isinstance(value, Size):
            return value
        if isinstance(value, str):
            return cls._from(read_polynomial(value))
        size = _as_size(value)
        if size is None:
            raise TraceError(
                f"{value!r} ({type(value).__name__}) cannot be a size",
                "a size is an integer, a name, or a sum or product of those; divide sizes with //",
            )
        return size

    @property
    def monomials(self) -> Mapping[Monomial, int]:
        """The coefficient of each monomial, which is a sorted tuple of (name, exponent) pairs."""
        return MappingProxyType(self._terms)

    @property
    def constant(self) -> int | None:
        """The integer that this size is for all sizes, or None if it depends on a name."""
        if not self._terms:
            return 0
        return self._terms.get(()) if len(self._terms) == 1 else None

    def names(self) -> set[str]:
        """The names that occur."""
        return polynomials.names(self._terms)

    def at(self, sizes: Mapping[str, int]) -> int:
        """The integer at given sizes. KeyError for a name without a value."""
        return polynomials.evaluate(self._terms, sizes)

    def substitute(self, values: Mapping[str, Size]) -> Size:
        """The size with each name replaced by its value, all at once."""
        return Size._from(polynomials.substitute(self._terms, {name: value._terms for name, value in values.items()}))

    def is_at_least(self, bound: SizeLike) -> bool:
        """Whether `self >= bound` is proved for all sizes. False only means: not proved."""
        return is_nonnegative((self - Size.of(bound))._terms)

    def same_as(self, other: SizeLike) -> bool:
        """Whether the two are equal for all sizes, which is always decided."""
        return self._terms == Size.of(other)._terms

    def each(self) -> Iterator[Size]:
        """The indices below this size: ints if it is one, else three passes that stand for all of them.

        The first pass has index 0, the second stands for all others, and a check pass that counts for
        nothing must do what the second did. TraceError if it does not, or if a pass depends on its index.
        """
        from mha_spec.counting.passes import passes_over

        return passes_over(self)

    def __add__(self, other: object) -> Size:
        right = _as_size(other)
        return _with_number(self, "+", other) if right is None else Size._from(_sum(self, right))

    def __radd__(self, other: object) -> Size:
        left = _as_size(other)
        return _with_number(other, "+", self) if left is None else Size._from(_sum(left, self))

    def __sub__(self, other: object) -> Size:
        right = _as_size(other)
        return _with_number(self, "-", other) if right is None else Size._from(_sum(self, right, -1))

    def __rsub__(self, other: object) -> Size:
        left = _as_size(other)
        return _with_number(other, "-", self) if left is None else Size._from(_sum(left, self, -1))

    def __neg__(self) -> Size:
        return Size._from({monomial: -value for monomial, value in self._terms.items()})

    def __pos__(self) -> Size:
        return self

    def __abs__(self) -> Size:
        return self if self >= 0 else -self

    def __mul__(self, other: object) -> Size:
        if isinstance(other, (list, tuple, str, bytes)):
            self.__index__()
        right = _as_size(other)
        if right is None:
            return _with_number(self, "*", other)
        return Size._from(polynomials.multiply(self._terms, right._terms))

    def __rmul__(self, other: object) -> Size:
        return self * other if _as_size(other) is not None else _with_number(other, "*", self)

    def __pow__(self, exponent: object) -> Size:
        whole = _as_size(exponent)
        number = None if whole is None else whole.constant
        if number is None or number < 0:
            return _with_number(self, "**", exponent)
        return Size._from(polynomials.power(self._terms, number))

    def __rpow__(self, base: object) -> Size:
        return _with_number(base, "**", self)

    def __truediv__(self, other: object) -> Size:
        return _with_number(self, "/", other)

    def __rtruediv__(self, other: object) -> Size:
        return _with_number(other, "/", self)

    def __divmod__(self, other: object) -> tuple[Size, Size]:
        right = _as_size(other)
        return NotImplemented if right is None else self._divided(right)

    def _divided(self, divisor: Size) -> tuple[Size, Size]:
        quotient, remainder = floor_and_remainder(self._terms, divisor._terms)
        return Size._from(quotient), Size._from(remainder)

    def __floordiv__(self, other: object) -> Size:
        right = _as_size(other)
        return _with_number(self, "//", other) if right is None else self._divided(right)[0]

    def __rfloordiv__(self, other: object) -> Size:
        left = _as_size(other)
        return _with_number(other, "//", self) if left is None else left._divided(self)[0]

    def __mod__(self, other: object) -> Size:
        right = _as_size(other)
        return _with_number(self, "%", other) if right is None else self._divided(right)[1]

    def __rmod__(self, other: object) -> Size:
        left = _as_size(other)
        return _with_number(other, "%", self) if left is None else left._divided(self)[1]

    def __eq__(self, other: object) -> bool:
        right = _comparable(other)
        return NotImplemented if right is None else decide(self._terms, "==", right._terms)

    def __ne__(self, other: object) -> bool:
        right = _comparable(other)
        return NotImplemented if right is None else decide(self._terms, "!=", right._terms)

    def __le__(self, other: object) -> bool:
        right = _comparable(other)
        return NotImplemented if right is None else decide(self._terms, "<=", right._terms)

    def __gt__(self, other: object) -> bool:
        right = _comparable(other)
        return NotImplemented if right is None else decide(self._terms, ">", right._terms)

    def __ge__(self, other: object) -> bool:
        right = _comparable(other)
        return NotImplemented if right is None else decide(self._terms, ">=", right._terms)

    def __lt__(self, other: object) -> bool:
        right = _comparable(other)
        return NotImplemented if right is None else decide(self._terms, "<", right._terms)

    def __bool__(self) -> bool:
        return decide(self._terms, "!=", Size()._terms)

    def __hash__(self) -> int:
        if self._hash is None:
            number = self.constant
            self._hash = hash(frozenset(self._terms.items())) if number is None else hash(number)
        return self._hash

    def __index__(self) -> int:
        number = self.constant
        if number is None:
            from mha_spec.counting.refusals import refused_integer

            raise refused_integer(str(self))
        return number

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__()) if self.constant is not None else self._no_float()

    def _no_float(self) -> NoReturn:
        raise TraceError(
            f"a float was demanded for the size {self}, which has no value in a symbolic run",
            "write np.sqrt(d) or d**0.5 in place of math.sqrt(d), and drop float(): NumPy divides by a size",
        )

    def __array_ufunc__(self, ufunc: object, method: str, *inputs: object, **keywords: object) -> object:
        """NumPy's arithmetic on sizes alone; with a symbolic array, that array answers."""
        name = getattr(ufunc, "__name__", str(ufunc))
        if method == "__call__" and name in _ARITHMETIC and all(_as_size(x) is not None for x in inputs):
            left, right = (cast(Size, _as_size(x)) for x in inputs)
            result: object = getattr(left, _ARITHMETIC[name])(right)
            return result
        return unknown_result(name, method, inputs)

    def __str__(self) -> str:
        return polynomials.text(self._terms)

    __repr__ = __str__


SizeLike: TypeAlias = "Size | Integral | int | str"

_ARITHMETIC = {
    "add": "__add__",
    "subtract": "__sub__",
    "multiply": "__mul__",
    "floor_divide": "__floordiv__",
    "remainder": "__mod__",
    "equal": "__eq__",
    "not_equal": "__ne__",
    "less": "__lt__",
    "less_equal": "__le__",
    "greater": "__gt__",
    "greater_equal": "__ge__",
}


def _as_size(value: object) -> Size | None:
    """The size that an int, a NumPy integer or a size is; None for anything else."""
    if isinstance(value, Size):
        return value
    if isinstance(value, (int, Integral)) and not isinstance(value, bool):
        number = int(value)
        return Size._from({(): number} if number else {})
    return None


def _comparable(value: object) -> Size | None:
    """What a size is compared with; a float only if it is a whole number."""
    if isinstance(value, float):
        if not value.is_integer():
            raise TraceError(f"a size was compared with the number {value}", "compare sizes with integers")
        return _as_size(int(value))
    return _as_size(value)


def _with_number(left: object, sign: str, right: object) -> Size:
    """The number that a size and a float make, typed as a size so that operators keep one type."""
    number = right if isinstance(left, Size) else left
    if isinstance(number, (Real, Size)):
        return cast(Size, UnknownNumber(f"({left} {sign} {right})"))
    return cast(Size, NotImplemented)


def _sum(left: Size, right: Size, factor: int = 1) -> Polynomial:
    return polynomials.add(left._terms, right._terms, factor)
