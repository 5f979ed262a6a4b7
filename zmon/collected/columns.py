"""Tables that tools print with a heading: which words of a row stand in which column.

A column is as wide as its widest cell, and cells begin where the heading begins, or end where it ends.
A table whose blanks were lost has no cells but those that patterns find.
Sources: util-linux, libsmartcols; sos, cleaner/mappings.
"""

from __future__ import annotations

import re
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.plain_text import unescaped_hex

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence


REPLACED: Final = re.compile(r"\S*(?:host|obfuscated[a-z]{4,6})[0-9]{1,4}\S*")
"""A word with a name that `sos clean` has put in place of another."""
MAX_NAME: Final = 64
"""Characters of the longest name of a host."""

_CUT_UUID: Final = re.compile("[0-9a-f]{8}-[0-9a-f-]{0,26}")


def is_cut_uuid(word: str) -> bool:
    """Return whether a word is the beginning of a UUID of 36 characters, whose row was cut."""
    return _CUT_UUID.fullmatch(word) is not None


def raw_cells(row: str, names: Sequence[str]) -> dict[str, str]:
    """Return the cells of a raw row (-r), which single blanks divide; none if it has more than names."""
    cells = map(unescaped_hex, row.split(" "))
    return dict(zip_longest(names, cells, fillvalue="")) if row.count(" ") < len(names) else {}


def asked_columns(command: str, options: str = "-[a-zA-Z]*o|--output") -> list[str]:
    """Return the columns that a command names behind one of the options; `+` stands before further ones."""
    match = re.search(rf"\s(?:{options})[= ]?([+A-Za-z0-9_%#,:-]+)(?!\S)", command)
    return match[1].split(",") if match else []


class BegunRow(NamedTuple):
    """A row that goes on in the next line, because a cell was too long for its column."""

    lines: dict[int, str]
    """The lines that were read of it, by their numbers."""
    cells: dict[str, str]
    column: str
    """That of the last cell; empty if the row is whole."""


