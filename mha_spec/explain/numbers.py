"""Numbers for the sizes of a theorem: those that are given, those that follow from them, and defaults for the rest."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from mha_spec.claims.bounds import MAX_INTEGER
from mha_spec.claims.quantities import all_traced_values
from mha_spec.design import HYPOTHESES, SIZES

from .errors import ExplainError

GIVEN, DEFAULT = "given", "default"
_EQUAL = {"H2": ("d_v", "d_k"), "H3": ("kv_heads", "h"), "H5": ("m", "n"), "H6": ("d_memory", "d_model")}
# A size, the hypothesis by which it is another one, and what it is where the theorem does not assume that.
_OTHERWISE_EQUAL = {"d_v": ("H2", "d_k", 64), "m": ("H5", "n", 20), "d_memory": ("H6", "d_model", 768)}
# Of the paper's base model and, for a share, of its theorem: at h = 8 and d_model = 512 the excess is a 48th.
_EXTRA = {"layers": 6, "d_ff": 2048, "share": 48}


@dataclass(frozen=True)
class Substitution:
    """A number for each size, and where it comes from: `GIVEN`, the hypothesis it follows from, or `DEFAULT`."""

    sizes: Mapping[str, int]
    origin: Mapping[str, str]

    def facts(self) -> dict[str, int]:
        """The sizes with `group` and every quantity of the layer at them."""
        return facts_at(self.sizes)


def facts_at(design: Mapping[str, int]) -> dict[str, int]:
    """The sizes of a design with `group` and every quantity of the layer at them, as traced."""
    sizes = {**design, "group": design["h"] // design["kv_heads"]}
    return sizes | all_traced_values(sizes)


def read_sizes(settings: Iterable[str], known: Collection[str]) -> dict[str, int]:
    """The sizes in texts such as ``d_model=512,h=8``.

    Raises ExplainError for an unknown name, with the nearest known one, for what is no integer, for an integer
    that the size cannot be, and for a size that is set to two numbers.
    """
    found: dict[str, int] = {}
    for setting in (part.strip() for text in settings for part in text.split(",")):
        name, sign, number = (part.strip() for part in setting.partition("="))
        if not sign or not name:
            raise ExplainError(f"--set takes sizes such as d_model=512,h=8, not {setting!r}")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise ExplainError(f"no size is called {name!r} in {setting!r}; {advice}")
        value = _number(name, number, setting)
        if found.setdefault(name, value) != value:
            raise ExplainError(f"{name} is set to {found[name]} and to {value}; give it once")
    return found


def _number(name: str, number: str, setting: str) -> int:
    # isdecimal is also true of digits that are not ASCII, which int() would read
    if not (number.removeprefix("-").isascii() and number.removeprefix("-").isdecimal()):
        raise ExplainError(f"{number!r} in {setting!r} is not an integer in plain digits")
    if name == "bias" and number not in ("0", "1"):
        raise ExplainError(f"bias is 0 or 1, not {_shortened(number)}")
    if name != "bias" and (number.startswith("-") or not number.strip("0")):
        raise ExplainError(f"{name} is at least 1, not {_shortened(number)}")
    if len(number.lstrip("0")) > len(str(MAX_INTEGER)) or int(number) > MAX_INTEGER:
        raise ExplainError(f"{name} is at most {MAX_INTEGER:,} here, not {_shortened(number)}")
    return int(number)


def _shortened(number: str) -> str:
    return number if len(number) <= 20 else f"{number[:17]}..."


def substitution(
    given: Mapping[str, int], hypotheses: Collection[str], free: Collection[str] = (), extra: tuple[str, ...] = ()
) -> Substitution:
    """A number for every size, under the hypotheses that a derivation uses; `free` are those it does not assume.

    The defaults are the paper's layer, ``d_model = 512`` and ``h = 8``, on ``n = 10`` tokens; a size that no
    hypothesis fixes because the theorem is about others differs from the paper's, so that it can be seen.  Raises
    ExplainError, with both numbers, if what is given contradicts a hypothesis.
    """
    found = _Completion(given, frozenset(hypotheses), frozenset(free))
    for name in ("h", "d_model", "d_k", "d_v", "kv_heads", "n", "m", "d_memory", "bias"):
        found.follow()
        if name not in found.sizes:
            found.set(name, found.default(name), DEFAULT)
    found.follow()
    for name in extra:
        if name not in found.sizes:
            found.set(name, _EXTRA.get(name, 2), DEFAULT)
    names = (*SIZES, *extra)
    return Substitution({name: found.sizes[name] for name in names}, {name: found.origin[name] for name in names})


class _Completion:
    """Sizes under completion."""

    def __init__(self, given: Mapping[str, int], hypotheses: frozenset[str], free: frozenset[str]) -> None:
        self.sizes = dict(given)
        self.origin = dict.fromkeys(given, GIVEN)
        self.hypotheses = hypotheses
        self.free = free

    def set(self, name: str, value: int, origin: str) -> None:
        self.sizes[name] = value
        self.origin[name] = origin

    def follow(self) -> None:
        """Set all that follows from what is set, and refuse what contradicts it."""
        while True:
            before = len(self.sizes)
            if "H4" in self.hypotheses:
                self._equal("bias", 0, "H4")
            for hypothesis, (a, b) in _EQUAL.items():
                if hypothesis not in self.hypotheses:
                    continue
                for one, other in ((a, b), (b, a)):
                    if other in self.sizes:
                        self._equal(one, self.sizes[other], hypothesis, other)
            if "H1" in self.hypotheses:
                self._heads_share_the_width()
            self._groups_are_even()
            if len(self.sizes) == before:
                return

    def _equal(self, name: str, value: int, hypothesis: str, other: str = "") -> None:
        if name not in self.sizes:
            self.set(name, value, hypothesis)
        elif self.sizes[name] != value:
            both = f"{self._shown(name)} and {self._shown(other)} differ" if other else f"{self._shown(name)} is not 0"
            raise ExplainError(f"{both}, and the theorem uses {_named(hypothesis)}")

    def _heads_share_the_width(self) -> None:
        if "h" in self.sizes and "d_k" in self.sizes:
            width = self.sizes["h"] * self.sizes["d_k"]
            if self.sizes.get("d_model", width) != width:
                product = f"{self._shown('h')} times {self._shown('d_k')} is {width}"
                raise ExplainError(f"{product}, not {self._shown('d_model')}, and the theorem uses {_named('H1')}")
            if "d_model" not in self.sizes:
                self.set("d_model", width, "H1")
            return
        for divisor, quotient in (("h", "d_k"), ("d_k", "h"), ("kv_heads", "")):
            if "d_model" in self.sizes and divisor in self.sizes:
                self._divides(divisor, "d_model", f"and the theorem uses {_named('H1')}")
                if quotient:
                    self.set(quotient, self.sizes["d_model"] // self.sizes[divisor], "H1")
                    return

    def _groups_are_even(self) -> None:
        if "h" in self.sizes and "kv_heads" in self.sizes:
            self._divides("kv_heads", "h", "and each key/value head serves as many heads")

    def _divides(self, divisor: str, whole: str, reason: str) -> None:
        by, number = self.sizes[divisor], self.sizes[whole]
        if number % by:
            sizes = f"{self._shown(divisor)}, {self._shown(whole)}"
            raise ExplainError(f"{by} does not divide {number} ({sizes}), {reason}")

    def _shown(self, name: str) -> str:
        origin = self.origin[name]
        source = "" if origin == GIVEN else " by default" if origin == DEFAULT else f" by {origin}"
        return f"{name}={self.sizes[name]}{source}"

    def default(self, name: str) -> int:
        sizes, fixed = self.sizes, "H1" in self.hypotheses
        if name == "h":
            return self._default_heads()
        if name == "d_model":
            return 512 if not fixed or 512 % sizes["h"] == 0 else 64 * sizes["h"]
        if name == "d_k":
            width, rest = divmod(sizes["d_model"], sizes["h"])
            return 128 if "H1" in self.free else width if rest == 0 else 64
        if name == "kv_heads":
            return sizes["h"] if "H3" not in self.free else 2 if sizes["h"] % 2 == 0 else 1
        if name == "n":
            return 10
        if name == "bias":
            return int("H4" in self.free)
        hypothesis, other, own = _OTHERWISE_EQUAL[name]
        return own if hypothesis in self.free else sizes[other]

    def _default_heads(self) -> int:
        """8, or the largest number below it that divides `d_model`, and is a multiple of `kv_heads`."""
        width = self.sizes.get("d_model", 0) if "H1" in self.hypotheses else 0
        kv_heads = self.sizes.get("kv_heads", 1)
        candidates: tuple[int, ...] = (*range(8, 0, -1), kv_heads)
        return next(h for h in candidates if width % h == 0 and h % kv_heads == 0)


def _named(hypothesis: str) -> str:
    return f"{hypothesis}, {HYPOTHESES[hypothesis]}"
