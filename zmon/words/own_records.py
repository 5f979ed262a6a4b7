"""A user's own file of rules, which changes records of diagnoses and of checks as it does rules."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from zmon.base import own_files
from zmon.base.absent import absent
from zmon.base.toml import TomlDocument, TomlTable, read_utf8

SWITCHED_OFF: Final = absent("the file of your own rules switches it off")


def own_records() -> TomlTable | None:
    """Return the user's own file of rules; None if there is none, or it cannot be read.

    `zmon.rule.grammar` says what is wrong with it.
    """
    path = os.path.join(own_files.config(os.environ), "rules.toml")
    with suppress(OSError, ValueError):
        return TomlDocument(read_utf8(path, ValueError), path).top()
    return None
