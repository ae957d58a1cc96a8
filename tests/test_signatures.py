"""Annotations as they are read at run time, and the messages of calls that do not agree with them."""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from mha_spec import attention, shapes
from mha_spec.design import DEFAULT_RULE, AttentionDesign, Parameters
from mha_spec.signatures import ShapeError, Spec, checking, read, specs

RNG = np.random.default_rng(0)
DESIGN = AttentionDesign(d_model=7, d_memory=11, h=6, kv_heads=3, d_k=5, d_v=2, bias=1)
WEIGHTS: Any = attention.Weights(**Parameters.draw(DESIGN, RNG).arrays())  # type: ignore[arg-type]
FUNCTIONS = [
    name
    for name, f in vars(attention).items()
    if inspect.isfunction(f) and f.__module__ == attention.__name__
]


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape)


def module_of(source: str) -> ModuleType:
    module = ModuleType("drawn_up_here")
    first = "from __future__ import annotations\nfrom mha_spec.shapes import *\n"
    sys.modules[module.__name__] = module  # where a dataclass looks up its annotations
    exec(first + source, vars(module))
    return module


def state() -> dict[str, object]:
    return {name: getattr(attention, name) for name in FUNCTIONS}


@pytest.mark.parametrize(
    ("annotation", "expected", "text"),
    [
        ("Array[*B, N, DK]", Spec("Array", True, (("n",), ("d_k",))), "Array[*b, n, d_k]"),
        (
            "Weight[Mul[Mul[KvHeads, Group], DV], DModel]",
            Spec("Weight", False, (("kv_heads", "group", "d_v"), ("d_model",))),
            "Weight[kv_heads*group*d_v, d_model]",
        ),
        ("Mask[N, M] | None", Spec("Mask", False, (("n",), ("m",)), optional=True), "Mask[n, m]"),
        (
            "Sequence[Array[DMemory]]",
            Spec("Array", False, (("d_memory",),), repeated=True),
            "Array[d_memory]",
        ),
        ("Dim[H]", Spec("Dim", False, (("h",),)), "Dim[h]"),
    ],
)
def test_an_annotation_is_read(annotation: str, expected: Spec, text: str) -> None:
    spec = read(eval(annotation, vars(shapes)))
    assert spec == expected
    assert str(spec) == text


@pytest.mark.parametrize("annotation", [int, float | None, list[int], str, DEFAULT_RULE.__class__])
def test_other_annotations_are_about_no_shape(annotation: object) -> None:
    assert read(annotation) is None


def test_specs_include_the_fields_of_a_dataclass_and_the_result() -> None:
    found = specs(attention.multi_head_batched)
    assert str(found["w.w_q"]) == "Weight[kv_heads*group, d_model, d_k]"
    assert found["w.b_v"].optional
    assert str(found["return"]) == "Array[*b, n, d_model]"
    assert set(found) == {
        *("X", "Y", "kv_heads", "group", "mask", "return"),
        *(f"w.{field}" for field in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")),
    }


def test_sizes_of_a_dataclass_take_the_names_of_its_user() -> None:
    module = module_of(
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Pair(Generic[I, J]):\n    w: Weight[I, J]\n    b: Weight[J] | None = None\n"
        "def use(pair: Pair[Mul[H, DK], DModel], x: Array[N, DModel]) -> None: ...\n"
    )
    found = specs(module.use)
    assert [str(found[name]) for name in ("pair.w", "pair.b")] == [
        "Weight[h*d_k, d_model]",
        "Weight[d_model]",
    ]


def test_batch_axes_come_first() -> None:
    with pytest.raises(TypeError, match=r"Array\[~I, .*B.*\].*: batch axes come first"):
        read(eval("Array[I, *B]", vars(shapes)))


@pytest.mark.parametrize("form", ["multi_head_batched", "multi_head_per_head"])
def test_calls_that_agree_pass(form: str) -> None:
    x, y, mask = normal(2, 4, 7), normal(2, 3, 11), np.ones((2, 4, 3), bool)
    plain = getattr(attention, form)(x, y, WEIGHTS, 3, 2, mask)
    with checking(attention):
        checked = getattr(attention, form)(x, y, WEIGHTS, 3, 2, mask)
    assert (checked == plain).all()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "scores",
            (normal(2, 4, 5), normal(2, 3, 6)),
            "scores: K has shape (2, 3, 6), annotated Array[*b, m, d_k] where *b=(2,), n=4, d_k=5, m=3",
        ),
        (
            "scores",
            (normal(2, 4, 5), normal(9, 3, 5)),
            "scores: K has shape (9, 3, 5), annotated Array[*b, m, d_k] where *b=(2,), n=4, d_k=5",
        ),
        (
            "split_heads",
            (normal(4, 10), 3),
            "split_heads: X has shape (4, 10), annotated Array[*b, n, h*d_k] where h=3, *b=(), n=4",
        ),
        (
            "multi_head_batched",
            (normal(4, 7), normal(3, 11), WEIGHTS, 2, 3),
            "multi_head_batched: w.w_k has shape (3, 11, 5), annotated Weight[kv_heads, d_memory, d_k] where "
            "kv_heads=2, group=3, *b=(), n=4, d_model=7, m=3, d_memory=11",
        ),
        (
            "softmax",
            (normal(4, 3), np.ones((3, 4), bool)),
            "softmax: mask has shape (3, 4), annotated Mask[*b, n, m] where *b=(), n=4, m=3",
        ),
        (
            "project",
            (normal(4, 3), 2.0, None),
            "project: W is a float and has no shape, annotated Weight[i, j]",
        ),
        ("head_bias", (normal(3, 2), 3), "head_bias: i is 3, annotated Index[h] where h=3, j=2"),
    ],
)
def test_a_call_that_does_not_agree_is_named(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with checking(attention), pytest.raises(ShapeError) as error:
        getattr(attention, name)(*arguments)
    assert str(error.value) == message


def test_a_wrong_result_is_named() -> None:
    module = module_of("def turn(x: Array[N, M]) -> Array[M, N]:\n    return x\n")
    with (
        checking(module),
        pytest.raises(ShapeError, match=r"turn: return has shape \(2, 3\), annotated Array\[m, n\]"),
    ):
        module.turn(normal(2, 3))


def test_sequences_are_checked_part_by_part() -> None:
    module = module_of("def join(h: Dim[H], parts: Sequence[Array[N, DV]]) -> None: ...\n")
    with (
        checking(module),
        pytest.raises(ShapeError, match=r"join: parts\[1\] has shape \(2, 4\), .* n=2, d_v=3"),
    ):
        module.join(2, [normal(2, 3), normal(2, 4)])


def test_a_product_of_two_unknowns_waits_for_a_later_argument() -> None:
    module = module_of(
        "def split(x: Array[Mul[H, DK]], y: Array[Mul[H, DV]], z: Array[H, DK]) -> None: ...\n"
    )
    with checking(module):
        module.split(normal(6), normal(10), normal(2, 3))
        with pytest.raises(
            ShapeError, match=r"y has shape \(9,\), annotated Array\[h\*d_v\] where h=2, d_k=3"
        ):
            module.split(normal(6), normal(9), normal(2, 3))


def test_outside_the_block_nothing_is_wrapped() -> None:
    before = state()
    with checking(attention):
        assert all(getattr(attention, name) is not function for name, function in before.items())
    assert state() == before
    with pytest.raises(ZeroDivisionError), checking(attention):
        raise ZeroDivisionError
    assert state() == before
