from __future__ import annotations

import argparse
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from zmon.cli import capture, subcommands
from zmon.cli.main import main
from zmon.cli.output import PARTLY
from zmon.kernel import btrfs, mountinfo
from zmon.kernel.capture_open import open_capture
from zmon.kernel.capture_write import CaptureSummary
from zmon.kernel.file_extents import read_containers
from zmon.kinds import MOUNT
from zmon.sample import frame_of

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.base.absent import Value


def _zmon(*words: str) -> int:
    parser = argparse.ArgumentParser(prog="zmon capture")
    subcommands.capture(parser)
    return capture.run(parser.parse_args(words))


@pytest.fixture
def root(tmp_path: Path) -> str:
    """Make the smallest machine."""
    (tmp_path / "root/proc").mkdir(parents=True)
    (tmp_path / "root/proc/stat").write_text("cpu 1 2 3\n")
    return str(tmp_path / "root")


def test_a_capture_is_written_and_summed_up(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, so that a pipe stays clean."""
    file = str(tmp_path / "x.tar.gz")
    assert _zmon("-n", "2", "-i", "0", "--root", root, file) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{file}: 2 passes, 2 files, 20 bytes in ")
    assert len(open_capture(file).passes) == 2


def test_progress_is_shown_on_a_terminal(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line for each pass."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _zmon("-n", "1", "--root", root, str(tmp_path / "x.tgz"))
    assert capsys.readouterr().err.startswith("pass 1 of 1: 1 files in ")


def test_an_existing_file_is_kept(root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says what to do."""
    (tmp_path / "x.tar.gz").touch()
    assert _zmon("-n", "1", "--root", root, str(tmp_path / "x.tar.gz")) == 1
    said = capsys.readouterr().err
    assert f"{tmp_path}/x.tar.gz" in said
    assert "--force" in said


def test_force_overwrites_it(root: str, tmp_path: Path) -> None:
    """As the message said."""
    (tmp_path / "x.tar.gz").touch()
    assert _zmon("-n", "1", "--root", root, "--force", str(tmp_path / "x.tar.gz")) == 0


def test_a_directory_that_is_not_there_is_named(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback."""
    assert _zmon("-n", "1", "--root", root, str(tmp_path / "no/x.tar.gz")) == 1
    assert "no/x.tar.gz cannot be written: No such file or directory" in capsys.readouterr().err


def test_a_root_without_kernel_files_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback either."""
    assert _zmon("-n", "1", "--root", str(tmp_path / "no"), str(tmp_path / "x.tar.gz")) == 1
    assert f"{tmp_path}/no " in capsys.readouterr().err


def test_cp_is_asked_when_it_is_wanted(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it answers is in every pass, and why it does not in the summary."""
    answers = {"cp/userid.txt": b"LINDB01  AT ZVMPRD1\n", "cp/load.txt": OSError(5, "no /dev/vmcp")}
    monkeypatch.setattr("zmon.cp.claim_sources.captured_answers", lambda _cp: answers)
    file = str(tmp_path / "x.tar.gz")
    assert _zmon("-n", "2", "-i", "0", "--cp", "--root", root, file) == 0
    assert [tree.read("cp/userid.txt") for tree in open_capture(file).passes] == [
        b"LINDB01  AT ZVMPRD1\n"
    ] * 2
    assert "no /dev/vmcp: /cp/load.txt" in capsys.readouterr().err


def test_an_interrupt_is_no_accident(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says that nothing was written."""

    def interrupted(*_args: object, **_options: object) -> CaptureSummary:
        raise KeyboardInterrupt

    monkeypatch.setattr(capture, "write_capture", interrupted)
    assert _zmon("--root", root, str(tmp_path / "x.tar.gz")) == 1
    assert capsys.readouterr().err.startswith("zmon capture: interrupted ")
    assert not (tmp_path / "x.tar.gz").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["x.tar.xz"],
        ["x.tar.gz", "-n", "0"],
        ["x.tar.gz", "-n", "1e3"],
        ["x.tar.gz", "-n", "123456789012"],
        ["x.tar.gz", "-i", "-1"],
        ["x.tar.gz", "-i", "nan"],
        ["x.tar.gz", "-i", "soon"],
        [],
    ],
)
def test_a_mistake_in_the_words_is_usage(words: list[str]) -> None:
    """Exit code 2, before anything is read."""
    with pytest.raises(SystemExit) as left:
        _zmon(*words)
    assert left.value.code == 2


def test_the_summary_groups_what_could_not_be_read() -> None:
    """By reason, the most frequent first, with an example of each."""
    summary = CaptureSummary(
        1, 1234, 56789, 0.51, {"/a": "Invalid argument", "/b": "No such device", "/c": "No such device"}
    )
    total, _, *reasons = capture.report("x.tar.gz", summary)
    assert total == "x.tar.gz: 1 pass, 1,234 files, 56,789 bytes in 0.5 s"
    assert reasons == [
        "      2  No such device: /b",
        "      1  Invalid argument: /a",
    ]


def test_the_command_loads_neither_the_glass_nor_a_data_base() -> None:
    """It has to start at once, also where they are not installed."""
    code = (
        "import sys, zmon.cli.capture; print({'textual', 'rich', 'sqlite_utils', 'sqlite3'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - own interpreter
    assert done.stdout == "set()\n"


def test_where_listed_files_lie_is_taken_along(tmp_path: Path) -> None:
    """A capture answers for the containers of a listing, those that are not there too."""
    (tmp_path / "f").write_bytes(b"1")
    listing = tmp_path / "list.csv"
    listing.write_text(f"tablespace,path\nTS1,{tmp_path}/f\nTS1,/nowhere\n")
    file = str(tmp_path / "x.tar.gz")
    assert _zmon("-n", "1", "--listing", str(listing), file) == 0
    assert read_containers(open_capture(file).passes[0], []).keys == [f"{tmp_path}/f", "/nowhere"]


def test_files_are_those_of_this_machine(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under another root nothing can be asked of a file."""
    assert _zmon("--root", root, "--listing", "x", str(tmp_path / "x.tgz")) == 1
    assert "leave out --root" in capsys.readouterr().err


def test_a_listing_that_is_not_understood_changes_the_status(tmp_path: Path) -> None:
    """The capture is made all the same; so it is with screens."""
    listing = tmp_path / "list.csv"
    listing.write_text(f"tablespace,path\nTS1,{tmp_path}/f\nTS2\n")
    file = str(tmp_path / "x.tgz")
    assert _zmon("-n", "1", "--listing", str(listing), file) == PARTLY
    assert main(["show", "DEVICE", "--from", file, "--listing", str(listing)]) == PARTLY


def test_a_listing_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and no capture is written."""
    assert _zmon("--listing", str(tmp_path / "none.csv"), str(tmp_path / "x.tgz")) == 1
    assert "none.csv" in capsys.readouterr().err
    assert not (tmp_path / "x.tgz").exists()


def test_a_plain_capture_holds_what_btrfs_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its devices and chunks are no files of the kernel, and no listing is needed for them."""
    row: dict[str, Value] = {
        "number": "0:41",
        "fstype": "btrfs",
        "devices": "1=94:5",
        "chunks": "0+10:single",
    }
    mounts = frame_of(MOUNT, {"1": row}, 1)
    monkeypatch.setattr(mountinfo, "read_mounts", lambda _tree: mounts)
    file = str(tmp_path / "x.tar.gz")
    assert _zmon("-n", "1", file) == 0
    assert b'"devices": "1=94:5"' in open_capture(file).passes[0].read(btrfs.CAPTURED)
