"""What was recorded in the guest, read on this machine: the same figures as the guest's live screens showed.

The guest's processor has the other byte order.  Only the word in the header that says where the data come
from may differ.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from check import Check, Tolerance, near, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HERE: Final = Path(__file__).resolve().parent
PROJECT: Final = HERE.parent
COMMANDS: Final = HERE / "commands.txt"
"""What is typed at screens; each scenario leaves what it typed."""
TYPED: Final = "session.commands"
CAPTURE: Final = PROJECT / "recordings" / "hercules-one-hot-lcu.tar.gz"
BROUGHT: Final = "brought.zmon"
"""A recording that was made here, in the guest and among what it left."""

MODE: Final = re.compile(r" +(Perf\. Monitor|Replay|Captured data)$")
PLACE: Final = re.compile(
    r"^ (?:Now at [\d:]+|Figures of [\d.]+ s; ENTER takes a new sample)\n", re.MULTILINE
)
"""What a replay says of where it begins, and a live screen of an interval that is short."""
FIGURE: Final = re.compile(r"(?<![\w.])\.?\d[\d.:]*")
INTERVAL: Final = 2.0
"""Seconds between samples of the recorders."""


def run(*words: str, typed: str = "", where: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    """Run this machine's zmon."""
    return subprocess.run(
        [sys.executable, "-m", "zmon", *words],
        input=typed,
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
    )


def zmon(*words: str) -> str:
    """Return what this machine's zmon prints.

    Raises:
        ValueError: it failed; has its own words.
    """
    ended = run(*words)
    if ended.returncode:
        raise ValueError(f"zmon {' '.join(words)}: status {ended.returncode} {ended.stderr.strip()}")
    return ended.stdout


def bring(into: Path) -> Path:
    """Make a recording here, for the guest to read."""
    path = into / BROUGHT
    zmon("import", str(CAPTURE), str(path))
    return path


def alike(what: str, there: str, here: subprocess.CompletedProcess[str] | str) -> Check:
    """Check that two screens are the same, line by line, but for the mode."""
    if not isinstance(here, str):
        here = here.stdout + here.stderr
    one, other = ([MODE.sub("", line) for line in PLACE.sub("", text).splitlines()] for text in (there, here))
    figures = sum(len(FIGURE.findall(line)) for line in one)
    expected = f"{len(one)} lines, {figures} figures"
    if one == other:
        return Check(what, expected, expected, ok=True)
    pairs = enumerate(zip_longest(one, other, fillvalue=""), 1)
    number, wanted, got = next((n, *pair) for n, pair in pairs if pair[0] != pair[1])
    return Check(f"{what}, line {number}", wanted, got, ok=False)


# --- live screens and a recording of the same samples -----------------------------------------------


def check_dialogue(where: Path, name: str, recording: Path, begin: str = "begin") -> Iterator[Check]:
    """Type at a replay here what was typed in the guest, and compare what was said and printed."""
    with TemporaryDirectory() as temporary:
        here = Path(temporary)
        words = ("replay", "--line", "--at", begin, str(recording.resolve()))
        said = run(*words, typed=(where / TYPED).read_text(), where=here)
        yield alike(f"{name}: dialogue, replayed", (where / f"{name}.said").read_text(), said)
        printed = sorted(path.name for path in (where / name).iterdir())
        yield same(f"{name}: screens", printed, sorted(path.name for path in here.iterdir()))
        for screen in printed:
            if (here / screen).exists():
                there = (where / name / screen).read_text()
                yield alike(f"{name}: {screen}, replayed", there, (here / screen).read_text())


def check_session(where: Path) -> Iterator[Check]:
    """Compare what live screens showed with what was recorded meanwhile, replayed and printed."""
    recording = where / "session.zmon"
    typed = (where / TYPED).read_text()
    taken = moments(recording)
    # on a slow machine the first screen takes a second sample, so that it has figures
    taken = taken[len(taken) - 1 - typed.split().count("NEXTSAMP") :]
    yield from check_dialogue(where, "session", recording, taken[0])
    for name, words in shows(typed, taken).items():
        if "--compare" in words:  # which says Then and Now where the screens say A and B
            continue
        there = (where / "session" / name).read_text()
        yield alike(
            f"session: {name}, zmon show", there, run("show", *words, "--from", str(recording.resolve()))
        )
    yield same("beside the closed recording", 1, len((where / "session.files").read_text().splitlines()))
    yield same("words of complaint", "", (where / "session.errors").read_text().strip())


