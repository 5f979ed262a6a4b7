"""zmon.kernel.channel_path: channel paths.  No emulator measures them, so the blocks are built here."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.channel_path import (
    CHARACTERISTICS,
    COUNTERS,
    EXT_COUNTERS,
    LPAR_ONLY,
    MAX_TRIES,
    NO_CHANNEL,
    NO_EXTENDED,
    NO_PATHS,
    NO_SPEED,
    NOT_SHARED,
    NOT_VALID,
    NOTHING_FOR_IT,
    OF_CHANNEL,
    OFF,
    TOO_SHORT,
    TORN,
    UNKNOWN_GROUP,
    parse_ext_measurement,
    parse_hex,
    parse_measurement,
    parse_measurement_chars,
    parse_measurement_chars_full,
    parse_status,
    read_channels,
)
from zmon.kernel.tree import NEEDS_ROOT, NOT_OFFERED
from zmon.kinds import CHANNEL, NO_CSS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.base.absent import Number, Value
    from zmon.kernel.tree import Tree

CSS = "sys/devices/css0"
PATH = f"{CSS}/chp0.70"

ENTRY = struct.pack(">8I", 0xFF_00_01_00, 11, 12, 13, 14, 15, 16, 17)
"""All words valid, 256 ticks."""
LATER = struct.pack(">8I", 0xFF_00_02_00, 21, 22, 23, 24, 25, 26, 27)
EXTENDED = struct.pack(">IIQIIQ", 1, 2, 3 << 32, 4, 5, 6).ljust(64, b"\0")
CHARS = struct.pack(">5I", 1000, 2000, 3000, 4000, 128)

GROUPS = {
    1: {"busy_cpc": 11, "busy": 12},
    2: {
        "bus_cycles_cpc": 11,
        "work_units_cpc": 12,
        "work_units": 13,
        "written_cpc": 14,
        "written": 15,
        "read_cpc": 16,
        "read": 17,
    },
    3: {
        "msg_sent": 11,
        "msg_sent_cpc": 12,
        "send_failed": 13,
        "no_buffer": 14,
        "no_buffer_cpc": 15,
        "data_sent": 16,
        "data_sent_cpc": 17,
    },
}
GROUPS[4] = GROUPS[5] = GROUPS[2]


def given_values(found: Mapping[str, Value]) -> dict[str, Value]:
    """Leave out what is absent."""
    return {name: value for name, value in found.items() if not isinstance(value, Absent)}


class Firmware:
    """A tree whose `measurement` is another block with every read; the last one stays."""

    live = True
    name = "a tree that the firmware writes to"

    def __init__(self, tree: Tree, *blocks: bytes) -> None:
        self.tree = tree
        self.blocks = list(blocks)

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Give the next block."""
        if path == f"{PATH}/measurement":
            return self.blocks.pop(0) if len(self.blocks) > 1 else self.blocks[0]
        return self.tree.read(path, at_once)

    def entries(self, path: str) -> list[str]:
        """Hand the question on."""
        return self.tree.entries(path)

    def link(self, path: str) -> str:
        """Hand the question on."""
        return self.tree.link(path)

    def when(self, path: str) -> int:
        """Hand the question on."""
        return self.tree.when(path)


@pytest.fixture
def measured(make_tree: Callable[..., Tree]) -> Callable[..., Tree]:
    """Build a tree with one measured path of group 2; what is laid over it may replace each file."""

    def build(errors: dict[str, OSError] | None = None, **files: bytes) -> Tree:
        own = {
            "status": b"online\n",
            "configure": b"1\n",
            "shared": b"1\n",
            "chid": b"01b4\n",
            "chid_external": b"1\n",
            "esc": b"0\n",
            "speed_bps": b"16G\n",
            "type": b"1b\n",
            "cmg": b"2\n",
            "measurement": ENTRY,
            "ext_measurement": EXTENDED,
            "measurement_chars": CHARS,
        } | files
        enabled = {f"{CSS}/cm_enable": own.pop("cm_enable", b"1\n")}
        placed = {f"{PATH}/{name}": content for name, content in own.items()}
        planted = {f"{PATH}/{name}": error for name, error in (errors or {}).items()}
        return make_tree(placed | enabled, None, planted, times={f"{PATH}/measurement": 7_000})

    return build


