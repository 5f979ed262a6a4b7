"""A lookup answers from a recording as from the capture or the scenario that it was made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.casestudy import WAYS
from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable

SPACES = ["TSFACT1", "TSFACT2", "TSFACT3", "TSFACT4", "TSDIM", "TSINDEX", "TEMPSPACE1", "TSSTAGE"]
FILE = "/db2/d01/tsfact1.data"
QUESTIONS = {
    "file and tablespace": ["where", FILE, "TSFACT1"],
    "database": ["where", "DWPROD", "-f", "json"],
    "mount point": ["where", "/", "/db2/d02", "-f", "json"],
    "all tablespaces": ["where", *SPACES, "-f", "csv"],
    "upwards": ["where", "767E", "YN9QKU", "dasdc1", "LCU 1", "SSID 7600", "0.0.043a", "94:4"],
    "evidence": ["where", FILE, "--evidence"],
    "not there": ["where", "/db2/d01/none", "NOSUCH"],
    "spread": ["spread"],
    "spread by traffic": ["spread", "--traffic", "--moves", "4"],
}
SADF = Path("tests/fixtures/sadf/restart.json")

pytestmark = pytest.mark.usefixtures("utc")
Asked = tuple[int, str, str]


@pytest.fixture(autouse=True)
def eighty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make lines of 80 columns, and no site file of whoever runs the tests."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asked]:
    """Run a command; returns its status and what it prints, with the source's name left out."""

    def run(words: list[str], source: str, *more: str) -> Asked:
        if words[0] == "spread":  # it offers a command with the source's name, which is not to be folded
            monkeypatch.setenv("COLUMNS", "2000")
        status = main([*words, "--from", source, *more])
        said = capsys.readouterr()
        return status, said.out.replace(source, "SOURCE"), said.err.replace(source, "SOURCE")

    return run


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the recording of each capture, named as a day file, so that its directory is a source, too."""
    found = {}
    for source in sorted({way[1] for way in WAYS.values()}):
        found[source] = tmp_path_factory.mktemp("recorded") / "2026-03-16.zmon"
        assert main(["import", "--no-rollups", source, str(found[source])]) == 0
    return found


def asked(question: str, rest: list[str]) -> tuple[list[str], list[str]]:
    """Return the words of a question and its options; `spread` takes the listing without a name for it."""
    words = QUESTIONS[question]
    return words, rest if words[0] == "where" else [word for word in rest if word != "--listing"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_recording_answers_as_its_capture(
    question: str, way: str, ask: Callable[..., Asked], recorded: dict[str, Path]
) -> None:
    """A question has one answer: from the archive, its recording and the directory of that."""
    _from, capture, *rest = WAYS[way]
    words, options = asked(question, rest)
    known = ask(words, capture, *options)
    assert known[1]
    assert ask(words, str(recorded[capture]), *options) == known
    assert ask(words, str(recorded[capture].parent), *options) == known


@pytest.mark.parametrize("question", ["file and tablespace", "upwards", "spread by traffic"])
def test_a_time_within_a_recording(
    question: str, ask: Callable[..., Asked], recorded: dict[str, Path]
) -> None:
    """With --at the machine is looked at as it was then."""
    capture = WAYS["uid"][1]
    there = ["--at", "begin+60s"]
    known = ask(QUESTIONS[question], capture, *there)
    assert known[1]
    assert ask(QUESTIONS[question], str(recorded[capture]), *there) == known


@pytest.mark.parametrize(
    "words", [["where", "dasdb", "7200", "TSFACT1", "-f", "csv"], ["spread", "-f", "csv"]]
)
def test_a_recording_answers_as_its_scenario(words: list[str], ask: Callable[..., Asked]) -> None:
    """A recording of the laboratory's machine knows its files, disks and control units."""
    known = ask(words, "lab:shark-before")
    assert (known[0], known[2]) == (0, "")
    assert ask(words, "recordings/lab-shark-before.zmon") == known


@pytest.mark.parametrize(
    "words", [["where", "/db2/d01/x"], ["where", "sda"], ["where", "7200"], ["spread"]], ids=" ".join
)
def test_a_report_of_sar_says_what_it_lacks(
    words: list[str], ask: Callable[..., Any], tmp_path: Path
) -> None:
    """It has neither mounts nor the makeup of disks, and that is the answer."""
    file = tmp_path / "kept.zmon"
    assert main(["import", "--no-rollups", str(SADF), str(file)]) == 0
    status, out, err = ask(words, str(file))
    assert status == 1
    assert "sar does not record" in out + err


@pytest.mark.parametrize("word", ["7000", "dasdd", "ZM7000", "0.0.7000", "LCU 7000"])
def test_a_disk_of_which_only_counters_were_recorded(word: str, ask: Callable[..., Asked]) -> None:
    """Its LCU is known by its unique id; of what lies on it nothing is."""
    status, out, err = ask(["where", word], "recordings/hercules-four-queries.zmon")
    assert (status, err) == (0, "")
    assert "dasdd" in out
    assert "LCU 7000" in out
    assert "/" not in out
