from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import write_capture
from zmon.base.absent import Absent, absent
from zmon.interval import REPLACED, TOO_LONG, Interval
from zmon.kernel.capture_open import open_capture
from zmon.kernel.dasd_statistics import (
    FOLDER,
    NOT_BUILT,
    NOT_IN_KERNEL,
    NOT_IN_PROC,
    OFF,
    STATISTICS,
    SWITCH,
    UNCAPTURED,
    UNCAPTURED_OR_NO_DRIVER,
    parse_profile,
    parse_statistics,
    read_profiles,
)
from zmon.kernel.tree import LiveTree, text
from zmon.kinds import BUCKETS, HISTOGRAMS, NO_DASD_DRIVER, PROFILE, U32, buckets
from zmon.sample import Instant, Sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

GLOBAL = f"{FOLDER}/global/statistics"
IS_OFF = "Statistics are off - they might be switched on using 'echo set on > /proc/dasd/statistics'\n"


@pytest.fixture(scope="module")
def passes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Three passes of a real kernel under load."""
    folder: Path = tmp_path_factory.mktemp("captures")
    return open_capture(write_capture(folder, "dasdstat")).passes


@pytest.fixture(scope="module")
def profile(passes: Any) -> str:
    """What debugfs says of all DASD."""
    return text(passes[-1], GLOBAL)


@pytest.fixture(scope="module")
def statistics(passes: Any) -> str:
    """What /proc says of them."""
    return text(passes[-1], STATISTICS)


def counts(row: Any, histogram: str) -> list[int]:
    """Return a histogram of a row."""
    return [row[name] for name in buckets(histogram)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("requests", 9492), ("sectors", 383296), ("pav", 0), ("read_requests", 5058), ("mean_time", 4161),
        ("mean_wait", 2653), ("mean_device", 1173), ("mean_end", 334), ("read_sectors", 119288),
        ("time_08", 3493), ("size_02", 8409), ("wait_06", 2072), ("device_07", 3705), ("end_00", 17),
        ("queue_01", 6711), ("read_time_08", 1742), ("start", "1795212014.014839000"), ("scale", 1),
    ],
)  # fmt: skip
def test_each_figure_of_debugfs_has_its_field(profile: str, field: str, value: object) -> None:
    """As the kernel wrote it."""
    row = parse_profile(profile)
    assert row is not None
    assert row[field] == value


@pytest.mark.parametrize("histogram", [name for name in HISTOGRAMS if not name.startswith("read_")])
def test_each_histogram_counts_every_request(profile: str, histogram: str) -> None:
    """Once."""
    row: Any = parse_profile(profile)
    assert sum(counts(row, histogram)) == row["requests"]


@pytest.mark.parametrize("histogram", [name for name in HISTOGRAMS if name.startswith("read_")])
def test_those_of_reads_count_every_read(profile: str, histogram: str) -> None:
    """Once, and in no bucket more than there are requests."""
    row: Any = parse_profile(profile)
    assert sum(counts(row, histogram)) == row["read_requests"]


def test_a_profile_that_is_off_is_none() -> None:
    """Nobody has switched it on."""
    assert parse_profile("disabled\n") is None


def test_lines_that_are_not_known_are_passed_over(profile: str) -> None:
    """Kernels to come may count more."""
    assert parse_profile(profile + "histogram_of_moons 1 2 3\n") == parse_profile(profile)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("start_time 1", "start_time x", "start_time"),
        ("total_pav 0", "", "total_pav"),
        ("total_hpf 0", "total_hpf -1", "total_hpf: .*'-1"),
        ("histogram_sectors 0", "histogram_sectors", r"histogram_sectors: .*\b32\b.*\b31\b"),
    ],
)
def test_a_profile_of_another_form_is_refused(profile: str, before: str, after: str, said: str) -> None:
    """With the file and the line."""
    with pytest.raises(ValueError, match=said):
        parse_profile(profile.replace(before, after, 1), "file")


def test_proc_says_the_same_as_debugfs(profile: str, statistics: str) -> None:
    """But for the two requests that came between their readings."""
    one, other = parse_profile(profile), parse_statistics(statistics)
    assert one is not None
    assert other is not None
    common = [name for name in other if name not in {"via", "scale"}]
    apart: list[Any] = [abs(int(other[name]) - int(one[name])) for name in common]  # type: ignore[arg-type]  # counts
    assert max(gap for name, gap in zip(common, apart, strict=True) if name != "sectors") == 2


def test_what_proc_has_divided_is_multiplied_again(statistics: str) -> None:
    """The totals were not divided."""
    row = parse_statistics(statistics.replace("Scale Factor is  1", "Scale Factor is  100"))
    assert row is not None
    assert (row["time_08"], row["scale"], row["requests"]) == (349400, 100, 9494)


def test_more_than_two_thousand_million_requests_are_no_negative_number(statistics: str) -> None:
    """The kernel writes them with a sign."""
    row = parse_statistics(statistics.replace("9494 dasd", "-1 dasd"))
    assert row is not None
    assert row["requests"] == U32 - 1


def test_statistics_that_are_off_are_none() -> None:
    """The kernel says how to switch them on."""
    assert parse_statistics(IS_OFF) is None


def test_a_kernel_that_cannot_count_is_said_to_be_one() -> None:
    """Debian builds it so."""
    with pytest.raises(ValueError, match="CONFIG_DASD_PROFILE"):
        parse_statistics("Statistics are not activated in this kernel\n")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("dasd I/O", "tape I/O", "'.*tape I/O"),
        ("Scale Factor is  1", "Scale Factor is  7", "'.*dasd I/O"),
        ("Histogram of sizes (512B secs)", "Histogram", "'Histogram of sizes"),
        ("8411", "", r"\b32\b.*\b31\b"),
        ("8411", "84x1", "'84x1'"),
    ],
)
def test_statistics_of_another_form_are_refused(statistics: str, before: str, after: str, said: str) -> None:
    """What was found is in the message."""
    with pytest.raises(ValueError, match=said):
        parse_statistics(statistics.replace(before, after, 1))


def parsed(parse: Callable[[str], Any], content: str) -> Any:
    """Return what a parser makes of a text; None when it refuses, as it may."""
    try:
        return parse(content)
    except ValueError:
        return None


@given(st.text())
def test_no_text_breaks_the_parsers(content: str) -> None:
    """Only ValueError comes out, and of no noise a row."""
    assert parsed(parse_profile, content) is None
    assert parsed(parse_statistics, content) is None


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_breaks_the_parsers(profile: str, statistics: str, data: Any) -> None:
    """Real contents, cut anywhere and with anything put in."""
    for parse, content in ((parse_profile, profile), (parse_statistics, statistics)):
        begin = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(begin, min(len(content), begin + 40)))
        row = parsed(parse, content[:begin] + data.draw(st.text(max_size=10)) + content[end:])
        assert row is None or all(count >= 0 for count in counts(row, "time"))


# --- frames ---------------------------------------------------------------------------------------------


def test_what_is_counted_has_a_row(passes: Any) -> None:
    """All DASD, a volume and a device."""
    frame = read_profiles(passes[-1])
    assert sorted(frame.keys) == ["0.0.7001", "dasda", "dasde", "global"]
    assert frame.cell("global", "requests") == 9492
    assert frame.times[frame.index["global"]] == passes[-1].when(GLOBAL)


def test_a_volume_and_its_only_device_count_the_same(passes: Any) -> None:
    """Without aliases; but for a request under way."""
    frame = read_profiles(passes[-1])
    one, other = (frame.cell(key, "read_requests") for key in ("dasde", "0.0.7001"))
    assert isinstance(one, int)
    assert isinstance(other, int)
    assert abs(one - other) <= 2


def test_what_is_off_has_no_row(make_tree: Callable[..., Tree], profile: str) -> None:
    """Its absence is no zero."""
    tree = make_tree({GLOBAL: profile.encode(), f"{FOLDER}/dasda/statistics": b"disabled\n"})
    assert read_profiles(tree).keys == ["global"]


def test_without_debugfs_proc_tells_of_all_dasd(make_tree: Callable[..., Tree], statistics: str) -> None:
    """What only debugfs has says how to get it."""
    refused = {FOLDER: PermissionError(errno.EACCES, "Permission denied", FOLDER)}
    frame = read_profiles(make_tree({STATISTICS: statistics.encode()}, {}, refused))
    assert frame.cell("global", "requests") == 9494
    assert frame.cell("global", "read_requests") is NOT_IN_PROC
    assert frame.cell("global", "via") == "proc"


def test_all_off_says_how_to_switch_it_on(make_tree: Callable[..., Tree]) -> None:
    """A person does it, never zmon."""
    frame = read_profiles(make_tree({STATISTICS: IS_OFF.encode(), GLOBAL: b"disabled\n"}))
    assert frame.missing is OFF
    assert SWITCH in OFF.reason


def test_a_kernel_that_cannot_count_says_so(make_tree: Callable[..., Tree]) -> None:
    """Nobody has to look for the switch."""
    tree = make_tree({STATISTICS: b"Statistics are not activated in this kernel\n"})
    assert read_profiles(tree).missing is NOT_BUILT


@pytest.mark.parametrize(
    ("files", "reason"), [({}, UNCAPTURED_OR_NO_DRIVER), ({"proc/dasd/devices": b""}, UNCAPTURED)]
)
def test_a_capture_without_statistics_says_so(
    make_tree: Callable[..., Tree], files: dict[str, bytes], reason: str
) -> None:
    """Whether there is a driver is known only if the capture holds another of its files."""
    assert read_profiles(make_tree(files)).missing is absent(reason)


@pytest.mark.parametrize(
    ("folder", "reason"), [("proc", NO_DASD_DRIVER), ("proc/dasd/devices", absent(NOT_IN_KERNEL))]
)
def test_a_machine_without_statistics_says_so(tmp_path: Path, folder: str, reason: Absent) -> None:
    """The driver is not loaded, or does not count."""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "proc/self").symlink_to("7")
    assert read_profiles(LiveTree(str(tmp_path))).missing is reason


def test_a_file_that_is_not_understood_costs_its_own_row_only(
    make_tree: Callable[..., Tree], profile: str
) -> None:
    """Its figures say what was found."""
    tree = make_tree({GLOBAL: profile.encode(), f"{FOLDER}/dasda/statistics": b"42\n"})
    frame = read_profiles(tree)
    broken = frame.cell("dasda", "requests")
    assert isinstance(broken, Absent)
    assert "'42" in broken.reason
    assert frame.cell("global", "requests") == 9492


def interval(before: Frame, after: Frame, seconds: float = 20.0) -> Interval:
    """Return the interval between two readings."""
    moments = (0, int(seconds * 1e9))
    one, other = (
        Sample(Instant(at, at, "boot"), {PROFILE.name: frame.but(times=[at] * len(frame.keys))})
        for at, frame in zip(moments, (before, after), strict=True)
    )
    return Interval(one, other)


def test_a_reset_is_seen_by_its_start(passes: Any) -> None:
    """However much was counted since."""
    before, after = map(read_profiles, passes[-2:])
    reset = after.but(columns={**after.columns, "start": ["1795212099.000000000"] * len(after.keys)})
    assert interval(before, after).of(PROFILE).cell("global", "time_08") == 1347
    assert interval(before, reset).of(PROFILE).cell("global", "time_08") is REPLACED


def test_sectors_wrap(passes: Any) -> None:
    """After two TiB, which takes minutes at least; in a longer interval they are not known."""
    before, after = map(read_profiles, passes[-2:])
    sectors: list[Any] = [U32 - 100] * len(before.keys)
    full = before.but(columns={**before.columns, "sectors": sectors, "read_sectors": sectors})
    assert interval(full, after).of(PROFILE).cell("global", "sectors") == 383296 + 100
    assert interval(full, after, 3600).of(PROFILE).cell("global", "sectors") is TOO_LONG
    assert interval(full, after, 3600).of(PROFILE).cell("global", "time_08") == 1347


def test_every_histogram_has_a_field_per_bucket() -> None:
    """32 of each."""
    assert len([field for field in PROFILE.fields if field.name[-2:].isdigit()]) == BUCKETS * len(HISTOGRAMS)
