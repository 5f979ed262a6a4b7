from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.placement.guest import HALF, LAYERS, MIB, machine
from tests.topology.layers import layers
from zmon.base.absent import Absent, absent
from zmon.kinds import CONTAINER, DEVICE, MOUNT, SWAP
from zmon.placement.word_lookup import (
    UNSIZED,
    LookupResult,
    MeaningKind,
    WordMeaning,
    find,
    find_below,
    find_by_name,
    find_mount,
    meanings,
)
from zmon.sample import empty_frame, frame_of
from zmon.topology.claims import Grade
from zmon.topology.data_files import file_by_name
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.sample import Frame, Kind

GUEST = machine()


def look(word: str) -> LookupResult:
    """Find the one thing that a word means."""
    (meaning,) = meanings(word, GUEST)
    return find(meaning, GUEST)


def on(found: LookupResult) -> list[dict[str, object]]:
    return [{share.volume.number: share.bytes for share in answer.disks} for answer in found.locations]


def mounts_on(word: str) -> list[tuple[str, bool]]:
    return [(mount.title, mount.whole) for mount in look(word).mounts]


def files_on(word: str) -> list[str]:
    return [on_disk.file.path for on_disk in look(word).files]


# --- downwards ------------------------------------------------------------------------------------------


def test_a_file() -> None:
    """It lies where its bytes are."""
    assert on(look("/db/a")) == [{"94:0": MIB}]


def test_a_file_whose_place_could_not_be_read() -> None:
    """It is not said to lie nowhere: what was not looked at is named."""
    sample = GUEST.sample
    lost = Machine(sample._replace(frames={**sample.frames, "container": empty_frame(CONTAINER, "no /proc")}))
    found = find_below(WordMeaning("/db/a", MeaningKind.FILE, "/db/a"), lost)
    assert found.locations == ()
    assert "no /proc" in found.unseen[0]


def test_a_tablespace() -> None:
    """All its files, each by itself."""
    assert on(look("TS1")) == [{"94:0": MIB}, {"94:4": MIB}]


def test_a_database() -> None:
    """The files of all its tablespaces, and no others."""
    assert [answer.path for answer in look("PROD").locations] == ["/db/a", "/db/sub/b", "/fcp/d", "/var/e"]


def test_a_directory() -> None:
    """The files in it."""
    assert [answer.path for answer in look("/db/sub").locations] == ["/db/sub/b", "/db/sub/c"]


def test_a_name_that_another_begins_with() -> None:
    """A path is no part of another that goes on without a slash."""
    assert find_below(WordMeaning("/d", MeaningKind.DIRECTORY, "/d"), GUEST).locations == ()


def test_a_mount() -> None:
    """All of the file system, in shares."""
    found = look("/db")
    assert (on(found), found.locations[0].grade) == (
        [{"94:0": HALF * 512, "94:4": HALF * 512}],
        Grade.SHARES,
    )


def test_a_mount_of_several_devices_with_unknown_chunks() -> None:
    """It lies on some of them."""
    (shares,) = on(look("/pool"))
    assert (set(shares), {type(count) for count in shares.values()}) == ({"94:4", "252:0"}, {Absent})


def test_a_path_on_a_mount() -> None:
    """A directory that nobody looked into lies where its file system does, under its own name."""
    meaning = WordMeaning("sub", MeaningKind.DIRECTORY, "/fcp/sub")
    (answer,) = find_mount(meaning, GUEST.mounts.by_point["/fcp"], GUEST, is_live=False).locations
    assert (answer.path, answer.steps[0].title) == ("/fcp/sub", "/fcp")


def test_a_path_by_its_name() -> None:
    """It would be on this mount, and nothing more is known."""
    (answer,) = find_by_name(WordMeaning("/fcp/x", MeaningKind.FILE, "/fcp/x"), GUEST).locations
    assert (answer.steps[0].title, answer.lacking[0][:13]) == ("/fcp", "only the path")


