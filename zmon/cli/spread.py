"""Shows how evenly tablespaces are spread over LCUs, disks or sides, and which moves would help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.plain_text import cells, harmless
from zmon.base.ranges import many
from zmon.base.sizes import MB
from zmon.cli.inputs import files_in_groups, read_listings, status
from zmon.cli.output import FAILED, FileCount, aligned, complain, enumerated, misused, some, terminal_width
from zmon.cli.result import ResultTable, Sentence, write_result
from zmon.cli.source_options import as_given, open_lookup, refused
from zmon.diagnosis.judged import waits_in
from zmon.kinds import CONTAINER
from zmon.placement.file_traffic import attribution_of
from zmon.placement.items import UnitKind, placement_of
from zmon.placement.listed_containers import products_of, with_listing
from zmon.placement.move_statements import instead, move_statements
from zmon.placement.spread_report import (
    HOW,
    SpreadQuery,
    anew_words,
    even_words,
    known_part_words,
    moves_words,
    offer_words,
    pressure,
    report_spread,
    spread_words,
    staying_words,
    times_words,
    why_no_move,
)
from zmon.placement.whatif import report_of
from zmon.screen.number import DOTS, bytes_, fitted, percent, queue, rate, shorten

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.cli.source_options import Lookup
    from zmon.listing.listing import Listing
    from zmon.placement.items import FilePlacement, Unit
    from zmon.placement.planner import Move, MovePlan, PlanStep
    from zmon.placement.spread_report import Pressure, SpreadReport, TablespaceSpread, WhatIf

UNITS: Final = {"lcu": "LCU", "disk": "disk", "side": "side"}

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

UNSIZED: Final = "; how much lies there is not known"

NONE: Final = 1.005
"""Head room that is none."""
LOOK: Final = 2.0
BAD: Final = 4.0
"""From which multiple of the mean on the largest load of a tablespace deserves a look, and is bad."""


def run(args: argparse.Namespace) -> int:
    """Print the spread; returns the exit status."""
    args.listing = [*args.given, *args.listing]
    if not args.listing and not args.source:
        return misused(
            "a listing of tablespaces is needed: a file, a server's address, or - ; see zmon spread --help"
        )
    if args.at and not args.source:
        return misused("--at is a time in a recording: name one with --from")
    try:
        return _spread(args)
    except ValueError as error:  # a listing, the site's file, or what --from and --at name
        return refused(error)


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
    view = lookup.view
    traffic = None if view is None else attribution_of(view)
    machine_placement = placement_of(lookup.machine, by=UnitKind(args.by), traffic=traffic)
    products = products_of(listing, lookup.machine.files)
    if listing is not None:
        if args.source:  # of this machine it has them
            listing = listing._replace(notes=(*listing.notes, *lookup.strangers))
        machine_placement = with_listing(machine_placement, listing, products, files_in_groups(listing))
    if not machine_placement.rows:
        why = lookup.machine.missing(CONTAINER) or "give a listing"
        return complain(f"no file of a tablespace is known: {why}")
    wanted = SpreadQuery(
        what=UNITS[args.by],
        traffic=args.traffic,
        seconds=SpreadQuery().seconds if view is None else view.interval.seconds,
        available=tuple(name.strip() for names in args.lcus for name in names.split(",") if name.strip()),
        pins=tuple(args.pin),
        moves=args.moves,
        anyway=args.anyway,
        how=args.how,
        asked=(*as_given(args), *(["--at", args.at] if args.at else [])),
    )
    try:
        if view is None:
            answer = report_spread(machine_placement, wanted)
        else:
            answer = report_of(view, machine_placement, wanted, waits_in(view))
    except ValueError as error:
        return complain(f"--lcus: {error}")
    notes, unread = ((), ()) if listing is None else (listing.notes, listing.unread)
    plan = answer.plan
    table = matrix(answer) if plan is None else moves(plan, products, traffic=args.traffic)
    told = document(answer, products, notes, unread)
    write_result(args, table, told, text(answer, products, notes, terminal_width(), unread), width=MIN_WIDTH)
    placed = [item for item in machine_placement.items if item.bytes_on]
    is_known = not args.traffic or any(not isinstance(item.load_on, Absent) for item in placed)
    return status(args) if placed and is_known else FAILED


# text


def _name(space: TablespaceSpread) -> str:
    return space.title or "(no tablespace)"


def text(
    report: SpreadReport,
    products: Callable[[str], str],
    notes: Sequence[str],
    width: int,
    unread: Sequence[str] = (),
) -> Iterator[Iterable[str | Sentence]]:
    """Yield the whole answer as text.

    Args:
        report: the answer.
        products: gives the product of a container by its path.
        notes: remarks on the listing.
        width: of the lines, in characters.
        unread: what of the listing was not understood.
    """
    width = max(width, MIN_WIDTH)
    if nothing := _nothing(report):
        yield map(Sentence, nothing)
    else:
        yield [Sentence(f"{_heading(report)}{_lacking(report)}")]
        if report.plan is None:
            yield _matrix(report, width)
            yield _figures(report, width)
            yield map(Sentence, _findings(report))
        else:
            yield from _plan(report.plan, report, products if report.wanted.how else None, width)
    for heading, sentences in (
        ("Not understood, so files may be missing:", some(unread, MAX_NAMED)),
        ("Not placed, or not all of it:", _problems(report.problems)),
        ("Contradictions:", report.conflicts),
        ("Of the listing:", some(notes, MAX_NAMED)),
        ("This rests on:", report.assumptions),
    ):
        if sentences:
            yield [heading, *(Sentence(sentence, "  - ") for sentence in sentences)]


def _nothing(report: SpreadReport) -> list[str]:
    """Return why there is no spread, if that is so, instead of tables of dashes."""
    whole = report.whole
    if not isinstance(whole.spread.uneven, Absent):
        return []
    why = whole.spread.uneven.reason
    if report.problems and not any(whole.bytes_on.values()):
        why = f"none of them is placed on a known {report.wanted.what}"
        if report.only_unsized:
            why = f"how much of them lies on which {report.wanted.what} is not known"
    files, spaces = many(whole.files, "file"), many(len(report.spaces), "tablespace")
    lines = [f"No spread of {files} of {spaces}: {why}"]
    if report.wanted.what == "LCU" and whole.unplaced and not report.only_unsized:
        lines.append(
            "--by disk shows the spread over disks; --site FILE or --cp-file FILE may supply the LCUs"
        )
    return lines


def _heading(report: SpreadReport) -> str:
    whole, opened = report.whole, sum(unit.open for unit in report.units)
    over = many(len(report.units), report.wanted.what)
    over += f" ({opened} available)" if opened < len(report.units) else ""
    by = "traffic (~ an estimate), MB/s" if report.wanted.traffic else "bytes"
    spaces, files = many(len(report.spaces), "tablespace"), many(whole.files, "file")
    return f"{spaces}, {files}, {_or_dots(whole.size, bytes_)} over {over}, by {by}"


def _lacking(report: SpreadReport) -> str:
    """Return how many files are not placed; nothing where these are named close to it."""
    lacking = report.whole.problems if report.plan is None else 0
    return f", {lacking} not placed or not wholly (see below)" if lacking else ""


def _matrix(report: SpreadReport, width: int) -> Iterator[str | Sentence]:
    """Yield the tablespaces by units: those with data, and as many of the others as fit."""
    whole, traffic = report.whole.load_on, report.wanted.traffic
    left = width - MIN_NAME_WIDTH - 8
    for longest in (width, MAX_HEAD):  # names are cut only where not all fit
        heads = {unit.key: _two_lines(unit.title, longest) for unit in report.units}
        room = {key: max(6 + traffic, *(cells(word) + 1 for word in head)) for key, head in heads.items()}
        if sum(room.values()) <= left:
            break
    shown = _fitting(report.units, whole, room, left)
    hidden = [unit for unit in report.units if unit not in shown]
    rest = any(whole.get(unit.key) for unit in hidden)
    name = min(40, width - 8 - sum(room[unit.key] for unit in shown) - 8 * rest)

    def amount(load: float) -> str:
        return "-" if not load else f"{rate(load / MB)}~" if traffic else bytes_(load)

    rows = [
        [first, *(heads[unit.key][line] for unit in shown), others, every]
        for line, (first, others, every) in enumerate((("", "", ""), ("Tablespace", "others", "all")))
        if line or any(first for first, _ in heads.values())
    ]
    for label, loads in [*((_name(space), space.load_on) for space in report.spaces), ("all", whole)]:
        others = sum(loads.get(unit.key, 0) for unit in hidden)
        amounts = (loads.get(unit.key, 0) for unit in shown)
        rows.append([fitted(label, name - 1), *map(amount, (*amounts, others, sum(loads.values())))])
    if load := sum(whole.values()):
        part = 1.0 if traffic else report.whole.known_part
        shares = (f"{percent(100 * part * whole.get(unit.key, 0) / load)} %" for unit in shown)
        rows.append(["share", *shares, "", ""])
    yield from aligned(rows, [name, *(-room[unit.key] for unit in shown), -8 * rest, -8], "")
    idle = [unit.title for unit in hidden if not whole.get(unit.key)]
    if idle:
        yield Sentence(f"Nothing on {enumerated(idle, MAX_NAMED)}")


def _two_lines(text: str, longest: int) -> tuple[str, str]:
    first, _, last = harmless(text).rpartition(" ")
    return shorten(first, longest), shorten(last, longest)


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


def _figures(report: SpreadReport, width: int) -> Iterator[str]:
    names = {unit.key: unit.title for unit in report.units}
    spaces = (*report.spaces, report.whole)
    wanted = (
        max(cells(harmless(names.get(space.spread.worst, "").rpartition(" ")[2])) for space in spaces) + 5
    )
    most = max(11, min(wanted, width - 52 - MIN_FIGURES_NAME))
    name = min(40, width - 52 - most)
    rows = [
        ["", "", "", "Max/", "On how", "", "", " Most", "Most", ""],
        ["Tablespace", "Files", "Size", "mean", f"many {report.wanted.what[:4]}", "Jain", "CV", " on", "disk",
         " Grade"],
    ]  # fmt: skip
    for space in spaces:
        spread = space.spread
        share = "" if isinstance(spread.share, Absent) else f" {percent(100 * spread.share)}%"
        worst, room = harmless(names.get(spread.worst, "")), most - len(share)
        worst = shorten(worst if cells(worst) <= room else worst.rpartition(" ")[2], room)
        rows.append([
            fitted("all" if space is report.whole else _name(space), name - 1), str(space.files),
            _or_dots(space.size, bytes_), f"{_or_dots(spread.uneven, rate)}{_mark(spread.uneven)}",
            _or_dots(spread.effective, f"{{:.1f}} of {spread.units}".format),
            _or_dots(spread.jain, queue), _or_dots(spread.variation, queue), f" {worst}{share}",
            DOTS if isinstance(space.fullest, Absent) else f"{percent(100 * space.fullest[1])}%",
            f" {space.grade}{' logs' * space.shares_with_logs}",
        ])  # fmt: skip
    yield from aligned(rows, [name, -6, -6, -6, -10, -5, -5, most + 1, -5, width], "")


def _mark(uneven: Number) -> str:
    """Return the mark of a limit that is exceeded, which is visible without colour."""
    return "!" if uneven > BAD else "*" if uneven > LOOK else " "


def _or_dots(value: Number, form: Callable[[float], str]) -> str:
    return DOTS if isinstance(value, Absent) else form(value)


def _findings(report: SpreadReport) -> Iterator[str]:
    """Yield in words what the figures say, and what could be reached."""
    parts = [f"{side} {percent(100 * part)} %" for side, part in report.sides.items() if side]
    if parts:
        unknown = report.sides.get("", 0)
        yield f"Sides: {', '.join(parts)}" + (f", not known {percent(100 * unknown)} %" if unknown else "")
    yield even_words(report, "What if: an even spread")
    if offer := offer_words(report):
        yield offer
    if not isinstance(report.headroom.factor, Absent):
        factor, binding = report.headroom.factor, report.headroom.binding
        full = f"{enumerated(binding, MAX_NAMED)} {'is' if len(binding) == 1 else 'are'} full"
        if factor > NONE:
            grown = (queue if factor < 2 else rate)(factor)
            yield f"Head room: all traffic may grow {grown} times, then {full}"
        else:
            yield f"Head room: none, {full}"
        if not report.even.high:  # else the responses are predicted
            now, then = map(_busy, pressure(report))
            yield f"The same load: now what is fullest {now}; with an even spread it {then} (M/M/1)"
    elif report.wanted.traffic and not isinstance(report.whole.spread.uneven, Absent):
        yield "Head room: not known, because the site file has no [capacity]"
    for mixed in report.mixed[:MAX_NAMED]:
        yield (
            f"Logs of {mixed.database or 'the database'} share volume {mixed.volume} with data of"
            f" {enumerated(mixed.others, 5)}: {enumerated(mixed.logs, 3)}{UNSIZED * mixed.unsized}"
        )
    if len(report.mixed) > MAX_NAMED:
        yield f"Logs share {len(report.mixed) - MAX_NAMED} more volumes with data"


def _busy(pressure: Pressure) -> str:
    if isinstance(pressure.use, Absent):
        return "has an unknown utilisation"
    busy = f"is {percent(100 * min(pressure.use, 1.0))} % busy"
    if isinstance(pressure.response, Absent):
        return f"{busy}, and requests wait long"
    return f"{busy}, and a request takes {queue(pressure.response)} times its service time"


def _plan(
    plan: MovePlan, report: SpreadReport, products: Callable[[str], str] | None, width: int
) -> Iterator[list[str | Sentence]]:
    judged: list[str | Sentence] = [*map(Sentence, _judged(plan, report))]
    if not plan.steps:
        judged += map(Sentence, _findings(report))
        why = plan.uneven.reason if isinstance(plan.uneven, Absent) else why_no_move(report)
        if report.no_use and not report.wanted.anyway:
            why = "none would relieve anything; --anyway suggests them to make the traffic even"
        judged.insert(0, Sentence(f"No move is suggested: {why}"))
    else:
        yield [*_steps(plan, width)]
    if products is None:
        if plan.steps or report.staying:
            judged.append(Sentence(f"zmon moves nothing; {HOW} prints the statements that do"))
        yield judged
        return
    done: set[tuple[str, str, str]] = set()
    remarks: set[str] = set()  # each is printed once
    for move in (move for step in plan.steps for move in step.moves):
        product = products(move.item.name)
        key = (product, *move.item.space)
        if key not in done:
            if not done:
                judged.append("How, for one file of each tablespace:")
            done.add(key)
            lines = [line for line in move_statements(product, move) if line not in remarks]
            remarks.update(line for line in lines if line.startswith(("--", "#")))
            judged += (f"  {line}" for line in lines)
    if text := staying_words(report):
        judged += [Sentence(text), "Instead, for one of these tablespaces:"]
        judged += (f"  {line}" for line in instead(report.staying[0]))
    yield judged


def _steps(plan: MovePlan, width: int) -> Iterator[str]:
    names = [(step.moves[0].source.title, step.moves[0].target.title, step.full) for step in plan.steps]
    longest = (max(cells(harmless(name)) for name in column) for column in zip(*names, strict=True))
    sizes = [max(least, size) for least, size in zip(MIN_UNITS, longest, strict=True)]
    while (name := width - 31 - sum(sizes)) < MIN_FILE and sum(sizes) > sum(MIN_UNITS):
        beyond = [size - least for size, least in zip(sizes, MIN_UNITS, strict=True)]
        sizes[beyond.index(max(beyond))] -= 1
    rows = [
        ["", "", "", "", "Copied", "Max/", "Times", "Full", "Spr"],
        ["#", "File", "From", "To", "so far", "mean", "thrpt", "first", "%"],
    ]
    for number, step in enumerate(plan.steps, 1):
        *units, full = names[number - 1]
        source, target = map(shorten, units, sizes)
        full = shorten(full if cells(harmless(full)) <= sizes[2] else full.rpartition(" ")[2], sizes[2])
        rows.append([
            str(number), shorten(step.moves[0].item.name, name), source, target, bytes_(step.copied),
            queue(step.uneven), _or_dots(step.ratio, queue), full, percent(100 * step.apart),
        ])  # fmt: skip
    lines = aligned(rows, [-3, name, sizes[0], sizes[1], -6, -5, -6, sizes[2], -3], " ")
    beside: list[Sequence[str]] = [_beside(step, width) for step in plan.steps]
    for line, others in zip(lines, ((), (), *beside), strict=True):
        yield line[1:]
        yield from (f"    {other}" for other in others)


def _beside(step: PlanStep, width: int) -> list[str]:
    """Return the moves of a step beside the first one."""
    if step.is_swap:
        return [f"changes places with {shorten(step.moves[1].item.name, width - 24)}"]
    ends = [f", {harmless(move.source.title)} to {harmless(move.target.title)}" for move in step.moves[1:]]
    names = (move.item.name for move in step.moves[1:])
    return [
        f"and {shorten(name, max(MIN_FILE, width - 8 - cells(end)))}{end}"
        for name, end in zip(names, ends, strict=True)
    ]


def _judged(plan: MovePlan, report: SpreadReport) -> Iterator[str]:
    """Yield how good the result is, compared with what cannot be better."""
    if isinstance(plan.uneven, Absent) or isinstance(plan.bound, Absent) or isinstance(plan.gap, Absent):
        return
    if report.moved is not None and plan.steps:
        yield times_words(f"What if: {moves_words(plan)}", report.moved, report.units)
    if said := spread_words(plan, report.wanted.what):
        yield f"{known_part_words(report)}{said}"
    yield from anew_words(plan)
    if plan.steps and (offer := offer_words(report)):
        yield offer
    if not isinstance(plan.apart, Absent):
        yield (
            f"Spr (load on tablespaces that use all {report.wanted.what}s they can): now"
            f" {percent(100 * plan.apart)} %"
        )
    if plan.held and plan.gap > 0.01:
        held = "; ".join(f"{count}, because {why.of(count)}" for why, count in plan.held[:3])
        yield f"Files that have to stay on the fullest {report.wanted.what}: {held}"


def _problems(rows: Sequence[FilePlacement]) -> list[str]:
    """Return the reasons, each with the files that it holds for."""
    by_reason: dict[str, list[FilePlacement]] = {}
    for row in rows:
        by_reason.setdefault(row.problem, []).append(row)
    problems = []
    for reason, (first, *others) in list(by_reason.items())[:MAX_NAMED]:
        where = f" [{first.listed}]" if first.listed else ""
        more = f" and {len(others)} more" if others else ""
        problems.append(f"{first.path or '(no path)'} of {first.tablespace or '?'}{where}{more}: {reason}")
    if len(by_reason) > MAX_NAMED:
        problems.append(f"{len(by_reason) - MAX_NAMED} more reasons: --format json has all")
    return problems


# values, by their names in CSV and JSON


FIGURES: Final = {
    "max_to_mean": "uneven", "share_max": "share", "variation": "variation", "jain": "jain",
    "effective": "effective",
}  # fmt: skip
"""The figures of a spread."""
SPACE_FIELDS: Final = (
    "database", "tablespace", "files", "bytes", "bytes_unplaced", "problems", "grade", *FIGURES, "units",
    "worst", "logs_beside_data",
)  # fmt: skip
MOVE_FIELDS: Final = (
    "step", "database", "tablespace", "path", "from", "to", "bytes", "copied_so_far", "max_to_mean",
    "bound_times", "spread_part", "means",
)  # fmt: skip


def _space(space: TablespaceSpread) -> dict[str, Any]:
    spread = space.spread
    return {
        "database": space.database,
        "tablespace": space.tablespace,
        "files": space.files,
        "bytes": space.size,
        "bytes_unplaced": space.size if isinstance(space.size, Absent) else space.unplaced,
        "bytes_on": space.bytes_on,
        "load_on": space.load_on,
        **{name: getattr(spread, field) for name, field in FIGURES.items()},
        "worst": spread.worst or None,
        "fullest_volume": space.fullest,
        "grade": space.grade,
        "problems": space.problems,
        "logs_beside_data": space.shares_with_logs,
        **({"basis": space.basis} if space.basis else {}),
        "absent": spread.uneven.reason if isinstance(spread.uneven, Absent) else None,
    }


def _step(step: PlanStep) -> dict[str, Any]:
    return {
        "worst": step.worst.key,
        "max_to_mean": step.uneven,
        "bound_times": step.ratio,
        "spread_part": step.apart,
        "copied_so_far": step.copied,
    }


def _move(move: Move, products: Callable[[str], str]) -> dict[str, Any]:
    return {
        "path": move.item.name,
        "database": move.item.database,
        "tablespace": move.item.tablespace,
        "from": move.source.key,
        "to": move.target.key,
        "bytes": move.bytes,
        "load": move.load,
        **({"basis": move.item.basis} if move.item.basis else {}),
        "means": move_statements(products(move.item.name), move),
    }


def matrix(report: SpreadReport) -> ResultTable:
    """Return the tablespaces by units: numbers as they are."""
    unit = "bytes_per_s" if report.wanted.traffic else "bytes"
    names = {unit.key: unit.title for unit in report.units}
    basis = ("basis",) if report.wanted.traffic else ()
    rows = []
    for space in report.spaces:
        values = _space(space) | {
            "units": space.spread.units,
            "worst": names.get(space.spread.worst, ""),
            "logs_beside_data": int(space.shares_with_logs),
        }
        none = space.size if isinstance(space.size, Absent) else 0
        loads = (space.load_on.get(key, none) for key in names)
        rows.append([*(values[name] for name in SPACE_FIELDS), *loads, *(space.basis for _ in basis)])
    return ResultTable([*SPACE_FIELDS, *(f"{name} {unit}" for name in names.values()), *basis], rows)


def moves(plan: MovePlan, products: Callable[[str], str], *, traffic: bool = False) -> ResultTable:
    """Return the moves, a row each."""
    basis = ("basis",) if traffic else ()
    rows = []
    for number, step in enumerate(plan.steps, 1):
        for move in step.moves:
            values = _step(step) | _move(move, products)
            values |= {"step": number, "from": move.source.title, "to": move.target.title}
            values["means"] = " ; ".join(values["means"])
            rows.append([*(values[name] for name in MOVE_FIELDS), *(move.item.basis for _ in basis)])
    return ResultTable([*MOVE_FIELDS, *basis], rows)


def document(
    report: SpreadReport, products: Callable[[str], str], notes: Sequence[str], unread: Sequence[str] = ()
) -> Any:
    """Return the whole answer as the object that is printed as JSON."""
    plan, moved = report.plan, report.moved
    return {
        "over": report.wanted.what,
        "by": "traffic" if report.wanted.traffic else "bytes",
        "estimate": report.wanted.traffic,
        "units": [
            {
                "key": unit.key,
                "name": unit.title,
                "side": unit.side or None,
                "capacity": unit.capacity,
                "available": unit.open,
                "load": report.whole.load_on.get(unit.key, 0),
            }
            for unit in report.units
        ],
        "tablespaces": [_space(space) for space in report.spaces],
        "all": _space(report.whole),
        "sides": report.sides,
        "logs_beside_data": report.mixed,
        "what_if": {
            "even_spread": _what_if(report.even),
            **({} if report.wider is None else {"even_spread_over_others_too": _what_if(report.wider)}),
            "moves": None if moved is None else _what_if(moved),
            "head_room": report.headroom.factor,
            "binding": report.headroom.binding,
            "use": report.headroom.use,
        },
        "plan": None
        if plan is None
        else {
            "max_to_mean": plan.uneven,
            "spread_part": plan.apart,
            "lower_bound": plan.bound,
            "above_lower_bound": plan.gap,
            "anew": plan.anew,
            **({} if plan.longer is None else {"longer": plan.longer}),
            "held": {why.words: count for why, count in plan.held},
            "before": plan.before,
            "after": plan.after,
            "steps": [
                {"moves": [_move(move, products) for move in step.moves], **_step(step)}
                for step in plan.steps
            ],
        },
        **(
            {
                "not_moved": [
                    {
                        "database": item.database,
                        "tablespace": item.tablespace,
                        "why": item.pinned.words if item.pinned else "",
                        "instead": instead(item),
                    }
                    for item in report.staying
                ]
            }
            if report.staying
            else {}
        ),
        "problems": report.problems,
        "conflicts": report.conflicts,
        "not_understood": unread,
        "notes": notes,
        "assumptions": report.assumptions,
    }


def _what_if(effect: WhatIf) -> dict[str, Any]:
    return {"times": effect.times, "limits_now": effect.now, "limits_then": effect.then}
