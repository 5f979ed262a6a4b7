"""zmon.topology.identity and claims: which volume a disk is, and on which LCU."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kinds import DASD, DEVICE, LAYER, MACHINE, NO_DASD
from zmon.sample import Frame, empty_frame, frame_of
from zmon.topology.claims import NOT_SAID, VIRTUAL_DISK, Claim, Grade, claims_frame
from zmon.topology.identity import NO_PLATFORM, OF_KVM, UNKNOWN_PLATFORM, Platform, VolumeIndex, platform_of
from zmon.topology.lun import OTHER_LUN
from zmon.topology.site import NO_SITE, Site
from zmon.topology.site_file import parse_map, parse_site
from zmon.topology.volumes import lcus, titles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from zmon.base.absent import Value
    from zmon.topology.volumes import Volume

SAMPLES = Path(__file__).parents[1] / "fixtures" / "cp"
GUEST = Platform("zvm", "LINDB01")
LPAR = Platform("lpar")
UID = "IBM.750000000DXP71.1500.18"
MINIDISK = f"{UID}.00000000000000010000000000000d0a"
RULE = '[[lcu_by_number]]\nserial = "*"\npattern = "7nXX"\n'
NONE = absent("no uid: not an ECKD disk")


def site(text: str = RULE, rows: str = "") -> Site:
    """Return a site with a map."""
    return parse_site(f'map = "map.csv"\n{text}', "site.toml", lambda _: parse_map(rows, "map.csv"))


class Disk:
    """One row of each frame."""

    def __init__(self, busid: str, uid: Value = NONE, **more: Value) -> None:
        self.busid = busid
        self.cells: dict[str, Value] = {"uid": uid, "sort": "disk", "discipline": "ECKD", **more}


def frames(disks: Sequence[Disk]) -> tuple[Frame, Frame, Frame]:
    """Build the frames of layers, devices and DASD."""
    busids = [disk.busid for disk in disks]
    at = [0] * len(disks)

    def columns(names: str) -> dict[str, list[Value]]:
        no = absent("not read")
        return {name: [disk.cells.get(name, no) for disk in disks] for name in names.split()}

    told = {"uid": [disk.cells.get("told_uid", NONE) for disk in disks]}
    ccw = {"discipline": [disk.cells.get("ccw_discipline", NONE) for disk in disks]}
    numbers = [f"94:{4 * row}" for row in range(len(disks))]
    names: list[Value] = [disk.cells.get("name", f"dasd{row}") for row, disk in enumerate(disks)]
    layer = columns("sort wwpn lun uuid below size") | {"name": names, "busid": [*busids]}
    return (
        Frame(LAYER, numbers, layer, at),
        Frame(DEVICE, busids, columns("uid cutype chpids") | ccw, at),
        Frame(DASD, busids, columns("lss volser cylinders discipline storage block_size blocks") | told, at),
    )


def all_of(
    disks: Sequence[Disk], claims: Sequence[Claim] = (), known: Site = NO_SITE, host: Platform = GUEST
) -> list[Volume]:
    """Return the volumes of disks, in their order."""
    return list(VolumeIndex(*frames(disks), claims, known, host).values())


def one(disk: Disk, *claims: Claim, known: Site = NO_SITE, host: Platform = GUEST) -> Volume:
    """Return the volume of a single disk."""
    return VolumeIndex(*frames([disk]), claims, known, host)["94:0"]


def virtual(vdev: str, rdev: str, volser: str = "", **more: object) -> Claim:
    """Return a row of QUERY VIRTUAL DASD."""
    claim = Claim(vdev, rdev, volser, via="QUERY VIRTUAL DASD", origin="cp.txt", line=4)
    return claim._replace(**more)  # type: ignore[arg-type]


def minidisk(vdev: str, volser: str, **more: object) -> Claim:
    """Return an MDISK statement."""
    claim = Claim(vdev, volser=volser, user="LINDB01", via="MDISK", origin="direct.txt", line=9, first=1)
    return claim._replace(**more)  # type: ignore[arg-type]


def real(rdev: str, volser: str, state: str = "CP-SYSTEM") -> Claim:
    """Return a row of QUERY DASD."""
    return Claim(rdev=rdev, volser=volser, mode=state, via="QUERY DASD", origin="qdasd.txt", line=2)


def numbers(volume: Volume) -> list[str]:
    """Return the numbers of devices, subsystems and sizes in the contradictions of a volume."""
    return re.findall(r"\b\d{3,5}\b", " ".join(volume.conflicts))


def calls(volume: Volume) -> list[str]:
    """Return what a contradiction calls an LCU, and at its end by unique ids."""
    return re.findall(r"\bLCU \d\b|\b\d{4}$", volume.conflicts[0])


# --- a map of a part


def of_one_lcu(rows: str) -> list[Volume]:
    """Return three disks that their unique ids put on one LCU, with a map that knows some of them."""
    uids = [f"{UID.rpartition('.')[0]}.{unit}" for unit in ("11", "12", "13")]
    disks = [Disk(f"0.0.02{number:02}", uid) for number, uid in enumerate(uids)]
    claims = [virtual(f"02{number:02}", f"76{number}0", origin="/dev/vmcp") for number in range(3)]
    return all_of(disks, claims, site("", rows))


def test_a_map_of_some_volumes_does_not_part_an_lcu() -> None:
    """The others are on the same: else data on one LCU would seem to be spread over two."""
    found = of_one_lcu("7600, 5\n")
    assert {(volume.key, volume.lcu, volume.grade) for volume in found} == {("LCU 5", "LCU 5", Grade.EXACT)}
    assert found[2].evidence[-1].source == "map.csv:1"


def test_a_map_that_parts_an_lcu_says_nothing_of_its_other_volumes() -> None:
    """Their unique ids name the LCU then, and the contradiction is told."""
    found = of_one_lcu("7600, 5\n7610, 6\n")
    assert [volume.key for volume in found] == ["LCU 5", "LCU 6", UID.rpartition(".")[0]]
    assert all(volume.conflicts for volume in found)


# --- which real device


def test_in_an_lpar_the_bus_id_is_the_real_number() -> None:
    """Nobody needs to be asked there."""
    found = one(Disk("0.0.7612", UID), host=LPAR)
    assert (found.rdev, isinstance(found.vdev, Absent)) == ("7612", True)


def test_another_subchannel_set_makes_a_fifth_digit() -> None:
    """0.1.7612 is device 17612."""
    assert one(Disk("0.1.7612", UID), host=LPAR).rdev == "17612"


def test_in_an_lpar_claims_about_a_guest_are_not_used() -> None:
    """They are of another machine, which is said."""
    found = one(Disk("0.0.7612", UID), virtual("7612", "7000"), host=LPAR)
    assert (found.rdev, numbers(found)) == ("7612", ["7612"])


def test_in_a_guest_cp_knows_the_real_number() -> None:
    """QUERY VIRTUAL DASD tells it together with the label."""
    found = one(Disk("0.0.0201"), virtual("0201", "7612", "DB0201"))
    assert (found.vdev, found.rdev, found.volser) == ("0201", "7612", "DB0201")


def test_without_claims_the_reason_says_what_to_do() -> None:
    """An absent rdev names the query that tells it."""
    assert one(Disk("0.0.0201")).rdev is NOT_SAID


def test_kvm_has_no_cp_to_ask() -> None:
    """Its guests know the unique id at best."""
    assert one(Disk("0.0.0201"), host=Platform("kvm")).rdev is OF_KVM


def test_the_serial_of_a_disk_that_is_no_dasd_is_no_label() -> None:
    """Udev has it under the same name."""
    found = one(Disk("0.0.7100", name="sda", volser="35005076300c71234"), host=Platform("kvm"))
    assert isinstance(found.volser, Absent)
    assert (found.label, found.evidence) == (NO_DASD, ())


def test_a_label_leads_from_the_directory_to_the_real_device() -> None:
    """MDISK names the label, QUERY DASD its device."""
    assert one(Disk("0.0.0201"), minidisk("0201", "DB0201"), real("7612", "DB0201")).rdev == "7612"


def test_a_label_alone_says_what_is_lacking() -> None:
    """Without QUERY DASD the directory gives no device."""
    found = one(Disk("0.0.0201"), minidisk("0201", "DB0201")).rdev
    assert isinstance(found, Absent)
    assert "QUERY DASD (class B)" in found.reason


def test_of_two_volumes_with_a_label_that_of_the_system_is_meant_and_it_is_said() -> None:
    """A minidisk can only be on a volume attached to the system."""
    found = one(
        Disk("0.0.0201"),
        minidisk("0201", "DB0201"),
        real("77E0", "DB0201", "FREE"),
        real("7612", "DB0201"),
    )
    (conflict,) = found.conflicts
    assert found.rdev == "7612"
    assert re.findall(r"\b[\dE]{4}\b", conflict) == ["0201", "7612", "77E0", "7612"]


def test_two_volumes_of_the_system_with_one_label_leave_it_open() -> None:
    """Nobody chooses between them."""
    found = one(Disk("0.0.0201"), minidisk("0201", "DB0201"), real("77E0", "DB0201"), real("7612", "DB0201"))
    assert (isinstance(found.rdev, Absent), len(found.conflicts)) == (True, 1)


def test_a_dedicated_label_that_two_volumes_have_is_left_open() -> None:
    """Of a dedicated volume nothing says that it is the system's."""
    statement = minidisk("0201", "DB0201", via="DEDICATE", first=None)
    found = one(Disk("0.0.0201"), statement, real("77E0", "DB0201", "FREE"), real("7612", "DB0201"))
    assert (isinstance(found.rdev, Absent), len(found.conflicts)) == (True, 1)