def test_a_path_that_nobody_saw() -> None:
    """It is not known to be there, which a listing would say."""
    found = find_by_name(WordMeaning("/fcp/x", MeaningKind.FILE, "/fcp/x"), GUEST)
    assert not found.is_there
    assert found.locations[0].unseen.startswith("No such file ")
    listed = file_by_name("/fcp/x", GUEST.mounts)._replace(listed="prod.ddl:7")
    known = LookupResult(found.meaning, (GUEST.locate(listed),))
    assert known.is_there
    assert known.locations[0].unseen.startswith("prod.ddl:7 names it, ")


def test_a_device_of_unknown_size() -> None:
    """The reason is that, and not that all of it is meant."""
    frame = GUEST.sample.frames["layer"]
    lost: list[Value] = [absent("not captured")] * len(frame.keys)
    found = without(layer=frame.but(columns={**frame.columns, "size": lost, "start": lost}))
    (meaning,) = meanings("dasda1", found)
    (answer,) = find(meaning, found).locations
    assert UNSIZED.reason in answer.lacking
    assert len(answer.lacking) == 1


def overlay(devices: str) -> Machine:
    """Return the guest with an overlay at /pool, whose layers are on other file systems."""
    frame = GUEST.sample.frames["mount"]
    columns = {name: list(frame.column(name)) for name in frame.columns}
    columns["fstype"][-1] = "overlay"
    columns["devices"][-1] = devices
    return without(mount=frame.but(columns=columns))


def test_an_overlay_lies_where_its_layers_do() -> None:
    """Its files are in one of them each."""
    found = overlay("layer0=253:1 layer1=94:1")
    (meaning,) = meanings("/pool", found)
    (answer,) = find(meaning, found).locations
    assert ({share.volume.number for share in answer.disks}, answer.grade) == ({"94:0", "8:0"}, Grade.SET)
    assert answer.lacking[0].startswith("an overlay: ")


def test_an_overlay_may_be_on_any_disk() -> None:
    """Where its layers are not seen, a disk on which nothing was found may hold one."""
    frame = overlay("").sample.frames["mount"]
    lost: list[Value] = [absent("not seen")] * len(frame.keys)
    found = without(mount=frame.but(columns={**frame.columns, "devices": lost}))
    assert found.unseen == ("what the overlay at /pool is on (not seen)",)


def test_an_overlay_whose_layers_are_not_seen() -> None:
    """It is on no block device that is known."""
    found = overlay("")
    (meaning,) = meanings("/pool", found)
    (answer,) = find(meaning, found).locations
    assert (answer.disks, answer.grade) == ((), Grade.UNKNOWN)


@pytest.mark.parametrize(("size", "said"), [(MIB, True), (0, False)])
def test_a_file_that_is_all_hole(size: int, said: bool) -> None:
    """That is why it has no disk."""
    file = file_by_name("/fcp/x", GUEST.mounts)._replace(
        ranges=(), size=size, unplaced=0, encoded=0, unseen=False
    )
    found = GUEST.locate(file)
    assert (found.disks, bool(found.notes)) == ((), said)


# --- upwards --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["dasda", "0.0.0201", "201", "LX7201", "LCU 72"])
def test_what_lies_on_a_disk(word: str) -> None:
    """However it is called: file systems and files, in whole or in part."""
    assert (mounts_on(word), files_on(word)) == (
        [("/", True), ("/db", False), ("swap file /var/swap, in use", True)],
        ["/db/a", "/db/sub/c", "/var/e"],
    )


def test_what_lies_on_a_partition() -> None:
    """Not what lies beside it on the disk; a swap file lies where its file system does."""
    found = mounts_on("dasda1"), files_on("dasda1")
    assert found == ([("/", True), ("swap file /var/swap, in use", True)], ["/var/e"])


def test_what_lies_on_a_volume() -> None:
    """All that is on it, on whatever disk."""
    assert (mounts_on("vg/lv"), files_on("vg/lv")) == ([("/db", True)], ["/db/a", "/db/sub/b", "/db/sub/c"])


