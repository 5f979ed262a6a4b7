"""FILES: the files of tablespaces, and what of each lies on which disk.

One line per file and disk, chosen by whatever a person has in hand: a device, a label, an LCU, a tablespace,
a path.  Traffic of a file is an estimate: of what its disk did, the part that its bytes are of the disk's.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent, ratio
from zmon.kinds import BLOCK
from zmon.placement.items import MEGABYTE, NO_DISK, pieces, tablespace_of, volumes_traffic
from zmon.placement.word_lookup import MeaningKind, find, meanings
from zmon.tables.join import total
from zmon.tables.table import Needs, Summary, Table
from zmon.tables.topology import TOPOLOGY, machine_of, no_files, remarks
from zmon.tables.view import NoSuchThing
from zmon.topology.claims import Grade

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Number, Value
    from zmon.placement.items import FilePiece
    from zmon.placement.word_lookup import WordMeaning
    from zmon.tables.view import View
    from zmon.topology.machine import Machine

NEEDS: Final = Needs((*TOPOLOGY, BLOCK))

NO_DATABASE: Final = absent("the listing names no database")
NO_ROLE: Final = absent("the listing does not say what it is for")
NO_TABLESPACE: Final = absent("the listing names no tablespace of it")
NOTHING_ON: Final = absent("no file of a known tablespace lies on it")

NO_DISKS: Final = "no disk is known that they lie on"
FEW: Final = 3
"""So many tablespaces of files without a place are named."""


class Chosen(NamedTuple):
    """What a word chooses; the same for every sample in which nothing moves."""

    pieces: tuple[FilePiece, ...]
    columns: dict[str, list[Value]]
    notes: tuple[str, ...]


def table(view: View) -> Table:
    """Fill FILES: one row per file and disk, keyed by path and major:minor.

    Raises:
        NoSuchThing: the argument means nothing on this machine.
    """
    machine, word = machine_of(view), view.argument.strip()
    try:
        chosen = choose(machine, word)
    except NoSuchThing as error:
        if machine.files:
            raise
        why = no_files(view).reason
        raise NoSuchThing(f"{why[:1].upper()}{why[1:]}, so FILES knows nothing of {word}") from error
    if not chosen.pieces:
        return Table([], {}, notes=remarks(view), missing=NOTHING_ON if machine.files else no_files(view))
    rates = volumes_traffic(machine, view.interval)
    megabytes: list[Number] = [piece.traffic(rates) / MEGABYTE for piece in chosen.pieces]
    files = len({piece.file.path for piece in chosen.pieces})
    return Table(
        [f"{piece.file.path} {piece.number}".strip() for piece in chosen.pieces],
        {**chosen.columns, "mbs": list(megabytes)},
        Summary(
            f">> {files:,} file{'s' * (files > 1)} <<",
            {"size": total(chosen.columns["size"]), "mbs": total(megabytes)},  # type: ignore[arg-type]  # numbers
        ),
        estimated={"mbs": None},
        notes=(*chosen.notes, *remarks(view)),
    )


@lru_cache(maxsize=8)
def choose(machine: Machine, word: str) -> Chosen:
    """Return the pieces that a word chooses, all if it is empty.

    Raises:
        NoSuchThing: it means nothing on this machine.
    """
    if not word:
        return _chosen(pieces(machine), ())
    found: dict[int, FilePiece] = {}
    meant = meanings(word, machine)
    for meaning in meant:
        found |= {id(piece): piece for piece in _of(meaning, machine)}
    wanted = word.casefold()
    found |= {id(piece): piece for piece in pieces(machine) if wanted in _spaces(piece)}
    if not meant and not found:
        known = any(isinstance(volume.rdev, str) for volume in machine.volumes.values())
        hint = "" if known else "; real device numbers and labels of z/VM need --cp-file or --cp"
        raise NoSuchThing(
            f"{word!r} was not found: no tablespace, file, mount, disk, device number, label or LCU{hint}"
        )
    notes = (f"Chosen: {', '.join(_said(meant, machine))}",) if meant else ()
    return _chosen([piece for piece in pieces(machine) if id(piece) in found], notes)


def _said(meant: Sequence[WordMeaning], machine: Machine) -> Iterator[str]:
    """Yield what a word was taken for, in words; two LCUs of one name with what tells them apart."""
    units = [_unit(meaning, machine) for meaning in meant if meaning.sort is MeaningKind.LCU]
    for meaning in meant:
        if meaning.sort is MeaningKind.LCU:
            name = _unit(meaning, machine)
            yield name if units.count(name) == 1 else f"{name} ({meaning.key})"
        else:
            key = machine.stack.title(meaning.key) if meaning.sort is MeaningKind.DEVICE else meaning.key
            yield f"{meaning.sort.value} {key}"


def _unit(meaning: WordMeaning, machine: Machine) -> str:
    """Return the name of an LCU, as the column has it."""
    name = next((volume.lcu_name for volume in machine.volumes.values() if volume.key == meaning.key), "")
    known = name if isinstance(name, str) and name else meaning.key
    return known if known.startswith(("LCU ", "LSS ")) else f"LCU {known}"


def _spaces(piece: FilePiece) -> set[str]:
    """Return what the tablespace of a piece may be called, also where it is none: `(log)`."""
    name = tablespace_of(piece.file).casefold()
    return {name, f"{piece.file.database.casefold()}.{name}"} if name else set()


def _of(meaning: WordMeaning, machine: Machine) -> Sequence[FilePiece]:
    """Return the pieces that one meaning of a word chooses."""
    if meaning.sort is MeaningKind.MOUNT:
        return [piece for piece in pieces(machine) if _mount(piece) == meaning.key]
    known = find(meaning, machine)
    if meaning.disks:
        paths = {lodger.file.path for lodger in known.files}
        disks = {volume.number for volume in known.volumes}.union(meaning.disks)
        return [piece for piece in pieces(machine) if piece.file.path in paths and piece.number in disks]
    paths = {answer.path for answer in known.locations}
    return [piece for piece in pieces(machine) if piece.file.path in paths]


def _mount(piece: FilePiece) -> Value:
    mount = piece.location.mount
    return mount if isinstance(mount, Absent) else mount.point


def _chosen(found: Sequence[FilePiece], notes: tuple[str, ...]) -> Chosen:
    lines = [_line(piece) for piece in found]
    missed = [piece for piece in found if piece.share is None]
    if missed:
        notes = (*notes, _missed(missed))
    names = lines[0] if lines else ()
    return Chosen(tuple(found), {name: [line[name] for line in lines] for name in names}, notes)


def _missed(missed: Sequence[FilePiece]) -> str:
    """Say how many files have no place, of which tablespaces, and why."""
    count = len({piece.file.path for piece in missed})
    spaces = list(dict.fromkeys(filter(None, (tablespace_of(piece.file) for piece in missed))))
    more = ", ..." if len(spaces) > FEW else ""
    named = f" ({', '.join(spaces[:FEW])}{more})" if spaces else ""
    reasons = list(dict.fromkeys(map(_lacking, missed)))
    why = NO_DISKS if count > 1 and reasons[0] == NO_DISK.reason else reasons[0]
    other = " and other reasons" if len(reasons) > 1 else ""
    return f"{count:,} file{'s are' if count > 1 else ' is'} not placed{named}: {why}{other}"


def _lacking(piece: FilePiece) -> str:
    return "; ".join(piece.location.lacking or piece.location.notes) or NO_DISK.reason


def _line(piece: FilePiece) -> dict[str, Value]:
    file, share = piece.file, piece.share
    line: dict[str, Value] = {
        "path": file.path,
        "tablespace": tablespace_of(file) or NO_TABLESPACE,
        "database": file.database or NO_DATABASE,
        "role": NO_ROLE if file.role in {"", "unknown"} else file.role,
        "mount": _mount(piece),
        "whole": file.size,
    }
    if share is None:
        nowhere = absent(_lacking(piece))
        return (
            line
            | dict.fromkeys(("size", "share", "copies", "disk", "vdev", "rdev", "label", "lcu"), nowhere)
            | {"grade": str(Grade.UNKNOWN)}
        )
    volume = share.volume
    everywhere = sum(one.bytes for one in piece.location.disks)
    return line | {
        "size": share.bytes,
        "share": 100.0 * ratio(share.bytes, everywhere, "it has no bytes on a disk"),
        "copies": share.copies,
        "disk": volume.disk,
        "vdev": volume.vdev,
        "rdev": volume.rdev,
        "label": volume.volser,
        "lcu": volume.lcu_name,
        "grade": str(min(piece.location.grade, volume.grade)),
    }
