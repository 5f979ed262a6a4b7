"""Disks that a query of `v$asm_disk`, or `asmcmd lsdsk -p`, lists: in use, offline, missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import TWO_UIDS, text
from zmon.collected.collection import facts_of
from zmon.collected.transcript import begins_output, outputs

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

COLUMNS = """\
SQL> select group_number, name, path, header_status, mount_status, mode_status from v$asm_disk;

GROUP_NUMBER NAME            PATH                 HEADER_STATU MOUNT_S MODE_ST
------------ --------------- -------------------- ------------ ------- -------
           1 DATA_0000       /dev/dasdp1          MEMBER       CACHED  ONLINE
           1 DATA_0001       /dev/dasdq1          MEMBER       CACHED  OFFLINE
           1 DATA_0002                            UNKNOWN      MISSING OFFLINE

3 rows selected.
"""
LINES = """\
oracle@box1:~> sqlplus / as sysasm

SQL*Plus: Release 19.0.0.0.0 - Production

Connected to:
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production

SQL> select group_number, mount_status, header_status, mode_status,
  2  name, path from v$asm_disk;

GROUP_NUMBER MOUNT_S HEADER_STATU MODE_ST
------------ ------- ------------ -------
NAME
------------------------------
PATH
------------------------------------------------------------
           1 CACHED  MEMBER       ONLINE
DATA_0000
/dev/dasdp1

           1 CACHED  MEMBER       OFFLINE
DATA_0001
/dev/dasdq1

           1 MISSING UNKNOWN      OFFLINE
DATA_0002


SQL> exit
"""
LSDSK = """\
box1:~ # asmcmd lsdsk -p
Group_Num  Disk_Num      Incarn  Mount_Stat  Header_Stat  Mode_Stat  State   Path
        1         0  3915911100  CACHED      MEMBER       ONLINE     NORMAL  /dev/dasdp1
        1         1  3915911101  CACHED      MEMBER       OFFLINE    NORMAL  /dev/dasdq1
        1         2  3915911102  MISSING     UNKNOWN      OFFLINE    NORMAL
"""


@pytest.mark.parametrize("text", [COLUMNS, LINES, LSDSK])
def test_a_group_has_disks_and_misses_some(text: str, where: Ask) -> None:
    """One that is offline has a note; one without a path is missing from all disks of its group."""
    name = "" if text is LSDSK else " DATA_0001"
    for disk, states in (("dasdp", []), ("dasdq", [f"disk{name} of ASM on dasdq1: OFFLINE"])):
        answer = where(disk, f"{TWO_UIDS}{text}")
        assert answer["devices"] == [f"{disk}1", "group 1 of ASM"]
        assert answer.get("states", []) == states
        assert answer["missing"] == [f"missing: disk{name and ' DATA_0002'} of ASM, group 1"]
        assert not [why for why in answer["not_looked_at"] if "not understood" in why]


@pytest.mark.parametrize(
    ("row", "use"),
    [("           0                 /dev/dasdp1          CANDIDATE    CLOSED  ONLINE", "candidate"),
     ("           0                 /dev/dasdp1          UNKNOWN      CLOSED  ONLINE", "perhaps in one")],
)  # fmt: skip
def test_a_disk_of_no_group_is_one_that_asm_finds(row: str, use: str, where: Ask) -> None:
    """By its header."""
    text = "\n".join(row if "DATA_0000" in line else line for line in COLUMNS.splitlines())
    (_part, found) = where("dasdp", f"{TWO_UIDS}{text}")["devices"]
    assert found.startswith(f"disk that ASM finds ({use}")


def test_a_disk_that_left_its_group_is_none_of_it(where: Ask) -> None:
    """Also while it is offline."""
    text = LSDSK.replace("CACHED      MEMBER       OFFLINE", "CLOSED      FORMER       OFFLINE")
    assert where("dasdq", f"{TWO_UIDS}{text}")["devices"] == [
        "dasdq1", "disk that ASM finds (former) on dasdq1"
    ]  # fmt: skip


def test_a_path_goes_on_in_the_next_line(where: Ask) -> None:
    """Where its column is too narrow; one that just fills it may be cut, and is none of the shorter name."""
    table = (
        "SQL> select name, path from v$asm_disk where group_number = 1;\n\n"
        "GROUP_NUMBER PATH\n------------ -----------\n           1 /dev/mapper\n             /data01\n"
        "           1 /dev/dasdp1\n"
    )
    text = f"{TWO_UIDS}{table}box1:~ # dmsetup ls\ndata01\t(253:0)\n"
    assert where("data01", text)["devices"] == ["disk of ASM on data01"]
    answer = where("dasdp", text)
    assert not [title for title in answer["devices"] if "ASM" in title]
    assert "dasdp1 is named in a.txt:10, which was not understood" in answer["not_looked_at"]


def test_a_disk_of_the_library_of_asm_is_known_by_its_label(where: Ask) -> None:
    """The view has no path of it."""
    listed = "box1:~ # ls -l /dev/oracleasm/disks\nbrw-rw---- 1 oracle dba 94, 61 Nov  3 07:00 DATA1\n"
    text = COLUMNS.replace("/dev/dasdp1", "ORCL:DATA1 ").replace("/dev/dasdq1", "/dev/dasdr1")
    answer = where("dasdp", f"{TWO_UIDS}{listed}{text}")
    assert "group 1 of ASM" in answer["devices"]


def test_what_follows_a_query_is_none_of_its_rows(where: Ask) -> None:
    """A table without paths has none of a device, and another output begins with its own lines."""
    asked = "SQL> select name, total_mb from v$asm_diskgroup;\n\n"
    table = f"{asked}NAME       TOTAL_MB\n-------- ----------\nDATA           7000\n"
    mounted = "\n/dev/dasdp1 on /srv type ext4 (rw)\n"
    assert [mount["point"] for mount in where("dasdp", f"{TWO_UIDS}{table}{mounted}")["mounts"]] == ["/srv"]
    answer = where("dasdp", f"{TWO_UIDS}{table}used by /dev/dasdp1\n")
    assert "dasdp1 is named in a.txt:9, which was not understood" in answer["not_looked_at"]


@pytest.mark.parametrize("folder", ["/dev/oracleasm/disks", "/dev/vendor/asm"])
def test_a_disk_has_any_path(folder: str, where: Ask) -> None:
    """Of how many directories ever; where no text links it to a disk it stands for itself."""
    listed = f"box1:~ # asmcmd lsdsk\nPath\n{folder}/DATA1\n"
    path = folder.removeprefix("/dev/")
    assert where(f"{folder}/DATA1", listed)["devices"] == [f"disk of ASM on {path}/DATA1"]
    assert where("dasdp", f"{TWO_UIDS}{listed}").get("devices", []) == []


def test_data_files_are_no_disks_of_asm(where: Ask) -> None:
    """What another query lists is not understood, beside one of ASM or alone."""
    files = (
        "SQL> select FILE_NAME, TABLESPACE_NAME from dba_data_files;\n\n"
        "FILE_NAME                        TABLESPACE_NAME\n-------------------------------- ---------------\n"
        "/u02/oradata/dasdp1/users01.dbf  USERS\n"
    )
    answer = where("dasdp", f"{TWO_UIDS}{COLUMNS}\n{files}")
    assert any("line was not understood" in why for why in answer["not_looked_at"])
    assert not any(text.form for text in outputs("a.txt", files.encode(), 1))
    assert not begins_output(files)
    _facts, (read,) = facts_of([text(files, "sqlplus / as sysdba")])
    assert len(read.strange) == 1
