"""The files of records: those that come with zmon, and a user's own, which changes them as it does rules."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from zmon.base import own_files
from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.base.toml import TomlDocument, TomlTable, read_utf8

SWITCHED_OFF: Final = absent("the file of your own rules switches it off")


def shipped_records(folder: str, *keys: str) -> list[TomlTable]:
    """Return the files of a directory of records, each as a table that has these keys alone.

    Raises:
        ValueError: one is wrong; the message has file and line.
    """
    place = shipped(folder)
    paths = (os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith(".toml"))
    tops = [TomlDocument(read_utf8(path, ValueError), path, is_shipped=True).top() for path in paths]
    for top in tops:
        top.only(*keys)
    return tops


def own_records() -> TomlTable | None:
    """Return the user's own file of rules; None if there is none, or it cannot be read.

    `zmon.rule.grammar` says what is wrong with it.
    """
    path = os.path.join(own_files.config(os.environ), "rules.toml")
    with suppress(OSError, ValueError):
        return TomlDocument(read_utf8(path, ValueError), path).top()
    return None
