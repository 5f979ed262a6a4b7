"""Changes of the I/O configuration between two samples: what changed, from which value to which.

A change is recorded as an event whose text is one sentence, `0.0.7000: chpids 40 41 -> 40 (path lost)`; the
log of changes takes the sentence apart again, so live, recorded and replayed changes are the same.  A value
that could not be read, before or after, is no change.
"""

from __future__ import annotations

import re
from functools import lru_cache, reduce
from itertools import compress
from operator import ne, or_

from zmon.base.absent import Absent, absent, text_of
from zmon.base.event import Event, What
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import (
    ADAPTER,
    BLOCK,
    CHANNEL,
    DASD,
    DEVICE,
    INTERFACE,
    MULTIPATH,
    PATH,
    PCI_FUNCTION,
    QETH,
    TARGET_PORT,
)
from zmon.values.path_masks import OF_DRIVER, PATH_MASKS, path_masks, paths_in, usable
from zmon.values.path_state import UP
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.base.absent import Value
    from zmon.sample import Frame, Sample

WATCHED: Final = {
    DEVICE.name: {
        "online": "online", "chpids": "chpids", "usable": "usable paths", "alias": "alias", "uid": "uid",
        "devtype": "device type", "cutype": "control unit", "readonly": "read only",
        "taken_off": "paths taken off",
    },
    DASD.name: {"volser": "label", "cylinders": "capacity"},
    BLOCK.name: {"size": "size"},
    CHANNEL.name: {"status": "status", "configure": "configured", "type": "type", "chid": "chid"},
    PATH.name: {"state": "path", "device": "disk", "map": "multipath device"},
    ADAPTER.name: {"port_state": "port", "speed": "speed"},
    TARGET_PORT.name: {"state": "port"},
    QETH.name: {"state": "state", "online": "online", "chpid": "chpid"},
    INTERFACE.name: {"state": "state"},
    PCI_FUNCTION.name: {"power": "power", "driver": "driver"},
}  # fmt: skip
"""The fields of each kind that make up the configuration, and what a change of each is called.

Usable paths of a device are those that are in all of its `PATH_MASKS`; those taken off are what the DASD
driver does not use although the channel subsystem has them.
"""
USABLE: Final = "usable"
TAKEN_OFF: Final = "taken_off"
UNKNOWN_MASKS: Final = absent("the path masks are not in a form known to zmon")
MAX_VALUE: Final = 60
MAX_CHANGES: Final = 200
"""Changes between two samples beyond which only their number is kept: a whole box came or went."""
MAX_TEXT: Final = 400
_NAMES: Final = sorted({name for fields in WATCHED.values() for name in fields.values()}, key=len)
_FORM: Final = re.compile(
    r"(?P<kind>[a-z_]+) (?P<thing>\S+)(?: \+(?P<others>[1-9][0-9]{0,6}))?: "
    rf"(?P<what>{'|'.join(reversed(_NAMES))}) (?P<was>.+?) -> (?P<now>.+?)(?: \((?P<means>[^()]*)\))?"
)


class ConfigurationChange(NamedTuple):
    """One value of the configuration that changed."""

    kind: str
    thing: str
    """Its key: a bus id, a channel path, the name of a disk, also where its key is a number."""
    what: str
    """What the value is called."""
    was: str
    now: str
    means: str = ""
    """What follows from it, where that is known: `1 path lost: 52`."""
    others: int = 0
    """How many other things changed in the same way: the first is named."""

    @property
    def sentence(self) -> str:
        """The change as the text of an event."""
        means = f" ({self.means})" if self.means else ""
        others = f" +{self.others}" if self.others else ""
        return f"{self.kind} {self.thing}{others}: {self.what} {self.was} -> {self.now}{means}"

    def event(self, utc: int) -> Event:
        """Return the change as an event at the time of the later sample."""
        return Event(What.CHANGE, utc, utc, self.thing, self.sentence)


def parse_change(text: str) -> ConfigurationChange | None:
    """Return the change that the text of an event states; None for a text of another form."""
    match = _FORM.fullmatch(text) if len(text) <= MAX_TEXT else None
    if match is None:
        return None
    groups = {name: value or "" for name, value in match.groupdict().items()}
    return ConfigurationChange(**groups | {"others": int(groups["others"] or 0)})  # type: ignore[arg-type]  # texts


