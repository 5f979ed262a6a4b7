"""A screen without differences says in a sentence why, under its table."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from zmon.cli.main import main

pytestmark = pytest.mark.usefixtures("utc")

RECORDINGS = Path(__file__).parents[2] / "recordings"
ONE_SAMPLE = "only one sample"


def shown(capsys: pytest.CaptureFixture[str], screen: str, recording: str, *options: str) -> str:
    """Return what a screen prints, in one line."""
    assert main(["show", screen, "--from", str(RECORDINGS / recording), *options]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("screen", ["CTLUNIT", "DEVICE", "CPU", "CHANNEL", "SPREAD", "DASDSTAT"])
def test_the_first_sample_of_a_recording_says_that_it_is_one(
    screen: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a screen of dots."""
    out = shown(capsys, screen, "lab-shark-before.zmon", "--at", "begin")
    assert "First sample: " in out


@pytest.mark.parametrize("screen", ["CTLUNIT", "DEVICE", "CPU"])
def test_a_capture_of_one_pass_says_that_rates_need_two(
    screen: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No next one will come."""
    assert ONE_SAMPLE in shown(capsys, screen, "hercules-lvm.tar.gz")


@pytest.mark.parametrize("screen", ["CTLUNIT", "DEVICE", "MENU"])
def test_an_interval_says_nothing_of_the_kind(screen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor does a menu, which has no figures."""
    assert "sample:" not in shown(capsys, screen, "lab-shark-before.zmon")


@pytest.mark.usefixtures("short_scenarios")
def test_an_average_over_the_seam_of_two_recordings_says_what_begins_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`zmon demo` plays two machines, one after the other."""
    commands = "CTLUNIT\nGO begin\nMARK A\nGO end\nMARK B\nAVERAGE\n"
    monkeypatch.setattr("sys.stdin", StringIO(commands))
    assert main(["demo", "--line", "--no-tour"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Here begins lab:shark-after; " in out


@pytest.mark.parametrize(
    ("screen", "what"), [("PRESSURE", "/proc/pressure"), ("DASDSTAT", "/proc/dasd/statistics, debugfs/dasd")]
)
def test_what_a_recording_lacks_is_named_as_the_machine_names_it(
    screen: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not by the inner name of its kind, as `profile was not sampled`."""
    out = shown(capsys, screen, "hercules-four-queries.zmon")
    assert f"Nothing to show: not recorded: {what}" in out