def test_where_a_volume_lies() -> None:
    """Byte by byte, by its table."""
    found = look("vg/lv")
    assert (on(found), found.locations[0].grade) == (
        [{"94:0": HALF * 512, "94:4": HALF * 512}],
        Grade.EXACT,
    )


def test_a_disk_lies_on_nothing() -> None:
    """It is asked for what is on it."""
    assert look("dasda").locations == ()


def test_a_btrfs_lies_on_each_of_its_devices() -> None:
    """On the disk of one, in part."""
    assert ("/pool", False) in mounts_on("dasdb")


@pytest.mark.parametrize("word", ["dasdc", "dasdc1"])
def test_swap_in_use(word: str) -> None:
    """It is a use of its own, of the partition and of its disk."""
    assert [(mount.title, mount.fstype, mount.device) for mount in look(word).mounts] == [
        ("swap, in use", "swap", "dasdc1")
    ]


def without(*kinds: Kind, **rows: Frame) -> Machine:
    """Return the guest of which some kinds were not read, and some otherwise."""
    left = {name: frame for name, frame in GUEST.sample.frames.items() if name not in {k.name for k in kinds}}
    return Machine(GUEST.sample._replace(frames=left | rows), GUEST.inputs)


def test_all_uses_were_looked_at() -> None:
    """Then a disk on which nothing was found is not used."""
    assert (look("dasdd").mounts, look("dasdd").unseen) == ((), ())


@pytest.mark.parametrize(("kind", "said"), [(MOUNT, "mounts (not recorded)"), (SWAP, "swap (not recorded)")])
def test_what_was_not_read_is_named(kind: Kind, said: str) -> None:
    """A disk may be used in a way that nobody looked for."""
    found = without(kind)
    (meaning,) = meanings("dasdd", found)
    assert find(meaning, found).unseen == (said,)


def test_a_btrfs_whose_devices_are_not_known() -> None:
    """It is told, and lies at least on the device that was named to mount it."""
    frame = GUEST.sample.frames["mount"]
    lost: list[Value] = [absent("not asked")] * len(frame.keys)
    source: list[Value] = ["/dev/dasdd"] * len(frame.keys)
    frame = frame.but(columns={**frame.columns, "devices": lost, "source": source})
    found = without(mount=frame)
    (meaning,) = meanings("dasdd", found)
    known = find(meaning, found)
    assert [(mount.title, mount.whole) for mount in known.mounts] == [("/pool", False)]
    assert known.unseen == ("what the btrfs at /pool is on (not asked)",)


def test_mounts_of_containers_that_were_not_read() -> None:
    """A disk without a mount may be that of a container, as long as other namespaces were not looked at."""
    frame = GUEST.sample.frames["mount"]
    lost: list[Value] = [absent("not recorded")] * len(frame.keys)
    found = without(mount=frame.but(columns={**frame.columns, "namespaces": lost}))
    (unseen,) = found.unseen
    assert unseen.startswith("mounts of other namespaces")
    assert unseen.endswith(" (not recorded)")


def test_a_stack_that_was_not_read() -> None:
    """What is built on a disk is not known where no device says what it is made of."""
    frame = GUEST.sample.frames["layer"]
    find_below: list[Value] = [absent("not captured")] * len(frame.keys)
    found = without(layer=frame.but(columns={**frame.columns, "below": find_below}))
    (unseen,) = found.unseen
    assert unseen.startswith("devices ")
    assert unseen.endswith(" (not captured)")


@pytest.mark.parametrize(
    "word",
    ["/dev/disk/by-uuid/1A2B-ab", "UUID=1A2B-ab", "UUID=1a2b-AB", 'UUID="1A2B-ab"', "LABEL=root fs",
     "label='root fs'", "PARTUUID=00FF-01", "/dev/disk/by-label/root\\x20fs", "/dev/dasda1"],
)  # fmt: skip
def test_names_of_udev(word: str) -> None:
    """As paths, and as /etc/fstab has them."""
    (meaning,) = meanings(word, GUEST)
    assert (meaning.sort, meaning.key) == (MeaningKind.DEVICE, "94:1")


