"""Texts beside the kernel files of a capture, and how they are cut."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.collected.text_reader import TEXTS, open_capture
from zmon.collected.transcript import decoded, outputs
from zmon.kernel.capture_open import NOT_A_CAPTURE
from zmon.kernel.capture_tree import CaptureError

if TYPE_CHECKING:
    from pathlib import Path

SUPPORTCONFIG = b"""\
=============================================================================
                     Support Utilities - Supportconfig
=============================================================================

#==[ Configuration File ]===========================#
# /proc/partitions
major minor  #blocks  name
  94        4   23587200 dasdb

#==[ Configuration File ]===========================#
# /etc/raidtab - File not found

#==[ Command ]======================================#
# /usr/bin/lsblk -i -o 'NAME,KNAME,MAJ:MIN'
NAME KNAME MAJ:MIN
dasdb dasdb 94:4

#==[ Command ]======================================#
# /usr/bin/iostat -x 1 4
Device  r/s

#==[ Command ]======================================#
# /sbin/vmcp query virtual all
DASD 0201 3390 DB7101 R/W      32759 CYL ON DASD  7101 SUBCHANNEL = 0001

"""
DBGINFO = b"""\
#######################################################
lnxdb01> lschp
CHPID  Vary  Cfg.  Type  Cmg  Shared   PCHID
============================================
0.30   1     1     1b    2    1        0390

#######################################################
lnxdb01> ps axX
  PID TTY
#######################################################
lnxdb01> lsdasd -u
Command "lsdasd" not available
"""


def cut(data: bytes, origin: str = "a.txt") -> list[tuple[str, str, int]]:
    """Return command or file and the first line of each section."""
    return [
        (one.command or one.file, one.text.partition("\n")[0], one.line) for one in outputs(origin, data, 1)
    ]


def test_supportconfig_is_cut_at_its_headings() -> None:
    """Commands lose their directory; missing files and unknown commands are left out."""
    assert cut(SUPPORTCONFIG) == [
        ("proc/partitions", "major minor  #blocks  name", 7),
        ("lsblk -i -o 'NAME,KNAME,MAJ:MIN'", "NAME KNAME MAJ:MIN", 15),
        ("iostat -x 1 4", "", 20),
        (
            "vmcp query virtual all",
            "DASD 0201 3390 DB7101 R/W      32759 CYL ON DASD  7101 SUBCHANNEL = 0001",
            24,
        ),
    ]


def test_dbginfo_is_cut_at_its_lines_of_number_signs() -> None:
    """The host's name stands before the command."""
    assert cut(DBGINFO) == [
        ("lschp", "CHPID  Vary  Cfg.  Type  Cmg  Shared   PCHID", 3),
        ("ps axX", "  PID TTY", 9),
        ("lsdasd -u", 'Command "lsdasd" not available', 12),
    ]


@pytest.mark.parametrize(
    "prompt",
    ["lnxdb01:~ # ", "[root@lnxdb01 ~]# ", "$ ", "# ", "db2inst1@lnxdb01:/db2> ", "lnxdb01:~ # sudo /sbin/"],
)
def test_what_a_person_copied_is_cut_at_prompts(prompt: str) -> None:
    """Whatever shell and distribution."""
    assert [name for name, *_ in cut(f"{prompt}lsdasd -u\nBus-ID\n{prompt}lschp\nCHPID\n".encode())] == [
        "lsdasd -u", "lschp",
    ]  # fmt: skip


def test_a_file_of_sos_is_the_output_of_the_command_in_its_name() -> None:
    """Blanks are underscores there."""
    assert cut(b"NAME=1\n", "sosreport-a/sos_commands/block/lsblk_-O_-P") == [("lsblk -O -P", "NAME=1", 1)]
    assert TEXTS.is_text("s/sos_commands/s390/lsdasd", b"anything", None)
    assert not TEXTS.is_text("s/sos_commands/process/lsof_-n", b"lsdasd\n", None)


def test_logs_and_binary_files_are_no_texts() -> None:
    """Nor is what lies in directories that no output of commands is in."""
    assert not TEXTS.is_text("a/var/log/messages", b"# lsdasd\n", None)
    assert not TEXTS.is_text("a/b", b"# lsdasd\n\0", None)
    assert not TEXTS.is_text("a/b", b"hello\n", None)