def test_claims_about_another_guest_do_not_map_a_device() -> None:
    """The same number in another guest is another disk."""
    found = one(Disk("0.0.0201"), virtual("0201", "7612", user="LINDB02"))
    assert isinstance(found.rdev, Absent)
    assert "LINDB02" in found.rdev.reason


def test_claims_that_name_this_guest_are_its_own() -> None:
    """A directory says whose its statements are."""
    assert one(Disk("0.0.0201"), virtual("0201", "7612", user="lindb01")).rdev == "7612"


def test_what_cp_says_now_goes_before_a_saved_answer() -> None:
    """And the saved answer is shown as a contradiction."""
    old, now = virtual("0201", "7000"), virtual("0201", "7612", origin="/dev/vmcp", line=0)
    found = one(Disk("0.0.0201"), old, now)
    assert (found.rdev, numbers(found)) == ("7612", ["0201", "7612", "7000", "7612"])
    assert re.search(r"7612 by /dev/vmcp .*7000 by cp\.txt:4 ", found.conflicts[0])


def test_an_answer_of_cp_goes_before_a_directory() -> None:
    """A directory says what a guest will have."""
    found = one(Disk("0.0.0201"), minidisk("0201", "OLD001", rdev="7000"), virtual("0201", "7612", "DB0201"))
    assert (found.rdev, found.volser, len(found.conflicts)) == ("7612", "DB0201", 2)


def test_a_weak_claim_goes_last() -> None:
    """What was perhaps misread gives way to what was not, and is not lost."""
    weak = virtual("0201", "7000", origin="/dev/vmcp", weak="the line was cut")
    found = one(Disk("0.0.0201"), weak, virtual("0201", "7612"))
    assert (found.rdev, "the line was cut" in found.conflicts[0]) == ("7612", True)


