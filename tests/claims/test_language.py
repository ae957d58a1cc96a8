"""Only the claim language is read: whatever else is typed is refused, with a caret under the place."""

from __future__ import annotations

import builtins
import os
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mha_spec.claims.bounds import MAX_CHARACTERS, MAX_DEPTH, MAX_INTEGER, MAX_NODES
from mha_spec.claims.language import ClaimError, parse_claim
from mha_spec.claims.quantities import KNOWN_NAMES
from mha_spec.claims.terms import Claim, Iff, IndependentOfH, Operation, Relation


def read(claim: str) -> Claim:
    return parse_claim(claim, KNOWN_NAMES)


def refusal(claim: str) -> str:
    with pytest.raises(ClaimError) as raised:
        read(claim)
    return str(raised.value)


def caret(message: str) -> int:
    """The column that the caret of a message is under."""
    problem, shown, pointer = message.split("\n")
    assert pointer.strip() == "^"
    assert problem
    return len(pointer) - 1 - (len(shown) - len(shown[2:]))


# Each claim, with a bar before the place that the caret must be under, and what must be said.
REFUSED_AT_A_PLACE = [
    ("parameters == 4*|d_mode**2", "unknown name 'd_mode'; did you mean 'd_model'?"),
    ("|paramters == 1", "did you mean 'parameters'?"),
    ("|x == 1", "unknown name 'x'; known are n, m, d_model"),
    ("|__import__('os').getpid() == 1", "Call is not part of the claim language"),
    ("|eval('1') == 1", "Call is not part of the claim language"),
    ("|n.real == 1", "Attribute"),
    ("|n[0] == 1", "Subscript"),
    ("9**|9**9 == 1", "an exponent must be a literal from 0 to 8"),
    ("n**|9 == 1", "an exponent must be a literal from 0 to 8"),
    ("n**|m == 1", "an exponent must be a literal"),
    ("n**|-1 == 1", "an exponent must be a literal"),
    ("n**|True == 1", "an exponent must be a literal"),
    ("n**|1.0 == 1", "an exponent must be a literal"),
    ("n == 10**|10", "an exponent must be a literal"),
    ("n == |10000000000", "a number above the bound of 1,000,000,000"),
    ("d_model/|h == d_k", "multiply it out, as in h*d_k == d_model, or use '//'"),
    ("parameters |= 1", "equality is written '=='"),
    ("n == 1 where m |= 1", "equality is written '=='"),
    ("n^|2 == 1", "'^' is not a power; write n**2"),
    ("n@|m == 1", "'@' is not integer arithmetic"),
    ("n<<|m == 1", "LShift is not part of the claim language"),
    ("n&|m == 1", "BitAnd is not part of the claim language"),
    ("|n == m == 1", "compares two sums once"),
    ("|1 < n < 3", "compares two sums once"),
    ("|n", "a claim compares two sums"),
    ("|n + m", "a claim compares two sums"),
    ("|not n == 1", "a claim compares two sums"),
    ("|n == 1 and m == 1", "a claim compares two sums"),
    ("|1 if n else 2 == 1", "a claim compares two sums"),
    ("|n is m", "compare with one of == != <= < >= >"),
    ("|n in m", "compare with one of"),
    ("|1.5 == n", "1.5 is not an integer"),
    ("n == |1e3", "1000.0 is not an integer"),
    ("n == |1j", "1j is not an integer"),
    ("|True == n", "True is not an integer"),
    ("n == |None", "None is not an integer"),
    ("|'a' == n", "'a' is not an integer"),
    ("|b'a' == n", "b'a' is not an integer"),
    ("n == |...", "Ellipsis is not an integer"),
    ("(|lambda: n) == 1", "Lambda"),
    ("|[x for x in n] == 1", "ListComp"),
    ("|{1} == n", "Set"),
    ("n == |()", "Tuple"),
    ("|f'{n}' == 1", "JoinedStr"),
    ("(|n:=1) == 1", "NamedExpr"),
    ("(|1 if n else 2) == 1", "IfExp"),
    ("(|n == m) == 1", "Compare"),
    ("(|yield) == 1", "Yield"),
    ("|+n == 1", "UnaryOp"),
    ("|~n == 1", "UnaryOp"),
    ("n == (|not m)", "UnaryOp"),
    ("exponentials independent of |n", "only 'independent of h' is defined"),
    ("exponentials independent of |h and n", "only 'independent of h' is defined"),
    ("n independent of|", "only 'independent of h' is defined"),
    ("|independent of h", "an expression is missing here"),
    ("|n == 1 independent of h", "Compare"),
    ("|== 1", "this is not an expression"),
    ("n ==|", "this is not an expression"),
    ("n == 1 where m ==|", "this is not an expression"),
    ("n == 1 where|", "an expression is missing here"),
    ("|where n == 1", "an expression is missing here"),
    ("n == 1 iff|", "an expression is missing here"),
    ("|iff n == 1", "an expression is missing here"),
    ("n == 1 where n == 2,|", "an expression is missing here"),
    ("n == 1 where |, n == 2", "an expression is missing here"),
    ("n == 1 where n == 2, |,m == 1", "an expression is missing here"),
    ("n == 1 where |n", "a claim compares two sums"),
    ("n == 1 where n |independent of h", "this is not an expression"),
    ("n == 1 where n == 1 |where n == 2", "this is not an expression"),
    ("n == 1 iff n == 2 |iff n == 3", "this is not an expression"),
    ("n == 1 |n", "this is not an expression"),
    ("n == 1|;", "this is not an expression"),
    ("n == |0777", "this is not an expression"),
    ("n == 1 |# and so on", "'#' is not part of the claim language"),
    ("   n == |q", "unknown name 'q'"),
    ("  n == 1 where |foo == 2", "unknown name 'foo'"),
    ("n == 1 where   |foo == 2", "unknown name 'foo'"),
    ("n == 1 where n == 1,   m == |foo", "unknown name 'foo'"),
    ("n == 1 iff  |foo == 2", "unknown name 'foo'"),
    ("  n == 1   iff  m == 2*|foo  where n == 1", "unknown name 'foo'"),
    ("n == 1 iff m == 1 where h == (|foo)", "unknown name 'foo'"),
    ("n + |foo independent of h", "unknown name 'foo'"),
    ("   n + |foo   independent   of   h", "unknown name 'foo'"),
]


