"""``python -m mha_spec`` is the command ``mha-spec``, for where the folder of scripts is not on the path."""

from __future__ import annotations

from .cli import main

main()