def test_a_weak_claim_alone_is_an_assumption() -> None:
    """Its reason stands in the evidence."""
    found = one(Disk("0.0.0201"), virtual("0201", "7612", weak="the line was cut"), known=site())
    assert (found.rdev, found.evidence[0].grade) == ("7612", Grade.ASSUMED)


def test_two_answers_of_equal_worth_leave_the_real_number_open() -> None:
    """Both are told, with where they stand."""
    found = one(Disk("0.0.0201"), virtual("0201", "7000"), virtual("0201", "7612", line=5))
    assert (isinstance(found.rdev, Absent), numbers(found)) == (True, ["0201", "7000", "7612"])
    assert re.search(r"7000 by cp\.txt:4 .*7612 by cp\.txt:5 ", found.conflicts[0])


def test_a_size_that_is_not_that_of_the_disk_hints_at_an_old_answer() -> None:
    """A pasted answer may be of yesterday, or of another guest."""
    found = one(Disk("0.0.0201", cylinders=10016), virtual("0201", "7612", length=3338))
    assert numbers(found) == ["3338", "0201", "10016"]


def test_an_answer_for_another_guest_names_both() -> None:
    """Its devices have the same numbers, and are other disks."""
    found = one(Disk("0.0.0201"), virtual("0201", "7612", user="LNX001"))
    assert isinstance(found.rdev, Absent)
    assert re.findall(r"\b[A-Z]*\d+\b", found.rdev.reason) == ["0201", "LNX001", "LINDB01"]


def test_the_size_in_a_damaged_line_is_compared_too() -> None:
    """A line whose columns are shifted is weak, but a better one decides where there is one."""
    weak = virtual("0201", "7612", length=800, weak="by words")
    found = one(Disk("0.0.0201", cylinders=3338), weak)
    assert numbers(found) == ["800", "0201", "3338"]
    assert one(Disk("0.0.0201", cylinders=3338), weak, virtual("0201", "7612", length=3338)).conflicts == ()


CYLINDERS = 3338
BLOCKS = CYLINDERS * 15 * 12


@pytest.mark.parametrize(
    "seen",
    [{"cylinders": CYLINDERS}, {"block_size": 4096, "blocks": BLOCKS}, {"size": BLOCKS * 8}],
    ids=["BIODASDINFO2", "/proc/dasd/devices", "/sys"],
)
@pytest.mark.parametrize(("told", "grade"), [(CYLINDERS, Grade.EXACT), (835, Grade.ASSUMED)])
def test_an_answer_of_another_size_is_never_exact(seen: dict[str, Value], told: int, grade: Grade) -> None:
    """Whatever tells the size that Linux sees, and also when CP was asked just now."""
    claim = virtual("0201", "7612", length=told, origin="/dev/vmcp")
    found = one(Disk("0.0.0201", **seen), claim, known=site("", "7612,3"))
    assert (found.grade, bool(found.conflicts)) == (grade, grade is not Grade.EXACT)
    assert all(each.grade is grade for each in found.evidence)


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({"size": BLOCKS * 8, "ccw_discipline": "ECKD"}, ["3338"]),
        ({"size": BLOCKS * 8}, ["3338"]),
        ({"size": BLOCKS * 8 + 8}, []),
        ({"size": 835}, []),
        ({"size": 835 * 15 * 12 * 8, "cylinders": CYLINDERS}, ["3338"]),
        ({"size": BLOCKS * 8, "cylinders": 835}, ["3338"]),
        ({"cylinders": 835, "block_size": 4096, "blocks": BLOCKS}, ["3338"]),
        ({"size": 4096, "ccw_discipline": "FBA"}, ["4096"]),
    ],
)
def test_the_size_that_cp_says_is_compared_with_each_that_linux_has(
    seen: dict[str, Value], said: list[str]
) -> None:
    """One of them is enough; of a disk that nothing calls ECKD a multiple of a cylinder is one."""
    disk = Disk("0.0.0201", discipline=NONE, **seen)
    assert numbers(one(disk, virtual("0201", "7612", length=835)))[2:] == said


@pytest.mark.parametrize(("size", "said"), [(2048, []), (4096, ["2048", "0300", "4096"])])
def test_the_size_of_an_fba_disk_is_compared_too(size: int, said: list[str]) -> None:
    """In blocks of 512 bytes."""
    found = one(Disk("0.0.0300", size=size, discipline="FBA"), virtual("0300", "F001", length=2048))
    assert numbers(found) == said


@pytest.mark.parametrize(
    ("origin", "grade"),
    [("/dev/vmcp", Grade.EXACT), ("cp/virtual-dasd.txt", Grade.EXACT), ("cp.txt", Grade.ASSUMED)],
)
def test_a_saved_answer_is_never_exact(origin: str, grade: Grade) -> None:
    """Nobody knows of which time it is; one of the capture is of the capture's."""
    found = one(Disk("0.0.0201"), virtual("0201", "7612", origin=origin), known=site("", "7612,3"))
    assert (found.rdev, found.grade) == ("7612", grade)


def test_without_sysinfo_nobody_knows_whose_number_it_is() -> None:
    """It is no virtual one, and CP's answer is not what is missing."""
    found = one(Disk("0.0.0201"), host=Platform())
    assert (found.vdev, found.rdev) == (NO_PLATFORM, NO_PLATFORM)
    assert one(Disk("0.0.0201"), virtual("0201", "7612"), host=Platform())[3:5] == ("0201", "7612")


def test_on_a_machine_without_partitions_numbers_are_real() -> None:
    """As in an LPAR."""
    assert one(Disk("0.0.0201"), host=Platform("none")).rdev == "0201"


