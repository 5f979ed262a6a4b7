"""Files of the kernel that people print many at once: each is read as what it is, none is a whole list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import facts_in, row
from zmon.collected.collection import facts_of
from zmon.collected.transcript import outputs
from zmon.kinds import ALL_DASD, CHANNEL, DEVICE, LAYER

if TYPE_CHECKING:
    from tests.collected.conftest import Ask
    from zmon.collected.facts import Facts
    from zmon.collected.reading import ReadText

CCW: Final = "/sys/bus/ccw/devices/0.0.0190"
UID: Final = "IBM.75000000AAAA1.1a00.01"
DASD: Final = (
    "0.0.0190(ECKD) at ( 94:     0) is dasda       : active at blocksize: 4096, 1803060 blocks, 7043 MB"
)
VALUES: Final = {
    f"{CCW}/uid": UID, f"{CCW}/vendor": "IBM", f"{CCW}/online": "1", f"{CCW}/cutype": "3990/e9",
    "/sys/block/dasda/dev": "94:0", "/sys/block/dasda/size": "14424480",
    "/sys/block/dasda/dasda1/start": "192", "/sys/class/block/dm-3/dm/name": "vg-lv",
    "/sys/bus/scsi/devices/0:0:0:1/vendor": "IBM", "/proc/dasd/devices": DASD,
    "/proc/dasd/statistics": "Statistics are off",
}  # fmt: skip
WAYS: Final = {
    "grep": "$ grep -r . /sys /proc\n" + "".join(f"{path}:{value}\n" for path, value in VALUES.items()),
    "rows": "".join(f"{path}:{value}\n" for path, value in VALUES.items()),
    "loop": "# for f in /sys/x /proc/y; do echo $f: $(cat $f); done\n"
    + "".join(f"{path}: {value}\n" for path, value in VALUES.items()),
    "tail": "$ tail -n +1 /sys/* /proc/*\n"
    + "\n".join(f"==> {path} <==\n{value}\n" for path, value in VALUES.items()),
    "blocks": "\n".join(f"==> {path} <==\n{value}\n" for path, value in VALUES.items()),
    "more": "$ more /sys/* /proc/* | cat\n"
    + "".join(f"{':' * 14}\n{path}\n{':' * 14}\n{value}\n" for path, value in VALUES.items()),
}


def read(text: str) -> tuple[Facts, list[ReadText]]:
    """Return what a text says, and what became of its lines."""
    return facts_of([*outputs("a.txt", text.encode(), 7)])


def test_attributes_of_channel_paths_are_read() -> None:
    """One by one, too; a value that is none of the kernel is counted as not understood."""
    path = "/sys/devices/css0/chp0.30"
    facts, reads = read(
        f"# cat {path}/chid\n0390\n# cat {path}/chid_external\n1\n# cat {path}/status\nonline\n"
        f"# cat {path}/configure\n1\n# cat {path}/shared\nwhy?\n"
    )
    told = {"chid": "0390", "chid_external": 1, "status": "online", "configure": 1}
    assert row(facts, CHANNEL.name, "0.30") == told
    assert sum(len(account.strange) for account in reads) == 1


@pytest.mark.parametrize("way", WAYS)
def test_attributes_are_those_of_their_devices(way: str) -> None:
    """However they were printed; those of which zmon knows nothing are known to say nothing."""
    facts, reads = read(WAYS[way])
    assert not any(account.strange for account in reads)
    device = row(facts, DEVICE.name, "0.0.0190")
    assert {**device, "uid": UID, "vendor": "IBM", "online": 1, "cutype": "3990/e9"} == device
    assert row(facts, LAYER.name, "dasda")["size"] == 14424480
    assert row(facts, LAYER.name, "dasda1")["start"] == 192
    assert row(facts, LAYER.name, "dm-3")["mapped"] == "vg-lv"
    assert row(facts, LAYER.name, "94:0")["name"] == "dasda"


@pytest.mark.parametrize(
    ("command", "is_whole"),
    [
        ("grep -r . /proc/dasd", True), ('grep -rH "" /proc/dasd', True), ("tail -n +1 /proc/dasd/*", True),
        ("grep -r dasda /proc/dasd", False), ("grep -r . /proc/dasd | grep dasda", False), ("", False),
    ],
)  # fmt: skip
def test_a_file_of_proc_is_whole_if_the_command_leaves_out_nothing(command: str, is_whole: bool) -> None:
    """It lists all DASD then; without a command nobody knows."""
    rows = f"==> /proc/dasd/devices <==\n{DASD}\n" if "tail" in command else f"/proc/dasd/devices:{DASD}\n"
    more = "" if command else "/sys/bus/ccw/devices/0.0.0190/online:1\n"
    account = read(f"{f'$ {command}' * bool(command)}\n{more}{rows}")[1][0]
    assert (account.read, account.strange) == (1, ())
    assert (ALL_DASD in account.tells and not account.is_part) == is_whole


def test_ten_lines_of_a_file_may_be_its_first() -> None:
    """So many head prints."""
    rows = "".join(f" 94 {number} 7212240 dasd{chr(97 + number // 4)}\n" for number in range(0, 32, 4))
    block = f"==> /proc/partitions <==\nmajor minor  #blocks  name\n\n{rows}"
    _facts, (account,) = read(f"$ head /proc/partitions /proc/swaps\n{block}")
    assert account.is_part


def test_a_line_of_a_file_that_is_not_understood_is_named() -> None:
    """By its line in the text, and so is a value that the kernel does not write."""
    rows = f"/proc/dasd/devices:{DASD}\n/proc/dasd/devices:what\n{CCW}/online:maybe\n"
    text = f"$ grep -r . /proc/dasd /sys\n{rows}"
    _facts, accounts = read(text)
    assert [account.strange for account in accounts] == [(3,), (4,)]


def test_an_attribute_that_was_copied_alone_is_read(where: Ask) -> None:
    """And the disk is not free for that nothing was printed of what is on it."""
    answer = where(
        "dasda", f"$ cat {CCW}/uid\n{UID}\n$ cat /sys/block/dasda/size\n14424480\n$ lsdasd\n{DASD}\n"
    )
    assert [disk["lcu"] for disk in answer["disks"]] == ["LCU 1A00"]
    assert any("devices built on others" in what for what in answer["not_looked_at"])


LISTED = """\
# ls -d /sys/bus/ccw/drivers/dasd-eckd/*/block/*
/sys/bus/ccw/drivers/dasd-eckd/0.0.9000/block/dasda
/sys/bus/ccw/drivers/dasd-eckd/0.0.9101/block/dasdc
# ls -l /sys/block
total 0
lrwxrwxrwx 1 root root 0 Mar  2 10:00 dasdd -> ../devices/css0/0.0.0000/0.0.0200/block/dasdd
lrwxrwxrwx 1 root root 0 Mar  2 10:00 dm-0 -> ../devices/virtual/block/dm-0
lrwxrwxrwx 1 root root 0 Mar  2 10:00 sda -> ../devices/css0/0.0.0003/0.0.1940/host0/rport-0:0-0\
/target0:0:0/0:0:0:1076576256/block/sda
# grep . /sys/block/sdb/device/{hba_id,wwpn,fcp_lun,state}
/sys/block/sdb/device/hba_id:0.0.1e00
/sys/block/sdb/device/wwpn:0x500507630b1843d8
/sys/block/sdb/device/fcp_lun:0x4077400500000000
/sys/block/sdb/device/state:blocked
"""


def test_what_ls_prints_of_sys_tells_which_device_a_disk_is() -> None:
    """By a path, or by where the link of a block device leads; of a SCSI disk its adapter."""
    facts = facts_in(LISTED)
    assert {busid: cells["block"][0].value for busid, cells in facts.rows["device"].items()} == {
        "0.0.9000": "dasda", "0.0.9101": "dasdc", "0.0.0200": "dasdd",
    }  # fmt: skip
    assert facts.aliases == {"scsi-0-0-0-1076576256": "sda"}
    assert row(facts, "layer", "scsi-0-0-0-1076576256")["busid"] == "0.0.1940"


def test_the_files_of_a_scsi_disk_have_its_adapter_port_and_lun() -> None:
    """As lszfcp -D has them."""
    assert row(facts_in(LISTED), "layer", "sdb") == {
        "name": "sdb", "sort": "disk",
        "busid": "0.0.1e00", "wwpn": "0x500507630b1843d8", "lun": "0x4077400500000000",
    }  # fmt: skip


def test_a_file_that_says_nothing_is_not_counted_as_read() -> None:
    """As the manufacturer of an adapter."""
    file = "/sys/class/fc_host/host0/manufacturer"
    texts = [*outputs("a.txt", f"# grep . {file}\n{file}:IBM\n".encode(), 1)]
    (read,) = facts_of(texts)[1]
    assert (read.read, read.strange) == (0, ())


OF_FCP = """\
# grep . /sys/class/fc_host/host*/{port_state,speed}
/sys/class/fc_host/host0/port_state:Online
/sys/class/fc_host/host1/port_state:Linkdown
/sys/class/fc_host/host0/speed:16 Gbit
# ls -ld /sys/class/fc_host/host*
lrwxrwxrwx 1 root root 0 Mar  2 09:00 /sys/class/fc_host/host0 -> ../../devices/css0/0.0.0021/0.0.1d00/host0/fc_host/host0
lrwxrwxrwx 1 root root 0 Mar  2 09:00 /sys/class/fc_host/host1 -> ../../devices/css0/0.0.0022/0.0.1e00/host1/fc_host/host1
# grep . /sys/block/sd*/device/{hba_id,wwpn,fcp_lun,state}
/sys/block/sda/device/hba_id:0.0.1d00
/sys/block/sdb/device/hba_id:0.0.1e00
/sys/block/sda/device/wwpn:0x500507630b0843d8
/sys/block/sdb/device/wwpn:0x500507630b1843d8
/sys/block/sda/device/fcp_lun:0x4077400500000000
/sys/block/sdb/device/fcp_lun:0x4077400500000000
/sys/block/sda/device/state:running
/sys/block/sdb/device/state:blocked
# ls /sys/block/dm-0/slaves
sda  sdb
# cat /sys/block/dm-0/dm/name /sys/block/dm-0/dm/uuid
mpatha
mpath-3600507630bffc3d80000000000007705
# cat /proc/mounts | grep mapper
/dev/mapper/mpatha /u01 ext4 rw,relatime 0 0
"""  # noqa: E501


def test_files_of_sys_tell_what_adapters_and_luns_are(show: Ask, where: Ask) -> None:
    """The link of a host names its adapter, the directory of a map its paths; cat prints a line of each."""
    assert {key: (cells["state"], cells["luns"]) for key, cells in show("FCP", OF_FCP).items()} == {
        "0.0.1d00": ("Online", 1), "0.0.1e00": ("Linkdown", 1),
    }  # fmt: skip
    paths = {disk["disk"]: disk.get("not_used", "") for disk in where("mpatha", OF_FCP)["paths"]}
    assert paths == {"sda": "", "sdb": "adapter Linkdown"}
    assert {cells["path"]: cells["state"] for cells in show("MPATH", OF_FCP).values()} == {
        "sda": "running", "sdb": "blocked",
    }  # fmt: skip


@pytest.mark.parametrize("names", ["dasd[qp]", "dasd{p,q}", "dasd[p-q]"])
def test_files_that_a_shell_expands_have_a_line_each(names: str, where: Ask) -> None:
    """In the shell's order, if there are as many lines as files: else some file is missing."""
    uids = ["IBM.75000000AAAA1.1a00.01", "IBM.75000000AAAA1.1b00.02"]
    for rows, lcus in ((uids, ["LCU 1A00", "LCU 1B00"]), (uids[1:], [None, None])):
        content = f"box1:~ # cat /sys/block/{names}/device/uid\n" + "".join(f"{row}\n" for row in rows)
        listed = "box1:~ # lsdasd\n" + "".join(
            f"0.0.{number}  active  {name}  94:{minor}  ECKD  4096  7043MB  1803060\n"
            for number, name, minor in (("1a01", "dasdp", 60), ("1b02", "dasdq", 64))
        )
        told = [where(name, content + listed)["disks"][0]["lcu"] for name in ("dasdp", "dasdq")]
        assert [lcu if isinstance(lcu, str) else None for lcu in told] == lcus


def test_the_state_of_a_disk_names_it(where: Ask) -> None:
    """Also if nothing else does."""
    text = "# grep . /sys/block/sd*/device/state\n/sys/block/sdb/device/state:offline\n"
    assert where("sdb", text)["disks"][0]["not_used"] == "LUN offline"
