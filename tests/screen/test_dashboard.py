"""OVERVIEW in any room: nothing is cut but words that say more, and all is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.base.shipped import shipped
from zmon.screen.dashboard import BAR, FORMS, PARTS, VERDICT_LINES, Dashboard, DashboardLine, fitting, steady
from zmon.screen.definition import load_screens
from zmon.session.machines import open_capture
from zmon.session.recording import open_recording
from zmon.session.session import Session

if TYPE_CHECKING:
    from zmon.screen.sheet import Sheet

RECORDINGS = Path(__file__).parents[2] / "recordings"
SOURCES = ("lab-shark-before.zmon", "lab-healthy-day.zmon", "hercules-one-hot-lcu.tar.gz")
HEAD = re.compile(" Resource  ")
"""The line below the verdict."""
SIZES = [(60, 20), (80, 18), (81, 19), (100, 30), (132, 37), (160, 24), (200, 54), (300, 90)]


def sheet_of(name: str) -> Sheet:
    """Return OVERVIEW at the end of a source that comes with zmon."""
    path = str(RECORDINGS / name)
    session = Session(
        open_capture(path) if name.endswith("gz") else open_recording(path), load_screens(shipped("screens"))
    )
    session.end()
    return session.sheet()


@pytest.fixture(scope="module", params=SOURCES)
def sheet(request: pytest.FixtureRequest) -> Sheet:
    """Return OVERVIEW of each of them."""
    return sheet_of(request.param)


def texts(lines: list[DashboardLine]) -> list[str]:
    """Return the lines without blanks at their ends."""
    return [line.text.rstrip() for line in lines]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_no_line_is_wider_than_the_room(sheet: Sheet, width: int, height: int) -> None:
    """The last column of a terminal stays free, and the first is the cursor's."""
    lines = Dashboard(sheet, width, "blocks").lines(height)
    assert [text for text in texts(lines) if len(text) >= width] == []
    assert all(text[:1] in {"", " "} for text in texts(lines))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_verdict_comes_first_in_three_lines(sheet: Sheet, width: int, height: int) -> None:
    """What is wrong and what to do; all of it where there is room, else DIAGNOSE has the rest."""
    lines = texts(Dashboard(sheet, width).lines(height))
    verdict = [line for line in lines[: lines.index(next(filter(HEAD.match, lines)))] if line]
    written = " ".join(" ".join(verdict).split())
    parts = (str(sheet.table.column(name)[0]) for name in ("state", *PARTS))
    sure, sentence, brief, why, besides, remedy, _do, _level = parts
    assert written.startswith(tuple(filter(None, (sentence, brief)))) or not sure
    if width >= 80:
        assert len(verdict) <= VERDICT_LINES
    if width >= 200 and sure:
        assert written == f"{sentence} ({sure}){why}{besides}{remedy}"


def test_how_sure_it_is_stands_behind_the_claim(sheet: Sheet) -> None:
    """Behind its first clause, not behind the gain, which the model expects: of that nobody is certain."""
    sure = str(sheet.table.column("state")[0])
    written = " ".join(" ".join(texts(Dashboard(sheet, 80).lines(24))).split())
    assert bool(re.match(rf"[^.:]* \({sure}\)[.:]", written)) is bool(sure)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_list_has_five_rows_or_all(sheet: Sheet, width: int, height: int) -> None:
    """Whatever the height: what does not fit is below."""
    lines = Dashboard(sheet, width).lines(height)
    sections = [str(section) for section in sheet.table.column("section")]
    opened = [sections[sheet.rows[door.place]] for line in lines for door in line.doors]
    for section in FORMS.keys() & set(sections):
        assert opened.count(section) >= min(5, sections.count(section))
    assert set(opened) == set(sections)


def test_each_row_is_where_its_name_is(sheet: Sheet) -> None:
    """The cursor marks the name of what ENTER opens."""
    names = [str(name) for name in sheet.table.column("name")]
    for line in Dashboard(sheet, 132).lines(37):
        for door in line.doors:
            if door.end > door.start + 1 and not names[sheet.rows[door.place]].startswith("Exceptions"):
                assert (
                    line.text[door.start : door.end] == names[sheet.rows[door.place]][: door.end - door.start]
                )


def test_without_a_room_all_is_ascii_and_within_a_page(sheet: Sheet) -> None:
    """As line mode and print have it."""
    lines = texts(Dashboard(sheet, 79).lines())
    assert all(line.isascii() and len(line) < 80 for line in lines)


def test_estimates_are_marked_in_all_lists() -> None:
    """A guest sees its own part of the load of a channel; the traffic of a tablespace is divided by bytes."""
    lines = texts(Dashboard(sheet_of("lab-shark-before.zmon"), 132).lines(37))
    assert any(re.search(r"40-45 \S* +7\d~", line) for line in lines)
    assert any(re.search(r"TSFACT2 .*1[34]\.\d~ 7600", line) for line in lines)


def test_charts_stand_beside_the_lists_where_there_is_room() -> None:
    """Throughput and response of the busiest LCU, with the axis of time."""
    sheet = sheet_of("lab-shark-before.zmon")
    wide, narrow = (
        "\n".join(texts(Dashboard(sheet, *size).lines(54))) for size in ((200, "blocks"), (80, "blocks"))
    )
    assert "LCU 7600 (MB/s)" in wide
    assert "LCU 7600 (ms)" in wide
    assert "LCU 7600 (ms)" not in narrow


def test_rows_keep_their_place_while_figures_change() -> None:
    """Who goes leaves a place for who comes; order without an order before is that of the table."""
    keys = ["lcu a", "lcu b", "lcu c", "lcu d"]
    assert steady([0, 1, 2], keys, []) == [0, 1, 2]
    assert steady([1, 0, 2], keys, ["device x", "lcu a", "lcu b", "lcu c"]) == [0, 1, 2]
    assert steady([3, 0, 2], keys, ["lcu a", "lcu b", "lcu c"]) == [0, 3, 2]
    assert steady([2], keys, ["lcu a", "lcu c"]) == [2]


def test_words_that_do_not_fit_end_where_a_part_ends() -> None:
    """Else a sign says that more follows."""
    assert fitting("LCU 6 answers in 52.0 ms; 4 in all", 30) == "LCU 6 answers in 52.0 ms"
    assert fitting("channel measurement", 12) == "channel >"


def test_bars_side_by_side_are_named_by_what_they_are_of() -> None:
    """A share of requests and one of data have two names, each with the field that it is the share of."""
    shares = {form.bar for name, form in FORMS.items() if form.bar.startswith("%")}
    assert shares == {"%Rq/s", "%MB/s", "%I/O"}
    for form in FORMS.values():
        assert form.bar == "Busy" or any(field.head.startswith(form.bar[1:]) for field in form.fields)
        assert len(form.bar) <= BAR[0]
