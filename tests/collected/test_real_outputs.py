"""What tools print on a machine says the same as the kernel files of the same moment, field by field."""

from __future__ import annotations

import re
import shutil
import tarfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from tests.collected.answers import answers_of
from zmon.base.absent import Absent, absent
from zmon.kinds import CHANNEL, DASD, DEVICE, LAYER, MACHINE, MOUNT, MULTIPATH, PATH, SWAP, TEXT
from zmon.session.machines import open_capture
from zmon.topology.machine import Machine
from zmon.topology.mapping import map_whole
from zmon.topology.stack import Stack, volume_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.sample import Kind, Sample

REAL: Final = Path(__file__).parent / "real"
KINDS: Final = (MACHINE, CHANNEL, DEVICE, DASD, LAYER, MOUNT, SWAP, MULTIPATH, PATH)
NO_ROW: Final = absent("no such row")
NAMES: Final = ("name", "mapped")
"""What texts call block devices."""
MACHINES: Final = [
    pytest.param(path, marks=[pytest.mark.whole_days] if path.name == "herc12.tar.xz" else [])
    for path in sorted(REAL.glob("*.tar.xz"))
]
"""Made by testbed/texts_kept.py; herc12 is herc13 with older tools."""
ALL_WELL: Final = "whole"
"""The stage in which nothing is missing; in others it is."""
ARCHIVES: Final = REAL / "archives"
"""Parts of what dbginfo.sh, supportconfig and sos wrote, and the kernel files of that time."""
TREES: Final = {
    "dbginfo": "tree.tar.xz", "supportconfig": "tree.tar.xz", "sos": "sos-tree.tar.xz",
    "sos-kvm": "sos-kvm-tree.tar.xz",
}  # fmt: skip
"""The kernel files of each; those beside sos are of another boot of the same machine, or of a KVM guest."""
SOS: Final = ("sos", "sos-kvm")


DIFFER: Final[dict[tuple[str, ...], str]] = {
    ("device", "path_masks"): "the kernel counts paths as operational that are not installed",
    ("layer", "table"): "dmsetup hides the key of dm-crypt",
    ("layer", "253:5", "links"): "udev called partitions of mpatha otherwise a second later",
    ("layer", "94:9", "links"): "udev had not named the partition when the tools were asked",
    ("layer", "253:6", "links"): "likewise",
    ("layer", "7:0", "below"): "the kernel's files do not tell on which device the file of a loop is",
    ("machine", "capability"): "the emulator's varies from second to second",
    ("mount", "/srv/btrfs", "devices"): "without btrfs filesystem show the ids of its devices are not known",
    ("mount", "line"): "the place in the text",
    ("mount", "number"): "tools print none of a file system without a device",
    ("mount", "options"): "tools print those of the mount together with those of the file system",
    ("multipath", "via"): "the source itself", ("path", "via"): "the source itself",
    ("path", "group_state"): "multipath has its own, of another second",
    ("path", "priority"): "multipath counts no failed path",
}  # fmt: skip
"""Fields that differ, each with the reason."""
UNITED: Final = frozenset({"links", "below", "devices"})
"""Lists in which texts have more: other links, and a member that the kernel lost."""
UNPRINTED: Final = {
    "channel": "esc",
    "dasd": "channel_queue lss megabytes readonly storage uid",
    "device": "alias availability cmb_enable copy_role discipline ese status vendor",
    "layer": "chunk links mapped members suspended table",
    "machine": "capability capacity_model cpus_configured cpus_reserved cpus_standby cpus_total guest_name"
    " lpar_adjustment lpar_characteristics lpar_cpus lpar_cpus_configured lpar_cpus_dedicated"
    " lpar_cpus_shared lpar_name lpar_number manufacturer model plant sequence vm_adjustment"
    " vm_cpus_configured",
    "mount": "chunks namespaces",
    "multipath": "faults loads queue_seconds queue_timeouts state switches",
    "path": "failures marginal",
}
"""Fields of kernel files that no output of the fixtures has for each row, by kinds."""
LEAST_EQUAL: Final = 500


class Compared(NamedTuple):
    """One field of one row, by kernel files and by texts."""

    kind: str
    key: str
    field: str
    tree: Value
    texts: Value

    @property
    def verdict(self) -> str:
        """Whether both have it, and the same."""
        if isinstance(self.tree, Absent):
            return "absent" if isinstance(self.texts, Absent) else "only texts"
        if isinstance(self.texts, Absent):
            return "only tree"
        return "equal" if _plain(self.field, self.tree) == _plain(self.field, self.texts) else "differ"


