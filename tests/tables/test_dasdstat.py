from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kernel.capture_open import open_capture
from zmon.kernel.sampler import Choice, sample_once
from zmon.kinds import BUCKETS, DASD, MACHINE, NO_DASD_DRIVER, PROFILE, buckets
from zmon.machine.view import NoSuchThing, View
from zmon.sample import empty_frame, not_sampled
from zmon.tables.dasdstat import (
    BEFORE,
    IDLE,
    NOT_READ,
    RESET,
    ProfileQuery,
    parse,
    table,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.tables.table import Table

HISTOGRAMS = ("size", "time", "wait", "device", "end", "queue")
DISKS = {
    "0.0.7000": {"name": "dasdd", "volser": "0X7000"},
    "0.0.7001": {"name": "dasde", "volser": absent("no label")},
}


@pytest.fixture
def interval(lay_out: Callable[[str], str]) -> Interval:
    """The last 20 seconds of a real kernel under load."""
    passes = open_capture(lay_out("dasdstat")).passes[-2:]
    return Interval(*(sample_once(one, "a capture", Choice((PROFILE, DASD))) for one in passes))


def profile(
    count: int, bucket: int = 8, *, reads: int = 0, start: str = "1.0", **more: Any
) -> dict[str, Any]:
    """Return a row whose requests, some of them reads, all fell into one bucket of each histogram."""
    row: dict[str, Any] = {
        "start": start, "scale": 1, "via": "debugfs",
        "requests": count, "sectors": 8 * count, "pav": count // 4, "hpf": 0,
        "read_requests": reads, "read_sectors": 8 * reads, "read_pav": 0, "read_hpf": 0,
        "mean_time": 700, "mean_wait": 300, "mean_device": 300, "mean_end": 100,
    }  # fmt: skip
    for name in HISTOGRAMS:
        row |= dict.fromkeys((*buckets(name), *buckets(f"read_{name}")), 0)
        row |= {buckets(name)[bucket]: count, buckets(f"read_{name}")[bucket]: reads}
    return row | more


Make = Any


@pytest.fixture
def make(make_interval: Callable[..., Interval]) -> Make:
    """Return `make(argument, before, after)`: the table between two readings of all DASD, 10 s apart."""

    def build(
        argument: str, before: dict[str, Any] | None, after: dict[str, Any], key: str = "global"
    ) -> Table:
        earlier = None if before is None else {PROFILE: {key: before}, DASD: DISKS}
        later = {PROFILE: {key: after}, DASD: DISKS, MACHINE: {"machine": {"environment": "lpar"}}}
        return table(View(make_interval(earlier, later, 10.0), argument=argument))

    return build


# --- what is shown --------------------------------------------------------------------------------------


def test_there_is_a_row_for_each_bucket_between_the_first_and_the_last(interval: Interval) -> None:
    """Empty ones in between have theirs."""
    found = table(View(interval))
    assert found.keys == [f"{row:02}" for row in range(15)]
    assert found.column("bucket")[8:10] == ["512-1023us", "1.0-2.0ms"]


@pytest.mark.parametrize("name", HISTOGRAMS)
def test_the_parts_of_a_histogram_are_all_of_it(interval: Interval, name: str) -> None:
    """100 percent; and the longest bar is full."""
    found = table(View(interval))
    assert sum(found.column(name)) == pytest.approx(100)  # type: ignore[arg-type]  # numbers
    assert max(found.column(f"{name}_bar")) == pytest.approx(100)


def test_the_requests_of_an_interval_are_those_that_came_in_it(interval: Interval) -> None:
    """9,492 less 5,534, in 18.8 seconds."""
    found = table(View(interval))
    assert sum(found.column("requests")) == 9492 - 5534  # type: ignore[arg-type]  # numbers
    assert found.facts["rate"] == pytest.approx(210, abs=1)


def test_reads_and_writes_are_all(interval: Interval) -> None:
    """Writes are what were no reads."""
    counts = [table(View(interval, argument=part)).facts["count"] for part in ("", "READS", "writes")]
    assert counts[0] == counts[1] + counts[2]  # type: ignore[operator]  # numbers


def test_total_shows_all_since_the_start(make: Make) -> None:
    """With the driver's own mean, which is no estimate."""
    found = make("TOTAL", profile(100), profile(300))
    assert (found.facts["count"], found.facts["time_mean"]) == (300, 0.7)
    assert found.facts["mean_of"] == "Mean     ms"


def test_a_mean_of_an_interval_is_an_estimate(make: Make) -> None:
    """The driver's own cannot be taken apart."""
    found = make("", profile(100), profile(300))
    assert found.facts["time_mean"] == pytest.approx(0.7387, abs=1e-4)
    assert found.facts["mean_of"] == "Mean    ~ms"


@pytest.mark.parametrize(
    ("fact", "value"), [("rate", 20), ("mbs", 0.08192), ("kib", 4), ("pav", 25), ("hpf", 0), ("reads", 60)]
)
def test_facts(make: Make, fact: str, value: float) -> None:
    """Of 200 requests in 10 seconds, each of 8 sectors, a quarter ran on aliases."""
    found = make("", profile(100, reads=40), profile(300, reads=160))
    assert found.facts[fact] == pytest.approx(value)


def test_percentiles_are_said_in_words(make: Make) -> None:
    """The first note says within which times requests were done."""
    note = make("", profile(100), profile(300)).notes[0]
    times = "0.724~, 0.955~, 1.02~ ms"
    assert note.startswith("50 %, 90 %, 99 % ")
    assert note.endswith(f": Total time {times}; Till SSCH {times}; SSCH to irq {times}")


def test_the_fullest_bucket_is_looked_at_first(make: Make) -> None:
    """The screen opens where most requests are."""
    assert make("", profile(100), profile(300)).home == "08"
    assert make("", profile(300), profile(300)).home == ""


# --- what is not ----------------------------------------------------------------------------------------


def test_the_first_sample_shows_nothing_but_its_total(make: Make) -> None:
    """And says how to see that."""
    assert make("", None, profile(300)).missing is BEFORE
    assert make("TOTAL", None, profile(300)).keys == ["08"]


def test_an_idle_interval_shows_nothing(make: Make) -> None:
    """No request, no histogram."""
    assert make("", profile(300), profile(300)).missing is IDLE


def test_a_reset_shows_nothing(make: Make) -> None:
    """What was counted before it is not known."""
    assert make("", profile(100), profile(300, start="9.0")).missing is RESET


def test_nothing_that_is_counted_says_why(make_interval: Callable[..., Interval]) -> None:
    """The sampler has said it."""
    found = table(View(make_interval({}, {})))
    assert found.missing is not_sampled(PROFILE).missing
    assert found.facts["time_99"] is found.missing


def test_a_capture_without_statistics_is_no_machine_without_dasd(
    make_interval: Callable[..., Interval],
) -> None:
    """A reader finds no file of the driver in it either, and recordings keep what it said then."""
    after = make_interval({}, {DASD: DISKS}).after
    none = empty_frame(PROFILE, NO_DASD_DRIVER)
    filled = table(View(Interval(None, after._replace(frames={**after.frames, "profile": none}))))
    assert filled.missing is NOT_READ
    assert filled.facts["rate"] is NOT_READ
    without = after._replace(frames={"profile": none})
    assert table(View(Interval(None, without))).missing is none.missing


def test_divided_counts_are_estimates(make: Make) -> None:
    """And a note says how exact they are."""
    found = make("", profile(100, scale=10), profile(300, scale=10))
    assert found.is_estimate("time", 0)
    assert facts(found.notes[1]) == "10"


def test_what_proc_does_not_tell_stays_absent(make: Make) -> None:
    """Its reason says what to do."""
    reads: dict[str, Any] = {name: absent("only debugfs") for name in profile(0) if name.startswith("read_")}
    found = make("READS", profile(100, via="proc", **reads), profile(300, via="proc", **reads))
    assert found.missing == absent("only debugfs")


# --- whose ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("", ProfileQuery("global")),
        ("global reads", ProfileQuery("global", "READS")),
        ("dasde", ProfileQuery("dasde")),
        ("DASDE writes TOTAL", ProfileQuery("dasde", "WRITES", whole=True)),
        ("7001", ProfileQuery("dasde")),
        ("0.0.7001", ProfileQuery("0.0.7001")),
        ("tot", ProfileQuery("global", whole=True)),
    ],
)
def test_words_say_what_is_asked_for(interval: Interval, words: str, asked: ProfileQuery) -> None:
    """A number means the volume with its aliases, a bus id the device."""
    assert parse(words, View(interval)) == asked


