"""A result as HTML: whatever a section says is text of the page, never part of its form."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.main import main
from zmon.cli.result import Heading, ResultTable, Sentence, page_of

if TYPE_CHECKING:
    import pytest

TEXT = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), min_size=1)


class Reader(HTMLParser):
    """Reads a page: its tags, and its text."""

    def __init__(self, lines: list[str]) -> None:
        """Read all of it."""
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed("\n".join(lines))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        assert {name for name, _ in attrs} <= {"style", "lang", "charset", "name", "content"}
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.texts.append(data)


@given(TEXT, TEXT, TEXT)
def test_lines_sentences_and_tables_are_told_apart_and_what_they_say_is_text(
    line: str, sentence: str, cell: str
) -> None:
    """Lines are preformatted, a sentence is a paragraph, and a table has a cell for each value."""
    table = ResultTable(("a", "b"), [[cell, 5.0]], [Heading("A"), Heading("B", "{:.1f}".format)])
    read = Reader([*page_of([[line, line], [Sentence(sentence), table]], "diagnose", first=False)])
    assert read.tags == ["section", "pre", "section", "p", "table", "tr", "th", "th", "tr", "td", "td"]
    text = "".join(read.texts)
    assert all(said in text for said in (f"{line}\n{line}", sentence.strip(), cell, "5.0"))


def test_several_results_share_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    """The first one begins it, with the command as its title."""
    source = ["--from", "recordings/lab-shark-before.zmon"]
    assert main(["diagnose", *source, "-f", "html"]) == 0
    read = Reader(capsys.readouterr().out.splitlines())
    assert read.tags[:6] == ["html", "meta", "meta", "title", "body", "section"]
    assert "zmon diagnose" in read.texts
    assert read.tags.count("p") > 3


def test_a_recording_is_described_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each file."""
    assert main(["info", "recordings/lab-shark-before.zmon", "-f", "csv"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head == "path,from,to,samples,bytes,format,problem"
    assert row.startswith("recordings/lab-shark-before.zmon,2003-03-17T09:00:00.000+00:00,")