def changes_between(before: Sample, after: Sample) -> list[ConfigurationChange]:
    """Return what changed in the configuration of things that are in both samples, equal changes as one."""
    changes: list[ConfigurationChange] = []
    for name, fields in WATCHED.items():
        was, other = before.frames.get(name), after.frames.get(name)
        if was is None or other is None or was is other or was.missing or other.missing:
            continue
        changes += _changed(was, other, fields)
    alike: dict[ConfigurationChange, list[str]] = {}
    for change in changes:
        alike.setdefault(change._replace(thing=""), []).append(change.thing)
    return [
        change._replace(
            thing=things[0],
            others=len(things) - 1,
            means=change.means or _of_multipath(change, set(things), after),
        )
        for change, things in alike.items()
    ]


def _changed(before: Frame, after: Frame, fields: dict[str, str]) -> Iterator[ConfigurationChange]:
    same = before.keys == after.keys
    for field, what in fields.items():
        old, new = _column(before, field), _column(after, field)
        if old is None or new is None or old is new or (same and old == new):
            continue
        earlier = old if same else [_cell(before, old, key) for key in after.keys]
        changed = compress(zip(after.keys, earlier, new, strict=True), map(ne, earlier, new))
        for key, was, now in changed:
            if was is not None and not isinstance(was, Absent) and not isinstance(now, Absent):
                name = before.kind.name
                texts = _written(field, was), _written(field, now)
                if texts[0] != texts[1]:
                    means = _meaning(field, was, now, _Paths(before, after, key))
                    yield ConfigurationChange(name, _called(after, key), what, *texts, means)


def _of_multipath(change: ConfigurationChange, things: set[str], after: Sample) -> str:
    """Say what became of paths to SCSI disks: `path to mpatha lost, 1 of 2 left`; empty of anything else."""
    if change.kind != PATH.name or change.what != WATCHED[PATH.name]["state"]:
        return ""
    paths, titles = after.frame(PATH), after.frame(MULTIPATH)
    if UP not in {change.was, change.now} or not {"name", "map"} <= paths.columns.keys():
        return ""
    rows = list(zip(*(paths.columns[name] for name in ("name", "map", "state")), strict=True))
    maps = list(dict.fromkeys(multipath for name, multipath, _state in rows if name in things))
    counts = {(sum(name == multipath and state == UP for _, name, state in rows),
               sum(path_map == multipath for _, path_map, _state in rows)) for multipath in maps}  # fmt: skip
    verb = "lost" if change.was == UP else "back"
    title = text_of(titles.cell(text_of(maps[0]), "title")) if titles.keys else ""
    which = f"to {title or text_of(maps[0])}" if len(maps) == 1 else f"to {len(maps)} disks"
    said = f"{'path' if len(things) == 1 else f'{len(things)} paths'} {which} {verb}"
    if len(counts) != 1:
        return said
    (left, whole) = counts.pop()
    return f"{said}, {left} of {whole} {'work' if len(maps) == 1 else 'of each work'}"


def _called(frame: Frame, key: str) -> str:
    """Return what people call a thing: a path to a SCSI disk by its name, `sdq`, not by its number."""
    name = frame.cell(key, "name") if frame.kind is PATH and "name" in frame.columns else key
    return name if isinstance(name, str) and name and not re.search(r"\s", name) else key


def _column(frame: Frame, field: str) -> list[Value] | None:
    if field == TAKEN_OFF:
        column = frame.columns.get("path_masks")
        return None if column is None else list(map(_taken_off, column))
    if field != USABLE or any(name not in frame.columns for name in PATH_MASKS):
        return frame.columns.get(field)
    masks = zip(*(frame.columns[name] for name in PATH_MASKS), strict=True)
    online = frame.columns.get("online") or [1] * len(frame.keys)
    return [
        usable(*of_device, online=here) if isinstance(of_device[0], int) else of_device[0]
        for of_device, here in zip(masks, online, strict=True)
    ]


