"""Network interfaces that hardware is behind, and the OSA and HiperSockets cards of the qeth driver.

/proc/net/dev counts for each interface of the own network namespace, after two lines of headings,
`name: received 8 numbers, sent 8 numbers` (net/core/net-procfs.c): bytes, packets, errors, dropped and four
more.  What was dropped on receipt includes what the card missed.  Counters are 64 bits; they begin anew when
the interface is made anew.  /sys/class/net/NAME is a link whose target names the device: a group of ccw
devices (`devices/qeth/0.0.f500/net/encf500`), a PCI function, a virtio device, or `virtual`: bridges, bonds,
VLANs and the interfaces of containers count again what a card counts, and are left out.

/sys/devices/qeth/BUSID describes each card (drivers/s390/net/qeth_core_sys.c, drivers/s390/cio/ccwgroup.c),
also one that is off line or serves another namespace: `card_type`, `if_name`, `chpid` in capital hex,
`state`, `online`, `layer2`, `portno`, `buffer_count`, `inbuf_size`, `isolation`.  The driver has these values
in memory.  `switch_attrs` asks the card, and `recover` and `hw_trap` are triggers: they are left alone.
"""

from __future__ import annotations

import re

from zmon.base.absent import absent
from zmon.base.clock import MINUTE
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel.ccw_device import parse_number
from zmon.kernel.tree import attributes, names_in, read_attributes, read_value, refused, text, word_parser
from zmon.kinds import BUSID_FORM, INTERFACE, PCI_FORM, QETH
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Container

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

COUNTERS: Final = "proc/self/net/dev"
"""What /proc/net/dev is a link to."""
INTERFACES: Final = "sys/class/net"
CARDS: Final = "sys/devices/qeth"
NO_INTERFACE: Final = "no network interface here has hardware behind it"
NO_CARD: Final = "the qeth driver has no card (OSA, HiperSockets) here"
LOOK_EVERY: Final = MINUTE
"""ns after which descriptions are read again, if no event reported a change."""
VIRTUAL: Final = "virtual"
PLACES: Final = {
    "received": 0, "packets_in": 1, "errors_in": 2, "dropped_in": 3,
    "sent": 8, "packets_out": 9, "errors_out": 10, "dropped_out": 11,
}  # fmt: skip
"""Which number of a line of /proc/net/dev each counter is."""
NUMBERS: Final = 16
_LINE: Final = re.compile(rf"(?P<name>\S{{1,15}}):(?P<numbers>(?:[ ]*[0-9]{{1,20}}){{{NUMBERS}}})", re.ASCII)
_GONE: Final = absent("/proc/net/dev does not list the interface")


def parse_counters(content: str, only: Container[str] | None = None) -> dict[str, dict[str, Value]]:
    """Parse /proc/net/dev: the counters of each interface, or only of those named.

    Raises:
        ValueError: it has no headings, or a line of another form.
    """
    lines = content.splitlines()
    if len(lines) < 2 or not lines[0].startswith("Inter-|"):
        raise ValueError(f"/proc/net/dev: expected its headings, found {content[:40]!r}")
    counters: dict[str, dict[str, Value]] = {}
    for line in lines[2:]:
        if only is not None and line.partition(":")[0].strip() not in only:  # containers have thousands
            continue
        parts = _LINE.fullmatch(line.strip())
        if parts is None:
            raise ValueError(f"/proc/net/dev: expected a name and {NUMBERS} numbers, found {line[:60]!r}")
        numbers = list(map(int, parts["numbers"].split()))
        counters[parts["name"]] = {name: numbers[place] for name, place in PLACES.items()}
    return counters


parse_word = word_parser(r"[\w .,:()/+-]{1,40}", str)
"""Parses what the driver calls something: `OSD_10GIG`, `UP (LAN ONLINE)`."""
parse_chpid = word_parser("[0-9A-Fa-f]{2}", lambda word: f"0.{word.lower()}")
"""Parses `chpid` into what the kernel calls the channel path elsewhere: `0.4e`."""
OF_CARD: Final = {
    **attributes(parse_word, "isolation", card="card_type", interface="if_name", buffer_size="inbuf_size"),
    **attributes(parse_number, "layer2", port="portno", buffers="buffer_count"),
    **attributes(parse_chpid, "chpid"),
}
"""What seldom changes of a card, ..."""
STATE_OF_CARD: Final = attributes(parse_word, "state") | attributes(parse_number, "online")
"""... and what may."""


class NetworkReader:
    """Reads interfaces and cards again and again; what describes them, it reads once a minute."""

    def __init__(self, tree: Tree, _choice: object = None) -> None:
        """Look at nothing yet."""
        self._tree = tree
        self._looked: int | None = None
        self._interfaces: dict[str, dict[str, Value]] = {}
        self._cards: dict[str, dict[str, Value]] = {}

    def refresh(self) -> None:
        """Read descriptions again: devices came, went, or changed."""
        self._looked = None

    def read(self) -> tuple[Frame, Frame]:
        """Return a frame of `INTERFACE` and one of `QETH`.

        Raises:
            ValueError: /proc/net/dev is not understood.
        """
        tree = self._tree
        now = tree.when(COUNTERS)
        if self._looked is None or now - self._looked >= LOOK_EVERY:
            self._looked = now
            described = {name: _interface(tree, name) for name in names_in(tree, INTERFACES, r"\S{1,15}")}
            self._interfaces = {name: row for name, row in described.items() if row}
            cards = names_in(tree, CARDS, BUSID_FORM)
            self._cards = {name: read_attributes(tree, f"{CARDS}/{name}", OF_CARD) for name in cards}
        return self._counted(now), self._described(now)

    def _counted(self, now: int) -> Frame:
        try:
            counters = parse_counters(text(self._tree, COUNTERS), self._interfaces)
        except OSError as error:
            return empty_frame(INTERFACE, refused(error).reason)
        unknown = dict.fromkeys(PLACES, _GONE)
        rows = {
            name: {
                **row,
                "state": read_value(self._tree, f"{INTERFACES}/{name}/operstate", parse_word),
                **counters.get(name, unknown),
            }
            for name, row in self._interfaces.items()
        }
        return frame_of(INTERFACE, rows, now) if rows else empty_frame(INTERFACE, NO_INTERFACE)

    def _described(self, now: int) -> Frame:
        rows = {
            name: {**card, **read_attributes(self._tree, f"{CARDS}/{name}", STATE_OF_CARD)}
            for name, card in self._cards.items()
        }
        return frame_of(QETH, rows, now) if rows else empty_frame(QETH, NO_CARD)


def _interface(tree: Tree, name: str) -> dict[str, Value]:
    """Return the device that an interface is of, as the link to it says; nothing of what is no hardware."""
    try:
        parts = tree.link(f"{INTERFACES}/{name}").split("/")
    except OSError:  # bonding_masters is a file
        return {}
    above = parts[: parts.index("net")] if "net" in parts else parts
    if VIRTUAL in above:
        return {}
    sort = "virtio" if above[-1].startswith("virtio") else ""
    for part in reversed(above):
        if re.fullmatch(PCI_FORM, part):
            return {"bus": sort or "pci", "device": part}
        if re.fullmatch(BUSID_FORM, part):
            return {"bus": sort or above[above.index(part) - 1], "device": part}
    return {"bus": above[-1], "device": absent("its device has neither a bus id nor a PCI address")}
