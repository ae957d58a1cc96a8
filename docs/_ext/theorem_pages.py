"""Pages from the theorems themselves: one for each, and a table of all.

The pages are written when a build begins, from the objects that the tests certify, and every claim is proved
again for its row in the table. A claim that is not proved stops the build, so the table cannot lie.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from law_text import laws
from mha_spec.claims.catalogue import theorems, value_theorems
from mha_spec.explain.value_lesson import value_lesson
from mha_spec.explain.value_markdown import markdown_value_lesson
from theorem_text import index, page, quantities

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def write_if_changed(path: Path, text: str) -> None:
    """Write a page, and leave it alone if it says the same already: Sphinx then need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_pages(app: Sphinx) -> None:
    """Write all pages below ``_generated`` and remove those of theorems that are gone."""
    folder = Path(app.srcdir) / "_generated"
    proved, values = theorems(), [value_lesson(theorem) for theorem in value_theorems()]
    pages = {folder / "theorems" / f"{theorem.name}.md": page(theorem) for theorem in proved}
    pages |= {folder / "theorems" / f"{one.theorem.name}.md": markdown_value_lesson(one) for one in values}
    pages[folder / "theorems.md"] = index(proved, values)
    pages[folder / "parts" / "quantities.md"] = quantities()
    pages[folder / "parts" / "laws.md"] = laws()
    for path, text in pages.items():
        write_if_changed(path, text)
    for path in folder.rglob("*.md"):
        if path not in pages:
            path.unlink()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
