"""Where the data lie that come with zmon."""

from __future__ import annotations

import os


def shipped(name: str) -> str:
    """Return the path of what comes with zmon: `screens`, `figures`, `rules`, `recordings`, `CHANGELOG.md`.

    In a checkout it lies beside the package, in an installation inside it.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, name)
    return inside if os.path.exists(inside) else os.path.join(os.path.dirname(package), name)
