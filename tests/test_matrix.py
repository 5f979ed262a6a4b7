"""Every command and screen answers from every kind of source, or says in a sentence why not."""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.ui.conftest import settled
from zmon.cli import subcommands
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.cli.source_options import open_source
from zmon.screen.definition import load_screens
from zmon.session.session import Session
from zmon.ui.app import Zmon

if TYPE_CHECKING:
    from collections.abc import Callable


ROOT: Final = Path(__file__).parents[1]
CAPTURE: Final = str(ROOT / "recordings/casestudy/machine-uid.tar.gz")
SAR: Final = str(ROOT / "tests/fixtures/sadf/restart.json")
SCENARIO: Final = """
title = "Two volumes added, for a minute"
text = "As stripe-extended, but short."
base = "stripe-extended"
phases = [{ name = "extended", seconds = 60, loads = ["new"] }]
"""
"""A simulated machine that is quick to simulate."""

SOURCES: Final = ("live", "capture", "directory", "recording", "days", "lab", "sar")
"""This machine; an archive, and the same unpacked; what was imported from it, and that as a directory of day
files; a simulated machine; what was imported from a report of sar."""

DIFFERENT: Final = tuple(source for source in SOURCES if source not in {"directory", "days"})
"""Those that are read by other code; an unpacked capture and a directory of day files answer as those do."""

SCREENS: Final = tuple(sorted(path.stem.upper() for path in (ROOT / "screens").glob("*.toml")))
OPERANDS: Final = {"DETAILS": ("1AF8", "8000"), "PLOT": ("CTLUNIT.io",), "CORREL": ("CTLUNIT.io",)}
"""What a screen is about that takes an operand, on the captured and on the simulated machine."""

NO_ANSWER: Final = re.compile(r"Traceback|damaged|closed database|object at 0x|Errno|is not known here")
"""What no reader must see of a sound source."""


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the name of each source."""
    room = tmp_path_factory.mktemp("sources")
    made = {name: str(room / f"{name}.zmon") for name in ("recording", "sar")}
    assert main(["import", CAPTURE, made["recording"]]) == OK
    assert main(["import", SAR, made["sar"]]) == OK
    days = room / "days"
    days.mkdir()
    (days / "2026-03-16.zmon").write_bytes(Path(made["recording"]).read_bytes())
    unpacked = room / "directory"
    unpacked.mkdir()
    subprocess.run(["tar", "-xf", CAPTURE, "-C", str(unpacked)], check=True)  # noqa: S603, S607 - tar of any place
    scenario = room / "quick.toml"
    scenario.write_text(SCENARIO)
    return {
        "live": "", "capture": CAPTURE, "directory": str(unpacked), "recording": made["recording"],
        "days": str(days), "lab": f"lab:{scenario}", "sar": made["sar"],
    }  # fmt: skip


class Ended:
    """How a command ended, and what it printed."""

    def __init__(self, status: int, out: str, err: str) -> None:
        """Keep what a person sees."""
        self.status = status
        self.out = out
        self.err = err


@pytest.fixture
def ask(
    sources: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ended]:
    """Run a command on a source: `ask("capture", "show", "DEVICE")`."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")

    def run(source: str, *words: str, typed: str = "") -> Ended:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        here = ["--from", sources[source]] if sources[source] else ["--interval", "0.1"]
        capsys.readouterr()
        try:
            status = main([*words, *here])
        except SystemExit as ended:  # argparse ends so
            status = int(ended.code or 0)
        printed = capsys.readouterr()
        return Ended(status, printed.out, printed.err)

    return run


def operands(screen: str, source: str) -> list[str]:
    """Return what the screen is about."""
    words = OPERANDS.get(screen, ())
    return [words[-1 if source == "lab" else 0]] if words else []


def has_figures(document: dict[str, Any]) -> bool:
    """Tell whether a printed screen holds a value besides the names and times of its rows."""
    cells = [
        value
        for row in [*document["rows"], document.get("summary") or {}]
        for name, value in row.items()
        if name not in {"key", "time", "seconds"}
    ]
    return any(value is not None for value in [*cells, *(document.get("facts") or {}).values()])


@pytest.mark.parametrize("source", DIFFERENT)
@pytest.mark.parametrize("screen", SCREENS)
def test_every_screen_prints_figures_or_says_why_there_are_none(
    screen: str, source: str, ask: Callable[..., Ended]
) -> None:
    """What has no figure has a sentence; what cannot be shown is ended on standard error in one line.

    The text of those with figures is seen in line mode.
    """
    words = ["show", screen, *operands(screen, source)]
    figures = ask(source, *words, "--format", "json")
    assert NO_ANSWER.search(figures.out + figures.err) is None
    document = json.loads(figures.out) if figures.status == OK else {}
    if screen == "MENU" or (document and has_figures(document)):
        return
    text = ask(source, *words)
    assert NO_ANSWER.search(text.out + text.err) is None
    assert text.status == figures.status
    if text.status != OK:
        assert text.status in {FAILED, USAGE}
        assert (text.out, figures.out) == ("", "")
        assert re.fullmatch(r"zmon: .+\n", text.err)
        return
    reason = document.get("missing") or " ".join(document.get("notes") or ())
    reasons = [entry["reason"] for entry in document.get("absent") or ()]  # of single figures, behind F1
    assert reason or (source == "live" and reasons), text.out
    if source != "live":  # which has another interval in each answer
        assert reason.split(";")[0].split(".")[0][:30] in text.out


