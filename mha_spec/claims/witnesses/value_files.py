"""The theorems about values: files for Rocq, and what their text says of the files and axioms they need."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mha_spec.claims.catalogue import proofs_folder

LIBRARY = "MhaSpec"
"""The name under which the files require each other."""

# Commands that assume something, leave a proof open, or turn off a check.
_ASSUMING = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|Abort|bypass_check|"
    r"Unset\s+(?:Guard|Positivity|Universe)\s+Checking|Load|Declare\s+ML\s+Module|Drop)\b"
)
# In a section these say what its theorems are about; outside of one they are axioms.
_IN_SECTIONS = re.compile(r"\b(Hypothes[ie]s|Variables?|Context)\b")
_SECTION = re.compile(r"\bSection\s+(\w+)\s*\..*?\bEnd\s+\1\s*\.", re.DOTALL)
_THEOREM = re.compile(
    r"^\s*(?:Local\s+|Global\s+)?(?:Theorem|Lemma|Corollary|Proposition|Fact|Remark)\s+([\w']+)", re.MULTILINE
)
_PRINT = re.compile(r"^[ \t]*Print\s+Assumptions\s+[\w']+\s*\.", re.MULTILINE)
_REQUIRE = re.compile(rf"From\s+{LIBRARY}\s+Require\s+(?:Import\s+|Export\s+)?([\w\s]+?)\s*\.")


@dataclass(frozen=True)
class ValueFile:
    """A file for Rocq: its name without ``.v``, its text, the files it needs, and the theorems it proves."""

    name: str
    text: str
    needs: tuple[str, ...]
    theorems: tuple[str, ...]

    def without_questions(self) -> str:
        """The text, line by line, without its own ``Print Assumptions``: these are asked of all files together."""
        return _PRINT.sub("", self.text)


def value_files(folder: Path | None = None) -> tuple[ValueFile, ...]:
    """The files in a folder, those of the package by default, by name."""
    folder = proofs_folder() / "rocq" if folder is None else folder
    return tuple(_read(path) for path in sorted(folder.glob("*.v")))


def _read(path: Path) -> ValueFile:
    text = path.read_text(encoding="utf-8")
    code = without_comments(text)
    needs = tuple(name for found in _REQUIRE.finditer(code) for name in found[1].split())
    return ValueFile(path.stem, text, needs, tuple(_THEOREM.findall(code)))


def without_comments(text: str) -> str:
    """The text without comments, which nest, and without strings."""
    kept: list[str] = []
    depth = 0
    for token in re.findall(r'\(\*|\*\)|"[^"]*"|.|\n', text):
        depth += (token == "(*") - (token == "*)" and depth > 0)
        if depth == 0 and token != "*)":
            kept.append('""' if token.startswith('"') else token)
    return "".join(kept)


def assuming_word(text: str) -> str:
    """The first command in a file's text that assumes something or turns off a check; empty if there is none."""
    code = without_comments(text)
    found = _ASSUMING.search(code) or _IN_SECTIONS.search(_SECTION.sub("", code))
    return " ".join(found[0].split()) if found else ""
