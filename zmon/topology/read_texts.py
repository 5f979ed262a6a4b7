"""What of collected texts was not understood, and what they leave out, in words."""

from __future__ import annotations

import re
from textwrap import wrap

from zmon.base.absent import Absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.ranges import many
from zmon.base.ranges import names as names_of
from zmon.kinds import (
    ALL_ALIASES,
    ALL_DASD,
    ALL_DISKS,
    ALL_OFFLINE,
    DEVICE,
    LAYER,
    MOUNT,
    NOT_COLLECTED,
    ORIGIN,
    PART,
    TEXT,
)
from zmon.topology.origins import Origins

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from zmon.sample import Kind, Sample

MAX_NAMED: Final = 5
"""Texts, and lines of a text, that are named."""
MAX_LINES: Final = 3
"""Lines of what was not looked at, unless one reason alone is longer."""
MAX_HOLDING: Final = 3
"""Lines that are named of those that have a word that somebody asks for."""
UNDERSTOOD: Final = "was understood"
"""What became of a line of an output that is read, unless it is named as one that was not understood."""
NOT_USED: Final = "!"
"""Stands behind a line that was read, and of which nothing has become a known device."""
OF_USES: Final = "+"
"""Stands behind a line that was read of a list of uses; an earlier one may have what no answer shows."""
TROUBLED: Final = "~"
"""Stands behind a line in which the kernel says that a device fails."""
GUESTS: Final = r"\b(?:virsh|virt-\w+|libvirt\w*|qemu\S*)\b"
"""Commands and files that tell of guests of KVM."""
_PART: Final = "(?<=[a-z])[0-9]+$|(?<=[0-9])p[0-9]+$|-part[0-9]+$"
"""What stands behind the name of a disk in that of a partition."""
NO_LIST_OF_ALIASES: Final = NOT_COLLECTED.about("lsdasd, which lists all aliases")
NO_LIST_OF_DASD: Final = NOT_COLLECTED.about("lsdasd, which lists all DASD")
NO_LIST_OF_DISKS: Final = NOT_COLLECTED.about("lsblk, which lists all disks")


def remarks(sample: Sample, kinds: AbstractSet[str]) -> Iterator[str]:
    """Yield what of these kinds texts may have, and nobody can know: lines not understood, and left out.

    A part says nothing more where another output of its form is whole, or for mounts any list of all.
    """
    yield from strange_texts(sample, kinds)
    frame = sample.frames.get(TEXT.name)
    if frame is None:
        return
    columns = map(frame.column, ("form", "asked", "tells", "command"))
    rows = [
        (key, *map(text_of, cells)) for key, cells in zip(frame.keys, zip(*columns, strict=True), strict=True)
    ]
    if LAYER.name in kinds and any(
        re.search(GUESTS, command) for _key, form, *_cells, command in rows if not form
    ):
        is_read = any(form and re.search(GUESTS, form) for _key, form, *_cells in rows)
        more = "further disks" if is_read else "disks"
        yield f"{more} of KVM guests (of virsh only domblklist and dumpxml are read)"
    whole = {form for _key, form, asked, _tells, _command in rows if asked != PART}
    has_all_mounts = any(
        tells == MOUNT.name and asked != PART and frame.cell(key, "read") and not frame.cell(key, "strange")
        for key, _form, asked, tells, _command in rows
    )
    for key, form, asked, tells, command in rows:
        is_doubled = form in whole or (tells == MOUNT.name and has_all_mounts)
        if asked == PART and not is_doubled and not kinds.isdisjoint(tells.split()):
            yield f"{key}: {command or form.partition(',')[0]} shows a part"


def first_of(before: str, unseen: Sequence[str], width: int) -> str:
    """Return what was not looked at behind some words, as much as a few lines have room for."""
    said = ""
    for count in range(len(unseen), 0, -1):
        more = f"; and {len(unseen) - count:,} more, which -f json lists" * (count < len(unseen))
        said = f"{before}: {'; '.join(unseen[:count])}{more}"
        if len(wrap(said, width)) <= MAX_LINES:
            break
    return said


