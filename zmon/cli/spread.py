"""Shows how evenly tablespaces are spread over LCUs, disks or sides, and which moves would help."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent, absent
from zmon.cli.inputs import files_in_groups, is_usable, read_listings, status
from zmon.cli.output import FAILED, FileCount, complain, folded, misused, terminal_width, write_result
from zmon.cli.source_options import open_lookup
from zmon.kinds import CONTAINER
from zmon.listing.asm import is_in_group, name_in_group
from zmon.listing.containers import UNKNOWN
from zmon.placement.items import MANAGED, FilePlacement, UnitKind, placement_of
from zmon.placement.move_statements import DB2, DB2_SMS, DB2_UNKNOWN, move_statements, product_of
from zmon.placement.spread_report import (
    NOT_WORTH,
    SpreadQuery,
    counted,
    pressure,
    report_spread,
    spread_words,
    times_words,
)
from zmon.plain_text import cells, harmless
from zmon.screen.number import DOTS, bytes_, fitted, percent, queue, rate, shorten
from zmon.topology.claims import Grade

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.absent import Number
    from zmon.cli.source_options import Lookup
    from zmon.listing.listing import Listing
    from zmon.placement.items import FileItem, Unit
    from zmon.placement.planner import MovePlan
    from zmon.placement.spread_report import Pressure, SpreadReport, TablespaceSpread, WhatIf
    from zmon.topology.data_files import DataFile

UNITS = {"lcu": "LCU", "disk": "disk", "side": "side"}
_name = partial(harmless, escaped=True)

MIN_WIDTH: Final = 80
MIN_NAME_WIDTH: Final = 18
"""Characters for a tablespace at least; more where the line is wider."""
MAX_HEAD: Final = 12
"""Characters of each of the two lines above a unit's column, where not all units fit."""
MIN_FIGURES_NAME: Final = 17
"""Characters for a tablespace in the table of figures at least."""
MIN_FILE: Final = 21
"""Characters for a file in the table of moves at least ..."""
MIN_UNITS: Final = (10, 10, 8)
"""... and for the unit it is on, the one it moves to, and the bottleneck."""
MAX_NAMED: Final = 20
"""Rows with problems, and volumes with logs, that are printed; the others are counted."""

NONE: Final = 1.005
"""Head room that is none."""
LOOK: Final = 2.0
BAD: Final = 4.0
"""From which multiple of the mean on the largest load of a tablespace deserves a look, and is bad."""


def run(args: argparse.Namespace) -> int:
    """Print the spread; returns the exit status."""
    if not args.listing and not args.source:
        return misused(
            "a listing of tablespaces is needed: a file, a server's address, or - ; see zmon spread --help"
        )
    if args.at and not args.source:
        return misused("--at is a time in a recording: name one with --from")
    try:
        return _spread(args)
    except ValueError as error:  # a listing, the site's file, or what --from and --at name
        return complain(str(error))


def _spread(args: argparse.Namespace) -> int:
    listing = read_listings(args, args.listing, name=args.format == "csv") if args.listing else None
    with (
        FileCount() as count,
        open_lookup(args, listing, traffic=args.traffic, progress=count) as lookup,
    ):
        count.end()
        return _answer(args, listing, lookup)


def _answer(args: argparse.Namespace, listing: Listing | None, lookup: Lookup) -> int:
    """Print what was found; returns the exit status."""
    found = placement_of(lookup.machine, by=UnitKind(args.by), interval=lookup.interval)
    products = products_of(listing, lookup.machine.files)
    if listing is not None:
        if args.source:  # of this machine it has them
            listing = listing._replace(notes=(*listing.notes, *lookup.strangers))
        items = tuple(_managed(_mirrored(found.items, listing), products))
        found = found._replace(items=items, rows=found.rows + _unusable(listing))
    if not found.rows:
        why = lookup.machine.missing(CONTAINER) or "give a listing"
        return complain(f"no file of a tablespace is known: {why}")
    wanted = SpreadQuery(
        what=UNITS[args.by],
        traffic=args.traffic,
        seconds=lookup.interval.seconds if lookup.interval is not None else SpreadQuery().seconds,
        available=tuple(name.strip() for names in args.lcus for name in names.split(",") if name.strip()),
        pins=tuple(args.pin),
        moves=args.moves,
    )
    try:
        answer = report_spread(found, wanted)
    except ValueError as error:
        return complain(f"--lcus: {error}")
    _print(args, answer, listing, products)
    placed = [item for item in found.items if item.bytes_on]
    is_known = not args.traffic or any(not isinstance(item.load_on, Absent) for item in placed)
    return status(args) if placed and is_known else FAILED


