"""What users see of the shipped data stays as it is: text, CSV and JSON of every command, to the byte.

A change of the inside must not change a line of `tests/golden/frozen/`.  A change that is meant is written by
`ZMON_GOLDEN=write pytest tests/test_frozen.py`; read the difference before it is committed.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.goldens import compare
from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).parents[1]
SUMS_UP: Final = frozenset({"OVERVIEW"})
"""Screens made of others and of the verdict, which change with these: golden screens hold them."""
SCREENS: Final = tuple(
    sorted(name for path in (ROOT / "screens").glob("*.toml") if (name := path.stem.upper()) not in SUMS_UP)
)

SOURCES: Final = {
    "recording": "recordings/hercules-four-queries.zmon",
    "capture": "recordings/casestudy/machine-uid.tar.gz",
    "guest": "recordings/hercules-one-hot-lcu.tar.gz",
    "lab": "recordings/lab-shark-before.zmon",
    "format-1": "tests/fixtures/recordings/format-1.zmon",
}
"""The emulated guest, the case study by uid, a captured guest, a simulated machine, a file of format 1."""

WINDOWS: Final = {"recording": ("--since=-30s",), "lab": ("--since=-2m",)}
"""What is shown of the long ones."""

BY_TIME: Final = frozenset(
    {
        "BENCHMRK",
        "CHANLOG",
        "CTLULOG",
        "DEVLOG",
        "LPARLOG",
        "PAGELOG",
        "PAVLOG",
        "PROCLOG",
        "REDISP",
        "SYSSUMLG",
    }
)
"""Screens with a row per interval."""

ROWS: Final = ("-n", "20")
"""How many of these are held of the long ones."""

OPERANDS: Final = {
    "DETAILS": {"recording": "7000", "capture": "1AF8", "guest": "7000", "lab": "8000", "format-1": "7000"},
    "PLOT": dict.fromkeys(SOURCES, "CTLUNIT.io"),
    "CORREL": dict.fromkeys(SOURCES, "CTLUNIT.io"),
}
"""What a screen is about that takes an operand."""

MORE: Final = {
    "recording": (
        ("show", "DEVICE", "7000"),
        ("show", "DEVICE", "--sort", "resp"),
        ("show", "CTLUNIT", "--since=-1m"),
        ("show", "CTLUNIT", "--compare", "15:10"),
        ("show", "DEVLOG", "--since=-30s"),
        ("plot", "CTLUNIT.resp"),
        ("plot", "CPU.busy", "-f", "csv"),
        ("plot", "CPU.busy", "-f", "json"),
        ("info", "{}"),
        ("info", "{}", "-f", "json"),
        ("where", "7000"),
        ("where", "7000", "-f", "json"),
        ("where", "/"),
        ("export", "{}", "--kind", "cpu"),
    ),
    "capture": (
        ("where", "1AF8"),
        ("where", "1AF8", "-f", "json"),
        ("where", "1AF8", "-f", "csv"),
        ("where", "TSFACT1"),
        ("where", "/db2/d01/tsfact1.data", "-e"),
        ("spread",),
        ("spread", "--moves", "3"),
        ("spread", "--traffic"),
        ("spread", "-f", "json"),
        ("spread", "-f", "csv"),
        ("spread", "--moves", "3", "-f", "json"),
    ),
    "guest": (
        ("show", "DEVICE"),
        ("show", "CTLUNIT", "-f", "json"),
        ("show", "CHANNEL", "-f", "csv"),
        ("where", "7000"),
        ("where", "dasda", "-f", "json"),
    ),
    "lab": (
        ("spread", "--moves", "5"),
        ("spread", "--moves", "5", "-f", "json"),
        ("spread", "--by", "side"),
        ("where", "LCU", "6"),
        ("show", "CTLUNIT", "--since=-5m"),
        ("show", "REDISP", "--since=-2m"),
        ("plot", "CHANNEL.busy"),
        ("info", "{}"),
    ),
    "format-1": (("info", "{}"), ("info", "--check", "{}"), ("export", "{}", "--kind", "block")),
}
"""Commands besides the screens; `{}` is the source, which is otherwise given by `--from`."""

LATER: Final = {
    "lab": ("csv", "json"),
    "recording": ("csv", "json"),
    "capture": ("csv",),
    "format-1": ("csv",),
}
"""The forms in which screens are printed with the tests of whole days."""

NUMBER: Final = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
MAX_DIGITS: Final = 9
"""Digits that are compared of a number; the last ones depend on how a release of Python adds up."""

NOTHING: Final = 1e-12
"""What is smaller is the rounding of a zero."""


def rounded(number: re.Match[str]) -> str:
    """Write a number with no more digits than are compared."""
    if len(number[0]) <= MAX_DIGITS:
        return number[0]
    value = float(number[0])
    return "0.0" if abs(value) < NOTHING else f"{value:.{MAX_DIGITS}g}"


COMMANDS: Final = (
    ("--help",),
    ("show", "MENU"),
    ("lab", "list"),
    ("lab", "show", "shark"),
    ("size", "--io", "10000", "--read", "50", "--raid", "normal", "--cell", "12"),
    *(
        (name, "--help")
        for name in (
            "show",
            "where",
            "spread",
            "plot",
            "capture",
            "replay",
            "record",
            "serve-metrics",
            "fleet",
            "import",
            "info",
            "cut",
            "export",
            "cp",
            "lab",
            "demo",
        )
    ),
)
"""Commands that need no source."""

COUNTED: Final = "--from recordings/hercules-four-queries.zmon"
PLACED: Final = "--from recordings/casestudy/machine-uid.tar.gz"
SLIPS: Final = (
    "whre /db2", "whre --evidence /db2", "diagnos", "devcie", "xyzzy", "14", "NOPE", "--nope",
    "--from a.zmon where /", "--line --from lab:shark-before show CTLUNIT", "-i 1 where --evidence /",
    "recordings/lab-healthy-day.zmon", "recordings/hercules-lvm.tar.gz", "lab:healthy-day", "gone.zmon",
    "diagnose recordings/lab-healthy-day.zmon", "show recordings/lab-healthy-day.zmon",
    "diagnose --js", "diagnose --form=csv", "show DEVICE --form lab:shark-before",
    "where --list x y", "lab report --see 1", "--them green",
    "--line --read-only --record x.zmon", "help GUESTZ", "help enviroment", "help DEVCIE",
    "help xyzzy", "check B99", "check --from lab:shark-before --at 9:30 --until 9:40",
    "diagnose --from lab:shark-before --at 9:30 --until 9:40",
    "show FLEET --from http://[::1]:1", "fleet http://[::1]:1", "--from https://prometheus DEVICE",
    *(f"cp query {words}" for words in ("logoff", "details", "userid x", "'virtual' '191;LOGOFF'")),
    *(f"show DEVICE {words}" for words in (
        "-i 0", "-i nan", "-i 1e9", "-i -3", "-i x", "-n 0", "-n -1", "-n 1e3", "-t x", "-t 0", "--nope",
        "--formt json",
    )),
    *(f"record /nowhere {words}" for words in (
        "--keep 30", "--keep 0d", "--keep d", "--keep ٣d", "--size 2X", "--only disk", "-n 0", "-i 0",
        "--for x",
    )),
    *(f"serve-metrics --listen {address}" for address in (
        "0.0.0.0:10390", "[::]:10390", "192.0.2.1:10390", "example.com:80", "10390", "127.0.0.1:99999",
        ":1", "unix:",
    )),
    *(f"size --reads 1 {words}" for words in (
        "--io=-1", "--io=nan", "--io=1e99", "--read=101", "--hits=-1", "--penalty=0", "--disk-io=0",
        "--cell=0",
    )),
    "size --from no-such-recording",
    *(f"{words} {PLACED} --at 99:99" for words in ("where /db2", "spread", "size", "whatif 2 paths")),
    *(f"spread --from {source}" for source in ("nosuch", "pyproject.toml", "lab:nosuch")),
    "lab show pav", "lab report no-such.toml",
    *(f"show {words} {COUNTED}" for words in (
        "NOPE", "DEVCIE", "14", "C", "PLAY", "mark", "MENU -f csv", "DEVICE --sort nope",
        "DEVICE --sort links", "DEVICE --where 'nope>3'", "DEVICE --where 'resp>much'", "DEVICE --where resp",
        "CTLUNIT 'LCU 9999'", "SYSSUMLG 7000", "DETAILS", "DEVICE 9999", "CPU --since=-0s",
        "CPU --at never", "CPU --until 15:10 --at 15:10", "CPU --compare noon", "CPU --compare begin",
        "CPU --compare end --compare-since end", "CPU --with /nowhere", *(
            f"CPU --with recordings/hercules-four-queries.zmon {words}"
            for words in ("--compare begin", "--compare noon", "--compare-since end")
        ),
    )),
    *(f"plot {words} {COUNTED}" for words in (
        "NOPE", "DEVICE.nope", "DEVICE.io --since nope", "DEVICE.io --since 15:12 --until 15:11",
        "DEVICE.io --since 16:00 --until 16:10", "DEVICE.io --since 14:00 --until 14:10",
        "DEVICE.io --for 30", "DEVICE.io sdz",
    )),
    *(f"export recordings/hercules-four-queries.zmon {words}" for words in (
        "", "--kind tape", "--kind cmf --fields reads", "--kind cmf --from soon", "--kind cmf --key ffff",
        "--rollups minutes", "--rollups minutes --kind tape", "--rollups minutes --kind device --fields x",
        "--format openmetrics --kind cmf", "--step 1m", "--devices",
    )),
    *(f"where {words} {PLACED}" for words in ("4F", "LCU 9999")),
    *(f"whatif {words} {PLACED}" for words in (
        "alises 7", "", "aliases 7 on volume 9999", "no-such-file.toml", "processors 8 --at nope",
        "paths 12 of LCU 7600", "move TSFACT9 to LCU 6", "move TSFACT1 to LCU 99",
    )),
    f"whatif moves {COUNTED}", "whatif moves --from recordings/lab-healthy-day.zmon --at 10:00",
    *(f"size {words}" for words in (
        "", "--io 5", "--io 5 --reads 1", "--reads 1 --read 5", "--io 5 --read 5 --at 12:00",
        "--from lab:pav-3 --io 5", "--from lab:pav-3 --at never",
    )),
    "spread", "import recordings/lab-healthy-day.zmon out.zmon",
    "rules --format prometheus --from lab:shark-before",
)  # fmt: skip
"""Wrong command lines, and questions without an answer: what zmon says to each."""
TOPICS: Final = (
    "DEVICE.resp", "SORT", "alias-use", "D12", "d4", "resp", "MB/s", "path-busy", "lcu-queue",
    "volume-response", "GUESTS", "CHPIDS", "EXCEPT", "theme",
)  # fmt: skip
"""What `zmon help` explains in the words of a record: columns, rules, diagnoses, commands, settings."""


def printed(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    """Return a command, how it ended and what it printed, as it stands in a golden file."""
    capsys.readouterr()
    try:
        status = main(list(words))
    except SystemExit as ended:  # argparse ends so
        status = int(ended.code or 0)
    out, err = capsys.readouterr()
    out = NUMBER.sub(rounded, out)
    lines = [f"$ zmon {' '.join(words)}  => {status}", *(f"  {line}" for line in out.splitlines())]
    return "\n".join([*lines, *(f"! {line}" for line in err.splitlines()), ""])


def printed_by(commands: Iterable[tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines of several commands, with an empty one between them."""
    return "\n".join(printed(words, capsys) for words in commands).splitlines()


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing of this machine or of the person who runs the test reach what is printed."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("sys.argv", ["zmon"])
    for name, value in (
        ("COLUMNS", "132"),
        ("XDG_CONFIG_HOME", "/none"),
        ("LC_ALL", "C.UTF-8"),
        ("TZ", "UTC"),
    ):
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("source", "form"),
    [
        pytest.param(source, form, marks=[pytest.mark.whole_days] if form in LATER.get(source, ()) else [])
        for source in SOURCES
        if source != "guest"  # the slowest to read
        for form in ("text", "csv", "json")
    ],
)
def test_every_screen_of_the_shipped_data_prints_as_before(
    source: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each screen in each format."""
    commands = []
    for screen in SCREENS:
        operand = OPERANDS.get(screen, {}).get(source)
        window = () if source not in WINDOWS else ROWS if screen in BY_TIME else WINDOWS[source]
        words = ("show", screen, *([operand] if operand else ()), *window)
        commands.append((*words, "-f", form, "--from", SOURCES[source]))
    compare(f"frozen/{source}-{form}", printed_by(commands, capsys))


@pytest.mark.parametrize("source", SOURCES)
def test_every_other_command_prints_as_before(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Lookups, spreads, moves, plots and exports of the same data."""
    commands = []
    for words in MORE[source]:
        filled = tuple(word.format(SOURCES[source]) for word in words)
        commands.append(filled if filled != words else (*words, "--from", SOURCES[source]))
    compare(f"frozen/{source}-more", printed_by(commands, capsys))


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="argparse writes help in another form")
def test_commands_that_need_no_source_print_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    """Help texts, the menu and the scenarios."""
    compare("frozen/commands", printed_by(COMMANDS, capsys))


def test_slips_are_answered_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error alone, with what is wrong and what can be meant or done, and with a status."""
    answers = [printed(tuple(shlex.split(line)), capsys) for line in SLIPS]
    assert [answer for answer in answers if "\n  " in answer or answer.count("\n! ") != 1] == []
    compare("said/slips", "".join(answers).splitlines())


def test_topics_are_explained_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    """By the names that screens show of them."""
    compare("said/topics", printed_by([("help", topic) for topic in TOPICS], capsys))
