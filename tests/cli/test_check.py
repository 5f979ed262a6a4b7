"""`zmon check`: what is bad first, in text, CSV and JSON, with an exit status for Nagios."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Final

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

FAILOVER: Final = "lab:fcp-failover"
CAPTURE: Final = "recordings/hercules-one-hot-lcu.tar.gz"


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def printed(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """Run the command and return what it printed."""
    assert main(["check", *words]) == status
    return capsys.readouterr().out


def test_what_is_bad_is_printed_first_with_its_advice(capsys: pytest.CaptureFixture[str]) -> None:
    """Then look, then what is not known, the others in numbers, and the questions; all within 80 columns."""
    text = printed(capsys, "--from", FAILOVER)
    heads = ["Bad:", "Deserves a look:", "Not known:", "As advised: ", "Only people can answer:"]
    places = [text.index(head) for head in heads]
    assert places == sorted(places)
    assert text.startswith("1 bad, 1 look, ")
    assert "\n  B7   " in text
    assert "path_grouping_policy multibus" in text
    assert "Oracle on System z (2012)" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "Does not apply here:" not in text
    assert "Does not apply here:" in printed(capsys, "--from", FAILOVER, "--all")


def test_a_reason_that_several_checks_share_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A capture by an older zmon lacks the same for many."""
    text = printed(capsys, "--from", "recordings/hercules-four-queries.zmon")
    assert text.count("settings were not recorded") == 1
    assert "B17 swappiness" in text


def test_csv_and_json_have_all_checks(capsys: pytest.CaptureFixture[str]) -> None:
    """With value, advice, what was read and where the advice is from."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--from", FAILOVER, "-f", "csv"))))
    found = json.loads(printed(capsys, "--from", FAILOVER, "-f", "json"))
    assert [row["id"] for row in rows] == [one["id"] for one in found["checks"]]
    assert len(rows) == sum(found["counts"].values()) > 50
    assert rows[0]["state"] == found["checks"][0]["state"] == "bad"
    assert found["checks"][0]["source"] == rows[0]["source"]
    assert [one["id"] for one in found["questions"]] == ["B32", "B33"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((), 0),
        (("--status",), 2),
        (("--status", "H15"), 1),
        (("--status", "B8"), 0),
        (("--status", "B11"), 3),
        (("B99",), 2),
    ],
)
def test_the_exit_status_is_what_nagios_expects(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], status: int
) -> None:
    """Only if that is asked for; a wrong id is a wrong command line."""
    printed(capsys, "--from", FAILOVER, *words, status=status)


def test_a_source_that_cannot_be_read_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With a sentence, and nothing on standard output."""
    file = tmp_path / "x.tar.gz"
    file.write_text("no archive")
    assert printed(capsys, "--from", str(file), status=1) == ""


def test_a_capture_of_one_pass_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    """Only what needs a load is not known."""
    text = printed(capsys, "--from", CAPTURE, "K1", "H7")
    assert "mq-deadline on 4 disks" in text
    assert "As advised:" in text


def test_until_is_the_end_as_at_is(capsys: pytest.CaptureFixture[str]) -> None:
    """As of `zmon diagnose`: both name the same time."""
    source = ["check", "--from", "lab:shark-before", "B1", "-f", "json"]
    found = []
    for word in ("--at", "--until"):
        assert main([*source, word, "09:30"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]


def test_a_question_is_printed_by_its_id(capsys: pytest.CaptureFixture[str]) -> None:
    """Alone, or beside the checks that are named; the other question is left out."""
    alone = printed(capsys, "B32", "--from", FAILOVER)
    assert alone.startswith("Only people can answer:\n  B32  ")
    assert "B33" not in alone
    both = printed(capsys, "B7", "b33", "--from", FAILOVER)
    assert "  B7   " in both
    assert "  B33  " in both
