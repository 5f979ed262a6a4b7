"""Changes of the I/O configuration, as sentences that can be taken apart again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frames import frame_of
from zmon.base.absent import absent
from zmon.base.event import What
from zmon.configuration_change import ConfigurationChange, changes_between, parse_change
from zmon.kinds import BLOCK, DASD, DEVICE, INTERFACE, MULTIPATH, PATH, PCI_FUNCTION, QETH
from zmon.sample import Instant, Sample
from zmon.values.path_masks import Unused

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.sample import Kind

CUIR = " ".join(Unused.MAINTENANCE.value)
DISK: dict[str, Value] = {
    "online": 1, "chpids": "40 41 42 43", "pim": 0xF0, "pam": 0xF0, "pom": 0xF0, "vpm": 0xF0,
    "alias": 0, "uid": "IBM.750000000L0001.2482.00",
}  # fmt: skip


def sample(kind: Kind, rows: dict[str, dict[str, Value]]) -> Sample:
    """Return a sample of one kind."""
    return Sample(Instant(1_000, 1_000, "boot"), {kind.name: frame_of(kind, rows, 1_000)})


def between(
    kind: Kind, before: dict[str, Value], after: dict[str, Value], key: str = "0.0.7000"
) -> list[str]:
    """Return the changes of one thing as sentences."""
    found = changes_between(sample(kind, {key: before}), sample(kind, {key: after}))
    return [change.sentence for change in found]


@pytest.mark.parametrize(
    ("kind", "was", "now", "said"),
    [
        (DEVICE, {}, {"pom": 0xE0}, "device 0.0.7000: usable paths f0 -> e0 (1 path lost: 43)"),
        (DEVICE, {"pom": 0xE0}, {}, "device 0.0.7000: usable paths e0 -> f0 (1 path back: 43)"),
        (
            DEVICE,
            {},
            {"chpids": "40 41 42"},
            "device 0.0.7000: chpids 40 41 42 43 -> 40 41 42 (1 path lost: 43)",
        ),
        (
            DEVICE,
            {"path_masks": "f0 00 00 00 00 00"},
            {"path_masks": "b0 00 00 40 00 00"},
            f"device 0.0.7000: paths taken off 00 -> 40 (1 path {CUIR}: 41)",
        ),
        (
            DEVICE,
            {"path_masks": "80 00 00 00 00 60"},
            {"path_masks": "c0 00 10 00 00 20"},
            "device 0.0.7000: paths taken off 60 -> 30 (1 path miscabled: 43 and 1 path back: 41)",
        ),
        (DEVICE, {"alias": 1}, {}, "device 0.0.7000: alias 1 -> 0 (alias to base)"),
        (
            DEVICE,
            {},
            {"uid": "IBM.750000000L0001.2483.00"},
            "device 0.0.7000: uid IBM.750000000L0001.2482.00 -> IBM.750000000L0001.2483.00 (another LCU)",
        ),
        (DASD, {"volser": "DB0001"}, {"volser": "DB0002"}, "dasd 0.0.7000: label DB0001 -> DB0002"),
        (
            DASD,
            {"cylinders": 10017},
            {"cylinders": 30051},
            "dasd 0.0.7000: capacity 10017 -> 30051 (larger)",
        ),
        (BLOCK, {"size": 4096}, {"size": 2048}, "block 0.0.7000: size 4096 -> 2048 (smaller)"),
        (
            QETH,
            {"state": "UP (LAN ONLINE)"},
            {"state": "UP (LAN OFFLINE)"},
            "qeth 0.0.7000: state UP [LAN ONLINE] -> UP [LAN OFFLINE]",
        ),
        (INTERFACE, {"state": "up"}, {"state": "down"}, "interface 0.0.7000: state up -> down"),
        (PCI_FUNCTION, {"power": 1}, {"power": 0}, "pci_function 0.0.7000: power 1 -> 0 (to standby)"),
        (PATH, {"state": "active"}, {"state": "failed"}, "path 0.0.7000: path active -> failed"),
    ],
)
def test_a_change_has_both_values(
    kind: Kind, was: dict[str, Value], now: dict[str, Value], said: str
) -> None:
    """And what follows from it, where that is certain."""
    common = DISK if kind is DEVICE else {}
    assert between(kind, common | was, common | now) == [said]


def test_what_could_not_be_read_did_not_change() -> None:
    """A label needs the right to ask for it: that it is not known is no news of the disk."""
    gone = absent("needs root")
    assert between(DASD, {"volser": "DB0001"}, {"volser": gone}) == []
    assert between(DASD, {"volser": gone}, {"volser": "DB0001"}) == []
    assert between(DEVICE, DISK, DISK | {"pam": gone, "vpm": gone}) == []
    masks = "f0 00 00 00 00 00"
    assert between(DEVICE, DISK | {"path_masks": masks}, DISK | {"path_masks": gone}) == []
    assert between(DEVICE, DISK | {"path_masks": masks}, DISK | {"path_masks": "of another form"}) == []


def test_a_path_is_called_by_its_name() -> None:
    """As on all screens: who knows what 65:0 is?"""
    known: dict[str, Value] = {"name": "sdq", "state": "active"}
    assert between(PATH, known, known | {"state": "failed"}, "65:0") == ["path sdq: path active -> failed"]
    odd = known | {"name": "s q"}
    assert between(PATH, odd, odd | {"state": "failed"}, "65:0") == ["path 65:0: path active -> failed"]


def test_a_device_that_is_set_online_gets_no_path_back() -> None:
    """Linux verifies its paths then, and not before; a path that is lost meanwhile is a change."""
    offline = DISK | {"online": 0, "vpm": 0}
    assert between(DEVICE, offline, DISK) == ["device 0.0.7000: online 0 -> 1"]
    assert between(DEVICE, DISK, offline) == ["device 0.0.7000: online 1 -> 0"]
    assert between(DEVICE, offline, DISK | {"pom": 0xE0})[1:] == [
        "device 0.0.7000: usable paths f0 -> e0 (1 path lost: 43)"
    ]


def test_a_device_that_comes_is_no_change_of_another() -> None:
    """Its own coming is an event of its own."""
    one, other = {"0.0.7000": DISK}, {"0.0.7000": DISK, "0.0.6fff": DISK | {"pom": 0xE0}}
    assert changes_between(sample(DEVICE, one), sample(DEVICE, other)) == []


def test_what_many_devices_have_in_common_is_one_change() -> None:
    """A channel path that is lost takes a path from each volume behind it."""
    keys = [f"0.0.{number:04x}" for number in range(0x7000, 0x7100)]
    (change,) = changes_between(
        sample(DEVICE, dict.fromkeys(keys, DISK)), sample(DEVICE, dict.fromkeys(keys, DISK | {"pam": 0x70}))
    )
    assert (change.thing, change.others, change.means) == ("0.0.7000", 255, "1 path lost: 40")
    assert parse_change(change.sentence) == change


def test_a_change_is_an_event_of_its_time() -> None:
    """Whose text can be taken apart again."""
    change = ConfigurationChange("device", "0.0.7000", "usable paths", "f0", "e0", "1 path lost", 3)
    event = change.event(7)
    assert (event.what, event.begin, event.end, event.thing) == (What.CHANGE, 7, 7, "0.0.7000")
    assert parse_change(event.text) == change


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_label_is_taken_apart_again(was: str, now: str) -> None:
    """Labels come from disks, so they may hold anything."""
    found = changes_between(
        sample(DASD, {"0.0.7000": {"volser": was}}), sample(DASD, {"0.0.7000": {"volser": now}})
    )
    for change in found:
        assert parse_change(change.sentence) == change
        assert change.sentence.isprintable()


@given(st.text(max_size=500))
def test_any_text_is_a_change_or_none(text: str) -> None:
    """Recordings come from elsewhere."""
    found = parse_change(text)
    assert found is None or found.sentence == text


def test_a_path_to_a_scsi_disk_says_to_which_and_what_is_left() -> None:
    """One path by the name of its disk; an adapter with all of its paths in one sentence."""

    def paths(*states: str, disks: int = 1) -> Sample:
        rows = {
            f"8:{16 * at}": {"name": f"sd{at}", "map": f"dm-{at % disks}", "state": state}
            for at, state in enumerate(states)
        }
        maps = {f"dm-{at}": {"title": f"mpath{at}"} for at in range(disks)}
        frames = frame_of(PATH, rows, 1_000), frame_of(MULTIPATH, maps, 1_000)
        return Sample(Instant(1_000, 1_000, "boot"), {frame.kind.name: frame for frame in frames})

    (lost,) = changes_between(paths("active", "active"), paths("failed", "active"))
    assert lost.means == "path to mpath0 lost, 1 of 2 work"
    (back,) = changes_between(paths("failed", "active"), paths("active", "active"))
    assert back.means == "path to mpath0 back, 2 of 2 work"
    (several,) = changes_between(
        paths("active", "active", "active", "active", disks=2),
        paths("failed", "failed", "active", "active", disks=2),
    )
    assert (several.others, several.means) == (1, "2 paths to 2 disks lost, 1 of 2 of each work")
    assert parse_change(several.sentence) == several
