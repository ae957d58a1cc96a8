"""The layer of the guide passes every law that its declarations leave."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mha_spec.conformance import verify

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "verify.md"


def test_the_layer_of_the_guide_passes() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, str(GUIDE), "exec"), names)
    report = verify(names["factory"], examples=25, isolated=False)
    assert report.exit_status == 0, report.text()
    assert sum(outcome.outcome == "PASS" for outcome in report.outcomes) >= 35
