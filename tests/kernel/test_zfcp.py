"""FCP adapters and LUNs, as the zfcp driver and the SCSI layer count them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, code_of
from zmon.kernel.tree import LiveTree
from zmon.kernel.zfcp import DEVICES, HOSTS, ZfcpReader, parse_hex, parse_numbers, parse_words
from zmon.kinds import NO_ADAPTER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

LUN = "sys/class/scsi_device/0:0:1:1074741264/device"
FILES = {
    "sys/class/fc_host/host0/port_state": b"Online\n",
    "sys/class/fc_host/host0/port_type": b"NPIV VPORT\n",
    "sys/class/fc_host/host0/speed": b"16 Gbit\n",
    "sys/class/scsi_host/host0/utilization": b"3 2 11\n",
    "sys/class/scsi_host/host0/requests": b"100 200 3\n",
    "sys/class/scsi_host/host0/megabytes": b"7 9\n",
    "sys/class/scsi_host/host0/queue_full": b"1 5000000\n",
    "sys/class/fc_remote_ports/rport-0:0-0/port_state": b"Online\n",
    "sys/class/fc_remote_ports/rport-0:0-0/port_name": b"0x500507630a1b06dc\n",
    "sys/class/fc_remote_ports/rport-0:0-0/roles": b"FCP Target\n",
    "sys/class/fc_remote_ports/rport-0:0-1/port_state": b"Blocked\n",
    "sys/class/fc_remote_ports/rport-9:0-0/port_state": b"Online\n",
    f"{LUN}/hba_id": b"0.0.1900\n",
    f"{LUN}/state": b"running\n",
    f"{LUN}/zfcp_failed": b"0\n",
    f"{LUN}/block/sda/dev": b"8:0\n",
    f"{LUN}/read_latency": b"100 900 5000 10 90 500 7\n",
    f"{LUN}/ioerr_cnt": b"0x1f\n",
    "sys/class/scsi_device/1:0:0:0/device/state": b"running\n",
}
LINKS = {"sys/class/fc_host/host0": "../../devices/css0/0.0.0010/0.0.1900/host0/fc_host/host0"}
HOST = "sys/devices/css0/0.0.0010/0.0.1900/host0/fc_host/host0"


@pytest.fixture
def frames(make_tree: Callable[..., Tree]) -> tuple[Frame, ...]:
    """An adapter with one LUN; another SCSI device is not behind FCP."""
    moved = {path.replace("sys/class/fc_host/host0", HOST): data for path, data in FILES.items()}
    return ZfcpReader(make_tree({**FILES, **moved}, LINKS)).read()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("port_state", "Online"),
        ("port_type", "NPIV VPORT"),
        ("port", 11),
        ("outputs", 200),
        ("megabytes_out", 9),
        ("queue_full", 1),
        ("queue_used", 5_000_000),
        ("ports", 2),
        ("ports_online", 1),
    ],
)
def test_an_adapter(frames: tuple[Frame, ...], field: str, value: object) -> None:
    """Its row has the bus id; ports are those of its own host."""
    assert frames[0].keys == ["0.0.1900"]
    assert frames[0].cell("0.0.1900", field) == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "sda"),
        ("adapter", "0.0.1900"),
        ("read_fabric", 5000),
        ("read_channel", 500),
        ("read_count", 7),
        ("errors", 31),
        ("failed", 0),
    ],
)
def test_a_lun(frames: tuple[Frame, ...], field: str, value: object) -> None:
    """Sums of latencies are kept, not the extremes, which count since the last reset."""
    assert frames[1].keys == ["0:0:1:1074741264"]
    assert frames[1].cell("0:0:1:1074741264", field) == value


def test_the_ports_that_an_adapter_sees(frames: tuple[Frame, ...]) -> None:
    """Those of hosts that are no FCP adapter have no row; what a port does not say is absent."""
    ports = frames[2]
    assert ports.keys == ["rport-0:0-0", "rport-0:0-1"]
    assert ports.column("state") == ["Online", "Blocked"]
    assert ports.cell("rport-0:0-0", "port_name") == "0x500507630a1b06dc"
    assert ports.cell("rport-0:0-0", "roles") == "FCP Target"
    assert isinstance(ports.cell("rport-0:0-1", "port_name"), Absent)


def test_what_an_adapter_does_not_measure_is_absent(make_tree: Callable[..., Tree]) -> None:
    """It answers EOPNOTSUPP."""
    refusal = {"sys/class/scsi_host/host0/utilization": OSError(95, "Operation not supported")}
    adapters, luns, _ports = ZfcpReader(make_tree({}, LINKS, refusal)).read()
    assert adapters.keys == ["0.0.1900"]
    assert isinstance(adapters.cell("0.0.1900", "port"), Absent)
    assert luns.missing is not None


def test_a_machine_without_fcp_says_so(make_tree: Callable[..., Tree]) -> None:
    """No adapter is no error."""
    for found in ZfcpReader(make_tree({})).read():
        assert found.keys == []
        assert found.missing is not None


BUS = {
    "sys/bus/ccw/devices/0.0.1900/online": b"1\n",
    "sys/bus/ccw/drivers/zfcp/0.0.1900/online": b"1\n",
}


def test_a_capture_without_the_directory_of_the_driver_does_not_either(
    make_tree: Callable[..., Tree],
) -> None:
    """The device names its driver."""
    device = "sys/bus/ccw/devices/0.0.1900"
    tree = make_tree({f"{device}/online": b"1\n"}, {f"{device}/driver": "../../../../bus/ccw/drivers/zfcp"})
    adapters, _behind, ports = ZfcpReader(tree).read()
    assert HOSTS in str(adapters.missing)
    assert HOSTS in str(ports.missing)


@pytest.mark.parametrize(
    ("files", "code", "luns"),
    [
        (BUS, "", []),
        (BUS | {path: data for path, data in FILES.items() if path.startswith(LUN)}, "", ["sda"]),
        (BUS | {"sys/bus/ccw/devices/0.0.1900/online": b"0\n"}, NO_ADAPTER.code, []),
    ],
)
def test_a_capture_without_hosts_does_not_say_that_there_is_no_adapter(
    make_tree: Callable[..., Tree], files: dict[str, bytes], code: str, luns: list[str]
) -> None:
    """An adapter on line has a host, so the capture lacks it; LUNs are read all the same."""
    adapters, behind, ports = ZfcpReader(make_tree(files)).read()
    assert [adapters.keys, ports.keys, behind.column("name")] == [[], [], luns]
    assert code_of(adapters.missing) == code
    assert (HOSTS in str(adapters.missing), HOSTS in str(ports.missing)) == (not code, not code)
    assert (DEVICES in str(behind.missing)) == (not code and not luns)


@given(st.text(max_size=60), st.integers(1, 7))
def test_any_content_is_parsed_or_refused(content: str, count: int) -> None:
    """Counts have 64 bits at the most, words can be printed."""
    with suppress(ValueError):
        assert all(0 <= number < 10**20 for number in parse_numbers(content, count))
    with suppress(ValueError):
        assert 0 <= parse_hex(content) < 1 << 32
    with suppress(ValueError):
        assert str(parse_words(content)).isprintable()


@given(st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=7), st.integers(0, (1 << 32) - 1))
def test_what_the_kernel_writes_is_read(numbers: list[int], count: int) -> None:
    """Decimal numbers by blanks, and hexadecimal ones; those above 31 bits are written with their sign."""
    assert parse_numbers(" ".join(map(str, numbers)) + "\n", len(numbers)) == tuple(numbers)
    signed = count if count < 1 << 31 else count - (1 << 32)
    assert parse_hex(f"{signed & (1 << 64) - 1:#x}\n") == count


def test_a_lun_is_read_in_its_own_directory(tmp_path: Path) -> None:
    """The kernel lists it by a link; its counts are read behind it, and a LUN that comes is seen at once."""

    def add(key: str, disk: str) -> None:
        real = tmp_path / "sys/devices/css0/0.0.0010/0.0.1900/host0/target0" / key
        (real / "scsi_device" / key).mkdir(parents=True)
        (real / "scsi_device" / key / "device").symlink_to("../..")
        (real / "block" / disk).mkdir(parents=True)
        (real / "hba_id").write_text("0.0.1900\n")
        (real / "ioerr_cnt").write_text("0x2\n")
        below = real.relative_to(tmp_path / "sys")
        (tmp_path / "sys/class/scsi_device" / key).symlink_to(f"../../{below}/scsi_device/{key}")

    (tmp_path / "sys/class/scsi_device").mkdir(parents=True)
    (tmp_path / "sys/class/fc_host").mkdir()
    add("0:0:0:0", "sda")
    reader = ZfcpReader(LiveTree(str(tmp_path)))
    assert reader.read()[1].column("name") == ["sda"]
    add("0:0:0:1", "sdb")
    found = reader.read()[1]
    assert (found.column("name"), found.column("errors")) == (["sda", "sdb"], [2, 2])