# listed containers


def _unusable(listing: Listing) -> tuple[FilePlacement, ...]:
    """Return rows for containers without a usable path, so that no listed container is missing."""
    disks = {
        device for one in files_in_groups(listing) for device in one.devices
    }  # files there have their own problem
    return tuple(
        FilePlacement(
            container.path,
            container.database,
            container.tablespace or (f"({container.role})" if container.role != UNKNOWN else ""),
            container.role,
            container.place,
            absent("not looked at") if container.bytes_declared is None else container.bytes_declared,
            0,
            0,
            Grade.UNKNOWN,
            container.problem or "it is no path from the root",
        )
        for container in listing.containers
        if not (is_usable(container) or is_in_group(container) or container.path in disks)
    )


def _mirrored(items: Iterable[FileItem], listing: Listing) -> Iterable[FileItem]:
    """Yield items, logs with the group whose copies they are."""
    groups = {
        name_in_group(container): f"group {container.container_id}"
        for container in listing.containers
        if container.role == "log" and container.container_id is not None
    }
    for item in items:
        yield item._replace(mirror=groups[item.name]) if item.name in groups else item


def _managed(items: Iterable[FileItem], products: Callable[[str], str]) -> Iterable[FileItem]:
    """Yield items, those pinned that lie in a directory whose files Db2 makes itself."""
    for item in items:
        yield item._replace(pinned=item.pinned or MANAGED) if products(item.name) == DB2_SMS else item


# output


def _print(
    args: argparse.Namespace, answer: SpreadReport, listing: Listing | None, products: Callable[[str], str]
) -> None:
    notes: Sequence[str] = () if listing is None else listing.notes
    unread: Sequence[str] = () if listing is None else listing.unread
    plan = answer.plan
    write_result(
        args,
        lambda: text(answer, products, notes, terminal_width(), unread),
        lambda: move_records(plan, products) if plan is not None else matrix_records(answer),
        lambda: document(answer, products, notes, unread),
    )


def products_of(listing: Listing | None, files: Iterable[DataFile] = ()) -> Callable[[str], str]:
    """Return a function that gives the product of a path, as statements need it.

    Of the files, those that were found are no directories.
    """
    if listing is None:
        return lambda _: ""
    known = {
        name_in_group(each).rstrip("/"): product_of(listing.product(each), each.storage)
        for each in listing.containers
    }
    seen = {file.path for file in files if not file.unseen}
    return partial(_product, known, seen)


def _product(known: Mapping[str, str], seen: Collection[str], path: str) -> str:
    """Return the product that a container belongs to: its own, or that of the listed directory it is in."""
    above = path
    while above and above not in known:
        above = above.rpartition("/")[0]
    found = known.get(above, "")
    if found == DB2_UNKNOWN and path in seen:
        return DB2 if above == path else DB2_SMS
    return found


# text


def title(space: TablespaceSpread) -> str:
    """Return what a tablespace is called, with its database where that is known."""
    return f"{space.database}.{space.tablespace}" if space.database else space.tablespace or "(no tablespace)"


