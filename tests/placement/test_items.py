from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.placement.guest import FILES as GUEST
from tests.placement.guest import machine
from tests.placement.study import FILES, MIB, NO, SECOND, filled, sample, site, with_traffic
from zmon.base.absent import Absent
from zmon.interval import Interval
from zmon.kinds import BLOCK, CONTAINER, DASD, DEVICE, LAYER, MACHINE
from zmon.placement.items import Hindrance, Placement, UnitIndex, UnitKind, placement_of
from zmon.placement.measures import sums
from zmon.placement.pieces import pieces
from zmon.placement.traffic import disks_traffic
from zmon.topology.claims import Grade
from zmon.topology.machine import Machine, UserInputs
from zmon.topology.site_file import parse_site

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.sample import Sample

INPUTS = UserInputs(site())
LCU6 = "IBM.75000000092461.2486"


def look(by: UnitKind = UnitKind.LCU, **more: object) -> Placement:
    return placement_of(Machine(sample(**more), INPUTS), by=by)  # type: ignore[arg-type]  # as of `sample`


def test_every_container_is_an_item_with_its_bytes() -> None:
    """16 files; those of T1 lie wholly on LCU 6."""
    found = look()
    assert len(found.items) == len(FILES)
    assert found.items[0].bytes_on == {LCU6: 6 * MIB}


def test_a_hard_link_adds_nothing() -> None:
    """The bytes of a file of several names lie on their disks once."""
    one = placement_of(machine())
    two = placement_of(machine(GUEST | {"/db/z": GUEST["/db/a"]}))
    assert sums(two.items) == sums(one.items)
    assert (two.rows[-1].path, two.rows[-1].placed, two.rows[-1].unplaced) == ("/db/z", 0, 0)
    assert "hard link" in two.rows[-1].problem
    assert [piece.held for piece in pieces(machine(GUEST | {"/db/z": GUEST["/db/a"]}))][:1] == [
        piece.held for piece in pieces(machine())
    ][:1]


def test_a_file_on_a_logical_volume_names_it() -> None:
    """A multipath disk is a device of the device mapper, too, and no logical volume."""
    found = {item.name: item.logical_volume for item in placement_of(machine()).items}
    assert (found["/db/a"], found["/fcp/d"], found["/var/e"]) == ("vg/lv", "", "")


def test_all_units_that_linux_sees_are_available() -> None:
    """Not only those that hold data; 2 stands before 10."""
    assert [unit.name for unit in look().units] == [f"LCU {number}" for number in range(8)]


def test_units_have_the_names_of_the_storage_without_a_site() -> None:
    """Nothing is made of a device number that nobody has given a meaning."""
    found = placement_of(Machine(sample()))
    assert [unit.name for unit in found.units][:2] == ["LCU 2480", "LCU 2481"]


def test_capacities_and_sides_are_those_of_the_site() -> None:
    """In bytes a second."""
    found = look()
    assert {unit.capacity for unit in found.units} == {40e6}
    assert [unit.side for unit in found.units[:2]] == ["even", "odd"]
    assert found.channels == {"even": 72e6, "odd": 72e6}


def test_a_known_place_has_no_problem() -> None:
    """And the grade of its worst step, the LCU among them."""
    found = look()
    assert {row.problem for row in found.rows} == {""}
    assert found.grade is Grade.EXACT


def test_an_unknown_lcu_is_never_another() -> None:
    """Its bytes are left out, and why is said of each file."""
    made = sample()
    devices = filled(DEVICE, {f"0.0.7{n}00": {"online": 1} for n in range(8)}, 0)
    found = placement_of(Machine(made._replace(frames={**made.frames, "device": devices})))
    assert found.units == ()
    assert {item.unplaced for item in found.items} == {mib * MIB for _, _, mib, _ in FILES}
    assert all("dasd" in row.problem for row in found.rows)


def test_a_file_that_is_not_there_stays_a_row() -> None:
    """With the reason."""
    made = sample()
    gone = filled(CONTAINER, {"/db/gone": {"tablespace": "T9", "real": NO, "number": NO, "ranges": NO}}, 0)
    found = placement_of(Machine(made._replace(frames={**made.frames, "container": gone})))
    assert [(row.path, row.placed, row.problem) for row in found.rows] == [("/db/gone", 0, NO.reason)]


def test_over_disks() -> None:
    """Each volume is a unit."""
    found = look(UnitKind.DISK)
    assert len(found.units) == 8
    assert sum(len(item.bytes_on) for item in found.items) == len(FILES)


