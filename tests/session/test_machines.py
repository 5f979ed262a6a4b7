"""A scenario as a timeline: the same samples whichever way one comes to them, on every machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lab.plans import brief, digest, samples, small
from tests.once import run_anew
from zmon.base.event import What
from zmon.base.shipped import shipped
from zmon.interval import RESTARTED, STEPPED_BACK, Interval
from zmon.kernel.capture_tree import CaptureError
from zmon.kernel.sampler import Choice
from zmon.kinds import BLOCK, CHANNEL
from zmon.lab import simulation
from zmon.lab.scenario import ScenarioError, load_scenario
from zmon.machine.view import NoSuchThing, View
from zmon.sample import Meaning
from zmon.screen.definition import load_screens
from zmon.screen.sheet import Sheet, natural
from zmon.session import machines
from zmon.session.cursor import Cursor
from zmon.session.machines import (
    HOUR,
    LiveTimeline,
    ScenarioSection,
    laid_out,
    open_capture,
    open_lab,
    simulated,
)
from zmon.session.navigator import Navigator
from zmon.session.timeline import NoteError
from zmon.tables import TABLES
from zmon.tables.filled import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.absent import Value
    from zmon.lab.model import Scenario
    from zmon.lab.simulation import IntervalCounts, PhaseRun
    from zmon.sample import Sample


PLAN = small(30)
SAMPLES = samples(PLAN)
"""All of its samples, each made after the one before."""
DIGESTS = [digest([sample]) for sample in SAMPLES]
STEP = round(PLAN.step * 1e9)
SCREENS = load_screens(shipped("screens"))
FIRST = SAMPLES[0].at.utc
TOLD = """
from tests.lab.plans import brief, digest, samples, small
from tests.once import run_anew
print(digest(samples(small())), digest(samples(brief("shark-before"), 3)))
"""


@pytest.fixture(params=[(machines.MAX_SAMPLES, machines.CHECKPOINT), (3, 4), (1, 1), (2, 1000)])
def cursor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Cursor:
    """Return a cursor on a scenario that remembers more or less, which must not be seen."""
    kept, checkpoint = request.param
    monkeypatch.setattr(machines, "MAX_SAMPLES", kept)
    monkeypatch.setattr(machines, "CHECKPOINT", checkpoint)
    return Cursor(simulated([PLAN]))


def place(interval: Interval | None) -> int | None:
    """Return which of the samples an interval ends with, if it is one of them in everything."""
    if interval is None:
        return None
    found = (interval.after.at.utc - FIRST) // STEP
    assert digest([interval.after]) == DIGESTS[found]
    if interval.before is not None:
        assert digest([interval.before]) == DIGESTS[found - 1]
    return found


# moving


def test_it_goes_from_the_first_to_the_last(cursor: Cursor) -> None:
    """And then there is nothing more."""
    assert [place(cursor.next()) for _ in SAMPLES] == list(range(len(SAMPLES)))
    assert cursor.next() is None


def test_it_goes_backwards(cursor: Cursor) -> None:
    """To the first, from where it goes on again."""
    last = len(SAMPLES) - 1
    assert place(cursor.end()) == last
    assert [place(cursor.previous()) for _ in range(last)] == list(range(last))[::-1]
    assert cursor.previous() is None
    assert place(cursor.next()) == 1


@pytest.mark.parametrize("beyond", [0, 1, STEP // 2, STEP - 1])
def test_it_finds_the_last_sample_at_a_time_or_before(cursor: Cursor, beyond: int) -> None:
    """Anywhere between two of them."""
    for wanted in (0, 31, 32, 33, 40, 5):
        assert place(cursor.seek(FIRST + wanted * STEP + beyond)) == wanted


@pytest.mark.parametrize(("utc", "found"), [(0, 0), (FIRST - 1, 0), (1 << 62, len(SAMPLES) - 1)])
def test_beyond_its_ends_it_finds_the_nearest(cursor: Cursor, utc: int, found: int) -> None:
    """There is always a sample."""
    assert place(cursor.seek(utc)) == found


@pytest.mark.parametrize("step", [0.7, 1 / 3, 0.1234567891])
def test_every_sample_is_found_by_its_own_time(step: float) -> None:
    """Though its step is no round number of ns."""
    timeline = simulated([small(drawn=2)._replace(step=step)])
    times = [sample.at.utc for sample in timeline.samples()]
    found = [timeline.find(utc) for utc in times]

    assert [position and position.utc for position in found] == times


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from(["next", "previous", "past"]), st.integers(-3, 45)), max_size=25))
def test_all_moves_agree(moves: list[str | int]) -> None:
    """Whatever the order, one is where one ought to be and sees what is there."""
    cursor, at, last = Cursor(simulated([PLAN])), -1, len(SAMPLES) - 1
    for move in moves:
        if move == "next":
            assert place(cursor.next()) == (at + 1 if at < last else None)
            at = min(at + 1, last)
        elif move == "previous":
            assert place(cursor.previous()) == (at - 1 if at > 0 else None)
            at = max(at - 1, min(at, 0))
        elif move == "past":
            past = islice(cursor.timeline.intervals(cursor.position), 5)
            assert [place(interval) for interval in past] == list(range(at, max(at - 5, -1), -1))
        else:
            assert isinstance(move, int)
            at = min(max(move, 0), last)
            assert place(cursor.seek(FIRST + move * STEP)) == at


def test_the_intervals_end_with_the_first_sample(cursor: Cursor) -> None:
    """It has nothing before it; all others follow one another."""
    cursor.seek(FIRST + 40 * STEP)
    found = list(cursor.timeline.intervals(cursor.position))

    assert [place(interval) for interval in found] == list(range(40, -1, -1))
    assert [interval.before is None for interval in found] == [*[False] * 40, True]


@pytest.mark.parametrize(
    ("utc", "last"), [(FIRST - 1, None), (FIRST, 0), (FIRST + 9 * STEP + 1, 9), (1 << 62, 40)]
)
def test_the_intervals_of_a_time(cursor: Cursor, utc: int, last: int | None) -> None:
    """They begin there, wherever the cursor is, and leave it there."""
    cursor.seek(FIRST + 3 * STEP)
    timeline = cursor.timeline

    assert place(next(timeline.intervals(timeline.find(utc)), None)) == last
    assert place(cursor.next()) == 4


def test_it_begins_and_ends_with_its_samples(cursor: Cursor) -> None:
    """As it says without simulating anything."""
    assert cursor.timeline.span() == (SAMPLES[0].at.utc, SAMPLES[-1].at.utc)


def test_threads_that_read_one_scenario_at_once_get_the_same_samples() -> None:
    """The glass and its reading thread may read different times of a scenario at once."""
    section = ScenarioSection(PLAN)
    forward = range(len(section))
    together = Barrier(3)

    def read(order: Sequence[int]) -> dict[int, Sample]:
        together.wait()
        return {number: section.sample(number) for number in order}

    pace = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(3) as threads:
            results = list(threads.map(read, (forward, forward[::-1], forward[20:])))
    finally:
        sys.setswitchinterval(pace)
    for result in results:
        assert {number: digest([sample]) for number, sample in result.items()} == {
            number: DIGESTS[number] for number in result
        }


def test_no_more_is_remembered_than_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long scenario does not fill the memory with samples."""
    monkeypatch.setattr(machines, "MAX_SAMPLES", 5)
    section = ScenarioSection(PLAN)
    for number in range(len(section)):
        section.sample(number)
        assert len(section._samples) <= 5