def text(
    report: SpreadReport,
    products: Callable[[str], str],
    notes: Sequence[str],
    width: int,
    unread: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the whole answer as lines.

    Args:
        report: the answer.
        products: gives the product of a container by its path.
        notes: remarks on the listing.
        width: of the lines, in characters.
        unread: what of the listing was not understood.
    """
    width = max(width, MIN_WIDTH)
    nothing = _nothing(report)
    if nothing:
        for sentence in nothing:
            yield from folded(sentence, width)
    else:
        yield from folded(_heading(report), width)
        yield ""
        yield from _matrix(report, width)
        yield ""
        yield from _figures(report, width)
        yield ""
        for sentence in _findings(report):
            yield from folded(sentence, width)
        if report.plan is not None:
            yield ""
            yield from _plan(report.plan, report, products, width)
    yield from _listed("Not understood, so files may be missing:", _some(unread), width)
    yield from _listed("Not placed, or not all of it:", _problems(report.problems), width)
    yield from _listed("Contradictions:", report.conflicts, width)
    yield from _listed("Of the listing:", _some(notes), width)
    yield from _listed("This rests on:", report.assumptions, width)


def _nothing(report: SpreadReport) -> list[str]:
    """Return why there is no spread, if that is so, instead of tables of dashes."""
    reason = report.whole.spread.uneven
    if not isinstance(reason, Absent):
        return []
    why = reason.reason
    if report.problems and not any(report.whole.bytes_on.values()):
        why = f"none of them is placed on a known {report.wanted.what}"
    lines = [f"No spread of {_files(report)}: {why}"]
    if report.wanted.what == "LCU" and report.whole.unplaced:
        lines.append(
            "--by disk shows the spread over disks; --site FILE or --cp-file FILE may supply the LCUs"
        )
    return lines


def _files(report: SpreadReport) -> str:
    many, files = len(report.spaces), report.whole.files
    return f"{files} file{'s' * (files != 1)} of {many} tablespace{'s' * (many != 1)}"


def _heading(report: SpreadReport) -> str:
    many, files = len(report.spaces), report.whole.files
    over = f"{len(report.units)} {report.wanted.what}{'s' * (len(report.units) != 1)}"
    by = "traffic (~ an estimate), MB/s" if report.wanted.traffic else "bytes"
    size = bytes_(report.whole.size)
    lacking = report.whole.problems
    placed = f", {lacking} not placed or not wholly (see below)" if lacking else ""
    spaces, of = f"tablespace{'s' * (many != 1)}", f"file{'s' * (files != 1)}"
    opened = sum(unit.open for unit in report.units)
    over += f" ({opened} available)" if opened < len(report.units) else ""
    return f"{many} {spaces}, {files} {of}, {size} over {over}, by {by}{placed}"


def _some(parts: Sequence[str]) -> list[str]:
    """Return the first of them, and how many more there are."""
    more = len(parts) - MAX_NAMED
    return [*parts[:MAX_NAMED], *([f"{more:,} more: --format json has all"] if more > 0 else [])]


def _amount(report: SpreadReport, load: float) -> str:
    if not load:
        return "-"
    return f"{rate(load / 1e6)}~" if report.wanted.traffic else bytes_(load)


def _matrix(report: SpreadReport, width: int) -> Iterator[str]:
    """Yield the tablespaces by units: those with data, and as many of the others as fit."""
    whole = report.whole.load_on
    left = width - MIN_NAME_WIDTH - 8
    for longest in (width, MAX_HEAD):  # names are cut only where not all fit
        heads = {unit.key: _two_lines(unit.title, longest) for unit in report.units}
        room = {
            key: max(6 + report.wanted.traffic, *(cells(word) + 1 for word in head))
            for key, head in heads.items()
        }
        if sum(room.values()) <= left:
            break
    shown = _fitting(report.units, whole, room, left)
    hidden = [unit for unit in report.units if unit not in shown]
    rest = any(whole.get(unit.key) for unit in hidden)
    name = min(40, width - 8 - sum(room[unit.key] for unit in shown) - 8 * rest)
    for line in (0, 1) if any(first for first, _ in heads.values()) else (1,):
        words = "".join(_right(heads[unit.key][line], room[unit.key]) for unit in shown)
        yield (
            f"{('', 'Tablespace')[line]:<{name}}{words}{('', 'others')[line].rjust(8) if rest else ''}"
            f"{('', 'all')[line]:>8}"
        ).rstrip()
    rows = [(title(space), space.load_on) for space in report.spaces]
    for label, loads in [*rows, ("all", whole)]:
        amounts = "".join(_amount(report, loads.get(unit.key, 0)).rjust(room[unit.key]) for unit in shown)
        others = _amount(report, sum(loads.get(unit.key, 0) for unit in hidden)).rjust(8) if rest else ""
        total = _amount(report, sum(loads.values()))
        yield f"{fitted(label, name - 1)} {amounts}{others}{total:>8}"
    if load := sum(whole.values()):
        shares = "".join(
            f"{percent(100 * whole.get(unit.key, 0) / load)} %".rjust(room[unit.key]) for unit in shown
        )
        yield f"{'share':<{name}}{shares}"
    idle = [unit.title for unit in hidden if not whole.get(unit.key)]
    if idle:
        yield from folded(f"Nothing on {_enumerated(idle)}", width)


def _two_lines(text: str, longest: int) -> tuple[str, str]:
    first, _, last = harmless(text).rpartition(" ")
    return shorten(first, longest), shorten(last, longest)


def _right(text: str, width: int) -> str:
    return " " * (width - cells(text)) + text


def _fitting(
    units: Sequence[Unit], whole: Mapping[str, float], room: Mapping[str, int], width: int
) -> list[Unit]:
    """Return the units that fit into a line, those with most load first chosen, in their own order."""
    if sum(room.values()) <= width:
        return list(units)
    used = sorted((unit for unit in units if whole.get(unit.key)), key=lambda unit: -whole[unit.key])
    chosen, left = set(), width - 8 * (sum(room[unit.key] for unit in used) > width)
    for unit in used:
        left -= room[unit.key]
        if left < 0:
            break
        chosen.add(unit.key)
    return [unit for unit in units if unit.key in chosen]


def _enumerated(names: Sequence[str], most: int = MAX_NAMED) -> str:
    shown = [harmless(name) for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")


def _figures(report: SpreadReport, width: int) -> Iterator[str]:
    names = {unit.key: unit.title for unit in report.units}
    spaces = (*report.spaces, report.whole)
    wanted = max(cells(harmless(names.get(one.spread.worst, "").rpartition(" ")[2])) for one in spaces) + 5
    most = max(11, min(wanted, width - 52 - MIN_FIGURES_NAME))
    name = min(40, width - 52 - most)
    many = f"many {report.wanted.what[:4]}"
    yield f"{'':<{name}}{'':>6}{'':>6}{'Max/':>6}{'On how':>10}{'':>5}{'':>5} {'Most':<{most}}{'Most':>5}"
    heads = f"{'Files':>6}{'Size':>6}{'mean':>6}{many:>10}{'Jain':>5}{'CV':>5}"
    yield f"{'Tablespace':<{name}}{heads} {'on':<{most}}{'disk':>5} Grade"
    for space in spaces:
        label = "all" if space is report.whole else title(space)
        yield _figure_line(space, fitted(label, name - 1), names, most).rstrip()


def _figure_line(space: TablespaceSpread, label: str, names: Mapping[str, str], most: int) -> str:
    found = space.spread
    effective = DOTS if isinstance(found.effective, Absent) else f"{found.effective:.1f} of {found.units}"
    share = "" if isinstance(found.share, Absent) else f" {percent(100 * found.share)}%"
    disk = DOTS if isinstance(space.fullest, Absent) else f"{percent(100 * space.fullest[1])}%"
    worst = harmless(names.get(found.worst, ""))
    room = most - len(share)
    worst = f"{shorten(worst if cells(worst) <= room else worst.rpartition(' ')[2], room)}{share}"
    return (
        f"{label} {space.files:>6}{bytes_(space.size):>6}"
        f"{_or_dots(found.uneven, rate):>5}{_mark(found.uneven)}{effective:>10}"
        f"{_or_dots(found.jain, queue):>5}{_or_dots(found.variation, queue):>5}"
        f" {fitted(worst, most)}{disk:>5} {space.grade}{' logs' * space.shares_with_logs}"
    )


def _mark(uneven: Number) -> str:
    """Return the mark of a limit that is exceeded, which is visible without colour."""
    return "!" if uneven > BAD else "*" if uneven > LOOK else " "


def _or_dots(value: Number, form: Callable[[float], str]) -> str:
    return DOTS if isinstance(value, Absent) else form(value)


def _findings(report: SpreadReport) -> Iterator[str]:
    """Yield in words what the figures say, and what could be reached."""
    known = {side: part for side, part in report.sides.items() if side}
    if known:
        parts = [f"{side} {percent(100 * part)} %" for side, part in report.sides.items() if side]
        unknown = report.sides.get("", 0)
        yield f"Sides: {', '.join(parts)}" + (f", not known {percent(100 * unknown)} %" if unknown else "")
    yield from _what_if(f"What if: an even spread of {counted(report)}", report.even, report)
    if not isinstance(report.headroom.factor, Absent):
        factor, full = report.headroom.factor, _enumerated(report.headroom.binding)
        are = "is" if len(report.headroom.binding) == 1 else "are"
        if factor > NONE:
            grown = (queue if factor < 2 else rate)(factor)
            yield f"Head room: all traffic may grow {grown} times, then {full} {are} full"
        else:
            yield f"Head room: none, {full} {are} full"
        now, then = pressure(report)
        yield f"The same load: now what is fullest {_busy(now)}; with an even spread it {_busy(then)} (M/M/1)"
    elif report.wanted.traffic and not isinstance(report.whole.spread.uneven, Absent):
        yield "Head room: not known, because the site file has no [capacity]"
    for one in report.mixed[:MAX_NAMED]:
        yield (
            f"Logs of {one.database or 'the database'} share volume {one.volume} with data of"
            f" {_enumerated(one.others, 5)}: {_enumerated(one.logs, 3)}"
        )
    if len(report.mixed) > MAX_NAMED:
        yield f"Logs share {len(report.mixed) - MAX_NAMED} more volumes with data"


def _busy(found: Pressure) -> str:
    if isinstance(found.use, Absent):
        return "has an unknown utilisation"
    busy = f"is {percent(100 * min(found.use, 1.0))} % busy"
    if isinstance(found.response, Absent):
        return f"{busy}, and requests wait long"
    return f"{busy}, and a request takes {queue(found.response)} times its service time"


def _what_if(what: str, found: WhatIf, report: SpreadReport) -> Iterator[str]:
    said = times_words(what, found, report.units)
    if said:
        yield said


def _plan(plan: MovePlan, report: SpreadReport, products: Callable[[str], str], width: int) -> Iterator[str]:
    if not plan.steps:
        why = plan.uneven.reason if isinstance(plan.uneven, Absent) else NOT_WORTH
        yield from folded(f"No move is suggested: {why}", width)
    else:
        yield "Moves by benefit, and what is reached with each (zmon moves nothing):"
        yield from _steps(plan, width)
        yield ""
    for sentence in _judged(plan, report):
        yield from folded(sentence, width)
    done: set[tuple[str, str, str]] = set()
    remarks: set[str] = set()  # each is printed once
    for move in (move for step in plan.steps for move in step.moves):
        product = products(move.item.name)
        key = (product, *move.item.space)
        if key not in done:
            if not done:
                yield "How, for one file of each tablespace:"
            done.add(key)
            lines = [line for line in move_statements(product, move) if line not in remarks]
            remarks.update(line for line in lines if line.startswith(("--", "#")))
            yield from (f"  {harmless(line)}" for line in lines)


def _steps(plan: MovePlan, width: int) -> Iterator[str]:
    first = [step.moves[0] for step in plan.steps]
    columns = (
        [move.source.title for move in first],
        [move.target.title for move in first],
        [step.full for step in plan.steps],
    )
    longest = (max(cells(harmless(name)) for name in each) for each in columns)
    sizes = [max(least, size) for least, size in zip(MIN_UNITS, longest, strict=True)]
    while (name := width - 31 - sum(sizes)) < MIN_FILE and sum(sizes) > sum(MIN_UNITS):
        beyond = [size - least for size, least in zip(sizes, MIN_UNITS, strict=True)]
        sizes[beyond.index(max(beyond))] -= 1
    heads = (("", "", "", "", "Copied", "Max/", "Bound", "Full", "Spr"),
             ("#", "File", "From", "To", "so far", "mean", "times", "first", "%"))  # fmt: skip
    for place, file, source, target, copied, top, bound, worst, apart in heads:
        begin = f"{place:>3} {file:<{name}} {source:<{sizes[0]}} {target:<{sizes[1]}}"
        yield f"{begin} {copied:>6} {top:>5} {bound:>6} {worst:<{sizes[2]}} {apart:>3}"
    for number, step in enumerate(plan.steps, 1):
        move = step.moves[0]
        yield (
            f"{number:>3} {fitted(move.item.name, name)}"
            f" {fitted(move.source.title, sizes[0])} {fitted(move.target.title, sizes[1])}"
            f" {bytes_(step.copied):>6} {queue(step.uneven):>5} {_or_dots(step.ratio, queue):>6}"
            f" {fitted(step.full, sizes[2])} {percent(100 * step.apart):>3}"
        )
        if step.is_swap:
            yield f"    swap with {shorten(step.moves[1].item.name, width - 14)}"


def _judged(plan: MovePlan, report: SpreadReport) -> Iterator[str]:
    """Yield how good the result is, compared with what cannot be better."""
    if isinstance(plan.uneven, Absent) or isinstance(plan.bound, Absent) or isinstance(plan.gap, Absent):
        return
    if report.moved is not None and plan.steps:
        yield from _what_if("What if: these moves", report.moved, report)
    yield spread_words(plan)
    if plan.anew is not None:
        yield (
            f"Placing all anew, largest first: {queue(plan.anew.uneven)} by {plan.anew.moves}"
            f" move{'s' * (plan.anew.moves != 1)},"
            f" {bytes_(plan.anew.copied)} to copy, Spr {percent(100 * plan.anew.apart)} %"
        )
    if not isinstance(plan.apart, Absent):
        yield (
            f"Spr is the part of the load that is spread as far as its tablespace's files allow:"
            f" {percent(100 * plan.apart)} % before"
        )
    if plan.held and plan.gap > 0.01:
        held = "; ".join(
            f"{count}, because {reason if count == 1 else SEVERAL.get(reason, reason)}"
            for reason, count in plan.held[:3]
        )
        yield f"Files that have to stay on the fullest {report.wanted.what}: {held}"


SEVERAL: Final = {
    "it is pinned": "they are pinned",
    "it is spread by itself": "they are spread by themselves",
    "it is not known where it lies": "it is not known where they lie",
}
"""Why one file has to stay, and why several have to."""


def _problems(rows: Sequence[FilePlacement]) -> list[str]:
    """Return the reasons, each with the files that it holds for."""
    by_reason: dict[str, list[FilePlacement]] = {}
    for row in rows:
        by_reason.setdefault(row.problem, []).append(row)
    found = []
    for reason, alike in list(by_reason.items())[:MAX_NAMED]:
        first = alike[0]
        where = f" [{first.listed}]" if first.listed else ""
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        found.append(f"{first.path or '(no path)'} of {first.tablespace or '?'}{where}{more}: {reason}")
    if len(by_reason) > MAX_NAMED:
        found.append(f"{len(by_reason) - MAX_NAMED} more reasons: --format json has all")
    return found


def _listed(heading: str, sentences: Sequence[str], width: int) -> Iterator[str]:
    if sentences:
        yield ""
        yield heading
        for sentence in sentences:
            yield from folded(sentence, width, "  - ")


# CSV


def matrix_records(report: SpreadReport) -> Iterator[list[Any]]:
    """Yield the tablespaces by units as records, with a heading: numbers as they are."""
    unit = "bytes_per_s" if report.wanted.traffic else "bytes"
    yield [
        "database", "tablespace", "files", "bytes", "bytes_unplaced", "problems", "grade", "max_to_mean",
        "share_max", "variation", "jain", "effective", "units", "worst", "logs_beside_data",
        *(f"{_name(each.title)} {unit}" for each in report.units),
    ]  # fmt: skip
    names = {each.key: each.title for each in report.units}
    for space in report.spaces:
        found = space.spread
        figures = (found.uneven, found.share, found.variation, found.jain, found.effective)
        yield [
            _name(space.database), _name(space.tablespace), space.files, space.size, space.unplaced,
            space.problems, str(space.grade), *map(_plain, figures), found.units,
            _name(names.get(found.worst, "")), int(space.shares_with_logs),
            *(space.load_on.get(each.key, 0) for each in report.units),
        ]  # fmt: skip


def move_records(plan: MovePlan, products: Callable[[str], str]) -> Iterator[list[Any]]:
    """Yield the moves as records, with a heading."""
    yield [
        "step", "database", "tablespace", "path", "from", "to", "bytes", "copied_so_far", "max_to_mean",
        "bound_times", "spread_part", "means",
    ]  # fmt: skip
    for number, step in enumerate(plan.steps, 1):
        for move in step.moves:
            yield [
                number, _name(move.item.database), _name(move.item.tablespace), _name(move.item.name),
                _name(move.source.title), _name(move.target.title), move.bytes, step.copied, step.uneven,
                step.ratio, step.apart, " ; ".join(move_statements(products(move.item.name), move)),
            ]  # fmt: skip


# JSON


def document(
    report: SpreadReport, products: Callable[[str], str], notes: Sequence[str], unread: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the whole answer as the object that is printed as JSON."""
    return {
        "over": report.wanted.what,
        "by": "traffic" if report.wanted.traffic else "bytes",
        "estimate": report.wanted.traffic,
        "units": [
            {
                "key": unit.key,
                "name": unit.title,
                "side": unit.side or None,
                "capacity": _plain(unit.capacity),
                "available": unit.open,
                "load": report.whole.load_on.get(unit.key, 0),
            }
            for unit in report.units
        ],
        "tablespaces": [_space(space) for space in report.spaces],
        "all": _space(report.whole),
        "sides": dict(report.sides),
        "logs_beside_data": [one._asdict() for one in report.mixed],
        "what_if": {
            "even_spread": _what_if_document(report.even),
            "moves": None if report.moved is None else _what_if_document(report.moved),
            "head_room": _plain(report.headroom.factor),
            "binding": list(report.headroom.binding),
            "use": dict(report.headroom.use),
        },
        "plan": None if report.plan is None else _plan_document(report.plan, products),
        "problems": [_row(row) for row in report.problems],
        "conflicts": list(report.conflicts),
        "not_understood": list(unread),
        "notes": list(notes),
        "assumptions": list(report.assumptions),
    }


def _what_if_document(found: WhatIf) -> dict[str, Any]:
    return {"times": _plain(found.times), "limits_now": list(found.now), "limits_then": list(found.then)}


def _space(space: TablespaceSpread) -> dict[str, Any]:
    found = space.spread
    return {
        "database": space.database,
        "tablespace": space.tablespace,
        "files": space.files,
        "bytes": space.size,
        "bytes_unplaced": space.unplaced,
        "bytes_on": dict(space.bytes_on),
        "load_on": dict(space.load_on),
        "max_to_mean": _plain(found.uneven),
        "share_max": _plain(found.share),
        "variation": _plain(found.variation),
        "jain": _plain(found.jain),
        "effective": _plain(found.effective),
        "worst": found.worst or None,
        "fullest_volume": None if isinstance(space.fullest, Absent) else list(space.fullest),
        "grade": str(space.grade),
        "problems": space.problems,
        "logs_beside_data": space.shares_with_logs,
        "absent": found.uneven.reason if isinstance(found.uneven, Absent) else None,
    }


def _plan_document(plan: MovePlan, products: Callable[[str], str]) -> dict[str, Any]:
    return {
        "max_to_mean": _plain(plan.uneven),
        "spread_part": _plain(plan.apart),
        "lower_bound": _plain(plan.bound),
        "above_lower_bound": _plain(plan.gap),
        "anew": None if plan.anew is None else plan.anew._asdict(),
        "held": dict(plan.held),
        "before": dict(plan.before),
        "after": dict(plan.after),
        "steps": [
            {
                "moves": [
                    {
                        "path": move.item.name,
                        "database": move.item.database,
                        "tablespace": move.item.tablespace,
                        "from": move.source.key,
                        "to": move.target.key,
                        "bytes": move.bytes,
                        "load": move.load,
                        "means": list(move_statements(products(move.item.name), move)),
                    }
                    for move in step.moves
                ],
                "worst": step.worst.key,
                "max_to_mean": step.uneven,
                "bound_times": step.ratio,
                "spread_part": step.apart,
                "copied_so_far": step.copied,
            }
            for step in plan.steps
        ],
    }


def _row(row: FilePlacement) -> dict[str, Any]:
    found = row._asdict()
    return {name: _plain(value) for name, value in found.items()} | {"grade": str(row.grade)}


def _plain(value: Any) -> Any:
    return None if isinstance(value, Absent) else value
