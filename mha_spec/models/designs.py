"""A kind of attention layer of a model, with its sizes, parameters, and where each number came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

SIZES = ("d_model", "d_memory", "h", "kv_heads", "d_k", "d_v")
MATRICES = ("q", "k", "v", "o")


@dataclass(frozen=True)
class Weights:
    """The parameters of one module. A matrix is None where it is not known, or is factored into others.

    `biases` has an entry for each projection that carries one; `other` counts the rest of the attention module by
    name (norms, sinks, gates, tables, low-rank factors); `factored` gives the shapes of the factors among them.
    """

    matrices: Mapping[str, int | None]
    biases: Mapping[str, int] | None
    other: Mapping[str, int] | None
    factored: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def projection_weights(self) -> int | None:
        """The entries of `W_Q, W_K, W_V, W_O`; None if one of them is None."""
        return _sum([self.matrices[name] for name in MATRICES])

    @property
    def bias_entries(self) -> int | None:
        """The entries of all biases of the projections."""
        return None if self.biases is None else sum(self.biases.values())

    @property
    def other_entries(self) -> int | None:
        """The entries of everything else in the module."""
        return None if self.other is None else sum(self.other.values())

    @property
    def total(self) -> int | None:
        """All parameters of one module; a matrix that is factored counts by its factors."""
        known = [self.matrices[name] for name in MATRICES if not (self.factored and self.matrices[name] is None)]
        return _sum([*known, self.bias_entries, self.other_entries])


_Count: TypeAlias = Callable[[Weights], "int | None"]


@dataclass(frozen=True)
class LayerDesign:
    """One kind of attention layer: every number is that of one module, and None if it is not known.

    `kind` is self, cross or latent; `side` encoder or decoder in a model that has both; `tower` the place in the
    config that describes it, empty for the top.  `modules` counts distinct modules, `applied` calls in a forward
    pass.  `window` is how many keys a sliding layer sees, `cache` the entries that a latent layer keeps a token.
    """

    kind: str
    sliding: bool
    side: str | None
    tower: str
    modules: int | None
    applied: int | None
    sizes: Mapping[str, int | None]
    gate: bool
    weights: Weights
    provenance: Mapping[str, str]
    assumed: tuple[str, ...] = ()
    window: int | None = None
    cache: int | None = None
    causal: bool = True
    reads_tokens: bool = True  # no where a tower reads images, sounds or series, whose length is not the text's
    rule: str = ""

    def size(self, name: str) -> int | None:
        """The size of that name, or None if it is not known."""
        return self.sizes[name]

    @property
    def caches(self) -> bool:
        """Whether a decoder keeps its keys and values: a causal self-attention, or what it reads across."""
        return self.reads_tokens and (self.causal or self.kind == "cross")

    @property
    def has_biases(self) -> bool:
        """Whether any projection carries a bias; no where that is not known."""
        return bool(self.weights.biases)

    @property
    def attention_parameters(self) -> int | None:
        """The parameters of all its modules together."""
        return _product(self.weights.total, self.modules)

    def as_json(self) -> dict[str, object]:
        """The entry of `--format json`."""
        weights = self.weights
        return {
            "kind": self.kind,
            "sliding": self.sliding,
            "side": self.side,
            "tower": self.tower,
            "modules": self.modules,
            "applied": self.applied,
            **{name: self.sizes[name] for name in SIZES},
            "q_gate": self.gate,
            "parameters": {
                **{name: weights.matrices[name] for name in MATRICES},
                "biases": weights.bias_entries,
                "other": weights.other_entries,
                "total": weights.total,
            },
            "factored": {name: list(shape) for name, shape in weights.factored.items()},
            "provenance": dict(self.provenance),
            "assumed": list(self.assumed),
        }


@dataclass(frozen=True)
class Uncovered:
    """A key that is not understood, and why that matters."""

    key: str
    reason: str


@dataclass(frozen=True)
class ModelReading:
    """What was read of one config: designs, and what could not be read."""

    file: str
    model_type: str | None
    designs: tuple[LayerDesign, ...]
    not_covered: tuple[Uncovered, ...] = ()
    complete: bool = True  # whether every tower was read
    positions: int | None = None
    positions_source: str = ""

    def totals(self) -> dict[str, int | None]:
        """The totals over distinct modules of all towers, each None whenever a part of it is not known."""
        if not self.complete or not self.designs:
            return dict.fromkeys(("attention_layers", "qkvo_weights", "qkvo_biases", "attention_parameters"))
        return {
            "attention_layers": _sum([design.modules for design in self.designs]),
            "qkvo_weights": self._over(lambda weights: weights.projection_weights),
            "qkvo_biases": self._over(lambda weights: weights.bias_entries),
            "attention_parameters": self._over(lambda weights: weights.total),
        }

    def _over(self, count: _Count) -> int | None:
        return _sum([_product(count(design.weights), design.modules) for design in self.designs])


def merged(designs: Sequence[LayerDesign]) -> tuple[LayerDesign, ...]:
    """Designs that agree in everything but how many modules they have, as one."""
    found: dict[str, LayerDesign] = {}
    for design in designs:
        key = repr(replace(design, modules=0, applied=0))
        before = found.get(key)
        if before is None:
            found[key] = design
        else:
            modules = _sum([before.modules, design.modules])
            found[key] = replace(before, modules=modules, applied=_sum([before.applied, design.applied]))
    return tuple(found.values())


def _sum(parts: Sequence[int | None]) -> int | None:
    total = 0
    for part in parts:
        if part is None:
            return None
        total += part
    return total


def _product(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left * right