def strange_texts(sample: Sample, kinds: Collection[str] = ()) -> Iterator[str]:
    """Yield for the first texts with lines that were not understood how many these are, and where.

    With `kinds` only those texts count that may say something of one of them.
    """
    frame = sample.frames.get(TEXT.name)
    if frame is None:
        return
    lines: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for key in frame.keys:
        strange, told = frame.cell(key, "strange"), text_of(frame.cell(key, "tells")).split()
        if isinstance(strange, int) and strange and not (kinds and told and set(told).isdisjoint(kinds)):
            origin = key.rpartition(":")[0]
            lines.setdefault(origin, []).extend(text_of(frame.cell(key, "which")).split())
            counts[origin] = counts.get(origin, 0) + strange
    for origin, numbers in [*lines.items()][:MAX_NAMED]:
        count = counts[origin]
        first = sorted(map(int, numbers))[:MAX_NAMED]
        places = dict.fromkeys(map(str, first))  # several may stand in one line of the text
        named = ", ".join(places) + ", ..." * (count > len(first))
        what = "1 line was" if count == 1 else f"{count:,} lines were"
        is_one = len(places) == 1 and count == len(first)
        yield f"{origin}: {what} not understood ({'line' if is_one else 'lines'} {named})"
    if len(lines) > MAX_NAMED:
        yield f"{len(lines) - MAX_NAMED:,} more texts have lines that were not understood"


def lines_naming(names: Collection[str], sample: Sample, *, is_unused: bool = False) -> Iterator[str]:
    """Yield which lines name a device of these names and were not understood, not read, or not used.

    Of a device that `is_unused` as far as anybody knows those of lists of uses count, too.
    """
    lines = _lines_naming(names, sample, has_troubles=False, is_unused=is_unused)
    for place, (name, what) in [*lines.items()][:MAX_NAMED]:
        yield f"{name} is named in {place}, which {what}"
    if len(lines) > MAX_NAMED:
        yield f"{len(lines) - MAX_NAMED:,} more lines that were not read name it"


def _lines_naming(
    names: Collection[str], sample: Sample, *, has_troubles: bool, is_unused: bool = False
) -> dict[str, tuple[str, str]]:
    """Return which name each of these lines has, and what became of it, by its place."""
    lines: dict[str, tuple[str, str]] = {}
    for name, key, line in _naming(names, sample):
        what = "was not understood" if text_of(sample.frame(TEXT).cell(key, "form")) else "was not read"
        if line.endswith(NOT_USED):
            what = "says nothing of it that zmon uses"
        if line.endswith(TROUBLED):
            what = "says that it fails"
        if line.endswith(OF_USES):
            what = "is of a list of uses"
        if (has_troubles or not line.endswith(TROUBLED)) and (is_unused or not line.endswith(OF_USES)):
            place = f"{key.rpartition(':')[0]}:{line.rstrip(NOT_USED + TROUBLED + OF_USES)}"
            lines.setdefault(place, (name, what))
    return lines


def _naming(names: Collection[str], sample: Sample) -> Iterator[tuple[str, str, str]]:
    """Yield which devices of these names, or their partitions, texts name: name, row of the text, line."""
    frame = sample.frame(TEXT)
    for key, cell in zip(frame.keys, frame.column("named"), strict=True):
        for word in text_of(cell).split():
            name, _, line = word.rpartition("=")
            if name in names or re.sub(_PART, "", name) in names:
                yield name, key, line


def _is_unsure(place: str, sample: Sample) -> bool:
    """Return whether a line may be one that was not understood: of an output with more than are named."""
    frame, (origin, _, line) = sample.frame(TEXT), place.rpartition(":")
    begins = [key.rpartition(":")[2].partition(".")[0] for key in frame.keys]
    above = [
        (int(begin), row) for row, (key, begin) in enumerate(zip(frame.keys, begins, strict=True))
        if key.rpartition(":")[0] == origin and int(begin) <= int(line)
    ]  # fmt: skip
    if not above:
        return False
    _begin, row = max(above)
    named = [int(number) for number in text_of(frame.column("which")[row]).split()]
    return frame.column("strange")[row] != len(named) and int(line) > max(named, default=0)


