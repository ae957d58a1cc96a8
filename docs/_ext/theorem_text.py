"""A theorem as a page in MyST Markdown: what it says, why, and what each hypothesis is for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mha_spec.claims.cases import CAUSAL_QUANTITIES
from mha_spec.claims.language import ClaimError, parse_claim
from mha_spec.claims.printing import goal_latex, latex, relation_latex
from mha_spec.claims.quantities import KNOWN_NAMES
from mha_spec.claims.terms import Relation
from mha_spec.claims.theorem import (
    Theorem,
    certified_steps,
    counterexamples,
    parsed_steps,
    refuted_expectations,
    verdicts,
)
from mha_spec.claims.verdict import Design, Verdict
from mha_spec.counting.memory import MEMORY_QUANTITIES
from mha_spec.counting.quantities import QUANTITIES
from mha_spec.explain.value_lesson import ValueLesson

SIGNS = {"==": "=", "<=": r"\leq", ">=": r"\geq"}
# What may be an expression of the claim language in a sentence; `_mathematics` looks closer.
EXPRESSION = re.compile(r"(?:\([\w +*-]+\)\*)?\w[\w()*]*(?: [+-] [\w(][\w()*]*)*")
MATRIX = re.compile(r"[A-Z]_[A-Z]")


def title(name: str) -> str:
    """The name of a theorem as words."""
    return name.replace("_", " ").capitalize()


def prose(sentence: str, extra: tuple[str, ...] = ()) -> str:
    """A sentence with the expressions in it as mathematics, or as code where they are none."""
    return EXPRESSION.sub(lambda found: _mathematics(found.group(), extra), sentence)


def _mathematics(found: str, extra: tuple[str, ...]) -> str:
    """What was found in a sentence: words stay as they are, and so does what closes a remark."""
    expression = _balanced(found)
    rest = found.removeprefix(expression)
    if not re.search(r"[*_]", expression):
        return found
    if MATRIX.fullmatch(expression):
        return f"${expression}${rest}"
    try:
        goal = parse_claim(f"{expression} == 0", (*KNOWN_NAMES, *extra)).goal
    except ClaimError:
        return f"`{expression}`{rest}"
    assert isinstance(goal, Relation)
    return f"${latex(goal.left)}${rest}"


def _balanced(found: str) -> str:
    """The beginning of a text up to the first bracket that closes nothing in it."""
    depth = 0
    for position, letter in enumerate(found):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return found[:position]
    return found


def displayed(claim: str, theorem: Theorem) -> str:
    """A claim as mathematics by itself, its conditions on a line below it."""
    parsed = parse_claim(claim, (*KNOWN_NAMES, *theorem.extra))
    lines = [goal_latex(parsed.goal)]
    if parsed.where:
        lines.append(rf"\text{{where }} {', '.join(map(relation_latex, parsed.where))}")
    return "$$\n\\begin{gathered}\n" + " \\\\\n".join(lines) + "\n\\end{gathered}\n$$"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], style: str = "names") -> str:
    """A table whose cells may hold mathematics."""
    lines = [":::{list-table}", ":header-rows: 1", f":class: {style}", ""]
    for first, *others in (header, *rows):
        lines.append(f"* - {first}".rstrip())
        lines += [f"  - {cell}".rstrip() for cell in others]
    return "\n".join([*lines, ":::"])


def derivation(theorem: Theorem) -> str:
    """The chain of a proof: what the quantity has become, by what reason, under which hypotheses.

    Raises TheoremError, which stops the build, if a step does not follow.
    """
    rows = [(f"${latex(parsed_steps(theorem)[0])}$", prose(theorem.steps[0].because, theorem.extra), "")]
    for link in certified_steps(theorem):
        formula = f"${SIGNS[link.step.sign]} {latex(link.term)}$"
        rows.append((formula, prose(link.step.because, theorem.extra), hypotheses(link.step.using)))
    return table(("", "because", "uses"), rows, "derivation")


def hypotheses(names: Iterable[str]) -> str:
    """Names of hypotheses in bold."""
    return ", ".join(f"**{name}**" for name in names)


def needs(theorem: Theorem) -> str:
    """What fails without each hypothesis, and where; TheoremError, which stops the build, if it does not."""
    rows = [
        (hypotheses([hypothesis]), f"`{verdict.claim.text}`", place(verdict))
        for hypothesis, verdict in counterexamples(theorem)
    ]
    return table(("without", "this fails", "for instance at"), rows)


def expectations(theorem: Theorem) -> str:
    """Claims that people expect, and where they fail; TheoremError, which stops the build, if one holds."""
    rows = [(f"`{verdict.claim.text}`", place(verdict)) for verdict in refuted_expectations(theorem)]
    return table(("this fails", "for instance at"), rows)


def commands(theorem: Theorem) -> str:
    """What to type to see the theorem proved; a size that the theorem alone has is known to `explain` only."""
    drop = "".join(f"--drop {name} " for name in theorem.drop)
    named = [claim for claim in theorem.claims if not any(re.search(rf"\b{name}\b", claim) for name in theorem.extra)]
    lines = [f"$ mha-spec explain {theorem.name}", *(f"$ mha-spec prove {drop}'{claim}'" for claim in named)]
    return "\n".join(lines)


def place(refuted: Verdict) -> str:
    """Where a claim fails: one design, or two compared."""
    first, *others = refuted.counterexample
    shared = {name: size for name, size in first.items() if all(other[name] == size for other in others)}
    if not others:
        return sizes(shared)
    apart = [{name: size for name, size in design.items() if name not in shared} for design in (first, *others)]
    return f"{' against '.join(sizes(design) for design in apart)}, both with {sizes(shared)}"


def sizes(design: Design) -> str:
    """Sizes with their names."""
    return f"`{' '.join(f'{name}={size}' for name, size in design.items())}`"


def page(theorem: Theorem) -> str:
    """The page of one theorem."""
    parts = [
        f"# {title(theorem.name)}",
        f"::::{{prf:theorem}} {title(theorem.name)}\n:label: {theorem.name}\n",
        prose(theorem.sentence, theorem.extra),
        *[displayed(claim, theorem) for claim in theorem.claims],
        "::::",
        "::::{prf:proof}",
        "Each step is certified for all sizes, under exactly the hypotheses that it uses.",
        derivation(theorem),
        "::::",
    ]
    if theorem.needs:
        parts += ["## What the hypotheses are for", needs(theorem)]
    if theorem.false:
        parts += ["## What is often expected, and false", expectations(theorem)]
    parts += ["## Check it yourself", f"```console\n{commands(theorem)}\n```", f"Source: {theorem.source}."]
    return "\n\n".join(parts) + "\n"


def index(theorems: Sequence[Theorem], values: Sequence[ValueLesson]) -> str:
    """The tables of all theorems; TheoremError, which stops the build, if a claim in them is not proved."""
    rows = []
    for theorem in theorems:
        link = f"[{title(theorem.name)}](theorems/{theorem.name}.md)"
        for verdict in verdicts(theorem):
            rows.append((link, f"`{verdict.claim.text}`", hypotheses(verdict.hypotheses_used), runs(verdict)))
            link = ""
    pages = [*(theorem.name for theorem in theorems), *(lesson.theorem.name for lesson in values)]
    toctree = "\n".join(f"theorems/{name}" for name in pages)
    parts = [
        "# Theorems",
        "## What a layer costs",
        "Each claim is proved again whenever these pages are built, under the hypotheses in its row, and "
        "faces counted runs of the layer at drawn designs.",
        table(("theorem", "claim", "uses", "runs that agree"), rows),
        "## What a layer computes",
        "Each derivation is decided again, step by step, whenever these pages are built, and compared with the "
        "running layer at drawn calls. The second witness is a proof over the reals for all sizes, in Rocq.",
        table(("theorem", "derivation decided", "drawn calls that agree", "second witness"), map(_value_row, values)),
        f"```{{toctree}}\n:hidden:\n\n{toctree}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _value_row(lesson: ValueLesson) -> tuple[str, str, str, str]:
    name = lesson.theorem.name
    reach = "; ".join(dict.fromkeys(chain.reach for chain in lesson.chains))
    calls = min(comparison.calls for comparison in lesson.comparisons)
    witness = f"`{lesson.witness}`" if lesson.witness else "none yet"
    return f"[{title(name)}](theorems/{name}.md)", reach, str(calls), witness


def runs(verdict: Verdict) -> str:
    """How many counted runs agreed with a claim; ValueError, which stops the build, if one did not."""
    confirmed = verdict.confirmed
    if confirmed is None or confirmed.designs == 0:
        return "none made"
    if confirmed.agreed != confirmed.designs:
        raise ValueError(f"{confirmed.designs - confirmed.agreed} runs disagree with {verdict.claim.text!r}")
    return str(confirmed.agreed)


def quantities() -> str:
    """The table of the quantities that a claim can be about."""
    rows = [(f"`{name}`", prose(quantity.meaning), quantity.unit) for name, quantity in QUANTITIES.items()]
    rows += [(f"`{name}`", prose(meaning), "pairs or queries") for name, meaning in CAUSAL_QUANTITIES.items()]
    rows += [(f"`{name}`", prose(meaning), "entries") for name, meaning in MEMORY_QUANTITIES.items()]
    return table(("quantity", "is", "unit"), rows) + "\n"