def moments(recording: Path) -> list[str]:
    """Return when the samples were taken, as --at wants it."""
    lines = zmon(
        "show", "CPU", "--from", str(recording.resolve()), "--format", "json", "--count", "1000000"
    ).splitlines()
    documents = [json.loads(line) for line in lines]
    stamps = filter(
        None, [documents[0]["from"], *(document["to"] for document in documents)]
    )  # one has no begin
    # stamps are cut to milliseconds, so that the sample lies a little behind
    return [(datetime.fromisoformat(stamp) + timedelta(milliseconds=1)).isoformat() for stamp in stamps]


def shows(typed: str, taken: Sequence[str]) -> Mapping[str, list[str]]:
    """Return for each screen that was printed after the first sample how zmon show prints it."""
    found: dict[str, list[str]] = {}
    screen: list[str] = []
    sort: list[str] = []
    since: list[str] = []
    against: list[str] = []
    marks: dict[str, int] = {}
    sample = 0
    for line in typed.splitlines():
        word, *operands = line.split()
        if word == "NEXTSAMP":
            sample += 1
        elif word == "SORT":
            sort = ["--sort", *operands]
        elif word == "MARK":
            marks[operands[0]] = sample
        elif word == "AVERAGE":
            since = ["--since", taken[marks["A"]], "--at", taken[marks["B"]]]
        elif word == "INTERIM":
            since = []
        elif word == "COMPARE":
            window = ["--compare-since", taken[marks["A"]], "--compare", taken[marks["B"]]]
            against = [] if operands else window
        elif word == "PRINT" and sample:
            found[operands[0]] = [*screen, *sort, *(since or ["--at", taken[sample]]), *against]
        elif word not in {"PRINT", "F8", "EVENTS"}:
            screen, sort = [word, *operands], []
    return found


# --- recorders --------------------------------------------------------------------------------------


def check_recorder(where: Path) -> Iterator[Check]:
    """Check how a recorder ended, what it left, and that it is whole."""
    yield same("recorder's exit status", "0", (where / "days.status").read_text().strip())
    (day,) = (where / "days").glob("*.zmon")
    yield same("files of a recorder that ended", {day.name, "recorder.lock"}, _listed(where / "days.files"))
    yield same("day in its name", f"{_first(day):%Y-%m-%d}", day.stem)
    yield same("integrity of the day", "ok", _integrity(day))


def check_killed(where: Path) -> Iterator[Check]:
    """Check what a recorder left that was killed, and that it is whole."""
    yield same("status of the killed one", "137", (where / "killed.status").read_text().strip())
    (day,) = (where / "killed").glob("*.zmon")
    yield same("files of the killed one", {day.name, f"{day.name}-wal", f"{day.name}-shm", "recorder.lock"},
               _listed(where / "killed.files"))  # fmt: skip
    taken = [datetime.fromisoformat(moment).timestamp() for moment in moments(day)]
    killed = float((where / "killed.at").read_text())
    # an interval, and the sample that was being taken: on a slow machine it takes as long as the slowest did
    slowest = max(INTERVAL, *(after - before for before, after in pairwise(taken)))
    yield near(
        "seconds from the last sample to the kill", 0.0, killed - taken[-1], Tolerance(0.0, 3 * slowest)
    )
    yield same("integrity of what it left", "ok", _integrity(day))


def _listed(path: Path) -> set[str]:
    return {line.split()[-1] for line in path.read_text().splitlines()[1:]}


def _first(day: Path) -> datetime:
    return datetime.fromisoformat(moments(day)[0]).astimezone(UTC)


def _integrity(path: Path) -> str:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
    finally:
        connection.close()


def check_byte_order(where: Path) -> Iterator[Check]:
    """Compare what the guest and this machine show of the guest's recording, and of one made here."""
    yield from check_dialogue(where, "own", where / "days")
    yield from check_dialogue(where, "brought", where / BROUGHT)