def test_a_name_of_several_devices() -> None:
    """The paths to a disk have the name, too, of the device that joins them."""
    assert [meaning.key for meaning in meanings("/dev/disk/by-id/wwn-1", GUEST)] == ["253:1"]


@pytest.mark.parametrize("word", ["UUID=", "UUID", "=", "LABEL=\0", "UUID=nope", "/dev/disk/by-uuid/"])
def test_names_that_udev_does_not_have(word: str) -> None:
    """They mean nothing."""
    assert meanings(word, GUEST) == []


@pytest.mark.parametrize("word", ["LSS 10", "sda", "mpatha"])
def test_one_disk_over_two_paths_counts_once(word: str) -> None:
    """However many block devices Linux has for it."""
    assert len(look(word).volumes) == 1


@pytest.mark.parametrize("word", ["sda", "sdb", "mpatha"])
def test_paths_to_one_disk(word: str) -> None:
    """What lies on the disk is found by each of them."""
    assert (mounts_on(word), files_on(word)) == ([("/fcp", True)], ["/fcp/d"])


def diskless(word: str, **fields: Value) -> list[str]:
    """Return what is said of a word that is the number of a device without a disk: 0.0.7300."""
    frame = GUEST.sample.frames["device"]
    row = {name: values[0] for name, values in frame.columns.items()} | fields
    rows = {key: {name: frame.cell(key, name) for name in frame.columns} for key in frame.keys}
    known = without(device=frame_of(DEVICE, {**rows, "0.0.7300": row}, 0))
    found = [find(meaning, known) for meaning in meanings(word, known)]
    assert all(one.is_there and not one.volumes and not one.mounts for one in found)
    return [one.device.words for one in found if one.device]


@pytest.mark.parametrize(
    ("fields", "device", "why"),
    [
        (
            {"devtype": "3390/0a", "cutype": "3990/e9", "online": 0, "driver": "dasd-eckd"},
            "3390-3 on 3990/e9, offline",
            "not use it",
        ),
        (
            {"devtype": "3390/0a", "online": 1, "alias": 1, "uid": "IBM.750000000ABCD1.7000.xx"},
            "3390-3, HyperPAV alias of LCU 7000, online",
            "no data",
        ),
        ({"online": 1, "alias": 1}, "a device, alias, online", "no data"),
        (
            {"devtype": "1732/03", "cutype": "1731/03", "online": 1, "driver": "zfcp"},
            "1732-3 on 1731/03, FCP adapter, online",
            "no disk over it",
        ),
        ({"devtype": "3390/0a", "online": 1}, "3390-3, online", "no disk of it"),
    ],
)
def test_a_device_without_a_disk_is_told(fields: dict[str, Value], device: str, why: str) -> None:
    """IOCONF lists it; that there is no such device would be wrong."""
    (words,) = diskless("7300", **fields)
    assert words.startswith(f"{device}, CHPIDs 40 41: ")
    assert why in words
    assert diskless("0.0.7300", **fields) == [words]
    assert diskless("7301", **fields) == []


def test_a_device_without_a_disk_names_the_paths_that_it_has_lost() -> None:
    """As IOCONF counts them: of one that is offline without what Linux verifies."""
    masks: dict[str, Value] = {"pim": 0xC0, "pam": 0xC0, "pom": 0xC0, "vpm": 0x40}
    (words,) = diskless("7300", devtype="3390/0a", online=1, **masks)
    assert ", CHPIDs 40 41, lost 40: " in words
    (words,) = diskless("7300", devtype="3390/0a", online=0, **masks)
    assert ", CHPIDs 40 41: " in words


def two_adapters() -> Machine:
    """Return the guest whose SCSI disk is reached over two FCP adapters."""
    frame = GUEST.sample.frames["layer"]
    busids = list(frame.column("busid"))
    busids[frame.index["8:0"]], busids[frame.index["8:16"]] = "0.0.fc00", "0.0.fc10"
    return without(layer=frame.but(columns={**frame.columns, "busid": busids}))


