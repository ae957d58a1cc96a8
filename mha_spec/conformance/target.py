"""Finding the factory that a user names: `package.module:name`, or `path/to/file.py:name`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import cast

from .contract import Factory


class TargetError(ValueError):
    """A target that cannot be used, with the place and the fix."""


def load_target(target: str) -> Factory:
    """The factory that a target names; raises `TargetError` for one that does not exist or is not callable."""
    where, colon, name = target.rpartition(":")
    if not colon or not where or not name:
        raise TargetError(f"{target!r} names no factory: write package.module:name or path/to/file.py:name")
    module = _file(target, Path(where)) if where.endswith(".py") else _module(target, where)
    found: object = module
    for part in name.split("."):
        found = _attribute(target, found, part)
    if not callable(found):
        raise TargetError(f"{target!r} is a {type(found).__name__}, which is not callable: a factory takes a design")
    return cast(Factory, found)


def importable_name(factory: object) -> str | None:
    """The target that names this object in another process, or None if none does."""
    module, name = getattr(factory, "__module__", None), getattr(factory, "__qualname__", None)
    if not module or not name or module == "__main__":
        return None
    found: object = sys.modules.get(module)
    spec = getattr(found, "__spec__", None)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not factory or spec is None:
        return None
    return f"{module}:{name}"


def _module(target: str, name: str) -> ModuleType:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # a console script does not look into the current folder
    return _imported(target, lambda: importlib.import_module(name))


def _file(target: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise TargetError(f"{target!r}: there is no file {path}")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as if it were run, so that it can import what lies beside it
    name = f"{path.stem}_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{target!r}: {path} is not a Python file")
    module, loader = importlib.util.module_from_spec(spec), spec.loader
    sys.modules[name] = module

    def run() -> ModuleType:
        loader.exec_module(module)
        return module

    try:
        return _imported(target, run)
    except TargetError:
        del sys.modules[name]
        raise


def _imported(target: str, action: Callable[[], ModuleType]) -> ModuleType:
    try:
        return action()
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = "" if "importlib" in last.filename else f", at {last.filename}:{last.lineno}"
        said = f"{type(error).__name__}: {error}".strip()
        raise TargetError(f"{target!r} does not import{place}: {said}") from error


def _attribute(target: str, owner: object, name: str) -> object:
    if hasattr(owner, name):
        return getattr(owner, name)
    near = difflib.get_close_matches(name, [known for known in dir(owner) if not known.startswith("_")], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise TargetError(f"{target!r}: there is no {name!r} in {getattr(owner, '__name__', owner)}{hint}")
