from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kernel.diag204 import (
    DIAG_204,
    NO_AUTHORITY,
    NO_CAP,
    NO_DEBUGFS,
    NO_GROUP,
    NO_THREADS,
    NO_WEIGHT,
    parse_diag204,
    read_diag204,
)
from zmon.kernel.sysinfo import NEEDS_LPAR, NOT_CAPTURED
from zmon.kernel.tree import NEEDS_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

FIXTURES = Path(__file__).parents[1] / "fixtures" / "diag_204"


def captured(emulator: str, capture: str) -> bytes:
    """Return a captured file: the part that was kept, and the zeros behind it."""
    text = (FIXTURES / f"{emulator}.hex").read_text()
    lines = text.partition(f"= {capture}\n")[2].partition("=")[0].split()
    return bytes.fromhex("".join(lines)).ljust(4160, b"\0")


def ebcdic(name: str) -> bytes:
    return name.ljust(8).encode("cp500")


def put(size: int, *fields: tuple[int, str, object]) -> bytes:
    """Build a block from (offset, format, value)."""
    block = bytearray(size)
    for offset, form, value in fields:
        struct.pack_into(f">{form}", block, offset, value)
    return bytes(block)


def envelope(payload: bytes) -> bytes:
    return put(64, (0, "Q", len(payload)), (10, "B", 7)) + payload


def two_partitions(flags: int = 0x80) -> bytes:
    """Build an answer for two partitions and three physical CPUs; ours is the second."""
    info = put(
        64,
        (0, "B", 2), (1, "B", flags), (4, "H", 3), (6, "H", 64 + 96 + 96),
        (8, "Q", 1_000_000 << 4),
    )  # fmt: skip
    other = put(
        96,
        (0, "B", 3), (1, "B", 1), (2, "B", 1), (8, "8s", ebcdic("ZOSPROD")), (16, "8s", ebcdic("PLEX1")),
        (24, "8s", ebcdic("SYSA")), (32, "Q", 65536), (48, "B", 0x2A),
        (52, "I", 300), (56, "8s", ebcdic("GROUP1")), (64, "8s", ebcdic("HWGRP")),
    )  # fmt: skip
    other_cpu = put(
        96,
        (0, "H", 4), (4, "B", 0), (5, "B", 0x60), (6, "H", 500), (8, "Q", 900), (16, "Q", 800),
        (24, "H", 100), (26, "H", 600), (28, "H", 999), (32, "Q", 1000), (40, "Q", 50),
        (56, "I", 150), (60, "I", 250),
    )  # fmt: skip
    own = put(96, (0, "B", 4), (2, "B", 2), (8, "8s", ebcdic("LNXPROD")), (49, "B", 0xE1))
    ifl = put(96, (0, "H", 0), (4, "B", 3), (5, "B", 0x20), (6, "H", 0xFFFF), (64, "Q", 77))
    ziip = put(96, (0, "H", 1), (4, "B", 5), (6, "H", 20))
    physical = put(96, (1, "B", 3), (8, "8s", ebcdic("PHYSICAL")))
    cpus = b"".join(
        put(96, (0, "H", address), (4, "B", kind), (6, "H", weight), (8, "Q", time))
        for address, kind, weight, time in ((0, 0, 0, 11), (1, 3, 0xFFFF, 12), (7, 9, 0, 13))
    )
    return envelope(info + other + other_cpu + own + ifl + ziip + (physical + cpus if flags & 0x80 else b""))


LPARS, CPUS, PHYSICAL = parse_diag204(two_partitions(), when=42)


def row(frame: Frame, key: str) -> dict[str, object]:
    return {name: frame.cell(key, name) for name in frame.columns}


def test_partition() -> None:
    """Every field of a partition block comes out, names without their padding."""
    assert row(LPARS, "ZOSPROD") == {
        "number": 3, "upid": 42, "os": "SYSA", "sysplex": "PLEX1", "group": "GROUP1",
        "hardware_group": "HWGRP", "cpus": 1, "own": 0, "storage": 65536, "group_limit": 300,
    }  # fmt: skip


def test_own_partition() -> None:
    """The header's offset tells which partition is ours."""
    assert LPARS.column("own") == [0, 1]