@pytest.mark.parametrize(
    ("word", "path"), [("fc00", "sda"), ("0.0.fc00", "sda"), ("fc10", "sdb"), ("0.0.FC10", "sdb")]
)
def test_an_adapter_means_the_paths_over_it(word: str, path: str) -> None:
    """The other path to the same disk leads over another adapter; what is on the disk is found by each."""
    known = two_adapters()
    (meaning,) = meanings(word, known)
    found = find(meaning, known)
    assert [volume.disk for volume in found.paths] == [volume.disk for volume in found.volumes] == [path]
    assert [on_disk.file.path for on_disk in found.files] == ["/fcp/d"]


def test_a_multipath_device_has_all_its_paths() -> None:
    """It is one disk all the same; of a path, and of an LCU, there is nothing to list."""
    found = look("mpatha")
    assert ([volume.disk for volume in found.paths], len(found.volumes)) == (["sda", "sdb"], 1)
    assert (look("sda").paths, look("LSS 10").paths, look("dasda").paths) == ((), (), ())


def test_a_loop_device_lies_in_a_file() -> None:
    """It is no disk, and says what to ask for."""
    found = look("loop0")
    ((volume, _bytes, _copies),) = found.locations[0].disks
    assert (found.is_there, found.volumes) == (True, ())
    assert isinstance(volume.lcu, Absent)
    assert "/var/image" in volume.lcu.reason


def test_devices_that_are_made_of_a_disk() -> None:
    """As people call them."""
    assert look("dasda").devices == ("dasda1", "dasda2", "vg/lv")


def test_disks_are_in_the_order_of_their_names() -> None:
    """The shorter first: dasdz before dasdaa."""
    assert [volume.disk for volume in look("vg/lv").volumes] == ["dasda", "dasdb"]


# --- is it there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["/db/a", "TS1", "/db", "/db/sub", "dasda", "vg/lv", "201"])
def test_what_is_there(word: str) -> None:
    """All that could be looked at."""
    assert look(word).is_there


def missing(sort: MeaningKind) -> LookupResult:
    """Return a directory or a tablespace with a file that is gone."""
    gone = GUEST.locations["/db/a"]._replace(real=absent("gone"))
    return LookupResult(WordMeaning("x", sort, "x"), (gone, GUEST.locations["/db/sub/b"]))


def test_a_tablespace_is_there_with_all_its_files() -> None:
    """One that is gone is a failure."""
    assert not missing(MeaningKind.TABLESPACE).is_there


def test_a_directory_is_there_with_any_of_its_files() -> None:
    """What cannot be looked at in it is told."""
    assert missing(MeaningKind.DIRECTORY).is_there


def test_nothing_is_not_there() -> None:
    """Neither a file nor a disk."""
    assert not LookupResult(WordMeaning("x", MeaningKind.LABEL, "X")).is_there


def test_a_volume_group_is_what_is_on_its_physical_volumes() -> None:
    """What else is on the disks below these is not; physical volumes that hold nothing are not seen."""
    result = look("vg")
    assert [volume.number for volume in result.volumes] == ["94:0", "94:4"]
    assert [mount.point for mount in result.mounts] == ["/db"]
    assert result.unseen[0].startswith("physical volumes of vg ")


def test_a_port_means_its_paths_and_a_unit_all() -> None:
    """The disk is one."""
    port, unit = look("500507630503c1ae"), look("0x4010402300000000")
    assert [[path.number for path in result.paths] for result in (port, unit)] == [["8:0"], ["8:0", "8:16"]]
    assert [len(result.volumes) for result in (port, unit)] == [1, 1]
    assert look("mpath-36005076305ffc1ae0000000000001023").volumes == unit.volumes


def test_a_device_of_another_origin_is_of_no_volume_group() -> None:
    """Its name has a hyphen, too."""
    sample = GUEST.sample
    rows = {**LAYERS, "253:0": {**LAYERS["253:0"], "uuid": "CRYPT-LUKS2-1-vg-lv"}}
    other = Machine(sample._replace(frames={**sample.frames, "layer": layers(rows)}))
    assert not [meaning for meaning in meanings("vg", other) if meaning.sort is MeaningKind.GROUP]
