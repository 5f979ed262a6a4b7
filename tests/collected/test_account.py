"""What of texts is not understood is counted and named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import LSBLK, LSDASD, LSDASD_LONG, LSDASD_UID
from zmon.cli.main import main
from zmon.collected.account import text_frame
from zmon.collected.collection import facts_of
from zmon.collected.transcript import form_of, outputs
from zmon.kernel.capture_text import CollectedText
from zmon.kinds import TEXT
from zmon.sample import THIS_MACHINE, Instant, Sample
from zmon.topology.read_texts import MAX_NAMED, strange_texts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask
    from zmon.sample import Frame


def remarks(texts: list[CollectedText]) -> list[str]:
    """Return what is said of lines that were not understood."""
    frame = text_frame(facts_of(texts)[1], 1)
    return [*strange_texts(Sample(Instant(1, 1, "b"), {TEXT.name: frame}, THIS_MACHINE))]


GOOD = "0.0.7001  active  dasdb  94:4  ECKD  4096  7043MB  1803060\n"
BAD = "0.0.7002  garb%%%\n"


def text(content: str, command: str = "", origin: str = "a.txt") -> CollectedText:
    """Return an output that begins in line 1."""
    if not command:
        (cut,) = outputs(origin, content.encode(), 7)
        return cut
    form = form_of(command)
    return CollectedText(origin, 1, command, "", content, 7, form=form.name if form else "")


def test_a_line_that_is_not_understood_is_named_and_the_others_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, once; the exit status is that of what was understood."""
    (tmp_path / "lsdasd.txt").write_text(f"Bus-ID  Status\n====\n{GOOD}{BAD}")
    assert main(["where", "7001", "--from", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("zmon: lsdasd.txt: 1 line ")
    assert said.err.endswith("(line 4)\n")
    assert "dasdb" in said.out


def test_texts_beside_a_capture_of_zmon_are_not_complained_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kernel files of the pass say what a line of a text there would have said."""
    (tmp_path / "REPORT.txt").write_text(f"{GOOD}{BAD}")
    notes = tmp_path / "1-load" / "CAPTURE.txt"
    notes.parent.mkdir()
    (notes.parent / "proc").mkdir()
    (notes.parent / "proc" / "stat").write_text("cpu  1 2 3 4\n")
    assert main(["show", "CPU", "--from", str(tmp_path)]) == 0
    assert "REPORT.txt: 1 line " in capsys.readouterr().err
    notes.write_text("not copied (path, mode, reason):\n")
    assert main(["show", "CPU", "--from", str(tmp_path)]) == 0
    assert "REPORT.txt: 1 line " not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "command"),
    [
        (LSDASD, "lsdasd -a"), (LSDASD_UID, "lsdasd -u"), (LSDASD_LONG, "lsdasd -l"), (LSBLK, "lsblk"),
        (LSDASD, ""), (LSBLK, ""), (f"{GOOD}{GOOD}", ""), ("0.0.7001 secondary dasdb\n", "lsdasd"),
        ("proc on /proc type proc (rw)\n/dev/dasda1 on /a b type ext4 (rw)\n", "mount"),
        ('{"blockdevices": [{"name": "dasdb", "maj:min": "94:4"}]}', ""),
        ('TARGET="/" SOURCE="/dev/dasda1"\n', "findmnt -P"),
    ],
)  # fmt: skip
def test_what_tools_print_is_no_strange_line(content: str, command: str) -> None:
    """Headings, rulers, lines that say nothing, and lines that say the same twice are none."""
    assert not remarks([text(content, command)])


@pytest.mark.parametrize(
    ("content", "command"),
    [
        ("/dev/dasda1 on /data typ xfs\n", "mount"), ('NAME="dasdb" SIZE="1G"\n', ""),
        ('{"blockdevices": [{"name": "dasdb"\n', ""), ('{"filesystems": [\n', "findmnt -J"),
        (BAD, "lscss"), ('TARGET="/" FSTYPE="xfs"\n', "findmnt -P"),
        ("`- 0:0:0:1 sda 8:0 active rea\n", "multipath -ll"),
        ("mpatha (3600) dm-3 what is this\n", "multipath -ll"),
    ],
)  # fmt: skip
def test_each_form_can_be_strange(content: str, command: str) -> None:
    """Pairs of lsblk without MAJ:MIN, and JSON or a state that was cut are used by nobody."""
    (words,) = remarks([text(content, command)])
    assert words.startswith("a.txt: 1 line ")
    assert words.endswith("(line 1)")


def test_many_lines_and_texts_are_counted() -> None:
    """The first are named."""
    many = [text(BAD * 7, "lsdasd", f"{number}.txt") for number in range(MAX_NAMED + 2)]
    said = remarks(many)
    assert said[0].endswith("(lines 1, 2, 3, 4, 5, ...)")
    assert said[-1].startswith("2 more texts ")
    assert len(said) == MAX_NAMED + 1


def test_rows_of_a_table_in_a_page_are_rows_of_its_tool(where: Ask) -> None:
    """Cells are words; each row that was copied into a wiki is read."""
    rows = (("0.0.3000", "active", "dasda", "94:0", "ECKD", "4096", "7042MB", "1802880"),
            ("0.0.3001", "active", "dasdb", "94:4", "ECKD", "4096", "21129MB", "5409180"))  # fmt: skip
    table = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    answer = where(
        "dasdb", f"<!DOCTYPE html><html><body><table><tbody>\n{table}\n</tbody></table></body></html>\n"
    )
    assert [disk["busid"] for disk in answer["disks"]] == ["0.0.3001"]


def test_lines_of_a_row_that_was_joined_and_not_understood_count_each() -> None:
    """Rows of another tool that are as long as one another are no folded ones."""
    rows = "0.0.0a00   active      dasda     94:0    ECKD  4096   7042MB    1802880"
    content = (
        "NAME             MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\ndasda             94:0    0  6.9G  0 disk\n"
        f"and the volumes:\n{rows}\n{rows}\n{rows}\n"
    )
    (_facts, (read,)) = facts_of([text(content, "lsblk")])
    assert [number - read.text.line for number in read.strange] == [2, 3, 4, 5]


def accounts(path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int, int, int, str]]:
    """Return place, lines read and not understood, and the lines of these, of each output of a collection."""
    assert main(["info", str(path), "-f", "json"]) == 0
    return sorted(
        (row["file"], row["line"], row["read"], row["not_understood"], row["which"])
        for row in json.loads(capsys.readouterr().out)["texts"]
    )


PROSE = st.lists(st.text("abcdefghXYZ0123456789=", min_size=1, max_size=9), min_size=2).map(" ".join)


@given(st.lists(PROSE, max_size=9), st.lists(PROSE, max_size=9), st.sampled_from([LSDASD, LSBLK, LSDASD_UID]))
def test_what_is_no_output_is_counted(above: list[str], below: list[str], output: str) -> None:
    """No line of a file is dropped: `info` says how many are in no output, and the first of them."""

    def lines(content: str) -> int:
        texts = [*outputs("a.txt", content.encode(), 7)]
        return sum(frame_lines(text_frame(facts_of(texts)[1], 1)))

    whole = "\n".join([*above, "", output, "", *below])
    assert lines(whole) == lines(output) + len(above) + len(below)


def frame_lines(frame: Frame) -> list[int]:
    """Return how many lines each row of a frame of texts has."""
    return [count for count in frame.column("lines") if isinstance(count, int)]


def test_lines_of_a_text_in_one_line_have_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ansible -o` writes an output in one line: each in it is counted."""
    rows = f"Bus-ID  Status\\n====\\n{GOOD.strip()}\\n{BAD.strip()}\\n{BAD.strip()}"
    blocks = "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\\ndasdb 94:4 0 7G 0 disk"
    answer = "DASD 7001 3390 AAA111 R/W 10016 CYL ON DASD 7A22 SUBCHANNEL = 0005"
    begin = "zora | CHANGED | rc=0 | (stdout) "
    (tmp_path / "o.txt").write_text(
        f"{begin}{rows}\\n{blocks}\n{begin}{blocks}\n{begin}{answer}\\nwhat is this\n{begin}{answer}\n"
    )
    assert accounts(tmp_path, capsys) == [
        ("o.txt", 1, 0, 0, ""), ("o.txt", 1, 1, 2, "1"), ("o.txt", 1, 2, 0, ""), ("o.txt", 2, 2, 0, ""),
        ("o.txt", 3, 1, 1, "3"), ("o.txt", 4, 1, 0, ""),
    ]  # fmt: skip
    main(["where", "dasdb", "--from", str(tmp_path)])
    assert "(lines 1, 3)" in capsys.readouterr().err


def test_of_a_file_that_is_shown_twice_the_last_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the second one has counts, and so do its lines that are not understood; the first is named."""
    heading = "$ cat /proc/partitions\nmajor minor  #blocks  name\n\n"
    (tmp_path / "a.txt").write_text(
        f"{heading}  94        0    7212240 dasda\n{heading}  94        4    7212240 dasdb\n{BAD}"
    )
    assert accounts(tmp_path, capsys) == [("a.txt", 6, 1, 1, "9")]
    assert main(["info", str(tmp_path)]) == 0
    assert "a.txt:2" in capsys.readouterr().out
    assert main(["where", "dasdb", "--from", str(tmp_path)]) == 0


def test_a_file_of_the_kernel_that_a_text_shows_too_is_read_in_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kernel's own file goes first; the text is counted."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "partitions").write_text("major minor  #blocks  name\n\n 94 0 7212240 dasda\n")
    (tmp_path / "a.txt").write_text(
        f"$ cat /proc/partitions\nmajor minor  #blocks  name\n\n 94 0 7212240 dasda\n{BAD}"
    )
    assert accounts(tmp_path, capsys) == [("a.txt", 2, 1, 1, "5"), ("proc/partitions", 1, 1, 0, "")]


def test_answers_of_cp_in_texts_of_like_names_are_all_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Texts whose paths differ in a slash alone do not replace each other."""
    names = ("a.b.txt", "a/b.txt")
    (tmp_path / "a").mkdir()
    for number, name in enumerate(names):
        answer = (
            f"DASD 020{number} 3390 AAA11{number} R/W 10016 CYL ON DASD 7A2{number} SUBCHANNEL = 000{number}"
        )
        (tmp_path / name).write_text(f"$ vmcp q v dasd\n{answer}\n")
    assert accounts(tmp_path, capsys) == [(name, 2, 1, 0, "") for name in names]


def test_a_line_of_an_alarm_that_names_something_known_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has a number beside a map, a mount point or a real device; words alone say nothing."""
    (tmp_path / "alarm.txt").write_text(
        "CRITICAL - dasdb: 2/4 paths active\nSpace utilization on /u02: 93.11 %\nand /u02 is full, they say\n"
        "This is of 5A10 3390-A LXD001 in the report\nPCHID 01B1  Status Stopped\nPriority: 3\n\n"
        "box1:~ # mount\n/dev/dasdb1 on /u02 type xfs (rw)\n"
    )
    main(["where", "/u02", "--from", str(tmp_path)])
    assert "alarm.txt: 4 lines were not understood (lines 1, 2, 4, 5)" in capsys.readouterr().err


def test_lines_of_other_hosts_between_those_of_an_output_are_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As pdsh mixes them."""
    rows = [f"lx1: {row}\nlx2: {row}" for row in LSDASD.splitlines()]
    (tmp_path / "pdsh.txt").write_text("\n".join(rows) + "\n")
    assert main(["info", str(tmp_path), "-f", "json", "--host", "lx1"]) == 0
    texts = json.loads(capsys.readouterr().out)["texts"]
    assert [row["lines"] for row in texts] == [len(LSDASD.splitlines())]