def test_a_label_means_its_volume(make: Make) -> None:
    """As people know it."""
    subject = str(make("0x7000", profile(100), profile(300), key="dasdd").facts["subject"])
    assert subject.startswith("dasdd 0.0.7000 0X7000, ")


def test_without_all_dasd_the_first_that_is_counted_is_shown(make: Make) -> None:
    """Somebody switched on that volume alone."""
    assert make("", profile(100), profile(300), key="dasdd").keys == ["08"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("dasdx", r"'dasdx'.* global, dasda, dasde, 0\.0\.7001$"),
        ("dasde dasda", "'dasda'.* dasde .* READS, WRITES, TOTAL$"),
    ],
)
def test_what_is_not_counted_is_no_such_thing(interval: Interval, words: str, said: str) -> None:
    """The message says what is."""
    with pytest.raises(NoSuchThing, match=said):
        parse(words, View(interval))


@given(words=st.text(max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_words_mean_something_or_nothing(interval: Interval, words: str) -> None:
    """No other error comes out."""
    try:
        asked = parse(words, View(interval))
    except NoSuchThing:
        return
    assert asked.key in interval.of(PROFILE).index


# --- two side by side -----------------------------------------------------------------------------------


def test_two_tables_get_the_same_rows_and_the_same_scale(make: Make) -> None:
    """So that their bars can be compared."""
    half = profile(300) | {"time_08": 200, "time_09": 200}
    then, now = together(make("", profile(0), profile(300, 11)), make("", profile(0), half))
    assert then.keys == now.keys == ["08", "09", "10", "11"]
    assert then.column("bucket") == now.column("bucket")
    assert now.column("time") == [50, 50, 0, 0]
    assert now.column("time_bar") == [50, 50, 0, 0]


def test_what_has_moved_is_said_in_words(make: Make) -> None:
    """The peak, and the mean."""
    _, now = together(make("", profile(0, 9), profile(300, 9)), make("", profile(0, 7), profile(300, 7)))
    assert facts(now.notes[0]) == "1.0-2.0ms 256-511us 1.48~ 0.369~ -75"


def test_what_stayed_is_said_to_have(make: Make) -> None:
    """A reader need not compare two words."""
    one = make("", profile(0), profile(300))
    _, now = together(one, one)
    assert facts(now.notes[0]) == "512-1023us 0.739~ 0.739~ +0"


def test_what_is_compared_is_said_unless_it_is_all(make: Make) -> None:
    """The form above the rows, which says it else, is not there."""
    one = make("WRITES", profile(0), profile(300))
    assert together(one, one)[1].notes[0] == one.facts["subject"]


def test_a_time_of_nothing_says_nothing_of_moves(make: Make) -> None:
    """The other keeps its rows."""
    then, now = together(make("", profile(300), profile(300)), make("", profile(0), profile(300)))
    assert (then.keys, now.keys, now.notes) == ([], ["08"], ())


def test_no_histogram_reaches_beyond_its_buckets(make: Make) -> None:
    """The last is open."""
    found = make("", profile(0, BUCKETS - 1), profile(10, BUCKETS - 1))
    assert found.column("bucket") == [">4295s"]
    assert not isinstance(found.facts["time_99"], Absent)
