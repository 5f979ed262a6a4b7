"""The printing of `zmon where`: where things lie, as text for people."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.cli.spread_text import shorten
from zmon.screen.number import bytes_, harmless, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.absent import Number, Value
    from zmon.placement.found import Found
    from zmon.topology.chain import Answer, Share
    from zmon.topology.volume import Volume

MOST: Final = 20
"""So many files are named of a thing that means many; the others are counted."""
WIDE: Final = 96
"""From this width on a line of a disk has its channel paths too."""
DOTS: Final = "...."


def text(found: Sequence[Found], *, evidence: bool, width: int) -> Iterator[str]:
    """Yield the answers as lines, with a blank line between two."""
    for number, one in enumerate(found):
        if number:
            yield ""
        several = sum(other.meaning.word == one.meaning.word for other in found) > 1
        yield from _found(one, several=several, evidence=evidence, width=max(width, 60))


def _found(one: Found, *, several: bool, evidence: bool, width: int) -> Iterator[str]:
    meaning = one.meaning
    if len(one.answers) == 1 and not one.volumes:
        yield from _file(one.answers[0], width)
    elif one.answers:
        yield from _files(one, width)
    else:
        yield from _disks(one, width)
    if several:
        yield from _folded(f"(as {meaning.sort.value}; it may mean something else too)", width)
    for sentence in _conflicts(one):
        yield from _folded(f"Contradiction: {sentence}", width)
    for note in dict.fromkeys(note for answer in one.answers for note in answer.notes):
        yield from _folded(f"Note: {note}", width)
    unknown = _unknown(one)
    for reason in dict.fromkeys(reason for answer in one.answers for reason in answer.lacking):
        if reason not in unknown:
            yield from _folded(f"For more: {reason}", width)
    for reason in unknown:
        yield from _folded(f"LCU not known: {reason}", width)
    if evidence:
        for source, said in _evidence(one):
            yield from _folded(f"{source}: {said}", width)


# files


def _file(answer: Answer, width: int) -> Iterator[str]:
    size = "" if isinstance(answer.size, Absent) else f"{bytes_(answer.size)}  "
    yield f"{shorten(answer.path, width - len(size) - 12)}  {size}{answer.grade}"
    if answer.steps:
        yield from _folded(" > ".join(_chain(answer)), width)
    yield from _shares(answer.disks, width)
    if not answer.disks and not answer.lacking:
        yield "  nothing of it lies on a disk"


def _chain(answer: Answer) -> Iterator[str]:
    """Name the steps down to where the way parts; of the devices behind that, the deepest are the disks."""
    for place, step in enumerate(answer.steps):
        if sum(other.depth == step.depth for other in answer.steps) > 1:
            break
        what = step.what if place == 0 or step.what not in {"disk", "partition"} else ""
        yield harmless(f"{step.title} ({what})" if what else step.title)


def _shares(shares: Sequence[Share], width: int) -> Iterator[str]:
    whole = sum(share.bytes for share in shares if not isinstance(share.bytes, Absent))
    for share in shares:
        yield f"  {_volume(share.volume, width)}{_part(share.bytes, whole)}{_copies(share.copies)}".rstrip()


def _part(count: Number, whole: float) -> str:
    if isinstance(count, Absent):
        return "   some?"
    part = 100 * count / whole if whole else 0.0
    return f"{bytes_(count):>6} {percent(part):>3}%"


def _copies(count: Number) -> str:
    return f"  +{bytes_(count)} copies" if not isinstance(count, Absent) and count else ""


def _files(one: Found, width: int) -> Iterator[str]:
    """Print the files of a tablespace or a directory: all together by LCU, then each."""
    answers = one.answers
    sizes = [answer.size for answer in answers if not isinstance(answer.size, Absent)]
    grade = min(answer.grade for answer in answers)
    yield f"{shorten(one.meaning.key, width - 40)}  {len(answers)} files  {bytes_(sum(sizes))}  {grade}"
    units: dict[str, int] = {}
    for answer in answers:
        for share in answer.disks:
            name = _lcu(share.volume)
            units[name] = units.get(name, 0) + (0 if isinstance(share.bytes, Absent) else int(share.bytes))
    whole = sum(units.values())
    for name, count in sorted(units.items(), key=lambda unit: (-unit[1], unit[0])):
        bar = "#" * round(30 * count / whole) if whole else ""
        yield f"  {shorten(name, 24):<24}{_part(count, whole)}  {bar}".rstrip()
    for answer in answers[:MOST]:
        lcus = dict.fromkeys(_lcu(share.volume) for share in answer.disks)
        disks = ", ".join(dict.fromkeys(_text(share.volume.disk) for share in answer.disks))
        yield f"  {shorten(answer.path, width - 34)}  {shorten(disks, 12)}  {shorten(', '.join(lcus), 16)}"
    if len(answers) > MOST:
        yield f"  and {len(answers) - MOST:,} more; --format csv names all"


# disks


def _disks(one: Found, width: int) -> Iterator[str]:
    count = len(one.volumes)
    yield f"{harmless(one.meaning.key)}: {one.meaning.sort.value}, {count} disk{'s' * (count != 1)}"
    for volume in one.volumes:
        yield f"  {_volume(volume, width)}".rstrip()
    if one.seats:
        yield "On it:"
    for seat in one.seats[:MOST]:
        part = "" if seat.whole else ", in part"
        yield harmless(f"  {seat.mount.point} ({seat.mount.fstype} on {seat.device}{part})")
    if len(one.seats) > MOST:
        yield f"  and {len(one.seats) - MOST:,} more file systems"
    spaces: dict[str, tuple[int, int]] = {}
    for lodger in one.lodgers:
        name = (
            ".".join(filter(None, (lodger.file.database, lodger.file.tablespace))) or "files of no tablespace"
        )
        files, size = spaces.get(name, (0, 0))
        there = 0 if isinstance(lodger.bytes, Absent) else int(lodger.bytes)
        spaces[name] = files + 1, size + there
    for name, (files, size) in sorted(spaces.items(), key=lambda space: (-space[1][1], space[0])):
        yield f"  {shorten(name, width - 30):<28}{bytes_(size):>6} in {files:,} file{'s' * (files != 1)}"
    if not one.seats and not one.lodgers:
        yield "  nothing that is mounted or listed lies on it"


def _volume(volume: Volume, width: int) -> str:
    """Return one disk as a line: name, virtual and real number, label, LCU; where there is room the paths."""
    if isinstance(volume.lun, Absent):
        own = f"vdev {_text(volume.vdev)} " if not isinstance(volume.vdev, Absent) else ""
        outside = f"{own}rdev {_text(volume.rdev) or DOTS} {shorten(_text(volume.volser) or DOTS, 6):<6}"
        if isinstance(volume.busid, Absent):
            outside = "no channel device"
    else:
        outside = f"WWPN {_text(volume.wwpn)} LUN {_text(volume.lun)}"
    paths = f"  {_text(volume.chpids)}" if width >= WIDE and _text(volume.chpids) else ""
    name = shorten(_text(volume.disk) or volume.number, 10)
    return f"{name:<9} {outside}  {shorten(_lcu(volume), 20):<10}{paths}"


def _lcu(volume: Volume) -> str:
    for name in (volume.called, volume.lcu):
        if not isinstance(name, Absent):
            return harmless(str(name))
    return "LCU ?"


# remarks


def _volumes(one: Found) -> dict[str, Volume]:
    found = {volume.number: volume for volume in one.volumes}
    return found | {share.volume.number: share.volume for answer in one.answers for share in answer.disks}


def _conflicts(one: Found) -> Iterable[str]:
    return dict.fromkeys(words for volume in _volumes(one).values() for words in volume.conflicts)


def _unknown(one: Found) -> dict[str, None]:
    """Return why the LCU of disks is not known, each reason once."""
    return dict.fromkeys(
        volume.lcu.reason for volume in _volumes(one).values() if isinstance(volume.lcu, Absent)
    )


def _evidence(one: Found) -> Iterable[tuple[str, str]]:
    found = [(each.source, each.said) for answer in one.answers for each in answer.evidence]
    found += [
        (each.source, f"{each.said} ({each.grade})") for v in _volumes(one).values() for each in v.evidence
    ]
    return dict.fromkeys(found)


def _folded(sentence: str, width: int) -> Iterator[str]:
    return iter(
        wrap(harmless(sentence), width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    )


def _text(value: Value) -> str:
    return "" if isinstance(value, Absent) else str(value)
