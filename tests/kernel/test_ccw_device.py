"""zmon.kernel.ccw_device: subchannels and the devices behind them."""

from __future__ import annotations

import errno
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zmon.base.absent import Absent, text_of
from zmon.kernel.ccw_device import (
    NO_CONFIGURATION,
    NO_PAIR,
    NO_TYPE,
    OF_DASD,
    installed,
    parse_bytes,
    parse_number,
    parse_path_masks,
    parse_type,
    read_devices,
)
from zmon.kernel.tree import OFFLINE
from zmon.kinds import DEVICE, NO_BLOCK_OF_ALIAS, NO_CSS, NO_DASD, NO_DEVICES

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree

CSS = "sys/devices/css0"
DASD = f"{CSS}/0.0.0004/0.0.7000"
DANGEROUS = ("host_access_count", "space_allocated", "logging", "safe_offline", "path_reset", "ping")


class Watched:
    """A tree that notes what it is asked for."""

    live = False
    name = "a watched tree"

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.read_paths: list[str] = []
        self.listed: list[str] = []

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Read and note."""
        self.read_paths.append(path)
        return self.tree.read(path, at_once)

    def entries(self, path: str) -> list[str]:
        """List and note."""
        self.listed.append(path)
        return self.tree.entries(path)

    def link(self, path: str) -> str:
        """Hand the question on."""
        return self.tree.link(path)

    def when(self, path: str) -> int:
        """Hand the question on."""
        return self.tree.when(path)


def test_chpids_are_eight_slots() -> None:
    """The eight numbers are hex, and a 00 may be a path or an empty slot."""
    assert parse_bytes("4e 4f 5e 5f 00 00 00 00 \n", 8) == (0x4E, 0x4F, 0x5E, 0x5F, 0, 0, 0, 0)


def test_pimpampom_are_three_masks() -> None:
    """Installed, available and operational come in this order."""
    assert parse_bytes("f0 e0 ff\n", 3) == (0xF0, 0xE0, 0xFF)


def test_vpm_is_one_mask() -> None:
    """The verified path mask is one number in hex."""
    assert parse_bytes("f0\n", 1) == (0xF0,)


def test_path_masks_are_six() -> None:
    """The DASD driver's six masks are kept as they are written."""
    assert parse_path_masks("f0 00 00 00 00 10\n") == "f0 00 00 00 00 10"


def test_a_device_without_type_is_absent() -> None:
    """The kernel's n/a is no type."""
    assert parse_type("n/a\n") is NO_TYPE


def test_more_values_than_known_are_accepted() -> None:
    """A later kernel may append masks."""
    assert parse_bytes("80 80 ff 01\n", 3) == (0x80, 0x80, 0xFF)


def test_only_installed_paths_are_listed() -> None:
    """The mask decides which slots count, and 00 is a legal path."""
    assert installed((0x00, 0x71, 0x72, 0, 0, 0, 0, 0), 0xA0) == "00 72"


@pytest.mark.parametrize(
    ("parse", "wrong"),
    [
        (partial(parse_bytes, count=8), "4e 4f"),
        (partial(parse_bytes, count=8), "4e 4f 5e 5f 00 00 00 zz"),
        (partial(parse_bytes, count=3), "80 80"),
        (partial(parse_bytes, count=3), "080 80 ff"),
        (partial(parse_bytes, count=1), ""),
        (parse_path_masks, "0"),
        (parse_type, "3390"),
        (parse_type, ""),
        (parse_number, "yes"),
        (parse_number, "-1"),
        (parse_number, "\u0663"),
    ],
)
def test_another_form_is_refused(parse: Callable[[str], object], wrong: str) -> None:
    """What is shorter or not of the form is refused."""
    with pytest.raises(ValueError, match=r"hex digits|expected .*, found"):
        parse(wrong)


REAL = st.sampled_from(["70 71 00 00 00 00 00 00 \n", "80 80 ff\n", "3390/0c\n", "n/a\n", "1\n", "80\n"])


@pytest.mark.parametrize("parse", [partial(parse_bytes, count=3), parse_path_masks, parse_type, parse_number])
@given(data=st.data())
def test_any_text_is_parsed_or_refused(parse: Callable[[str], object], data: st.DataObject) -> None:
    """Only ValueError comes out of text that a kernel would not write."""
    real = data.draw(REAL)
    cut = data.draw(st.integers(0, len(real)))
    content = data.draw(st.text() | st.just(real[:cut]) | st.text(max_size=3).map(lambda s: real[:cut] + s))
    try:
        parse(content)
    except ValueError:
        return


@given(st.lists(st.integers(0, 255), min_size=8, max_size=8), st.integers(0, 255))
def test_as_many_paths_as_bits(chpids: list[int], pim: int) -> None:
    """Every bit of the installed mask is one path."""
    assert len(installed(tuple(chpids), pim).split()) == pim.bit_count()


def test_devices_are_in_the_order_of_bus_ids(load_tree: Callable[..., Tree]) -> None:
    """All subchannel sets are walked, and the device numbers order the rows."""
    assert read_devices(load_tree("css-qemu")).keys == ["0.0.0190", "0.0.7000", "0.0.f500", "0.1.7100"]