# What a block means.


@pytest.mark.parametrize("group", GROUPS)
def test_each_group_counts_its_own_things(group: int) -> None:
    """The words of an entry have the meaning of the path's group; word 0 holds the time stamp."""
    assert given_values(parse_measurement(ENTRY, group)) == {"timestamp": 256} | GROUPS[group]


def test_a_counter_of_another_group_says_so() -> None:
    """A field that the group does not have is absent for that reason."""
    assert " 1 " in str(parse_measurement(ENTRY, 1)["written"])


def test_an_unknown_group_says_so() -> None:
    """Nothing is guessed about a group without a layout."""
    assert " 9 " in str(parse_measurement(ENTRY, 9)["busy"])


def test_a_word_that_is_not_valid_is_absent() -> None:
    """Each bit of the mask is one word: here word 2 lacks its bit."""
    found = parse_measurement(b"\xdf" + ENTRY[1:], 2)
    assert found["work_units_cpc"] is NOT_VALID


@pytest.mark.parametrize(("word", "name"), list(enumerate(GROUPS[2], 1)))
def test_the_mask_counts_words_from_the_left(word: int, name: str) -> None:
    """Bit 0x80 >> n marks word n and no other."""
    found = parse_measurement(bytes([0x80 >> word]) + ENTRY[1:], 2)
    assert given_values(found) == {"timestamp": 256, name: 10 + word}


def test_firmware_forgets_the_last_word_of_group_3() -> None:
    """A mask of 0xfe in group 3 is known to mean 0xff."""
    assert parse_measurement(b"\xfe" + ENTRY[1:], 3)["data_sent_cpc"] == 17


def test_that_defect_is_of_group_3_alone() -> None:
    """The same mask in another group means what it says."""
    assert isinstance(parse_measurement(b"\xfe" + ENTRY[1:], 2)["read"], Absent)


def test_the_extended_entry_of_group_2_counts_ficon_operations() -> None:
    """Sums of active operations have 64 bits; deferred ones come before them."""
    assert given_values(parse_ext_measurement(EXTENDED, 2)) == {
        "ficon_ops_cpc": 1,
        "ficon_deferred_cpc": 2,
        "ficon_active_cpc": 3 << 32,
        "hpf_ops_cpc": 4,
        "hpf_deferred_cpc": 5,
        "hpf_active_cpc": 6,
    }


def test_the_extended_entry_of_group_4_counts_the_processing_unit() -> None:
    """Group 4 has two times and no operations."""
    data = struct.pack(">II", 8, 9).ljust(64, b"\xff")
    assert given_values(parse_ext_measurement(data, 4)) == {"dpu_channel_busy_cpc": 8, "dpu_busy_cpc": 9}


def test_the_extended_entry_of_group_5_counts_both() -> None:
    """Group 5 has the times first and then the operations of group 2."""
    data = (struct.pack(">II", 8, 9) + EXTENDED)[:64]
    assert given_values(parse_ext_measurement(data, 5)) == {
        "dpu_channel_busy_cpc": 8,
        "dpu_busy_cpc": 9,
    } | given_values(parse_ext_measurement(EXTENDED, 2))


@pytest.mark.parametrize("group", [1, 3])
def test_groups_1_and_3_have_no_extended_entry(group: int) -> None:
    """All fields of the extended entry are absent for the groups that have none."""
    assert not given_values(parse_ext_measurement(EXTENDED, group))


LIMITS = {
    "max_bus_cycles": 1000,
    "max_work_units": 2000,
    "max_write_units": 3000,
    "max_read_units": 4000,
}


def test_group_2_has_limits_and_the_size_of_a_unit() -> None:
    """The last word is the size in bytes, 32 bits wide."""
    assert given_values(parse_measurement_chars(CHARS, 2)) == LIMITS | {"data_unit_size": 128}


@pytest.mark.parametrize("group", [4, 5])
def test_groups_4_and_5_share_the_last_word_with_the_cores(group: int) -> None:
    """The first byte is the number of cores, the other three the size."""
    data = CHARS[:16] + b"\x0a\x01\x00\x80"
    assert given_values(parse_measurement_chars(data, group)) == LIMITS | {
        "dpu_cores": 10,
        "data_unit_size": 0x010080,
    }


