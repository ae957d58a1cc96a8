"""Claim text to tree, by whitelist: the only door through which a stranger's text becomes a claim.

    claim  ::=  goal [ 'where' relation {',' relation} ]
    goal   ::=  relation | sum 'independent of h' | relation 'iff' relation
    relation ::= sum ('==' | '!=' | '<=' | '<' | '>=' | '>') sum
    sum    ::=  integers, names, + - * ** // % and parentheses; an exponent is a literal

Python's own parser builds the syntax tree; every node in it is then either translated or refused.  Nothing is
evaluated or imported, and lengths, depth, degree and numbers are bounded before anything is multiplied out.
"""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Collection, Iterable

from .bounds import MAX_CHARACTERS, MAX_DEPTH, MAX_EXPONENT, MAX_INTEGER, MAX_NODES, excess
from .terms import Claim, Goal, Iff, IndependentOfH, Operation, Operator, Relation, RelationSign, Term, goal_terms

_OPERATORS: dict[type[ast.operator], Operator] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_RELATIONS: dict[type[ast.cmpop], RelationSign] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.LtE: "<=",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.Gt: ">",
}
_REFUSED = {
    ast.Div: "'/' is not integer arithmetic; multiply it out, as in h*d_k == d_model, or use '//'",
    ast.BitXor: "'^' is not a power; write n**2",
    ast.MatMult: "'@' is not integer arithmetic; a claim is about sizes and costs",
}


class ClaimError(ValueError):
    """A claim that cannot be read or that no design could meet; the message says what, where and the fix."""

    def __init__(self, problem: str, claim: str, column: int | None = None) -> None:
        if column is None:
            shown = claim if len(claim) <= 60 else claim[:57] + "..."
            super().__init__(f"{problem}: {shown!a}")
        else:
            super().__init__(f"{problem}\n  {claim}\n  {' ' * column}^")


