#!/usr/bin/env python3
"""Say how soon zmon told that a path failed and came back, on the glass and in its recording.

    testbed/path_fails.py DIRECTORY       what path-fails.sh left

Prints one line per check; the exit status is 1 when one failed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from check import Check

from zmon.session.recording import open_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST: Final = 2
"""Intervals that end after a failure, at the second of which it is told at the latest."""
DAEMON: Final = 10.0
"""Seconds between two questions to multipathd, at least."""
ROUNDS: Final = ("overview", "except", "events")
"""The screens that showed one failure each."""
QUESTION: Final = "Got request [list maps json]"
"""What multipathd logs at its highest level for each question."""
STARTING: Final = 60.0
"""Seconds that the screen may have run before its first picture is filmed."""
LATER: Final = 3
"""Questions of the commands that look at the recording afterwards, at most."""


def read_moments(path: Path) -> dict[str, float]:
    """Read when something was done: lines of a name and seconds since 1970."""
    return {name: float(at) for name, at in (line.split() for line in path.read_text().splitlines())}


def pictures(path: Path) -> Iterator[tuple[float, str]]:
    """Yield the pictures of a film with their times."""
    for part in path.read_text().split("@@ ")[1:]:
        at, _, picture = part.partition("\n")
        yield float(at), picture


def rows_of(where: Path, screen: str, *options: str) -> list[dict[str, Any]]:
    """Return the rows that `zmon show` gives of the recording."""
    command = [sys.executable, "-m", "zmon", "show", screen, "--from", str(where / "days"), *options]
    run = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=False)
    return json.loads(run.stdout)["rows"] if run.stdout else []


def check_glass(where: Path, moments: dict[str, float], path: str) -> Iterator[Check]:
    """Count the intervals that end between a failure and the first picture with it, and the seconds."""
    film = list(pictures(where / "glass/overview.film"))
    words = re.compile(rf"Path {path} to mpatha[^│]*")
    for name, since in zip(ROUNDS, well_since(moments), strict=True):
        begin, end = moments[f"failed-{name}"], moments[f"reinstated-{name}"]
        known = {found for at, picture in film if at <= begin for found in words.findall(picture)}
        ends: set[str] = set()
        seen = "not seen"
        for at, picture in film:
            interval = re.search(r"Interval \d\d:\d\d:\d\d - (\d\d:\d\d:\d\d)", picture)
            if not begin < at < end or interval is None or clock_seconds(interval[1]) < begin % 86400:
                continue
            ends.add(interval[1])
            if found := new_words(words, picture, known, since):
                seen = f"{len(ends)}, after {at - begin:.1f} s: {found}"
                break
        ok = seen != "not seen" and len(ends) <= MOST
        yield Check(f"{name}: intervals until the failure is seen", f"1 to {MOST}", seen, ok)


def well_since(moments: dict[str, float]) -> list[float]:
    """Return for each failure since when the path had worked."""
    return [0.0, *(moments[f"reinstated-{name}"] for name in ROUNDS[:-1])]


def clock_seconds(text: str) -> int:
    """Return the seconds of a day at 12:34:56."""
    hours, minutes, seconds = map(int, text.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def new_words(words: re.Pattern[str], picture: str, known: set[str], since: float) -> str:
    """Return the words about a failure that began after a time, or were not there before."""
    for line in picture.splitlines():
        found = words.search(line)
        clock = re.search(r"\b\d\d:\d\d:\d\d\b", line)
        if found is None:
            continue
        if clock is None:
            if found[0] not in known:
                return found[0].strip()
            continue
        if clock_seconds(clock[0]) > since % 86400:
            return found[0].strip()
    return ""


def check_recorded(where: Path, moments: dict[str, float], path: str) -> Iterator[Check]:
    """Compare the exceptions of the recording with the times of the failures."""
    rows = [row for row in rows_of(where, "EXCEPT", "--since", "begin") if path in json.dumps(row)]
    begins = sorted(row["begin"] / 1e9 for row in rows)
    samples = list(sample_times(where / "days"))
    for name, since in zip(ROUNDS, well_since(moments), strict=True):
        failed, back = moments[f"failed-{name}"], moments[f"reinstated-{name}"]
        found = next((at for at in begins if since < at < back), None)
        first = None if found is None else next(at for at in samples if at > found)
        many = sum(1 for at in samples if first is not None and failed < at <= first)
        yield Check(
            f"{name}: intervals until it is in the recording",
            f"0 to {MOST}",  # none: the sample that was being taken has it
            "none has it" if first is None else f"{many}, after {max(0.0, first - failed):.1f} s",
            first is not None and many <= MOST,
        )


def sample_times(path: Path) -> Iterator[float]:
    """Yield when each sample of a recording was taken, in seconds since 1970."""
    timeline = open_recording(str(path))
    position = timeline.next()
    while position is not None:
        yield position.utc / 1e9
        position = timeline.next(position)


def check_daemon(where: Path, moments: dict[str, float]) -> Iterator[Check]:
    """Count the questions to multipathd of a screen and a recorder, each one in ten seconds at most."""
    text = (where / "multipathd.log").read_text(errors="replace")
    begin = next((at for at, _ in pictures(where / "glass/overview.film")), 0.0) - STARTING
    span = max(moments.values()) - begin
    asked, most = text.count(QUESTION), 2 * (span / DAEMON + 1) + LATER
    yield Check("questions to multipathd", f"1 to {most:.0f}", str(asked), 0 < asked <= most)


def main() -> int:
    """Print the checks of a directory; return 1 when one failed."""
    where = Path(sys.argv[1])
    moments, path = read_moments(where / "moments"), (where / "path").read_text().strip()
    checks = [
        *check_glass(where, moments, path),
        *check_recorded(where, moments, path),
        *check_daemon(where, moments),
    ]
    for check in checks:
        print(f"{'ok ' if check.ok else 'BAD'}  {check.what:<42}  {check.expected:<20}  {check.found}")
    return 0 if checks and all(check.ok for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
