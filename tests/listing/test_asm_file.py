from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.layers import disk, layers, mapped, partition
from zmon.absent import Absent
from zmon.kinds import LAYER
from zmon.listing import asm_file
from zmon.listing import container as c
from zmon.listing.asm import Asm
from zmon.listing.disk_group import Disk, Group
from zmon.listing.listing import read_listing
from zmon.placement.items import UnitKind, placement_of
from zmon.placement.word_lookup import MeaningKind, find, meanings
from zmon.sample import Instant, Sample
from zmon.topology.claims import Grade
from zmon.topology.machine import Machine, UserInputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.listing.container import Container
    from zmon.topology.location import FileLocation

FIXTURES = Path(__file__).parents[1] / "fixtures" / "listings"
MIB = 1 << 20
UNDO = "+DATA/SALES/DATAFILE/undotbs1.260.1099"
LAYERS = layers({
    "94:12": disk("dasdd", 14_424_480),
    "94:13": partition("dasdd1", "94:12", 192, 14_424_288),
    "253:1": mapped("FCPe527", "0 20000000 multipath 0 0 1 1 round-robin 0 1 1 8:0 1", 20_000_000, "8:0",
                    uuid="mpath-36005"),
    "253:2": mapped("FCPe527p1", "0 14424288 linear 253:1 2048", 14_424_288, "253:1"),
    "8:0": disk("sda", 20_000_000),
})  # fmt: skip


def machine(containers: Sequence[Container], disks: Asm) -> Machine:
    """Return a machine as it was captured, on which nobody looked at the files."""
    people = UserInputs(listed=(), in_disk_groups=asm_file.scattered(containers, disks))
    return Machine(Sample(Instant(0, 0, ""), {LAYER.name: LAYERS}), people)


def oracle(*names: str) -> Machine:
    """Return a machine with samples of listings."""
    listing = read_listing([str(FIXTURES / name) for name in names], machine="lnxora01")
    return machine(listing.containers, listing.disk_groups)


def placed(answer: FileLocation) -> dict[object, tuple[object, object]]:
    """Return the bytes and the copies on each disk."""
    return {share.volume.number: (share.bytes, share.copies) for share in answer.disks}


def one(path: str = "+DATA/f.1.2", size: int | None = 10 * MIB, **more: object) -> Container:
    """Return a file of ASM."""
    kind = c.ASM_FILE if "/" in path else c.ASM_GROUP
    known = {"kind": kind, "path": path, "bytes_declared": size, "tablespace": "TS"}
    return c.Container(**(known | more))  # type: ignore[arg-type]  # they are as declared


def test_the_extent_map_is_followed_to_the_disks() -> None:
    """Each disk has what the map says, mirrors apart: the label leads to a multipath device."""
    found = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt").locations[UNDO]
    assert placed(found) == {"8:0": (8 * MIB, 2 * MIB), "94:12": (2 * MIB, 8 * MIB)}
    assert found.grade is Grade.EXACT


def test_without_the_map_it_is_spread_evenly() -> None:
    """Which is assumed, as is the group of the disks, and said."""
    found = oracle("oracle-spool.csv", "asmcmd-lsdsk-k.txt").locations[UNDO]
    assert [placed(found)[number][0] for number in ("94:12", "8:0")] == [13107200, 13107200]
    assert (found.grade, "as after a rebalance" in found.notes[0]) == (Grade.ASSUMED, True)


def test_the_file_belongs_to_its_tablespace() -> None:
    """With the database, its size and where it is listed."""
    (file,) = oracle("oracle-spool.csv", "asm-spool.csv").files
    assert (file.space, file.size, file.role) == ("SALES.UNDOTBS1", 26214400, "undo")


def test_a_label_of_asmlib_needs_its_device() -> None:
    """A capture has no nodes, so what is on that disk has no place."""
    found = oracle("oracle-spool.csv", "asm-spool.csv").locations[UNDO]
    assert (list(placed(found)), found.unplaced) == (["94:12"], 8 * MIB)
    assert found.lacking[0].startswith("/dev/oracleasm/disks/DATA01: ")


