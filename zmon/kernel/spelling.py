"""How a foreign name is spelled where people read it."""

from __future__ import annotations


def printable(name: str) -> str:
    """Return a foreign path so that a terminal can show it, cut when it is very long."""
    shown = name if name.isprintable() else ascii(name)[1:-1]
    return shown if len(shown) <= 120 else f"{shown[:117]}..."
