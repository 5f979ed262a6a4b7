"""A screen with its table: the lines that are printed, and the same lines that are painted.

A `Sheet` is made once per sample.  Lines are formatted only when they are asked for, so a screen of
thousands of rows costs what its visible lines cost.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from types import MappingProxyType

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import cells, harmless, padded, wrap
from zmon.base.record import NamedTuple
from zmon.screen import layout, number
from zmon.screen.query import filtered, ordered
from zmon.tables.table import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.screen.definition import Column, Picture, Screen
    from zmon.screen.picture import DrawnColumn
    from zmon.screen.query import Condition
    from zmon.tables.table import Summary, Table

ESTIMATE: Final = "~"
"""Follows a value that is an estimate, before the mark of a limit."""

MARKS: Final = ("", "*", "!")
"""The marks of limits, the worst last."""

NO_ESTIMATES: Final[Mapping[str, object]] = MappingProxyType({})

_FIELD: Final = r"\{(?P<name>\w+)(?P<right>:)? *\}"


def _of_some(table: Table, summary: Summary, rows: Sequence[int]) -> Table:
    """Return a table whose line about all rows is about some; where it cannot be, a note says so."""
    many = len(table.keys)
    if (part := summary.of(rows, many)) is not None:
        return table._replace(summary=part)
    note = f"{summary.title.strip()} is for all {many:,} rows, not only those shown"
    return table._replace(notes=(note, *table.notes))


class Order(NamedTuple):
    """The column that a sheet is sorted on, and the direction."""

    column: str
    descending: bool


def sorting(order: Order | None, column: str) -> str:
    """Return the command that sorts on a column; where that is the present order, the other way round."""
    if order is None or order.column != column:
        return f"SORT {column}"
    return f"SORT {column} {'ASC' if order.descending else 'DESC'}"


class CellMark(NamedTuple):
    """A part of a line that deserves attention: where, how wide, and why.

    `*` and `!` are limits exceeded, `+` and `-` differences.
    """

    start: int
    width: int
    sign: str


def natural(screen: Screen, column: str = "") -> Order | None:
    """Return the order in which a column (by default the screen's own) is first shown."""
    name = column or screen.sort
    if not name:
        return None
    return Order(name, screen.by_name[name].sort != "asc")


MAX_NAME: Final = {"device": 16, "lcu": 6}
"""Characters for which columns of names have room at most: `0.1.7000-7007`, `virtio`."""


def _roomy(screen: Screen, table: Table) -> Screen:
    """Return a screen with room for names that are longer than usual: bus ids of other subchannel sets."""
    widths: list[tuple[str, int]] = []
    for column in screen.columns:
        if (
            column.names in MAX_NAME
            and column.name in table.columns
            and column.width < MAX_NAME[column.names]
        ):
            longest = max(
                (len(column) for column in table.columns[column.name] if isinstance(column, str)), default=0
            )
            if longest > column.width:
                widths.append((column.name, min(longest, MAX_NAME[column.names])))
    return layout.with_room(screen, tuple(widths)) if widths else screen


PARTITION: Final = "lpar"
"""How the names of columns of the own partition begin, beside others in a table."""


class Sheet:
    """One screen filled with one table: headings, rows in order, marks."""

    def __init__(
        self,
        screen: Screen,
        table: Table,
        order: Order | None = None,
        conditions: Sequence[Condition] = (),
    ) -> None:
        """Sort and filter the rows, one for each line of a sentence; nothing is formatted yet."""
        self._made_of = screen, table, order, conditions
        table = folded(screen, table)
        guessed = frozenset(name for name, rows in table.estimated.items() if rows is None or rows)
        ruled = frozenset(table.marks)
        self.screen = layout.spaced(_roomy(screen, table), guessed, ruled) if screen.gridded else screen
        self._style = ""
        self._unseen: list[tuple[CellPainter, Sequence[Value] | DrawnColumn]] = []
        """The columns with marks that are left out for want of room: what writes them, and their values."""
        self.letters = False
        """Whether letters of other scripts are written; then not each character is one cell wide."""
        self.table = table
        self.order = order
        rows = filtered(table, conditions)
        if table.summary is not None and len(rows) < len(table.keys):
            self.table = _of_some(table, table.summary, rows)
        self.rows = ordered(table, rows, order.column, descending=order.descending) if order else rows
        self._values = self.shown_columns()

    def in_room(self, width: int) -> Sheet:
        """Return the same sheet with the lines of sentences as long as a width allows."""
        screen, table, order, conditions = self._made_of
        if not table.sentences:
            return self
        sheet = Sheet(layout.widened(screen, table.sentences, width), table, order, conditions)
        sheet.letters = self.letters
        return sheet

    def shown_columns(self) -> list[Sequence[Value] | DrawnColumn]:
        """Return the values of each column of the screen, as they are written; nothing without rows."""
        columns = self.table.columns
        if not self.table.keys:
            return []
        return [
            self.table.column(c.shown if c.shown in columns else c.name)
            if c.picture is None
            else self._drawn(c.picture)
            for c in self.screen.columns
        ]

    def _drawn(self, picture: Picture) -> DrawnColumn:
        from zmon.screen.picture import DrawnColumn  # noqa: PLC0415 - what is printed has no pictures

        form = self.screen.by_name[picture.of].format
        return DrawnColumn(picture, form, self.table, self._style)

    def pictures(self, style: str) -> tuple[str, ...]:
        """Return which kinds of pictures can be drawn in a style, `blocks` or `ascii`; none without one."""
        return ("bar", *["curve"] * bool(self.table.series)) if style else ()

    def within(self, width: int, first: int = 1, style: str = "") -> Sheet:
        """Return the same sheet with the columns that fit whole: the first one, and those from `first` on.

        With a `style`, `blocks` or `ascii`, bars and curves are drawn where there is room.
        """
        seen = self._undrawn()
        seen._style = style  # noqa: SLF001 - it is a copy of this one
        if self.screen.gridded:
            pictures = self.pictures(style)
            seen.screen = layout.within(self.screen, width, first, pictures)
            if self.narrow is not self.screen and self._left_out(seen.screen):
                seen.screen = layout.within(self.narrow, width, first, pictures)
            seen._unseen = self._left_out(seen.screen)  # noqa: SLF001 - it is a copy of this one
            seen._values = seen.shown_columns()  # noqa: SLF001 - it is a copy of this one
            seen.table = seen._with_notes_of_columns()  # noqa: SLF001 - likewise
        elif self.screen.layout == "page":
            seen.screen = self.screen.changed(room=width)
        return seen

    def _left_out(self, seen: Screen) -> list[tuple[CellPainter, Sequence[Value] | DrawnColumn]]:
        """Return columns with marks that a part of the screen leaves out: what writes them, and values."""
        names = {column.name for column in seen.columns}
        columns = zip(self._pens, self._values, strict=True) if self.table.keys else ()
        return [(pen, values) for pen, values in columns if pen.name not in names and pen.has_marks(values)]

    @cached_property
    def narrow(self) -> Screen:
        """The screen where columns with marks have no room: it may need room for a mark behind names."""
        names = self._values[0] if any(pen.may_mark for pen in self._pens) and self._values else ()
        width = self.screen.columns[0].width if names else 0
        is_filled = any(not isinstance(name, str) or len(name) >= width for name in names)
        return layout.with_marked_name(self.screen) if is_filled else self.screen

    def right(self, width: int, first: int, style: str = "") -> int:
        """Return the column that comes first when the next columns to the right are shown."""
        is_more = self.within(width, first, style).screen.behind
        return layout.right(self.narrow, width, first, self.pictures(style)) if is_more else first

    def left(self, width: int, first: int) -> int:
        """Return the column that comes first when the columns before these are shown."""
        return layout.left(self.narrow, width, first)

    def _with_notes_of_columns(self) -> Table:
        """Return the table without the note on columns of the partition, where none of them is seen."""
        table = self.table
        if not any(name.startswith(PARTITION) for name in table.columns) or any(
            column.name.startswith(PARTITION) for column in self.screen.columns
        ):
            return table
        return table._replace(notes=tuple(note for note in table.notes if note != table.of_partition))

    def first(self, most: int | None) -> Sheet:
        """Return the same sheet with so many of its rows at most."""
        seen = self._undrawn()
        seen.rows = self.rows[:most]
        for name in ("keys", "place"):
            vars(seen).pop(name, None)
        return seen

    def with_letters(self) -> Sheet:
        """Return the same sheet with the letters of all scripts, for a stream that takes them."""
        seen = self._undrawn()
        seen.letters = True
        return seen

    def _undrawn(self) -> Sheet:
        """Return a copy of which nothing is drawn yet."""
        seen = object.__new__(Sheet)
        vars(seen).update(vars(self))
        for drawn in ("headings", "form", "folds", "summary", "_form", "_pens"):
            vars(seen).pop(drawn, None)
        return seen

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def keys(self) -> list[str]:
        """The keys of the rows, in the order in which they are shown."""
        return [self.table.keys[row] for row in self.rows]

    @cached_property
    def place(self) -> dict[str, int]:
        """The place of each key among the shown rows."""
        return {key: place for place, key in enumerate(self.keys)}

    @cached_property
    def headings(self) -> list[str]:
        """The heading lines: the line of sort marks first, then groups and names."""
        return headings(self.screen, self.order, self.table.facts) if self.screen.gridded else []

    @cached_property
    def form(self) -> list[str]:
        """The lines above the rows, filled in."""
        return [self._form[place][begin:end] for place, begin, end in self.folds]

    @cached_property
    def folds(self) -> list[tuple[int, int, int]]:
        """For each line of `form`: which line of the screen's form it is, and from where to where."""
        return [
            (place, *fold)
            for place, line in enumerate(self._form)
            for fold in number.folds(line, self.screen.room or len(line))
        ]

    @cached_property
    def _form(self) -> list[str]:
        facts, guesses = self.table.facts, self.table.estimated
        return [fill(line, facts, self.screen, guesses, letters=self.letters) for line in self.screen.form]

    @cached_property
    def summary(self) -> str | None:
        """The line that speaks of all rows; None when the table has none."""
        if self.table.summary is None:
            return None
        summary = self.table.summary
        line = self._line([summary.cells.get(c.name, "") for c in self.screen.columns], SUMMARY)
        begin = len(line) - len(line.lstrip()) if line else len(summary.title) + 2
        room = begin - 2  # a blank on either side
        fitting = (text for text in (summary.title, *summary.shorter) if len(text) <= room)
        shorter = next(fitting, number.cut(summary.title, room))
        return f" {shorter}" + line[len(shorter) + 1 :] if room > 0 else line

    def line(self, place: int) -> str:
        """Return the text of the row at `place`."""
        row = self.rows[place]
        line = self._line([values[row] for values in self._values], row)
        said = self.table.gaps.get(row)
        return line if said is None else self._gap(line, said)

    def _gap(self, line: str, said: str) -> str:
        """Write a sentence in the place of values, behind the first column."""
        end = self.screen.starts[0] + self.screen.columns[0].width
        text = harmless(said, ascii_only=not self.letters)
        if self.screen.room:
            text = number.cut(text, max(self.screen.room - end - 5, 1))
        return f"{line[:end]} -- {text} ".ljust(self.screen.width, "-").rstrip()

    @cached_property
    def _pens(self) -> list[CellPainter]:
        return [
            CellPainter(
                column,
                self.table.estimated.get(column.name, NONE),
                self.table.marks.get(column.name),
                letters=self.letters,
            )
            for column in self.screen.columns
        ]

    def _cells(self, values: Sequence[Value], row: int) -> Iterator[tuple[CellPainter, Value, str, str]]:
        """Yield for each value of a row what writes it, the value, how it is written, and its limit's mark.

        A difference is that of the two figures before it as they are written: a reader can check it.
        """
        before, last = "", ""
        for pen, value in zip(self._pens, values, strict=True):
            written, mark = pen.write(value)[0], pen.mark(value, row)
            if pen.is_difference:
                written = number.difference(before, last, len(written)) or written
            before, last = last, written
            yield pen, value, written, mark

    def _mark_left_out(self, values: Sequence[Value], row: int) -> str:
        """Return the worst mark of the cells of a row that are not seen, if it is worse than all that are.

        The name of the row has it.
        """
        if not self._unseen or row == SUMMARY or values[0] == "":
            return ""
        seen = [pen.mark(value, row) for pen, value in zip(self._pens, values, strict=True) if pen.may_mark]
        unseen = max((pen.mark(values[row], row) for pen, values in self._unseen), key=MARKS.index)
        return unseen if MARKS.index(unseen) > max(map(MARKS.index, seen), default=0) else ""

    def _line(self, values: Sequence[Value], row: int) -> str:
        parts: list[str] = []
        marks = ""
        for pen, value, written, mark in self._cells(values, row):
            parts.append(marks.ljust(pen.gap))
            marks = mark
            if not (pen.guesses and pen.guessed(value, row)):
                parts.append(written)
            elif pen.is_text and written.endswith(" "):
                parts.append(f"{written.rstrip()}{ESTIMATE}".ljust(len(written)))
            else:
                parts.append(written)
                marks = ESTIMATE + marks
        parts.append(marks)
        if left_out := self._mark_left_out(values, row):
            at = 1 if parts[1].endswith(" ") else 2
            parts[at] = f"{parts[at].rstrip()}{left_out}".ljust(len(parts[at]))
        return "".join(parts).rstrip()

    def deeper(self, place: int = 0) -> str:
        """Return the command that leads deeper into the row at `place`, or from a page; empty if none does.

        What it names is a column of the row or a fact of the page, or `key`; what is absent leads nowhere.
        A table without rows may have a way to another one, which is its fact `door`.
        """
        if not self.keys and self.table.missing is not None and "door" in self.table.facts:
            return str(self.table.facts["door"])
        names = re.findall(_FIELD, self.screen.drill)
        if not self.screen.drill or not (self.keys or self.screen.layout == "page"):
            return ""
        facts = dict(self.table.facts)
        if self.keys:
            row = self.rows[place]
            facts = {name: values[row] for name, values in self.table.columns.items()}
            facts["key"] = self.keys[place]
        if any(isinstance(facts.get(name, ""), Absent) for name, _ in names):
            return ""
        return re.sub(_FIELD, lambda match: f"{facts.get(match['name'], '')}", self.screen.drill)

    def example(self, place: int = 0) -> str:
        """Return the command that leads deeper as a person types it.

        It is `DEVICE LCU 7600` for `DEVICE cu=...`, `DEVICE CHPID 40` for `DEVICE chpids~40`, and
        `PLOT REDISP.busy` for `PLOT system.busy`.

        The name in the first column replaces the row's key, where no other row has it.
        """
        command = self.deeper(place)
        if command.startswith("PLOT ") and self.screen.table == "correlation":
            screen, column, name = (
                self.table.column(name)[self.rows[place]] for name in ("screen", "column", "row")
            )
            return f"PLOT {screen}.{column} {name}".rstrip()
        return self._typed(command, place) if command.startswith("DEVICE ") and self.keys else command

    def _typed(self, command: str, place: int) -> str:
        """Return the command that opens DEVICE from a row with the name that a person calls the row."""
        if "subject" in self.table.columns:  # of DIAGNOSE, which names the LCU
            subject = self.table.column("subject")[self.rows[place]]
            is_lcu = command.startswith("DEVICE cu=") and f"{subject}".startswith("LCU ")
            return f"DEVICE {subject}" if is_lcu else command
        first = self.screen.columns[0]
        names = self.table.column(first.name)
        name = names[self.rows[place]]
        if first.format != "text" or not isinstance(name, str) or names.count(name) > 1 or " " in name:
            return command
        if first.names == "lcu":
            return f"DEVICE LCU {name}"
        if command == f"DEVICE chpids~{self.keys[place]}":
            return f"DEVICE CHPID {name}"
        return command.replace(self.keys[place], name) if "{key}" in self.screen.drill else command

    def marks(self, place: int) -> list[CellMark]:
        """Return the cells of a row that exceed a limit, and those that say how much more or less it is."""
        row = self.rows[place]
        values = [values[row] for values in self._values]
        name, cells = self.screen.columns[0], self._cells(values, row)
        left_out = self._mark_left_out(values, row)
        marked = [CellMark(self.screen.starts[0], name.width + 1, left_out)] if left_out else []
        for start, column, (_, _, written, mark) in zip(
            self.screen.starts, self.screen.columns, cells, strict=True
        ):
            if column.signed and written.strip()[:1] in {"+", "-"}:
                marked.append(CellMark(start, column.width, written.strip()[:1]))
            elif mark:
                marked.append(CellMark(start, column.width + column.trail, mark))
        return marked

    def at(self, position: int) -> Column | None:
        """Return the column at a position of the line, for a click or a cursor."""
        for start, column in zip(self.screen.starts, self.screen.columns, strict=True):
            if start <= position < start + column.width:
                return column
        return None


NONE: Final[frozenset[int]] = frozenset()


class CellPainter:
    """Writes the values of one column; most are the same again and again, and are formatted once."""

    def __init__(
        self,
        column: Column,
        estimated: frozenset[int] | None,
        ruled: Mapping[int, str] | None = None,
        *,
        letters: bool = False,
    ) -> None:
        """Write nothing yet; of the rows `estimated` (None: all) the values are estimates.

        `ruled` has the marks of rows where rules judge the column; else its own limit does.
        """
        self._ruled = ruled
        self.may_mark = bool(ruled) or (ruled is None and column.limit is not None)
        self._letters = letters
        self.name, self.gap = column.name, column.gap
        self.guesses = estimated is None or bool(estimated)
        self.is_text = column.format in number.LEFT
        self.is_difference = column.signed
        self._column = column
        self._estimated = estimated
        self._known: dict[Value, tuple[str, str]] = {}

    def write(self, value: Value) -> tuple[str, str]:
        """Return a value as it is written, and the mark of its limit."""
        cell = self._known.get(value)
        if cell is None:
            column = self._column
            written = text(column, value, letters=self._letters)
            # two figures that look alike are marked alike
            mark = "" if column.limit is None else column.limit.mark(number.shown(written, value)).strip()
            cell = written, mark
            if not self.is_text or isinstance(value, str):  # there 1 and 1.0 are written alike
                self._known[value] = cell
        return cell

    def has_marks(self, values: Sequence[Value] | DrawnColumn) -> bool:
        """Return whether one of the values of the column has a mark."""
        limit = self._column.limit if self._ruled is None else None
        return bool(self._ruled) if limit is None else any(limit.mark(value).strip() for value in values)

    def mark(self, value: Value, row: int) -> str:
        """Return the mark of the value of a row: that of the rules where they judge the column."""
        return self.write(value)[1] if self._ruled is None else self._ruled.get(row, "")

    def guessed(self, value: Value, row: int) -> bool:
        """Tell whether a value is an estimate, and there is one to be marked."""
        if value.__class__ is Absent or value == "":
            return False
        return self._estimated is None or row in self._estimated


def text(column: Column, value: Value, *, letters: bool = False) -> str:
    """Write one value into its column; see `Sheet.letters`."""
    if value == "":
        return " " * column.width
    if column.picture is not None:
        return f"{value}"
    if column.signed:
        written = number.signed(value, column.format, column.width)
    else:
        written = number.cell(value, column.format, column.width, letters=letters)
    return padded(written.strip(), column.width) if column.left else written


def folded(screen: Screen, table: Table) -> Table:
    """Return a table with a row for each line of its sentences, and a blank behind the longest line.

    The other columns of the screen have their values in the first line; what no column shows, such as the
    door of a row, belongs to each line.
    """
    column = screen.by_name.get(table.sentences)
    if column is None or not table.keys:
        return table
    rows: list[int] = []
    texts: list[Value] = []
    firsts: set[int] = set()
    for row, value in enumerate(table.column(column.name)):
        parts: Sequence[Value] = wrap(value, column.width - 1) if isinstance(value, str) else [value]
        firsts.add(len(rows))
        rows += [row] * len(parts)
        texts += parts
    columns: dict[str, list[Value]] = {
        name: [
            values[row] if line in firsts or name not in screen.by_name else ""
            for line, row in enumerate(rows)
        ]
        for name, values in table.columns.items()
    }
    keys = [str(number) for number in range(1, len(rows) + 1)]
    return table._replace(keys=keys, columns=columns | {column.name: texts})


def headings(
    screen: Screen, order: Order | None = None, facts: Mapping[str, Value] | None = None
) -> list[str]:
    """Draw the heading lines of a screen.

    The first is the line of marks: a dot above the last character of a heading that can be sorted
    on, underscores over the heading that is.  Group texts span their columns between `<` and `>`,
    and may name facts: `{begin}`.  A sign in the last line says that there are more columns: `<`, `>`.
    """
    facts_known, names = facts or {}, dict.fromkeys(column.group for column in screen.columns if column.group)
    groups = [
        re.sub(_FIELD, lambda match: _fact(match["name"], facts_known, screen), group) for group in names
    ]
    return list(_headings(screen, order, tuple(groups))) if screen.columns else []


@lru_cache(maxsize=64)
def _headings(screen: Screen, order: Order | None, groups: tuple[str, ...]) -> list[str]:
    """Draw the heading lines; `groups` are the texts of the groups, each once."""
    depth = max(len(c.head) + bool(c.group) for c in screen.columns)
    lines = [[" "] * (screen.width + 2) for _ in range(depth + 1)]
    sortable = any(c.sort for c in screen.columns)
    for start, column in zip(screen.starts, screen.columns, strict=True):
        end = start + column.width
        for height, text in enumerate(reversed(column.head)):
            written = text.ljust(column.width) if _stands_left(column) else text.rjust(column.width)
            _put(lines[depth - height], start if _stands_left(column) else end - len(written), written)
        if order is not None and order.column == column.name:
            longest = max(len(head) for head in column.head) or column.width
            _put(lines[0], start if _stands_left(column) else end - longest, "_" * longest)
        elif column.sort:
            last = start + len(column.head[-1]) if _stands_left(column) else end
            _put(lines[0], last - 1, ".")
    texts = dict(zip(dict.fromkeys(c.group for c in screen.columns if c.group), groups, strict=True))
    for group, start, end in _groups(screen):
        line = depth - max(len(c.head) for c in screen.columns if c.group == group)
        text = texts[group]
        _put(lines[line], start, span(text, end - start))
    if screen.before:
        _put(lines[-1], screen.starts[0] + screen.columns[0].width + 1, number.LESS)
    if screen.behind:
        _put(lines[-1], min(screen.width + 1, screen.room - 1), number.MORE)
    drawn = ["".join(line).rstrip() for line in lines]
    return drawn if sortable else drawn[1:]


def _fact(name: str, facts: Mapping[str, Value], screen: Screen) -> str:
    value = facts.get(name, "")
    if value == "":
        return ""
    return number.cell(value, screen.form_formats.get(name, "text"), len(f"{value}")).strip()


def _stands_left(column: Column) -> bool:
    return column.format in number.LEFT or column.left


def _put(line: list[str], at: int, text: str) -> None:
    for offset, character in enumerate(text):
        if 0 <= at + offset < len(line) and character != " ":
            line[at + offset] = character


def _groups(screen: Screen) -> list[tuple[str, int, int]]:
    groups: list[tuple[str, int, int]] = []
    for start, column in zip(screen.starts, screen.columns, strict=True):
        end = start + column.width
        if column.group and groups and groups[-1][0] == column.group:
            groups[-1] = (column.group, groups[-1][1], end)
        elif column.group:
            groups.append((column.group, start, end))
    return groups


def span(text: str, width: int) -> str:
    """Write a group heading over `width` characters: `<-Rate/s->`; nothing where no word of it has room."""
    room = width - 2 - len(text)
    if room >= 0:
        return "<" + "-" * ((room + 1) // 2) + text + "-" * (room // 2) + ">"
    text = text.strip()
    short = number.cut(text, width)
    return short if short == text or " " in short else ""


def fields(line: str) -> list[tuple[int, int, str]]:
    """Return start, end and name of the `{name  }` fields of a form line."""
    return [(*match.span(), match["name"]) for match in re.finditer(_FIELD, line)]


def fill(
    line: str,
    facts: Mapping[str, Value],
    screen: Screen,
    estimated: Mapping[str, object] = NO_ESTIMATES,
    *,
    letters: bool = False,
) -> str:
    """Replace the `{name   }` fields of a form line; a field is as wide as it is written.

    `{name:  }` is aligned right.  A name is a fact, or short for one in `form_names`; its format is in
    `form_formats`, by default text.  An `estimated` one has its mark behind it.  A text that is wider than
    its field goes on over the blanks behind it, but for the last one; a colon there moves on.
    """

    def field(match: re.Match[str]) -> str:
        after = match["after"]
        width, name = len(match[0]) - len(after), screen.form_names.get(match["name"], match["name"])
        colon, blanks = after.rstrip(), len(after) - len(after.rstrip())
        value = facts.get(name, "")
        if value == "":
            return " " * width + after
        form = screen.form_formats.get(name, "text")
        mark = ESTIMATE if name in estimated and not isinstance(value, Absent) else ""
        if form == "text" and isinstance(value, str):
            more = min(max(cells(value) + len(mark) - width, 0), max(blanks - 1, 0))
            width, blanks = width + more, blanks - more
        written = number.cell(value, form, width - len(mark), letters=letters).strip() + mark
        before = " " * (width - cells(written)) if match["right"] else ""
        return f"{before}{padded(written, width - len(before))}{colon}{' ' * blanks}"

    return re.sub(rf"{_FIELD}(?P<after>:? *)", field, line).rstrip()
