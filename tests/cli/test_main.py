from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import zmon
from zmon.cli import show
from zmon.cli.main import main
from zmon.cli.output import FAILED, INTERRUPTED, OK, complain
from zmon.cli.subcommands import SUBCOMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.interpreter


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """It ends with status 0 and goes to standard output."""
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (OK, f"zmon {zmon.__version__}\n")


@pytest.mark.parametrize("words", [["--help"], *([name, "--help"] for name in SUBCOMMANDS)])
def test_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every command explains itself; zmon's own help names them all."""
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == OK
    said = capsys.readouterr().out
    assert "usage: zmon" in said
    assert len(words) > 1 or all(f"zmon {name}" in said for name in SUBCOMMANDS)


@pytest.mark.parametrize(
    "words",
    [["--\x1b]0;own\a"], ["show", "DEVICE", "--\x1b]0;own\a"], ["\x1b[2J"], ["show", "-n", "\x1b[2J"],
     ["cp", "\x1b[2J"], ["show", "DEVICE", "\x1b[2J", "--from", "recordings/hercules-four-queries.zmon"],
     ["cp", "list", "\x1b[2J"], ["lab", "report", "--\x1b[2J"]],
)  # fmt: skip
def test_what_is_repeated_holds_nothing_a_terminal_obeys(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong options and words come from anywhere, too."""
    with contextlib.suppress(SystemExit):
        main(words)
    out, err = capsys.readouterr()
    assert all(line.isprintable() for line in (out + err).splitlines())
    assert err


def test_complaints_hold_nothing_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    """Names of files come from anywhere."""
    assert complain("a\x1b[2Jb") == FAILED
    assert capsys.readouterr().err == "zmon: a?[2Jb\n"


def test_ctrl_c_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With the status that shells know."""

    def interrupted(_args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(show, "run", interrupted)
    assert main(["show", "MENU"]) == INTERRUPTED
    assert capsys.readouterr() == ("", "")


def broken(_args: object) -> int:
    raise LookupError("no\nsuch row")


def test_what_nobody_expected_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the exception and how to see where it came from."""
    monkeypatch.delenv("ZMON_TRACE", raising=False)
    monkeypatch.setattr(show, "run", broken)
    assert main(["show", "MENU"]) == FAILED
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("zmon: LookupError: no?such row: ")
    assert "ZMON_TRACE=1" in err


def test_what_nobody_expected_can_be_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ZMON_TRACE=1 the exception ends zmon."""
    monkeypatch.setenv("ZMON_TRACE", "1")
    monkeypatch.setattr(show, "run", broken)
    with pytest.raises(LookupError):
        main(["show", "MENU"])


@pytest.mark.parametrize(("closing", "name"), [("<&-", "input"), ("</dev/null >&-", "output")])
def test_a_dialogue_needs_both_ends(closing: str, name: str, lay_out: Callable[[str], str]) -> None:
    """One that was closed is named."""
    found = run(f"--line --from CAPTURE {closing}", lay_out("qemu"))
    assert (found.returncode, found.stderr) == (FAILED, f"zmon: standard {name} is closed\n")


def test_only_what_is_missing_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """A screen; what it is about can be left out."""
    with pytest.raises(SystemExit):
        main(["show"])
    assert capsys.readouterr().err.endswith("are required: screen; zmon show --help\n")


def run(words: str, capture: str) -> subprocess.CompletedProcess[str]:
    """Run zmon in a shell, so that its standard output can be anything."""
    command = f"{sys.executable} -m zmon {words}".replace("CAPTURE", capture)
    return subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)  # noqa: S603 - our own words


def test_a_reader_may_leave_early(lay_out: Callable[[str], str]) -> None:
    """`| head -1` gets its line, and nobody complains."""
    found = run("show DEVICE --from CAPTURE --count 9 --format json | head -c 1", lay_out("hercules"))
    assert (found.stdout, found.stderr) == ("{", "")


@pytest.mark.parametrize("surface", ["show MENU --from CAPTURE", "--line --from CAPTURE MENU </dev/null"])
def test_output_that_cannot_be_written_is_said(surface: str, lay_out: Callable[[str], str]) -> None:
    """A full disk is no traceback."""
    found = run(f"{surface} >/dev/full", lay_out("qemu"))
    assert (found.returncode, found.stderr) == (FAILED, "zmon: the output: No space left on device\n")


def test_closed_output_is_said(lay_out: Callable[[str], str]) -> None:
    """As it may be below a daemon."""
    found = run("show MENU --from CAPTURE >&-", lay_out("qemu"))
    assert (found.returncode, found.stderr) == (FAILED, "zmon: standard output is closed\n")


@pytest.mark.usefixtures("own_capture")
def test_a_terminal_of_ascii_shows_what_it_can(lay_out: Callable[[str], str]) -> None:
    """A label in another script does not end a listing."""
    capture = lay_out("hercules")
    for folder in ("3-load", "4-load"):
        with open(os.path.join(capture, folder, "run/udev/data/b94:12"), "w", encoding="utf-8") as stream:
            stream.write("E:ID_SERIAL=LÜ7000\n")
    found = run("show DEVICE 7000 --from CAPTURE --format csv", capture)
    assert (found.returncode, found.stderr) == (0, "")
