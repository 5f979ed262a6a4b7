"""How a command ends: its exit status, and the sentence on standard error when it could not be done."""

from __future__ import annotations

import sys
from typing import Final

OK: Final = 0
FAILED: Final = 1
"""It could not be done."""
USAGE: Final = 2
"""It was asked for wrongly."""
PARTLY: Final = 3
"""It was answered, but parts of a listing were not understood, so the answer may lack files."""
INTERRUPTED: Final = 130
"""What a shell reports of a program that was ended by Ctrl-C."""


def complain(message: str) -> int:
    """Say on standard error what went wrong, and return the exit status for it."""
    from zmon.screen.number import harmless  # noqa: PLC0415 - mostly there is nothing to complain of

    print(f"zmon: {harmless(message)}", file=sys.stderr)
    return FAILED
