"""Limits that rules, diagnoses, checks and the fleet share: each stands in `rules/limits.toml` alone."""

from __future__ import annotations

import os
from functools import lru_cache

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.plain_text import did_you_mean
from zmon.base.shipped import shipped
from zmon.base.toml import TomlDocument, read_utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.toml import TomlTable


BOUNDS: Final = frozenset({"look", "bad"})
"""The keys of a record for the values from which on something is worth a look, and bad."""


@lru_cache(maxsize=1)
def limits() -> dict[str, float]:
    """Return all limits by their names, in the units of the screens: ms, KiB, %."""
    path = os.path.join(shipped("rules"), "limits.toml")
    document = TomlDocument(read_utf8(path, ValueError), path, is_shipped=True)
    return {table.text("name"): table.number("value") for table in document.top().list_of("limit")}


def number_of(table: TomlTable, key: str, value: Any) -> Any:
    """Return what a record says under a key, or of a name of a limit the number.

    Raises:
        ValueError: the record's, as there is no limit of this name.
    """
    if not isinstance(value, str):
        return value
    if value not in limits():
        others = did_you_mean(value, limits())
        raise table.wrong(key, f"is a number or a limit, and there is no limit {value!r:.60}{others}")
    return limits()[value]


def with_numbers(table: TomlTable, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record says, with numbers for the limits that it names as `look` and `bad`.

    Raises:
        ValueError: the record's, as there is no limit of a name.
    """
    return {**data, **{key: number_of(table, key, data[key]) for key in BOUNDS & data.keys()}}


def limit(name: str) -> float:
    """Return a limit.

    Raises:
        KeyError: there is none of this name.
    """
    return limits()[name]
