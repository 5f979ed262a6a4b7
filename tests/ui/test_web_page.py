"""A screen as HTML or SVG is the screen: its text, its colours, whole, and nothing that is fetched."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.main import main
from zmon.screen.definition import load_screens
from zmon.ui.line import Line, Part, texts
from zmon.ui.web_page import as_html, as_svg

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

RECORDING = "recordings/hercules-four-queries.zmon"
SCREENS = (
    ["OVERVIEW"],
    ["DEVICE"],
    ["DEVICE", "7000"],
    ["PLOT", "CTLUNIT.io", "7000"],
    ["DIAGNOSE"],
    ["MENU"],
)
HOSTILE = Line(' <script>alert("x")</script> & {code} {{0}} %s', "alarm", (Part(0, 3, "label"),))
PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_categories=("Cc", "Cf")))


class Page(HTMLParser):
    """The text of a page, and the names of its elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.text: dict[str, str] = {}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, _attrs: Sequence[tuple[str, str | None]]) -> None:
        """Remember an element."""
        self.names.append(tag)
        self._open = tag if tag in {"title", "pre"} else self._open

    def handle_data(self, data: str) -> None:
        """Collect what is in the title, and in the lines."""
        self.text[self._open] = self.text.get(self._open, "") + data


def shown(page: str) -> str:
    """Return the lines of a page."""
    return "\n".join(line.rstrip() for line in Page(page).text["pre"].strip("\n").split("\n"))


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["show", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_is_fetched_and_nothing_runs(screen: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """It can be opened where there is no network, and a mail program does not warn of it."""
    for form in ("html", "svg"):
        page = re.sub("<!--.*?-->", "", printed(capsys, *screen, "--from", RECORDING, "-f", form))
        assert re.findall(r"https?://[^\"' <]+|@import|src=|<script|<link", page) in (
            [], ["http://www.w3.org/2000/svg"],
        )  # fmt: skip


def test_it_has_all_rows_or_as_many_as_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    """Not only those of one screenful; the title says what and when."""
    page = printed(capsys, "DEVICE", "--from", "lab:fleet-4096", "-f", "html", "--top", "200")
    assert len(re.findall(r"^ ?[0-9A-F]{4} ", shown(page), re.MULTILINE)) == 200
    assert Page(page).text["title"].startswith("zmon: FCX108 ")
    assert "Simulated" in Page(page).text["title"]


def test_a_page_has_all_columns_unless_it_is_told_its_width(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever gets it by mail cannot scroll to the right of it on the glass."""
    heads = shown(printed(capsys, "DEVICE", "--from", RECORDING, "-f", "html")).split("\n")
    columns = load_screens().find("DEVICE").columns
    last = next(line for line in heads if line.startswith(" Addr"))
    assert all(column.head[-1] in last for column in columns)
    assert max(map(len, heads)) > 132


def test_a_wider_page_has_more_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """As many as fit whole."""
    wide, narrow = (
        shown(printed(capsys, "DEVICE", "--from", RECORDING, "-f", "html", "--width", width))
        for width in ("200", "80")
    )
    assert max(map(len, narrow.split("\n"))) <= 80 < max(map(len, wide.split("\n")))


def test_print_writes_a_page_if_the_name_of_the_file_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same that zmon show writes; under another name it is text."""
    monkeypatch.setenv("TERM", "dumb")
    for name, begin in (("x.html", "<!DOCTYPE html>"), ("x.SVG", "<svg"), ("x.txt", " FCX108")):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"PRINT {tmp_path / name}\nQUIT\n"))
        assert main(["--from", RECORDING, "DEVICE"]) == 0
        assert (tmp_path / name).read_text().startswith(begin)


def test_a_picture_is_well_formed_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """SVG is XML."""
    picture = ET.fromstring(printed(capsys, "CTLUNIT", "--from", RECORDING, "-f", "svg"))  # noqa: S314 - our own
    words = " ".join("".join(picture.itertext()).replace("\xa0", " ").split())
    assert "Interval" in words
    assert "7000" in words


@given(st.lists(PRINTABLE, min_size=1, max_size=5).filter(lambda lines: any(line.strip() for line in lines)))
def test_the_text_of_a_page_is_that_of_its_lines(lines: list[str]) -> None:
    """Whatever is in a name; what looks like HTML is text."""
    each = [HOSTILE, *(Line(f".{text}.") for text in lines)]
    page = as_html(each)
    assert shown(page) == texts(each)
    assert "script" not in Page(page).names


def test_names_are_text_in_a_picture_too() -> None:
    """XML has no other elements than those of a picture without names."""
    plain = {one.tag for one in ET.fromstring(as_svg([Line("plain")])).iter()}  # noqa: S314 - our own
    assert {one.tag for one in ET.fromstring(as_svg([HOSTILE])).iter()} == plain  # noqa: S314 - likewise


@pytest.mark.parametrize(
    ("words", "why"), [(("-n", "3"), "leave out --count"), (("--status",), "leave out --status")]
)
def test_one_page_holds_one_interval(
    words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Several would be several documents in one file."""
    assert main(["show", "EXCEPT", "--from", RECORDING, "-f", "html", *words]) in {2, 3}
    assert why in "".join(capsys.readouterr())
