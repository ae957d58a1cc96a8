"""Aligned bottom-right, causality leaves ``n*(m - n) + n*(n + 1)/2`` pairs, or has empty rows.

Main results: ``2*bottom_right_kept_pairs == 2*n*(m - n) + n*(n + 1)`` where ``n <= m``; else ``m*(m + 1)`` and
``n - m`` empty rows.

The last query is aligned with the last key, as in decoding with a cache. The two alignments agree exactly when
there are as many keys as queries. With fewer keys than queries the first n - m queries see nothing.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="bottom_right_causal_kept_pairs",
    sentence="Aligned bottom-right a causal layer keeps n*(m - n) + n*(n + 1)/2 pairs where n <= m, else m*(m + 1)/2 with n - m empty rows.",
    claims=(
        "2*bottom_right_kept_pairs == n*(n + 1)",
        "2*bottom_right_kept_pairs == 2*n*(m - n) + n*(n + 1) where n <= m",
        "2*bottom_right_kept_pairs == m*(m + 1) where m <= n",
        "bottom_right_empty_rows == n - m where m <= n",
        "bottom_right_empty_rows == 0 where n <= m",
        "bottom_right_kept_pairs == kept_pairs where n == m",
    ),
    steps=(
        Step("2*bottom_right_kept_pairs", "the ones of the triangle that the traced layer makes"),
        Step("n**2 + n", "one more in each row, from 1 to n", ("H5",)),
        Step("n*(n + 1)", "collected"),
    ),
    needs=(("H5", "2*bottom_right_kept_pairs == n*(n + 1)"),),
    source="PyTorch, torch.nn.attention.bias.causal_lower_right",
)
