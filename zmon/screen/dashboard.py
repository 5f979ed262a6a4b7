"""A dashboard: sections of a table laid out in the room there is, for the glass, line mode and print alike.

The verdict comes first and is never cut.  The resources follow, each with a bar, a word and a curve of what
came before, then the lists, as many beside one another as fit whole; a row with words has these in place of
its bar.  Where the room allows it there are charts on the right.  What does not fit into the height goes on
below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.plain_text import harmless, wrap
from zmon.base.record import NamedTuple
from zmon.screen.chart.line_chart import ChartLine, Manner, plot
from zmon.screen.chart.points import Point, sparkline
from zmon.screen.number import bar, cell, cut, fitted
from zmon.screen.sheet import ESTIMATE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.screen.sheet import Sheet

LEAST_ROWS: Final = 5
"""Rows of a list at least; more if there is room."""
VERDICT_LINES: Final = 3
"""Lines of the verdict: as much of it as fits them; what is left out is on DIAGNOSE."""
GAP: Final = 2
"""Blanks between what is side by side."""
BAR: Final = (5, 24)
"""Characters of the bar of a list, least and most."""
WHERE: Final = 12
"""Characters of the name of an LCU at most."""
SERIAL: Final = 16
"""Characters of the serial of a storage server or a machine at most."""
NAMES: Final = 30
"""Characters of the names of those that fill something at most."""
LISTS: Final = 78
"""Columns of the lists beside which charts are drawn, at least."""
CURVE: Final = (10, 40)
"""Characters of the curve of a resource, least and most."""
CHART: Final = (44, 20)
"""Columns and lines below which charts are not drawn."""
AXIS: Final = 8
"""Columns of a chart beside its values."""
HIGHEST: Final = 20
"""Lines of a chart at most."""

BELOW: Final = ("also", "open", "unseen")
"""The sections below the lists."""

STATES: Final = {"bad": "alarm", "look": "look", "unknown": "absent", "none": "absent"}
"""What the word for a state is painted as; any other is plain."""


def curve_room(width: int) -> int:
    """Return how many intervals the curve of a resource shows in so many columns."""
    return min(max((width - 66) // 2, CURVE[0]), CURVE[1])


class DashboardSpan(NamedTuple):
    """The characters from `start` up to `end` are of a kind, one of `zmon.ui.line.KINDS`."""

    start: int
    end: int
    kind: str


class Door(NamedTuple):
    """Where a row can be chosen: its place among those of the sheet, and its name from `start` to `end`."""

    place: int
    start: int
    end: int


class DashboardLine(NamedTuple):
    """One line; its first character is left for the cursor."""

    text: str = ""
    spans: tuple[DashboardSpan, ...] = ()
    doors: tuple[Door, ...] = ()

    def moved(self, by: int) -> DashboardLine:
        """Return the line with so many blanks before it."""
        return DashboardLine(
            " " * by + self.text,
            tuple(DashboardSpan(span.start + by, span.end + by, span.kind) for span in self.spans),
            tuple(Door(door.place, door.start + by, door.end + by) for door in self.doors),
        )


class ListField(NamedTuple):
    """A field of a list: its column, heading, format and width."""

    column: str
    head: str
    form: str
    width: int
    spare: bool = False
    """Whether it is left out where that lets another list stand beside this one."""
    most: int = WHERE
    """Characters of a text at most."""


class ListForm(NamedTuple):
    """A list: what heads its names, how wide these may be, what its bar shows, and its fields."""

    head: str
    name: int
    bar: str
    fields: tuple[ListField, ...]

    def width(self, length: int = BAR[0]) -> int:
        """Return the width of a row with a bar of this length."""
        return 2 + self.name + length + sum(field.width + 1 for field in self.fields)

    def without(self, *, numbers: bool) -> ListForm:
        """Return the form without fields that may be left out; with `numbers` that of its bar stays."""
        kept = (field for field in self.fields if not field.spare or (numbers and field.column == "percent"))
        return self._replace(fields=tuple(kept))


_PERCENT: Final = ListField("percent", "%", "percent", 3)
_IO: Final = ListField("io", "Rq/s", "rate", 5, spare=True)
_MBS: Final = ListField("mbs", "MB/s", "rate", 5)
_RESP: Final = ListField("resp", "Resp", "rate", 5)
_LCU: Final = ListField("where", "LCU", "text", 5)
_STARTED: Final = ListField("io", "I/O/s", "rate", 5, spare=True)
_GUESTS: Final = ListField("guests", "Guests", "count", 6, spare=True)
_FILLED: Final = ListField("filled", "Filled by", "names", 9, most=NAMES)
FORMS: Final[Mapping[str, ListForm]] = {
    "lcu": ListForm("LCU", 6, "%Rq/s", (_PERCENT, _IO, _MBS, _RESP)),
    "tablespace": ListForm("Tablespace", 10, "%MB/s", (_PERCENT._replace(width=4, spare=True), _MBS, _LCU)),
    "user": ListForm("User", 10, "%MB/s", (_PERCENT._replace(spare=True), _MBS, _LCU)),
    "channel": ListForm("CHPID", 6, "Busy", (_PERCENT._replace(width=4),)),
    "device": ListForm(
        "Device", 6, "Busy", (_PERCENT._replace(spare=True), _IO, _MBS._replace(spare=True), _RESP, _LCU)
    ),
    # of a fleet
    "system": ListForm(
        "Guest",
        8,
        "%I/O",
        (
            _PERCENT, _STARTED._replace(spare=False), _MBS._replace(spare=True), _RESP,
            ListField("cpu", "%CPU", "percent", 4, spare=True),
            ListField("bad", "Bad", "count", 4, spare=True),
            ListField("look", "Look", "count", 4, spare=True),
        ),
    ),
    "box": ListForm(
        "Box",
        10,
        "%I/O",
        (
            _PERCENT, _STARTED, _MBS._replace(spare=True), _RESP,
            ListField("lcus", "LCUs", "count", 4, spare=True),
            ListField("busiest", "Busiest", "text", 7),
            ListField("skew", "Times", "rate", 5, spare=True),
            _FILLED._replace(spare=True),
        ),
    ),
    "unit": ListForm(
        "LCU",
        6,
        "%I/O",
        (
            _PERCENT, _STARTED._replace(spare=False), _MBS._replace(spare=True), _RESP, _GUESTS,
            ListField("box", "Box", "text", 5, most=SERIAL), _FILLED,
        ),
    ),
    "chpid": ListForm(
        "CHPID",
        6,
        "Busy",
        (
            _PERCENT._replace(width=4), ListField("own", "%Own", "percent", 4),
            ListField("others", "%Others", "percent", 7), _GUESTS._replace(spare=False),
            ListField("box", "CPC", "text", 5, most=SERIAL),
        ),
    ),
}  # fmt: skip
"""The lists, in their order."""
PARTS: Final = ("sentence", "brief", "why", "besides", "remedy", "do", "level")
"""Columns that a verdict is put together from: how sure it is stands behind its first sentence."""
TEXTS: Final = ("text", "names")
"""Formats of what is aligned left; of names that do not fit the first are written."""


class Dashboard:
    """Draws a sheet of sections in a width."""

    def __init__(self, sheet: Sheet, width: int, style: str = "ascii", order: Sequence[str] = ()) -> None:
        """Draw in a style: `braille`, `blocks` or `ascii`; rows of lists keep their place in an `order`."""
        self.width = width
        self._table, self._style = sheet.table, style
        shown = (*(column.name for column in sheet.screen.columns), *PARTS)
        self._cells = {name: sheet.table.column(name) for name in shown}
        self._rows = sheet.rows
        sections = [str(self._cells["section"][row]) for row in sheet.rows]
        self._places: dict[str, list[int]] = {}
        for place, section in enumerate(sections):
            self._places.setdefault(section, []).append(place)
        for section in FORMS.keys() & self._places.keys():
            self._places[section] = steady(self._places[section], sheet.keys, order)

    def lines(self, height: int | None = None) -> list[DashboardLine]:
        """Return all lines; in a `height` lists are as long as fits, but no shorter than `LEAST_ROWS`."""
        above = self._verdict() or [DashboardLine()]
        below = [[DashboardLine(), *lines] for name in BELOW if (lines := self._sentences(name))]
        chart = 0
        if height is not None and height >= CHART[1] + len(above):
            chart = min(max(self.width * 2 // 5, CHART[0]), self.width - LISTS - GAP)
        has_charts = chart >= CHART[0] and any(name.startswith("plot ") for name in self._table.series)
        left = self.width - (chart + GAP) * has_charts
        room = 0 if height is None else height - len(above) - sum(map(len, below))
        body = self._body(left, room)
        if has_charts:
            body = beside(
                [(body, left), (self._charts(chart, min(max(len(body), room), 2 * HIGHEST)), chart)]
            )
        return [*above, *body, *(line for lines in below for line in lines)]

    def _body(self, width: int, room: int) -> list[DashboardLine]:
        """Return resources, exceptions and lists."""
        lines = [*self._resources(width), *self._sentences("exception", width), DashboardLine()]
        shelves = self._shelves(width)
        longest = max((len(self._places[name]) for shelf in shelves for name in shelf), default=0)
        rows = min(LEAST_ROWS, longest)
        while rows < longest and len(lines) + len(shelves) * (rows + 3) - 1 <= room:
            rows += 1
        for number, shelf in enumerate(shelves):
            lines += [DashboardLine()] * bool(number)
            lines += self._shelf(shelf, width, rows)
        return lines

    # parts

    def _verdict(self) -> list[DashboardLine]:
        """Return the verdict: its first sentence in the colour of how bad it is."""
        lines: list[DashboardLine] = []
        for place in self._places.get("verdict", ()):
            sure, claim = self._text("state", place), self._text("name", place)
            text, kind = self._text("words", place), "message"
            if sure:  # it is the claim that is certain, not what is said of the gain
                *parts, level = (self._text(part, place) for part in PARTS)
                claim, rest = self._fitting(sure, *parts)
                text, kind = f"{claim}{rest}", STATES.get(level, kind)
            done = 0
            for line in wrap(text, self.width - 2):
                spans = [DashboardSpan(1, len(line) + 1, "strong")]
                if done < len(claim):
                    end = 1 + min(len(line), len(claim) - done)
                    spans.append(DashboardSpan(1, end, kind))
                done += len(line) + 1
                doors = () if lines else (Door(place, 1, 1),)
                lines.append(DashboardLine(f" {line}", tuple(spans), doors))
        return lines + [DashboardLine()] * (VERDICT_LINES - len(lines))

    def _fitting(  # noqa: PLR0913, PLR0917 - the parts of a verdict
        self, sure: str, sentence: str, brief: str, why: str, besides: str, remedy: str, do: str
    ) -> tuple[str, str]:
        """Return as much of a claim, and of what to do, as `VERDICT_LINES` hold."""
        claims = [f"{sentence} ({sure}){why}{besides}", f"{sentence} ({sure}){why}", f"{sentence} ({sure})."]
        claims += [f"{brief} ({sure})."] if brief else []
        told = [(claim, rest) for claim in claims for rest in dict.fromkeys((remedy, do))]
        fit = (both for both in told if len(wrap("".join(both), self.width - 2)) <= VERDICT_LINES)
        return next(fit, told[-1])

    def _resources(self, width: int) -> list[DashboardLine]:
        """Return a line for each resource: bar, percentage, state, curve, and what the percentage is of."""
        places = self._places.get("resource", [])
        length, before = min(max((width - 60) // 2, 8), 30), curve_room(width)
        head = f" {'Resource':<10}{'In use':<{length}}{'%':>7} {'State':<8} {'Before':<{before}}"
        lines = [DashboardLine(head.rstrip(), (DashboardSpan(0, len(head), "heading"),))] if places else []
        for place in places:
            pen = Pen(place)
            state = "...." if self._is_missing("state", place) else self._text("state", place)
            kind = STATES.get(state, "data")
            pen.name(self._text("name", place), 9)
            pen.put(self._bar(place, length), kind)
            pen.put(self._number("percent", "percent", 5, place), kind)
            pen.put(" %" if not self._is_missing("percent", place) else "  ", kind)
            pen.put(f" {state if state != 'none' else '-':<8}", kind)
            if not self._is_missing("percent", place):
                pen.put(f"{self._curve(place, before)} ", "guidance")
            room = width - len(pen.text) - 1
            text = self._text("words", place)
            pen.put(
                text if len(text) <= room else fitting(text, room),
                "absent" if kind == "absent" else "data",
            )
            lines.append(pen.line)
        return lines

    def _curve(self, place: int, width: int) -> str:
        """Return the curve of a row's percentages, the present one last; blanks before the first."""
        figures = self._table.series.get(self._key(place), ())[-width:]
        style = "ascii" if self._style == "ascii" else "blocks"
        return sparkline([figure.mean for figure in figures], len(figures), style, 100.0).rjust(width)

    def _sentences(self, section: str, width: int = 0) -> list[DashboardLine]:
        """Return the lines of a section that has sentences."""
        lines = []
        for place in self._places.get(section, ()):
            name, sure = self._text("name", place), self._text("state", place)
            sentence = self._text("words", place)
            if section == "exception":
                text, label = sentence, 0
            else:
                more = f" ({sure})" if sure and section == "also" else ""
                text, label = f"{name}: {sentence}{more}", len(name) + 1
            kind = STATES.get(sure, "data") if section == "exception" else "data"
            for number, line in enumerate(wrap(text, (width or self.width) - 2)):
                spans = (
                    DashboardSpan(1, len(line) + 1, kind),
                    *((DashboardSpan(1, 1 + label, "label"),) if label and not number else ()),
                )
                doors = () if number else (Door(place, 1, 1 + (label or len(line)) - bool(label)),)
                lines.append(DashboardLine(f" {line}", spans, doors))
        return lines

    def _shelves(self, width: int) -> list[list[str]]:
        """Return which lists stand beside one another."""
        shelves: list[list[str]] = []
        free = 0
        for name in (name for name in FORMS if name in self._places):
            needed = self._form(name).without(numbers=False).width()
            if needed > free:
                shelves.append([])
                free = width - 1
            shelves[-1].append(name)
            free -= needed + GAP
        return shelves

    def _form(self, section: str) -> ListForm:
        """Return the form of a list, as wide as its names and its other texts are."""
        form, places = FORMS[section], self._places[section]
        names = max(len(self._text("name", place)) for place in places)
        fields = tuple(
            field._replace(
                width=min(
                    max(field.width, *(len(self._text(field.column, place)) for place in places)), field.most
                )
            )
            if field.form in TEXTS
            else field
            for field in form.fields
        )
        name = max(len(form.head), min(max(names, 4), 2 * form.name))
        return form._replace(name=name, fields=fields)

    def _shelf(self, names: Sequence[str], width: int, rows: int) -> list[DashboardLine]:
        """Return lists side by side; what room is left goes to their bars.

        Where not all fields fit, the numbers of the bars are the last that are left out.
        """
        whole = [self._form(name) for name in names]
        choices = (whole, *([form.without(numbers=numbers) for form in whole] for numbers in (True, False)))
        for forms in choices:
            spare = width - 1 - sum(form.width() + GAP for form in forms) + GAP
            if spare >= 0:
                break
        length = min(BAR[0] + max(spare, 0) // len(forms), BAR[1])
        return beside(
            [
                (self._list(name, form, length, rows), form.width(length))
                for name, form in zip(names, forms, strict=True)
            ]
        )

    def _list(self, name: str, form: ListForm, length: int, rows: int) -> list[DashboardLine]:
        """Return a list with its headings."""
        fields = form.fields
        head = f" {form.head:<{form.name}} {fitted(form.bar, length)}"
        for field in fields:
            head += (
                f" {field.head:<{field.width}}" if field.form in TEXTS else f" {field.head:>{field.width}}"
            )
        lines = [DashboardLine(head.rstrip(), (DashboardSpan(0, len(head), "heading"),))]
        for place in self._places[name][:rows]:
            pen = Pen(place)
            pen.name(fitted(self._text("name", place), form.name), form.name)
            text = fitted(self._text("words", place), length)
            pen.put(*((text, "alarm") if text.strip() else (self._bar(place, length), "label")))
            for field in fields:
                missing = self._is_missing(field.column, place)
                pen.put(
                    f" {self._number(field.column, field.form, field.width, place)}",
                    "absent" if missing else "data",
                )
            lines.append(pen.line)
        return lines

    def _charts(self, width: int, height: int) -> list[DashboardLine]:
        """Return the charts, one below the other."""
        titles = [name for name in self._table.series if name.startswith("plot ")]
        events = [(span.begin, span.end) for span in self._table.series.get("exceptions", ())]
        lines: list[DashboardLine] = []
        for name in titles:
            title, _, unit = name.removeprefix("plot ").partition(": ")
            points = [Point(*point) for point in self._table.series[name][-(width - AXIS) :]]
            manner = Manner(title, unit, style=self._style)
            rows_each = height // len(titles) + (self._style != "braille")  # its last line only explains bars
            chart = plot([ChartLine(title, points)], width - 2, rows_each, manner, events=events)
            spans: dict[int, list[DashboardSpan]] = {}
            for mark in chart.marks:
                kind = "alarm" if mark.sign == "!" else "data"
                spans.setdefault(mark.line, []).append(DashboardSpan(mark.start + 1, mark.end + 1, kind))
            lines += [
                DashboardLine(
                    f" {line}",
                    (DashboardSpan(0, len(line) + 1, "label" if place else "heading"), *spans.get(place, ())),
                )
                for place, line in enumerate(chart.lines[: height // len(titles)])
            ]
        return lines

    # cells

    def _key(self, place: int) -> str:
        return self._table.keys[self._rows[place]]

    def _value(self, column: str, place: int) -> Value:
        return self._cells[column][self._rows[place]]

    def _is_missing(self, column: str, place: int) -> bool:
        return isinstance(self._value(column, place), Absent)

    def _text(self, column: str, place: int) -> str:
        value = self._value(column, place)
        return "" if isinstance(value, Absent) else harmless(f"{value}", ascii_only=self._style == "ascii")

    def _number(self, column: str, form: str, width: int, place: int) -> str:
        """Write a figure into its field, an estimate with its mark."""
        value = self._value(column, place)
        if value == "":
            return " " * width
        if form == "names":
            return f"{fitting(self._text(column, place), width):<{width}}"
        guessed = self._table.is_estimate(column, self._rows[place]) and not isinstance(value, Absent)
        return cell(value, form, width - guessed) + ESTIMATE * guessed

    def _bar(self, place: int, width: int) -> str:
        value = self._value("percent", place)
        return " " * width if isinstance(value, (Absent, str)) else bar(value, width, self._style)


class Pen:
    """Writes a line that leads to a row, part by part."""

    def __init__(self, place: int) -> None:
        """Leave room for the cursor."""
        self.text = " "
        self._place = place
        self._spans: list[DashboardSpan] = []
        self._doors: tuple[Door, ...] = ()

    def name(self, text: str, width: int) -> None:
        """Write the name, which the cursor marks."""
        self._doors = (Door(self._place, 1, 1 + len(text.rstrip())),)
        self.put(f"{text:<{width}} ", "strong")

    def put(self, text: str, kind: str) -> None:
        """Write a part."""
        self._spans.append(DashboardSpan(len(self.text), len(self.text) + len(text), kind))
        self.text += text

    @property
    def line(self) -> DashboardLine:
        """The line that is written."""
        return DashboardLine(self.text, tuple(self._spans), self._doors)


def beside(blocks: Sequence[tuple[Sequence[DashboardLine], int]]) -> list[DashboardLine]:
    """Put blocks of lines side by side, each with its width."""
    joined = []
    for number in range(max(len(lines) for lines, _ in blocks)):
        line, at = DashboardLine(), 0
        for lines, width in blocks:
            if number < len(lines):
                other = lines[number].moved(at)
                line = DashboardLine(
                    line.text + other.text[len(line.text) :],
                    (*line.spans, *other.spans),
                    (*line.doors, *other.doors),
                )
            at += width + GAP
        joined.append(line)
    return joined


def steady(places: Sequence[int], keys: Sequence[str], order: Sequence[str]) -> list[int]:
    """Return the rows of a list: those in `order` keep their place, others take the places that are free."""
    wanted = {keys[place]: place for place in places}
    kept = [
        key if key in wanted else ""
        for key in order
        if key.partition(" ")[0] == keys[places[0]].partition(" ")[0]
    ]
    others = iter([key for key in wanted if key not in kept])
    filled = [key or next(others, "") for key in kept]
    return [wanted[key] for key in (*filter(None, filled), *others)]


def fitting(text: str, width: int) -> str:
    """Return the first parts of a text that fit, else as many of its words."""
    for sign in (";", ","):
        head, sign_at, _ = text[: width + 1].rpartition(sign)
        if sign_at and len(text) > width:
            return head
    return cut(text, width)