def test_own_partition_unknown() -> None:
    """Without the offset nobody can say which partition is ours: absent, not 0."""
    data = bytearray(two_partitions())
    struct.pack_into(">H", data, 64 + 6, 0)
    assert isinstance(parse_diag204(bytes(data))[0].cell("LNXPROD", "own"), Absent)


def test_blank_names_are_absent() -> None:
    """A partition in no group has no group, and the reason says so."""
    assert LPARS.cell("LNXPROD", "group") is NO_GROUP


def test_shared_cpu() -> None:
    """Every field of the block of a shared, capped CPU comes out."""
    assert row(CPUS, "ZOSPROD/4") == {
        "type": "CP", "lpar": "ZOSPROD", "cpu": 4, "online": 1, "capped": 1, "dedicated": 0,
        "weight_initial": 500, "weight_min": 100, "weight": 600, "weight_max": 999,
        "cap_type": 150, "cap_group": 250,
        "accumulated": 900, "dispatched": 800, "online_time": 1000, "wait": 50,
        "mt_idle": row(CPUS, "ZOSPROD/4")["mt_idle"], "clock": 1_000_000,
    }  # fmt: skip
    assert CPUS.cell("ZOSPROD/4", "mt_idle") is NO_THREADS


def test_dedicated_cpu_has_no_weight() -> None:
    """The weight 0xffff means dedicated and is no weight."""
    assert CPUS.cell("LNXPROD/0", "dedicated") == 1
    assert CPUS.cell("LNXPROD/0", "weight") is NO_WEIGHT


def test_no_cap_is_absent() -> None:
    """A cap of 0 means that there is none; it must not look like a cap to nothing."""
    assert CPUS.cell("LNXPROD/1", "cap_type") is NO_CAP


def test_offline_cpu() -> None:
    """The answer contains CPUs that are off line."""
    assert CPUS.cell("LNXPROD/1", "online") == 0


def test_threads() -> None:
    """The idle time of threads exists only where the partition runs with multithreading."""
    assert CPUS.cell("LNXPROD/0", "mt_idle") == 77


def test_cpu_types() -> None:
    """CPU types that zmon does not know keep their number."""
    assert [*CPUS.column("type"), *PHYSICAL.column("type")] == ["CP", "IFL", "zIIP", "CP", "IFL", "9"]


def test_physical_cpus() -> None:
    """Behind the partitions come the physical CPUs with the hypervisor's own time."""
    assert row(PHYSICAL, "1") == {"type": "IFL", "dedicated": 1, "management": 12, "clock": 1_000_000}


def test_times_of_the_rows() -> None:
    """All rows were read at the moment that was given."""
    assert set(CPUS.times) == {42}


def test_no_authority() -> None:
    """Without the physical block the reason names the switch at the HMC."""
    physical = parse_diag204(two_partitions(flags=0))[2]
    assert physical.missing is absent(NO_AUTHORITY)


def test_same_name_twice() -> None:
    """Two partitions of one name stay two rows."""
    data = two_partitions().replace(ebcdic("ZOSPROD"), ebcdic("LNXPROD"))
    assert parse_diag204(data)[0].keys == ["LNXPROD", "LNXPROD#4"]


@pytest.mark.parametrize("emulator", ["hercules", "hyperion"])
def test_captured_cpus(emulator: str) -> None:
    """Both emulators describe one partition with two CPUs and grant no authority."""
    lpars, cpus, physical = parse_diag204(captured(emulator, "2-load"))
    assert (lpars.keys, cpus.keys) == (["HERCULES"], ["HERCULES/0", "HERCULES/1"])
    assert lpars.column("own") == [1]
    assert physical.missing is absent(NO_AUTHORITY)


@pytest.mark.parametrize(("emulator", "busy"), [("hercules", 0.773), ("hyperion", 0.908)])
def test_busy_relative_to_online_time(emulator: str, busy: float) -> None:
    """Busy over online time comes out right whatever the unit of the times: one of them scales it."""
    before, after = (parse_diag204(captured(emulator, c))[1] for c in ("2-load", "4-load"))

    def rise(name: str) -> float:
        return after.cell("HERCULES/0", name) - before.cell("HERCULES/0", name)  # type: ignore[operator,return-value]  # numbers

    assert rise("accumulated") / rise("online_time") == pytest.approx(busy, abs=0.001)


