"""Many random claims, true and false: nothing false is proved, and what is refuted has a real counterexample.

Whether a claim is true is decided here by plain loops over sizes and Python's own arithmetic.  Set
``MHA_SPEC_THOROUGH=1`` for thousands of claims instead of hundreds.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from mha_spec.claims.language import ClaimError
from mha_spec.claims.prover import prove
from mha_spec.claims.verdict import Verdict
from sampling.brute_force import ALL, ORDER, Design, designs_up_to, meets, rank

from .reading_by_python import (
    QUANTITY_FORMULAS,
    is_true,
    meets_conditions,
    pairs_that_agree_on,
    smallest_counterexample,
    smallest_pair,
    value,
)

THOROUGH = os.environ.get("MHA_SPEC_THOROUGH") == "1"
BATCHES = 10
CLAIMS_IN_A_BATCH = 300 if THOROUGH else 40
GRID = {0: 12, 1: 13, 2: 13, 3: 14, 4: 16, 5: 19, 6: 24}  # by the number of hypotheses, of similar size
ONE_DESIGN = 8  # the least sum of sizes of any design
REASONS_TO_REFUSE = ("no design meets", "cannot be held", "above the bound of")
# What a hypothesis says one size is; a claim that is rewritten by those that are active is true.
REWRITING = {"H1": ("d_model", "h*d_k"), "H2": ("d_v", "d_k"), "H3": ("kv_heads", "h"), "H5": ("m", "n")}
QUANTITIES = ("parameters", "score_multiplications", "mixing_multiplications", "score_entries", "kv_cache_entries")


@dataclass(frozen=True)
class Drawn:
    """A random claim with the setting it is asked in."""

    text: str
    drop: tuple[str, ...]
    hold: tuple[str, ...] = ()

    @property
    def active(self) -> tuple[str, ...]:
        return tuple(name for name in ALL if name not in self.drop)

    @property
    def grid(self) -> int:
        return GRID[len(self.active)]


def term(pick: random.Random, depth: int = 2) -> str:
    """A random polynomial, small enough to be read."""
    if depth == 0 or pick.random() < 0.3:
        return pick.choice([*ORDER, *ORDER, *QUANTITIES, str(pick.randint(0, 4))])
    left, right = term(pick, depth - 1), term(pick, depth - 1)
    sign = pick.choice(["+", "+", "-", "*", "*", "**"])
    return f"({left})**2" if sign == "**" else f"({left} {sign} {right})"


def rewritten(written: str, hypotheses: tuple[str, ...]) -> str:
    """The same term by what the hypotheses say, and by what the quantities are; true under those hypotheses."""
    for _ in range(2):  # one quantity may be made of others
        for name, formula in QUANTITY_FORMULAS.items():
            written = replace_name(written, name, f"({formula})")
    for name, (old, new) in REWRITING.items():
        if name in hypotheses:
            written = replace_name(written, old, f"({new})")
    return written


def replace_name(written: str, old: str, new: str) -> str:
    tokens = written.replace("(", " ( ").replace(")", " ) ").replace("*", " * ").split(" ")
    return "".join(new if token == old else token for token in tokens)


def equality(pick: random.Random, active: tuple[str, ...]) -> str:
    left = term(pick)
    right = rewritten(left, tuple(name for name in REWRITING if name in active or pick.random() < 0.2))
    return f"{left} == {right}{pick.choice(['', '', '', ' + 1', ' - bias', ' + n - m', ' + h - kv_heads'])}"


def inequality(pick: random.Random, active: tuple[str, ...]) -> str:
    left, more = (
        term(pick),
        pick.choice(["0", "1", "n", "bias", "(n - 1)", "h*m", "(h - kv_heads)", "(m - 2)", "(n - m)"]),
    )
    low, high = left, f"{rewritten(left, active)} + {more}"
    sign = pick.choice(["<=", "<", ">=", ">", "!="])
    return f"{high} {sign} {low}" if pick.random() < 0.5 else f"{low} {sign} {high}"


def wild(pick: random.Random, _: tuple[str, ...]) -> str:
    return f"{term(pick)} {pick.choice(['==', '!=', '<=', '<', '>=', '>'])} {term(pick)}"


def conditional(pick: random.Random, active: tuple[str, ...]) -> str:
    """The first condition makes the goal true, unless it was spoiled."""
    goal, condition = pick.choice(
        [
            ("h*d_k == d_model", "d_model == h*d_k"),
            ("score_multiplications == n*m*d_model", "h*d_k == d_model"),
            ("parameters == projection_weights", "bias == 0"),
            ("n*m >= 4", "n >= 2, m >= 2"),
            ("d_model >= 2*d_k", "h >= 2"),
            ("d_model == 2*d_k", "h == 2"),
            ("kv_heads == 1", "h == 1"),
            ("n**2 == m**2", "n == m"),
            ("n <= m + 1", "n <= m"),
        ]
    )
    spoiled = pick.choice(["", "", " + 1", " - bias", " + n - 1"])
    return f"{goal}{spoiled} where {condition}"


def equivalence(pick: random.Random, active: tuple[str, ...]) -> str:
    left, right = pick.choice(
        [
            ("n == m", "n**2 == m**2"),
            ("n <= m", "n**2 <= m**2"),
            ("n < m", "n + 1 <= m"),
            ("h == 1", "kv_heads == 1"),
            ("d_v == d_k", "mixing_multiplications == score_multiplications"),
            ("h*d_k == d_model", "score_multiplications == n*m*d_model"),
            ("n == 1", "m == 1"),
            ("h == kv_heads", "h*n == kv_heads*n"),
        ]
    )
    return f"{left} iff {right}{pick.choice(['', '', '', ' + 1', ' + bias', ' + n - m'])}"


def independence(pick: random.Random, _: tuple[str, ...]) -> str:
    known = ["h*d_k", "n*m", "d_model", "d_k", "d_memory + bias", "kv_heads*d_k", "h*d_v", "h - kv_heads", *QUANTITIES]
    written = pick.choice(known) if pick.random() < 0.6 else term(pick)
    return f"{written}{pick.choice(['', '', '', ' + h', ' + n', ' + d_k', ' + d_v - d_k'])} independent of h"


def division(pick: random.Random, active: tuple[str, ...]) -> str:
    divisor, quotient = pick.choice(["h", "d_k", "n*m", "2", "kv_heads"]), term(pick, 1)
    dividend = rewritten(f"{divisor}*{quotient}", active)
    spoiled = pick.choice(["", "", "", " + 1", " + n"])
    return f"({dividend}{spoiled}) {pick.choice(['//', '//'])} ({divisor}) == {quotient}"


KINDS: list[Callable[[random.Random, tuple[str, ...]], str]] = [
    equality, equality, inequality, wild, conditional, equivalence, independence, independence, division
]  # fmt: skip


def drawn(pick: random.Random) -> Drawn:
    drop = tuple(name for name in ALL if pick.random() < 0.4)
    active = tuple(name for name in ALL if name not in drop)
    text = pick.choice(KINDS)(pick, active)
    hold = ("d_k",) if text.endswith("independent of h") and pick.random() < 0.3 else ()
    return Drawn(text, drop, hold)


def require_sound_proof(claim: Drawn, verdict: Verdict) -> None:
    designs = designs_up_to(claim.grid, verdict.hypotheses_used if len(verdict.hypotheses_used) > 3 else claim.active)
    if not claim.text.endswith("independent of h"):
        false = [design for design in designs if not is_true(claim.text, design)]
        assert false[:1] == [], f"{claim} is proved and false"
        return
    found = smallest_pair(claim.text, verdict.held, designs)
    assert found is None, f"{claim} is proved and false"


def require_real_counterexample(claim: Drawn, verdict: Verdict) -> None:
    designs = [dict(design) for design in verdict.counterexample]
    assert all(meets(design, claim.active) and meets_conditions(claim.text, design) for design in designs)
    assert all(design["h"] % design["kv_heads"] == 0 for design in designs)
    if not claim.text.endswith("independent of h"):
        assert not is_true(claim.text, designs[0]), f"{claim} is refuted by {designs}, where it is true"
        require_the_same(claim, (designs[0],), smallest_counterexample(claim.text, claim.active, claim.grid))
        return
    first, second = designs
    written = claim.text.removesuffix(" independent of h")
    assert value(written, first) != value(written, second), f"{claim} is refuted by {designs}, where it is true"
    assert first["h"] < second["h"]
    assert list(pairs_that_agree_on(verdict.held, designs)) == [(first, second)]
    smallest = smallest_pair(claim.text, verdict.held, designs_up_to(claim.grid, claim.active))
    if smallest is not None and rank(smallest[0])[0] + rank(smallest[1])[0] - ONE_DESIGN <= claim.grid:
        assert tuple(designs) == smallest, f"{claim} has a smaller counterexample"


def require_the_same(claim: Drawn, found: tuple[Design, ...], smallest: Design | None) -> None:
    if smallest is not None:
        assert found == (smallest,), f"{claim} has a smaller counterexample"
    else:
        assert rank(found[0])[0] > claim.grid, f"{claim} was missed by the plain loops"


def verdict_or_refusal(claim: Drawn) -> Verdict | str:
    try:
        return prove(claim.text, drop=claim.drop, hold=claim.hold, designs=0)
    except ClaimError as error:
        return str(error)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_random_claim_is_proved_that_is_false_or_refuted_that_is_true(batch: int) -> None:
    pick = random.Random(f"soundness {batch}")
    outcomes: Counter[str] = Counter()
    for _ in range(CLAIMS_IN_A_BATCH):
        claim = drawn(pick)
        verdict = verdict_or_refusal(claim)
        if isinstance(verdict, str):
            assert any(reason in verdict for reason in REASONS_TO_REFUSE), f"{claim}: {verdict}"
            outcomes["REFUSED"] += 1
            continue
        outcomes[verdict.outcome] += 1
        if verdict.outcome == "PROVED":
            require_sound_proof(claim, verdict)
        elif verdict.outcome == "REFUTED":
            require_real_counterexample(claim, verdict)
    share = outcomes["UNKNOWN"] / outcomes.total()
    print(f"batch {batch}: {dict(outcomes)}, UNKNOWN {share:.0%}")
    assert outcomes["REFUSED"] <= CLAIMS_IN_A_BATCH // 10
    assert outcomes["PROVED"] >= CLAIMS_IN_A_BATCH // 10
    assert outcomes["REFUTED"] >= CLAIMS_IN_A_BATCH // 10