@pytest.mark.parametrize(("label", "name"), [("0X7600", "7600"), ("DB2D01", "DB2D01"), ("0X7500", "0X7500")])
def test_a_label_made_of_the_device_number_is_that(label: str, name: str) -> None:
    """As dasdfmt makes one, not a label of another device; other screens name the volume by its number."""
    made = sample()
    labelled = filled(DASD, {"0.0.7600": {"volser": label}}, 0)
    machine = Machine(made._replace(frames={**made.frames, "dasd": labelled}))
    found = placement_of(machine, by=UnitKind.DISK)
    (volume,) = (volume for volume in machine.volumes.values() if volume.busid == "0.0.7600")
    (unit,) = (unit for unit in found.units if unit.key == volume.spindle)
    assert unit.title == name
    assert label.casefold() in unit.others
    assert found.titles[volume.spindle].split()[0] == name


@pytest.mark.parametrize("by", UnitKind)
def test_what_lies_on_no_disk_is_on_no_unit(by: UnitKind) -> None:
    """A loop device is none, and neither is a device that was not read."""
    made = sample()
    cells: dict[str, Value] = {
        "real": "/l/a",
        "mount": NO,
        "ranges": "0+100000",
        "size": MIB,
        "unplaced": 0,
        "encoded": 0,
    }
    rows = {number: cells | {"number": number} for number in ("7:0", "9:9")}
    found = placement_of(
        Machine(made._replace(frames={**made.frames, "container": filled(CONTAINER, rows, 0)})), by=by
    )
    assert [(item.bytes_on, item.unplaced) for item in found.items] == [({}, MIB)] * 2
    assert all(row.problem for row in found.rows)


def test_over_sides() -> None:
    """Two halves of the storage server."""
    found = look(UnitKind.SIDE)
    assert [unit.name for unit in found.units] == ["even", "odd"]
    assert sums(found.items) == {"even": 64 * MIB, "odd": 8 * MIB}


def test_over_sides_that_nobody_knows() -> None:
    """There is no guess from the last digit."""
    found = placement_of(Machine(sample()), by=UnitKind.SIDE)
    assert found.units == ()
    assert "side" in found.rows[0].problem


def test_sides_of_two_storage_servers_are_four() -> None:
    """Each has a server 0 of its own."""
    made = sample()
    boxes = [f"IBM.7500000000{n // 4}.{lss}.00" for n, lss in enumerate(["1500", "1501"] * 4)]
    devices = {f"0.0.7{n}00": {"uid": uid, "cutype": "2107/e8"} for n, uid in enumerate(boxes)}
    dasd = {busid: {"lss": n % 2} for n, busid in enumerate(devices)}
    lpar = {"machine": {"environment": "lpar"}}
    frames = [filled(DEVICE, devices, 0), filled(DASD, dasd, 0), filled(MACHINE, lpar, 0)]
    found = placement_of(
        Machine(made._replace(frames={**made.frames, **{each.kind.name: each for each in frames}})),
        by=UnitKind.SIDE,
    )
    assert [unit.name for unit in found.units] == [
        "server 0 of 75000000000", "server 0 of 75000000001",
        "server 1 of 75000000000", "server 1 of 75000000001",
    ]  # fmt: skip


def test_what_of_a_file_is_on_no_disk_is_unplaced() -> None:
    """Though its extents are not known: what its device lacks, no unit has."""
    machine = Machine(sample(), INPUTS)
    whole = machine.locations["/db/t1.0"]
    laid = UnitIndex(machine, UnitKind.LCU).count(whole._replace(size=8 * MIB, unplaced=NO))
    assert (laid.units, laid.unplaced) == ({LCU6: 6 * MIB}, 2 * MIB)


def test_pins_of_the_site() -> None:
    """By path or by tablespace."""
    pins = parse_site('pins = ["T2", "/db/t1.0"]\n', "site.toml")
    held = {item.name for item in placement_of(Machine(sample(), UserInputs(pins))).items if item.pinned}
    assert held == {"/db/t1.0", "/db/t2.0", "/db/t2.1", "/db/t2.2", "/db/t2.3"}


def test_what_belongs_to_no_tablespace_is_named_by_its_role() -> None:
    """Such as logs."""
    files = [("/log/1", "", 3, 1)]
    found = placement_of(Machine(sample(files, roles={"/log/1": "log"}), INPUTS))
    assert found.items[0].tablespace == "(log)"
    assert found.items[0].is_log