class _Reader:
    """Reads the parts of one claim and knows where in the text each part began."""

    def __init__(self, claim: str, known: Collection[str]) -> None:
        self.claim = claim
        self.known = known

    def refuse(self, problem: str, node: ast.expr, start: int) -> ClaimError:
        return ClaimError(problem, self.claim, start + node.col_offset)

    def syntax(self, part: str, start: int) -> tuple[ast.expr, int]:
        """The syntax tree of a part, and the column its offsets count from."""
        start += len(part) - len(part.lstrip())
        if not part.strip():
            raise ClaimError("an expression is missing here", self.claim, start)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python's advice on odd literals is not for our user
                tree = ast.parse(part.strip(), mode="eval")
        except SyntaxError as error:
            hint = "; equality is written '=='" if re.search(r"(?<![=<>!])=(?!=)", part) else ""
            # Python gives an offset of 0 where the text ends too early
            column = start + (error.offset - 1 if error.offset else len(part.strip()))
            raise ClaimError(f"this is not an expression{hint}", self.claim, column) from None
        except (ValueError, RecursionError, MemoryError):
            raise ClaimError("this is not an expression", self.claim, start) from None
        if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
            raise ClaimError(f"more than {MAX_NODES} parts in one expression", self.claim, start)
        return tree.body, start

    def term(self, node: ast.expr, start: int, depth: int = 0) -> Term:
        if depth > MAX_DEPTH:
            raise self.refuse(f"nested deeper than {MAX_DEPTH}", node, start)
        if isinstance(node, ast.Constant):
            return self.number(node, start)
        if isinstance(node, ast.Name):
            return self.name(node, start)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return Operation("-", 0, self.term(node.operand, start, depth + 1))
        if isinstance(node, ast.BinOp):
            return self.operation(node, start, depth)
        what = type(node).__name__
        raise self.refuse(f"{what} is not part of the claim language (integers, names, + - * ** // %)", node, start)

    def number(self, node: ast.Constant, start: int) -> int:
        if type(node.value) is not int:
            raise self.refuse(f"{node.value!a} is not an integer", node, start)
        if node.value > MAX_INTEGER:
            raise self.refuse(f"a number above the bound of {MAX_INTEGER:,}", node, start)
        return node.value

    def name(self, node: ast.Name, start: int) -> str:
        if node.id in self.known:
            return node.id
        near = difflib.get_close_matches(node.id, sorted(self.known), 1)
        advice = f"did you mean {near[0]!r}?" if near else "known are " + ", ".join(self.known)
        raise self.refuse(f"unknown name {node.id!r}; {advice}", node, start)

    def operation(self, node: ast.BinOp, start: int, depth: int) -> Term:
        sign = _OPERATORS.get(type(node.op))
        if sign is None:
            problem = _REFUSED.get(type(node.op), f"{type(node.op).__name__} is not part of the claim language")
            raise self.refuse(problem, node.right, start)
        left = self.term(node.left, start, depth)  # a long sum leans to the left, and is not nested
        if sign == "**":
            return Operation(sign, left, self.exponent(node.right, start))
        return Operation(sign, left, self.term(node.right, start, depth + 1))

    def exponent(self, node: ast.expr, start: int) -> int:
        value = node.value if isinstance(node, ast.Constant) else None
        if type(value) is not int or not 0 <= value <= MAX_EXPONENT:
            raise self.refuse(f"an exponent must be a literal from 0 to {MAX_EXPONENT}", node, start)
        return value

    def relation(self, part: str, start: int) -> Relation:
        node, start = self.syntax(part, start)
        if not isinstance(node, ast.Compare):
            raise self.refuse("a claim compares two sums, as in parameters == 4*d_model**2", node, start)
        if len(node.ops) != 1:
            raise self.refuse("a claim compares two sums once; join two claims with 'where' or 'iff'", node, start)
        sign = _RELATIONS.get(type(node.ops[0]))
        if sign is None:
            raise self.refuse("compare with one of == != <= < >= >", node, start)
        return Relation(sign, self.term(node.left, start), self.term(node.comparators[0], start))

    def goal(self, part: str, start: int) -> Goal:
        if halves := _split(part, r"\biff\b", start):
            left, right = (self.relation(text, column) for text, column in halves)
            return Iff(left, right)
        if halves := _split(part, r"\bindependent\s+of\b", start):
            (term, term_start), (of, of_start) = halves
            if of.strip() != "h":
                column = of_start + len(of) - len(of.lstrip())
                raise ClaimError("only 'independent of h' is defined", self.claim, column)
            node, term_start = self.syntax(term, term_start)
            return IndependentOfH(self.term(node, term_start))
        return self.relation(part, start)


def _split(text: str, separator: str, start: int) -> list[tuple[str, int]]:
    """The two sides of the first separator, each with its column; an empty list if there is none."""
    found = re.search(separator, text)
    if found is None:
        return []
    return [(text[: found.start()], start), (text[found.end() :], start + found.end())]


def _conditions(text: str, start: int) -> Iterable[tuple[str, int]]:
    for part in text.split(","):
        yield part, start
        start += len(part) + 1


def parse_claim(claim: str, known: Collection[str]) -> Claim:
    """The claim a text states, over the given names (sizes and quantities).

    Raises ClaimError, with a caret under the place, for anything outside the language or above its bounds.
    """
    if not claim.strip():
        raise ClaimError("a claim is missing; try 'parameters == 4*d_model**2'", claim)
    if len(claim) > MAX_CHARACTERS:
        raise ClaimError(f"a claim has at most {MAX_CHARACTERS} characters, this one {len(claim):,}", claim)
    for column, character in enumerate(claim):
        if not (character.isascii() and character.isprintable()):
            where = f"character {column + 1} is {character!a}"
            raise ClaimError(f"a claim is printable ASCII, and {where}", claim)
        if character == "#":  # to Python's parser the rest is a comment: shown as claimed, and never read
            raise ClaimError("'#' is not part of the claim language", claim, column)
    reader = _Reader(claim, known)
    goal_part, *rest = _split(claim, r"\bwhere\b", 0) or [(claim, 0)]
    goal = reader.goal(*goal_part)
    conditions = tuple(reader.relation(*part) for part in _conditions(*rest[0])) if rest else ()
    for term in (*goal_terms(goal), *(side for each in conditions for side in (each.left, each.right))):
        if problem := excess(term):
            raise ClaimError(f"the claim reaches {problem}", claim)
    return Claim(claim.strip(), goal, conditions)