def _plain(field: str, value: Value) -> Value:
    """Return a value without what means nothing: the order of links, the last newline of a table."""
    if isinstance(value, str):
        return " ".join(sorted(value.split())) if field == "links" else value.strip()
    return value


def compared(tree: Sample, texts: Sample) -> list[Compared]:
    """Return each field of each row that either sample has."""
    return [field for kind in KINDS for field in _of_kind(kind, tree, texts)]


def _of_kind(kind: Kind, tree: Sample, texts: Sample) -> Iterator[Compared]:
    rows = _by_thing(kind, tree, {})
    names = {str(row[name]): key for key, row in rows.items() for name in NAMES} if kind is LAYER else {}
    others = _by_thing(kind, texts, names)
    for key in sorted(rows.keys() | others.keys()):
        for field in kind.fields:
            own, other = (thing[key][field.name] if key in thing else NO_ROW for thing in (rows, others))
            yield Compared(kind.name, key, field.name, own, other)


def _by_thing(kind: Kind, sample: Sample, names: Mapping[str, str]) -> dict[str, dict[str, Value]]:
    """Return the rows of a kind by what they are of: a mount by its place, because tools number none.

    A block device that texts name and do not number is the one that kernel files call so.
    """
    frame = sample.frames.get(kind.name)
    if frame is None or frame.missing is not None:
        return {}
    rows: dict[str, dict[str, Value]] = {}
    for number, key in enumerate(frame.keys):
        row = {field.name: frame.column(field.name)[number] for field in kind.fields}
        thing = str(row["point"]) if kind is MOUNT else key
        if ":" in key and not key[0].isdigit():
            thing = next((names[str(row[name])] for name in NAMES if str(row[name]) in names), key)
        while thing in rows:
            thing += " again"
        rows[thing] = row
    return rows


def sample(path: Path) -> Sample:
    """Return the only sample of a capture or of texts."""
    (only,) = open_capture(str(path)).samples()
    return only


@cache
def archived(archive: str) -> Sample:
    """Return the only sample of an archive as it was written."""
    return sample(ARCHIVES / f"{archive}.tar.xz")


