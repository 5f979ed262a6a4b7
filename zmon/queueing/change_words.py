"""Changes in words: `move TSFACT1 to LCU 5`, `double the paths of LCU 6`, `aliases 20 on LCU 8100`.

Words are read without regard to capitals.  What a name may mean is given by `KnownNames`; an unknown word is
answered with what is like it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.plain_text import did_you_mean
from zmon.base.record import NamedTuple
from zmon.queueing.change import (
    AliasNumber,
    Change,
    ChangeError,
    FileMove,
    PathNumber,
    PathsInUse,
    ProcessorNumber,
    StripedSpace,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FORMS: Final = (
    "move FILE or TABLESPACE to LCU 5",
    "move FILE to volume 7201",
    "moves",
    "moves 4",
    "stripe TABLESPACE over LCU 1,2,5,6",
    "paths 24",
    "paths 12 of LCU 6",
    "double the paths of LCU 6",
    "use all paths",
    "aliases 20 on LCU 8100",
    "aliases 7 on volume 8000",
    "processors 8",
)
"""What may be asked."""
MAX_NAMED: Final = 8
"""Names that a message lists."""
MAX_NUMBER: Final = 100_000
"""The most aliases, paths or processors."""


class KnownNames(NamedTuple):
    """What names mean here; all in small letters."""

    files: Mapping[str, frozenset[str]]
    """The paths of a file or of the files of a tablespace."""
    spaces: Mapping[str, str]
    """The class of a tablespace."""
    lcus: Mapping[str, str]
    """Keys, by all names: `lcu 6`, `6`, `7600`."""
    volumes: Mapping[str, str]
    """Keys, by number, label and name."""
    several: Mapping[str, Sequence[str]] = {}
    """The classes of the tablespaces of several databases that have the same name."""


def parse_change(text: str, names: KnownNames) -> Change:
    """Return the change that words mean.

    Raises:
        ChangeError: they are not understood, or name nothing that is known here.
    """
    fields = _NUMBER_FIRST.sub(r"\2 \1", " ".join(text.split()))
    for pattern, make in _FORMS:
        match = pattern.fullmatch(fields)
        if match is not None:
            return make(names, *match.groups())
    first = fields.partition(" ")[0].casefold()
    like = [form for form in FORMS if form.split()[0] == first]
    hint = "" if like else did_you_mean(first, sorted({form.split()[0] for form in FORMS}))
    write = f"{hint} Write" if hint else "; write"
    raise ChangeError(f"{fields!r:.80} is not understood{write} {', '.join(like or FORMS)}")


def _known(what: str, word: str, names: Mapping[str, str]) -> str:
    key = names.get(word.strip().casefold())
    if key is None:
        some = ", ".join(sorted({min((len(n), n) for n, k in names.items() if k == key)[1].upper()
                                 for key in names.values()})[:MAX_NAMED])  # fmt: skip
        hint = did_you_mean(word.strip(), names) or (f"; there are {some}" if some else "; there is none")
        raise ChangeError(f"{what} {word.strip()!r:.80} is not known here{hint}")
    return key


def _refuse_several(name: str, names: KnownNames) -> None:
    owners = names.several.get(name.strip().casefold())
    if owners:
        raise ChangeError(f"several databases have a tablespace {name!r:.80}: write {' or '.join(owners)}")


def _lcu(names: KnownNames, word: str) -> str:
    return _known("LCU", word, names.lcus)


def _is_volume(names: KnownNames, kind: str | None, target: str) -> bool:
    """Return whether a target is a volume: said so, or no LCU has its name; the word LCU may be left out.

    Raises:
        ChangeError: both an LCU and a volume have the name.
    """
    if kind is not None:
        return kind.casefold().startswith("volume")
    first = re.split("[ ,]+", target.strip().casefold())[0]
    if first in names.lcus and first in names.volumes:
        raise ChangeError(
            f"{target!r:.80} is an LCU and a volume: write LCU {target:.80} or volume {target:.80}"
        )
    return first in names.volumes


def _number(word: str) -> int:
    number = int(word[:9])
    if not number <= MAX_NUMBER:
        raise ChangeError(f"{word:.20} is more than {MAX_NUMBER:,}")
    return number


def _positive(word: str) -> int:
    if not _number(word):
        raise ChangeError("at least 1 is needed, not 0")
    return _number(word)


def _move(names: KnownNames, name: str, kind: str | None, target: str) -> Change:
    files = names.files.get(name.casefold())
    _refuse_several(name, names)
    if files is None:
        raise ChangeError(f"{name!r:.80} is no file and no tablespace here{did_you_mean(name, names.files)}")
    if _is_volume(names, kind, target):
        return FileMove(files, "", _known("volume", target, names.volumes))
    return FileMove(files, _lcu(names, target))


def _stripe(names: KnownNames, name: str, kind: str | None, targets: str) -> Change:
    _refuse_several(name, names)
    space = _known("tablespace", name, names.spaces)
    given = [word for word in re.split(r"[ ,]+", targets) if word]
    if _is_volume(names, kind, targets):
        return StripedSpace(space, (), tuple(_known("volume", word, names.volumes) for word in given))
    return StripedSpace(space, tuple(dict.fromkeys(_lcu(names, word) for word in given)))


def _paths(names: KnownNames, number: str, lcu: str | None) -> Change:
    return PathNumber(_positive(number), _lcu(names, lcu) if lcu else "")


def _double(names: KnownNames, lcu: str | None) -> Change:
    return PathNumber(2.0, _lcu(names, lcu) if lcu else "", times=True)


def _use_all(names: KnownNames, lcu: str | None) -> Change:
    return PathsInUse(_lcu(names, lcu) if lcu else "")


def _aliases(names: KnownNames, number: str, kind: str | None, target: str | None) -> Change:
    if target is None:
        return AliasNumber(_number(number))
    if _is_volume(names, kind, target):
        return AliasNumber(_number(number), volume=_known("volume", target, names.volumes))
    return AliasNumber(_number(number), _lcu(names, target))


_NUMBER_FIRST: Final = re.compile(r"^(\d+) (paths|aliases|processors)\b", re.IGNORECASE | re.ASCII)
"""`24 paths` is `paths 24`."""


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[..., Change]], ...]] = (
    (_form(r"move (.+) to (?:(LCU|volume) )?(.+)"), _move),
    (_form(r"stripe (.+) over (?:(LCUs?|volumes?) )?(.+)"), _stripe),
    (_form(r"paths (\d+)(?: of (?:LCU )?(.+))?"), _paths),
    (_form(r"double (?:the )?paths(?: of (?:LCU )?(.+))?"), _double),
    (_form(r"use all (?:the )?paths(?: of (?:LCU )?(.+))?"), _use_all),
    (_form(r"aliases (\d+)(?: on (?:(LCU|volume) )?(.+))?"), _aliases),
    (_form(r"processors (\d+)"), lambda _names, number: ProcessorNumber(float(_positive(number)))),
)
