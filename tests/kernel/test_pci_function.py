"""PCI functions of IBM Z, in the forms of the kernel's source."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kernel.pci_function import (
    COUNTERS,
    NO_FUNCTION,
    NOT_IN_FORM,
    STANDBY,
    SWITCHED_OFF,
    parse_hex,
    parse_statistics,
    read_functions,
)
from zmon.kernel.tree import NEEDS_ROOT, LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.kernel.tree import Tree

NETWORK = """Update interval: 4000 ms
Samples: 17
Last update TOD: df8b3c5d12345678
           Load operations:	10
          Store operations:	20
    Store block operations:	30
        Refresh operations:	40
            Received bytes:	1000
          Received packets:	11
         Transmitted bytes:	2000
       Transmitted packets:	22
              Mapped pages:	5
            Unmapped pages:	6
             Global RPCITs:	7
"""
HERE = "sys/devices/pci0001:00/0001:00:00.0"
DISK = "sys/devices/pci0002:00/0002:00:00.0"
FILES = {
    f"{HERE}/function_id": b"0x00000104\n",
    f"{HERE}/pchid": b"0x01c8\n",
    f"{HERE}/pfgid": b"0x08\n",
    f"{HERE}/vfn": b"0x0001\n",
    f"{HERE}/pft": b"0x0a\n",
    f"{HERE}/uid": b"0x1a\n",
    f"{HERE}/port": b"1\n",
    f"{HERE}/class": b"0x020000\n",
    f"{HERE}/util_string": "DB NET".encode("cp500") + b"\x40" * 58,
    **{f"{HERE}/pfip/segment{place}": f"0x8{place}\n".encode() for place in range(4)},
    f"{HERE}/net/eno1/operstate": b"up\n",
    f"{DISK}/function_id": b"0x00000200\n",
    f"{DISK}/class": b"0x010802\n",
    f"{DISK}/util_string": bytes(64),
    f"{DISK}/nvme/nvme0/model": b"x\n",
    f"{DISK}/nvme/nvme0/nvme0n1/size": b"8\n",
    "sys/devices/pci0003:00/0003:00:00.0/class": b"0x060000\n",
    "sys/bus/pci/slots/00000104/power": b"1\n",
    "sys/bus/pci/slots/00000300/power": b"0\n",
    "sys/bus/pci/slots/12/power": b"0\n",
    "sys/kernel/debug/pci/0001:00:00.0/statistics": NETWORK.encode(),
    "sys/kernel/debug/pci/0002:00:00.0/statistics": b"FMB statistics disabled\n",
}
LINKS = {
    **{f"sys/bus/pci/devices/{path.rpartition('/')[2]}": f"../../../{path.removeprefix('sys/')}" for path in
       (HERE, DISK, "sys/devices/pci0003:00/0003:00:00.0")},
    f"{HERE}/driver": "../../../bus/pci/drivers/mlx5_core",
}  # fmt: skip


def test_a_form_of_the_statistics_has_its_counters() -> None:
    """The time of the last update in microseconds; what the form lacks has a reason."""
    found = parse_statistics(NETWORK)
    names = ("update_ms", "samples", "loads", "store_blocks", "received", "packets_out")
    assert [found[name] for name in names] == [4000, 17, 10, 30, 1000, 22]
    assert found["updated"] == 0xDF8B3C5D12345678 >> 12
    assert found["dma_read"] is NOT_IN_FORM
    assert found["mapped"] == 5


def test_statistics_that_are_off_have_the_reason() -> None:
    """They are not zero."""
    assert set(parse_statistics("FMB statistics disabled\n").values()) == {SWITCHED_OFF}


@pytest.mark.parametrize(
    "content", ["", "what is this", "Samples: many\n", "Samples: ff\n", "Load operations:\t-1\n"]
)
def test_other_statistics_are_refused(content: str) -> None:
    """With what was expected."""
    with pytest.raises(ValueError, match=r"expected|empty"):
        parse_statistics(content)


@given(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(content: str) -> None:
    """Nothing but a ValueError comes out."""
    for text in (content, NETWORK + content):
        with suppress(ValueError):
            assert set(parse_statistics(text)) == {"update_ms", "updated", *COUNTERS.values()}
    with suppress(ValueError):
        assert isinstance(parse_hex(content), int)


def test_functions_are_named_by_their_id(make_tree: Callable[..., Tree]) -> None:
    """A bridge of another make is none; one in standby has a slot alone."""
    found = read_functions(make_tree(FILES, LINKS))
    assert found.keys == ["00000104", "00000200", "00000300"]
    names = (
        "address",
        "pchid",
        "pfgid",
        "vfn",
        "pft",
        "uid",
        "port",
        "segments",
        "utility",
        "driver",
        "power",
    )
    assert [found.cell("00000104", name) for name in names] == [
        "0001:00:00.0", 0x1C8, 8, 1, 10, 0x1A, 1, "80.81.82.83", "DB NET", "mlx5_core", 1,
    ]  # fmt: skip
    assert found.cell("00000104", "interfaces") == "eno1"
    assert found.cell("00000104", "received") == 1000
    assert found.cell("00000200", "disks") == "nvme0n1"
    assert found.cell("00000200", "loads") is SWITCHED_OFF
    assert isinstance(found.cell("00000200", "utility"), Absent)
    assert found.cell("00000300", "power") == 0
    assert found.cell("00000300", "pchid") is STANDBY


def test_what_is_roots_has_its_reason(make_tree: Callable[..., Tree]) -> None:
    """The function is known all the same."""
    path = "sys/kernel/debug/pci/0001:00:00.0/statistics"
    found = read_functions(make_tree(FILES, LINKS, {path: PermissionError(13, "denied")}))
    assert found.cell("00000104", "loads") is NEEDS_ROOT
    assert found.cell("00000104", "pchid") == 0x1C8


def test_other_machines_have_no_functions(make_tree: Callable[..., Tree], tmp_path: Path) -> None:
    """A PCI device without a function id is not of IBM Z."""
    other = make_tree({"sys/bus/pci/devices/0000:00:01.0/class": b"0x020000\n"})
    for tree in (other, make_tree(), LiveTree(str(tmp_path))):
        assert read_functions(tree).missing is absent(NO_FUNCTION)