# the same everywhere


@pytest.mark.usefixtures("anew")
def test_the_same_seed_gives_the_same_samples() -> None:
    """To the last bit; another seed gives others, or it would be no seed."""
    found = digest(samples(small()))
    assert digest(samples(small())) == found
    assert digest(samples(small(seed=6))) != found


@pytest.mark.usefixtures("anew")
def test_another_process_gives_the_same_samples() -> None:
    """Whatever its hashes of texts begin with, which are by chance here."""
    command = [sys.executable, "-c", TOLD]
    environment = os.environ | {"PYTHONHASHSEED": "390", "PYTHONPATH": os.getcwd()}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own

    assert said.split() == [digest(samples(small())), digest(samples(brief("shark-before"), 3))]


# what is shown of it


PLANS = {plan.name: plan for plan in (brief("shark-before"), brief("hyperpav-20"), small())}


@cache
def second_view(plan: str) -> View:
    """Return a view of the second interval of a scenario, which many tables are filled from."""
    watch = Navigator(simulated([PLANS[plan]]))
    for _ in range(2):
        watch.next()
    found = watch.view()
    assert found is not None
    return found


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("plan", PLANS)
def test_every_table_is_filled(plan: str, name: str) -> None:
    """From any pair of its samples, of every thing there is, and every line of its screens can be drawn."""
    found = second_view(plan)
    disk = found.interval.after.frame(BLOCK).keys[0]
    chpid = next((key[2:] for key in found.interval.after.frame(CHANNEL).keys), "")
    for argument in ("", disk, chpid):
        view = View(found.interval, lambda: found.period, argument, found.history)
        try:
            table = fill(name, view)
        except NoSuchThing:
            assert argument or name == "details"  # a page is about something
            continue
        for screen in SCREENS:
            if screen.table == name:
                sheet = Sheet(screen, table, natural(screen))
                assert all(sheet.line(row).isprintable() for row in range(len(sheet)))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_every_interval_is_whole(plan: Scenario) -> None:
    """No row is void, as if something had been replaced or started anew."""
    made = samples(plan)
    for before, after in pairwise(made):
        interval = Interval(before, after)
        assert interval.void is None
        assert not interval.gap
        assert interval.seconds == pytest.approx(plan.step)
        assert all(isinstance(number, (int, float)) for number in interval.of(BLOCK).numbers("reads"))


