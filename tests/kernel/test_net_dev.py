"""Network interfaces and qeth cards, in the forms of the kernel's source."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kernel.net_dev import (
    COUNTERS,
    NO_CARD,
    NO_INTERFACE,
    NetworkReader,
    parse_chpid,
    parse_counters,
    parse_word,
)
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.kernel.tree import Tree

HEAD = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast"
    "|bytes    packets errs drop fifo colls carrier compressed\n"
)
LOOP = (
    "    lo:    5000      50    0    0    0     0          0         0     5000      50    0    0    0     0"
)
QDIO = (
    "encf500: 1000000    2000    3    4    5     6          7         8  9000000    1000   11   12   13    14"
)
COUNTED = (
    f"{HEAD}{LOOP}       0          0\n{QDIO}      15         16\n"
    "eno1:18446744073709551615 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n"
)
CARD = "sys/devices/qeth/0.0.f500"
OFFLINE = "sys/devices/qeth/0.0.f600"
FILES = {
    COUNTERS: COUNTED.encode(),
    "sys/class/net/bonding_masters": b"\n",
    f"{CARD}/net/encf500/operstate": b"up\n",
    f"{CARD}/card_type": b"OSD_10GIG\n",
    f"{CARD}/if_name": b"encf500\n",
    f"{CARD}/chpid": b"4E\n",
    f"{CARD}/state": b"UP (LAN ONLINE)\n",
    f"{CARD}/online": b"1\n",
    f"{CARD}/layer2": b"1\n",
    f"{CARD}/portno": b"0\n",
    f"{CARD}/buffer_count": b"64\n",
    f"{CARD}/inbuf_size": b"64k\n",
    f"{CARD}/isolation": b"none\n",
    f"{OFFLINE}/card_type": b"HiperSockets\n",
    f"{OFFLINE}/state": b"DOWN\n",
    f"{OFFLINE}/online": b"0\n",
    "sys/devices/qeth/uevent": b"",
    "sys/devices/pci0001:00/0001:00:00.0/net/eno1/operstate": b"down\n",
}
LINKS = {
    "sys/class/net/encf500": "../../devices/qeth/0.0.f500/net/encf500",
    "sys/class/net/eno1": "../../devices/pci0001:00/0001:00:00.0/net/eno1",
    "sys/class/net/enc1000": "../../devices/css0/0.0.0005/0.0.1000/virtio4/net/enc1000",
    "sys/class/net/enp0s3": "../../devices/pci0000:00/0000:00:03.0/virtio2/net/enp0s3",
    "sys/class/net/lo": "../../devices/virtual/net/lo",
    "sys/class/net/br0": "../../devices/virtual/net/br0",
}


def test_each_counter_is_in_its_place() -> None:
    """The first four of eight received, and of eight sent; a name may stand close to its number."""
    found = parse_counters(COUNTED)
    assert found["encf500"] == {
        "received": 1_000_000, "packets_in": 2000, "errors_in": 3, "dropped_in": 4,
        "sent": 9_000_000, "packets_out": 1000, "errors_out": 11, "dropped_out": 12,
    }  # fmt: skip
    assert found["eno1"]["received"] == (1 << 64) - 1


@pytest.mark.parametrize(
    "content", ["", "nothing\n", HEAD + "eth0: 1 2 3\n", HEAD + "eth0 1\n", HEAD + "e\n"]
)
def test_another_form_is_refused(content: str) -> None:
    """With what was expected."""
    with pytest.raises(ValueError, match="expected"):
        parse_counters(content)


def test_only_the_interfaces_that_are_asked_for_are_parsed() -> None:
    """A host of containers has thousands of virtual ones."""
    found = parse_counters(f"{COUNTED}veth0: is not looked at\n", {"encf500"})
    assert found == {"encf500": parse_counters(COUNTED)["encf500"]}


@given(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(content: str) -> None:
    """Nothing but a ValueError comes out, and a number is a number."""
    for text in (content, HEAD + content):
        with suppress(ValueError):
            for row in parse_counters(text).values():
                assert all(isinstance(value, int) for value in row.values())
    for parse in (parse_word, parse_chpid):
        with suppress(ValueError):
            assert parse(content)


@given(st.lists(st.integers(0, (1 << 64) - 1), min_size=16, max_size=16))
def test_any_counters_are_read_back(numbers: list[int]) -> None:
    """As net/core/net-procfs.c writes them."""
    line = f"{'encf500':>6}: " + " ".join(f"{number:>7}" for number in numbers)
    found = parse_counters(f"{HEAD}{line}\n")["encf500"]
    assert list(found.values()) == [*numbers[:4], *numbers[8:12]]


def test_interfaces_are_those_of_hardware(make_tree: Callable[..., Tree]) -> None:
    """Each with the device it is of; virtual ones count again what a card counts."""
    interfaces, _ = NetworkReader(make_tree(FILES, LINKS)).read()
    rows = {key: (interfaces.cell(key, "bus"), interfaces.cell(key, "device")) for key in interfaces.keys}
    assert rows == {
        "enc1000": ("virtio", "0.0.1000"),
        "encf500": ("qeth", "0.0.f500"),
        "enp0s3": ("virtio", "0000:00:03.0"),
        "eno1": ("pci", "0001:00:00.0"),
    }
    assert interfaces.cell("encf500", "sent") == 9_000_000
    assert interfaces.cell("encf500", "state") == "up"
    assert isinstance(interfaces.cell("enc1000", "sent"), Absent)


def test_a_card_is_described_also_when_it_is_off_line(make_tree: Callable[..., Tree]) -> None:
    """Its channel path is written as everywhere; what it does not say has a reason."""
    _, cards = NetworkReader(make_tree(FILES, LINKS)).read()
    assert cards.keys == ["0.0.f500", "0.0.f600"]
    assert [cards.cell("0.0.f500", name) for name in ("card", "interface", "chpid", "state", "online")] == [
        "OSD_10GIG", "encf500", "0.4e", "UP (LAN ONLINE)", 1,
    ]  # fmt: skip
    assert [cards.cell("0.0.f500", name) for name in ("layer2", "port", "buffers", "buffer_size")] == [
        1,
        0,
        64,
        "64k",
    ]
    assert cards.cell("0.0.f600", "state") == "DOWN"
    assert isinstance(cards.cell("0.0.f600", "chpid"), Absent)


def test_only_counters_and_states_are_read_each_time(make_tree: Callable[..., Tree]) -> None:
    """What describes a card is read again when something came, went or changed."""
    tree = make_tree(FILES, LINKS)
    reader = NetworkReader(tree)
    reader.read()
    tree.files[f"{CARD}/state"], tree.files[f"{CARD}/chpid"] = b"DOWN\n", b"5A\n"  # type: ignore[attr-defined]
    _, cards = reader.read()
    assert (cards.cell("0.0.f500", "state"), cards.cell("0.0.f500", "chpid")) == ("DOWN", "0.4e")
    reader.refresh()
    assert reader.read()[1].cell("0.0.f500", "chpid") == "0.5a"


def test_a_machine_without_cards_says_so(make_tree: Callable[..., Tree]) -> None:
    """As in a container, whose interfaces are virtual."""
    interfaces, cards = NetworkReader(make_tree({COUNTERS: HEAD.encode()})).read()
    assert (interfaces.missing, cards.missing) == (absent(NO_INTERFACE), absent(NO_CARD))
    assert NetworkReader(make_tree()).read()[0].missing is not None


def test_this_machine_is_read(tmp_path: Path) -> None:
    """Whatever it has; an empty root has nothing."""
    for root in ("/", str(tmp_path)):
        for frame in NetworkReader(LiveTree(root)).read():
            assert frame.keys or frame.missing
