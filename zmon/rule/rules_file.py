"""Files of rules: where a user's own is, its mistakes, and values that several of their tables have."""

from __future__ import annotations

import os
import re

from zmon.base import own_files
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.toml import TomlDocument, TomlTable, read_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LENGTH: Final = re.compile(r"(\d{1,6})([smh])", re.ASCII)
SECONDS: Final = {"s": 1, "m": 60, "h": 3600}
LISTED: Final = 3
"""Mistakes that are named where there is little room; `zmon rules` lists all."""


class RuleError(ValueError):
    """Rules files cannot be used; each mistake names the file, the line and what is wrong."""

    args: tuple[str, ...]

    def __str__(self) -> str:
        """Return the first mistakes, and how many more there are."""
        more = len(self.args) - LISTED
        rest = [f"and {more} more mistakes: zmon rules lists them"] if more > 0 else []
        return "; ".join([*self.args[:LISTED], *rest])


def own_rules() -> list[str]:
    """Return the file of the user's own rules, if it exists."""
    path = os.path.join(own_files.config(os.environ), "rules.toml")
    return [path] if os.path.exists(path) else []


def document_of(path: str, *, is_shipped: bool = False) -> TomlTable:
    """Return the whole of a file.

    Raises:
        RuleError: it cannot be read, or is no TOML.
    """
    try:
        return TomlDocument(read_utf8(path, RuleError), path, RuleError, is_shipped=is_shipped).top()
    except OSError as error:
        raise RuleError(f"{path}: {error.strerror or error}") from error


def all_of(readers: Iterable[Callable[[], Any]]) -> list[Any]:
    """Return what several readers return.

    Raises:
        RuleError: some raised one; has the mistakes of all.
    """
    rules: list[Any] = []
    mistakes: list[str] = []
    for read in readers:
        try:
            rules.append(read())
        except RuleError as error:
            mistakes += error.args
    if mistakes:
        raise RuleError(*mistakes)
    return rules


def seconds_of(table: TomlTable, key: str) -> float:
    """Return the seconds of a length of time; 0 where none is given.

    Raises:
        RuleError: it is none.
    """
    text = table.text(key, "0s")
    match = LENGTH.fullmatch(text)
    if match is None:
        raise table.wrong(key, f"is a length of time such as 90s, 2m or 1h, not {text!r:.60}")
    return float(match[1]) * SECONDS[match[2]]
