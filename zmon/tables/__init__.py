"""Tables: one module per family of screens, each a pure function from an interval to rows."""

from typing import Final

TABLES: Final = ("cache", "channel", "control_unit", "details", "device", "itself", "lpar", "menu")
"""The modules here that fill a screen; a screen file names one of them."""
