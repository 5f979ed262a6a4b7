"""What messages of the kernel say of disks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import facts_in, row
from zmon.base.absent import Absent
from zmon.cli.main import main
from zmon.collected.account import text_frame
from zmon.collected.collection import facts_of
from zmon.collected.facts import Facts, joined
from zmon.collected.forms import FORMS
from zmon.collected.kernel_log_texts import KernelLog
from zmon.collected.reading import walk
from zmon.collected.transcript import outputs
from zmon.kernel.capture_text import CollectedText
from zmon.kinds import DASD, DEVICE, LAYER
from zmon.sample import empty_frame
from zmon.topology.read_texts import TROUBLED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask
    from zmon.sample import Frame, Kind

MESSAGES: Final = """\
dasd-fba 0.0.0190: New FBA DASD 9336/10 (CU 6310/01) with 611 MB and 512 B/blk
 dasda:(nonl) dasda1
dasd-eckd 0.0.1a01: A channel path to the device has become operational
dasd-eckd 0.0.1a01: New DASD 3390/0A (CU 3990/E9) with 3339 cylinders, 15 heads, 224 sectors, read-only device
dasd-eckd 0.0.1a01: DASD with 4 KB/block, 2404080 KB total size, 48 KB/track, compatible disk layout
 dasdp:VOL1/  0X1A00:
 dasdp:VOL1/  0X1A01: dasdp1 dasdp2
