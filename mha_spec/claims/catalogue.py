"""The theorems that come with the package: one file each, found by path in a checkout or in an installed wheel."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, overload

from .theorem import Theorem

if TYPE_CHECKING:
    from .values.theorem import ValueTheorem

Kind = TypeVar("Kind")
_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE / "_proofs", _PACKAGE.parent / "proofs")


def proofs_folder() -> Path:
    """Where the theorem files are; FileNotFoundError if the package was installed without them."""
    for folder in _FOLDERS:
        if (folder / "costs").is_dir():
            return folder
    looked = " or ".join(map(str, _FOLDERS))
    raise FileNotFoundError(f"no theorem files in {looked}: reinstall mha-spec, or run it from a checkout")


def theorem_files(kind: Literal["costs", "values"] = "costs") -> tuple[Path, ...]:
    """The theorem files of a kind, `costs` or `values`, in the order in which they are best read.

    The order is that of ``reading_order.txt`` beside them; a file that is not listed there comes last.
    """
    folder = proofs_folder() / kind
    listed = (folder / "reading_order.txt").read_text(encoding="utf-8").split()
    rank = {name: number for number, name in enumerate(listed)}
    return tuple(sorted(folder.glob("*.py"), key=lambda path: (rank.get(path.stem, len(rank)), path.stem)))


@cache
def theorems() -> tuple[Theorem, ...]:
    """Every cost theorem, in reading order; TypeError for a file that defines none."""
    return tuple(load(path, Theorem) for path in theorem_files("costs"))


@cache
def value_theorems() -> tuple[ValueTheorem, ...]:
    """Every value theorem, in reading order; TypeError for a file that defines none."""
    from .values.theorem import ValueTheorem

    return tuple(load(path, ValueTheorem) for path in theorem_files("values"))


@overload
def load(path: Path) -> Theorem: ...
@overload
def load(path: Path, kind: type[Kind]) -> Kind: ...
def load(path: Path, kind: type[object] = Theorem) -> object:
    """The theorem of a kind that a file defines under the name `theorem`; TypeError if it defines none."""
    spec = importlib.util.spec_from_file_location(f"mha_spec_proofs_{path.parent.name}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise TypeError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    theorem = getattr(module, "theorem", None)
    if not isinstance(theorem, kind):
        raise TypeError(f"{path} defines no {kind.__name__} under the name 'theorem'")
    return theorem