def test_a_limit_of_zero_is_none() -> None:
    """Nothing can be divided by a limit that is 0, as with groups 4 and 5 before Linux 6.10."""
    assert not given_values(parse_measurement_chars(bytes(20), 4))


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        ((0, 0, 0, 0), (1, 1, 1, 1)),
        ((64, 0, 2, 0), (64, 64, 2, 2)),
        ((0, 32, 0, 4), (1, 32, 1, 4)),
        ((64, 32, 2, 4), (64, 32, 2, 4)),
    ],
)
def test_sizes_of_group_3_have_defaults(words: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    """0 means 1 for the partition's units, and the partition's size for the machine's."""
    found = given_values(parse_measurement_chars(struct.pack(">5I", *words, 0), 3))
    names = ("data_unit_size", "data_unit_size_cpc", "msg_unit_size", "msg_unit_size_cpc")
    assert found == dict(zip(names, sizes, strict=True))


def test_group_1_has_no_characteristics() -> None:
    """Its busy time is measured in ticks and needs no limit."""
    assert not given_values(parse_measurement_chars(CHARS, 1))


def test_the_full_characteristics_have_three_words_more_in_front() -> None:
    """The block of 32 bytes ends with that of 20."""
    full = bytes(range(12)) + CHARS
    assert parse_measurement_chars_full(full, 2) == parse_measurement_chars(CHARS, 2)


BLOCKS = [
    (parse_measurement, 32, COUNTERS),
    (parse_ext_measurement, 64, EXT_COUNTERS),
    (parse_measurement_chars, 20, CHARACTERISTICS),
    (parse_measurement_chars_full, 32, CHARACTERISTICS),
]


@pytest.mark.parametrize(("parse", "size", "names"), BLOCKS)
@given(data=st.binary(max_size=80), group=st.integers(0, 255))
def test_any_bytes_are_decoded_or_too_short(
    parse: Callable[[bytes, int], dict[str, Number]],
    size: int,
    names: tuple[str, ...],
    data: bytes,
    group: int,
) -> None:
    """A block that is long enough gives every field of its file; a shorter one is refused."""
    if len(data) < size:
        with pytest.raises(ValueError, match=f"has {len(data)} bytes, not {size}"):
            parse(data, group)
    else:
        assert set(parse(data, group)) == set(names)


# What the text files mean.

parse_shared = OF_CHANNEL["shared"][1]
parse_chid, parse_cmg, parse_speed_bps = (OF_CHANNEL[name][1] for name in ("chid", "cmg", "speed"))
parse_chid_external = OF_CHANNEL["chid_external"][1]


@pytest.mark.parametrize(
    ("parse", "content", "value"),
    [
        (parse_cmg, "2\n", 2),
        (parse_cmg, "10\n", 10),
        (parse_cmg, "a\n", 10),
        (parse_hex, "1b\n", 0x1B),
        (parse_hex, "4\n", 4),
        (parse_shared, "1\n", 1),
        (parse_chid, "01b4\n", "01b4"),
        (parse_chid_external, "1\n", 1),
        (parse_speed_bps, "16G\n", "16G"),
        (parse_speed_bps, "1000000001\n", "1000000001"),
        (parse_status, "offline\n", "offline"),
    ],
)
def test_a_text_file_has_its_value(parse: Callable[[str], Value], content: str, value: Value) -> None:
    """Numbers are hex where the kernel prints hex; a speed keeps its suffix."""
    assert parse(content) == value


@pytest.mark.parametrize(
    ("parse", "content"),
    [
        (parse_cmg, "unknown\n"),
        (parse_shared, "unknown\n"),
        (parse_chid, ""),
        (parse_chid_external, ""),
        (parse_speed_bps, "0\n"),
    ],
)
def test_what_the_machine_does_not_say_is_absent(parse: Callable[[str], Value], content: str) -> None:
    """The kernel's words for not knowing are no values."""
    assert isinstance(parse(content), Absent)


TEXTS = (*(parse for _file, parse in OF_CHANNEL.values()), parse_status)


@pytest.mark.parametrize("parse", TEXTS)
@pytest.mark.parametrize("wrong", ["what\n", "-1", "0x1", "\u0661", "1 2", "123456789abc"])
def test_another_word_is_refused(parse: Callable[[str], Value], wrong: str) -> None:
    """What the kernel would not print is refused, with the word that was found."""
    with pytest.raises(ValueError, match=r"expected .*, found"):
        parse(wrong)


@pytest.mark.parametrize("parse", TEXTS)
@given(content=st.text() | st.text("0123456789abcdefGKMTunko\n ", max_size=12))
def test_any_text_is_parsed_or_refused(parse: Callable[[str], Value], content: str) -> None:
    """Only ValueError comes out of text that a kernel would not write."""
    try:
        parse(content)
    except ValueError:
        return


# What a tree holds.


def test_a_measured_path_is_complete(measured: Callable[..., Tree]) -> None:
    """A path that is measured has its labels, its counters and what they are worth."""
    frame = read_channels(measured())
    assert given_values({name: frame.cell("0.70", name) for name in CHANNEL.by_name}) == {
        "status": "online",
        "configure": 1,
        "shared": 1,
        "chid": "01b4",
        "chid_external": 1,
        "esc": 0,
        "speed": "16G",
        "type": 0x1B,
        "cmg": 2,
        "timestamp": 256,
        **GROUPS[2],
        **given_values(parse_ext_measurement(EXTENDED, 2)),
        **LIMITS,
        "data_unit_size": 128,
    }


def test_the_time_of_a_row_is_that_of_its_counters(measured: Callable[..., Tree]) -> None:
    """A measured path was read when its counters were."""
    assert read_channels(measured()).times == [7_000]


def test_the_full_characteristics_are_preferred(measured: Callable[..., Tree]) -> None:
    """Linux 6.13 and later have the whole block."""
    full = bytes(12) + struct.pack(">5I", 5, 6, 7, 8, 9)
    assert read_channels(measured(measurement_chars_full=full)).cell("0.70", "max_work_units") == 6


def test_a_block_that_changed_meanwhile_is_read_again(measured: Callable[..., Tree]) -> None:
    """When word 0 differs after the extended entry was read, all is read once more."""
    tree = Firmware(measured(), ENTRY, LATER)
    assert read_channels(tree).cell("0.70", "read") == 27


def test_a_block_that_never_rests_is_absent(measured: Callable[..., Tree]) -> None:
    """After some tries a path that keeps changing is given up for this sample."""
    tree = Firmware(measured(), *(bytes([0xFF, 0, 0, tick]) + ENTRY[4:] for tick in range(MAX_TRIES + 2)))
    assert read_channels(tree).cell("0.70", "read") is TORN


def test_measurement_that_is_off_says_so(measured: Callable[..., Tree]) -> None:
    """Without measurement files the switch tells why."""
    gone = FileNotFoundError(errno.ENOENT, "gone")
    frame = read_channels(measured({"measurement": gone}, cm_enable=b"0\n"))
    assert frame.cell("0.70", "work_units") is OFF


def test_a_path_may_lack_measurement(measured: Callable[..., Tree]) -> None:
    """The kernel gives an empty file where it has no block for the path."""
    frame = read_channels(measured(measurement=b""))
    assert frame.cell("0.70", "work_units") is NOTHING_FOR_IT


def test_a_user_who_may_not_read_counters_is_told(measured: Callable[..., Tree]) -> None:
    """The counters are for root; the labels are for everybody."""
    frame = read_channels(measured({"measurement": PermissionError(errno.EACCES, "no")}))
    assert (frame.cell("0.70", "work_units"), frame.cell("0.70", "type")) == (NEEDS_ROOT, 0x1B)


def test_a_path_without_extended_data_says_so(measured: Callable[..., Tree]) -> None:
    """An empty extended entry takes nothing from the other counters."""
    frame = read_channels(measured(ext_measurement=b""))
    assert frame.cell("0.70", "ficon_ops_cpc") is NO_EXTENDED
    assert frame.cell("0.70", "read") == 17


def test_an_unknown_group_leaves_the_counters_out(measured: Callable[..., Tree]) -> None:
    """Bytes whose meaning nobody told are not decoded."""
    frame = read_channels(measured(cmg=b"unknown\n"))
    assert frame.cell("0.70", "read") is UNKNOWN_GROUP


def test_a_block_that_is_too_short_is_absent(measured: Callable[..., Tree]) -> None:
    """A short block costs its own fields alone."""
    frame = read_channels(measured(measurement_chars=b"\0\0"))
    assert frame.cell("0.70", "max_work_units") is TOO_SHORT
    assert frame.cell("0.70", "read") == 17


def test_a_file_of_unknown_form_is_absent(measured: Callable[..., Tree]) -> None:
    """One file that is not understood costs one cell."""
    assert "'type " in str(read_channels(measured(type=b"\xff")).cell("0.70", "type"))


def test_configure_is_repeated_from_a_recent_frame(measured: Callable[..., Tree]) -> None:
    """With a recent frame the service processor is not asked."""
    recent = read_channels(measured())
    forbidden = OSError(errno.EIO, "asked all the same")
    assert read_channels(measured({"configure": forbidden}), recent).cell("0.70", "configure") == 1


def test_configure_of_a_new_path_is_read(
    measured: Callable[..., Tree], load_tree: Callable[..., Tree]
) -> None:
    """A path that the recent frame lacks is asked for."""
    recent = read_channels(load_tree("css-qemu"))
    assert read_channels(measured(configure=b"0\n"), recent).cell("0.70", "configure") == 0


def test_hyperion_shows_five_paths(load_tree: Callable[..., Tree]) -> None:
    """Channel paths are keyed by their CHPID in hex."""
    frame = read_channels(load_tree("css-hyperion"))
    assert frame.keys == ["0.00", "0.01", "0.70", "0.71", "0.72"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "online"),
        ("configure", 1),
        ("type", 0x1F),
        ("esc", 0),
        ("cmg", UNKNOWN_GROUP),
        ("shared", NOT_SHARED),
        ("chid", NO_CHANNEL),
        ("chid_external", NO_CHANNEL),
        ("speed", NO_SPEED),
        ("work_units", LPAR_ONLY),
    ],
)
def test_an_unmeasured_path_has_its_labels(load_tree: Callable[..., Tree], field: str, value: Value) -> None:
    """Without measurement a path still says what it is, and why it says no more."""
    assert read_channels(load_tree("css-hyperion")).cell("0.70", field) == value