@pytest.mark.parametrize(("marked", "said"), REFUSED_AT_A_PLACE, ids=[case[0] for case in REFUSED_AT_A_PLACE])
def test_is_refused_with_a_caret_under_the_place(marked: str, said: str) -> None:
    column = marked.index("|")
    claim = marked.replace("|", "")
    message = refusal(claim)
    assert said in message
    assert message.split("\n")[1] == f"  {claim}"
    assert caret(message) == column


REFUSED_WHOLE = [
    ("", "a claim is missing"),
    ("   ", "a claim is missing"),
    ("\t\n", "a claim is missing"),
    ("(" * 10_000 + "n" + ")" * 10_000 + " == 1", "a claim has at most 400 characters, this one 20,006"),
    ("n == 1\x00", r"character 7 is '\x00'"),
    ("n == 1\n", r"character 7 is '\n'"),
    ("n\t== 1", r"character 2 is '\t'"),
    ("n == 1\x7f", r"character 7 is '\x7f'"),
    ("n == \x1b[31m1", r"character 6 is '\x1b'"),
    ("ｎ == 1", r"character 1 is '\uff4e'"),
    ("n == ²", r"character 6 is '\xb2'"),
    ("n\u200b == 1", r"character 2 is '\u200b'"),
    ("n == 1\u202e", r"character 7 is '\u202e'"),
    ("n == \ud800", r"character 6 is '\ud800'"),
]


@pytest.mark.parametrize(("claim", "said"), REFUSED_WHOLE, ids=[said for _, said in REFUSED_WHOLE])
def test_is_refused_whole_and_shown_in_printable_ascii(claim: str, said: str) -> None:
    message = refusal(claim)
    assert said in message
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 300


def test_the_longest_claim_is_read_and_one_character_more_is_not() -> None:
    assert read("n == 1".ljust(MAX_CHARACTERS)).goal == Relation("==", "n", 1)
    assert "at most 400 characters, this one 401" in refusal("n == 1".ljust(MAX_CHARACTERS + 1))


def test_the_largest_integer_is_read_and_one_more_is_not() -> None:
    assert read(f"n == {MAX_INTEGER}").goal == Relation("==", "n", MAX_INTEGER)
    assert "above the bound" in refusal(f"n == {MAX_INTEGER + 1}")


def test_thousands_of_digits_are_refused_and_not_converted() -> None:
    assert "at most 400 characters" in refusal("n == " + "9" * 5_000)
    assert "above the bound" in refusal("n == " + "9" * 300)


