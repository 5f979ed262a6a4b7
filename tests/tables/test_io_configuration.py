"""IOCONF: ranges of devices that have everything in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.goldens import facts
from zmon.base.absent import Absent
from zmon.kinds import DEVICE
from zmon.machine.view import View
from zmon.tables.io_configuration import NO_RANGE, NO_SUBCHANNEL, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.interval import Interval

BASE: dict[str, Value] = {
    "devtype": "3390/0c", "cutype": "3990/e9", "chpids": "40 41 42 43", "online": 1, "driver": "dasd-eckd",
    "alias": 0, "pim": 0xF0, "pam": 0xF0, "pom": 0xF0, "vpm": 0xF0,
}  # fmt: skip


def device(number: int, **more: Value) -> tuple[str, dict[str, Value]]:
    """Return a volume of an LCU."""
    own: dict[str, Value] = {
        "uid": f"IBM.750000000L0001.2482.{number & 255:02x}",
        "subchannel": f"0.0.{number - 0x7000:04x}",
    }
    return f"0.0.{number:04x}", BASE | own | more


def shown(
    make_interval: Callable[..., Interval], *rows: tuple[str, dict[str, Value]]
) -> list[tuple[Value, ...]]:
    """Return of each range its devices, number, paths, and lost ones."""
    found = table(View(make_interval({}, {DEVICE: dict(rows)})))
    names = ("devices", "count", "paths", "lost", "status")
    return list(zip(*(found.column(name) for name in names), strict=True))


def test_consecutive_devices_with_equal_paths_are_one_range(make_interval: Callable[..., Interval]) -> None:
    """Their order in the sample does not matter."""
    rows = [device(0x7000 + at) for at in (3, 1, 0, 2)]
    assert shown(make_interval, *rows) == [("7000-7003", 4, 4, 0, "online")]


def test_a_gap_in_the_numbers_ends_a_range(make_interval: Callable[..., Interval]) -> None:
    """Nothing is said of devices that are not there."""
    rows = [device(0x7000), device(0x7001), device(0x7003)]
    assert [row[0] for row in shown(make_interval, *rows)] == ["7000-7001", "7003"]


def test_a_device_that_lost_a_path_stands_alone(make_interval: Callable[..., Interval]) -> None:
    """That is what one looks for in a list of ranges."""
    rows = [device(0x7000), device(0x7001, pom=0xE0), device(0x7002)]
    assert shown(make_interval, *rows) == [
        ("7000", 1, 4, 0, "online"),
        ("7001", 1, 3, 1, "online"),
        ("7002", 1, 4, 0, "online"),
    ]
    found = table(View(make_interval({}, {DEVICE: dict(rows)})))
    assert [*map(facts, found.notes)] == ["7001 1"]


def test_devices_of_another_subchannel_set_are_shown_with_it(make_interval: Callable[..., Interval]) -> None:
    """0.0.7000 and 0.1.7000 are two devices on two subchannels."""
    second = [
        (key.replace("0.0.", "0.1."), row | {"subchannel": str(row["subchannel"]).replace("0.0.", "0.1.")})
        for key, row in (device(0x7000), device(0x7001))
    ]
    rows = [device(0x7000), device(0x7001), *second]
    found = table(View(make_interval({}, {DEVICE: dict(rows)})))
    assert found.column("devices") == ["7000-7001", "0.1.7000-7001"]
    assert found.column("subch") == ["0000-0001", "0.1.0000-0001"]


def test_subchannels_that_do_not_follow_one_another_are_no_range(
    make_interval: Callable[..., Interval],
) -> None:
    """`0017-0010` is none; the devices are one all the same, as they have equal paths."""
    rows = [device(0x7000, subchannel="0.0.0017"), device(0x7001, subchannel="0.0.0016")]
    found = table(View(make_interval({}, {DEVICE: dict(rows)})))
    assert (found.column("devices"), found.column("subch")) == (["7000-7001"], [NO_RANGE])
    unknown = device(0x7000, subchannel=Absent("not read"))
    assert table(View(make_interval({}, {DEVICE: dict([unknown])}))).column("subch") == [NO_SUBCHANNEL]


def test_many_ranges_with_lost_paths_are_counted(make_interval: Callable[..., Interval]) -> None:
    """Four are named, and the list says that it goes on."""
    rows = [device(0x7000 + 2 * at, pom=0xE0) for at in range(6)]
    notes = table(View(make_interval({}, {DEVICE: dict(rows)}))).notes
    assert len(notes) == 5
    assert facts(notes[-1]) == "2"


def test_devices_off_line_are_listed(make_interval: Callable[..., Interval]) -> None:
    """DEVICE leaves them out; here they are part of the configuration."""
    rows = [device(0x7000), device(0x7001, online=0)]
    assert [row[4] for row in shown(make_interval, *rows)] == ["online", "offline"]


def test_a_device_off_line_has_lost_no_path(make_interval: Callable[..., Interval]) -> None:
    """Linux verifies its paths only when it is set online; one that does not work is lost all the same."""
    rows = [device(0x7000, online=0, vpm=0), device(0x7001, online=0, vpm=0, pom=0xE0)]
    assert shown(make_interval, *rows) == [("7000", 1, 4, 0, "offline"), ("7001", 1, 3, 1, "offline")]


def test_lcus_and_aliases_end_a_range(make_interval: Callable[..., Interval]) -> None:
    """Another LCU has other limits; aliases are no volumes."""
    other = device(0x7001, uid="IBM.750000000L0001.2483.01")
    alias = device(0x7002, uid="IBM.750000000L0001.2483.xx", alias=1)
    found = table(View(make_interval({}, {DEVICE: dict([device(0x7000), other, alias])})))
    assert found.column("lcu") == ["2482", "2483", "2483"]
    assert found.column("role") == ["base", "base", "HPAV"]


def test_what_is_not_known_is_absent(make_interval: Callable[..., Interval]) -> None:
    """Without masks it is not known how many paths are lost."""
    found = table(View(make_interval({}, {DEVICE: {"0.0.7000": {"online": 1}}})))
    names = ("lost", "paths", "lcu", "chpids", "subch")
    assert all(isinstance(found.column(name)[0], Absent) for name in names)


def test_a_machine_without_a_channel_subsystem_says_so(make_interval: Callable[..., Interval]) -> None:
    """No row, and the reason."""
    assert table(View(make_interval({}, {}))).missing is not None
