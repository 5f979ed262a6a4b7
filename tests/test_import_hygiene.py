"""What must not be loaded by a command that does not need it."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.cli.subcommands import SUBCOMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.interpreter

HEAVY = ("textual", "rich", "sqlite3", "sqlite_utils", "psutil", "pyudev", "asyncio", "multiprocessing")
"""What the glass, the recording and the running machine need, and a lookup never."""

DATA = (
    "dataclasses",
    "inspect",
    "tarfile",
    "csv",
    "json",
    "ctypes",
    "threading",
    "zmon.kernel",
    "zmon.session",
)
"""What the words of zmon itself do not need: its help and its menu."""

ELSEWHERE = (
    "zmon.session.commands", "zmon.session.explain", "zmon.session.guide",
    "zmon.screen.compare", "zmon.base.event_line", "zmon.screen.variable", "zmon.tables.plot",
    "zmon.session.when",
)  # fmt: skip
"""What commands, times and curves need, and a list of things as they were last does not."""

ROOT = Path(__file__).parents[1]

LIST = """
import sys
from zmon.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""


HELP = """
import argparse, sys
argparse.ArgumentParser().format_help()
print(*sys.modules, file=sys.stderr)
"""


def modules(program: str, *words: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a program."""
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


@cache
def needed_by_argparse() -> frozenset[str]:
    """Return what printing a help takes in any program: from Python 3.14 on dataclasses, for its colours."""
    return frozenset(modules(HELP))


def loaded(*words: str) -> set[str]:
    """Return the modules that a command has loaded and a help of any program would not."""
    return modules(LIST, *words) - needed_by_argparse()


def found(names: tuple[str, ...], there: set[str]) -> list[str]:
    return sorted(there.intersection(names))


@pytest.mark.parametrize("words", ["--help", *(f"{name} --help" for name in SUBCOMMANDS), "show MENU"])
def test_words_need_no_machine(words: str) -> None:
    """Help and menu come without reading anything but the screens' files."""
    assert found(HEAVY + DATA, loaded(*words.split())) == []


@pytest.mark.parametrize(
    "words", ["show DEVICE", "show DEVICE 7000", "show CHANNEL --format json", "show MENU"]
)
def test_a_lookup_in_a_capture_needs_neither_glass_nor_live_machine(
    words: str, lay_out: Callable[[str], str]
) -> None:
    """Only what reads captures and fills tables."""
    assert found(HEAVY, loaded(*words.split(), "--from", lay_out("hercules"))) == []


@pytest.mark.parametrize("words", ["show DEVICE", "show DEVICE 7000", "show DEVICE resp>0 --sort io"])
def test_a_lookup_loads_neither_commands_nor_times_nor_curves(
    words: str, lay_out: Callable[[str], str]
) -> None:
    """What a list of things does not need is loaded where it is used."""
    assert found(ELSEWHERE, loaded(*words.split(), "--from", lay_out("hercules"))) == []


FILES = tuple(f"zmon.topology.{name}" for name in ("data_files", "location", "mapping", "mounts", "stack"))
CLAIMS = tuple(f"zmon.topology.{name}" for name in ("claims", "identity", "machine", "site"))


@pytest.mark.parametrize(
    ("recording", "unneeded"), [("lab-shark-before", FILES), ("hercules-four-queries", FILES + CLAIMS)]
)
def test_a_table_of_devices_loads_nothing_of_files(recording: str, unneeded: tuple[str, ...]) -> None:
    """Nor of claims, unless the recording has some."""
    words = ("show", "DEVICE", "-f", "json", "--from", f"{ROOT}/recordings/{recording}.zmon")
    assert found(unneeded, loaded(*words)) == []


def test_only_the_wanted_format_is_loaded() -> None:
    """`--help` of a command does not load what prints."""
    assert (
        found(("zmon.cli.show_intervals", "zmon.session", "zmon.screen.sheet"), loaded("show", "MENU")) == []
    )


def test_line_mode_loads_neither_glass_nor_what_makes_files() -> None:
    """The samples of a live machine are kept in memory, whose tables need no more than SQLite."""
    unneeded = ("textual", "rich", "sqlite_utils", "click", "asyncio", "zmon.lab")
    assert found(unneeded, loaded("--line")) == []


UNASKED = (
    "zmon.kernel.capture_tree", "zmon.kernel.btrfs", "zmon.topology.chunks", "zmon.listing.listing",
    "zmon.kernel.channel_path", "zmon.kernel.sampler", "zmon.registry",
    "zmon.cp", "zmon.session", "zmon.screen.sheet", "csv", "json", "textwrap", "argparse", "typing",
)  # fmt: skip
"""What captures, btrfs, CP, listings, other formats and mistakes need, and a file of this machine does not;
`zmon.base.light_typing` and `zmon.base.record` have what its modules need of `typing`."""


def test_where_a_file_lies_needs_nothing_of_what_was_not_asked() -> None:
    """A lookup takes as long as its modules take to load."""
    assert found(HEAVY + UNASKED, loaded("where", __file__)) == []