@pytest.mark.parametrize(
    ("cells", "host"),
    [
        ({"environment": "zvm", "guest_name": "LINDB01", "manufacturer": "IBM"}, Platform("zvm", "LINDB01")),
        ({"environment": "none"}, Platform()),
        ({"environment": "none", "manufacturer": "HRC"}, Platform("none")),
        ({"environment": "none", "manufacturer": "IBM", "control_program": "OTHER/1"}, Platform()),
    ],
)
def test_where_a_linux_runs_is_known_by_sysinfo(cells: dict[str, str], host: Platform) -> None:
    """Without it, or under an unknown hypervisor, it is not known."""
    names = ("environment", "guest_name", "manufacturer", "control_program")
    columns: dict[str, list[Value]] = {name: [cells.get(name, NONE)] for name in names}
    assert platform_of(Frame(MACHINE, ["machine"], columns, [0])) == host


def test_a_virtual_disk_has_no_real_device() -> None:
    """The directory says so."""
    assert one(Disk("0.0.0300"), minidisk("0300", "", via="V-DISK")).rdev is VIRTUAL_DISK


def test_a_rule_of_the_site_reads_the_number_in_a_label() -> None:
    """Where nothing else tells it, and as an assumption."""
    known = site(f'{RULE}[[number_by_label]]\npattern = "AB####"\n')
    found = one(Disk("0.0.0201"), minidisk("0201", "AB7612"), known=known)
    assert (found.rdev, found.lcu, found.grade) == ("7612", "LCU 6", Grade.ASSUMED)


def test_only_a_site_may_say_that_numbers_are_equal() -> None:
    """With its word the number of the guest's device is that of the real one; without, never."""
    found = [one(Disk("0.0.7612"), known=site(text)).lcu for text in (f"vdev_is_rdev = true\n{RULE}", RULE)]
    assert (found[0], isinstance(found[1], Absent)) == ("LCU 6", True)


def test_a_claim_goes_before_equal_numbers() -> None:
    """And that the site is wrong there is said."""
    found = one(Disk("0.0.7612"), virtual("7612", "7500"), known=site(f"vdev_is_rdev = true\n{RULE}"))
    assert (found.lcu, numbers(found)[-1]) == ("LCU 5", "7500")


# --- labels


def test_the_label_on_a_whole_volume_is_that_of_cp() -> None:
    """A dedicated volume has one label; two of them contradict each other."""
    found = one(Disk("0.0.0201", volser="DB9999"), virtual("0201", "7612", "DB0201"))
    (conflict,) = found.conflicts
    assert re.findall(r"DB\d+|/\S+\d", conflict) == ["DB0201", "DB9999", "/run/udev/data/b94:0"]


def test_a_minidisk_behind_cylinder_0_may_have_a_label_of_its_own() -> None:
    """CP's label is that of the volume, Linux's that of the minidisk."""
    found = one(Disk("0.0.0201", volser="0X0201"), virtual("0201", "7612", "DB0201", length=3338))
    assert (found.volser, found.label, found.conflicts) == ("DB0201", "0X0201", ())


def test_without_claims_the_label_on_the_disk_is_the_label() -> None:
    """In an LPAR there is no other."""
    assert one(Disk("0.0.7612", UID, volser="DB7612"), host=LPAR).volser == "DB7612"


# --- which LCU


def test_a_unique_id_names_the_lcu_without_cp() -> None:
    """Serial and SSID, exactly; the key is that of the LCU screens."""
    found = one(Disk("0.0.0201", MINIDISK))
    assert (found.lcu, found.key, found.grade) == ("LCU 1500", "IBM.750000000DXP71.1500", Grade.EXACT)


def test_configuration_data_tell_the_lss() -> None:
    """The name and the key stay those of the unique id."""
    found = one(Disk("0.0.1518", UID, lss=8), host=LPAR)
    assert (found.lcu, found.lss, found.key) == ("LCU 1500", "08", "IBM.750000000DXP71.1500")
    assert "BIODASDINFO2" in [said.source for said in found.evidence]


def test_an_lcu_has_one_name_and_one_lss() -> None:
    """Although the configuration data of one of its disks only were read."""
    others = [Disk(f"0.0.15{number:02x}", f"{UID[:-2]}{number:02x}") for number in range(0x19, 0x1C)]
    found = all_of([*others, Disk("0.0.1518", UID, lss=8)], host=LPAR)
    assert {(volume.lcu_name, volume.lss, volume.key) for volume in found} == {
        ("LCU 1500", "08", "IBM.750000000DXP71.1500")
    }
    assert len({volume.lcu_names for volume in found}) == 1


def test_an_lcu_is_found_by_all_its_names() -> None:
    """That of the site, and those of the numbers."""
    found = one(Disk("0.0.7612", UID, lss=8), known=site(), host=LPAR)
    assert found.lcu_names == {
        "lcu 6", "6", "lcu 1500", "1500", "ssid 1500", "lss 08", "ibm.750000000dxp71.1500",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("uid", "host", "is_volumes"),
    [
        (MINIDISK, GUEST, False), (MINIDISK, UNKNOWN_PLATFORM, False), (MINIDISK, LPAR, True),
        (absent("none"), GUEST, False), (UID, GUEST, True), (UID, LPAR, True), (absent("none"), LPAR, True),
    ],
)  # fmt: skip
def test_the_label_on_what_may_be_a_minidisk_is_not_that_of_the_volume(
    uid: Value, host: Platform, is_volumes: bool
) -> None:
    """Without CP that is not known; the label stays what Linux reads on the disk, and finds it."""
    found = one(Disk("0.0.0201", uid, volser="0X0201"), host=host)
    assert (found.volser == "0X0201", isinstance(found.volser, Absent)) == (is_volumes, not is_volumes)
    assert (found.label, found.own_label) == ("0X0201", "" if is_volumes else "0X0201")


