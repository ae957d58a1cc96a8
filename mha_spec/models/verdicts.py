"""The textbook's claims on one design: HOLDS, COINCIDENCE, FAILS with the ratio, or NOT COVERED with the key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from .costs import Setting, layer_cost, pairs
from .designs import LayerDesign
from .tower_weights import product

Outcome: TypeAlias = Literal["HOLDS", "COINCIDENCE", "FAILS", "NOT COVERED"]


@dataclass(frozen=True)
class Textbook:
    """A claim of the textbook, the theorem that proves it, and the hypotheses of a design that it needs."""

    claim: str
    theorem: str
    needs: tuple[str, ...]


TEXTBOOK = (
    Textbook("projection_weights == 4*d_model**2", "projection_weights", ("H1", "H2", "H3", "H6")),
    Textbook("parameters == 4*d_model**2", "parameters", ("H1", "H2", "H3", "H4", "H6")),
    Textbook("score_multiplications == n**2*d_model", "score_multiplications", ("H1",)),
    Textbook("multiplications independent of h", "multiplications", ("H1", "H2", "H3")),
    Textbook("kv_cache_entries == 2*m*d_model", "full_kv_cache_entries", ("H1", "H2", "H3")),
)
"""What is said of every model; each claim is proved by the theorem of that name for all designs that meet `needs`."""


@dataclass(frozen=True)
class ModelVerdict:
    """What became of a claim on one design. `ratio` is the value over the claimed one, where it fails."""

    claim: str
    outcome: Outcome
    theorem: str | None = None
    broken: tuple[str, ...] = ()
    ratio: Fraction | None = None
    why: str = ""

    def as_json(self) -> dict[str, object]:
        """The entry of `--format json`, without the design that it is about."""
        return {
            "claim": self.claim,
            "verdict": self.outcome,
            "theorem": self.theorem,
            "hypotheses_broken": list(self.broken),
            "ratio": None if self.ratio is None else float(self.ratio),
            "why": self.why,
        }


def textbook_verdicts(design: LayerDesign, setting: Setting, key: str = "") -> tuple[ModelVerdict, ...]:
    """The verdict on each claim of `TEXTBOOK`; `key` is the config key to name where a number is not known."""
    full = replace(setting, causal="full", batch=1)  # as the textbook counts
    return tuple(_verdict(one, design, full, key) for one in TEXTBOOK if _applies(one, design))


def _applies(textbook: Textbook, design: LayerDesign) -> bool:
    return design.caches or "cache" not in textbook.theorem


def _verdict(textbook: Textbook, design: LayerDesign, setting: Setting, key: str) -> ModelVerdict:
    if "independent" in textbook.claim:
        return _independence(textbook, design, setting, key)
    value, claimed = _SIDES[textbook.theorem](design, setting)
    if value is None or not claimed:
        return ModelVerdict(textbook.claim, "NOT COVERED", why=_unknown(design, key))
    broken = broken_hypotheses(design, textbook.needs)
    extra = tuple(_extras(textbook, design))
    if not broken and not extra and value == claimed:
        return ModelVerdict(textbook.claim, "HOLDS", textbook.theorem)
    ratio = Fraction(value, claimed)
    if value == claimed:
        return ModelVerdict(textbook.claim, "COINCIDENCE", None, broken, ratio, _reasons(design, broken, extra))
    return ModelVerdict(textbook.claim, "FAILS", None, broken, ratio, _reasons(design, broken, extra))


def _independence(textbook: Textbook, design: LayerDesign, setting: Setting, key: str) -> ModelVerdict:
    """Whether more or fewer heads would cost the same, d_model held and the other sizes as this config gives them."""
    broken = broken_hypotheses(design, textbook.needs)
    cost = layer_cost(design, setting).multiplications
    if cost is None:
        return ModelVerdict(textbook.claim, "NOT COVERED", why=_unknown(design, key))
    extra = tuple(
        reason
        for reason, there in (
            ("latent attention", design.kind == "latent"),
            ("q also makes a gate", design.gate),
            ("each query sees a window, which no number of heads changes", design.sliding),
        )
        if there
    )
    if not broken and not extra:
        return ModelVerdict(textbook.claim, "HOLDS", textbook.theorem)
    twice = twice_the_heads(design, setting)
    ratio = None if twice is None else Fraction(twice, cost)
    why = _reasons(design, broken, extra)
    if ratio == 1:
        return ModelVerdict(textbook.claim, "COINCIDENCE", None, broken, ratio, why)
    told = f"{why}; the ratio is that of twice the heads" if ratio is not None else why
    return ModelVerdict(textbook.claim, "FAILS", None, broken, ratio, told)


def twice_the_heads(design: LayerDesign, setting: Setting) -> int | None:
    """The multiplications of a layer with twice the heads: key/value heads as they are, head sizes as they follow.

    Where the heads share d_model (H1) their size halves, else it stays.  None for latent attention and gates, where
    other sizes would change too, and where half a head size is no integer.
    """
    sizes = design.sizes
    h, kv_heads, d_k, d_v = (sizes[name] for name in ("h", "kv_heads", "d_k", "d_v"))
    d_model, d_memory, seen = sizes["d_model"], sizes["d_memory"], pairs(design, setting)
    if design.gate or design.kind == "latent" or None in (h, kv_heads, d_k, d_v, d_model, d_memory, seen):
        return None
    assert h is not None and kv_heads is not None and d_k is not None  # noqa: PT018 -- for mypy
    assert d_v is not None and d_model is not None and d_memory is not None and seen is not None  # noqa: PT018
    if h * d_k == d_model:
        if d_k % 2 or d_v % 2:
            return None
        d_k, d_v = d_k // 2, d_v // 2
    if kv_heads == h:
        kv_heads *= 2
    h *= 2
    for_token = d_model * h * (d_k + d_v) + d_memory * kv_heads * (d_k + d_v)
    return setting.batch * (setting.n * for_token + h * seen * (d_k + d_v))


def broken_hypotheses(design: LayerDesign, among: tuple[str, ...]) -> tuple[str, ...]:
    """The hypotheses that a design does not meet, or of which a size is not known."""
    sizes = {name: size for name, size in design.sizes.items() if size is not None}
    met = {
        "H1": product(sizes.get("h"), sizes.get("d_k")) == sizes.get("d_model"),
        "H2": sizes.get("d_v") == sizes.get("d_k"),
        "H3": sizes.get("kv_heads") == sizes.get("h"),
        "H4": not design.has_biases,
        "H6": sizes.get("d_memory") == sizes.get("d_model"),
    }
    return tuple(name for name in among if not met[name])


def _weights(design: LayerDesign, _: Setting) -> tuple[int | None, int | None]:
    d_model = design.size("d_model")
    return design.weights.projection_weights, product(4, d_model, d_model)


def _parameters(design: LayerDesign, _: Setting) -> tuple[int | None, int | None]:
    d_model = design.size("d_model")
    return design.weights.total, product(4, d_model, d_model)


def _scores(design: LayerDesign, setting: Setting) -> tuple[int | None, int | None]:
    n = setting.n
    return layer_cost(design, setting).score_multiplications, product(n, n, design.size("d_model"), setting.batch)


def _cache(design: LayerDesign, setting: Setting) -> tuple[int | None, int | None]:
    if design.cache is not None:
        return design.cache, product(2, design.size("d_model"))
    kv_heads, d_k, d_v = (design.size(name) for name in ("kv_heads", "d_k", "d_v"))
    width = None if d_k is None or d_v is None else d_k + d_v
    return product(kv_heads, width), product(2, design.size("d_model"))


_SIDES: dict[str, Callable[[LayerDesign, Setting], tuple[int | None, int | None]]] = {
    "projection_weights": _weights,
    "parameters": _parameters,
    "score_multiplications": _scores,
    "full_kv_cache_entries": _cache,
}
"""What a layer holds or takes, and what the textbook says it does, for one token of a cache."""


def _extras(textbook: Textbook, design: LayerDesign) -> Iterator[str]:
    """What breaks a claim although it is no hypothesis."""
    name = textbook.theorem
    if design.kind == "latent" and name != "score_multiplications":
        yield "keys and values come from a latent"
    if design.gate and name in {"projection_weights", "parameters"}:
        yield "q also makes a gate"
    if name == "parameters" and design.weights.other:
        yield "other parameters: " + ", ".join(design.weights.other)
    if name == "score_multiplications" and design.sliding:
        yield f"each query sees at most {design.window:,} keys" if design.window else "each query sees a window"


def _reasons(design: LayerDesign, broken: tuple[str, ...], extra: tuple[str, ...]) -> str:
    """Why a claim fails, biases told apart from matrices that break it."""
    sizes = design.sizes
    said = {
        "H1": f"h*d_k is {_shown(product(sizes['h'], sizes['d_k']))}, not d_model = {_shown(sizes['d_model'])}",
        "H2": f"d_v is {_shown(sizes['d_v'])}, not d_k = {_shown(sizes['d_k'])}",
        "H3": f"{_shown(sizes['kv_heads'])} key/value heads for {_shown(sizes['h'])} heads",
        "H4": f"biases on {', '.join(design.weights.biases or ())}"
        + (" alone: the matrices hold what the textbook says" if broken == ("H4",) and not extra else ""),
        "H6": f"keys and values are read from a width of {_shown(sizes['d_memory'])}",
    }
    return "; ".join([*(f"{name} ({said[name]})" for name in broken), *extra])


def _shown(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _unknown(design: LayerDesign, key: str) -> str:
    if key:
        return f"{key} is not understood"
    if design.sliding and design.window is None:
        return "the window of the sliding layers is not read"
    if design.kind == "latent":
        return "a projection is factored, so that it has no matrix of its own"
    return "a size is not known"
