"""One config checked: its designs, costs at a length, and verdicts on the textbook's claims and the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .class_defaults import digest, library
from .costs import Causality, Setting, layer_cost, model_cost
from .designs import LayerDesign, ModelReading
from .model import read_model
from .reading import read_config
from .user_claims import judge
from .verdicts import ModelVerdict, textbook_verdicts

DEFAULT_LENGTH = 1024  # where a config says nothing about positions


@dataclass(frozen=True)
class Wanted:
    """What is asked beside the config; `seq` None is the model's own maximum."""

    seq: int | None = None
    batch: int = 1
    dtype: str = "bfloat16"
    causal: Causality = "full"
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckedDesign:
    """A design with the verdicts on it, the textbook's and the user's."""

    design: LayerDesign
    textbook: tuple[ModelVerdict, ...]
    claims: tuple[ModelVerdict, ...]


@dataclass(frozen=True)
class CheckedModel:
    """A config that was read, with everything said of it."""

    reading: ModelReading
    setting: Setting
    length_source: str
    designs: tuple[CheckedDesign, ...]
    unread_claims: tuple[str, ...] = ()  # the user's claims, where no design could be read

    @property
    def claims_hold(self) -> bool:
        """Whether every claim of the user's holds on every design."""
        held = all(one.outcome == "HOLDS" for checked in self.designs for one in checked.claims)
        return held and not self.unread_claims

    @property
    def all_holds(self) -> bool:
        """Whether also every claim of the textbook's holds, and nothing is left uncovered."""
        held = all(one.outcome == "HOLDS" for checked in self.designs for one in checked.textbook)
        return self.claims_hold and held and not self.reading.not_covered and bool(self.designs)

    def as_json(self) -> dict[str, object]:
        """The entry of one file in ``--format json``."""
        claims = [
            {"design": number, "by": by, **verdict.as_json()}
            for number, checked in enumerate(self.designs)
            for by, verdicts in (("textbook", checked.textbook), ("user", checked.claims))
            for verdict in verdicts
        ]
        claims += [
            {"design": None, "by": "user", **ModelVerdict(claim, "NOT COVERED", why="no layer was read").as_json()}
            for claim in self.unread_claims
        ]
        return {
            "file": self.reading.file,
            "model_type": self.reading.model_type,
            "designs": [checked.design.as_json() for checked in self.designs],
            "totals": self.reading.totals(),
            "claims": claims,
            "not_covered": [{"key": one.key, "reason": one.reason} for one in self.reading.not_covered],
            "setting": {**vars(self.setting), "n_source": self.length_source},
            "costs": {
                "layers": [layer_cost(one.design, self.setting).as_json() for one in self.designs],
                "total": model_cost(self.reading, self.setting),
                "units": UNITS,
            },
            "class_defaults": {"library": library(), "sha256": digest()},
        }


UNITS = {
    "parameters": "entries",
    "projection_multiplications": "multiplications",
    "score_multiplications": "multiplications",
    "mixing_multiplications": "multiplications",
    "multiplications": "multiplications",
    "exponentials": "exponentials",
    "kv_cache_bytes": "bytes",
    "score_bytes": "bytes",
}
"""The unit of each cost; costs are those of the whole batch, but for the parameters."""


def check(config: str, *, assume_like: str | None = None, wanted: Wanted | None = None) -> CheckedModel:
    """Read a config file (``-`` for standard input) and say what its attention layers hold, cost and claim.

    `assume_like` names the model type to read an unknown one as.  Raises ConfigError for a file that is no config.
    """
    return check_reading(read_model(read_config(config), assume_like), wanted or Wanted())


def check_reading(reading: ModelReading, wanted: Wanted) -> CheckedModel:
    """The same for a config that is already read, or a design that was given by flags."""
    if wanted.seq is not None:
        n, source = wanted.seq, "--seq"
    elif reading.positions is not None:
        n, source = reading.positions, reading.positions_source
    else:
        n, source = DEFAULT_LENGTH, "the config does not say; choose with --seq"
    setting = Setting(n, wanted.batch, wanted.dtype, wanted.causal)
    keys = tuple(one.key for one in reading.not_covered)
    designs = tuple(
        CheckedDesign(
            design,
            textbook_verdicts(design, setting, _key_for(design, keys)),
            _judged(wanted.claims, design, setting),
        )
        for design in reading.designs
    )
    return CheckedModel(reading, setting, source, designs, () if designs else wanted.claims)


def _key_for(design: LayerDesign, keys: Sequence[str]) -> str:
    """The key of a design's tower that is not understood, if there is one."""
    return next((key for key in keys if key.rpartition(".")[0] == design.tower), "")


def _judged(claims: Sequence[str], design: LayerDesign, setting: Setting) -> tuple[ModelVerdict, ...]:
    return tuple(judge(claim, design, setting) for claim in claims)
