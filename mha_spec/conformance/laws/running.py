"""That a layer runs at all, on every design that the factory accepts."""

from __future__ import annotations

from ..cases.wanted import ALL_DTYPES, ALL_OPTIONS, Wanted
from ..failure import LawBroken, LayerBroke
from ..trial import Trial
from .law import law


def run_or_break(t: Trial) -> None:
    """Run the drawn inputs; `LawBroken` where the layer raises or returns no output of the right shape and dtype."""
    try:
        t.run()
    except LayerBroke as broke:
        finding = broke.finding
        raise LawBroken(finding.what, finding.came_out, finding.should_be) from broke


@law("relation", None, Wanted(options=ALL_OPTIONS, dtypes=ALL_DTYPES))
def it_runs_on_every_design_it_accepts(t: Trial) -> None:
    """The layer gives an ndarray `(batch, n, d_model)` of the design's dtype, and raises nothing but `Unsupported`."""
    run_or_break(t)