def test_copied_files_and_answers_of_cp_become_files_of_the_pass(tmp_path: Path) -> None:
    """So the readers of the kernel and of CP read them as ever."""
    (tmp_path / "scc").mkdir()
    (tmp_path / "scc" / "fs-diskio.txt").write_bytes(SUPPORTCONFIG)
    (tree,) = open_capture(str(tmp_path)).passes
    assert tree.read("proc/partitions") == b"major minor  #blocks  name\n  94        4   23587200 dasdb\n"
    assert tree.entries("cp") == ["fs-diskio.txt"]
    (number,) = [at for at, line in enumerate(tree.read("cp/fs-diskio.txt").split(b"\n"), 1) if line]
    assert SUPPORTCONFIG.split(b"\n")[number - 1].startswith(b"DASD 0201")
    assert [text.command for text in tree.texts if text.form] == ["lsblk -i -o 'NAME,KNAME,MAJ:MIN'"]


def archive(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    """Return an archive."""
    box = io.BytesIO()
    with tarfile.open(fileobj=box, mode=mode) as tar:  # type: ignore[call-overload]
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), 1_700_000_000
            tar.addfile(member, io.BytesIO(data))
    return box.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_an_archive_of_texts_is_a_machine_however_it_is_packed(tmp_path: Path, mode: str) -> None:
    """It is told by what is in it, not by its name."""
    file = tmp_path / "anything"
    file.write_bytes(archive({"scc_a/fs-diskio.txt": SUPPORTCONFIG, "scc_a/messages.txt": b"no\n"}, mode))
    (tree,) = open_capture(str(file)).passes
    assert {text.origin for text in tree.texts} == {"fs-diskio.txt"}


def test_the_copy_of_sysfs_in_what_dbginfo_leaves_is_opened(tmp_path: Path) -> None:
    """It is an archive within the archive, and in a directory that was unpacked."""
    inner = archive({"sys/devices/css0/0.0.0001/0.0.7101/online": b"1\n"})
    outer = {
        "DBGINFO-1/proc/version": b"Linux version 6.4\n",
        "DBGINFO-1/runtime.out": DBGINFO,
        "DBGINFO-1/sysfs.tgz": inner,
    }
    file = tmp_path / "DBGINFO-1.tgz"
    file.write_bytes(archive(outer))
    (tree,) = open_capture(str(file)).passes
    assert tree.read("sys/devices/css0/0.0.0001/0.0.7101/online") == b"1\n"
    assert [text.command for text in tree.texts if text.form] == ["lschp", "ps axX", "lsdasd -u"]
    for name, content in outer.items():
        path = tmp_path / "unpacked" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tree,) = open_capture(str(tmp_path / "unpacked")).passes
    assert tree.read("sys/devices/css0/0.0.0001/0.0.7101/online") == b"1\n"


def test_a_damaged_copy_of_sysfs_is_a_remark(tmp_path: Path) -> None:
    """The rest is read; an archive in it cannot hold a further one for ever."""
    nested = archive({"sysfs.tgz": archive({"sys/x": b"1\n"}), "sys/kernel/a": b"2\n"})
    for inner in (b"\x1f\x8bnothing", nested):
        file = tmp_path / "a.tgz"
        file.write_bytes(archive({"D/proc/version": b"Linux version 6.4\n", "D/sysfs.tgz": inner}))
        found = open_capture(str(file))
        assert len(found.passes) == 1
        assert bool(found.notes) is (inner is not nested)


def test_what_holds_neither_says_what_is_wanted(tmp_path: Path) -> None:
    """The sentence names both."""
    (tmp_path / "a.txt").write_text("hello\n")
    with pytest.raises(CaptureError, match=NOT_A_CAPTURE):
        open_capture(str(tmp_path))


@given(st.binary(max_size=300))
def test_any_bytes_are_cut_without_an_error(data: bytes) -> None:
    """The lines of sections lie within the text."""
    for head in (b"", SUPPORTCONFIG[:200], DBGINFO[:60], b"# lsdasd\n"):
        for one in outputs("a", head + data, 1):
            assert 1 <= one.line <= (head + data).count(b"\n") + 2


