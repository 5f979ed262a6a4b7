"""What a list of commands prints whose first prints a file: `cat /proc/mounts; lsdasd -u`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import LSDASD_UID, facts_in
from zmon.collected.transcript import outputs

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

MOUNTS = "/dev/dasda1 / ext4 rw 0 0\n/dev/dasdb1 /db xfs rw 0 0\n"
SWAPS = """\
Filename                                Type            Size            Used            Priority
/dev/dasdc1                             partition       2097148         0               -2
"""
LSBLK = "NAME     FSTYPE MOUNTPOINT\ndasda           \n└─dasda1 ext4   /\n"
SYSTEM = 'NAME="SLES"\nVERSION="15-SP5"\n'


def cut(command: str, printed: str, prompt: str = "[root@box1 ~]# ") -> list[tuple[str, str, int]]:
    """Return command or file, host and first line of each output."""
    data = f"{prompt}{command}\n{printed}".encode()
    return [(one.command or one.file, one.host, one.line) for one in outputs("a.txt", data, 1)]


@pytest.mark.parametrize("sign", ["; ", " ; ", " && ", " || ", " 2>/dev/null; ", ";"])
def test_an_output_behind_a_file_begins_at_its_heading(sign: str) -> None:
    """It is of the command of the list that prints it."""
    listed = cut(f"cat /proc/mounts{sign}lsdasd -u", MOUNTS + LSDASD_UID)
    assert [line for _name, _host, line in listed] == [2, 4]
    assert listed[1][0] == "lsdasd -u"


def test_a_list_of_several_prints_in_its_order() -> None:
    """Each output has the options of its command."""
    assert cut("cat /proc/swaps; lsblk -o NAME,FSTYPE,MOUNTPOINT; lsdasd -u", SWAPS + LSBLK + LSDASD_UID) == [
        ("proc/swaps", "box1", 2),
        ("lsblk -o NAME,FSTYPE,MOUNTPOINT", "box1", 4),
        ("lsdasd -u", "box1", 7),
    ]  # fmt: skip


def test_behind_a_file_of_people_only_the_other_commands_print() -> None:
    """What looks like another output is of the file."""
    assert cut("cat /etc/os-release; lsdasd -u", SYSTEM + LSDASD_UID)[1:] == [("lsdasd -u", "box1", 4)]
    assert len(cut("cat /etc/os-release; lsdasd -u", SYSTEM + SWAPS + LSDASD_UID)) == 2
    assert len(cut("cat /etc/fstab; cat /proc/mounts", MOUNTS)) == 1


@pytest.mark.parametrize("command", ["cat lsdasd.old; lsdasd -u", "cat /proc/mounts; cat /root/lsdasd.old"])
def test_outputs_that_somebody_kept_are_of_another_time(command: str) -> None:
    """What of them is of now nobody can tell."""
    assert "lsdasd -u" not in {name for name, *_ in cut(command, MOUNTS + LSDASD_UID)}


def test_a_list_behind_ssh_is_of_the_host_that_calls() -> None:
    """Unless it stands in quotes."""
    printed = MOUNTS + LSDASD_UID
    assert [host for _, host, _ in cut("ssh box2 cat /proc/mounts; lsdasd -u", printed)] == ["box2", "box1"]
    assert [host for _, host, _ in cut("ssh box2 'cat /proc/mounts; lsdasd -u'", printed)] == ["box2"] * 2


def test_the_swap_of_a_list_is_in_use(where: Ask) -> None:
    """As it is where a command of its own prints it."""
    text = f"# cat /proc/swaps; lsblk -o NAME,FSTYPE,MOUNTPOINT\n{SWAPS}{LSBLK}"
    assert [*facts_in(text).rows["swap"]] == ["/dev/dasdc1"]
    (answer,) = where("/", text)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasda"]


def test_a_command_whose_heading_was_filtered_is_known_by_its_place(where: Ask) -> None:
    """Rows that the one before it does not print are those of the next that does."""
    text = (
        "$ ssh box1 'cat /proc/mdstat; df -PT | grep dasd; lsdasd -u'\nPersonalities :\n"
        "/dev/dasdp1       xfs       14412800   47104  14365696   1% /scratch\n"
        "Bus-ID     Name      UID\n0.0.1a01   dasdp     IBM.75000000AAAA1.1a00.01\n"
    )
    said = where("dasdp", text)
    assert [mount["point"] for mount in said["mounts"]] == ["/scratch"]
    assert said["disks"][0]["lcu"] == "LCU 1A00"