class Columns:
    """The columns of a heading."""

    def __init__(self, heading: str, names: str = r"\S+") -> None:
        """Take a heading; `names` is the pattern of its names, which may have blanks.

        If a name comes again that column has none.
        """
        self._spans: dict[str, tuple[int, int]] = {}
        for match in re.finditer(names, heading):
            name = match[0] if match[0] not in self._spans else f"{match[0]} {match.start()}"
            self._spans[name] = match.span()

    @classmethod
    def below(cls, names: list[str], rows: list[str], drawn: str) -> Columns:
        """Return the columns of rows without a heading, if the blanks of all rows tell where they begin.

        `drawn` is the pattern of what is drawn before a name.
        """
        blocks = [re.sub(drawn, lambda match: "x" * len(match[0]), row) for row in rows]
        width = max(map(len, blocks), default=0)
        filled = "".join(
            "x" if any(row[at : at + 1].strip() for row in blocks) else " " for at in range(width)
        )
        spans = [match.span() for match in re.finditer("x+", filled)]
        columns = cls("")
        if len(spans) == len(names):
            columns._spans = dict(zip(names, spans, strict=True))
        return columns

    def __iter__(self) -> Iterator[str]:
        """Return the names of the columns."""
        return iter(self._spans)

    def __contains__(self, name: str) -> bool:
        return name in self._spans

    def __len__(self) -> int:
        return len(self._spans)

    @property
    def last(self) -> str:
        """The name of the last column; empty without one."""
        return next(reversed(self._spans), "")

    def begin(self, name: str) -> int:
        """Return where a column begins; -1 if it is not there."""
        return self._spans.get(name, (-1, -1))[0]

    def comes_after(self, name: str, other: str) -> bool:
        """Return whether a column stands right of another."""
        return self.begin(name) > self.begin(other) >= 0

    def cells(self, row: str, begin: int = 0) -> dict[str, str]:
        """Return the cells of a row by column; a word below no heading belongs to the cell before it.

        The first word that begins at `begin` or behind it is of the first column: a tree is drawn before it.
        """
        cells: dict[str, str] = {}
        named = ""
        for match in re.finditer(r"\S+", row[begin:]):
            start, end = match.start() + begin, match.end() + begin
            column = next(
                (name for name, span in self._spans.items() if start == span[0] or end == span[1]), ""
            )
            column = column if cells else next(iter(self._spans), "")
            if column and column not in cells:
                named = column
                cells[column] = match[0]
            elif named:
                cells[named] += f" {match[0]}"
        return cells

    def sliced(self, row: str) -> dict[str, str]:
        """Return the cells of a row whose columns begin where headings do; none if one does not fit."""
        begins = [span[0] for span in self._spans.values()]
        if any(row[begin - 1 : begin].strip() for begin in begins[1:]):
            return {}
        ends = [*begins[1:], len(row)]
        starts = [0, *begins[1:]]
        return {
            name: row[start:end].strip() for name, start, end in zip(self._spans, starts, ends, strict=False)
        }

    def exact(self, row: str, right: Container[str]) -> dict[str, str]:
        """Return the cells of a row whose blanks are all where the heading has them; none if one is not.

        Cells of the columns `right` are words that end where their headings do; others begin there.
        """
        cells: dict[str, str] = {}
        begin, names = 0, [*self._spans]
        for name, following in zip(names, [*names[1:], ""], strict=True):
            if name in cells:
                continue
            last = following if name not in right and following in right else name
            start, end = self._spans[last]
            if last not in right:
                end = self._spans[following][0] - 1 if following else max(len(row), start)
            part = row[begin:end]
            is_full = len(part) == end - begin and bool(part[-1:].strip())
            word = part.split()[-1] if is_full and last in right else ""
            rest = part[: len(part) - len(word)].rstrip()
            if row[end : end + 1].strip() or (
                rest if last == name in right else begin != self._spans[name][0]
            ):
                return {}
            cells |= {name: rest, last: word} if last in right else {name: rest}
            begin = end + 1
        return cells

    def begun(self, number: int, row: str, right: Container[str]) -> BegunRow | None:
        """Return what a line begins that ends with a cell too long for its column; None if it does not.

        A tool puts what follows such a cell into the next line.
        """
        cells, column = self._cut_short(row, right)
        return BegunRow({number: row}, cells, column) if column else None

    def continued(self, begun: BegunRow, number: int, row: str, right: Container[str]) -> BegunRow | None:
        """Return a row with a line that goes on with it, perhaps behind a further such cell; None if not so.

        A tree is drawn through the cells before.
        """
        blank = re.match("[ |│]*", row)
        text = f"{' ' * len(blank[0])}{row[len(blank[0]) :]}" if blank else row
        names = [*self._spans]
        before, last = names[: names.index(begun.column) + 1], ""
        cells = self.exact(text, right)
        if not cells:
            cells, last = self._cut_short(text, right, begun.column)
        if not cells or any(cells.get(name, "").strip() for name in before):
            return None
        behind = {name: cell for name, cell in cells.items() if name not in before}
        return BegunRow({**begun.lines, number: row}, {**begun.cells, **behind}, last)

    def _cut_short(self, row: str, right: Container[str], after: str = "") -> tuple[dict[str, str], str]:
        """Return the cells of a line up to one too long for its column, and this column; else none."""
        text, names = row.rstrip(), [*self._spans]
        for name, following in reversed([*pairwise(names)][names.index(after) + 1 if after else 0 :]):
            begin, border = self.begin(name), self.begin(following)
            if name in right or text[begin - 1 : begin].strip() * bool(begin):
                continue
            if not re.fullmatch(r"[ |`│├└─-]*[^\s|`│├└─-]\S*(?: \S+)*", text[begin:]):
                continue
            is_long = len(text) >= border or (following in right and len(text) > begin + len(name))
            cells = self.exact(text[:begin].ljust(begin), right) if begin and is_long else {}
            if not is_long or (begin and not cells):
                break
            return {**cells, name: text[begin:]}, name
        return {}, ""

    def realigned(self, row: str, right: Container[str]) -> dict[str, str]:
        """Return the cells of a row in which `sos clean` has replaced a name by one of another length.

        The blanks behind it are as many as before: the row fits with the fewest more, or with a shorter name.
        """
        fitting: list[dict[str, str]] = []
        for match in REPLACED.finditer(row):
            before, word, after = row[: match.start()], match[0], row[match.end() :]
            shorter = [word[:length] for length in range(len(word) - 1, 0, -1)]
            for names in ([word + " " * count for count in range(1, MAX_NAME)], shorter):
                for name in names:
                    other = f"{before}{name}{after}"
                    cells = self.exact(other, right)
                    if _begins_with_headings(cells) and " ".join(cells.values()).split() == other.split():
                        cut = name.rstrip()
                        fitting.append(
                            {
                                column: f"{cell[: -len(cut)]}{word}" if cell.endswith(cut) else cell
                                for column, cell in cells.items()
                            }
                        )
                        break
        return fitting[0] if len(fitting) == 1 else {}

    def around(self, name: str) -> tuple[list[str], list[str]]:
        """Return the columns left and right of one; none if that is not there."""
        names = [*self._spans]
        at = names.index(name) if name in names else 0
        return names[:at], names[at + 1 :]


def _begins_with_headings(cells: Mapping[str, str]) -> bool:
    """Return whether a row has cells, and none but the first, before which a tree is drawn, begins late."""
    return bool(cells) and not any(cell.startswith(" ") for cell in [*cells.values()][1:])