def troubles(disk: str, busid: str, sample: Sample) -> Iterator[str]:
    """Yield where the kernel says last that a disk fails."""
    told = [(key.rpartition(":")[0], line) for _name, key, line in _naming({disk, busid} - {""}, sample)]
    places = dict.fromkeys(f"{origin}:{line[:-1]}" for origin, line in told if line.endswith(TROUBLED))
    if places:
        yield f"of {disk} the kernel has reported a failure ({', '.join([*places][-MAX_NAMED:])})"


def lines_with(word: str, sample: Sample, holding: Iterable[tuple[str, str]] = ()) -> Iterator[str]:
    """Yield which lines of texts name what somebody asks for; none if there are no texts.

    `holding` are the places of all lines that have the word, and what became of them as far as is known.
    """
    if TEXT.name in sample.frames:
        names = {word.removeprefix("/dev/").removeprefix("mapper/"), word.lower()}
        names |= {f"0x{word.lower()}"} if re.fullmatch("[0-9a-fA-F]{16}", word) else set()
        names |= {f"0.0.{word.lower()}"} if re.fullmatch("[0-9a-fA-F]{4}", word) else set()
        was = re.compile(rf"\(was /dev/(?:{'|'.join(map(re.escape, names))})(?:p?[0-9]+)?\)")
        yield from filter(was.search, map(text_of, sample.frame(LAYER).column("mapped")))
        lines = _lines_naming(names, sample, has_troubles=True)
        strange = {f"{key.rpartition(':')[0]}:{line}" for key, which in zip(
            sample.frame(TEXT).keys, sample.frame(TEXT).column("which"), strict=True
        ) for line in text_of(which).split()}  # fmt: skip
        for place, what in holding:
            fate = what
            if what == UNDERSTOOD and place in strange:
                fate = "was not understood"
            elif what == UNDERSTOOD and _is_unsure(place, sample):
                fate = "may not have been understood"
            lines.setdefault(place, (word, fate))
        places: dict[tuple[str, str], list[str]] = {}
        for place, told in [*lines.items()][:MAX_HOLDING]:
            places.setdefault(told, []).append(place)
        for (name, what), named in places.items():
            yield f"{name} is named in {names_of(named)}, {'each of ' * (len(named) > 1)}which {what}"
        if len(lines) > MAX_HOLDING:
            yield f"it is named in {many(len(lines) - MAX_HOLDING, 'more line')}"


def unseen_aliases(sample: Sample) -> Absent | None:
    """Return why there may be more aliases of DASDs than were read; None if all were."""
    return None if _is_listed(sample, ALL_ALIASES, DEVICE, "online") else NO_LIST_OF_ALIASES


def unseen_dasd(sample: Sample) -> Absent | None:
    """Return why there may be more DASDs on line than were read; None if all were."""
    return None if _is_listed(sample, ALL_DASD, DEVICE, "online") else NO_LIST_OF_DASD


def are_offline_listed(sample: Sample) -> bool:
    """Return whether all DASDs that are off line were read."""
    return _is_listed(sample, ALL_OFFLINE, DEVICE, "online")


def unseen_disks(sample: Sample) -> Absent | None:
    """Return why there may be more disks than were read; None if all were."""
    return None if _is_listed(sample, ALL_DISKS, LAYER, "name") else NO_LIST_OF_DISKS


def _is_listed(sample: Sample, what: str, kind: Kind, field: str) -> bool:
    """Return whether all of something was read: the kernel's files list it, which give a field of a kind.

    A text lists it if its command leaves out nothing and each of its lines was understood.
    """
    texts = sample.frames.get(TEXT.name)
    if texts is None or not texts.keys:
        return True
    columns = map(texts.column, ("tells", "asked", "strange"))
    for told, asked, strange in zip(*columns, strict=True):
        if what in text_of(told).split() and asked != PART and strange == 0:
            return True
    frame, origins = sample.frame(kind), Origins(sample.frames.get(ORIGIN.name))
    return any(
        not isinstance(value, Absent) and not origins.of(kind.name, key, field, "")
        for key, value in zip(frame.keys, frame.column(field), strict=True)
    )
