"""Tables: one module per family of screens, each a pure function from an interval to rows."""

from typing import Final

TABLES: Final = (
    "cache", "channel", "channel_log", "control_unit", "control_unit_log", "correlation", "cpu", "cpu_log",
    "dasdstat", "details", "device", "device_log", "files", "focus", "itself", "lpar", "lpar_log", "menu",
    "moves", "paging_log", "plot", "spread", "system",
)  # fmt: skip
"""The modules here that fill a screen; a screen file names one of them."""

DRAWN: Final = frozenset({"plot", "correlation"})
"""Those about figures of other screens; theirs are not by time again."""

UNDRAWN: Final = frozenset({"files", "moves"})
"""Those whose rows cannot be followed in time: parts of files on disks, and proposals."""
