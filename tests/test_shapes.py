"""The signatures that mypy trusts, each run on NumPy; and what the operations mean, as plain loops."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from mha_spec import shapes
from mha_spec.signatures import BATCH, Spec, read

PRIMES = {"i": 3, "j": 5, "k": 7, "n": 11, "m": 13, "h": 17, "group": 19}
BATCHES: list[tuple[int, ...]] = [(), (2,), (2, 23)]
BORDER = {"trust", "trust_weight", "trust_mask", "plain", "untyped", "sqrt"}  # without shapes of their own


class Signature(NamedTuple):
    """A name such as `Array.mT` or `rowmax`, the annotations of its parameters and of its result."""

    name: str
    parameters: list[Any]
    result: Any


def methods() -> list[Signature]:
    """Everything that the classes declare for the checker only."""
    found = []
    space = vars(shapes)
    for owner in ast.parse(inspect.getsource(shapes)).body:
        if isinstance(owner, ast.ClassDef):
            for node in ast.walk(owner):
                if isinstance(node, ast.FunctionDef):
                    assert node.returns is not None
                    texts = [a.annotation for a in (*node.args.posonlyargs, *node.args.args)]
                    own = f"{owner.name}[*Axes]"  # an unannotated self
                    kinds = [eval(ast.unparse(text) if text else own, space) for text in texts]
                    found.append(
                        Signature(f"{owner.name}.{node.name}", kinds, eval(ast.unparse(node.returns), space))
                    )
    return found


def functions() -> list[Signature]:
    found = []
    for name, function in vars(shapes).items():
        if inspect.isfunction(function) and function.__module__ == shapes.__name__ and name not in BORDER:
            hints = get_type_hints(function)
            result = hints.pop("return")
            found.append(Signature(name, list(hints.values()), result))
    return found


def sample(annotation: Any, batch: tuple[int, ...]) -> Any:
    """A value for a parameter: arrays of ones, sizes that are primes, the last of several literals."""
    spec = read(annotation)
    if spec is None:
        if get_origin(annotation) is Literal:
            return get_args(annotation)[-1]
        return {float: 2.0, int | None: 3}[annotation]
    if spec.is_size:
        return spec.shape(PRIMES)[0] - (spec.kind == "Index")
    array = np.ones(spec.shape({**PRIMES, BATCH: batch}), bool if spec.kind in ("Mask", "Rows") else float)
    return [array] * PRIMES["h"] if spec.repeated else array


def call(name: str, arguments: list[Any]) -> Any:
    """The result at run time: a function, a method, an attribute, or an operator of ndarrays."""
    owner, _, method = name.rpartition(".")
    if not owner:
        return getattr(shapes, name)(*arguments)
    if method.startswith("__r"):
        reflected: Callable[..., Any] = getattr(np.ndarray, method.replace("__r", "__", 1))
        return reflected(arguments[1], arguments[0])
    attribute = getattr(arguments[0], method)
    return attribute(*arguments[1:]) if callable(attribute) else attribute


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("signature", [*methods(), *functions()], ids=lambda signature: signature.name)
def test_a_trusted_signature_holds_on_numpy(signature: Signature, batch: tuple[int, ...]) -> None:
    if signature.name == "each":
        assert list(shapes.each(shapes.Dim[int](3))) == [0, 1, 2]
        return
    if signature.name == "Weight.__getitem__":
        assert np.ones((3, *batch))[2].shape == batch
        return
    result = call(signature.name, [sample(kind, batch) for kind in signature.parameters])
    spec = read(signature.result)
    assert isinstance(spec, Spec)
    if spec.kind == "Dim":
        assert result == spec.shape(PRIMES)[0]
    elif spec.kind == "Index":
        assert result == spec.shape(PRIMES)[0] - 1  # the last of i blocks, the last of its j entries
    else:
        assert result.shape == spec.shape({**PRIMES, BATCH: batch})
        assert (result.dtype == np.bool_) == (spec.kind in ("Mask", "Rows"))


def test_every_declaration_is_among_them() -> None:
    names = {signature.name for signature in (*methods(), *functions())}
    assert {"Array.mT", "Array.swapaxes", "Array.__matmul__", "Weight.__rmatmul__", "Mask.__and__"} <= names
    assert {"where", "rowmax", "visible", "concat", "unflatten", "repeat_heads", "position"} <= names
    assert len(names) >= 30


def test_the_border_returns_the_same_array() -> None:
    x, mask = np.ones((2, 3)), np.ones((2, 3), bool)
    for function in (shapes.trust, shapes.trust_weight, lambda a: shapes.plain(a, a)):
        assert function(x) is x
    assert shapes.trust_mask(mask) is mask  # type: ignore[comparison-overlap]
    assert shapes.sqrt(9) == 3.0


@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
@pytest.mark.parametrize("window", [None, 1, 2, 4])
@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 5), (5, 3), (1, 6), (6, 1)])
def test_visible_is_its_definition(alignment: shapes.Alignment, window: int | None, n: int, m: int) -> None:
    like: Any = np.zeros((2, n, m))
    found = np.asarray(shapes.visible(like, alignment, window))
    for i in range(n):
        p = i if alignment == "top-left" else i + m - n
        for j in range(m):
            expected = j <= p and (window is None or p - window < j)
            assert found[0, i, j] == found[1, i, j] == expected


def test_head_axes_are_heads_first() -> None:
    x: Any = np.arange(24.0).reshape(2, 12)
    split: Any = shapes.unflatten(x, shapes.Dim(3))
    assert split[1, 2].tolist() == x[1, 8:].tolist()
    joined: Any = shapes.flatten(split)
    assert joined.tolist() == x.tolist()
    w: Any = np.arange(24.0).reshape(3, 4, 2)
    wide: Any = shapes.side_by_side(w)
    row: Any = shapes.in_a_row(w[:, 0])
    parts: Any = shapes.concat(shapes.Dim(3), [w[0], w[1], w[2]])
    for i in range(3):
        assert wide[:, 2 * i : 2 * i + 2].tolist() == w[i].tolist()
        assert parts[:, 2 * i : 2 * i + 2].tolist() == w[i].tolist()
        assert row[2 * i : 2 * i + 2].tolist() == w[i, 0].tolist()


def test_repeated_heads_stand_beside_each_other() -> None:
    x: Any = np.arange(3.0).reshape(3, 1, 1)
    repeated: Any = shapes.repeat_heads(x, shapes.Dim(2))
    assert repeated.ravel().tolist() == [0, 0, 1, 1, 2, 2]
    assert [shapes.position(j, g, shapes.Dim(2)) for j in range(3) for g in range(2)] == list(range(6))  # type: ignore[arg-type]


def test_a_wrong_number_of_parts_is_refused() -> None:
    part: Any = np.ones((2, 5))
    with pytest.raises(ValueError, match=r"joined axis has 10 entries, expected h \* 5 with h = 3"):
        shapes.concat(shapes.Dim(3), [part, part])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_operations_keep_the_dtype(dtype: type) -> None:
    x: Any = np.ones((2, 3), dtype)
    rows: Any = np.ones((2, 1), bool)
    column: Any = shapes.rowsum(x)
    results: list[Any] = [
        shapes.exp(x),
        shapes.tanh(x),
        shapes.where(x > 0, x, -np.inf),
        shapes.otherwise(rows, column, 1.0),
        x / shapes.sqrt(3),
        x * 2.0,
    ]
    assert {result.dtype for result in results} == {np.dtype(dtype)}
