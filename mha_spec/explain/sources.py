"""Where a theorem is written down: its file, the prose in it, and how to cite it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal

from mha_spec import __version__
from mha_spec.claims.catalogue import theorem_files


@dataclass(frozen=True)
class Origin:
    """The file of a theorem below the project's root, what its prose says beyond its results, and how to cite it.

    `paragraphs` have code between double backticks; a theorem without a file has none.
    """

    location: str
    paragraphs: tuple[str, ...]
    cite: str

    @property
    def remark(self) -> str:
        """The paragraphs as plain prose, with an empty line between them."""
        return "\n\n".join(self.paragraphs).replace("``", "")


def origin(name: str, kind: Literal["costs", "values"]) -> Origin:
    """Where the theorem of a kind, `costs` or `values`, is written down."""
    cite = f"mha-spec {__version__}, theorem {name}"
    file = next((path for path in theorem_files(kind) if path.stem == name), None)
    if file is None:
        return Origin("", (), cite)
    location = f"proofs/{kind}/{file.name}"
    return Origin(location, _paragraphs(file.read_text(encoding="utf-8")), f"{cite}, {location}")


def title(name: str) -> str:
    """The name of a theorem as words."""
    return name.replace("_", " ").capitalize()


def _paragraphs(source: str) -> tuple[str, ...]:
    """The paragraphs after the first two, which say what the theorem itself says; words cut at a hyphen are joined."""
    paragraphs = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[2:]
    return tuple(" ".join(re.sub(r"-\n\s*", "-", paragraph).split()) for paragraph in paragraphs)