def test_clock_in_microseconds() -> None:
    """38.183 seconds passed between the two captures of Hyperion, by the files' own times."""
    before, after = (parse_diag204(captured("hyperion", c))[1] for c in ("2-load", "4-load"))
    assert after.column("clock")[0] - before.column("clock")[0] == pytest.approx(38_183_309, abs=1000)  # type: ignore[operator]  # numbers


@pytest.mark.parametrize("size", [0, 63, 64, 100, 64 + 64 + 96 + 95])
def test_short_answer(size: int) -> None:
    """An answer that ends before its own length is refused, and the message says what was found."""
    with pytest.raises(ValueError, match=rf"\b{size}\b"):
        parse_diag204(two_partitions()[:size])


def test_counts_beyond_the_answer() -> None:
    """An answer whose counts promise more blocks than it has is refused with the place."""
    data = bytearray(two_partitions())
    data[64] = 200
    with pytest.raises(ValueError, match=r"offset \d+"):
        parse_diag204(bytes(data))


def test_later_envelope() -> None:
    """An envelope of a version that zmon does not know is not guessed at."""
    data = bytearray(two_partitions())
    data[9] = 1
    with pytest.raises(ValueError, match="found 1"):
        parse_diag204(bytes(data))


def test_not_valid_in_a_guest(make_tree: Callable[..., Tree]) -> None:
    """In a guest the content of the file is not looked at."""
    sysinfo = b"LPAR Name: A\nVM00 Name: LINUX07\nVM00 Control Program: z/VM    7.3.0\n"
    frames = read_diag204(make_tree({DIAG_204: two_partitions(), "proc/sysinfo": sysinfo}))
    assert [frame.missing for frame in frames] == [absent(NEEDS_LPAR)] * 3


def test_without_root(make_tree: Callable[..., Tree]) -> None:
    """A file that may not be read is absent because of the right that is missing."""
    tree = make_tree({"proc/sysinfo": b"LPAR Name: A\n"}, errors={DIAG_204: PermissionError(13, "denied")})
    assert read_diag204(tree)[1].missing is NEEDS_ROOT


def test_without_debugfs(make_tree: Callable[..., Tree]) -> None:
    """On a Z without the file the reason says what to look at."""
    missing = read_diag204(make_tree({"proc/sysinfo": b"LPAR Name: A\n"}))[0].missing
    assert missing is absent(NO_DEBUGFS)


def test_elsewhere(make_tree: Callable[..., Tree]) -> None:
    """Nobody is told to mount debugfs on a machine that has no partitions."""
    assert read_diag204(make_tree())[0].missing is NOT_CAPTURED


def test_one_large_read(make_tree: Callable[..., Tree], monkeypatch: pytest.MonkeyPatch) -> None:
    """The file gives all it has to the first read only, so that one has to be large."""
    tree = make_tree()
    sizes: list[int] = []

    def read(path: str, at_once: int = 65536) -> bytes:
        if path != DIAG_204:
            return b"LPAR Name: A\n"
        sizes.append(at_once)
        return two_partitions()[:at_once]

    monkeypatch.setattr(tree, "read", read)
    read_diag204(tree)
    assert sizes == [1 << 20]


def test_read(make_tree: Callable[..., Tree]) -> None:
    """The rows carry the time of the file."""
    frames = read_diag204(make_tree({DIAG_204: two_partitions()}, times={DIAG_204: 7}))
    assert frames[0].times == [7, 7]


@given(st.binary(max_size=800))
def test_any_bytes(data: bytes) -> None:
    """Nothing but a ValueError comes out of any bytes in an envelope."""
    with suppress(ValueError):
        parse_diag204(envelope(data))


@given(st.integers(0, 1500), st.binary(min_size=1, max_size=16))
def test_mutated_bytes(place: int, patch: bytes) -> None:
    """Nothing but a ValueError comes out of a damaged answer."""
    data = two_partitions()
    with suppress(ValueError):
        parse_diag204(data[:place] + patch + data[place + len(patch) :])