@pytest.mark.parametrize(("first", "volser"), [(0, "DB0201"), (1, None)])
def test_a_minidisk_at_cylinder_0_has_the_label_of_its_volume(first: int, volser: str | None) -> None:
    """If CP or a directory names no label."""
    found = one(Disk("0.0.0201", MINIDISK, volser="DB0201"), minidisk("0201", "", first=first))
    assert (found.volser if isinstance(found.volser, str) else None) == volser


@pytest.mark.parametrize(("volser", "own"), [("DB7612", ""), ("LNX001", "DB7612"), (NONE, "DB7612")])
def test_a_minidisk_may_have_a_label_of_its_own(volser: Value, own: str) -> None:
    """Where that of the volume is told and is another, or is not told."""
    claims = [virtual("0201", "7612", volser)] if isinstance(volser, str) else []
    assert one(Disk("0.0.0201", MINIDISK, volser="DB7612"), *claims).own_label == own


def test_configuration_data_name_the_lcu_of_a_disk_without_uid() -> None:
    """The driver makes the unique id of the same data, so it is the same LCU."""
    first, second = all_of([Disk("0.0.1518", UID), Disk("0.0.1519", told_uid=f"{UID[:-2]}19")], host=LPAR)
    assert (second.lcu, second.key, second.grade) == (first.lcu, first.key, Grade.EXACT)
    assert (second.ssid, second.ua, second.uid) == ("1500", "19", f"{UID[:-2]}19")
    assert second.evidence[-1].source == "BIODASDINFO2"


def test_under_zvm_the_lss_is_no_name() -> None:
    """Whether CP passes the real one on to a minidisk is not known."""
    found = one(Disk("0.0.0201", MINIDISK, lss=0))
    assert (found.lcu, isinstance(found.lss, Absent)) == ("LCU 1500", True)


def test_an_lss_without_a_unique_id_is_no_lcu() -> None:
    """Which storage server it is of is not known, and two may have an LSS 08."""
    assert isinstance(one(Disk("0.0.1518", lss=8), host=LPAR).lcu, Absent)


def test_a_rule_names_the_lcu_of_a_real_number() -> None:
    """It is worth an assumption."""
    found = one(Disk("0.0.7612"), known=site(), host=LPAR)
    assert (found.lcu, found.key, found.grade) == ("LCU 6", "LCU 6", Grade.ASSUMED)


def test_a_unique_id_goes_before_a_rule() -> None:
    """What the site calls it is kept, for whoever asks by that name."""
    found = one(Disk("0.0.7612", UID), known=site(), host=LPAR)
    assert (found.lcu, found.called) == ("LCU 1500", "LCU 6")
    assert found.lcu_name == "LCU 6"


def test_the_map_goes_before_all() -> None:
    """It is what the site knows of this volume."""
    found = one(Disk("0.0.7612", UID, lss=8), known=site(RULE, f"{UID}, LCU 3"), host=LPAR)
    assert (found.lcu, found.grade, found.evidence[-1].source) == ("LCU 3", Grade.EXACT, "map.csv:1")


def test_a_map_by_number_is_as_sure_as_the_number() -> None:
    """A number that a weak claim gives makes a weak answer."""
    weak = virtual("0201", "7612", weak="the line was cut")
    assert one(Disk("0.0.0201"), weak, known=site("", "7612,3")).grade is Grade.ASSUMED


def test_the_advice_on_an_unknown_lcu_helps_by_itself() -> None:
    """The answer about virtual disks has only the real device; its LCU takes a second step."""
    known = (one(Disk("0.0.0201")), one(Disk("0.0.0201"), virtual("0201", "7612")))
    first, second = (volume.lcu.reason for volume in known if isinstance(volume.lcu, Absent))
    assert "QUERY VIRTUAL DASD" in first
    for advice in (first, second):
        assert re.search(r"QUERY DASD DETAILS\b.*\blcu_by_number\b", advice)


def test_cp_may_name_the_ssid() -> None:
    """QUERY DASD DETAILS does, without saying of which storage server."""
    details = Claim(rdev="7612", ssid="1500", ua="18", via="QUERY DASD DETAILS", origin="cp.txt", line=7)
    found = one(Disk("0.0.0201"), virtual("0201", "7612"), details)
    assert (found.lcu, found.key, found.grade) == ("LCU 1500", "SSID 1500", Grade.ASSUMED)


def test_a_disk_without_unique_id_has_that_of_its_volume() -> None:
    """Two minidisks on one real device are on one LCU, whatever driver each has."""
    first, second = all_of(
        [Disk("0.0.0201", MINIDISK), Disk("0.0.0202")],
        [virtual(vdev, "7612", origin="/dev/vmcp") for vdev in ("0201", "0202")],
    )
    assert (second.key, second.spindle, second.grade) == (first.key, first.spindle, Grade.EXACT)


def test_unknown_volumes_are_groups_of_their_own() -> None:
    """What nobody knows is never put together."""
    assert len({found.key for found in all_of([Disk("0.0.0201"), Disk("0.0.0202")])}) == 2


def test_an_fba_disk_goes_by_no_rule_for_numbers() -> None:
    """Its real device may be an emulated one, which is on no LCU."""
    found = one(Disk("0.0.7612", discipline="FBA"), virtual("7612", "7612"), known=site())
    assert isinstance(found.lcu, Absent)


def test_rules_that_contradict_each_other_name_no_lcu() -> None:
    """Both are told."""
    known = site(f'{RULE}[[lcu_by_number]]\nserial = "*"\npattern = "76nX"\n')
    found = one(Disk("0.0.7612"), known=known, host=LPAR)
    assert (isinstance(found.lcu, Absent), "LCU 6" in found.conflicts[0]) == (True, True)