def counted(interval: Interval) -> dict[tuple[str, str], list[Value]]:
    """Return by how much each counter grows, and what is none as it is."""
    assert interval.before is not None
    found: dict[tuple[str, str], list[Value]] = {}
    for name, after in interval.after.frames.items():
        before = interval.before.frame(after.kind)
        for field in after.kind.fields:
            pairs = zip(before.column(field.name), after.column(field.name), strict=True)
            found[name, field.name] = [
                a - b if isinstance(a, int) and isinstance(b, int) and field.meaning is Meaning.COUNTER else a
                for b, a in pairs
            ]
    return found


@pytest.mark.parametrize("ago", [0, 3, 8, 9, 10, 20])
def test_a_preview_is_the_interval_but_for_where_its_counters_begin(ago: int) -> None:
    """Rates are those of the two samples; whatever phase the interval is in."""
    section = ScenarioSection(PLAN)
    utc = SAMPLES[-1].at.utc - ago * STEP

    preview = section.preview(utc)

    assert preview is not None
    number = section.number_at(utc)
    whole = Interval(section.sample(number - 1), section.sample(number))
    found, expected = counted(preview), counted(whole)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=3), name  # they are shown in whole ns or ms
    assert (preview.after.at, preview.seconds) == (whole.after.at, whole.seconds)


@pytest.mark.usefixtures("anew")
def test_a_preview_simulates_no_other_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is why it is sooner there than the samples."""
    begun: list[int] = []
    first = run_anew.first

    def noted(run: PhaseRun, count: int | None = None) -> list[IntervalCounts]:
        begun.append(run.phase)
        return first(run, count)

    monkeypatch.setattr(run_anew, "first", noted)

    simulated([PLAN]).preview()

    assert begun == [1]


@pytest.mark.usefixtures("anew")
def test_a_first_look_is_a_short_interval_that_ends_about_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the load of its phase, and all that a sample has."""
    monkeypatch.setattr(simulation, "SHORT", 0)
    plan = PLAN._replace(warm=6.4)
    timeline = simulated([plan])

    look = timeline.first_look()

    assert look is not None
    assert look.before is not None
    end = SAMPLES[-1].at.utc
    assert end - 10**9 < look.after.at.utc <= end
    assert 0.0 < look.seconds <= plan.warm / 2
    assert look.after.frames.keys() == SAMPLES[-1].frames.keys()
    whole = Interval(SAMPLES[-2], SAMPLES[-1])
    seen, expected = (sum(one.of(BLOCK).rate("reads")) for one in (look, whole))
    assert seen == pytest.approx(expected, rel=0.3)
    assert timeline.first_look() is None


def test_there_is_no_first_look_where_the_preview_is_there_as_soon() -> None:
    """Nor of what is not simulated."""
    assert simulated([PLAN]).first_look() is None
    assert simulated([]).first_look() is None
    assert open_capture("recordings/hercules-one-hot-lcu.tar.gz", Choice()).first_look() is None


def test_there_is_no_preview_of_the_first_sample() -> None:
    """No interval ends there; nor has a timeline without samples one."""
    assert simulated([PLAN]).preview(FIRST) is None
    assert simulated([PLAN]).preview(FIRST - 1) is None
    assert simulated([]).preview() is None


def test_it_cannot_be_noted_on() -> None:
    """It says where notes go."""
    with pytest.raises(NoteError, match="recording of it"):
        simulated([PLAN]).note(FIRST, "busy")