def between(**more: object) -> Interval:
    return Interval(sample(), sample(when=10 * SECOND, sectors={6: 200_000, 2: 50_000}, **more))  # type: ignore[arg-type]  # as of `sample`


def test_the_traffic_of_disks() -> None:
    """Sectors of 512 bytes in ten seconds."""
    found = disks_traffic(between())
    assert found["94:24"] == pytest.approx(10.24e6)
    assert found["94:0"] == 0


def test_traffic_is_shared_by_bytes_where_nothing_better_is_known() -> None:
    """Of files of 44 MiB on a disk one of 6 MiB has 6 parts of 44; T3 is idle, as a disk of its own shows."""
    interval = between()
    found = with_traffic(interval, INPUTS)
    first = found.items[0].load_on
    assert not isinstance(first, Absent)
    assert first[LCU6] == pytest.approx(10.24e6 * 6 / 44)


def test_without_counters_no_traffic_is_known() -> None:
    """And none is made up."""
    interval = between()
    after = interval.after
    bare = after._replace(frames={name: frame for name, frame in after.frames.items() if name != "block"})
    found = with_traffic(Interval(bare, bare), INPUTS)
    assert isinstance(found.items[0].load_on, Absent)


def test_the_traffic_of_a_volume_with_several_paths() -> None:
    """Is that of all its paths together."""

    def multipath(when: int, sectors: int) -> Sample:
        made = sample([], when=when)
        disk: dict[str, Value] = {"sort": "disk", "size": 2048, "start": 0, "lun": "0x4010400000000000"}
        rows: dict[str, dict[str, Value]] = {
            "8:0": {**disk, "name": "sda", "wwpn": "0x5005076300c1"},
            "8:16": {**disk, "name": "sdb", "wwpn": "0x5005076300c2"},
            "252:0": {"name": "dm-0", "sort": "dm", "mapped": "mpatha", "uuid": "mpath-36005", "start": 0,
                      "below": "8:0 8:16", "size": 2048},
        }  # fmt: skip
        file: dict[str, dict[str, Value]]
        file = {"/f": {"tablespace": "T", "real": "/f", "number": "252:0", "ranges": "0+80000", "unplaced": 0,
                       "size": 1 << 19, "unwritten": 0, "shared": 0, "encoded": 0}}  # fmt: skip
        blocks: dict[str, dict[str, Value]]
        blocks = {name: {"number": number, "sectors_read": sectors, "sectors_written": 0}
                  for name, number in (("sda", "8:0"), ("sdb", "8:16"))}  # fmt: skip
        frames = {"layer": filled(LAYER, rows, when), "container": filled(CONTAINER, file, when),
                  "block": filled(BLOCK, blocks, when)}  # fmt: skip
        return made._replace(frames={**made.frames, **frames})

    interval = Interval(multipath(0, 0), multipath(SECOND, 1000))
    found = with_traffic(interval, by=UnitKind.DISK)
    loads = found.items[0].load_on
    assert not isinstance(loads, Absent)
    assert loads[found.units[0].key] == pytest.approx(2 * 1000 * 512)


def test_files_of_a_directory_that_db2_manages_are_pinned() -> None:
    """No statement moves one of them; the tag of the container tells which they are."""
    made = sample(
        [("/db/sms/SQLTAG.NAM", "TS", 1, 0), ("/db/sms/SQL2.DAT", "TS", 1, 0), ("/db/f", "TS", 1, 0),
         ("/db/untagged/SQL00002.TDA", "TS", 1, 0)]
    )  # fmt: skip
    found = placement_of(Machine(made))
    assert {item.name: bool(item.pinned) for item in found.items} == {
        "/db/sms/SQLTAG.NAM": True, "/db/sms/SQL2.DAT": True, "/db/f": False,
        "/db/untagged/SQL00002.TDA": True,
    }  # fmt: skip


def test_files_of_automatic_storage_are_pinned() -> None:
    """Db2 adds and drops paths of a storage group, not single files: their paths tell which they are."""
    path = "/db2/d1/db2inst1/NODE0000/PROD/T0000004/C0000000.LRG"
    found = placement_of(Machine(sample([(path, "TS", 1, 0), ("/db2/C0000000.LRG", "TS", 1, 0)])))
    assert [item.pinned for item in found.items] == [Hindrance.AUTOMATIC, None]
