"""zmon.topology.volumes: devices grouped by logical control unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.kernel.ccw_device import read_devices
from zmon.kinds import DEVICE
from zmon.sample import Frame, empty_frame
from zmon.topology.claims import Evidence, Grade
from zmon.topology.volumes import Lcu, Volume, lcus, titles, with_claimed

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree

    Row = tuple[str, Value, Value, Value]

BASE = "IBM.750000000DXP71.1500.18"
HYPERPAV = "IBM.750000000DXP71.1500.xx"
FBA = absent("no uid")


def devices(*rows: Row) -> Frame:
    """Build a device frame from bus id, uid, alias and chpids."""
    names = ("uid", "alias", "chpids")
    columns = {name: [row[number] for row in rows] for number, name in enumerate(names, 1)}
    return Frame(DEVICE, [row[0] for row in rows], columns, [0] * len(rows))


@pytest.mark.parametrize(
    ("uid", "alias", "is_base"),
    [
        (BASE, 0, True),
        (BASE, 1, False),
        (HYPERPAV, 1, False),
        (BASE, absent("gone"), True),
    ],
)
def test_bases_and_aliases(uid: str, alias: Value, is_base: bool) -> None:
    """A PAV alias has the unique id of its base and alias 1; a HyperPAV alias has unit address xx."""
    (lcu,) = lcus(devices(("0.0.1518", uid, alias, "4e"))).values()
    assert (lcu.bases, lcu.aliases)[not is_base] == ("0.0.1518",)


def test_members_are_sorted_and_split_by_role() -> None:
    """An LCU lists its devices ascending, bases and aliases apart, and all paths once."""
    frame = devices(
        ("0.0.15f0", HYPERPAV, 1, "4e 4f"),
        ("0.0.1518", BASE, 0, "4e 5e"),
        ("0.0.15f1", BASE, 1, "5e"),
        ("0.0.1519", "IBM.750000000DXP71.1500.19", 0, absent("needs root")),
    )
    assert lcus(frame) == {
        "IBM.750000000DXP71.1500": Lcu(
            vendor="IBM",
            serial="750000000DXP71",
            ssid="1500",
            members=("0.0.1518", "0.0.1519", "0.0.15f0", "0.0.15f1"),
            bases=("0.0.1518", "0.0.1519"),
            aliases=("0.0.15f0", "0.0.15f1"),
            chpids=("4e", "4f", "5e"),
        )
    }


def test_an_lcu_is_found_by_its_own_key() -> None:
    """The key of an LCU is the one it is listed under."""
    assert [(key, lcu.key) for key, lcu in lcus(devices(("0.0.1518", BASE, 0, "4e"))).items()] == [
        ("IBM.750000000DXP71.1500", "IBM.750000000DXP71.1500")
    ]


def test_one_subsystem_id_in_two_servers_is_two_lcus() -> None:
    """Subsystem ids need not be unique across storage servers."""
    frame = devices(("0.0.1518", BASE, 0, "4e"), ("0.0.2518", "IBM.750000000ABC12.1500.18", 0, "4f"))
    assert list(lcus(frame)) == ["IBM.750000000ABC12.1500", "IBM.750000000DXP71.1500"]


def test_where_two_servers_have_the_same_subsystem_id_the_serial_tells_them_apart() -> None:
    """Its last five characters are on the servers' labels; an LCU with a name of its own keeps it."""
    frame = devices(
        ("0.0.1518", BASE, 0, "4e"),
        ("0.0.2518", "IBM.750000000ABC12.1500.18", 0, "4f"),
        ("0.0.3518", "IBM.750000000ABC12.1600.18", 0, "4f"),
    )
    assert titles(lcus(frame)) == {
        "IBM.750000000ABC12.1500": "LCU ABC12.1500",
        "IBM.750000000ABC12.1600": "LCU 1600",
        "IBM.750000000DXP71.1500": "LCU DXP71.1500",
    }


@pytest.mark.parametrize("uid", [FBA, "", "nonsense", "IBM.1500"])
def test_without_a_unique_id_of_known_form_there_is_no_lcu(uid: Value) -> None:
    """A device without a unique id that can be taken apart is in no LCU: nothing is guessed."""
    frame = devices(("0.0.0190", uid, 0, "01"), ("0.0.1518", BASE, 0, "4e"))
    assert [lcu.members for lcu in lcus(frame).values()] == [("0.0.1518",)]


def test_without_devices_there_are_no_lcus() -> None:
    """An empty frame has no LCUs."""
    assert lcus(empty_frame(DEVICE, "no channel subsystem here")) == {}


def test_hercules_shows_three_lcus(load_tree: Callable[..., Tree]) -> None:
    """Volumes of one serial and one subsystem id share an LCU."""
    found = lcus(read_devices(load_tree("css-hercules")))
    assert {key: lcu.members for key, lcu in found.items()} == {
        "HRC.ZZ000000000001.7000": ("0.0.7000", "0.0.7001"),
        "HRC.ZZ000000000001.7100": ("0.0.7100", "0.0.7101"),
        "HRC.ZZ000000000001.7200": ("0.0.7200",),
    }


def test_hyperion_shows_an_lcu_per_volume(load_tree: Callable[..., Tree]) -> None:
    """Where every volume has a serial of its own, every volume is an LCU of its own."""
    found = lcus(read_devices(load_tree("css-hyperion")))
    assert {lcu.members for lcu in found.values()} == {
        ("0.0.7000",), ("0.0.7001",), ("0.0.7100",), ("0.0.7200",), ("0.0.7202",),
    }  # fmt: skip


