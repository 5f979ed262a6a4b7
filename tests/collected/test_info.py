"""`zmon info` says of a collection what each text was taken for, and what became of its lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
box1:~ # lsdasd -u
Bus-ID    Name      UID
0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01
0.0.1a02  garb%%%
box1:~ # uptime
 10:00:00 up 1 day
"""
CP = "DASD 1A01 3390 AAA111 R/W      10016 CYL ON DASD  7A22 SUBCHANNEL = 0005\nwhat is this\n"


@pytest.fixture
def collection(tmp_path: Path) -> str:
    """Return a directory with a text of a person and an answer of CP."""
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "cp.log").write_text(CP)
    return str(tmp_path)


def test_each_text_is_accounted_for(collection: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines, those read, those not understood with the words of the first; commands that are not read."""
    assert main(["info", collection, "-f", "json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    told = [
        (row["file"], row["line"], row["read"], row["not_understood"], row["words"])
        for row in document["texts"]
    ]
    assert told == [
        ("a.txt", 2, 1, 1, "0.0.1a02  garb%%%"), ("a.txt", 0, 0, 0, ""),
        ("cp.log", 1, 1, 1, "what is this"),
    ]  # fmt: skip
    assert [row["host"] for row in document["texts"]][:1] == ["box1"]
    assert document["not_looked_at"]


def test_strict_fails_if_a_line_is_not_understood(
    collection: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here and where an answer depends on it."""
    assert main(["info", collection, "--strict"]) == 1
    assert main(["where", "dasdp", "--from", collection, "--strict"]) == 1
    assert "a.txt" in capsys.readouterr().err
    (tmp_path / "a.txt").write_text(TEXT.replace("0.0.1a02  garb%%%\n", ""))
    (tmp_path / "cp.log").unlink()
    assert main(["info", collection, "--strict"]) == 0
    assert main(["where", "dasdp", "--from", collection, "--strict"]) == 0


def test_an_answer_names_what_it_does_not_rest_on(
    collection: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that was not understood may name a use."""
    main(["where", "dasdp", "--from", collection, "-f", "json"])
    (answer,) = json.loads(capsys.readouterr().out)
    assert any(what.startswith("a.txt: 1 line ") for what in answer["not_looked_at"])


def test_a_file_without_an_output_is_named(
    collection: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may have been meant to be one."""
    (tmp_path / "links.txt").write_text("total 0\nlrwxrwxrwx 1 root root 8 Mar 17 09:12 data -> ../dm-1\n")
    assert main(["info", collection, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["files_not_read"] == ["links.txt"]


ANSWER = "DASD 0200 3390 HWZJZI R/W      10016 CYL ON DASD  767F SUBCHAN"
OLD_MAP = 'mpathk (36005076300ffffff0000000000001c01)\n[size=20 GB][features="0"][hwhandler="0"]\n'


def test_a_damaged_line_of_cp_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside an answer, and as what `--strict` refuses, as a line of a tool is."""
    (tmp_path / "a.txt").write_text(
        f"lnx:~ # vmcp q v dasd\n{ANSWER}\nlnx:~ # lsdasd -u\n0.0.0100  dasda  \n"
    )
    main(["where", "0100", "--from", str(tmp_path)])
    assert "a.txt: 1 line " in capsys.readouterr().err
    assert main(["where", "0100", "--from", str(tmp_path), "--strict"]) == 1
    main(["info", str(tmp_path), "-f", "json"])
    (row,) = (row for row in json.loads(capsys.readouterr().out)["texts"] if row["not_understood"])
    assert (row["line"], row["which"], row["words"]) == (2, "2", ANSWER)


def test_texts_of_which_nothing_is_understood_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the lines that were not."""
    (tmp_path / "a.txt").write_text(f"lnx:~ # multipath -ll\n{OLD_MAP}")
    assert main(["where", "mpathk", "--from", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "a.txt: 2 lines " in said
    assert "nothing in them" not in said


def test_not_each_line_was_read_where_an_output_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is said of all lines is said of the others alone."""
    said = []
    for more in ("", "box1:~ # uptime\n 10:00:00 up 1 day\n"):
        (tmp_path / "a.txt").write_text(TEXT.partition("0.0.1a02")[0] + more)
        assert main(["info", str(tmp_path)]) == 0
        said.append("  Each line was read" in capsys.readouterr().out)
    assert said == [True, False]


@pytest.mark.parametrize(
    "line",
    [
        "Terminated",
        "lsdasd: invalid option -- 'z'",
        "lsdasd: Device b not found",
        "lsdasd: command not found",
    ],
)
def test_what_a_shell_or_a_tool_says_of_a_failure_is_no_line_of_an_output(line: str, tmp_path: Path) -> None:
    """It says nothing of the machine."""
    (tmp_path / "a.txt").write_text(
        f"box1:~ # lsdasd\n0.0.0202  active  dasdc  94:8  ECKD  4096  2347MB  601020\n{line}\n"
    )
    assert main(["info", str(tmp_path), "--strict"]) == 0


def test_files_of_a_tool_that_are_not_read_are_said_to_be_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where they stand in one row; a file of the kernel alone has the time of its text."""
    for operand in ("df", "subvolume_list"):
        (tmp_path / f"btrfs_{operand}").write_text(f"# btrfs {operand} /\nx\n")
    (tmp_path / "a").write_text("# cat /proc/drbd\nversion: 8\n")
    assert main(["info", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "not read: btrfs, 2 outputs" in told
    assert "1970" not in told
