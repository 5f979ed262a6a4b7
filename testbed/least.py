"""The least that a recorder or a screen in Python does every two seconds: beside-iostat.sh compares with it.

    python3 least.py record FILE     read what `zmon record` reads, take the numbers apart, insert them
    python3 least.py screen          the same without a file, and 24 lines of them in a Textual app

Nothing is compared, judged, kept or said, and nothing that may be missing is looked for.
"""

from __future__ import annotations

import glob
import sqlite3
import sys
import time
from array import array

SECONDS = 2.0
ALWAYS = ("diskstats", "stat", "interrupts", "meminfo", "vmstat", "net/dev")
PATTERNS = ("/proc/pressure/*", "/sys/fs/cgroup/*/io.stat", "/sys/bus/ccw/devices/*/cmf/ssch_rsch_count")


def numbers() -> list[int]:
    """Return all whole numbers of the files."""
    paths = [f"/proc/{name}" for name in ALWAYS] + [path for some in PATTERNS for path in glob.glob(some)]
    found = []
    for path in paths:
        with open(path, encoding="ascii", errors="replace") as file:
            found += [int(word) for word in file.read().split() if word.isdigit()]
    return found


def record(path: str) -> None:
    """Insert the numbers into a file, each time safely."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE taken (utc INTEGER PRIMARY KEY, body BLOB)")
    while True:
        body = array("Q", numbers()).tobytes()
        connection.execute("INSERT INTO taken VALUES (?, ?)", (time.time_ns(), body))
        time.sleep(SECONDS)


def screen() -> None:
    """Show the numbers."""
    from textual.app import App, ComposeResult  # noqa: PLC0415 - a recorder needs none
    from textual.widgets import Static  # noqa: PLC0415

    class Least(App[None]):
        def compose(self) -> ComposeResult:
            yield Static("")

        def on_mount(self) -> None:
            self.set_interval(SECONDS, self.renew)

        def renew(self) -> None:
            taken = [f"{number:9}" for number in numbers()[:288]]
            lines = (" ".join(taken[at : at + 12]) for at in range(0, len(taken), 12))
            self.query_one(Static).update("\n".join(lines))

    Least().run()


if __name__ == "__main__":
    record(sys.argv[2]) if sys.argv[1] == "record" else screen()
