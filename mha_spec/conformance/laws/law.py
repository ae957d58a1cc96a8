"""What a law is: a sentence, the theorem it rests on, what it needs, the cases it wants and how it is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..cases.wanted import Wanted
from ..declarations import Declarations
from ..trial import Trial

Kind: TypeAlias = Literal["relation", "value", "cost"]
Need: TypeAlias = Literal["parameters", "weights", "gradients", "step", "parameter count", "causal and not causal"]
Check: TypeAlias = Callable[[Trial], None]


@dataclass(frozen=True)
class Law:
    """A law of attention layers.

    - `kind`: a relation between runs, a value against the definition, or a cost.
    - `theorem`: the name of the proof in `proofs/` from which it follows, or None where it is part of the contract.
    - `needs`: what a layer must offer; `only_sees`: the mistakes that no law without these needs would show.
    - `check` raises `LawBroken` on a case for which the law does not hold.
    """

    name: str
    kind: Kind
    theorem: str | None
    wanted: Wanted
    check: Check = field(repr=False)
    needs: frozenset[Need] = frozenset()
    only_sees: str = ""

    @property
    def sentence(self) -> str:
        """The law in words."""
        return self.name.replace("_", " ")

    @property
    def explanation(self) -> str:
        """What is done to check it."""
        return " ".join((self.check.__doc__ or "").split())

    def ruled_out_by(self, declared: Declarations) -> str | None:
        """Why no case of this law can be exercised with these declarations, or None."""
        if declared.fixed_design is not None and self.needs & {"parameters", "parameter count"}:
            return "it sets parameters, and those of a ready-made layer cannot be set"
        if declared.fixed_design is not None and "causal and not causal" in self.needs:
            return "it compares causal and non-causal layers, and a ready-made layer is one of them"
        if "causal and not causal" in self.needs and declared.causal is not True:
            return "it compares causal and non-causal layers, and the factory makes only one of them"
        return None


def law(kind: Kind, theorem: str | None, wanted: Wanted, *needs: Need, only_sees: str = "") -> Callable[[Check], Law]:
    """A function that checks one case as a law; its name is the sentence, its docstring says what is done."""
    return lambda check: Law(check.__name__, kind, theorem, wanted, check, frozenset(needs), only_sees)