@pytest.fixture(scope="module", params=MACHINES, ids=lambda path: path.name.partition(".")[0])
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the stages of a machine."""
    root = tmp_path_factory.mktemp("real")
    unpack(request.param, root)
    return root


def unpack(archive: Path, directory: Path) -> None:
    """Unpack an archive, with the filter of data where Python has it: that of Debian 12 does not."""
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(directory)  # noqa: S202 - archives of these tests


def unlike(fields: list[Compared]) -> list[Compared]:
    """Return the fields in which texts say otherwise than kernel files, and nobody knows why."""
    return [
        field
        for field in fields
        if field.verdict == "differ"
        and not DIFFER.keys() & {(field.kind, field.field), (field.kind, field.key, field.field)}
        and not _is_more(field)
    ]


def _is_more(field: Compared) -> bool:
    """Return whether texts have what kernel files have, and more of it."""
    own, other = (set(str(value).split()) for value in (field.tree, field.texts))
    return field.field in UNITED and own <= other


@pytest.mark.parametrize("all_well", [True, pytest.param(False, marks=pytest.mark.whole_days)])
def test_texts_say_what_kernel_files_say(machine: Path, *, all_well: bool) -> None:
    """All outputs of a moment, in each field that both have; and they have each field that a tool prints."""
    for stage in sorted(stage for stage in machine.iterdir() if (stage.name == ALL_WELL) == all_well):
        fields = compared(sample(stage / "tree"), sample(stage / "texts"))
        assert unlike(fields) == []
        lacking = {(field.kind, field.field) for field in fields if field.verdict == "only tree"}
        assert lacking <= {(kind, field) for kind, names in UNPRINTED.items() for field in names.split()}


@pytest.mark.parametrize(
    "output", ["lvdisplay_-m", "lvdisplay_-a_-m", "pvdisplay_-m", "lvs_-a_-o_+seg_pe_ranges"]
)
def test_extents_of_lvm_are_on_the_disks_of_the_kernels_tables(
    machine: Path, output: str, tmp_path: Path
) -> None:
    """With as many bytes on each, of those volumes whose extents are printed; vgs rules snapshots out."""
    stage = machine / ALL_WELL
    for name in (output, "vgs", "pvs"):
        shutil.copy(stage / "texts" / name, tmp_path)
    told, known = bytes_on_disks(sample(tmp_path)), bytes_on_disks(sample(stage / "tree"))
    both = told.keys() & known.keys()
    assert {title: told[title] for title in both} == {title: known[title] for title in both}
    assert len(both) >= min(len(known), VOLUMES)


VOLUMES: Final = 5
"""Volumes of each machine on plain segments, at least."""


def bytes_on_disks(sample: Sample) -> dict[str, list[int]]:
    """Return the bytes of logical volumes on each disk below, where all are known, by their names."""
    stack, volumes = Stack(sample.frame(LAYER)), dict[str, list[int]]()
    for number in stack.numbers:
        node, mapping = stack.node(number), map_whole(stack, number)
        if node and volume_name(str(node.mapped)) and mapping.data and not mapping.unplaced:
            volumes[str(node.mapped)] = sorted(mapping.data.values())
    return volumes


@pytest.mark.parametrize("archive", TREES)
def test_archives_say_what_kernel_files_say(archive: str, tmp_path: Path) -> None:
    """What dbginfo.sh, supportconfig and sos wrote, in each field that both have."""
    fields = compared(sample(tree_of(archive, tmp_path)), archived(archive))
    assert unlike(fields) == []
    assert sum(field.verdict == "equal" for field in fields) > LEAST_EQUAL


def tree_of(archive: str, directory: Path) -> Path:
    """Unpack the kernel files of the moment of an archive into a directory, and return where they are."""
    unpack(ARCHIVES / TREES[archive], directory)
    (tree,) = directory.glob("*/tree")
    return tree


@pytest.mark.parametrize("archive", SOS)
def test_each_line_of_sos_is_read_or_says_nothing(archive: str) -> None:
    """Of all outputs whose commands zmon knows; nothing is left out, and no use but the guest's root is."""
    capture = open_capture(str(ARCHIVES / f"{archive}.tar.xz"))
    (only,) = capture.samples()
    texts = only.frame(TEXT)
    assert {key: texts.cell(key, "words") for key in texts.keys if texts.cell(key, "strange")} == {}
    assert capture.remarks == ()
    assert [what for what in Machine(only).unseen if "overlay" not in what] == []
    assert (
        only.frame(MACHINE).cell("machine", "hostname") == {"sos": "lnxherc1", "sos-kvm": "lnxkvm1"}[archive]
    )


@pytest.mark.parametrize("archive", SOS)
def test_sos_finds_the_disks_and_uses_that_kernel_files_find(archive: str, tmp_path: Path) -> None:
    """What else it names stands for members that are missing."""
    tree, sos = Machine(sample(tree_of(archive, tmp_path))), Machine(archived(archive))
    titles = {tree.stack.title(number) for number in tree.stack.numbers}
    disks = {title for title in titles if re.fullmatch("(?:dasd|sd|vd|mpath)[a-z]", title)}
    paths = [f"{point}/x" for point in tree.mounts.by_point if point.startswith(("/srv", "/boot"))]
    known, said = (answers_of(machine, disks, paths) for machine in (tree, sos))
    assert len(paths) > 10
    for thing, answer in said.items():
        assert answer.disks & titles == known[thing].disks & titles, thing
        assert answer.uses == known[thing].uses, thing
        assert answer.grade <= known[thing].grade, thing
        assert not answer.looks_free, thing


@pytest.mark.parametrize("archive", SOS)
def test_sos_says_the_same_unpacked_and_without_its_manifest(archive: str, tmp_path: Path) -> None:
    """The names of files tell the commands of which zmon knows more than one form."""
    packed = cells(archived(archive))
    unpack(ARCHIVES / f"{archive}.tar.xz", tmp_path)
    (top,) = tmp_path.iterdir()
    assert cells(sample(tmp_path)) == packed
    (top / "sos_reports/manifest.json").unlink()
    assert cells(sample(top)) == packed


def cells(sample: Sample) -> dict[tuple[str, str, str], str]:
    """Return all values of a sample in words, by kind, key and field."""
    frames = [sample.frames[kind.name] for kind in KINDS if kind.name in sample.frames]
    return {
        (frame.kind.name, key, name): str(frame.cell(key, name))
        for frame in frames
        for key in frame.keys
        for name in frame.columns
    }