def test_a_few_devices_alone(load_tree: Callable[..., Tree]) -> None:
    """They have the same rows as among all, and those that are gone are left out."""
    tree = load_tree("css-hyperion")
    links = {"sys/bus/ccw/devices/0.0.7203": f"../../../devices/css0/{_subchannel(tree)}/0.0.7203"}
    tree.links |= links  # type: ignore[attr-defined]
    alone, everything = read_devices(tree, ["0.0.7203", "0.0.9999"]), read_devices(tree)
    assert alone.keys == ["0.0.7203"]
    names = [field.name for field in DEVICE.fields]
    assert [alone.cell("0.0.7203", name) for name in names] == [
        everything.cell("0.0.7203", name) for name in names
    ]


def _subchannel(tree: Tree) -> str:
    return str(read_devices(tree).cell("0.0.7203", "subchannel"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subchannel", "0.0.0004"),
        ("chpids", "70"),
        ("pim", 0x80),
        ("pam", 0x80),
        ("pom", 0xFF),
        ("vpm", 0x80),
        ("driver", "dasd-eckd"),
        ("status", "online"),
        ("availability", "good"),
        ("discipline", "ECKD"),
        ("vendor", "HRC"),
        ("block", "dasdd"),
        ("devtype", "3390/02"),
        ("cutype", "2107/e8"),
        ("uid", "HRC.ZZ178730809269.7000.00"),
        ("online", 1),
        ("alias", 0),
        ("cmb_enable", 1),
        ("readonly", 0),
        ("hpf", 0),
        ("ese", 0),
        ("use_diag", 0),
        ("path_masks", "80 00 00 00 00 00"),
    ],
)
def test_an_online_volume_is_known_in_full(load_tree: Callable[..., Tree], field: str, value: Value) -> None:
    """Every field of a volume that is on line has the value the kernel gave."""
    assert read_devices(load_tree("css-hyperion")).cell("0.0.7000", field) == value


@pytest.mark.parametrize("field", ["uid", "vendor", "hpf", "ese", "path_masks", "block"])
def test_an_offline_volume_says_so(load_tree: Callable[..., Tree], field: str) -> None:
    """What the kernel knows only of volumes on line is absent for that reason."""
    assert read_devices(load_tree("css-hyperion")).cell("0.0.7203", field) is OFFLINE


@pytest.mark.parametrize("field", ["hpf", "ese"])
def test_a_file_missing_in_a_capture_of_an_offline_volume_means_offline(
    load_tree: Callable[..., Tree], field: str
) -> None:
    """A capture may lack files that answered ENODEV; the reason is the same."""
    path = f"{CSS}/0.0.000f/0.0.7203/{field}"
    tree = load_tree("css-hyperion", errors={path: FileNotFoundError(errno.ENOENT, "gone", path)})
    assert read_devices(tree).cell("0.0.7203", field) is OFFLINE


def test_the_fba_discipline_loses_its_trailing_blank(load_tree: Callable[..., Tree]) -> None:
    """The kernel pads the name of this discipline."""
    assert read_devices(load_tree("css-hyperion")).cell("0.0.0190", "discipline") == "FBA"


def test_fba_disks_have_no_uid(load_tree: Callable[..., Tree]) -> None:
    """An empty uid of an FBA disk is absent, and says that it always will be."""
    assert str(read_devices(load_tree("css-hyperion")).cell("0.0.0190", "uid")).endswith(" uid')")


def test_an_eckd_disk_without_uid_lacks_configuration_data(load_tree: Callable[..., Tree]) -> None:
    """An empty uid of an ECKD disk on line has another reason."""
    tree = load_tree("css-hyperion", files={f"{DASD}/uid": b"\n"})
    assert read_devices(tree).cell("0.0.7000", "uid") is NO_CONFIGURATION


def test_a_console_is_no_dasd(load_tree: Callable[..., Tree]) -> None:
    """The DASD driver's attributes are absent for other devices."""
    assert read_devices(load_tree("css-hercules")).cell("0.0.0009", "uid") is NO_DASD


def test_the_path_00_is_a_path(load_tree: Callable[..., Tree]) -> None:
    """A device on channel path 00 has one path, not none."""
    assert read_devices(load_tree("css-hercules")).cell("0.0.0009", "chpids") == "00"


def test_a_virtio_disk_is_found_one_directory_deeper(load_tree: Callable[..., Tree]) -> None:
    """The block device of a virtio disk belongs to the virtio device, not to the ccw device."""
    blocks = read_devices(load_tree("css-qemu")).column("block")
    assert [text_of(name) for name in blocks] == ["vdf", "vdb", "", "vdd"]
    assert blocks[2] is not NO_BLOCK_OF_ALIAS