LSDASD = b"Bus-ID     Status      Name      Device  Type  BlkSz  Size      Blocks\n"
COMMAND = b"#==[ Command ]===================#\n# /usr/bin/lsblk -i\n"


@pytest.mark.parametrize(
    ("path", "head", "is_one"),
    [
        ("lsdasd.txt", LSDASD, True),
        ("mail/lsdasd", b"host:~ # lsdasd\n" + LSDASD, True),
        ("a/b/lsdasd.txt", LSDASD, False),
        ("a/b/c/basic.txt", COMMAND, True),
        ("proc.dasd_devices", LSDASD, True),
        ("lsdasd.txt.null", LSDASD, True),
        ("box1.example.net", LSDASD, True),
        ("lsdasd.txt.bak", LSDASD, False),
        ("test_texts.py", LSDASD, False),
        ("test_texts.py", COMMAND, False),
        ("manual.txt", b"It prints:\n" * 99 + LSDASD, True),
        ("a/b/c/sos_commands/s390/lsdasd", b"anything", True),
    ],
)
def test_a_text_among_others_has_the_place_and_the_form_of_an_output(
    path: str, head: bytes, is_one: bool
) -> None:
    """A checkout or /etc is no collection: source and manuals quote outputs, deep down or further on."""
    assert TEXTS.is_text(path, head, 1) is is_one


def test_a_script_of_words_for_parted_is_no_prose(tmp_path: Path) -> None:
    """Its command line has more words than a sentence about it would."""
    (tmp_path / "a.txt").write_text("# /usr/sbin/parted --script --machine /dev/dasda unit s print\nBYT;\n")
    (tree,) = open_capture(str(tmp_path)).passes
    assert [text.command for text in tree.texts] == ["parted --script --machine /dev/dasda unit s print"]


def test_a_single_text_is_known_by_what_it_says(tmp_path: Path) -> None:
    """The output of a command in a file, whatever that is called; other texts are refused."""
    text = tmp_path / "what-he-sent"
    text.write_text(
        "Bus-ID     Status      Name      Device  Type  BlkSz  Size      Blocks\n0.0.0200 active\n"
    )
    (only,) = open_capture(str(text)).passes
    assert [one.origin for one in only.texts] == ["what-he-sent"]
    text.write_text("Dear all, the machine is slow.\n")
    with pytest.raises(CaptureError, match="lsdasd"):
        open_capture(str(text))


def test_a_mount_point_named_like_a_tool_is_no_command() -> None:
    """A percent sign before it is no prompt; commands are in directories of programs."""
    rows = "/dev/dasda1 btrfs 1.1G 9.7M 807M 1% /srv/btrfs\n/dev/dasda2 btrfs 1.1G 9.7M 807M 1% /srv/home\n"
    shown = f"box1:~ # findmnt -D\nSOURCE FSTYPE SIZE USED AVAIL USE% TARGET\n{rows}"
    (cut,) = outputs("a.txt", shown.encode(), 1)
    assert cut.text.endswith("/srv/home\n")


@pytest.mark.parametrize(
    "command", ["LC_ALL=C lsblk", "env LANG=C LC_ALL=C lsblk", "sudo LC_ALL=C /usr/bin/lsblk"]
)
def test_variables_may_be_set_for_a_command(command: str) -> None:
    """They are no part of it."""
    (cut,) = outputs("a.txt", f"box1:~ # {command}\nNAME  MAJ:MIN\ndasda  94:0\n".encode(), 1)
    assert cut.command == "lsblk"


def test_a_console_of_several_processors_is_read_as_its_lines() -> None:
    """Each line has the number of the processor before it, and goes on in the next where it is full."""
    message = "[   39.453273] dasd-eckd 0.0.0120: New DASD 3390/0E (CU 3990/01) with 100170"
    assert len(f"00: {message}") == 80
    content = f"00: {message}\n00:  cylinders, 15 heads, 224 sectors         \n"
    (cut,) = outputs("a", content.encode(), 1)
    assert cut.text.rstrip() == f"{message} cylinders, 15 heads, 224 sectors"
    assert cut.form.startswith("dmesg")
    other = "12: x\nlsdasd\n"
    assert decoded(other.encode()) == other