@lru_cache(maxsize=256)  # most devices have the same few masks
def _taken_off(mask_words: Value) -> Value:
    """Return the masks of the paths that the DASD driver took off, in the order of their reasons."""
    if not isinstance(mask_words, str):
        return mask_words
    masks = path_masks(mask_words)
    return " ".join(f"{masks[name]:02x}" for name in OF_DRIVER) if masks else UNKNOWN_MASKS


class _Paths:
    """The channel paths of a device, before and after a change."""

    def __init__(self, before: Frame, after: Frame, key: str) -> None:
        """Read nothing yet."""
        self._frames, self._key = (before, after), key

    def said(self, mask: int, what: str) -> str:
        """Say what became of the paths in a mask, and if it is known which these are: `1 path lost: 52`."""
        many = mask.bit_count()
        for frame in self._frames:
            if "chpids" in frame.columns and "pim" in frame.columns:
                named = paths_in(mask, _cell(frame, frame.columns["pim"], self._key),
                                 _cell(frame, frame.columns["chpids"], self._key))  # fmt: skip
                if len(named) == many:
                    return f"{_paths(many)} {what}: {' '.join(named)}"
        return f"{_paths(many)} {what}"


def _why_taken_off(was: Value, now: Value, paths: _Paths) -> str:
    """Say what became of paths that the driver took off, or uses again."""
    before, after = ([int(mask, 16) for mask in text_of(masks).split()] for masks in (was, now))
    said = [
        paths.said(new, " ".join(filter(None, why.value)))
        for old, mask, why in zip(before, after, OF_DRIVER.values(), strict=True)
        if (new := mask & ~old)
    ]
    back = reduce(or_, before) & ~reduce(or_, after)
    return " and ".join([*said, *([paths.said(back, "back")] if back else [])])


def _paths(many: int) -> str:
    return f"{many} path{'s' * (many > 1)}"


def _cell(frame: Frame, column: list[Value], key: str) -> Value | None:
    row = frame.index.get(key)
    return None if row is None else column[row]


def _written(field: str, value: Value) -> str:
    """Write a value for people, so that the sentence can be taken apart again."""
    if field == USABLE and isinstance(value, int):
        return f"{value:02x}"
    if field == TAKEN_OFF:
        return f"{reduce(or_, (int(mask, 16) for mask in text_of(value).split())):02x}"
    plain = " ".join(text_of(value).split()).replace("(", "[").replace(")", "]")
    word = re.sub(r"[^ -~]|->", "?", plain)
    return word[:MAX_VALUE] or "none"


def _meaning(field: str, was: Value, now: Value, paths: _Paths) -> str:
    """Return what a change means, where that is certain."""
    of_paths = _MEANINGS_OF_PATHS.get(field)
    if of_paths is not None:
        return of_paths(was, now, paths)
    meaning = _MEANINGS.get(field)
    return "" if meaning is None else meaning(was, now)


def _installed(was: Value, now: Value) -> str:
    lost, new = sorted(_words(was) - _words(now)), sorted(_words(now) - _words(was))
    said = ((lost, "lost"), (new, "new"))
    return " and ".join(f"{_paths(len(some))} {verb}: {' '.join(some)}" for some, verb in said if some)


def _used(was: Value, now: Value, paths: _Paths) -> str:
    if not isinstance(was, int) or not isinstance(now, int):
        return ""
    said = ((was & ~now, "lost"), (now & ~was, "back"))
    return " and ".join(paths.said(mask, verb) for mask, verb in said if mask)


def _moved(was: Value, now: Value) -> str:
    uid, other = find_uid(was), find_uid(now)
    return "another LCU" if uid and other and uid.lcu != other.lcu else ""


def _grown(was: Value, now: Value) -> str:
    if not isinstance(was, int) or not isinstance(now, int):
        return ""
    return "larger" if now > was else "smaller"


_MEANINGS: Final[dict[str, Callable[[Value, Value], str]]] = {
    "chpids": _installed, "uid": _moved, "size": _grown,
    "cylinders": _grown, "power": lambda _was, now: "to standby" if now == 0 else "configured",
    "alias": lambda _was, now: "alias to base" if now == 0 else "base to alias",
}  # fmt: skip
_MEANINGS_OF_PATHS: Final = {USABLE: _used, TAKEN_OFF: _why_taken_off}


def _words(value: Value) -> set[str]:
    return set(text_of(value).split())
