"""When the excess of many heads stays below a given share of the multiplications.

Main results: the excess is at most one in ``share`` of the multiplications wherever ``3*share*(h - 1) <=
2*d_model``.

With d_model = 512 and h = 8 the condition holds for share = 48: the softmax of seven more heads is at most a
48th of the multiplications, whatever n is, if every operation is weighed alike. Additions are left out.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="excess_stays_below_a_share",
    sentence="The excess of h heads is at most one in share of the multiplications wherever 3*share*(h - 1) <= 2*d_model.",
    claims=(
        "share*(exponentials + softmax_divisions + comparisons - (3*n**2 - n)) <= 3*share*(h - 1)*n**2",
        "share*(exponentials + softmax_divisions + comparisons - (3*n**2 - n)) <= multiplications where 3*share*(h - 1) <= 2*d_model",
        "48*(exponentials + softmax_divisions + comparisons - (3*n**2 - n)) <= multiplications where h == 8, d_model == 512",
    ),
    steps=(
        Step(
            "share*(exponentials + softmax_divisions + comparisons - (3*n**2 - n))",
            "the excess over one head of full width, weighed by share",
        ),
        Step("share*(h - 1)*(3*n**2 - n)", "the theorem about the excess", ("H5",)),
        Step("3*share*(h - 1)*n**2", "n comparisons fewer", sign="<="),
    ),
    needs=(
        ("H5", "share*(exponentials + softmax_divisions + comparisons - (3*n**2 - n)) <= 3*share*(h - 1)*n**2"),
        (
            "H1",
            "share*(exponentials + softmax_divisions + comparisons - (3*n**2 - n)) <= multiplications where 3*share*(h - 1) <= 2*d_model",
        ),
        (
            "H5",
            "share*(exponentials + softmax_divisions + comparisons - (3*n**2 - n)) <= multiplications where 3*share*(h - 1) <= 2*d_model",
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2: 'similar to that of single-head attention'",
    extra=("share",),
)
