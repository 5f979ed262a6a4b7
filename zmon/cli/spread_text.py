"""The printing of `zmon spread`: the answer as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.cli.plain import folded, shorten
from zmon.placement.move_statements import move_statements
from zmon.placement.spread_report import NOT_WORTH, counted, pressure, spread_words, times_words
from zmon.screen.number import DOTS, bytes_, harmless, percent, queue, rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.absent import Number
    from zmon.placement.items import FilePlacement, Unit
    from zmon.placement.planner import MovePlan
    from zmon.placement.spread_report import Pressure, SpreadReport, TablespaceSpread, WhatIf

NARROWEST: Final = 80
NAME: Final = 18
"""Characters for a tablespace at least; more where the line is wider."""
MOST_NAMED: Final = 20
"""So many rows with problems, and volumes with logs, are printed; the others are counted."""

LOOK: Final = 2.0
BAD: Final = 4.0
"""From which multiple of the mean on the largest load of a tablespace deserves a look, and is bad."""


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
        products: tells the product of a container by its path.
        notes: what is to be known of the listing.
        width: of the lines, in characters.
        unread: what of the listing was not understood.
    """
    width = max(width, NARROWEST)
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
    said = [f"No spread of {_files(report)}: {why}"]
    if report.wanted.what == "LCU" and report.whole.unplaced:
        said.append("--by disk shows the spread over disks; --site FILE or --cp-file FILE may tell the LCUs")
    return said


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
    return f"{many} {spaces}, {files} {of}, {size} over {over}, by {by}{placed}"


def _some(parts: Sequence[str]) -> list[str]:
    """Return the first of them, and how many more there are."""
    more = len(parts) - MOST_NAMED
    return [*parts[:MOST_NAMED], *([f"{more:,} more: --format json has all"] if more > 0 else [])]


def _amount(report: SpreadReport, load: float) -> str:
    if not load:
        return "-"
    return f"{rate(load / 1e6)}~" if report.wanted.traffic else bytes_(load)


def _matrix(report: SpreadReport, width: int) -> Iterator[str]:
    """Yield the tablespaces by units: those with data, and as many of the others as fit."""
    whole = report.whole.load_on
    heads = {unit.key: _two_lines(unit.title) for unit in report.units}
    room = {
        key: max(6 + report.wanted.traffic, len(head[0]) + 1, len(head[1]) + 1) for key, head in heads.items()
    }
    shown = _fitting(report.units, whole, room, width - NAME - 8)
    hidden = [unit for unit in report.units if unit not in shown]
    rest = any(whole.get(unit.key) for unit in hidden)
    name = min(40, width - 8 - sum(room[unit.key] for unit in shown) - 8 * rest)
    for line in (0, 1) if any(first for first, _ in heads.values()) else (1,):
        cells = "".join(heads[unit.key][line].rjust(room[unit.key]) for unit in shown)
        yield (
            f"{('', 'Tablespace')[line]:<{name}}{cells}{('', 'others')[line].rjust(8) if rest else ''}"
            f"{('', 'all')[line]:>8}"
        ).rstrip()
    rows = [(title(space), space.load_on) for space in report.spaces]
    for label, loads in [*rows, ("all", whole)]:
        cells = "".join(_amount(report, loads.get(unit.key, 0)).rjust(room[unit.key]) for unit in shown)
        others = _amount(report, sum(loads.get(unit.key, 0) for unit in hidden)).rjust(8) if rest else ""
        yield f"{shorten(label, name - 1):<{name}}{cells}{others}{_amount(report, sum(loads.values())):>8}"
    total = sum(whole.values())
    if total:
        cells = "".join(
            f"{percent(100 * whole.get(unit.key, 0) / total)} %".rjust(room[unit.key]) for unit in shown
        )
        yield f"{'share':<{name}}{cells}"
    idle = [unit.title for unit in hidden if not whole.get(unit.key)]
    if idle:
        yield from folded(f"Nothing on {_enumerated(idle)}", width)


def _two_lines(text: str) -> tuple[str, str]:
    first, _, last = harmless(text).rpartition(" ")
    return first[:12], last[:12]


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