# by name


def test_a_scenario_is_opened_by_its_name() -> None:
    """Several are one tape after the other."""
    assert open_lab("lab:pav-3").name == "lab:pav-3"
    assert open_lab("lab:pav-3+pav-7").name == "lab:pav-3, then lab:pav-7"


def test_a_scenario_that_is_not_there_is_told() -> None:
    """With those that are."""
    with pytest.raises(ScenarioError, match="shark-before"):
        open_lab("lab:shrak")


@pytest.fixture
def following() -> list[Scenario]:
    """Return three scenarios that all begin at the same time, laid one after the other."""
    return laid_out([small(), small(20), small()])


def test_scenarios_follow_each_other_at_full_hours(following: list[Scenario]) -> None:
    """None begins before the one before it has ended; the first begins when it says."""
    spans = [ScenarioSection(plan).span() for plan in following]

    assert following[0].begin == small().begin
    assert all(plan.begin % HOUR == 0 for plan in following[1:])
    assert all(one[1] < other[0] for one, other in pairwise(spans))


def test_a_scenario_that_begins_late_enough_stays() -> None:
    """Only what would overlap is moved."""
    late = small()._replace(begin=small().begin + 90_000)

    assert [plan.begin for plan in laid_out([small(), late])] == [small().begin, late.begin]


def test_a_scenario_dates_changes_of_the_configuration_as_a_recording_of_it() -> None:
    """Each phase has its own machine: the first sample of the phase has the change, whenever one looks."""
    plan = load_scenario("path-lost")
    lost = (plan.begin + 1200 + 10) * 10**9
    timeline = simulated([plan])
    begin, end = timeline.span() or (0, 0)
    (found,) = timeline.events(begin, end)
    assert (found.what, found.begin, found.thing) == (What.CHANGE, lost, "0.0.8000")
    assert "usable paths f0 -> d0 (1 path lost: 52)" in found.text
    assert timeline.events(begin, lost - 1) == timeline.events(lost + 1, end) == []


def test_a_scenario_whose_machine_stays_has_no_changes() -> None:
    """Its phases differ in their load."""
    timeline = simulated([load_scenario("shark-before")])
    assert timeline.events(*(timeline.span() or (0, 0))) == []


# a capture is a tape whose passes are samples


@pytest.fixture
def hercules(lay_out: Callable[[str], str]) -> str:
    """The path of a capture of two passes."""
    return lay_out("hercules")


def test_each_pass_is_a_sample(hercules: str) -> None:
    """They come in the order of time, and then no more."""
    first, second = open_capture(hercules).samples()
    assert first.at.utc < second.at.utc


def test_back_and_forth_gives_the_same_samples(hercules: str) -> None:
    """A pass is read once."""
    cursor = Cursor(open_capture(hercules))
    first, second = cursor.next(), cursor.next()
    back, on = cursor.previous(), cursor.next()
    assert None not in {first, second, back, on}
    assert [each and each.after for each in (back, on)] == [each and each.after for each in (first, second)]


def test_before_the_first_pass_there_is_none(hercules: str) -> None:
    """However often one goes back, one stays there."""
    cursor = Cursor(open_capture(hercules))
    cursor.next()
    here = cursor.position
    assert (cursor.previous(), cursor.previous(), cursor.position) == (None, None, here)


def test_the_end_of_a_capture_is_not_passed(hercules: str) -> None:
    """Asking for more at the end does not move the cursor."""
    cursor = Cursor(open_capture(hercules))
    first, _second, end, still = cursor.next(), cursor.next(), cursor.next(), cursor.next()
    before = cursor.previous()
    assert (end, still) == (None, None)
    assert first is not None
    assert before is not None
    assert before.after is first.after


def test_a_timeline_may_begin_before_the_last_passes(hercules: str) -> None:
    """More than there are is all of them."""
    _first, end = open_capture(hercules).samples()
    (found,) = open_capture(hercules, last=1).samples()
    assert found.at == end.at
    assert len(list(open_capture(hercules, last=9).samples())) == 2


def test_only_what_is_wanted_is_sampled(hercules: str) -> None:
    """The rest of a pass is not read."""
    found = next(open_capture(hercules, Choice((BLOCK,))).samples())
    assert set(found.frames) == {"block", "cmf", "source"}


def test_a_capture_is_not_live_and_has_its_path_for_a_name(hercules: str) -> None:
    """So the header can say what is looked at."""
    tape = open_capture(hercules)
    assert (tape.live, tape.name) == (False, hercules)