def test_kvm_refuses_configure(load_tree: Callable[..., Tree]) -> None:
    """A KVM guest cannot ask whether a path is configured."""
    assert read_channels(load_tree("css-qemu")).cell("0.00", "configure") is NOT_OFFERED


def test_hercules_shows_no_paths(load_tree: Callable[..., Tree]) -> None:
    """A channel subsystem without channel paths is an empty frame with its reason."""
    assert read_channels(load_tree("css-hercules")).missing is NO_PATHS


def test_without_a_channel_subsystem_the_frame_says_so(make_tree: Callable[..., Tree]) -> None:
    """On another machine there is no css0."""
    assert read_channels(make_tree()).missing is NO_CSS


def test_a_path_that_disappears_is_left_out(load_tree: Callable[..., Tree]) -> None:
    """A directory that goes while it is read takes its row along, and no other."""
    gone = f"{CSS}/chp0.71"
    tree = load_tree("css-hyperion", errors={gone: FileNotFoundError(errno.ENOENT, "gone", gone)})
    assert read_channels(tree).keys == ["0.00", "0.01", "0.70", "0.72"]


LABELS = ("status", "configure", "shared", "chid", "chid_external", "esc", "speed_bps", "type", "cmg")
BINARY = ("measurement", "ext_measurement", "measurement_chars", "measurement_chars_full")
FILES = (*LABELS, *BINARY, "cm_enable")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # it only hands out a function
@given(files=st.dictionaries(st.sampled_from(FILES), st.binary(max_size=70)))
def test_no_content_breaks_the_frame(measured: Callable[..., Tree], files: dict[str, bytes]) -> None:
    """Whatever the files hold, the path has its row with a cell for every field."""
    frame = read_channels(measured(**files))
    assert {name: len(cells) for name, cells in frame.columns.items()} == dict.fromkeys(CHANNEL.by_name, 1)