def test_a_virtio_device_has_only_a_control_unit_type(load_tree: Callable[..., Tree]) -> None:
    """A device without a type of its own keeps the type of its control unit."""
    frame = read_devices(load_tree("css-qemu"))
    assert frame.cell("0.0.7000", "devtype") is NO_TYPE
    assert frame.cell("0.0.7000", "cutype") == "3832/02"


def test_an_alias_has_no_block_device(make_tree: Callable[..., Tree]) -> None:
    """The reason tells an alias from a disk that lost its block device."""
    files = {f"{DASD}/online": b"1\n", f"{DASD}/alias": b"1\n"}
    tree = make_tree(files, {f"{DASD}/driver": "../../../../bus/ccw/drivers/dasd-eckd"})
    assert read_devices(tree).cell("0.0.7000", "block") is NO_BLOCK_OF_ALIAS


def test_a_device_without_driver_says_so(make_tree: Callable[..., Tree]) -> None:
    """What a driver would give is absent because there is none."""
    tree = make_tree({f"{DASD}/online": b"0\n"})
    devices = read_devices(tree)
    assert isinstance(devices.cell("0.0.7000", "driver"), Absent)
    assert devices.cell("0.0.7000", "uid") is devices.cell("0.0.7000", "driver")


def test_an_attribute_of_unknown_form_is_absent(load_tree: Callable[..., Tree]) -> None:
    """One attribute that is not understood costs one cell, not the frame."""
    tree = load_tree("css-hyperion", files={f"{DASD}/devtype": b"\xff"})
    assert "'devtype " in str(read_devices(tree).cell("0.0.7000", "devtype"))


def test_paths_of_unknown_form_are_absent(load_tree: Callable[..., Tree]) -> None:
    """Without a mask the list of paths means nothing."""
    tree = load_tree("css-hyperion", files={f"{CSS}/0.0.0004/pimpampom": b"80\n"})
    assert isinstance(read_devices(tree).cell("0.0.7000", "chpids"), Absent)


@pytest.mark.parametrize("gone", [f"{CSS}/0.0.0004", DASD])
def test_a_device_that_disappears_is_left_out(load_tree: Callable[..., Tree], gone: str) -> None:
    """A directory that goes between listing and reading takes its row along, and no other."""
    tree = load_tree("css-hyperion", errors={gone: FileNotFoundError(errno.ENOENT, "gone", gone)})
    expected = [key for key in read_devices(load_tree("css-hyperion")).keys if key != "0.0.7000"]
    assert read_devices(tree).keys == expected


def test_a_subchannel_without_device_has_no_row(make_tree: Callable[..., Tree]) -> None:
    """Message and EADM subchannels have no ccw device behind them."""
    frame = read_devices(make_tree({f"{CSS}/0.0.0100/type": b"3\n"}))
    assert frame.missing is NO_DEVICES


def test_without_a_channel_subsystem_the_frame_says_so(make_tree: Callable[..., Tree]) -> None:
    """On another machine there is no css0."""
    assert read_devices(make_tree()).missing is NO_CSS


def test_nothing_that_costs_or_acts_is_read(load_tree: Callable[..., Tree]) -> None:
    """Files that start an I/O and triggers are left alone."""
    tree = Watched(load_tree("css-hyperion"))
    read_devices(tree)
    assert not [path for path in tree.read_paths if path.endswith(DANGEROUS)]


def test_nothing_is_asked_twice(load_tree: Callable[..., Tree]) -> None:
    """With thousands of devices every file and directory is opened once."""
    tree = Watched(load_tree("css-hyperion"))
    read_devices(tree)
    asked = tree.read_paths + tree.listed
    assert len(asked) == len(set(asked))


FILES = (*(f"{DASD}/{name}" for name in (*OF_DASD, "online", "devtype", "cutype", "cmb_enable")),
         *(f"{CSS}/0.0.0004/{name}" for name in ("chpids", "pimpampom", "vpm")))  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # it only hands out a function
@given(files=st.dictionaries(st.sampled_from(FILES), st.binary(max_size=70)))
def test_no_content_breaks_the_frame(load_tree: Callable[..., Tree], files: dict[str, bytes]) -> None:
    """Whatever the files hold, every device has its row with a cell for every field."""
    frame = read_devices(load_tree("css-hyperion", files=files))
    assert {name: len(cells) for name, cells in frame.columns.items()} == dict.fromkeys(DEVICE.by_name, 8)


@pytest.mark.parametrize(
    ("role", "content", "pair"),
    [("primary", b"0.0.7000,0.0.7040 \n", "0.0.7000 0.0.7040"),
     ("secondary", b"0.0.7040 0.0.7000\n", "0.0.7040 0.0.7000"), ("none", b"\n", NO_PAIR)],
)  # fmt: skip
def test_a_copy_pair_is_named_by_its_devices(
    role: str, content: bytes, pair: Value, load_tree: Callable[..., Tree]
) -> None:
    """In the order of the kernel, in which the primary is the first."""
    files = {f"{DASD}/copy_role": f"{role}\n".encode(), f"{DASD}/copy_pair": content}
    assert read_devices(load_tree("css-hyperion", files=files)).cell("0.0.7000", "copy_pair") == pair
