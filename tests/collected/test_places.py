"""Where something is said is the file and the line that the user has."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main
from zmon.collected.collection import sample_of_pass
from zmon.collected.text_reader import open_capture
from zmon.kernel.capture_tree import moment
from zmon.kinds import MOUNT, ORIGIN
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    from pathlib import Path

PARTITIONS = "major minor  #blocks  name\n\n  94        4    7212240 dasdb\n  94        5    7212144 dasdb1\n"
MOUNTS = "/dev/dasdb1 /data ext4 rw 0 0\n"
SHOWN = f"host:~ # cat /proc/partitions\n{PARTITIONS}host:~ # cat /proc/mounts\n{MOUNTS}"
ANSWER = "DASD 0200 3390 HWZJZI R/W      10016 CYL ON DASD  767F SUBCHANNEL = 0001\n"


def _info(source: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["info", str(source), "-f", "json"]) == 0
    described: dict[str, Any] = json.loads(capsys.readouterr().out)
    return described


def test_a_file_that_is_shown_in_a_text_is_named_by_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where nothing but such files is there; the time is that of the text."""
    (tmp_path / "x.txt").write_text(SHOWN)
    os.utime(tmp_path / "x.txt", (1_700_000_000, 1_700_000_000))
    described = _info(tmp_path, capsys)
    assert [(row["file"], row["line"], row["command"]) for row in described["texts"]] == [
        ("x.txt", 2, "cat /proc/partitions"), ("x.txt", 7, "cat /proc/mounts"),
    ]  # fmt: skip
    assert described["at"].startswith("2023-11-14T22:13:20")
    sample = sample_of_pass(open_capture(str(tmp_path)).passes[0], "b")
    assert [sample.frame(MOUNT).cell(key, "point") for key in sample.frame(MOUNT).keys] == ["/data"]
    assert all("x.txt:" in str(sample.frame(ORIGIN).cell(key, "texts")) for key in sample.frame(ORIGIN).keys)


def test_copies_of_files_alone_are_a_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They keep their paths; the time is that of the last."""
    (tmp_path / "proc").mkdir()
    for seconds, (name, content) in enumerate({"partitions": PARTITIONS, "mounts": MOUNTS}.items()):
        (tmp_path / "proc" / name).write_text(content)
        os.utime(tmp_path / "proc" / name, (1_700_000_000 + seconds, 1_700_000_000 + seconds))
    described = _info(tmp_path, capsys)
    assert {(row["file"], row["line"]) for row in described["texts"]} == {
        ("proc/partitions", 1), ("proc/mounts", 1),
    }  # fmt: skip
    assert moment(open_capture(str(tmp_path)).passes[0]) == 1_700_000_001 * 10**9


def test_a_line_of_a_shown_file_that_is_not_understood_has_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the text, not in the file of the kernel."""
    (tmp_path / "x.txt").write_text(SHOWN.replace(MOUNTS, f"{MOUNTS}gr#sel %$ 17\n"))
    assert [(row["file"], row["which"]) for row in _info(tmp_path, capsys)["texts"] if row["which"]] == [
        ("x.txt", "8")
    ]
    main(["where", "dasdb", "--from", str(tmp_path)])
    assert "x.txt: 1 line" in capsys.readouterr().err


def test_mounts_of_another_process_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are not read, and said so."""
    (tmp_path / "x.txt").write_text(
        f"{SHOWN}host:~ # cat /proc/4711/mountinfo\n1 0 94:5 / / rw - ext4 /dev/dasdb1 rw\n"
    )
    rows = _info(tmp_path, capsys)["texts"]
    assert [row["command"] for row in rows if row["read_as"] == "not read"] == ["cat /proc/4711/mountinfo"]


@pytest.mark.parametrize("name", ["zvm.log", "cp.txt", "a/b.txt"])
def test_answers_of_cp_have_the_place_of_their_text(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever it is called, and however many lines are before them; they count as those of the time."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    (tmp_path / "d.txt").write_text("0.0.0200  dasdb  IBM.750000000AAA11.1600.05\n")
    path.write_text(f"Hello,\n\n{ANSWER}")
    rows = [row for row in _info(tmp_path, capsys)["texts"] if row["read_as"] == "answers of CP"]
    assert [(row["file"], row["line"]) for row in rows] == [(name, 3)]
    sample = sample_of_pass(open_capture(str(tmp_path)).passes[0], "b")
    assert {(claim.place, claim.grade.name) for claim in claims_in(sample.frames["claim"])} == {
        (f"{name}:3", "EXACT")
    }


def test_a_directory_of_other_texts_is_described_as_a_lookup_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names what is there, and does not ask for recordings alone."""
    (tmp_path / "notes.txt").write_text("Dear all\n")
    said = []
    for command in (["info", str(tmp_path)], ["where", "dasda", "--from", str(tmp_path)]):
        assert main(command) != 0
        said.append(capsys.readouterr().err)
    assert said[0] == said[1]
    assert "notes.txt" in said[0]
