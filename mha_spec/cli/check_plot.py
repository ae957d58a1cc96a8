"""A picture of what changes as the number of heads varies; needs the ``plot`` extra."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from mha_spec.design import DesignError
from mha_spec.models.varying import Variant

_SHOWN = {
    "parameters": "parameters",
    "multiplications": "multiplications",
    "exponentials": "exponentials",
    "kv_cache_bytes": "cache",
}


def plot_variants(variants: Sequence[Variant], title: str, path: str) -> None:
    """Each cost over its value at the first number of heads, on logarithmic axes, into a file such as ``out.svg``.

    Raises DesignError without matplotlib, and where fewer than two numbers of heads make a layer.
    """
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ImportError:
        raise DesignError("--plot needs matplotlib: pip install 'mha-spec[plot]'") from None
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    made = [one for one in variants if one.cost is not None]
    if len(made) < 2:
        raise DesignError("--plot: fewer than two of these numbers of heads make a layer")
    figure, axes = pyplot.subplots()
    for name, label in _SHOWN.items():
        values = [one.cost.as_json()[name] for one in made if one.cost is not None]
        if values[0] and all(value is not None for value in values):
            axes.plot(
                [one.h for one in made], [value / values[0] for value in values if value], marker="o", label=label
            )
    axes.set(xscale="log", yscale="log", xlabel="h", ylabel=f"times that of h = {made[0].h}", title=title)
    axes.legend()
    figure.savefig(path)
    pyplot.close(figure)
    print(f"{path} written")
