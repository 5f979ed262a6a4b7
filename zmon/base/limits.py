"""Limits that rules, diagnoses, checks and the fleet share: each stands in `rules/limits.toml` alone."""

from __future__ import annotations

import os
from functools import lru_cache

from zmon.base.shipped import shipped
from zmon.base.toml import TomlDocument, read_utf8


@lru_cache(maxsize=1)
def limits() -> dict[str, float]:
    """Return all limits by their names, in the units of the screens: ms, KiB, %."""
    path = os.path.join(shipped("rules"), "limits.toml")
    document = TomlDocument(read_utf8(path, ValueError), path, is_shipped=True)
    return {table.text("name"): table.number("value") for table in document.top().list_of("limit")}


def limit(name: str) -> float:
    """Return a limit.

    Raises:
        KeyError: there is none of this name.
    """
    return limits()[name]