sd 0:0:0:0: [sda] 131072 512-byte logical blocks: (67.1 MB/64.0 MiB)
EXT4-fs (dasdp1): mounted filesystem with ordered data mode.
"""
STAMPS: Final = {
    "none": "", "dmesg": "[   73.762249] ", "dmesg with threads": "[   73.762249][    T1] ",
    "dmesg -T": "[Sun Nov 29 18:58:07 2026] ", "raw": "<6>[   73.762249] ",
    "journalctl": "Nov 29 18:58:07 box1 kernel: ",
    "syslog": "2026-11-29T18:58:07.123456+01:00 box1 kernel: [ 1.2] ",
}  # fmt: skip
STAMPED: Final = {
    name: "".join(f"{stamp}{row}\n" for row in MESSAGES.splitlines()) for name, stamp in STAMPS.items()
}
LSDASD: Final = "box1:~ # lsdasd -u\n0.0.1a01  dasdp  IBM.75000000AAAA1.1a00.01\n"


def frame(content: str, kind: Kind, command: str = "") -> Frame:
    """Return the rows of a kind in texts."""
    facts = facts_in(content, command)
    facts.by_number(empty_frame(LAYER, "no text"))
    return joined(kind, empty_frame(kind, "no text"), facts, 1)[0]


@pytest.mark.parametrize("stamp", STAMPS)
def test_messages_have_types_cylinders_and_sizes(stamp: str) -> None:
    """Whatever stands before them."""
    content = STAMPED[stamp]
    devices, dasds = frame(content, DEVICE, "dmesg"), frame(content, DASD, "dmesg")
    told = [devices.cell("0.0.1a01", field) for field in ("devtype", "cutype", "readonly")]
    assert told == ["3390/0a", "3990/e9", 1]
    fields = ("discipline", "cylinders", "block_size", "blocks")
    assert [dasds.cell("0.0.1a01", field) for field in fields] == ["ECKD", 3339, 4096, 601020]
    assert [dasds.cell("0.0.0190", field) for field in ("discipline", "block_size")] == ["FBA", 512]
    layers = frame(content, LAYER, "dmesg")
    names = dict(zip(layers.column("name"), layers.column("size"), strict=True))
    named = {name for name in names if not isinstance(name, Absent)}  # uses have none
    assert named == {"dasda", "dasda1", "dasdp", "dasdp1", "dasdp2", "sda"}
    assert names["sda"] == 131072


def test_messages_of_old_kernels_have_type_and_size() -> None:
    """They are the same in other words; cylinders and blocks are those of the line."""
    log = (
        "dasd(eckd): 0.0.0202: 3390/0C(CU:3990/01) Cyl:200 Head:15 Sec:224\n"
        "dasd(eckd): 0.0.0202: (4kB blks): 144000kB at 48kB/trk linux disk layout\n"
    )
    facts = facts_in(f"# dmesg\n{log}")
    told = {"discipline": "ECKD", "cylinders": 200, "blocks": 36000, "block_size": 4096}
    assert row(facts, DASD.name, "0.0.0202") == told
    assert row(facts, DEVICE.name, "0.0.0202")["devtype"] == "3390/0c"


def test_a_label_is_of_the_device_that_another_text_names() -> None:
    """The last message counts; which bus id a name has the messages do not say."""
    content = f"{LSDASD}box1:~ # dmesg\n{STAMPED['dmesg']}"
    assert frame(content, DASD).cell("0.0.1a01", "volser") == "0X1A01"
    assert frame(content, LAYER).cell("94:60", "size") == 2404080 * 2
    assert isinstance(
        frame(STAMPED["dmesg"].replace("0X1A01", "ZM1A01"), DASD).cell("0.0.1a01", "volser"), Absent
    )


def test_what_another_text_has_goes_first() -> None:
    """A message is of an earlier time: it is no contradiction, and adds no device to those that are there."""
    view = "box1:~ # lsdasd -l\n0.0.1a01/dasdp/94:60\n  type: \tECKD\n  blksz:\t4096\n  blocks:\t5\n"
    content = f"{view}\nbox1:~ # dmesg\n{STAMPED['dmesg']}"
    assert frame(content, DASD).cell("0.0.1a01", "blocks") == 5
    assert [*frame(content, DASD).keys] == ["0.0.1a01"]
    names = frame(content, LAYER).column("name")
    assert [name for name in names if not isinstance(name, Absent)] == ["dasdp"]  # uses have none
    assert frame(content, LAYER).cell("94:60", "size") == 40


def test_a_dasd_that_is_not_formatted_now_has_lost_label_and_size() -> None:
    """What it was before stands in the log still; its cylinders stay."""
    row = "0.0.1a01  n/f       dasdp     94:60   ECKD\n"
    content = f"box1:~ # lsdasd\n{row}box1:~ # dmesg\n{STAMPED['dmesg']}"
    dasd = frame(content, DASD)
    assert dasd.cell("0.0.1a01", "cylinders") == 3339
    lost = [dasd.cell("0.0.1a01", field) for field in ("volser", "block_size", "blocks")]
    assert all(isinstance(value, Absent) for value in lost)
    assert isinstance(frame(content, LAYER).cell("94:60", "size"), Absent)


def test_other_messages_say_nothing(where: Ask) -> None:
    """A mount that was is no use now."""
    answer = where("dasdp", f"{LSDASD}box1:~ # dmesg\n{STAMPED['dmesg']}")
    assert (answer["mounts"], answer["not_looked_at"] != []) == ([], True)


def test_lines_behind_a_log_are_of_another_output() -> None:
    """A line without a stamp is no message, unless it is one that is read."""
    facts = facts_in(f"{STAMPED['dmesg']}0.0.1b02  dasdq  IBM.75000000AAAA1.1b00.02\n")
    assert facts.value(DASD, "0.0.1b02", "name") == "dasdq"


LINK = "[12346.1] zfcp: 0.0.1800: The local link is down\n"
RESTORED = "[12399.1] zfcp.ac341f: 0.0.1800: The local link has been restored\n"


@pytest.mark.parametrize(("log", "state"), [(LINK, "Linkdown"), (LINK + RESTORED, "Online")])
def test_the_last_message_about_a_link_counts(log: str, state: str, show: Ask) -> None:
    """Unless another text has the state of the port."""
    assert show("FCP", f"# dmesg\n{log}")["0.0.1800"]["state"] == state
    told = f"# dmesg\n{log}# lszfcp -H -e\n0.0.1800 host0 linkdown\n"
    assert show("FCP", told)["0.0.1800"]["state"] == "Linkdown"


def test_a_label_is_known_by_the_name_of_a_dasd_without_a_number(where: Ask) -> None:
    """The line that has it has no bus id."""
    text = "box1:~ # dmesg -t\n dasdb:VOL1/  UBDATA: dasdb1\n"
    assert [disk["disk"] for disk in where("UBDATA", text)["disks"]] == ["dasdb"]


NO_PATH: Final = "[   99.100] dasd-eckd 0.0.1a01: No operational channel path is left for the device\n"
BACK: Final = "[  100.100] dasd-eckd 0.0.1a01: A channel path to the device has become operational\n"


@pytest.mark.parametrize(
    ("messages", "why"),
    [(NO_PATH, "no channel path left"), (NO_PATH + BACK, ""), (BACK + NO_PATH, "no channel path left")],
)
def test_a_disk_without_a_channel_path_is_not_used(messages: str, why: str, where: Ask) -> None:
    """The last message counts."""
    (disk,) = where("dasdp", f"{LSDASD}box1:~ # dmesg | grep -i dasd\n{messages}")["disks"]
    assert disk.get("not_used", "") == why


DRIVER: Final = "[  101.2] dasd-eckd 0.0.1a01: "
BOOT: Final = "[    0.000000] Linux version 6.4.0-default (geeko@buildhost) #1 SMP\n"
FAILURES: Final = {
    "no channel path": (NO_PATH, BACK, "dasdp"),
    "the driver": (f"{DRIVER}An error occurred in the DASD device driver, reason=14\n", BOOT, "dasdp"),
    "a read": ("[  130.0] Buffer I/O error on dev dasdp1, logical block 2, async page read\n", BOOT, "dasdp"),
    "a path": ("[   58.2] device-mapper: multipath: 251:0: Failing path 8:16.\n",
               "[   58.9] device-mapper: multipath: 251:0: Reinstating path 8:16.\n", "sdb"),
    "an address": (("[   60.1] sd 1:0:0:0: rejecting I/O to offline device\n"
                   "[   60.2] sd 1:0:0:0: [sdb] killing request\n"), BOOT, "sdb"),
}  # fmt: skip


@pytest.mark.parametrize(("message", "back", "disk"), FAILURES.values(), ids=[*FAILURES])
def test_a_failure_that_the_kernel_reports_is_told_of_the_disk(
    message: str, back: str, disk: str, where: Ask
) -> None:
    """Unless a later message says that it works again, or is of another boot; the line is named."""
    lsblk = "box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\nsdb 8:16 0 20G 0 disk\n"
    told = {
        messages: where(disk, f"{LSDASD}{lsblk}box1:~ # dmesg\n{messages}").get("states", [])
        for messages in (message, message + back, message + back + message)
    }
    for messages, states in told.items():
        is_told = any(f"of {disk} the kernel has reported a failure (a.txt:" in state for state in states)
        assert is_told == (messages != message + back)


@pytest.mark.parametrize(("root", "is_told"), [
    ("/dev/disk/by-path/ccw-0.0.1a01-part1", True), ("/dev/dasdp1", True), ("/dev/ram0", False),
    ("/dev/dasdq1", False), ("UUID=6b5c2d1e-0000-4000-8000-00000000beef", False),
])  # fmt: skip
def test_the_root_in_the_command_line_of_the_kernel_is_a_use(root: str, is_told: bool, where: Ask) -> None:
    """Of the disk that it names, with no list of mounts there; such a line alone is a log."""
    message = f"[    0.265051] Kernel command line: ro root={root} rd.dasd=0.0.1a01 cio_ignore=all\n"
    (read,) = facts_of([*outputs("a.txt", message.encode(), 7)])[1]
    assert read.form.partition(",")[0] == "dmesg"
    told = str(where("dasdp", f"{LSDASD}box1:~ # dmesg\n{message}").get("devices"))
    assert ("root in the command line of the kernel" in told) == is_told
    mounted = "box1:~ # df -h\nFilesystem Size Used Avail Use% Mounted on\n/dev/dasdp1 9G 5G 4G 56% /data\n"
    assert "root in" not in str(where("dasdp", f"{LSDASD}{mounted}box1:~ # dmesg\n{message}"))


def test_a_path_that_failed_last_is_not_used(where: Ask) -> None:
    """If no other text has its state."""
    lsblk = "box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n" + "".join(
        f"{path} 0 20G 0 disk\n`-mpatha 253:0 0 20G 0 mpath\n" for path in ("sda 8:0", "sdb 8:16")
    )
    found = where("mpatha", f"{lsblk}box1:~ # dmesg\n{FAILURES['a path'][0]}")
    assert {path["disk"]: path["not_used"] for path in found["paths"]} == {"sda": "", "sdb": "failed"}


def test_a_disk_has_the_number_that_dasdfmt_has_made_its_label_of(where: Ask) -> None:
    """If the message before is about that number; a label of another number tells nothing."""
    what = "New DASD 3390/0C (CU 3990/01) with 9 cylinders, 15 heads, 224 sectors"
    text = f"box1:~ # dmesg\n[ 0.8] dasd-eckd 0.0.{{}}: {what}\n[ 0.9]  dasdb:VOL1/  0X1A01: dasdb1\n"
    for number, disks in (("1a01", ["dasdb"]), ("1a02", [])):
        assert [disk["disk"] for disk in where(f"0.0.{number}", text.format(number))["disks"]] == disks


_LOST: Final = """\
[    2.1] dasd-eckd 0.0.0204: New DASD 3390/0C (CU 3990/01) with 10017 cylinders, 15 heads, 224 sectors
[    2.2] dasd-eckd 0.0.0204: DASD with 4 KB/block, 7212240 KB total size, 48 KB/track, compatible disk layout
[    2.3]  dasdd:VOL1/  DB0204: dasdd1
[   86.1] dasd-eckd 0.0.0204: No operational channel path is left for the device
[   86.2] dasd-eckd 0.0.0205: ERP failed for the DASD
"""


@pytest.mark.parametrize(
    "beside",
    ["", "box1:~ # lszfcp\n0.0.1900 host0\n", "box1:~ # lsscsi\n[0:0:0:1]disk IBM 2107900 .431 /dev/sda\n"],
)
def test_a_device_of_the_log_is_known_beside_other_outputs(
    beside: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That no channel path is left is told, and of a bus id that nothing says more of the line."""
    (tmp_path / "a.txt").write_text(f"{_LOST}{beside}")
    main(["where", "0204", "dasdd", "0205", "--from", str(tmp_path)])
    said = capsys.readouterr()
    assert "no channel path left" in said.out
    assert "dasdd (94:12)" in said.out
    assert "a.txt:5" in said.err


