"""Sizes written as text, such as ``"h*d_k"``: names and integers joined by ``+ - * **``."""

from __future__ import annotations

import ast
import keyword

from mha_spec.counting import polynomials
from mha_spec.counting.errors import TraceError
from mha_spec.counting.polynomials import Polynomial

LONGEST_TEXT = 200
LARGEST_EXPONENT = 8


def read_polynomial(text: str) -> Polynomial:
    """The polynomial that `text` writes. Raises TraceError for anything but names, integers, ``+ - * **``."""
    if text.isidentifier() and not keyword.iskeyword(text):
        return polynomials.variable(text)
    if len(text) > LONGEST_TEXT:
        raise TraceError(f"the size {text[:40]!r}... has more than {LONGEST_TEXT} characters", "name its parts")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise _refused(text, text) from None
    return _read(tree, text)


def _read(tree: ast.expr, text: str) -> Polynomial:
    match tree:
        case ast.Name(id=name):
            return polynomials.variable(name)
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return polynomials.constant(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return polynomials.add(_read(left, text), _read(right, text))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return polynomials.add(_read(left, text), _read(right, text), -1)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return polynomials.multiply(_read(left, text), _read(right, text))
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(exponent))) if (
            0 <= exponent <= LARGEST_EXPONENT
        ):
            return polynomials.power(_read(left, text), exponent)
    raise _refused(ast.unparse(tree), text)


def _refused(part: str, text: str) -> TraceError:
    return TraceError(
        f"{part!r} in the size {text!r} is not a name, an integer, or a sum or product of those",
        'write sizes as products of names, such as "h*d_k"; for d_model/h declare d_model = "h*d_k"',
    )
