"""`zmon show EVENTS` prints what happened, as the full screen lists it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.session.navigator import NOT_KEPT

QUERIES = ["--from", "recordings/hercules-four-queries.zmon"]


def printed(capsys: pytest.CaptureFixture[str], *words: str, source: list[str] = QUERIES) -> str:
    """Return what is printed of a source."""
    assert main(["show", "EVENTS", *source, *words]) == OK
    return capsys.readouterr().out


def happened(text: str) -> list[tuple[str, str]]:
    """Return what and to which thing, of JSON."""
    return [(event["what"], event["thing"]) for event in json.loads(text)["events"]]


def test_all_events_of_a_recording(capsys: pytest.CaptureFixture[str]) -> None:
    """In time, in three formats with the same words."""
    text, rows, told = (printed(capsys, "--format", form) for form in ("text", "csv", "json"))
    assert happened(told) == [("limit", "0.0.7000"), ("came", "dasdo"), ("gap", "")]
    records = list(csv.DictReader(io.StringIO(rows)))
    assert [record["text"] for record in records] == [event["text"] for event in json.loads(told)["events"]]
    words = " ".join(text.split())
    assert [record["text"] in words for record in records] == [True] * 3
    assert "dasdo appeared" in printed(capsys, "--format", "html")


def test_those_of_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    """What lasts into it is one of them; the first so many of them."""
    assert happened(printed(capsys, "--since", "15:14", "--at", "15:16", "-f", "json")) == [
        ("limit", "0.0.7000"), ("came", "dasdo"),
    ]  # fmt: skip
    assert happened(printed(capsys, "--until", "15:13", "-f", "json")) == [("limit", "0.0.7000")]
    assert len(printed(capsys, "--top", "1", "-f", "csv").splitlines()) == 2


def test_nothing_happened(capsys: pytest.CaptureFixture[str]) -> None:
    """That is said; CSV has its heading alone."""
    source = ["--from", "recordings/casestudy/machine.tar.gz"]
    assert printed(capsys, source=source).startswith("No events")
    assert len(printed(capsys, "-f", "csv", source=source).splitlines()) == 1


@pytest.mark.parametrize(
    "words", [["7000"], ["--sort", "end"], ["--where", "end>1"], ["-f", "svg"], ["--at", "never"]]
)
def test_what_a_list_of_rows_has_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Rather than left out."""
    assert main(["show", "EVENTS", *words, *QUERIES]) == USAGE
    assert capsys.readouterr().out == ""


def test_live_samples_have_no_events(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody keeps them."""
    assert main(["show", "EVENTS"]) == FAILED
    assert NOT_KEPT in capsys.readouterr().err