# --- contradictions between sources


def test_one_real_number_with_two_unique_ids_is_told() -> None:
    """Then a claim is wrong, and both disks say so."""
    other = "IBM.750000000DXP71.1500.19"
    found = all_of(
        [Disk("0.0.0201", UID), Disk("0.0.0202", other)], [virtual("0201", "7612"), virtual("0202", "7612")]
    )
    named = [UID, other]
    assert [re.findall(r"\b7612\b|IBM\S+", volume.conflicts[0]) for volume in found] == [
        ["7612", *named], ["7612", *named[::-1]]
    ]  # fmt: skip


def test_one_unique_id_with_two_real_numbers_is_told() -> None:
    """A volume has one real device; its aliases are no disks."""
    found = all_of(
        [Disk("0.0.0201", UID), Disk("0.0.0202", UID)], [virtual("0201", "7612"), virtual("0202", "7613")]
    )
    assert [re.findall(r"\b761\d\b", volume.conflicts[0]) for volume in found] == [
        ["7612", "7613"], ["7613", "7612"]
    ]  # fmt: skip


def test_the_ssid_of_cp_is_held_against_the_unique_id() -> None:
    """Serial numbers are no secret of CP's: the join is checked."""
    details = Claim(rdev="7612", ssid="1600", via="QUERY DASD DETAILS", origin="cp.txt", line=7)
    found = one(Disk("0.0.0201", UID), virtual("0201", "7612"), details)
    assert numbers(found) == ["1500", "0201", "1600", "7612"]


def test_a_map_that_parts_an_lcu_is_told() -> None:
    """Unique ids put both on one LCU, the map on two."""
    known = site("", "7612,6\n7613,5\n")
    other = "IBM.750000000DXP71.1500.19"
    found = all_of([Disk("0.0.7612", UID), Disk("0.0.7613", other)], known=known, host=LPAR)
    assert [calls(volume) for volume in found] == [["LCU 6", "LCU 5", "1500"], ["LCU 5", "LCU 6", "1500"]]


def test_a_wrong_number_does_not_give_a_certain_lcu_another_name() -> None:
    """By unique ids three disks are on one LCU: its name is that which the rule gives to most of them."""
    disks = [Disk(f"0.0.02{number:02}", f"{UID[:-2]}{number + 0x18:02x}") for number in range(3)]
    claims = [virtual("0200", "7618"), virtual("0201", "7619"), virtual("0202", "721A")]
    found = all_of(disks, claims, site())
    assert {(volume.lcu_name, volume.key, volume.grade) for volume in found} == {
        ("LCU 6", UID.rpartition(".")[0], Grade.EXACT)
    }
    assert re.search(r"0\.0\.0202 .*\bLCU 2 .* site\.toml:4 \(7nXX\)", "".join(found[2].conflicts))
    undecided = all_of(disks[1:], claims[1:], site())
    assert {volume.lcu_name for volume in undecided} == {"LCU 1500"}
    assert [calls(volume) for volume in undecided] == [["LCU 6", "LCU 2", "1500"], ["LCU 2", "LCU 6", "1500"]]


def test_a_map_that_joins_two_lcus_is_told() -> None:
    """It holds, as the site knows best, but not silently."""
    known = site("", "7612-7613,6\n")
    other = "IBM.750000000DXP71.1600.18"
    found = all_of([Disk("0.0.7612", UID), Disk("0.0.7613", other)], known=known, host=LPAR)
    assert all(re.search(r"\bLCU 6 .* map\.csv:1\b", volume.conflicts[0]) for volume in found)


# --- what else is known of a volume


def test_the_parity_of_an_lss_tells_the_server_of_a_ds8000() -> None:
    """Control unit or configuration data name it; of no other storage server anything is known."""
    found = [
        one(Disk("0.0.1518", UID, lss=9, cutype=kind, storage=box), host=LPAR).side
        for kind, box in (("2107/e8", "3390-002"), ("3990/e9", "2107-900"), ("3990/e9", "3390-002"))
    ]
    assert (found[:2], isinstance(found[2], Absent)) == (["server 1", "server 1"], True)


def test_the_map_tells_the_server_too() -> None:
    """For any storage server."""
    assert one(Disk("0.0.7612"), known=site("", "7612,6,left"), host=LPAR).side == "left"


def test_channel_paths_are_ascending() -> None:
    """They come in the order of the path mask."""
    assert one(Disk("0.0.7612", UID, chpids="4f 4e"), host=LPAR).chpids == "4e 4f"


def test_disks_on_one_real_device_share_a_spindle() -> None:
    """So logs and data on one volume can be seen."""
    found = all_of(
        [Disk("0.0.0201"), Disk("0.0.0202"), Disk("0.0.0203")],
        [virtual("0201", "7612"), virtual("0202", "7612"), virtual("0203", "7613")],
    )
    assert [volume.spindle for volume in found] == ["rdev 7612", "rdev 7612", "rdev 7613"]


def test_minidisks_of_one_label_share_a_spindle() -> None:
    """The system has a label once."""
    found = all_of([Disk("0.0.0201"), Disk("0.0.0202")], [minidisk("0201", "DB1"), minidisk("0202", "DB1")])
    assert {volume.spindle for volume in found} == {"label DB1"}


def scsi(lun: str, *paths: str, wwid: str = "") -> list[Volume]:
    """Return the volumes of the paths to a LUN."""
    disks = [Disk("0.0.1900", wwpn=wwpn, lun=lun) for wwpn in paths]
    layers, devices, dasd = frames(disks)
    if wwid:
        at = [*layers.times, 0]
        columns = {name: [*cells, absent("not read")] for name, cells in layers.columns.items()}
        columns |= {"uuid": [*[absent("no")] * len(disks), f"mpath-{wwid}"]}
        columns |= {"below": [*[absent("no")] * len(disks), " ".join(layers.keys)]}
        layers = Frame(LAYER, [*layers.keys, "252:0"], columns, at)
    return list(VolumeIndex(layers, devices, dasd, (), NO_SITE, GUEST).values())


