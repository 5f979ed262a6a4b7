"""`--status`: the exit status and the first line are alike everywhere, and 3 where nobody knows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import BEGIN, SECOND
from zmon.base.event import Exceptions
from zmon.cli.main import main
from zmon.cli.service_status import (
    CRITICAL,
    NAMES,
    OK,
    UNKNOWN,
    WARNING,
    ServiceState,
    age_in_words,
    state_of_exceptions,
    together,
)
from zmon.rule.grammar import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Made

DAY = "recordings/lab-healthy-day.zmon"
SHARK = "recordings/lab-shark-before.zmon"
ALONE = "recordings/hercules-lvm.tar.gz"
EXCEPT = ("show", "EXCEPT", "--from", DAY)
END = BEGIN + 315 * SECOND
"""The last sample of what is recorded."""

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return the exit status and the first line that a command prints on standard output."""
    try:
        status = main([*words, "--status"])
    except SystemExit as ended:  # argparse
        status = int(ended.code or 0)
    return status, capsys.readouterr().out.partition("\n")[0]


@pytest.mark.parametrize(
    ("words", "level", "begins"),
    [
        ((*EXCEPT, "--since", "12:00", "--at", "13:00"), OK, "EXCEPT OK - no exceptions"),
        ((*EXCEPT, "--since", "14:25", "--at", "14:50"), CRITICAL, "EXCEPT CRITICAL - 4 "),
        (
            (*EXCEPT, "--since", "14:25", "--at", "14:50", "--where", "level=look"),
            WARNING,
            "EXCEPT WARNING - ",
        ),
        (("show", "OVERVIEW", "--from", DAY, "--at", "14:40"), CRITICAL, "OVERVIEW CRITICAL - "),
        (("show", "OVERVIEW", "--from", DAY, "--at", "20:00"), OK, "OVERVIEW OK - Nothing is short"),
        (("show", "DIAGNOSE", "--from", SHARK, "--at", "10:00"), CRITICAL, "DIAGNOSE CRITICAL - LCU 7600 "),
        (("diagnose", "--from", SHARK, "--at", "10:00"), CRITICAL, "DIAGNOSE CRITICAL - LCU 7600 "),
        (("diagnose", "--from", SHARK, "--at", "09:05"), OK, "DIAGNOSE OK - Nothing is short"),
        (("check", "--from", "lab:fcp-failover", "H15"), WARNING, "CHECK WARNING - 1 look: H15 "),
        (("show", "CHECK", "H15", "--from", "lab:fcp-failover"), WARNING, "CHECK WARNING - 1 look: H15 "),
        (("check", "--from", "lab:fcp-failover", "B11"), UNKNOWN, "CHECK UNKNOWN - "),
    ],
)  # fmt: skip
def test_the_first_line_is_the_state(
    words: tuple[str, ...], level: int, begins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A monitor reads the first line and the exit status; both say the same."""
    status, line = asked(capsys, *words)
    assert status == level
    assert line.startswith(begins)
    assert NAMES[level] in line


@pytest.mark.parametrize(
    "words",
    [
        ("show", "EXCEPT", "--from", "nosuch"),
        ("diagnose", "--from", "nosuch"),
        ("check", "--from", "nosuch"),
        ("show", "EXCEPT", "--from", ALONE),
        ("show", "OVERVIEW", "--from", ALONE),
        ("diagnose", "--from", ALONE),
        ("diagnose", "--from", SHARK, "--since", "08:00", "--until", "08:30"),
        ("show", "EXCEPT", "--from", SHARK, "--since", "08:00", "--at", "08:30"),
        ("show", "EXCEPT", "--from", SHARK, "--since", "12:00", "--at", "13:00"),
        ("show", "OVERVIEW", "--from", SHARK, "--at", "13:00"),
        ("show", "DIAGNOSE", "--from", SHARK, "--at", "09:50", "-n", "2"),
        ("diagnose", "--at", "9:00", "--until", "9:30"),
        ("diagnose", "--bogus"),
        ("show", "EXCEPT", "--format", "xml"),
        ("show", "DEVICE"),
        ("show", "NOSUCH"),
        ("show", "MENU"),
        ("check", "B99"),
        ("diagnose", "--from", SHARK, "--at", "soon"),
    ],
)
def test_what_cannot_be_known_is_unknown(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """An unreadable source, too few samples, none of that time, a wrong option: 3, and the line says why."""
    status, line = asked(capsys, *words)
    assert status == UNKNOWN
    assert " UNKNOWN - " in line


@pytest.mark.parametrize(
    "words", [("show", "EXCEPT", "--since", "-2m"), ("show", "OVERVIEW"), ("diagnose",), ("check",)]
)
def test_a_recorder_that_has_stopped_is_unknown(
    words: tuple[str, ...],
    sparse: Made,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An old last sample says nothing of now; a time that is named is judged as asked."""
    source = (*words, "--from", sparse.path)
    monkeypatch.setattr(time, "time_ns", lambda: END + 200 * SECOND)
    assert "old" not in asked(capsys, *source)[1]
    monkeypatch.setattr(time, "time_ns", lambda: END + 720 * SECOND)
    status, line = asked(capsys, *source)
    assert status == UNKNOWN
    assert line.endswith(" 12 minutes old")
    assert "old" not in asked(capsys, *source, "--at", "14:35:00")[1]


def test_the_age_of_a_recording_is_said_where_its_end_is_taken_for_now(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A length of time is counted from the last sample: without `--status` a sentence says when that was."""
    assert main(["show", "EXCEPT", "--from", DAY, "--since", "-15m"]) == OK
    assert " 2026-03-17 00:00:00, and -15m " in capsys.readouterr().err
    assert main(["show", "EXCEPT", "--from", DAY, "--since", "-15m", "--at", "15:00"]) == OK
    assert not capsys.readouterr().err


def test_csv_and_json_stay_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """The state is the exit status alone; why it is not known is a message."""
    words = ["show", "EXCEPT", "--from", DAY, "--since", "14:25", "--at", "14:50", "-f", "csv"]
    assert main(words) == OK
    plain = capsys.readouterr().out
    assert main([*words, "--status"]) == CRITICAL
    assert capsys.readouterr().out == plain
    assert main(["diagnose", "--from", "nosuch", "--status", "-f", "json"]) == UNKNOWN
    out, err = capsys.readouterr()
    assert not out
    assert "cannot be read" in err


def test_too_short_a_time_is_not_known() -> None:
    """Rules ask for up to two minutes: that ten seconds have no exception means nothing."""
    rules = load_rules()
    short = Exceptions((), 1, 10 * SECOND, 10 * SECOND)
    assert state_of_exceptions([], short, rules).level == UNKNOWN
    assert state_of_exceptions([], short._replace(until=600 * SECOND, end=600 * SECOND), rules).level == OK
    assert state_of_exceptions([], short._replace(end=600 * SECOND), rules).level == UNKNOWN
    assert state_of_exceptions([], Exceptions(), rules).level == UNKNOWN


def test_of_several_answers_the_worst_counts() -> None:
    """CRITICAL before WARNING before UNKNOWN before OK."""
    states = [ServiceState(level, NAMES[level]) for level in (OK, UNKNOWN, WARNING, CRITICAL)]
    assert [together(states[:many]).level for many in (1, 2, 3, 4)] == [OK, UNKNOWN, WARNING, CRITICAL]
    assert together(states).words == "CRITICAL; WARNING; UNKNOWN"


@given(st.text(), st.sampled_from(range(4)))
def test_a_status_line_is_one_line_with_one_bar(words: str, level: int) -> None:
    """Whatever a name holds: what is behind the bar is figures, and the terminal obeys nothing."""
    line = ServiceState(level, words, {"open": 1.0}).line("EXCEPT")
    assert line.count("|") == 1
    assert line.endswith(" | open=1")
    assert line.isprintable()


def test_an_age_has_one_unit() -> None:
    """The largest that it is one of, at least."""
    ages = [age_in_words(seconds) for seconds in (10, 60, 7000, 3 * 86_400, 250 * 86_400, 9000 * 86_400)]
    assert ages == ["0 minutes", "1 minute", "1 hour", "3 days", "8 months", "24 years"]
