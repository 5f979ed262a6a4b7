"""Sentences with fields: what a record says, with the names and numbers of a case.

`{use:%}` is a field in a form; `{is|are}` the word for one thing or for several, `{it|them:disks}` for the
things of a field.  There are no conditions inside: what differs is another sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial, reduce
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.milliseconds import ms
from zmon.base.ranges import MOST_NAMED, many, names, ranges
from zmon.base.sizes import GIB, KIB, MB

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Number

PART: Final = re.compile(
    r"\{(?P<name>[a-z_.]+)(?::(?P<form>[^{}|]+))?\}|\{(?P<one>[^{}|]*)\|(?P<several>[^{}|:]*)(?::(?P<of>[a-z_.]+))?\}"
)
THINGS: Final = "things"
"""The field whose number decides between the words for one and for several, where no other is named."""
UNKNOWN: Final = "unknown"
NONE: Final = object()
"""What a source says of a field that it does not have."""
MINUTES: Final = 120.0
"""Seconds from which on a time is said in minutes."""


class With:
    """A thing with more fields than it has itself."""

    def __init__(self, thing: Any, **more: Any) -> None:
        """Give it fields; one that it has is hidden."""
        self.thing = thing
        self.__dict__.update(more)

    def __getattr__(self, name: str) -> Any:
        """Return a field of the thing itself, which was not given."""
        return getattr(self.__dict__["thing"], name)


class Fields:
    """What a sentence names: facts by their names, then fields of the things that it is about."""

    def __init__(self, *sources: object, most: int = MOST_NAMED) -> None:
        """Look in mappings by key and in other things by attribute, the first ones first.

        Of a list of names the first `most` are written.
        """
        self._sources, self.most = sources, most

    def __getitem__(self, name: str) -> Any:
        """Return a field.

        `lcu.title` is a field of another one.

        Raises:
            KeyError: nothing has it.
        """
        first, *rest = name.split(".") if "." in name else (name,)
        for source in self._sources:
            if isinstance(source, Fields):
                return source[name]
            value = source.get(first, NONE) if isinstance(source, dict) else getattr(source, first, NONE)
            if value is not NONE:
                return reduce(getattr, rest, value)
        raise KeyError(name)

    def of(self, thing: object) -> Fields:
        """Return the fields of a thing, and behind them these."""
        return Fields(thing, *self._sources, most=self.most)


def percent(part: Number) -> str:
    """Write a part of 1: `77 %`."""
    return UNKNOWN if isinstance(part, Absent) else f"{100 * part:.0f} %"


def listed(titles: Sequence[str], most: int = MOST_NAMED) -> str:
    """Join names of disks, those that follow one another as a range: `8000-8003 and 8005`."""
    return names(ranges(titles).split(), most)


def capital(text: str) -> str:
    """Return a text with a capital letter first."""
    return f"{text[:1].upper()}{text[1:]}"


def time(seconds: float) -> str:
    """Write a time that may be long: `45 s`, `20 minutes`."""
    return f"{seconds:.0f} s" if seconds < MINUTES else f"{seconds / 60:.0f} minutes"


FORMS: Final[Mapping[str, Callable[[Any], str]]] = {
    "ms": ms,
    "time": time,
    "%": percent,
    "KiB": lambda size: f"{size / KIB:.0f} KiB",
    "GiB": lambda size: f"{size / GIB:.1f} GiB",
    "amount": lambda size: f"{size / GIB:,.{0 if size >= 100 * GIB else 1}f} GiB",
    "MB": lambda size: f"{size / MB:.1f} MB",
    "ranges": ranges,
    "commas": ", ".join,
    "count": lambda things: f"{len(things):,}",
}
"""How a value is written: seconds, parts of 1, bytes; besides `LISTS`, `many WORD` and forms of numbers."""
LISTS: Final[Mapping[str, Callable[[Any, int], str]]] = {
    "": lambda value, most: _plain(value, "", most),
    "listed": listed,
    "names": names,
    "^": lambda value, most: capital(_plain(value, "", most)),
}
"""How a value is written that may be a list of names, of which so many are written."""
NUMBERS: Final[Mapping[str, float]] = {"ms": 1e3, "%": 100.0, "KiB": 1 / KIB, "GiB": 1 / GIB, "MB": 1 / MB}
"""What a value is multiplied with for the number of a form."""


def say(sentence: str, fields: Fields) -> str:
    """Return a sentence with its fields.

    Raises:
        KeyError: there is no such field.
    """
    return "".join(part if isinstance(part, str) else part(fields) for part in _parts(sentence))


def number(value: str, fields: Fields) -> Any:
    """Return a field as the number of its form: `disc:ms` in milliseconds; or what stands there as a number.

    Raises:
        KeyError: there is no such field.
    """
    name, _, form = value.partition(":")
    seen = fields[name]
    return seen * NUMBERS[form] if form else seen


def fields_of(template: str) -> list[str]:
    """Return the names of the fields that a sentence has, before they are put in."""
    return [match["name"] or match["of"] or THINGS for match in PART.finditer(template)]


@lru_cache(maxsize=1024)
def _parts(template: str) -> tuple[str | Callable[[Fields], str], ...]:
    parts: list[str | Callable[[Fields], str]] = []
    end = 0
    for match in PART.finditer(template):
        parts += [template[end : match.start()]] if match.start() > end else []
        end = match.end()
        if match["name"]:
            parts.append(_field(match["name"], match["form"] or ""))
        else:
            parts.append(partial(_word, match["of"] or THINGS, match["one"], match["several"]))
    return (*parts, template[end:])


def _written(form: str) -> Callable[[Any], str]:
    """Return what writes a value in a form."""
    if form.startswith("many "):
        what, _, plural = form.removeprefix("many ").partition("/")
        return lambda count: many(len(count) if isinstance(count, Sequence) else count, what, plural)
    return FORMS.get(form) or (lambda value: _plain(value, form))


def _plain(value: object, form: str, most: int = MOST_NAMED) -> str:
    if isinstance(value, Absent):
        return UNKNOWN
    if isinstance(value, With):
        raise TypeError("a thing is no word: name a field of it")
    return names(value, most) if isinstance(value, (list, tuple)) else format(value, form)


def _field(name: str, form: str) -> Callable[[Fields], str]:
    """Return what writes a field in a form."""
    if form in LISTS:
        return lambda fields: LISTS[form](fields[name], fields.most)
    written = _written(form)
    return lambda fields: written(fields[name])


def _word(name: str, single: str, several: str, fields: Fields) -> str:
    count = fields[name]
    return single if (len(count) if isinstance(count, Sequence) else count) == 1 else several