def test_a_lun_of_a_ds8000_names_lss_and_volume() -> None:
    """0x40XX40YY is LSS XX and volume YY; that it is a DS8000 is assumed."""
    (found,) = scsi("0x4010402a00000000", "0x500507630a1b06dc")
    assert (found.lcu, found.ua, found.side, found.grade) == ("LSS 10", "2A", "server 0", Grade.ASSUMED)


def test_another_lun_names_nothing() -> None:
    """Only that one form is taken for a DS8000's."""
    (found,) = scsi("0x0001000000000000", "0x500507630a1b06dc")
    assert found.lcu is OTHER_LUN


def test_paths_of_a_multipath_device_are_one_volume() -> None:
    """The world-wide id joins what ports tell apart."""
    found = scsi("0x4010402a00000000", "0x5005076300000001", "0x5005076300000002", wwid="36005076303ffc0001")
    assert (len(found), len({v.spindle for v in found}), len({v.key for v in found})) == (2, 1, 1)


def test_ports_that_nothing_joins_are_kept_apart() -> None:
    """They may be of two storage servers."""
    found = scsi("0x4010402a00000000", "0x5005076300000001", "0x5005076300000002")
    assert len({v.key for v in found}) == 2


def test_a_disk_behind_virtio_scsi_is_known_by_its_wwid() -> None:
    """It has no port, and its bus id is that of the adapter, which is not its row in DEVICE."""
    layers, devices, dasd = frames([Disk("0.0.0002")])
    told = {"name": ["sda"], "wwid": ["naa.6005076303ffc1ae0000000000008101"]}
    layers = layers.but(columns={**layers.columns, **told})
    found = VolumeIndex(layers, devices, dasd, (), NO_SITE)["94:0"]
    assert (found.lcu, found.key, found.device) == ("LSS 81", "IBM.5005076303ffc1ae.LSS81", "sda")


def test_a_disk_of_another_sort_says_that_it_is_none() -> None:
    """A loop device, a disk of a PC: nothing is known, for a reason."""
    layers, devices, dasd = frames([Disk("0.0.0201")])
    layers = layers.but(columns={**layers.columns, "busid": [absent("no ccw device")]})
    found = VolumeIndex(layers, devices, dasd, (), NO_SITE)["94:0"]
    assert (found.disk, isinstance(found.lcu, Absent), found.key) == ("dasd0", True, "disk 94:0")


def test_a_number_that_was_not_read_is_no_volume() -> None:
    """The mapping has no such key, and makes none up."""
    none = empty_frame(LAYER, "not asked for"), empty_frame(DEVICE, "x"), empty_frame(DASD, "x")
    found = VolumeIndex(*none, (), NO_SITE)
    assert ("94:4" in found, found.get("94:4"), len(found)) == (False, None, 0)


def test_where_linux_runs_is_told_by_its_machine() -> None:
    """Environment and user id; what is absent is not known."""
    columns: dict[str, list[Value]] = {"environment": ["zvm"], "guest_name": ["LINDB01"]}
    assert (
        platform_of(Frame(MACHINE, ["machine"], columns, [0])),
        platform_of(empty_frame(MACHINE, "x")),
    ) == (
        GUEST,
        Platform(),
    )


# --- the case study


def rows(name: str) -> list[tuple[int, str]]:
    """Return the numbered lines of a sample, without what is expected of them."""
    lines = enumerate((SAMPLES / f"{name}.txt").read_text().splitlines(), 1)
    return [(number, line) for number, line in lines if not line.startswith(("#", "*"))]


def answered() -> list[Claim]:
    """Return what QUERY VIRTUAL DASD says in the case study."""
    return [
        virtual(line[5:9], line[50:54], line[15:21].strip(), line=number, length=int(line[26:36]))
        for number, line in rows("qvdasd-casestudy")
    ]


def directory() -> list[Claim]:
    """Return what the user directory says in the case study."""
    words = ((number, line.split()) for number, line in rows("directory-casestudy"))
    return [minidisk(word[1], word[5], line=number) for number, word in words if word[0] == "MDISK"]


def listed(name: str) -> list[Claim]:
    """Return what QUERY DASD says in the case study."""
    found = rows(name)
    claims = [real(line[5:9], line[20:26].strip()) for _, line in found if line[10:12] == "CP"]
    free = [real(line[5:9], line[10:16].strip(), "FREE") for _, line in found if line[10:12] != "CP"]
    return claims + free


DATA = [Disk(f"0.0.{claim.vdev.lower()}") for claim in directory()]
TABLE = {"LCU 1": 4, "LCU 2": 8, "LCU 5": 3, "LCU 6": 13}


@pytest.mark.parametrize(
    "claims", [answered(), directory() + listed("qdasd-casestudy")], ids=["cp", "directory"]
)
def test_both_ways_give_the_table_of_the_case_study(claims: list[Claim]) -> None:
    """CP's answer about the guest, and its directory with CP's list of volumes, tell the same."""
    assert Counter(found.lcu for found in all_of(DATA, claims, site())) == TABLE


def test_a_frame_of_claims_is_as_good_as_the_claims() -> None:
    """A recording tells what the command line told."""
    frame = claims_frame(answered(), 0)
    found = VolumeIndex(*frames(DATA), frame, site(), GUEST)
    assert list(found.values()) == all_of(DATA, answered(), site())


