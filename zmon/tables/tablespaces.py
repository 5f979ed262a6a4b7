"""FILES, SPREAD and MOVES: where the files of tablespaces lie, how evenly, and which of them to move.

FILES has one line per file and disk, chosen by whatever a person has in hand: a device, a label, an LCU, a
tablespace, a path. SPREAD has one line per tablespace: bytes say where it is, traffic says what hurts; all
figures are over the LCUs that hold such files or have an unused disk. MOVES lists files to move, in order of
benefit, each line with what is reached with all moves up to there; zmon suggests, and never moves anything.

Traffic of a file is an estimate: see `zmon.placement.traffic`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.base.record import NamedTuple
from zmon.base.sizes import MB
from zmon.diagnosis.judged import waits_in
from zmon.kinds import BLOCK, SOURCE
from zmon.machine.figure import Needs
from zmon.machine.join import total
from zmon.machine.observed import KINDS as OBSERVED
from zmon.machine.topology import NOTHING_ON, TOPOLOGY, machine_of, no_files, remarks
from zmon.machine.view import NoSuchThing
from zmon.placement.file_traffic import attribution_of, tablespaces_behind
from zmon.placement.items import placement_of
from zmon.placement.pieces import NO_DISK, pieces, tablespace_of
from zmon.placement.planner import PLANNED
from zmon.placement.spread_report import (
    HOW,
    SpreadQuery,
    anew_words,
    even_words,
    known_part_words,
    moves_words,
    no_use_words,
    offer_words,
    report_spread,
    spread_words,
    staying_words,
    times_words,
    why_no_move,
)
from zmon.placement.traffic import BASES, BYTES, FITTED
from zmon.placement.whatif import report_of
from zmon.placement.word_lookup import MeaningKind, find, meanings
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table
from zmon.topology.claims import Grade
from zmon.topology.location import EMPTY
from zmon.topology.volumes import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.machine.view import View
    from zmon.placement.file_traffic import SpaceLoad
    from zmon.placement.items import FilePlacement
    from zmon.placement.pieces import FilePiece
    from zmon.placement.planner import MovePlan, PlanStep
    from zmon.placement.spread_report import SpreadReport, TablespaceSpread
    from zmon.placement.traffic import Attribution, Space
    from zmon.placement.word_lookup import WordMeaning
    from zmon.topology.machine import Machine


NEEDS: Final = Needs((*TOPOLOGY, BLOCK, SOURCE))
WAITING_NEEDS: Final = Needs((*TOPOLOGY, *OBSERVED, SOURCE))
"""Moves help only where requests wait, so what shows this is read as well."""

NO_DATABASE: Final = absent("the listing names no database")
NO_ROLE: Final = absent("the listing does not say what it is for")
NO_TABLESPACE: Final = absent("the listing names no tablespace of it")
NO_BASIS: Final = absent("the traffic of its disks is not known")

UNSIZED: Final = "; how much of them lies there is not known"
ALL_EMPTY: Final = "they are empty"
NO_DISKS: Final = "no disk is known that they lie on"
MAX_UNPLACED_NAMED: Final = 3
"""So many tablespaces of files without a place are named."""


class FileSelection(NamedTuple):
    """What a word chooses; the same for every sample in which nothing moves."""

    pieces: tuple[FilePiece, ...]
    columns: dict[str, list[Value]]
    notes: tuple[str, ...]


def files_table(view: View) -> Table:
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
    traffic = attribution_of(view)
    megabytes: list[Number] = [_traffic(piece, traffic) / MB for piece in chosen.pieces]
    files = len({piece.file.path for piece in chosen.pieces})
    return Table(
        [f"{piece.file.path} {piece.number}".strip() for piece in chosen.pieces],
        {
            **chosen.columns,
            "mbs": list(megabytes),
            "basis": [
                traffic.files.get(piece.file.path, load if isinstance(load, Absent) else NO_BASIS)
                for piece, load in zip(chosen.pieces, megabytes, strict=True)
            ],
        },
        Summary(
            f">> {files:,} file{'s' * (files > 1)} <<",
            {"size": total(chosen.columns["size"]), "mbs": total(megabytes)},  # type: ignore[arg-type]  # numbers
        ),
        estimated={"mbs": None},
        notes=(*chosen.notes, *_basis_notes(traffic), *remarks(view)),
    )


def _traffic(piece: FilePiece, traffic: Attribution) -> Number:
    return traffic.of(piece.file.path, piece.number)


def _basis_notes(traffic: Attribution) -> list[str]:
    return [f"Traffic of files: {traffic.words}"] if traffic.words else []


@lru_cache(maxsize=8)
def choose(machine: Machine, word: str) -> FileSelection:
    """Return the pieces that a word chooses, all if it is empty.

    Raises:
        NoSuchThing: it means nothing on this machine.
    """
    if not word:
        return _chosen(pieces(machine), (), machine)
    chosen: dict[int, FilePiece] = {}
    meant = meanings(word, machine)
    for meaning in meant:
        chosen |= {id(piece): piece for piece in _of(meaning, machine)}
    wanted = word.casefold()
    chosen |= {id(piece): piece for piece in pieces(machine) if wanted in _spaces(piece)}
    if not meant and not chosen:
        has_rdevs = any(isinstance(volume.rdev, str) for volume in machine.volumes.values())
        hint = "" if has_rdevs else "; real device numbers and labels of z/VM need --cp-file or --cp"
        raise NoSuchThing(
            f"{word!r} was not found: no tablespace, file, mount, disk, device number, label or LCU{hint}"
        )
    notes = (f"Chosen: {', '.join(_said(meant, machine))}",) if meant else ()
    return _chosen([piece for piece in pieces(machine) if id(piece) in chosen], notes, machine)


def _said(meant: Sequence[WordMeaning], machine: Machine) -> Iterator[str]:
    """Yield what a word was taken for, in words; two LCUs of one name with what distinguishes them."""
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
    called = name if isinstance(name, str) and name else meaning.key
    return called if called.startswith(("LCU ", "LSS ")) else f"LCU {called}"


def _spaces(piece: FilePiece) -> set[str]:
    """Return what the tablespace of a piece may be called, also where it is none: `(log)`."""
    name = tablespace_of(piece.file).casefold()
    return {name, f"{piece.file.database.casefold()}.{name}"} if name else set()


def _of(meaning: WordMeaning, machine: Machine) -> Sequence[FilePiece]:
    """Return the pieces that one meaning of a word chooses."""
    if meaning.sort is MeaningKind.MOUNT:
        return [piece for piece in pieces(machine) if _mount(piece) == meaning.key]
    meant = find(meaning, machine)
    if meaning.disks:
        paths = {on_disk.file.path for on_disk in meant.files}
        disks = {volume.number for volume in meant.volumes}.union(meaning.disks)
        return [piece for piece in pieces(machine) if piece.file.path in paths and piece.number in disks]
    paths = {answer.path for answer in meant.locations}
    return [piece for piece in pieces(machine) if piece.file.path in paths]


def _mount(piece: FilePiece) -> Value:
    mount = piece.location.mount
    return mount if isinstance(mount, Absent) else mount.point


def _chosen(chosen: Sequence[FilePiece], notes: tuple[str, ...], machine: Machine) -> FileSelection:
    lines = [_line(piece, machine) for piece in chosen]
    missed = [piece for piece in chosen if piece.share is None]
    if missed:
        notes = (*notes, _missed(missed))
    names = lines[0] if lines else ()
    return FileSelection(tuple(chosen), {name: [line[name] for line in lines] for name in names}, notes)


def _missed(missed: Sequence[FilePiece]) -> str:
    """Say how many files have no place, of which tablespaces, and why."""
    count = len({piece.file.path for piece in missed})
    spaces = list(dict.fromkeys(filter(None, (tablespace_of(piece.file) for piece in missed))))
    more = ", ..." if len(spaces) > MAX_UNPLACED_NAMED else ""
    named = f" ({', '.join(spaces[:MAX_UNPLACED_NAMED])}{more})" if spaces else ""
    reasons = list(dict.fromkeys(map(_lacking, missed)))
    why = reasons[0].reason
    if count > 1 and reasons[0] is EMPTY:
        why = ALL_EMPTY
    elif count > 1 and reasons[0] is NO_DISK:
        why = NO_DISKS
    other = " and other reasons" if len(reasons) > 1 else ""
    return f"{count:,} file{'s are' if count > 1 else ' is'} not placed{named}: {why}{other}"


def _lacking(piece: FilePiece) -> Absent:
    why = "; ".join(piece.location.nowhere)
    return absent(why) if why else NO_DISK


def _line(piece: FilePiece, machine: Machine) -> dict[str, Value]:
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
        nowhere = _lacking(piece)
        return (
            line
            | dict.fromkeys(("size", "share", "copies", "disk", "vdev", "rdev", "label", "lcu"), nowhere)
            | {"grade": str(Grade.UNKNOWN)}
        )
    volume = share.volume
    joined = machine.stack.named(volume.joined) if isinstance(volume.joined, str) else None
    everywhere = sum(disk.bytes for disk in piece.location.disks)
    return line | {
        "size": share.bytes,
        "share": 100.0 * ratio(share.bytes, everywhere, "it has no bytes on a disk"),
        "copies": share.copies,
        "disk": volume.disk if joined is None else volume.joined,
        "vdev": volume.vdev,
        "rdev": volume.rdev,
        "label": volume.volser if joined is None else joined.title,
        "lcu": short(volume.lcu_name) if isinstance(volume.lcu_name, str) else volume.lcu_name,
        "grade": str(piece.location.grade_on(volume)),
    }


SEVERAL: Final = absent("several LCUs have as much")
SPREAD_ESTIMATES: Final = ("mbs", "teffective", "tworst", "tshare", "tuneven")


def spread_table(view: View) -> Table:
    """Fill SPREAD: one row per tablespace, keyed DATABASE.TABLESPACE."""
    interval = view.interval
    machine = machine_of(view)
    if not machine.files:
        return Table([], {}, missing=no_files(view))
    by_bytes = _by_bytes(machine)
    traffic = attribution_of(view)
    wanted = SpreadQuery(traffic=True, seconds=interval.seconds)
    by_traffic = report_of(view, placement_of(machine, traffic=traffic), wanted, waits_in(view))
    names = {unit.key: unit.title for unit in by_bytes.units}
    on_disks = [row for row in by_bytes.problems if _is_on_disks(row.path, machine)]
    without_lcu = Counter((row.database, row.tablespace) for row in on_disks)
    loads = _loads(machine, traffic)
    lines = [
        _spread_line(of_bytes, other, names, without_lcu[of_bytes.database, of_bytes.tablespace])
        | _of_disks(
            loads.get((of_bytes.database, of_bytes.tablespace), ()),
            without_lcu[of_bytes.database, of_bytes.tablespace],
        )
        for of_bytes, other in zip(by_bytes.spaces, by_traffic.spaces, strict=True)
    ]
    whole = _spread_line(by_bytes.whole, by_traffic.whole, names, len(on_disks))
    whole |= _of_disks([load for of_space in loads.values() for load in of_space], len(on_disks))
    return Table(
        [space.title for space in by_bytes.spaces],
        {name: [line[name] for line in lines] for name in lines[0]},
        Summary(">> All <<", whole),
        estimated=dict.fromkeys(SPREAD_ESTIMATES),
        notes=(*_spread_notes(by_bytes, by_traffic, on_disks), *_basis_notes(traffic), *remarks(view)),
    )


def _loads(machine: Machine, traffic: Attribution) -> Mapping[Space, Sequence[Number]]:
    """Return by tablespace the traffic of each part of a file that is on a disk."""
    of_spaces: dict[Space, list[Number]] = {}
    for piece in pieces(machine):
        if piece.share is not None:
            space = piece.file.database, tablespace_of(piece.file)
            of_spaces.setdefault(space, []).append(_traffic(piece, traffic))
    return of_spaces


def _of_disks(loads: Sequence[Number], without_lcu: int) -> dict[str, Value]:
    """Return what is known of a tablespace with files on disks whose LCU is not: it needs only the disks."""
    return {"mbs": total(loads) / MB} if without_lcu and loads else {}


def _is_on_disks(path: str, machine: Machine) -> bool:
    """Return whether all of a file lies on known disks, so that at most their LCUs are not known."""
    answer = machine.counted[path]
    counts = [share.bytes for share in answer.disks]
    return answer.unplaced == 0 and bool(counts) and not any(isinstance(count, Absent) for count in counts)


@lru_cache(maxsize=2)
def _by_bytes(machine: Machine) -> SpreadReport:
    """Return the spread by bytes: the same for all samples in which nothing moves."""
    return report_spread(placement_of(machine), SpreadQuery())


def _spread_line(
    of_bytes: TablespaceSpread, other: TablespaceSpread, names: dict[str, str], without_lcu: int
) -> dict[str, Value]:
    by_bytes, by_traffic = of_bytes.spread, other.spread
    no_traffic = by_traffic.uneven if isinstance(by_traffic.uneven, Absent) else None
    return {
        "tablespace": of_bytes.tablespace,
        "database": of_bytes.database or NO_DATABASE,
        "size": of_bytes.size,
        "files": of_bytes.files,
        "effective": by_bytes.effective,
        "units": by_bytes.units,
        "worst": names.get(by_bytes.worst) or _reason(by_bytes.share),
        "share": 100 * by_bytes.share,
        "uneven": by_bytes.uneven,
        "disk": of_bytes.fullest if isinstance(of_bytes.fullest, Absent) else 100 * of_bytes.fullest[1],
        "mbs": sum(other.load_on.values()) / MB if no_traffic is None or other.load_on else no_traffic,
        "teffective": by_traffic.effective,
        "tworst": names.get(by_traffic.worst) or _reason(by_traffic.share),
        "tshare": 100 * by_traffic.share,
        "tuneven": by_traffic.uneven,
        "basis": other.basis or (no_traffic if no_traffic and not other.load_on else NO_BASIS),
        "grade": str(of_bytes.grade),
        "unplaced": of_bytes.problems - without_lcu,
        "logs": "yes" if of_bytes.shares_with_logs else "no",
    }


def _reason(value: Value) -> Absent:
    return value if isinstance(value, Absent) else SEVERAL


def _spread_notes(
    by_bytes: SpreadReport, by_traffic: SpreadReport, on_disks: Sequence[FilePlacement]
) -> list[str]:
    """Return what a reader has to know: the LCU with most traffic, logs, and what is left out."""
    notes = []
    crowded = by_traffic.whole.spread
    if not isinstance(crowded.share, Absent):
        title = next((unit.title for unit in by_traffic.units if unit.key == crowded.worst), "")
        notes.append(f"{title} has {100 * crowded.share:.0f} % of the tablespaces' traffic")
    notes += filter(None, (even_words(by_traffic), offer_words(by_traffic)))
    if by_bytes.mixed:
        many = len(by_bytes.mixed)
        volumes = ", ".join(mix.volume for mix in by_bytes.mixed[:3])
        sentence = f"Logs share {many} volume{'s' * (many != 1)} with data of their database: {volumes}"
        notes.append(f"{sentence}{UNSIZED if all(mix.unsized for mix in by_bytes.mixed) else ''}")
    paths = {row.path for row in on_disks}
    unplaced = [row for row in by_bytes.problems if row.path not in paths]
    for rows, what in ((unplaced, "not placed, or only in part"), (on_disks, "on disks without a known LCU")):
        if rows:
            first = f"{rows[0].path}: {rows[0].problem}"
            notes.append(f"{len(rows)} of {by_bytes.whole.files} files are {what}; the first is {first}")
    return notes


COLUMNS: Final = (
    "number", "path", "source", "target", "how", "times", "worst", "uneven", "copied", "apart", "swap",
    "size", "mbs", "tablespace", "database", "basis",
)  # fmt: skip
MOVE_ESTIMATES: Final = ("mbs", "uneven", "times", "apart")
NO_TRAFFIC: Final = absent("bytes are counted: no traffic is known")
NO_SWAP: Final = absent("the file moves alone")
MOVE_NUMBER: Final = re.compile("[1-9][0-9]{0,5}", re.ASCII)
"""How many moves a plan has at most, as it is typed."""


def moves_table(view: View) -> Table:
    """Fill MOVES: one row per file to move, keyed by its path; two files that change places are one row.

    Raises:
        NoSuchThing: the view's argument is no number of moves.
    """
    most = int(_most_moves(view) or PLANNED)
    machine = machine_of(view)
    if not machine.files:
        return Table([], {}, missing=no_files(view))
    report, plan = _suggested(machine, view, most)
    traffic = report.wanted.traffic
    lines = [_move_line(number, step, traffic=traffic) for number, step in enumerate(plan.steps, 1)]
    why = f"no move is suggested: {why_no_move(report)}"
    if isinstance(plan.uneven, Absent):
        why = plan.uneven.reason
    why = no_use_words(report) or why
    return Table(
        [str(line["path"]) for line in lines],
        {name: [line[name] for line in lines] for name in COLUMNS},
        estimated=dict.fromkeys(MOVE_ESTIMATES) if report.wanted.traffic else {},
        notes=tuple(_move_notes(report, plan)),
        missing=None if lines else absent(why),
    )


def _most_moves(view: View) -> str:
    """Return how many moves a plan may have, as the view's argument says it.

    Raises:
        NoSuchThing: it is no number of moves.
    """
    argument = view.argument.strip()
    if argument and not MOVE_NUMBER.fullmatch(argument):
        raise NoSuchThing(f"{argument!r} is no number of moves; write MOVES 4, or a condition: MOVES mbs>1")
    return argument


def _suggested(machine: Machine, view: View, most: int) -> tuple[SpreadReport, MovePlan]:
    """Return the best plan of so many moves by traffic, or by bytes where no traffic is known."""
    interval = view.interval
    placement = placement_of(machine, traffic=attribution_of(view))
    wanted = SpreadQuery(traffic=True, seconds=interval.seconds, moves=most)
    report = report_of(view, placement, wanted, waits_in(view))
    if report.plan is None or isinstance(report.plan.uneven, Absent):
        report = report_spread(placement, SpreadQuery(moves=most, asked=report.wanted.asked))
    if report.plan is None:
        from zmon.placement.planner import plan_moves  # noqa: PLC0415 - only where no LCU is known

        return report, plan_moves((), ())
    return report, report.plan


def _move_line(number: int, step: PlanStep, *, traffic: bool) -> dict[str, Value]:
    move = step.moves[0]
    return {
        "number": number,
        "path": move.item.name,
        "tablespace": move.item.tablespace or NO_TABLESPACE,
        "database": move.item.database or NO_DATABASE,
        "source": move.source.title,
        "target": move.target.title,
        "how": "swaps" if step.is_swap else "joins" if len(step.moves) > 1 else "moves",
        "swap": _beside(step),
        "size": sum(move.bytes for move in step.moves),
        "mbs": move.load / MB if traffic else NO_TRAFFIC,
        "basis": (move.item.basis or NO_BASIS) if traffic else NO_TRAFFIC,
        "copied": step.copied,
        "uneven": step.uneven,
        "times": step.ratio,
        "worst": step.full,
        "apart": 100 * step.apart,
    }


def _beside(step: PlanStep) -> Value:
    """Return what moves in a step beside the first file."""
    if step.is_swap:
        return step.moves[1].item.name
    others = [f"{move.item.name} to {move.target.title}" for move in step.moves[1:]]
    return f"and {', '.join(others)}" if others else NO_SWAP


def _move_notes(report: SpreadReport, plan: MovePlan) -> Iterator[str]:
    """Yield what all of it may give, what cannot be better, and what it rests on."""
    if report.moved is not None and plan.steps:
        yield times_words(moves_words(plan).capitalize(), report.moved, report.units)
        yield ". ".join(
            [f"{known_part_words(report)}{spread_words(plan, report.wanted.what)}", *anew_words(plan)]
        )
    elif report.volumes:
        yield even_words(report)
    if offer := offer_words(report):
        yield offer
    if staying := staying_words(report):
        yield staying
    if plan.steps:
        command = report.wanted.command(report.wanted.moves, HOW)
        yield f"zmon moves nothing; {command} prints the statements that do"
    yield from (f"Basis: {sentence}" for sentence in report.assumptions)


MAX_NAMED: Final = 5
"""So many are named."""

MIN_PART: Final = 0.005
"""The part of an LCU below which a tablespace is not named."""

BASIS_WORDS: Final = {FITTED: " (fitted)", BYTES: " (shared by bytes)"}


def busiest_tablespaces(
    view: View, lcu_of: Mapping[str, str], megabytes: Mapping[str, Number]
) -> dict[str, Value]:
    """Return for each LCU the tablespaces on it; `megabytes` are those a second of all its disks."""
    behind = tablespaces_behind(view, lcu_of)
    return {key: _words(behind.get(key, {}), rate) for key, rate in megabytes.items()}


def _words(spaces: Mapping[Space, SpaceLoad], megabytes: Number) -> Value:
    if not spaces:
        return NOTHING_ON
    loads = {space: load.load for space, load in spaces.items() if load.load}
    if not isinstance(megabytes, Absent) and megabytes > 0 and loads:
        basis = max((spaces[space].basis for space in loads), key=BASES.index)
        return ", ".join(_named(loads, megabytes * MB, "~")) + BASIS_WORDS.get(basis, "")
    sizes = {space: load.bytes for space, load in spaces.items()}
    return f"by bytes: {', '.join(_named(sizes, sum(sizes.values()), ''))}"


def _named(much: Mapping[Space, float], whole: float, sign: str) -> Iterable[str]:
    """Yield the tablespaces that have most, each with its part of the whole; a database is named once."""
    before = ""
    for (database, name), value in sorted(much.items(), key=lambda item: (-item[1], item[0]))[:MAX_NAMED]:
        part = value / whole if whole else 0.0
        if part < MIN_PART and before:
            return
        yield f"{f'{database}.' if database and database != before else ''}{name} {100 * part:.0f}%{sign}"
        before = database or " "


DEFINITIONS: Final = {
    "files": TableDefinition(NEEDS, files_table),
    "spread": TableDefinition(WAITING_NEEDS, spread_table, screen="SPREAD"),
    "moves": TableDefinition(WAITING_NEEDS, moves_table, find=_most_moves, is_plan=True),
}
