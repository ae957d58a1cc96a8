"""The laws of attention layers as a table: what each says, how it is checked, and the theorem it follows from."""

from __future__ import annotations

import re

from mha_spec.conformance.laws import Law, catalogue
from theorem_text import table, title

KINDS = {"relation": "relation between runs", "value": "value against the definition", "cost": "cost"}


def laws() -> str:
    """The table of all laws, in the order in which they are run."""
    return table(("law", "is a", "checked by", "follows from"), map(_row, catalogue())) + "\n"


def _row(law: Law) -> tuple[str, str, str, str]:
    page = f"/_generated/theorems/{law.theorem}.md"
    theorem = "the contract" if law.theorem is None else f"[{title(law.theorem)}]({page})"
    needs = f" Needs {', '.join(sorted(law.needs))}." if law.needs else ""
    return law.sentence, KINDS[law.kind], _escaped(law.explanation) + needs, theorem


def _escaped(words: str) -> str:
    """Words with Markdown's signs escaped, code between backticks left as it is."""
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(part if part.startswith("`") else re.sub(r"([*_$])", r"\\\1", part) for part in parts)