USES: Final = """\
[    3.1] EXT4-fs (dasdp2): mounted filesystem with ordered data mode. Opts: (null)
[    4.8] XFS (dasdq1): Mounting V5 Filesystem
[    4.9] XFS (dasdr1): Mounting V5 Filesystem
[    5.0] Adding 1048572k swap on /dev/dasdp1.  Priority:-2 extents:1 across:1048572k
[    5.2] BTRFS info (device dasds1): first mount of filesystem 3c5e
[    9.9] XFS (dasdr1): Unmounting Filesystem
"""


@pytest.mark.parametrize(("name", "use"), [("dasdp2", "ext4"), ("dasdp1", "swap"), ("dasdq1", "xfs")])
def test_what_was_mounted_or_swapped_to_is_a_use(name: str, use: str, where: Ask) -> None:
    """Of the time of the message, where no list says more; what was unmounted behind it is none."""
    titles = [
        title for title in where(name, f"box1:~ # dmesg\n{USES}").get("devices", []) if "kernel" in title
    ]
    assert [title.split()[0] for title in titles] == [use][: bool(use)]
    assert use in str(where("dasdp", f"{LSDASD}box1:~ # dmesg\n{USES}")["devices"]) or "dasdp" not in name
    mounts = "box1:~ # mount\n/dev/dasdz1 on / type ext4 (rw)\n"
    assert "when the kernel" not in str(where("dasdp", f"{LSDASD}box1:~ # dmesg\n{USES}{mounts}"))


