"""docs/extending.md says how ten things are added: a copy of the tree is changed as it says, and used."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
"""Each example: its language, the file that it is of, and its lines."""
LINES: Final = [
    (path, lines) for language, path, lines in BLOCKS if language != "diff" and (ROOT / path).exists()
]
FOLDERS: Final = ("zmon", "screens", "figures", "rules")
LOCKS: Final = "1: POSIX  ADVISORY  WRITE 1234 5e:01:131 0 EOF\n" + "".join(
    f"1: {' ' * depth}-> POSIX  ADVISORY  WRITE {1234 + depth} 5e:01:131 0 EOF\n" for depth in (0, 1)
)
"""One task holds a lock, and two wait for it."""
CHUNKS: Final = """\
IBM Informix Dynamic Server Version 14.10.FC1 -- On-Line -- Up 00:01:27 -- 133540 Kbytes

Dbspaces
address          number   flags      fchunk   nchunks  pgsize   flags    owner    name
4484a028         1        0x10020001 1        1        2048     N  BA    informix rootdbs
 1 active, 2047 maximum

Chunks
address          chunk/dbs     offset     size       free       bpages     flags pathname
4484a268         1      1      0          100000     65632                 PO-B-- /ifx/rootchunk
 1 active, 32766 maximum
what is this
"""
STAT: Final = """\
cpu  {0} 0 {0} {0} 0 0 0 0 0 0
cpu0 {0} 0 {0} {0} 0 0 0 0 0 0
procs_running 1
procs_blocked 0
"""
SETTINGS: Final = {
    "sys/fs/aio-nr": "65000\n",
    "sys/fs/aio-max-nr": "65536\n",
    "sysinfo": "Manufacturer: IBM\n",
}
PASSES: Final = 9
"""Ten seconds apart: an exception of a minute fits in."""


@pytest.mark.parametrize(("path", "lines"), LINES)
def test_an_example_is_what_the_file_says(path: str, lines: str) -> None:
    """Line by line and in this order; `...` stands for lines that are left out."""
    rest = (ROOT / path).read_text(encoding="utf-8").splitlines()
    for line in lines.splitlines():
        if line != "...":
            assert line in rest, f"{path} has no line {line!r} any more"
            del rest[: rest.index(line) + 1]


def changed(text: str, changes: str) -> str:
    """Return a text with the lines of a page's changes in it; what they stand between has to be there."""
    done = ""
    for change in changes.split("...\n"):
        lines = change.splitlines(keepends=True)
        before, after = ("".join(line[1:] or line for line in lines if line[0] not in sign) for sign in "+-")
        head, there, text = text.partition(before)
        assert there, f"these lines are not there any more:\n{before}"
        done += head + after
    return done + text


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree that has all that the page adds."""
    tree = tmp_path_factory.mktemp("tree")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for language, path, lines in BLOCKS:
        file = tree / path
        if language == "diff":
            file.write_text(changed(file.read_text(encoding="utf-8"), lines), encoding="utf-8")
        elif not file.exists():
            file.write_text(lines, encoding="utf-8")
    return tree


@pytest.fixture(scope="module")
def recording(tree: Path, capture: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a recording of the capture."""
    recording = str(tmp_path_factory.mktemp("recording") / "locks.zmon")
    said_by(tree, "import", capture, recording)
    return recording


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return an unpacked capture of a machine on which two tasks wait for a lock."""
    capture = tmp_path_factory.mktemp("capture")
    for number in range(1, PASSES + 1):
        files = {"locks": LOCKS, "stat": STAT.format(100 * number), "diskstats": "", **SETTINGS}
        for name, text in files.items():
            file = capture / f"pass-{number:04}/proc/{name}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            os.utime(file, (1_700_000_000 + 10 * number,) * 2)
    return str(capture)


def said_by(tree: Path, *words: str, typed: str = "", status: int = 0, **variables: str) -> str:
    """Return what zmon of a tree prints."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "ZMON_CONFIG": "", "TERM": "dumb", **variables}
    done = subprocess.run(  # noqa: S603 - zmon itself
        [sys.executable, "-m", "zmon", *words],
        cwd=tree, env=environment, input=typed, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done.stdout


def document(tree: Path, *words: str, status: int = 0) -> Any:
    """Return what zmon of a tree prints as JSON."""
    return json.loads(said_by(tree, *words, "-f", "json", status=status))


def test_the_page_shows_all_that_can_be_added() -> None:
    """What it adds, and nothing besides in between."""
    headings = re.findall(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    assert headings[:10] == [
        "A source", "A figure", "A screen", "A rule", "A diagnosis", "A check", "A metric",
        "A listing format", "A command", "A scenario",
    ]  # fmt: skip


def test_a_source_a_figure_and_a_screen_are_added(tree: Path, capture: str, recording: str) -> None:
    """The screen shows the capture, and a recording of it likewise; the menu has the screen."""
    rows = document(tree, "show", "LOCKS", "--from", capture)["rows"]
    assert [(row["file"], row["held"], row["waiting"]) for row in rows] == [("5e:01:131", 1, 2)]
    assert document(tree, "show", "L", "--from", recording)["rows"] == rows
    assert " L. Locks on files " in said_by(tree, "show", "MENU", "--from", recording)


def test_a_rule_is_added(tree: Path, capture: str) -> None:
    """Its exception is open after a minute, and points to the diagnosis."""
    (exception,) = document(tree, "rules", "--from", capture)["exceptions"]
    assert (exception["rule"], exception["where"], exception["cause"]) == ("lock-waits", "5e:01:131", "D25")


def test_a_diagnosis_is_added(tree: Path, capture: str) -> None:
    """Two tasks wait, and its figure is the evidence."""
    (diagnosis,) = document(tree, "diagnose", "--from", capture)["diagnoses"]
    assert (diagnosis["id"], diagnosis["lost"]) == ("D25", 2)
    assert [figure["column"] for figure in diagnosis["evidence"]] == ["locks.waiting"]


def test_a_check_is_added(tree: Path, capture: str) -> None:
    """The setting that it reads is captured, and judged."""
    checks = {check["id"]: check for check in document(tree, "check", "--from", capture)["checks"]}
    assert checks["B35"]["state"] == "bad"


def test_a_metric_is_added(tree: Path, recording: str) -> None:
    """It stands among the others, with its value."""
    metrics = said_by(tree, "export", "-f", "openmetrics", recording)
    assert re.search(r"^zmon_file_lock_waiters 2 ", metrics, re.MULTILINE)


def test_a_listing_format_is_added(tree: Path, capture: str, tmp_path: Path) -> None:
    """The chunk is the file of its dbspace, 100,000 pages long, and a line that is none is not understood."""
    listing = tmp_path / "onstat.txt"
    listing.write_text(CHUNKS)
    (answer,) = document(tree, "where", "rootdbs", "--from", capture, "-l", str(listing), status=1)
    assert [(file["path"], file["size"]) for file in answer["where"]] == [("/ifx/rootchunk", 204_800_000)]


def test_a_command_is_added(tree: Path, capture: str) -> None:
    """LAST goes from the first sample to the last one."""
    pictures = said_by(tree, "--from", capture, typed="LOCKS\nGO begin\nLAST\nQUIT\n").split("Command ===> ")
    ends = [re.search(r"Interval \S+ - (\S+)", picture) for picture in pictures[2:4]]
    assert [end and end[1] for end in ends] == ["22:13:30", "22:14:50"]


def test_a_scenario_is_added(tree: Path) -> None:
    """The laboratory lists it, and simulates it."""
    assert "few-reports" in said_by(tree, "lab", "list")
    assert document(tree, "show", "DEVICE", "--from", "lab:few-reports")["rows"]


def test_a_screen_of_ones_own_stands_in_the_menu(tree: Path, capture: str, tmp_path: Path) -> None:
    """One file with a code is all that it takes: the menu has it, and the code opens it."""
    file = tmp_path / "zmon/screens/waits.toml"
    file.parent.mkdir(parents=True)
    file.write_text('id = "WAITS"\ncommand = "WAITS"\ntitle = "My waits"\ntable = "locks"\nmenu = "W"\n')
    for operands in (["MENU"], ["MENU", "ALL"]):
        menu = said_by(tree, "show", *operands, "--from", capture, XDG_CONFIG_HOME=str(tmp_path))
        assert re.search(r"Other screens\n.* W\. My waits\n", menu)
    own = said_by(tree, "show", "W", "--from", capture, XDG_CONFIG_HOME=str(tmp_path))
    assert own.startswith(" WAITS ")
