"""Scenario files laid over each other: a scenario may be based on another one.

What a scenario says of a path group, a control unit, a volume, a tablespace or a load then replaces what the
other says key by key, and `false` takes one away; everything else it replaces as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.toml import TomlDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.toml import Keys

MERGED: Final = ("paths", "lcus", "volumes", "tablespaces", "loads")
OWN: Final = ("base", "title", "text", "assumed", "figures")
"""What a scenario never takes from the one that it is based on."""


class ScenarioError(ValueError):
    """A scenario cannot be used: which file, line and key, what is wrong, and what to do."""


def lab_document(text: str, origin: str) -> TomlDocument:
    """Parse one file of the laboratory.

    Raises:
        ScenarioError: it is not TOML.
    """
    return TomlDocument(text, origin, ScenarioError, "; it is a TOML file, see docs/lab.md")


class LayeredDocument(TomlDocument):
    """A scenario and those that it is based on, as one document."""

    def __init__(self, documents: list[TomlDocument]) -> None:
        """Lay the documents over each other, the first one lowest."""
        self.error = ScenarioError
        self.documents = documents
        self.data: dict[str, Any] = {}
        for document in documents:
            self.data = {key: value for key, value in self.data.items() if key not in OWN}
            for key, value in document.data.items():
                before = self.data.get(key)
                if key in MERGED and isinstance(before, dict) and isinstance(value, dict):
                    self.data[key] = _merged(before, value)
                else:
                    self.data[key] = value

    def place(self, keys: Keys) -> str:
        """Return where an entry is written: in the uppermost document that has it, or the table around it."""
        upper = self.documents[::-1]
        for wanted in (keys, keys[:2]):
            for document in upper:
                if wanted in document.lines:
                    return document.place(keys)
        return upper[0].place(keys)


def _merged(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    whole = dict(before)
    for name, value in after.items():
        older = whole.get(name)
        if value is False:
            whole.pop(name, None)
        elif isinstance(value, dict) and isinstance(older, dict):
            whole[name] = {key: each for key, each in (older | value).items() if each is not False}
        else:
            whole[name] = value
    return whole
