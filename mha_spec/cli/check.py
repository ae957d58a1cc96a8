"""``mha-spec check``: read configs, and print what their attention layers hold, cost, and which claims apply."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from mha_spec.design import DesignError
from mha_spec.models.checking import CheckedModel, Wanted, check, check_reading
from mha_spec.models.flags import read_flags
from mha_spec.models.project_claims import ProjectModel, find_project, read_project
from mha_spec.models.user_claims import require_readable

from .guard import BAD_INPUT

Format: TypeAlias = Literal["text", "json", "markdown", "csv", "github"]


@dataclass(frozen=True)
class CheckOptions:
    """What the user asked for beside the configs."""

    wanted: Wanted = field(default_factory=Wanted)
    sizes: tuple[tuple[str, int], ...] = ()
    layers: int = 1
    bias: bool = False
    assume_like: str | None = None
    versus: str | None = None
    vary: str | None = None
    hold: tuple[str, ...] = ()
    plot: str | None = None
    cross_check: bool = False
    strict: bool = False
    output: Format = "text"


def run(configs: Sequence[str], options: CheckOptions) -> int:
    """Print what was asked and return the exit status: 1 if a claim of the user's fails, 2 for bad input.

    Of several files the good ones are reported, whatever the others are.
    """
    for claim in options.wanted.claims:
        require_readable(claim)
    refused: list[str] = []
    models = list(_checked(configs, options, refused))
    for message in refused:
        print(f"mha-spec: {message}", file=sys.stderr)
    if models:
        _print(models, options)
    elif options.output == "json":
        print(json.dumps({"schema": 1, "files": []}, indent=2))
    status = _status(models, options)
    if options.cross_check:
        from mha_spec.models.cross_check import print_cross_checks

        status = max(status, print_cross_checks([name for name in configs if name != "-"]))
    return BAD_INPUT if refused else status


def _checked(configs: Sequence[str], options: CheckOptions, refused: list[str]) -> Iterator[CheckedModel]:
    """Each model that can be read; the messages of the others are put into `refused`."""
    if options.sizes:
        if configs:
            raise DesignError(f"{configs[0]} and sizes are given: give a config file or a design in flags, not both")
        yield check_reading(read_flags(dict(options.sizes), layers=options.layers, bias=options.bias), options.wanted)
        return
    if not configs:
        path = find_project(Path.cwd())
        for model in read_project(path):
            yield from _guarded_project(model, options, refused)
        return
    for name in (*configs, *filter(None, [options.versus])):
        try:
            yield check(name, assume_like=options.assume_like, wanted=options.wanted)
        except (DesignError, OSError) as error:
            refused.append(_sentence(error))


def _guarded_project(model: ProjectModel, options: CheckOptions, refused: list[str]) -> Iterator[CheckedModel]:
    for claim in model.claims:
        require_readable(claim)
    wanted = replace(
        options.wanted,
        claims=(*model.claims, *options.wanted.claims),
        seq=options.wanted.seq if model.seq is None else model.seq,
    )
    try:
        if model.config is None:
            reading = read_flags(model.sizes, layers=model.layers, bias=model.bias)
            yield check_reading(reading, wanted)
        else:
            yield check(model.config, assume_like=model.assume_like, wanted=wanted)
    except (DesignError, OSError) as error:
        refused.append(_sentence(error))


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _status(models: Sequence[CheckedModel], options: CheckOptions) -> int:
    if options.strict:
        return int(not all(model.all_holds for model in models))
    return int(not all(model.claims_hold for model in models))


def _print(models: Sequence[CheckedModel], options: CheckOptions) -> None:
    if options.vary is not None:
        from .check_vary import print_variants

        print_variants(models, options.vary, options.hold, options.plot, options.output)
    elif options.output == "json":
        print(json.dumps({"schema": 1, "files": [model.as_json() for model in models]}, indent=2))
    elif options.output == "csv":
        from .check_tables import print_csv

        print_csv(models)
    elif options.output == "markdown":
        from .check_tables import print_markdown

        print_markdown(models)
    elif options.output == "github":
        from .check_github import print_annotations

        print_annotations(models, strict=options.strict)
    elif options.versus is not None and len(models) == 2:
        from .check_versus import print_comparison

        print_comparison(models[0], models[1])
    else:
        from .check_text import print_models

        print_models(models)