def test_what_happened_between_two_passes_is_seen(hercules: str) -> None:
    """The captured machine was writing to its disks."""
    interval = Cursor(open_capture(hercules)).end()
    assert interval is not None
    assert sum(n for n in interval.of(BLOCK).numbers("writes") if isinstance(n, int)) > 0


@pytest.mark.usefixtures("own_capture")
def test_a_capture_dates_changes_by_the_first_pass_that_has_them(hercules: str) -> None:
    """Not by its last: a device that was set online between two passes has the time of the second."""
    first, second = Path(hercules, "3-load"), Path(hercules, "4-load")
    third = Path(hercules, "5-later")
    shutil.copytree(second, third, symlinks=True)
    for each in third.rglob("*"):
        if each.is_file() and not each.is_symlink():
            later = each.stat().st_mtime_ns + 10**10
            os.utime(each, ns=(later, later))
    online = next(first.glob("sys/devices/css0/0.0.*/0.0.7000/online"))
    was = online.stat().st_mtime_ns
    online.write_text("0\n", encoding="ascii")
    os.utime(online, ns=(was, was))
    timeline = open_capture(hercules)
    times = [sample.at.utc for sample in timeline.samples()]
    assert len(times) == 3
    changes = [event for event in timeline.events(times[0], times[-1]) if "online" in event.text]
    assert [(event.begin, event.text) for event in changes] == [(times[1], "device 0.0.7000: online 0 -> 1")]


@pytest.mark.usefixtures("own_capture")
def test_a_restart_between_passes_is_no_interval(hercules: str) -> None:
    """Where the boot id was captured, it tells."""
    interval = Cursor(open_capture(hercules)).end()
    assert interval is not None
    assert interval.void is None
    for number, label in enumerate(("3-load", "4-load")):
        folder = Path(hercules, label, "proc/sys/kernel/random")
        folder.mkdir(parents=True)
        (folder / "boot_id").write_text(f"boot {number}\n", encoding="utf-8")
    again = Cursor(open_capture(hercules)).end()
    assert again is not None
    assert again.void is RESTARTED


def test_passes_whose_times_step_back_are_not_compared(hercules: str) -> None:
    """The other way round there is no interval between them."""
    interval = Cursor(open_capture(hercules)).end()
    assert interval is not None
    assert interval.before is not None
    assert Interval(interval.after, interval.before).void is STEPPED_BACK


def test_what_is_no_capture_is_said(tmp_path: Path) -> None:
    """An empty directory has no pass."""
    with pytest.raises(CaptureError, match=r"\w"):
        open_capture(str(tmp_path))


# the running machine is a tape without an end and without a past


OFF = Choice(hypervisor=False)


def test_each_step_takes_a_sample(tmp_path: Path) -> None:
    """Time goes on between them."""
    tape = LiveTimeline(OFF, 2.0, root=str(tmp_path))
    first, second = tape.take(), tape.take()
    assert first.at.steady < second.at.steady


def test_a_live_sample_knows_how_far_apart_samples_should_be(tmp_path: Path) -> None:
    """So that a gap can be recognised."""
    assert LiveTimeline(OFF, 2.0, root=str(tmp_path)).take().nominal == 2.0


def test_nothing_is_kept(tmp_path: Path) -> None:
    """There is no sample before the present one."""
    watch = Navigator(LiveTimeline(OFF, 2.0, root=str(tmp_path)))
    watch.next()
    present = watch.next()
    assert (watch.previous(), watch.interval) == (None, present)


def test_this_machine_is_called_so() -> None:
    """Another root goes by its path."""
    assert LiveTimeline(OFF, 2.0).name == "this machine"
    assert LiveTimeline(OFF, 2.0, root="/other").name == "/other"


def test_the_files_below_the_root_are_read(tmp_path: Path) -> None:
    """A live tape can be pointed at a directory that looks like a machine."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/diskstats").write_text("")
    assert LiveTimeline(OFF, 2.0, root=str(tmp_path)).take().frame(BLOCK).keys == []


def test_texts_that_say_nothing_of_a_machine_are_no_source(tmp_path: Path) -> None:
    """What only looks like the output of a command is refused, as a directory without any is."""
    (tmp_path / "classid").write_text("########################################\n/> lsdasd\nno such thing\n")
    with pytest.raises(CaptureError, match="none of its lines"):
        open_capture(str(tmp_path))
