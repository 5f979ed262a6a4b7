"""Where the data lie that come with zmon."""

from __future__ import annotations

import os


def shipped(folder: str) -> str:
    """Return the directory of the data that come with zmon: `screens`, `figures`, `rules` or `recordings`.

    In a checkout it lies beside the package, in an installation inside it.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, folder)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), folder)