LOOKUPS: Final = {
    ("where", "1AF8"): {"capture", "recording"},
    ("where", "dasda"): {"capture", "recording", "lab"},
    ("where", "/db2/d01/tsfact1.data"): {"capture", "recording"},
    ("where", "/"): {"live", "capture", "recording"},
    ("where", "TSFACT1"): {"capture", "recording"},
    ("spread",): {"capture", "recording", "lab"},
    ("spread", "--moves", "3"): {"capture", "recording", "lab"},
    ("spread", "--traffic"): {"capture", "recording", "lab"},
    ("plot", "CTLUNIT.io"): {"capture", "recording", "lab"},
    ("plot", "CPU.busy"): {"capture", "recording", "lab", "sar"},
}
"""Commands, and the sources of which each has an answer; of the others it says why it has none."""


@pytest.mark.parametrize("source", DIFFERENT)
@pytest.mark.parametrize("words", LOOKUPS, ids=" ".join)
def test_every_lookup_answers_or_says_why_not(
    words: tuple[str, ...], source: str, ask: Callable[..., Ended]
) -> None:
    """No answer is a sentence and another status."""
    ended = ask(source, *words)
    assert NO_ANSWER.search(ended.out + ended.err) is None
    if source in LOOKUPS[words]:
        assert ended.status == OK, ended.err
        assert ended.out.strip()
    else:
        assert ended.status != OK, ended.out
        assert (ended.out + ended.err).strip()


@pytest.mark.parametrize("words", LOOKUPS, ids=" ".join)
@pytest.mark.parametrize("source", ["directory", "recording", "days"])
def test_a_machine_answers_alike_however_it_was_kept(
    words: tuple[str, ...],
    source: str,
    ask: Callable[..., Ended],
    sources: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The capture, its directory, and recordings made of it give the same answer to the letter."""
    monkeypatch.setenv("COLUMNS", "1000")  # a command that names the source is on one line

    def plain(ended: Ended) -> str:
        lines = f"{ended.status}\n{ended.out}{ended.err}".splitlines()
        return "\n".join(
            line for line in lines if not any(name and name in line for name in sources.values())
        )

    assert plain(ask(source, *words)) == plain(ask("capture", *words))


FILES: Final = {
    ("info",): {"recording", "days", "sar", "capture", "directory"},
    ("info", "--check"): {"recording", "days", "sar", "capture", "directory"},
    ("export", "--kind", "block"): {"recording", "days", "sar"},
    ("export", "--kind", "cpu"): {"recording", "days", "sar"},
    ("cut", "OUT"): {"recording", "days", "sar"},
    ("import", "OUT"): {"capture", "directory", "lab"},
}
"""Commands that take a source as operand, and of which they make something."""


@pytest.mark.parametrize("source", [name for name in SOURCES if name != "live"])
@pytest.mark.parametrize("words", FILES, ids=" ".join)
def test_every_command_on_a_file_works_or_says_why_not(
    words: tuple[str, ...],
    source: str,
    sources: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is of another sort is called by its sort, with the command that takes it."""
    out = [str(tmp_path / "out.zmon") for word in words if word == "OUT"]
    status = main([words[0], *(word for word in words[1:] if word != "OUT"), sources[source], *out])
    printed = capsys.readouterr()
    assert NO_ANSWER.search(printed.out + printed.err) is None
    if source in FILES[words]:
        assert status == OK, printed.err
        assert out or printed.out
    else:
        assert status != OK
        assert re.fullmatch(r"zmon: .+\n", printed.err)
        assert "No such file" not in printed.err


@pytest.mark.parametrize("source", DIFFERENT)
def test_line_mode_shows_every_screen_of_every_source(source: str, ask: Callable[..., Ended]) -> None:
    """Each screen asked for is headed, and the session goes on to the end."""
    shown = [screen for screen in SCREENS if screen not in OPERANDS]
    ended = ask(source, "--line", typed="".join(f"{screen}\n" for screen in shown) + "QUIT\n")
    assert NO_ANSWER.search(ended.out + ended.err) is None
    assert ended.status == OK
    for screen in shown:
        assert f" {load_screens().find(screen).id} " in ended.out, screen


@pytest.mark.parametrize("source", DIFFERENT)
def test_the_glass_shows_every_screen_of_every_source(
    source: str, sources: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each screen asked for stands on the glass under its number, and nothing of it is an error of zmon's."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    parser = argparse.ArgumentParser()
    subcommands.live(parser)
    args = parser.parse_args(["--from", sources[source]] if sources[source] else [])
    screens = load_screens()
    session = Session(open_source(args, follow=False, keep=True), screens)
    session.end()

    async def walk() -> None:
        app = Zmon(session, 1.0)
        async with app.run_test(size=(132, 43)) as pilot:
            await settled(app, pilot, overview=False)
            for screen in SCREENS:
                app.glass.type(" ".join([screen, *operands(screen, source)]))
                await pilot.press("enter")
                await settled(app, pilot, overview=False)
                lines = [
                    "".join(segment.text for segment in strip)
                    for strip in app.screen._compositor.render_strips()
                ]
                assert NO_ANSWER.search("\n".join(lines)) is None
                words = operands(screen, source)
                said = " ".join(lines[-6:])
                assert screens.find(screen).id in lines[0] or any(word in said for word in words), lines

    try:
        asyncio.run(walk())
    finally:
        session.timeline.close()