UIDS = st.sampled_from([FBA, "", BASE, HYPERPAV, "IBM.750000000DXP71.1600.00", "HRC.ZZ1.7000.00", "?"])


@given(st.lists(st.tuples(UIDS, st.integers(0, 1))))
def test_every_device_with_a_unique_id_is_in_one_lcu(cells: list[tuple[Value, Value]]) -> None:
    """Grouping loses no device and counts none twice."""
    frame = devices(*((f"0.0.{number:04x}", uid, alias, "4e") for number, (uid, alias) in enumerate(cells)))
    grouped = [busid for lcu in lcus(frame).values() for busid in (*lcu.bases, *lcu.aliases)]
    assert sorted(grouped) == [
        key for key, (uid, _) in zip(frame.keys, cells, strict=True) if uid not in (FBA, "", "?")
    ]


def told(busid: str, key: str, lcu: Value, *, ssid: Value = FBA) -> Volume:
    """Build what is known of a disk: its LCU is of this name and key."""
    known = {
        "busid": busid,
        "lcu": lcu,
        "key": key,
        "ssid": ssid,
        "grade": Grade.ASSUMED,
        "evidence": (Evidence("label", "X", Grade.EXACT), Evidence("site.toml:4", "LCU 6", Grade.ASSUMED)),
        "conflicts": (),
    }
    return Volume._make(known.get(name, FBA) for name in Volume._fields)


def test_devices_without_a_unique_id_make_the_lcu_that_is_told() -> None:
    """It says by what, and has no aliases that anybody knows of."""
    frame = devices(("0.0.7600", FBA, 0, "40 41"), ("0.0.7601", FBA, 0, "42"))
    volumes = [told(busid, "LCU 6", "LCU 6") for busid in frame.keys]
    unit = with_claimed(frame, {}, volumes)["LCU 6"]
    assert (unit.key, unit.short, unit.ssid, unit.why) == ("LCU 6", "6", "", "site.toml:4")
    assert (unit.bases, unit.aliases, unit.chpids) == (("0.0.7600", "0.0.7601"), (), ("40", "41", "42"))


def test_they_join_the_lcu_that_a_unique_id_names_if_it_is_the_same() -> None:
    """Where a twin on the same volume has one."""
    frame = devices(("0.0.1518", BASE, 0, "4e"), ("0.0.1600", FBA, 0, "4f"))
    known = lcus(frame)
    (unit,) = with_claimed(frame, known, [told("0.0.1600", "IBM.750000000DXP71.1500", "LCU 1500")]).values()
    assert (unit.key, unit.short) == ("IBM.750000000DXP71.1500", "1500")
    assert (unit.members, unit.why) == (("0.0.1518", "0.0.1600"), "site.toml:4")


def test_an_lcu_that_configuration_data_name_has_their_manufacturer() -> None:
    """The device itself has no unique id."""
    volume = told("0.0.1518", "IBM.750000000DXP71.1500", "LCU 1500")._replace(uid=BASE)
    (unit,) = with_claimed(devices(("0.0.1518", FBA, 0, "4e")), {}, [volume]).values()
    assert (unit.vendor, unit.key) == ("IBM", "IBM.750000000DXP71.1500")


def test_a_unique_id_is_never_overruled() -> None:
    """Whatever anybody tells of the device."""
    frame = devices(("0.0.1518", BASE, 0, "4e"))
    assert with_claimed(frame, lcus(frame), [told("0.0.1518", "LCU 6", "LCU 6")]) == lcus(frame)


def test_what_nobody_knows_is_in_no_lcu() -> None:
    """Nor is a disk that is no device of the channel subsystem."""
    frame = devices(("0.0.7600", FBA, 0, "40"))
    volumes = [told("0.0.7600", "disk 0.0.7600", FBA), told("0.0.9999", "LCU 6", "LCU 6")]
    assert with_claimed(frame, {}, volumes) == {}


def lun(disk: str, spindle: str, chpids: str) -> Volume:
    """Build what is known of one path to a LUN of a DS8000."""
    known = {
        "busid": "0.0.1900", "disk": disk, "lun": "0x4010402a00000000", "lcu": "LSS 10", "lss": "10",
        "key": "3600507630affc16b00000000000010 LSS 10", "spindle": spindle, "chpids": chpids,
        "grade": Grade.ASSUMED, "evidence": (Evidence("device/fcp_lun", "LSS 10", Grade.ASSUMED),),
    }  # fmt: skip
    return Volume._make(known.get(name, FBA) for name in Volume._fields)


def test_a_lun_is_one_volume_of_its_lss_however_many_paths_lead_to_it() -> None:
    """Its disks are members by their names, for the bus id is the adapter's."""
    volumes = [lun("sda", "A", "50"), lun("sdb", "A", "52"), lun("sdc", "B", "50"), lun("sdd", "B", "52")]
    (unit,) = with_claimed(devices(), {}, volumes).values()
    assert (unit.name, unit.short, unit.lss) == ("LSS 10", "10", "10")
    assert (unit.members, unit.bases) == (("sda", "sdb", "sdc", "sdd"), ("sda", "sdc"))
    assert unit.chpids == ("50", "52")


def test_a_lun_is_a_member_by_the_device_that_joins_its_paths() -> None:
    """That is its row in DEVICE; the channel paths are those of all paths."""
    paths = [("sda", "50"), ("sdb", "52")]
    volumes = [lun(disk, "A", chpid)._replace(joined="dm-0") for disk, chpid in paths]
    (unit,) = with_claimed(devices(), {}, volumes).values()
    assert (unit.members, unit.bases, unit.chpids) == (("dm-0",), ("dm-0",), ("50", "52"))
