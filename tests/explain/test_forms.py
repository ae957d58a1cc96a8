"""Every theorem in every form of output: whole, well-formed, and with every factor where it was written."""

from __future__ import annotations

import io
import json
import re
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from explain.lessons import ALL_NAMES, NAMES, VALUE_NAMES, taught, valued
from mha_spec.claims.language import parse_claim
from mha_spec.claims.quantities import KNOWN_NAMES
from mha_spec.claims.terms import Relation
from mha_spec.explain.entries import entries
from mha_spec.explain.json_form import index_as_json, lesson_as_json, value_lesson_as_json
from mha_spec.explain.latex import derivation, latex_index, latex_lesson
from mha_spec.explain.lesson import Lesson, lesson
from mha_spec.explain.markdown import escaped, markdown_index, markdown_lesson
from mha_spec.explain.text import print_index, print_lesson
from mha_spec.explain.value_latex import latex_value_lesson
from mha_spec.explain.value_markdown import markdown_value_lesson
from mha_spec.explain.value_text import print_value_lesson

GOLDEN = Path(__file__).with_name("score_multiplications.txt")


def as_text(shown: Lesson, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_lesson(console, shown)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_text_is_this() -> None:
    shown = lesson(taught("score_multiplications").theorem, {"d_model": 12, "h": 3}, designs=4)
    assert as_text(shown) == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_text_fits_in_80_columns_however_wide_the_terminal(name: str) -> None:
    written = as_text(taught(name), 200)
    assert max(map(len, written.splitlines())) <= 80
    assert not re.search(r"[ \t]$", written, re.MULTILINE)
    assert written.count("✓") == len(taught(name).steps)  # one a step after the first, and one for what it means


def test_text_fits_a_narrow_terminal() -> None:
    assert max(map(len, as_text(taught("parameters"), 40).splitlines())) <= 40


def outside_mathematics(document: str) -> str:
    r"""A LaTeX document without its comments and what is between \( and \)."""
    return re.sub(r"\\\(.*?\\\)", "", re.sub(r"(?m)^%.*$", "", document), flags=re.DOTALL)


def require_well_formed(document: str) -> None:
    """Groups, environments and formulas of LaTeX close in the order in which they open."""
    opened: list[str] = []
    closing = {"}": "{", r"\)": r"\(", r"\right": r"\left"}
    tokens = r"\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\left\b|\\right\b|\\[()]|\\[{}\\]|[{}]"
    for token in re.findall(tokens, re.sub(r"(?m)^%.*$", "", document)):
        if token.startswith(r"\begin"):
            opened.append(token.removeprefix(r"\begin"))
        elif token.startswith(r"\end"):
            assert opened.pop() == token.removeprefix(r"\end")
        elif token in closing:
            assert opened.pop() == closing[token], token
        elif token in closing.values():
            opened.append(token)
    assert opened == []


@pytest.mark.parametrize("name", NAMES)
def test_latex_is_well_formed(name: str) -> None:
    document = latex_lesson(taught(name))
    require_well_formed(document)
    require_well_formed(derivation(taught(name)))
    assert not re.search(r"(?<!\\)[_^&#$%<>~]", outside_mathematics(document))
    assert document.isascii()
    assert document.count(r"\newline") == len(taught(name).steps)


@pytest.mark.parametrize("name", VALUE_NAMES)
def test_a_value_theorem_is_well_formed_in_every_form(name: str) -> None:
    shown = valued(name)
    console = Console(file=io.StringIO(), width=200)
    print_value_lesson(console, shown)
    assert isinstance(console.file, io.StringIO)
    written = console.file.getvalue()
    assert max(map(len, written.splitlines())) <= 80
    accepted = sum(len(chain.steps) - 1 for chain in shown.chains)
    assert written.count("✓") == accepted + 1
    document = latex_value_lesson(shown)
    require_well_formed(document)
    assert not re.search(r"(?<!\\)[_^&#$%<>~]", outside_mathematics(document))
    html = MarkdownIt("commonmark").enable("table").render(markdown_value_lesson(shown))
    for expected in (shown.theorem.sentence, shown.origin.remark, shown.theorem.source, *shown.hypotheses):
        for paragraph in expected.split("\n\n"):
            assert paragraph in words(html)
    assert html.count("<ol>") == len(shown.chains)
    read = json.loads(json.dumps(value_lesson_as_json(shown)))
    assert read == value_lesson_as_json(shown)
    assert [len(result["steps"]) for result in read["theorem"]["results"]] == [len(one.steps) for one in shown.chains]


@pytest.mark.parametrize("broken", [r"\begin{a}", "{", "}", r"\(\left(\)", r"\begin{a}{\end{a}}", r"\(\(\)"])
def test_what_is_not_well_formed_is_seen(broken: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        require_well_formed(broken)


def test_latex_has_the_factors_as_they_were_written() -> None:
    document = latex_lesson(taught("grouped_weights"))
    assert r"\(= 2 \, d_{\text{model}} \, d_{k} \, \left(h + \mathit{kv\_heads}\right)\)" in document
    assert r"\(n^{2} \, d_{\text{model}}\)" in latex_lesson(taught("score_multiplications"))


def words(html: str) -> str:
    """The text of HTML as a reader sees it."""
    return unescape(re.sub(r"<[^>]*>", "", html))


@pytest.mark.parametrize("name", NAMES)
def test_markdown_renders_to_the_words_that_were_meant(name: str) -> None:
    shown = taught(name)
    document = markdown_lesson(shown)
    html = MarkdownIt("commonmark").enable("table").render(document)
    assert f"<p>{shown.theorem.sentence}</p>" in html.replace("<code>", "").replace("</code>", "").replace(
        "&lt;", "<"
    ).replace("&gt;", ">")
    seen = words(html)
    for expected in (
        shown.origin.remark,
        shown.theorem.source,
        shown.origin.cite,
        *(step.because for step in shown.theorem.steps),
    ):
        assert expected in seen
    assert html.count("<ol>") == 2
    assert html.count("<li>") == 2 * len(shown.steps)
    assert "<em>" not in re.sub(r"(?s)<p>\$\$.*?\$\$</p>", "", html)
    tables = 3 + bool(shown.theorem.false) + len({hypothesis for hypothesis, _ in shown.theorem.needs})
    assert html.count("<table>") == tables
    assert all(
        f"<code>{claim}</code>" in html.replace("&lt;", "<").replace("&gt;", ">") for claim in shown.theorem.claims
    )


@pytest.mark.parametrize("words_of_a_sentence", ["2*3*4 and a_b_c", "[a](b) <i> `c` | ~~d~~ $e$", r"back\slash #1"])
def test_markdown_escapes_words(words_of_a_sentence: str) -> None:
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(escaped(words_of_a_sentence))
    assert words(html).strip() == words_of_a_sentence
    assert re.findall(r"<\w+", html) == ["<p"]


@pytest.mark.parametrize("name", NAMES)
def test_json_says_what_the_lesson_says(name: str) -> None:
    shown = taught(name)
    written = lesson_as_json(shown)
    read = json.loads(json.dumps(written))
    assert read == written
    assert read["schema"] == 1
    theorem = read["theorem"]
    assert [claim["claim"] for claim in theorem["claims"]] == list(shown.theorem.claims)
    assert {row["name"]: row["value"] for row in theorem["sizes"]} == shown.substitution.sizes
    assert [(one["without"], one["claim"]) for one in theorem["needs"]] == list(shown.theorem.needs)
    for step, row in zip(shown.steps, theorem["steps"], strict=True):
        goal = parse_claim(f"{row['term']} == {row['numbers']}", (*KNOWN_NAMES, *shown.theorem.extra)).goal
        assert goal == Relation("==", step.term, step.numbers)
        assert (row["value"], row["using"]) == (step.value, list(step.using))
        assert (row["certificate"] is None) == (step.number == 1)


def test_the_list_of_theorems_is_in_reading_order_in_every_form() -> None:
    console = Console(file=io.StringIO(), width=80)
    print_index(console, entries())
    assert isinstance(console.file, io.StringIO)
    written = console.file.getvalue()
    assert max(map(len, written.splitlines())) <= 80
    assert [line for line in written.splitlines() if line in ALL_NAMES] == list(ALL_NAMES)
    listed = json.loads(json.dumps(index_as_json(entries())))
    assert [row["name"] for row in listed["theorems"]] == list(ALL_NAMES)
    assert re.findall(r"(?m)^\| `(\w+)` \|", markdown_index(entries())) == list(ALL_NAMES)
    document = latex_index(entries())
    require_well_formed(document)
    assert re.findall(r"\\texttt\{(.*?)\}:", document) == [name.replace("_", r"\_") for name in ALL_NAMES]
