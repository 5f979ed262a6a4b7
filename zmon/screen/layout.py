"""The positions of a screen's columns.

Each column has room for its marks behind it, and only columns that fit whole are drawn.  The first column
always stays, because it names the rows.
"""

from __future__ import annotations

from functools import lru_cache

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.screen import number
from zmon.screen.definition import Column, Picture, Screen

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LEAST_TEXT: Final = 12
"""A text column is not made narrower than this, as long as another column fits beside the first."""
LONGEST_LINE: Final = 110
"""Characters of a line of a sentence at most: longer ones are hard to read."""


@lru_cache(maxsize=256)
def spaced(screen: Screen, estimated: frozenset[str], ruled: frozenset[str] = frozenset()) -> Screen:
    """Return a screen with room behind each value for its marks, and a blank behind them.

    `estimated` names the columns with estimates, `ruled` those that rules judge.
    """
    columns: list[Column] = []
    trail = 0
    for column in screen.columns:
        gap = max(column.gap, trail + 1)
        trail = (column.limit is not None or column.name in ruled) + (column.name in estimated)
        columns.append(_changed(column, gap=gap, trail=trail))
    return _with(screen, columns)


def widened(screen: Screen, name: str, width: int) -> Screen:
    """Return a screen of which the column of sentences has the room of a width, up to `LONGEST_LINE`."""
    columns = [
        _changed(column, width=max(min(width - 1 - start, LONGEST_LINE + 1), column.width))
        if column.name == name
        else column
        for start, column in zip(screen.starts, screen.columns, strict=True)
    ]
    return _with(screen, columns)


@lru_cache(maxsize=64)
def with_room(screen: Screen, widths: tuple[tuple[str, int], ...]) -> Screen:
    """Return a screen of which some columns have these widths."""
    wide = dict(widths)
    return _with(
        screen, [_changed(column, width=wide.get(column.name, column.width)) for column in screen.columns]
    )


@lru_cache(maxsize=512)
def within(screen: Screen, width: int, first: int = 1, pictures: tuple[str, ...] = ()) -> Screen:
    """Return the part of a screen that fits: the first column, and those from `first` on that fit whole.

    A long text may be narrower at the right edge.  As many pictures of the kinds `pictures` as possible stand
    among the first columns: for one of them a text may have to go, but no figure.
    """
    plain = _fitting(screen, width, first)
    wanted = [picture for picture in screen.pictures if picture.kind in pictures and first == 1]
    widths = {column.name: column.width for column in plain.columns}
    whole = {column.name for column in screen.columns if widths.get(column.name) == column.width}
    for many in range(len(wanted), 0, -1):
        fitting = _fitting(_with(screen, _pictured(screen.columns, wanted[:many])), width, first, whole)
        own = [column for column in fitting.columns if column.picture is None]
        if _figures(plain) <= _figures(fitting) and len(fitting.columns) == len(own) + many:
            return _with(fitting, fitting.columns, behind=len(screen.columns) - len(own))
    return plain


@lru_cache(maxsize=64)
def with_marked_name(screen: Screen) -> Screen:
    """Return a screen with room for a mark behind the names of the rows, and a blank behind it."""
    name, *others = screen.columns
    others[:1] = [_changed(column, gap=max(column.gap, name.trail + 2)) for column in others[:1]]
    return _with(screen, [_changed(name, trail=name.trail + 1), *others])


def _pictured(columns: Sequence[Column], pictures: Sequence[Picture]) -> list[Column]:
    """Return columns with those of pictures among them."""
    columns_made = []
    for column in columns:
        columns_made.append(column)
        columns_made += [
            Column(
                name=f"{picture.kind} {picture.of}", head=(picture.head,), width=picture.width,
                format="picture", left=True, gap=1 + column.trail, sort="", picture=picture,
            )
            for picture in pictures
            if picture.behind == column.name
        ]  # fmt: skip
    return columns_made


def _figures(screen: Screen) -> set[str]:
    return {column.name for column in screen.columns if column.format not in number.LEFT}


def _fitting(screen: Screen, width: int, first: int, whole: Collection[str] = ()) -> Screen:
    """Return the part of a screen that fits; columns that are to be `whole` are not cut, but left out."""
    columns = screen.columns
    last = len(columns) - 1
    first = max(1, min(first, last))
    kept = [_narrowed(columns[0], width - 1 - columns[0].gap - columns[0].trail)]
    at = kept[0].gap + kept[0].width
    behind = 0
    for place in range(first, last + 1):
        column = columns[place]
        if place == first > 1:
            column = _changed(column, gap=max(column.gap, 3))  # room for the sign of what is on the left
        room = width - at - column.gap - max(column.trail, place < last)
        if column.width > room:
            behind = last + 1 - place
            least = 3 if len(kept) == 1 else max(LEAST_TEXT, *map(len, column.head))
            edge = room - (place == last and not column.trail)  # the sign comes behind it
            if column.format in number.LEFT and edge >= least and column.name not in whole:
                kept.append(_narrowed(column, edge))
            elif len(kept) > 2:
                while len(kept) > 2 and columns[place].joined:
                    place -= 1  # noqa: PLW2901 - the columns before go, too
                    kept.pop()
                    behind += 1
            break
        kept.append(column)
        at += column.gap + column.width
    return _with(screen, kept, before=first - 1, behind=behind, room=width)


def right(screen: Screen, width: int, first: int, pictures: tuple[str, ...] = ()) -> int:
    """Return the column that comes first when the next columns to the right are shown."""
    if not screen.gridded:
        return first
    seen, last = within(screen, width, first, pictures), len(screen.columns) - 1
    return max(1, min(max(last + 1 - seen.behind, first + 1), last)) if seen.behind else first


def left(screen: Screen, width: int, first: int) -> int:
    """Return the column that comes first when the columns before these are shown."""
    last = len(screen.columns)
    for place in range(1, first):
        if not screen.columns[place].joined and last - within(screen, width, place).behind >= first:
            return place
    return max(1, first - 1)


def beside(screen: Screen, first: int, by: int) -> int:
    """Return the column that comes first after going `by` columns to the right, or to the left."""
    places = [1, *(i for i, column in enumerate(screen.columns) if i > 1 and not column.joined)]
    at = max(i for i, place in enumerate(places) if place <= max(first, 1))
    return places[max(0, min(at + by, len(places) - 1))]


def _narrowed(column: Column, room: int) -> Column:
    return column if column.width <= room else _changed(column, width=max(room, 1))


def _changed(column: Column, **other: object) -> Column:
    return Column(**vars(column) | other)


def _with(screen: Screen, columns: Sequence[Column], **other: object) -> Screen:
    return screen.changed(columns=tuple(columns), **other)
