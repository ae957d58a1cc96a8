"""Writes `quantity_formulas.py` anew from the traced layer.

Run it as ``python -m mha_spec.models.regenerate_quantity_formulas``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mha_spec.counting.quantities import traced_quantities

from .quantity_formulas import Monomials

TARGET = Path(__file__).with_name("quantity_formulas.py")


def traced_formulas() -> dict[str, Monomials]:
    """Each quantity of the batched layer as its monomials: a coefficient, and factors as often as they occur."""
    return {
        name: tuple(
            (coefficient, tuple(factor for factor, power in powers for _ in range(power)))
            for powers, coefficient in size.monomials.items()
        )
        for name, size in traced_quantities("batched").items()
    }


def main() -> int:
    """Rewrite the table in place; always 0."""
    lines = ["FORMULAS: Mapping[str, Monomials] = {"]
    for name, monomials in traced_formulas().items():
        lines.append(f'    "{name}": (')
        for coefficient, factors in monomials:
            shown = ", ".join(f'"{factor}"' for factor in factors) + ("," if len(factors) == 1 else "")
            lines.append(f"        ({coefficient}, ({shown})),")
        lines.append("    ),")
    lines.append("}")
    text = TARGET.read_text(encoding="utf-8")
    body = re.sub(r"^FORMULAS: .*", "\n".join(lines), text, flags=re.MULTILINE | re.DOTALL)
    TARGET.write_text(body + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
