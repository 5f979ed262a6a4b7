"""The figures of a run by their names, for who compares them with those that are kept.

A benchmark prints what it measured for people, and notes the ratios here.  `python -m benchmarks.quick` asks
for some of them: it names a file in `ZMON_FIGURES`, and fewer rounds are enough for it.
"""

from __future__ import annotations

import json
import os
from typing import Final

FILE: Final = "ZMON_FIGURES"
"""The variable that names the file to which ratios are added, a line of JSON each."""
IS_QUICK: Final = bool(os.environ.get(FILE))
"""Whether only the figures that break most often are wanted."""


def rounds(many: int) -> int:
    """Return how many rounds are measured: fewer where the figures are only compared with kept ones."""
    return max(3, many // 2) if IS_QUICK else many


def note(name: str, ratio: float) -> None:
    """Note a ratio by the name of what was measured against its rival: `sampling.all`."""
    if IS_QUICK:
        with open(os.environ[FILE], "a", encoding="utf-8") as stream:
            stream.write(json.dumps([name, ratio]) + "\n")
