from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.placement.guest import LAYERS, machine
from tests.topology.layers import layers
from zmon.kinds import CLAIM, MACHINE
from zmon.placement.word_lookup import MeaningKind, meanings
from zmon.sample import empty_frame
from zmon.topology.machine import Machine

GUEST = machine()


def keys(word: str) -> list[tuple[MeaningKind, str]]:
    return [(meaning.sort, meaning.key) for meaning in meanings(word, GUEST)]


@pytest.mark.parametrize(
    ("word", "sort", "key"),
    [
        ("/db/a", MeaningKind.FILE, "/db/a"),
        ("/db", MeaningKind.MOUNT, "/db"),
        ("/db/", MeaningKind.MOUNT, "/db"),
        ("/", MeaningKind.MOUNT, "/"),
        ("/db/sub", MeaningKind.DIRECTORY, "/db/sub"),
        ("dasda1", MeaningKind.DEVICE, "94:1"),
        ("/dev/dasda1", MeaningKind.DEVICE, "94:1"),
        ("94:1", MeaningKind.DEVICE, "94:1"),
        ("vg/lv", MeaningKind.DEVICE, "253:0"),
        ("/dev/vg/lv", MeaningKind.DEVICE, "253:0"),
        ("/dev/mapper/vg-lv", MeaningKind.DEVICE, "253:0"),
        ("mpatha", MeaningKind.DEVICE, "253:1"),
        ("nvme0c1n1", MeaningKind.DEVICE, "259:1"),
        ("/dev/nvme0c1n1", MeaningKind.DEVICE, "259:1"),
        ("0.0.7201", MeaningKind.BUS, "0.0.7201"),
        ("201", MeaningKind.VDEV, "0201"),
        ("0x0201", MeaningKind.VDEV, "0201"),
        ("500", MeaningKind.RDEV, "0500"),
        ("lx7201", MeaningKind.LABEL, "LX7201"),
        ("LCU 72", MeaningKind.LCU, "LCU 72"),
        ("lcu 5", MeaningKind.LCU, "LCU 5"),
        ("5", MeaningKind.LCU, "LCU 5"),
        ("TS1", MeaningKind.TABLESPACE, "PROD.TS1"),
        ("prod.ts1", MeaningKind.TABLESPACE, "PROD.TS1"),
        ("prod", MeaningKind.DATABASE, "PROD"),
        ("vg", MeaningKind.GROUP, "vg"),
        ("/dev/vg", MeaningKind.GROUP, "vg"),
        ("0x500507630503C1AE", MeaningKind.PORT, "0x500507630503c1ae"),
        ("4010402300000000", MeaningKind.LUN, "0x4010402300000000"),
    ],
)
def test_what_people_have_in_hand(word: str, sort: MeaningKind, key: str) -> None:
    """Each spelling means one thing."""
    assert keys(word) == [(sort, key)]


def test_a_number_of_two_devices() -> None:
    """7201 is a device of the guest, and the real one of another."""
    assert [(meaning.sort, meaning.disks) for meaning in meanings("7201", GUEST)] == [
        (MeaningKind.VDEV, ("94:4",)),
        (MeaningKind.RDEV, ("94:0",)),
    ]


def test_a_number_on_a_machine_that_does_not_say_what_it_is() -> None:
    """It may be that of the guest or the real one: the device that has it in its bus id is found."""
    sample = GUEST.sample
    frames = {
        **sample.frames,
        MACHINE.name: empty_frame(MACHINE, "not read"),
        CLAIM.name: empty_frame(CLAIM, "no"),
    }
    unsure = Machine(sample._replace(frames=frames))
    found = {meaning.sort: meaning.key for meaning in meanings("7201", unsure)}
    assert found[MeaningKind.BUS] == "0.0.7201"


def test_the_number_of_an_fcp_adapter() -> None:
    """Its disks have none of their own; a bus id may be said without its begin."""
    layer = layers(LAYERS | {"8:0": LAYERS["8:0"] | {"busid": "0.0.1900"}})
    found = Machine(GUEST.sample._replace(frames={**GUEST.sample.frames, layer.kind.name: layer}))
    assert [(one.sort, one.key, one.disks) for one in meanings("1900", found)] == [
        (MeaningKind.BUS, "0.0.1900", ("8:0",))
    ]


def test_a_device_stands_for_its_disks() -> None:
    """A logical volume lies on two."""
    (meaning,) = meanings("vg/lv", GUEST)
    assert set(meaning.disks) == {"94:0", "94:4"}


@pytest.mark.parametrize("word", ["", " ", "nosuch", "db", "/nosuch", "PROD.", "LCU ?", "0", "SSID ", "LSS "])
def test_what_means_nothing(word: str) -> None:
    """Not even something that has no name."""
    assert keys(word) == []


@given(st.text())
def test_any_word(word: str) -> None:
    """Each of its meanings has the word, once."""
    found = meanings(word, GUEST)
    assert all(meaning.word == word for meaning in found)
    assert len(set(found)) == len(found)
