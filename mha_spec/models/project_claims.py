"""Claims that a project keeps about its models, in `claims.toml` or under ``[tool.mha-spec]`` in `pyproject.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import ConfigError, refuse
from .flags import NAMES

FILES = ("claims.toml", "pyproject.toml")


@dataclass(frozen=True)
class ProjectModel:
    """A model of a project: a config file, or sizes, with what is claimed of it."""

    config: str | None
    sizes: Mapping[str, int]
    layers: int
    bias: bool
    claims: tuple[str, ...]
    seq: int | None
    assume_like: str | None


def find_project(folder: Path) -> Path:
    """The file that holds a project's claims.  Raises ConfigError where there is none."""
    for name in FILES:
        path = folder / name
        if path.is_file() and (name == "claims.toml" or _own_table(path) is not None):
            return path
    raise ConfigError(
        f"no CONFIG given, and {folder} has neither a claims.toml nor a pyproject.toml with [tool.mha-spec]"
    )


def read_project(path: Path) -> tuple[ProjectModel, ...]:
    """The models that a project lists.  Raises ConfigError for a table that is not written as documented."""
    table = _own_table(path) if path.name == "pyproject.toml" else _loaded(path)
    if table is None:
        raise ConfigError(f"{path}: [tool.mha-spec] is missing")
    models = table.get("models")
    if not isinstance(models, list) or not models:
        raise ConfigError(f"{path}: models is missing, expected one [[models]] table for each model")
    if strange := sorted(set(table) - {"models"}):
        raise refuse(str(path), strange[0], table[strange[0]], "no other key than models")
    return tuple(_model(path, number, model) for number, model in enumerate(models, 1))


def _model(path: Path, number: int, model: object) -> ProjectModel:
    place = f"{path}: model {number}"
    if not isinstance(model, dict):
        raise ConfigError(f"{place} is no table")
    allowed = {"config", "claims", "seq", "layers", "bias", "assume_like", *NAMES}
    if strange := sorted(set(model) - allowed):
        raise refuse(place, strange[0], model[strange[0]], f"one of {', '.join(sorted(allowed))}")
    config, claims = model.get("config"), model.get("claims", [])
    if config is not None and not isinstance(config, str):
        raise refuse(place, "config", config, "the path of a config file")
    if not isinstance(claims, list) or not all(isinstance(claim, str) for claim in claims):
        raise refuse(place, "claims", claims, "a list of claims")
    sizes = {name: model[name] for name in NAMES if name in model}
    for name, size in {**sizes, **{key: model[key] for key in ("seq", "layers") if key in model}}.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise refuse(place, name, size, "an integer of at least 1")
    if (config is None) == (not sizes):
        raise ConfigError(f"{place}: expected either config or sizes such as d_model and h")
    return ProjectModel(
        str(path.parent / config) if config else None,
        sizes,
        model.get("layers", 1),
        bool(model.get("bias", False)),
        tuple(claims),
        model.get("seq"),
        model.get("assume_like"),
    )


def _own_table(path: Path) -> Mapping[str, object] | None:
    """The table ``[tool.mha-spec]`` of a `pyproject.toml`, or None."""
    tools = _loaded(path).get("tool")
    own = tools.get("mha-spec") if isinstance(tools, dict) else None
    if own is not None and not isinstance(own, dict):
        raise ConfigError(f"{path}: tool.mha-spec is no table")
    return own


def _loaded(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