def test_a_label_that_is_missing_or_there_twice_is_told() -> None:
    """One volume has no device, of the other the system's is taken, flagged."""
    found = {v.volser: v for v in all_of(DATA, directory() + listed("qdasd-casestudy-missing"), site())}
    lost = found["PUNCFK"].rdev
    assert isinstance(lost, Absent)
    assert lost.reason.endswith(" PUNCFK")
    assert (found["CGNXF3"].rdev, len(found["CGNXF3"].conflicts)) == ("76D8", 1)


# --- whatever is claimed

VDEVS = ("0200", "0201", "0202")
claims_of_any_kind = st.lists(
    st.builds(
        Claim,
        vdev=st.sampled_from(("", *VDEVS)),
        rdev=st.sampled_from(("", "7600", "7601", "7500")),
        volser=st.sampled_from(("", "AAA", "BBB")),
        user=st.sampled_from(("", "LINDB01", "LINDB02")),
        ssid=st.sampled_from(("", "1500")),
        mode=st.sampled_from(("", "R/W", "CP-SYSTEM", "FREE")),
        via=st.sampled_from(("QUERY VIRTUAL DASD", "QUERY DASD", "MDISK", "DEDICATE", "LINK A 0200, MDISK")),
        origin=st.sampled_from(("/dev/vmcp", "cp.txt")),
        line=st.integers(0, 3),
        weak=st.sampled_from(("", "cut")),
        first=st.sampled_from((None, 0, 1)),
        length=st.sampled_from((None, 3338, 3339)),
    ),
    max_size=7,
)
uids = st.lists(st.sampled_from((NONE, UID, MINIDISK, "IBM.1.1600.18")), min_size=3, max_size=3)


def disks(spelled: Sequence[Value]) -> list[Disk]:
    """Return a disk for each of the numbers."""
    return [Disk(f"0.0.{vdev}", uid, volser="AAA") for vdev, uid in zip(VDEVS, spelled, strict=True)]


def found_for(claims: Sequence[Claim], spelled: Sequence[Value]) -> Mapping[str, Volume]:
    """Return the volumes of three disks with a rule of the site."""
    return dict(VolumeIndex(*frames(disks(spelled)), claims, site(), GUEST))


def own(claims: Sequence[Claim], vdev: Value) -> list[Claim]:
    """Return the claims about a device of this guest."""
    return [claim for claim in claims if claim.vdev == vdev and claim.user in {"", "LINDB01"}]


@given(claims_of_any_kind, uids)
def test_no_pair_is_made_up(claims: list[Claim], spelled: list[Value]) -> None:
    """A device is on a real one that a claim about it names, by number or by a label of that."""
    for known in found_for(claims, spelled).values():
        if isinstance(known.rdev, str):
            named = own(claims, known.vdev)
            labels = {claim.volser for claim in claims if claim.rdev == known.rdev and claim.volser}
            assert any(claim.rdev == known.rdev or claim.volser in labels for claim in named)


@given(claims_of_any_kind, uids, st.randoms(use_true_random=False))
def test_the_order_of_claims_does_not_matter(
    claims: list[Claim], spelled: list[Value], random: Random
) -> None:
    """Who is told first is told the same."""
    shuffled = list(claims)
    random.shuffle(shuffled)
    assert found_for(claims, spelled) == found_for(shuffled, spelled)


@given(claims_of_any_kind, uids)
def test_what_contradicts_is_always_told(claims: list[Claim], spelled: list[Value]) -> None:
    """Two numbers or two labels of one device never pass without a word."""
    for known in found_for(claims, spelled).values():
        named = own(claims, known.vdev)
        numbers = {claim.rdev for claim in named} - {""}
        labels = {claim.volser for claim in named} - {""}
        assert known.conflicts or (len(numbers) < 2 and len(labels) < 2)


@given(claims_of_any_kind, uids)
def test_asked_for_one_disk_the_answer_is_the_same(claims: list[Claim], spelled: list[Value]) -> None:
    """A lookup of one file and a table of all disks agree."""
    for number, known in found_for(claims, spelled).items():
        assert VolumeIndex(*frames(disks(spelled)), claims, site(), GUEST)[number] == known


@given(claims_of_any_kind, uids)
def test_two_lcus_are_never_one_group(claims: list[Claim], spelled: list[Value]) -> None:
    """Disks whose unique ids name different LCUs have different keys."""
    known = found_for(claims, spelled).values()
    groups = {(".".join(v.uid.split(".")[:3]), v.key) for v in known if isinstance(v.uid, str)}
    assert len({key for _, key in groups}) == len(groups)


def test_lcus_of_two_boxes_with_one_number_have_different_names() -> None:
    """The end of the serial number is with the name, as in the tables of LCUs."""
    uids = {"0.0.7101": "IBM.750000000CS571.7100.01", "0.1.7101": "IBM.750000000CS572.7100.01",
            "0.0.7201": "IBM.750000000CS571.7200.01"}  # fmt: skip
    devices = frame_of(DEVICE, {busid: {"uid": uid} for busid, uid in uids.items()}, 1)
    layers = frame_of(LAYER, {
        f"94:{4 * at}": {"name": f"dasd{'abc'[at]}", "sort": "disk", "busid": busid}
        for at, busid in enumerate(uids)
    }, 1)  # fmt: skip
    index = VolumeIndex(layers, devices, empty_frame(DASD, "no"), (), NO_SITE)
    assert [volume.lcu_name for volume in index.values()] == [
        "LCU CS571.7100", "LCU CS572.7100", "LCU 7200",
    ]  # fmt: skip
    assert [title for _key, title in sorted(titles(lcus(devices)).items())] == [
        "LCU CS571.7100", "LCU 7200", "LCU CS572.7100",
    ]  # fmt: skip