def test_an_answer_stands_for_an_item() -> None:
    """By disk it has all its bytes; first copies count."""
    known = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt")
    found = placement_of(known, by=UnitKind.DISK)
    assert [sum(item.bytes_on.values()) for item in found.items] == [10 * MIB]
    assert [(row.placed, row.unplaced, row.problem) for row in found.rows] == [(10 * MIB, 0, "")]


def test_what_cannot_be_placed_has_its_reason() -> None:
    """Nothing that is listed is missing from the answer."""
    (row,) = placement_of(machine([one()], Asm(origin="x")), by=UnitKind.DISK).rows
    assert (row.placed, row.unplaced, row.problem.startswith("no disks of +DATA: get")) == (0, 10 * MIB, True)


@pytest.mark.parametrize("word", [UNDO, "+DATA", "UNDOTBS1", "SALES"])
def test_words_mean_it(word: str) -> None:
    """Its name, its disk group, its tablespace and its database."""
    known = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt")
    assert [[each.path for each in find(meant, known).locations] for meant in meanings(word, known)] == [
        [UNDO]
    ]


def test_it_is_found_from_its_disk() -> None:
    """What lies on a disk are the files of the disk group."""
    known = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt")
    (meant,) = (meant for meant in meanings("dasdd", known) if meant.sort is MeaningKind.DEVICE)
    assert [(lodger.file.path, lodger.bytes) for lodger in find(meant, known).files] == [(UNDO, 2 * MIB)]


GROUPS = Asm(
    (Disk("/dev/dasdd1", group="DATA"), Disk("/dev/mapper/FCPe527p1", group="DATA")),
    (Group("DATA", 1, MIB, "HIGH"),),
    origin="x",
)


def test_a_group_of_high_redundancy_has_two_copies() -> None:
    """Of each byte, on the disks together."""
    found = machine([one()], GROUPS).locations["+DATA/f.1.2"]
    assert placed(found) == dict.fromkeys(("94:12", "8:0"), (5 * MIB, 10 * MIB))
    assert found.steps[0].what == "ASM, high redundancy, 2 disks"


def test_of_a_flexible_group_copies_are_not_known() -> None:
    """Absent is not zero."""
    flexible = GROUPS._replace(groups=(Group("DATA", 1, MIB, "FLEX"),))
    found = machine([one()], flexible).locations["+DATA/f.1.2"]
    assert all(isinstance(share.copies, Absent) for share in found.disks)
    assert found.steps[0].what == "ASM, 2 disks"


def test_a_group_alone_is_called_after_what_is_in_it() -> None:
    """Tablespaces that are made in the same group are not the same; Oracle chooses the names of the files."""
    rows = [
        one("+DATA", tablespace="A"),
        one("+DATA(tpl)", tablespace="B", database="S"),
        one("+DATA", None, tablespace="", role="archive"),
    ]
    found = machine(rows, GROUPS).locations
    assert list(found) == ["+DATA (A)", "+DATA(tpl) (S.B)", "+DATA (archive)"]
    assert [len(each.disks) for each in found.values()] == [2, 2, 2]


def test_a_name_that_is_listed_twice_counts_once() -> None:
    """The first is taken."""
    rows = [one(tablespace="A"), one(tablespace="B")]
    assert [each.tablespace for each in asm_file.scattered(rows, GROUPS)] == ["A"]


def test_other_containers_are_left_to_the_kernel() -> None:
    """So are those that cannot be used."""
    rows = [one("/db/f", kind=c.FILE), one(problem="it is gone"), one("/dev/dasdd1", kind=c.DEVICE)]
    assert asm_file.scattered(rows, GROUPS) == ()


@given(
    st.text("+DATA/().19 \n\0é\udc80", max_size=12),
    st.sampled_from([c.ASM_FILE, c.ASM_GROUP]),
    st.text("/devasm:12\0\udc80 ", max_size=12),
    st.none() | st.integers(0, 1 << 60),
)
def test_any_name_has_an_answer(path: str, kind: str, device: str, size: int | None) -> None:
    """Hostile names of files and disks are answered, and no byte is made up."""
    disks = Asm((Disk(device, group="DATA", size=1), Disk("/dev/dasdd1", group="DATA")), GROUPS.groups)
    for answer in machine([one(path, size, kind=kind)], disks).locations.values():
        known = sum(share.bytes for share in answer.disks if not isinstance(share.bytes, Absent))
        assert known <= (size or 0)
