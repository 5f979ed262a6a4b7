"""The printing of `zmon where` for programs: as JSON and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zmon.absent import Absent
from zmon.cli.spread_data import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.absent import Value
    from zmon.placement.found import Found, Lodger, Seat
    from zmon.topology.chain import Answer, Share
    from zmon.topology.volume import Volume

VOLUME = (
    "number", "disk", "busid", "vdev", "rdev", "volser", "label", "lcu", "called", "key", "serial", "ssid",
    "lss", "ua", "side", "chpids", "cylinders", "wwpn", "lun",
)  # fmt: skip
"""What of a volume is told as it is."""


# JSON


def document(one: Found) -> dict[str, Any]:
    """Return one meaning of a word; what is not known is `{"absent": REASON}`."""
    return {
        "word": one.meaning.word,
        "means": one.meaning.sort.value,
        "key": one.meaning.key,
        "files": [_answer(answer) for answer in one.answers],
        "disks": [_volume(volume) for volume in one.volumes],
        "devices": list(one.devices),
        "mounts": [_seat(seat) for seat in one.seats],
        "on_it": [_lodger(lodger) for lodger in one.lodgers],
    }


def _answer(answer: Answer) -> dict[str, Any]:
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
    }


def _share(share: Share) -> dict[str, Any]:
    return _volume(share.volume) | {"bytes": _plain(share.bytes), "copies": _plain(share.copies)}


def _volume(volume: Volume) -> dict[str, Any]:
    return {name: _plain(getattr(volume, name)) for name in VOLUME} | {
        "lcu_grade": str(volume.grade),
        "lcu_evidence": [
            {"source": each.source, "said": each.said, "grade": str(each.grade)} for each in volume.evidence
        ],
        "conflicts": list(volume.conflicts),
    }


def _seat(seat: Seat) -> dict[str, Any]:
    return {
        "point": seat.mount.point,
        "fstype": seat.mount.fstype,
        "device": seat.device,
        "disks": list(seat.disks),
        "whole": seat.whole,
    }


def _lodger(lodger: Lodger) -> dict[str, Any]:
    return {
        "path": lodger.file.path,
        "database": lodger.file.database,
        "tablespace": lodger.file.tablespace,
        "role": lodger.file.role,
        "bytes": _plain(lodger.bytes),
        "grade": str(lodger.answer.grade),
    }


def _plain(value: Value) -> Any:
    return {"absent": value.reason} if isinstance(value, Absent) else value


# CSV


def records(found: Iterable[Found]) -> Iterator[list[Any]]:
    """Yield a heading, and a record for each part of a file on a disk, or for each disk that is meant."""
    yield [
        "word",
        "means",
        "path",
        "database_tablespace",
        "size",
        "bytes",
        "copies",
        "grade",
        *VOLUME,
        "lcu_grade",
    ]
    for one in found:
        start = [safe(one.meaning.word), one.meaning.sort.value]
        for answer in one.answers:
            about = [*start, safe(answer.path), safe(answer.thing), _cell(answer.size)]
            for share in answer.disks:
                there = [_cell(share.bytes), _cell(share.copies), str(answer.grade)]
                yield [*about, *there, *_cells(share.volume)]
            if not answer.disks:
                yield [*about, "", "", str(answer.grade), *[""] * (len(VOLUME) + 1)]
        lodgers: dict[str, list[tuple[Lodger, Share]]] = {}
        for lodger in one.lodgers:
            for share in lodger.answer.disks:
                lodgers.setdefault(share.volume.number, []).append((lodger, share))
        for volume in one.volumes:
            there = lodgers.get(volume.number, [])
            for lodger, share in there:
                name = ".".join(filter(None, (lodger.file.database, lodger.file.tablespace)))
                about = [*start, safe(lodger.file.path), safe(name), _cell(lodger.file.size)]
                yield [
                    *about,
                    _cell(share.bytes),
                    _cell(share.copies),
                    str(lodger.answer.grade),
                    *_cells(volume),
                ]
            if not there:
                yield [*start, "", "", "", "", "", "", *_cells(volume)]


def _cells(volume: Volume) -> list[Any]:
    return [*(_cell(getattr(volume, name)) for name in VOLUME), str(volume.grade)]


def _cell(value: Value) -> Any:
    return "" if isinstance(value, Absent) else safe(value) if isinstance(value, str) else value