def test_depth_is_bounded() -> None:
    nested = "n-(" * MAX_DEPTH + "n" + ")" * MAX_DEPTH
    assert read(f"{nested} == 1")
    assert f"nested deeper than {MAX_DEPTH}" in refusal(f"n-({nested}) == 1")
    assert read("+".join(["n"] * 40) + " == 1")  # a long sum is not a deep one
    assert f"nested deeper than {MAX_DEPTH}" in refusal("-" * (MAX_DEPTH + 1) + "n == 1")


def test_the_number_of_parts_is_bounded() -> None:
    assert f"more than {MAX_NODES} parts" in refusal("+".join(["1"] * 120) + " == 1")


def test_many_parentheses_around_one_name_say_no_more_than_the_name() -> None:
    assert read("(" * 90 + "n" + ")" * 90 + " == 1").goal == Relation("==", "n", 1)


def test_nothing_that_is_read_is_ever_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(*_: object, **__: object) -> None:
        raise AssertionError("a stranger's text was run")

    claims = ["__import__('os').getpid() == 1", "eval('n') == 1", "exec('n = 1') == 1", "n == open('x')"]
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", called)
        for name in ("eval", "exec", "open"):
            patched.setattr(builtins, name, called)
        found = []
        for claim in claims:
            try:
                parse_claim(claim, KNOWN_NAMES)
            except ClaimError as error:
                found.append(str(error))
    assert len(found) == len(claims)
    assert all("Call is not part" in message for message in found)


def test_a_claim_is_read_as_the_tree_it_states() -> None:
    claim = read("  parameters == 4*d_model**2 where n >= 2, h < 3 ")
    assert claim.text == "parameters == 4*d_model**2 where n >= 2, h < 3"
    assert claim.goal == Relation("==", "parameters", Operation("*", 4, Operation("**", "d_model", 2)))
    assert claim.where == (Relation(">=", "n", 2), Relation("<", "h", 3))


def test_the_three_kinds_of_goals_are_read() -> None:
    assert read("n != 1").goal == Relation("!=", "n", 1)
    assert read("parameters + n independent of h").goal == IndependentOfH(Operation("+", "parameters", "n"))
    assert read("n == m iff h > 1").goal == Iff(Relation("==", "n", "m"), Relation(">", "h", 1))


def test_a_name_that_only_contains_a_word_of_the_language_is_a_name() -> None:
    assert parse_claim("whereabouts == iffy", ("whereabouts", "iffy")).goal == Relation("==", "whereabouts", "iffy")


@pytest.mark.parametrize("claim", ["n  ==1", "( n )==( 1 )", "n==1", " n == 1 "])
def test_spaces_and_outer_parentheses_do_not_matter(claim: str) -> None:
    assert read(claim).goal == Relation("==", "n", 1)


WORDS = (
    *("n", "m", "h", "d_k", "parameters", "where", "iff", "independent of h", "independent", "of", "x"),
    *("==", "!=", "<", "<=", "=", "+", "-", "*", "**", "//", "%", "/", "^", "(", ")", "[", "]", "{", "}", ","),
    *("0", "1", "8", "9", "10000000000", "1.5", "'", '"', "#", "\\", "lambda", ":", "f'", ":=", "not", "if", "else"),
    *("for", "in", "is", "True", "None", "...", "await", "yield", ";", "@", "~", "`", "$", "?", "!", "_", "."),
)


def outcome(claim: str) -> None:
    """Read a claim, or be refused in the one way that there is."""
    try:
        read(claim)
    except ClaimError as error:
        message = str(error)
        assert message
        if message.count("\n") == 2 and claim.isascii():
            assert 0 <= caret(message) <= len(claim)


@settings(max_examples=400)
@given(st.text(alphabet=string.printable, max_size=60))
@example("\x0cn == 1")
@example("n == 1 where (,)")
def test_random_ascii_is_read_or_refused(claim: str) -> None:
    outcome(claim)


@settings(max_examples=600)
@given(st.lists(st.sampled_from(WORDS), max_size=14), st.sampled_from(("", " ")))
def test_random_words_of_the_language_are_read_or_refused(words: list[str], between: str) -> None:
    outcome(between.join(words))


@settings(max_examples=100)
@given(st.text(max_size=30))
def test_random_text_is_read_or_refused(claim: str) -> None:
    outcome(claim)
