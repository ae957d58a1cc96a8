"""Numbers that count what is done to them, one operation at a time."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from numbers import Real
from typing import TypeAlias, cast

KINDS = ("add", "sub", "mul", "div", "exp", "tanh", "sqrt", "log", "pow", "neg", "abs", "cmp")
ADD, SUB, MUL, DIV, EXP, TANH, SQRT, LOG, POW, NEG, ABS, CMP = range(len(KINDS))

TALLY = [0] * len(KINDS)
"""How many operations of each kind have been executed since the module was loaded."""


class Countable:
    """A float, `value`, whose every operation adds one to `TALLY`. NaN and infinities behave as in NumPy."""

    __slots__ = ()
    value: float

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value})"

    def __add__(self, other: Number) -> Scalar:
        try:
            total = Scalar(self.value + other.value)  # type: ignore[union-attr]
        except AttributeError:
            return _with_plain(ADD, operator.add, self, other)
        TALLY[ADD] += 1
        return total

    def __mul__(self, other: Number) -> Scalar:
        try:
            product = Scalar(self.value * other.value)  # type: ignore[union-attr]
        except AttributeError:
            return _with_plain(MUL, operator.mul, self, other)
        TALLY[MUL] += 1
        return product

    def __sub__(self, other: Number) -> Scalar:
        return _with_plain(SUB, operator.sub, self, other)

    def __truediv__(self, other: Number) -> Scalar:
        return _with_plain(DIV, _divide, self, other)

    def __radd__(self, other: float) -> Scalar:
        return _with_plain(ADD, operator.add, other, self)

    def __rsub__(self, other: float) -> Scalar:
        return _with_plain(SUB, operator.sub, other, self)

    def __rmul__(self, other: float) -> Scalar:
        return _with_plain(MUL, operator.mul, other, self)

    def __rtruediv__(self, other: float) -> Scalar:
        return _with_plain(DIV, _divide, other, self)

    def __pow__(self, other: Number) -> Scalar:
        plain = _value(other)
        kind = MUL if plain == 2 else SQRT if plain == 0.5 else POW
        return _with_plain(kind, operator.pow, self, other)

    def __neg__(self) -> Scalar:
        return _counted(NEG, -self.value)

    def __abs__(self) -> Scalar:
        return _counted(ABS, abs(self.value))

    def __pos__(self) -> Scalar:
        return Scalar(self.value)

    def exp(self) -> Scalar:
        """e to this number; NumPy's object loops call it."""
        try:
            return _counted(EXP, math.exp(self.value))
        except OverflowError:
            return _counted(EXP, math.inf)

    def tanh(self) -> Scalar:
        """The hyperbolic tangent."""
        return _counted(TANH, math.tanh(self.value))

    def sqrt(self) -> Scalar:
        """The square root, NaN of a negative number."""
        return _counted(SQRT, math.sqrt(self.value) if self.value >= 0 else math.nan)

    def log(self) -> Scalar:
        """The natural logarithm, minus infinity of zero and NaN of a negative number."""
        if self.value > 0:
            return _counted(LOG, math.log(self.value))
        return _counted(LOG, -math.inf if self.value == 0 else math.nan)

    def __lt__(self, other: Number) -> bool:
        return _compared(operator.lt, self, other)

    def __le__(self, other: Number) -> bool:
        return _compared(operator.le, self, other)

    def __gt__(self, other: Number) -> bool:
        return _compared(operator.gt, self, other)

    def __ge__(self, other: Number) -> bool:
        return _compared(operator.ge, self, other)

    def __eq__(self, other: object) -> bool:
        return _compared(operator.eq, self, other)

    def __ne__(self, other: object) -> bool:
        return _compared(operator.ne, self, other)

    def __bool__(self) -> bool:
        return _compared(operator.ne, self, 0.0)

    __hash__ = object.__hash__

    def __float__(self) -> float:
        raise TypeError(
            "a counting scalar was converted to a plain float, whose operations are not counted; "
            "drop float(), math.sqrt() and np.asarray(x, dtype=float), and make arrays with np.zeros_like(x)"
        )


class Scalar(Countable):
    """A counting number that was given or computed."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value


class ParameterScalar(Countable):
    """A counting number that knows whether its value was ever read.

    `value` is filled from `kept` at the first read, so that all later reads are as fast as a Scalar's.
    """

    __slots__ = ("kept", "value")

    def __init__(self, value: float) -> None:
        self.kept = value

    def __getattr__(self, name: str) -> float:
        if name != "value":
            raise AttributeError(name)
        self.value = self.kept
        return self.kept

    @property
    def touched(self) -> bool:
        """Whether an operation has read the value."""
        try:
            object.__getattribute__(self, "value")
        except AttributeError:
            return False
        return True


Number: TypeAlias = "Countable | float"


def _value(number: object) -> float | None:
    """The float behind a number, None for what is no number (an array must answer for itself)."""
    if isinstance(number, Countable):
        return number.value
    return float(number) if isinstance(number, Real) else None


def _counted(kind: int, value: float) -> Scalar:
    TALLY[kind] += 1
    return Scalar(value)


def _with_plain(kind: int, function: Callable[[float, float], float], left: object, right: object) -> Scalar:
    a, b = _value(left), _value(right)
    if a is None or b is None:
        return cast(Scalar, NotImplemented)
    return _counted(kind, function(a, b))


def _compared(function: Callable[[float, float], bool], left: object, right: object) -> bool:
    a, b = _value(left), _value(right)
    if a is None or b is None:
        return cast(bool, NotImplemented)
    TALLY[CMP] += 1
    return function(a, b)


def _divide(left: float, right: float) -> float:
    """Division as NumPy does it: infinite or NaN for a divisor of zero."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)