CHECKER: Final = """\
box1:~ # journalctl -u multipathd
May 11 16:40:10 box1 multipathd[4554]: mpathy: sdas - tur checker reports path is down
May 11 16:40:10 box1 multipathd[4554]: mpathy: sdac - tur checker reports path is down
May 11 16:41:10 box1 multipathd[4554]: mpathy: sdac - tur checker reports path is up
"""


def test_a_path_that_the_daemon_calls_down_is_not_used(where: Ask) -> None:
    """Unless it is up again; the map may have paths of which it says nothing."""
    found = where("mpathy", CHECKER)
    states = {path["disk"]: path["not_used"] for path in found["paths"]}
    assert (states["sdas"], states["sdac"] == "failed", found["more_paths"]) == ("failed", False, True)


def test_what_the_kernel_says_of_one_disk_labels_no_other(show: Ask) -> None:
    """A DASD whose name is not known has none of the labels of what has no name either."""
    text = (
        "dasd-eckd 0.0.1a01: New DASD 3390/0C (CU 3990/01) with 6678 cylinders, 15 heads, 224 sectors\n"
        "Adding 2403976k swap on /dev/dasdg1.  Priority:1 extents:1 across:2403976k\n"
    )
    for device in show("DEVICE", f"# dmesg\n{text}").values():
        assert "swap" not in str(device["label"])