def _enumerated(names: Sequence[str], most: int = MOST_NAMED) -> str:
    shown = [harmless(name) for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")


def _figures(report: SpreadReport, width: int) -> Iterator[str]:
    name = min(40, width - 63)
    many = f"many {report.wanted.what[:4]}"
    yield f"{'':<{name}}{'':>6}{'':>6}{'Max/':>6}{'On how':>10}{'':>5}{'':>5} {'Most':<11}{'Most':>5}"
    heads = f"{'Files':>6}{'Size':>6}{'mean':>6}{many:>10}{'Jain':>5}{'CV':>5} {'on':<11}{'disk':>5} Grade"
    yield f"{'Tablespace':<{name}}{heads}"
    names = {unit.key: unit.title for unit in report.units}
    for space in (*report.spaces, report.whole):
        label = "all" if space is report.whole else title(space)
        yield _figure_line(space, label, name, names).rstrip()


def _figure_line(space: TablespaceSpread, label: str, name: int, names: Mapping[str, str]) -> str:
    found = space.spread
    effective = DOTS if isinstance(found.effective, Absent) else f"{found.effective:.1f} of {found.units}"
    share = "" if isinstance(found.share, Absent) else f" {percent(100 * found.share)}%"
    disk = DOTS if isinstance(space.fullest, Absent) else f"{percent(100 * space.fullest[1])}%"
    worst = names.get(found.worst, "")
    room = 11 - len(share)
    worst = f"{shorten(worst if len(worst) <= room else _two_lines(worst)[1], room)}{share}"
    return (
        f"{shorten(label, name - 1):<{name}}{space.files:>6}{bytes_(space.size):>6}"
        f"{_or_dots(found.uneven, rate):>5}{_mark(found.uneven)}{effective:>10}"
        f"{_or_dots(found.jain, queue):>5}{_or_dots(found.variation, queue):>5}"
        f" {worst:<11}{disk:>5} {space.grade}{' logs' * space.shares_with_logs}"
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
        yield (
            f"Head room: all traffic may grow {rate(report.headroom.factor)} times, then"
            f" {_enumerated(report.headroom.binding)} is full"
        )
        now, then = pressure(report)
        yield f"The same load: now what is fullest {_busy(now)}; with an even spread it {_busy(then)} (M/M/1)"
    elif report.wanted.traffic and not isinstance(report.whole.spread.uneven, Absent):
        yield "Head room: not known, because the site file has no [capacity]"
    for one in report.mixed[:MOST_NAMED]:
        yield (
            f"Logs of {one.database or 'the database'} share volume {one.volume} with data of"
            f" {_enumerated(one.others, 5)}: {_enumerated(one.logs, 3)}"
        )
    if len(report.mixed) > MOST_NAMED:
        yield f"Logs share {len(report.mixed) - MOST_NAMED} more volumes with data"


def _busy(found: Pressure) -> str:
    if isinstance(found.use, Absent):
        return "is as busy as nobody can tell"
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
    for move in (move for step in plan.steps for move in step.moves):
        product = products(move.item.name)
        key = (product, *move.item.space)
        if key not in done:
            if not done:
                yield "How, for one file of each tablespace:"
            done.add(key)
            yield from (f"  {harmless(line)}" for line in move_statements(product, move))


def _steps(plan: MovePlan, width: int) -> Iterator[str]:
    name = width - 59
    heads = (("", "", "", "", "Copied", "Max/", "Bound", "Full", "Spr"),
             ("#", "File", "From", "To", "so far", "mean", "times", "first", "%"))  # fmt: skip
    for place, file, source, target, copied, top, bound, worst, apart in heads:
        begin = f"{place:>3} {file:<{name}} {source:<10} {target:<10}"
        yield f"{begin} {copied:>6} {top:>5} {bound:>6} {worst:<8} {apart:>3}"
    for number, step in enumerate(plan.steps, 1):
        move = step.moves[0]
        yield (
            f"{number:>3} {shorten(move.item.name, name):<{name}}"
            f" {shorten(move.source.title, 10):<10} {shorten(move.target.title, 10):<10}"
            f" {bytes_(step.copied):>6} {queue(step.uneven):>5} {_or_dots(step.ratio, queue):>6}"
            f" {shorten(step.full, 8):<8} {percent(100 * step.apart):>3}"
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
            f"Placing all anew, largest first: {queue(plan.anew.uneven)} by {plan.anew.moves} moves,"
            f" {bytes_(plan.anew.copied)} to copy, Spr {percent(100 * plan.anew.apart)} %"
        )
    if not isinstance(plan.apart, Absent):
        yield (
            f"Spr is the part of the load that is spread as far as its tablespace's files allow:"
            f" {percent(100 * plan.apart)} % before"
        )
    if plan.held and plan.gap > 0.01:
        held = "; ".join(f"{count}, because {reason}" for reason, count in plan.held[:3])
        yield f"Files that have to stay on the fullest {report.wanted.what}: {held}"


def _problems(rows: Sequence[FilePlacement]) -> list[str]:
    """Return the reasons, each with the files that it holds for."""
    by_reason: dict[str, list[FilePlacement]] = {}
    for row in rows:
        by_reason.setdefault(row.problem, []).append(row)
    found = []
    for reason, alike in list(by_reason.items())[:MOST_NAMED]:
        first = alike[0]
        where = f" [{first.listed}]" if first.listed else ""
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        found.append(f"{first.path or '(no path)'} of {first.tablespace or '?'}{where}{more}: {reason}")
    if len(by_reason) > MOST_NAMED:
        found.append(f"{len(by_reason) - MOST_NAMED} more reasons: --format json has all")
    return found


def _listed(heading: str, sentences: Sequence[str], width: int) -> Iterator[str]:
    if sentences:
        yield ""
        yield heading
        for sentence in sentences:
            yield from folded(sentence, width, "  - ")
