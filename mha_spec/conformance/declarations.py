"""What a factory declares about its layers, read from its attributes into one typed object.

A factory that declares nothing accepts every design, and nothing is expected of its empty rows. A wrong declaration
raises `DeclarationError`, which names the attribute, its value and what it may be.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, cast

import numpy as np

from mha_spec.design import HYPOTHESES, AttentionDesign
from mha_spec.shapes import Alignment

from .contract import Call

EmptyRow: TypeAlias = Literal["zero", "nan", "uniform", "raises"]
Condition: TypeAlias = Callable[[AttentionDesign, Call], bool]
Causal: TypeAlias = bool | Literal["only"]

OPTIONS: Final = ("scale", "softcap", "window")
DTYPES: Final = ("float64", "float32", "float16")
EMPTY_ROWS: Final = ("zero", "nan", "uniform", "raises")
ALIGNMENTS: Final = ("top-left", "bottom-right")
EMPTY_SIZES: Final = ("batch", "n", "m")


class DeclarationError(ValueError):
    """A factory declares something that has no meaning."""


@dataclass(frozen=True)
class KnownFailure:
    """Laws known to fail where `when(design, call)` is true: those cases are run apart, and explained by `reason`."""

    laws: frozenset[str]
    when: Condition
    reason: str

    def covers(self, law: str) -> bool:
        """Whether this is about a law."""
        return "*" in self.laws or law in self.laws


@dataclass(frozen=True)
class Declarations:
    """What a factory accepts, inside which designs are drawn, and how its layers behave.

    - `requires`: hypotheses that every accepted design meets, such as `{"H1", "H2", "H3"}`.
    - `options`: those of `scale`, `softcap` and `window` that it can do; `dtypes`: those it can do.
    - `causal`: True for both kinds of designs, False if it does no causal ones, `"only"` if it does no others.
    - `slow_shapes`: it compiles for every new shape, so cases share a few sets of sizes.
    - `causal_alignment`: if given, causal designs are also drawn with a memory of another length.
    - `empty_row`: what a query that may attend to nothing gives: `"zero"` (the weights are zero, the output is
      `b_o`), `"nan"`, `"uniform"` (the mean over all keys), `"raises"`; None if nothing is promised.
    - `computes_in`: a dtype that is narrower than the design's, in which it really computes.
    - `hidden_values_may_leak`: NaN or infinity at a hidden key may reach the output.
    - `allows_empty`: the sizes of `batch`, `n` and `m` that may be 0.
    - `known_failures`: cases that are run apart.
    - `fixed_design`: the design of a ready-made layer, whose parameters cannot be set.
    """

    requires: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset(OPTIONS)
    dtypes: tuple[str, ...] = DTYPES
    causal: Causal = True
    slow_shapes: bool = False
    causal_alignment: Alignment | None = None
    empty_row: EmptyRow | Callable[[AttentionDesign, Call], EmptyRow | None] | None = None
    computes_in: str | Callable[[AttentionDesign, Call], str | None] | None = None
    hidden_values_may_leak: bool = False
    allows_empty: frozenset[str] = frozenset()
    known_failures: tuple[KnownFailure, ...] = ()
    fixed_design: AttentionDesign | None = None

    @staticmethod
    def of(factory: object, *, fixed: bool = False) -> Declarations:
        """The declarations of a factory; raises `DeclarationError` for one that has no meaning.

        `fixed` says that it makes a ready-made layer, which has to declare its design.
        """
        names = [entry.name for entry in fields(Declarations)]
        _refuse_misspelt(factory, names)
        found = {name: _READ[name](name, getattr(factory, name)) for name in names if hasattr(factory, name)}
        if "fixed_design" in found and found["fixed_design"] is not None:
            found = _narrowed_to(cast(AttentionDesign, found["fixed_design"])) | found
        elif fixed:
            raise DeclarationError(f"{_named(factory)} declares no fixed_design: give the AttentionDesign that it has")
        return Declarations(**cast(dict[str, Any], found))

    def empty_row_of(self, design: AttentionDesign, call: Call) -> EmptyRow | None:
        """What an empty row of this call gives; None if nothing is promised."""
        if not callable(self.empty_row):
            return self.empty_row
        said = self.empty_row(design, call)
        return None if said is None else cast(EmptyRow, _one_of("empty_row(design, call)", said, EMPTY_ROWS))

    def precision_of(self, design: AttentionDesign, call: Call) -> str:
        """The dtype whose rounding this call may show: the wider error of `design.dtype` and `computes_in`."""
        said = self.computes_in(design, call) if callable(self.computes_in) else self.computes_in
        if said is None:
            return design.dtype
        computes_in = _dtype("computes_in", said)
        return max(design.dtype, computes_in, key=lambda name: float(np.finfo(name).eps))

    def known_failure(self, law: str, design: AttentionDesign, call: Call) -> KnownFailure | None:
        """The first known failure of a law that this case belongs to."""
        for known in self.known_failures:
            if known.covers(law) and known.when(design, call):
                return known
        return None

    def allows_causal(self, causal: bool) -> bool:
        """Whether designs of this kind are accepted."""
        return self.causal != "only" if not causal else bool(self.causal)


def _refuse_misspelt(factory: object, names: Collection[str]) -> None:
    own = vars(factory) if hasattr(factory, "__dict__") else {}
    for name in own:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.85)
        if near and name not in names and not name.startswith("_"):
            raise DeclarationError(f"{_named(factory)} has an attribute {name!r}: rename it, or write {near[0]!r}")


def _narrowed_to(design: AttentionDesign) -> dict[str, object]:
    """What a fixed design implies about the designs that are accepted."""
    return {
        "dtypes": (design.dtype,),
        "causal": "only" if design.causal else False,
        "options": frozenset(name for name in OPTIONS if getattr(design, name) is not None),
    }


def _named(factory: object) -> str:
    return str(getattr(factory, "__qualname__", type(factory).__qualname__))


def _wrong(name: str, value: object, may_be: str) -> DeclarationError:
    return DeclarationError(f"the factory declares {name} = {value!r}, but it may be {may_be}")


def _words(name: str, value: object, known: Collection[str]) -> tuple[str, ...]:
    may_be = f"a collection of {', '.join(known)}"
    if isinstance(value, str) or not isinstance(value, Collection):
        raise _wrong(name, value, f"{may_be}, such as ({next(iter(known))!r},)")
    for word in value:
        if word not in known:
            raise DeclarationError(
                f"the factory declares {name} = {value!r}: {word!r} is not one of {', '.join(known)}"
            )
    return tuple(word for word in known if word in value)


def _one_of(name: str, value: object, known: Collection[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise _wrong(name, value, " or ".join(repr(word) for word in known))
    return value


def _requires(name: str, value: object) -> frozenset[str]:
    words = _words(name, value, HYPOTHESES)
    if "H5" in words:
        raise DeclarationError(
            f"the factory declares {name} = {value!r}, but H5 (m == n) is about a call: raise Unsupported for a memory"
        )
    return frozenset(words)


def _bool(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, value, "True or False")
    return value


def _causal(name: str, value: object) -> Causal:
    if value == "only":
        return "only"
    if not isinstance(value, bool):
        raise _wrong(name, value, "True (causal designs and others), False (no causal ones) or 'only' (no others)")
    return value


def _dtype(name: str, value: object) -> str:
    try:
        dtype = np.dtype(cast(Any, value)).name
    except TypeError:
        dtype = str(value)
    return _one_of(name, dtype, DTYPES)


def _dtypes(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Collection):
        raise _wrong(name, value, f"a collection of {', '.join(DTYPES)}, such as ('float64',)")
    return _words(name, [_dtype(name, word) for word in value], DTYPES)


def _empty_row(name: str, value: object) -> object:
    return value if value is None or callable(value) else _one_of(name, value, EMPTY_ROWS)


def _computes_in(name: str, value: object) -> object:
    is_function = callable(value) and not isinstance(value, type)
    return value if value is None or is_function else _dtype(name, value)


def _alignment(name: str, value: object) -> object:
    return None if value is None else _one_of(name, value, ALIGNMENTS)


def _allows_empty(name: str, value: object) -> frozenset[str]:
    if isinstance(value, bool):
        return frozenset(EMPTY_SIZES if value else ())
    return frozenset(_words(name, value, EMPTY_SIZES))


def _fixed_design(name: str, value: object) -> AttentionDesign | None:
    if value is not None and not isinstance(value, AttentionDesign):
        raise _wrong(name, value, "an AttentionDesign")
    return value


def _known_failures(name: str, value: object) -> tuple[KnownFailure, ...]:
    if isinstance(value, str) or not isinstance(value, Collection):
        raise _wrong(name, value, "a sequence of (laws, when, reason)")
    return tuple(entry if isinstance(entry, KnownFailure) else _known_failure(name, entry) for entry in value)


def _known_failure(name: str, entry: object) -> KnownFailure:
    if not isinstance(entry, tuple) or len(entry) != 3:
        raise _wrong(f"{name}, one entry", entry, "(laws or '*', when(design, call), reason)")
    laws, when, reason = entry
    names = frozenset([laws] if isinstance(laws, str) else laws)
    if not names or not all(isinstance(law, str) for law in names):
        raise _wrong(f"{name}, laws", laws, "the name of a law, a collection of names, or '*'")
    if not callable(when):
        raise _wrong(f"{name}, when", when, "a function of the design and the call")
    if not isinstance(reason, str) or not reason.strip():
        raise _wrong(f"{name}, reason", reason, "a sentence that explains the failure")
    return KnownFailure(names, when, reason)


_READ: Final[Mapping[str, Callable[[str, object], object]]] = {
    "requires": _requires,
    "options": lambda name, value: frozenset(_words(name, value, OPTIONS)),
    "dtypes": _dtypes,
    "causal": _causal,
    "slow_shapes": _bool,
    "causal_alignment": _alignment,
    "empty_row": _empty_row,
    "computes_in": _computes_in,
    "hidden_values_may_leak": _bool,
    "allows_empty": _allows_empty,
    "known_failures": _known_failures,
    "fixed_design": _fixed_design,
}
