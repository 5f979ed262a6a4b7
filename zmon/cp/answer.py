"""Answers of CP as data: each form of answer has a name, its fields, and the patterns of its lines.

A line is recognised by its form alone, whatever command precedes it.  A named group of a pattern fills
the field of its name.  To read a further answer, add an `AnswerForm` to one of the modules `answers_*`.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping, Sequence

    from zmon.cp.console import ConsoleLine

    Adjust = Callable[[dict[str, Any]], Mapping[str, Any] | None]
    Grow = Callable[[Any, ConsoleLine], Any]

RDEV: Final = r"[1-3]?[0-9A-F]{4}"
"""A real device number; the first of five digits is that of a subchannel set, 1 to 3."""

BY_WORDS: Final = "the line lost its columns and was read by words"
LOWER: Final = "the line is in lower case, as CP never writes it"
REMEMBERED: Final = "the layout of this answer was never checked against a real one"

MAX_PARTS: Final = 64
"""The maximum of lines and numbers of one answer; further ones do not belong to it."""


def label(text: str) -> str:
    """Return the label of a volume; empty when CP shows none, or question marks for it."""
    stripped = text.strip()
    return stripped if stripped.strip("?") else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _is_on(text: str) -> bool:
    return text.upper() == "ON"


_TYPES: Final[dict[str, tuple[Callable[[str], Any], Any]]] = {
    "": (str.strip, ""),
    "int": (int, None),
    "label": (label, ""),
    "lower": (str.lower, ""),
    "list": (_words, ()),
    "list?": (_words, None),
    "switch": (_is_on, False),
}
"""For each type the function that converts the text of a group, and the default of a field."""


class AnswerRow:
    """The content of one answer: a named tuple of the fields of its form.

    Each has `line`, the number of its first line, and `weak`, the reason why it may be wrong: empty when the
    line is exactly as CP writes it.
    """

    __slots__ = ()
    form: ClassVar[AnswerForm]

    @property
    def key(self) -> str:
        """The identity of what it describes; of two rows of a form with one key the later one is valid."""
        values = [getattr(self, name) for name in self.form.key]
        return ":".join(str(value) for value in values if value not in {"", None})

    def more(self, line: ConsoleLine) -> Any:
        """Return the row with the values of a following line; None if the line does not belong to it."""
        return self.form.follow(self, line)


class AnswerForm:
    """One form of CP's answers."""

    def __init__(  # noqa: PLR0913 - the parts of a form
        self,
        name: str,
        fields: str,
        key: str,
        *patterns: re.Pattern[str],
        weak: str = "",
        below: Sequence[re.Pattern[str]] = (),
        adjust: Adjust | None = None,
        grow: Grow | None = None,
    ) -> None:
        """Declare a form.

        Args:
            name: the name of its rows in output: `disk`.
            fields: their names in order, each with its type unless it is text: `vdev size:int`.
            key: the fields that identify what a row describes.
            patterns: of the first line.
            weak: why any of its rows may be wrong.
            below: patterns of the lines that may follow.
            adjust: returns the fields that differ from their groups, or None for a line of another form.
            grow: adds a following line to a row, where patterns do not suffice.
        """
        types = [word.partition(":") for word in fields.split()]
        self.name = name
        self.key = key.split()
        self._types = {field: _TYPES[kind][0] for field, _, kind in types}
        self._defaults = {field: _TYPES[kind][1] for field, _, kind in types} | {"weak": weak}
        make: Any = namedtuple  # noqa: PYI024 - the fields are data
        bare = make(name.capitalize(), list(self._types), defaults=list(self._defaults.values()))
        self.row: Any = type(name.capitalize(), (AnswerRow, bare), {"__slots__": (), "form": self})
        """Makes a row."""
        self._patterns = patterns
        self._below = below
        self._adjust = adjust
        self._grow = grow

    def read(self, line: ConsoleLine) -> Any:
        """Return the row that a line begins; None if it begins none."""
        for pattern in self._patterns:
            if match := pattern.fullmatch(line.text):
                return self.make(match, line)
        return None

    def make(self, match: re.Match[str], line: ConsoleLine, weak: str = "") -> Any:
        """Return the row of a match; None if `adjust` rejects it."""
        values = self._defaults | self._values(match) | {"line": line.number}
        if weak:
            values["weak"] = weak
        if "node" in self._types:
            values["node"] = line.node
        changed = self._adjust(values) if self._adjust is not None else {}
        if changed is None:
            return None
        values |= changed
        return self.row(*[values[name] for name in self._types])

    def follow(self, row: Any, line: ConsoleLine) -> Any:
        """Return a row with the values that a following line adds; None if the line does not belong to it."""
        if self._grow is not None and (grown := self._grow(row, line)) is not None:
            return grown
        for pattern in self._below:
            if match := pattern.fullmatch(line.text):
                return row._replace(**self._values(match))
        return None

    def _values(self, match: re.Match[str]) -> dict[str, Any]:
        groups = {name: text for name, text in match.groupdict().items() if text is not None}
        return {name: self._types.get(name, str)(text) for name, text in groups.items()}


def read_first(forms: Sequence[AnswerForm], line: ConsoleLine) -> Any:
    """Return the row of the first form that a line fits; None if it fits none."""
    return next((row for form in forms if (row := form.read(line)) is not None), None)
