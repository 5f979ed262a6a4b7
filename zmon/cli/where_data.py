"""The printing of `zmon where` for programs: as JSON and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zmon.absent import Absent
from zmon.cli.plain import field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.absent import Value
    from zmon.placement.word_lookup import FileOnDisk, LookupResult, MountOnDisk
    from zmon.topology.location import DiskShare, FileLocation
    from zmon.topology.volumes import Volume

VOLUME = (
    "number", "disk", "busid", "vdev", "rdev", "volser", "label", "lcu", "called", "key", "serial", "ssid",
    "lss", "ua", "side", "chpids", "cylinders", "wwpn", "lun",
)  # fmt: skip
"""What of a volume is told as it is."""


# JSON


def document(one: LookupResult) -> dict[str, Any]:
    """Return one meaning of a word; what is not known is `{"absent": REASON}`."""
    return {
        "word": one.meaning.word,
        "means": one.meaning.sort.value,
        "key": one.meaning.key,
        "where": [_answer(answer) for answer in one.locations],
        "disks": [_volume(volume) for volume in one.volumes],
        "devices": list(one.devices),
        "mounts": [_seat(seat) for seat in one.mounts],
        "on_it": [_lodger(lodger) for lodger in one.files],
        "not_looked_at": list(one.unseen),
    }


def _answer(answer: FileLocation) -> dict[str, Any]:
    return {
        "path": answer.path,
        "real": _plain(answer.real),
        "mount": _plain(answer.mount) if isinstance(answer.mount, Absent) else answer.mount.point,
        "size": _plain(answer.size),
        "mapped": _plain(answer.mapped),
        "unplaced": _plain(answer.unplaced),
        "unwritten": _plain(answer.unwritten),
        "steps": [step._asdict() for step in answer.steps],
        "disks": [_share(share) for share in answer.disks],
        "grade": str(answer.grade),
        "evidence": [
            {"source": each.source, "said": each.said, "grade": str(each.grade)} for each in answer.evidence
        ],
        "lacking": list(answer.lacking),
        "notes": list(answer.notes),
        "seen": not answer.unseen,
    }


def _share(share: DiskShare) -> dict[str, Any]:
    return _volume(share.volume) | {"bytes": _plain(share.bytes), "copies": _plain(share.copies)}


def _volume(volume: Volume) -> dict[str, Any]:
    return {name: _plain(getattr(volume, name)) for name in VOLUME} | {
        "lcu_grade": str(volume.grade),
        "lcu_evidence": [
            {"source": each.source, "said": each.said, "grade": str(each.grade)} for each in volume.evidence
        ],
        "conflicts": list(volume.conflicts),
    }


def _seat(seat: MountOnDisk) -> dict[str, Any]:
    return {
        "point": seat.point,
        "fstype": seat.fstype,
        "device": seat.device,
        "disks": list(seat.disks),
        "whole": seat.whole,
        "process": seat.seen_by,
    }


def _lodger(lodger: FileOnDisk) -> dict[str, Any]:
    return {
        "path": lodger.file.path,
        "database": lodger.file.database,
        "tablespace": lodger.file.tablespace,
        "role": lodger.file.role,
        "bytes": _plain(lodger.bytes),
        "grade": str(lodger.location.grade),
    }


def _plain(value: Value) -> Any:
    return {"absent": value.reason} if isinstance(value, Absent) else value


# CSV


def records(found: Iterable[LookupResult]) -> Iterator[list[Any]]:
    """Yield a heading, and a record for each part of a file on a disk, or for each disk that is meant."""
    yield [
        "word", "means", "path", "tablespace", "size", "bytes", "copies", "grade", *VOLUME, "lcu_grade",
    ]  # fmt: skip
    for one in found:
        start = [field(one.meaning.word), one.meaning.sort.value]
        for record in _upwards(one) if one.volumes else _downwards(one):
            yield start + record


def _downwards(one: LookupResult) -> Iterator[list[Any]]:
    for answer in one.locations:
        name = "" if answer.thing == answer.path else answer.thing
        for share in answer.disks:
            yield _record(answer, name, share)
        if not answer.disks:
            yield [*_about(answer, name), "", "", str(answer.grade), *[""] * (len(VOLUME) + 1)]


def _upwards(one: LookupResult) -> Iterator[list[Any]]:
    """Yield the files on each disk, and the disks on which there are none."""
    there: dict[str, list[list[Any]]] = {}
    for lodger in one.files:
        for share in lodger.location.disks:
            record = _record(lodger.location, lodger.file.space, share)
            there.setdefault(share.volume.number, []).append(record)
    for volume in one.volumes:
        yield from there.get(volume.number) or [[*[""] * 6, *_cells(volume)]]


def _about(answer: FileLocation, tablespace: str) -> list[Any]:
    return [field(answer.path), field(tablespace), _cell(answer.size)]


def _record(answer: FileLocation, tablespace: str, share: DiskShare) -> list[Any]:
    there = [_cell(share.bytes), _cell(share.copies), str(answer.grade)]
    return [*_about(answer, tablespace), *there, *_cells(share.volume)]


def _cells(volume: Volume) -> list[Any]:
    return [*(_cell(getattr(volume, name)) for name in VOLUME), str(volume.grade)]


def _cell(value: Value) -> Any:
    return "" if isinstance(value, Absent) else field(value) if isinstance(value, str) else value