@pytest.mark.parametrize("message", [
    "zfcp 0.0.1900: qdio: ZFCP on SC 61 using AI:1 QEBSM:0 PRI:1 TDD:1 SIGA: W", "scsi host0: zfcp",
    "dasd(eckd): 0.0.0202: reading volume label failed",
    "sd 10:0:0:0: rejecting I/O to offline device",
    "qla2xxx [0000:81:00.1]-500b:10: LOOP DOWN detected (2 7).",
])  # fmt: skip
def test_a_message_about_disks_that_is_not_used_is_not_understood(message: str) -> None:
    """Also where it is the only one, if a time is before it; one about anything else says nothing."""
    text = f"[    1.200000] {message}\n[    1.300000] bridge: filtering is off\n"
    (read,) = facts_of([*outputs("a.txt", text.encode(), 7)])[1]
    assert (read.form.partition(",")[0], read.strange) == ("dmesg", (1,))


@pytest.mark.parametrize(("runs", "told"), [
    ("z/VM 7.1.0", ("zvm", "z/VM 7.1.0")), ("KVM/Linux", ("kvm", "KVM/Linux")), ("LPAR", ("lpar", None)),
])  # fmt: skip
def test_a_trace_names_the_machine_and_what_runs_linux(runs: str, told: tuple[str, str | None]) -> None:
    """Where no other text does."""
    text = f"[    0.9] Hardware name: IBM 3906 M04 704 ({runs})\n"
    machine = row(facts_in(text, "dmesg"), "machine", "machine")
    fields = ("environment", "control_program", "type")
    assert tuple(map(machine.get, fields)) == (*told, "3906")


@pytest.mark.parametrize(
    "row",
    ["Buffer I/O error on dev dm-1, logical block 0, async page read",
     "device-mapper: crypt: dm-1: INTEGRITY AEAD ERROR, sector 0"],
)  # fmt: skip
def test_a_failure_of_a_mapped_device_does_not_pass_for_nothing(row: str) -> None:
    """It was read, and the answer for the device names its line."""
    text = CollectedText(
        "a.txt", 1, "dmesg", "", f"[   12.345678] usb 1-1: new device\n[   12.345679] {row}\n", 0
    )
    (form,) = (form for form in FORMS if form.reading is KernelLog)
    told = walk(text, form, Facts())
    assert (told.read, told.strange) == (1, ())
    assert f"dm-1=2{TROUBLED}" in text_frame([told], 1).column("named")
