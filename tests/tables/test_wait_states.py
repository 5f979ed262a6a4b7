from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.frames import frame_of
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kernel.processes import NO_DELAYS
from zmon.kinds import BLOCKED_TASK, CPU, PROCESS, ROUNDS, UNIT, WAIT_STATES
from zmon.machine.observed_system import observed_system
from zmon.machine.view import NoSuchThing, View
from zmon.sample import Instant, Sample
from zmon.tables import blocked, wait_states
from zmon.tables.table import SUMMARY
from zmon.tables.wait_states import NOBODY, OFF
from zmon.values.wait_place import class_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.tables.table import Table

SECOND = 1_000_000_000
DB2 = "/system.slice/db2inst1.service"
STARTED = 100


def process(unit: Value = DB2, run: Value = 0, delay: Value = 0, **more: Value) -> dict[str, Value]:
    """Return a row of PROCESS: ns on CPUs and waiting for one, and how often it was found in a state."""
    zero = dict.fromkeys((*WAIT_STATES, "major_faults", "read_bytes", "dirtied_bytes"), 0)
    return {
        **zero, "started": STARTED, "command": "db2sysc", "unit": unit, "threads": 3, "run": run,
        "cpu_wait": delay, "io_wait": NO_DELAYS, "place": "submit_bio_wait", **more,
    }  # fmt: skip


def sample(
    at: int, processes: Mapping[str, Mapping[str, Value]], rounds: int, begun: int = 7, **more: Value
) -> Sample:
    """Return a sample at a second."""
    row: dict[str, Value] = {
        "begun": begun, "rounds": rounds, "processes": len(processes), "tasks": 40, "all_tasks": 42,
        "left_out": 0, "delay_accounting": 0, "hidepid": absent("not set"), **more,
    }  # fmt: skip
    frames = {
        "process_rounds": frame_of(ROUNDS, {"rounds": row}, at * SECOND),
        "process": frame_of(PROCESS, processes, at * SECOND),
        "unit": frame_of(UNIT, {DB2: {"throttled": at * SECOND // 10, "database": "Db2"}}, at * SECOND),
    }
    return Sample(Instant(at * SECOND, at * SECOND, "boot"), frames)


def two(before: Mapping[str, Mapping[str, Value]], after: Mapping[str, Mapping[str, Value]]) -> View:
    """Return ten seconds between two samples, with twenty rounds."""
    return View(Interval(sample(10, before, 5), sample(20, after, 25)))


def row(found: Table, key: str) -> dict[str, Value]:
    """Return a row."""
    return {name: values[found.keys.index(key)] for name, values in found.columns.items()}


def test_percent_of_samples_in_which_a_task_did_not_sleep() -> None:
    """Two processes of Db2: of 40 samples 10 ran or could, 20 waited for I/O, 10 for a lock."""
    before = {"5": process(run=SECOND, running=3, io=7), "6": process(locked=1)}
    after = {
        "5": process(run=4 * SECOND, delay=SECOND, running=13, io=27),
        "6": process(locked=11, major_faults=50),
    }
    found = row(wait_states.table(two(before, after)), DB2)
    assert found["active"] == 2.0
    assert (found["iow"], found["locked"], found["paging"]) == (50.0, 25.0, 0.0)
    # the kernel measured three seconds on a CPU for each second of waiting for one
    assert (found["running"], found["cpuwait"]) == (18.75, 6.25)
    assert (found["cpu"], found["queue"], found["faults"]) == (30.0, 0.1, 5.0)
    assert (found["unit"], found["database"], found["throttled"]) == ("db2inst1", "Db2", 10.0)
    assert str(found["place"]).endswith(" (submit_bio_wait)")


@pytest.mark.parametrize("states", [{"running": 3}, {"io": 1, "paging": 4}, dict.fromkeys(WAIT_STATES, 2)])
def test_the_states_of_a_unit_have_all_its_samples(states: dict[str, Value]) -> None:
    """Each sample is in one state, so they are 100 % together."""
    found = row(wait_states.table(two({"5": process()}, {"5": process(run=9, delay=3, **states)})), DB2)
    names = ("running", "cpuwait", "paging", "iow", "limited", "locked", "other")
    assert sum(found[name] for name in names) == pytest.approx(100.0)  # type: ignore[misc]  # numbers


def test_uproc_names_who_moves_most_data_before_all_else() -> None:
    """One that reads from a fast disk hardly waits, so it is not on top."""
    zero = {"5": process(), "6": process(command="dd"), "7": process(command="cp")}
    after = {
        "5": process(io=20, read_bytes=50_000_000),
        "6": process(command="dd", read_bytes=750_000_000),
        "7": process(command="cp", read_bytes=80_000_000, dirtied_bytes=120_000_000),
    }
    first, *_ = wait_states.process_table(two(zero, after)).notes
    assert first.startswith("dd 6 ")
    assert facts(first) == "6 75.0 75"
    assert "SORT reads" in first
    del zero["6"], after["6"]
    first, *_ = wait_states.process_table(two(zero, after)).notes
    assert first.startswith("cp 7 ")
    assert facts(first) == "7 20.0 80"
    assert "SORT dirtied" in first
    assert "most" not in wait_states.process_table(two(zero, zero)).notes[0]


def test_a_unit_that_slept_has_no_percentages() -> None:
    """Nothing was found, which is not zero percent of anything."""
    found = row(wait_states.table(two({"5": process()}, {"5": process()})), DB2)
    assert found["active"] == 0.0
    assert isinstance(found["iow"], Absent)


def test_counts_begin_anew_with_the_recorder() -> None:
    """What the last sample has was counted since, be it a capture's only round."""
    interval = Interval(sample(10, {"5": process(io=90)}, 95), sample(20, {"5": process(io=3)}, 4, begun=12))
    found = row(wait_states.table(View(interval)), DB2)
    assert (found["active"], found["iow"]) == (0.75, 100.0)


def test_one_sample_has_states_and_no_rates() -> None:
    """As on every screen."""
    found = row(wait_states.table(View(Interval(None, sample(20, {"5": process(io=3)}, 4)))), DB2)
    assert found["iow"] == 100.0
    assert isinstance(found["cpu"], Absent)


def test_a_process_that_came_in_the_interval_began_at_nothing() -> None:
    """One that only had no row before did not: its counts are those of its life."""
    began = 15 * 100  # ticks since boot
    after = {"5": process(run=2 * SECOND, started=began), "6": process("/x.service", run=2 * SECOND)}
    found = wait_states.table(two({}, after))
    assert row(found, DB2)["cpu"] == 20.0
    assert isinstance(row(found, "/x.service")["cpu"], Absent)
    assert found.summary is not None
    assert found.summary.cells["cpu"] == 20.0


def test_processor_time_of_processes_that_came_and_went_is_in_that_of_their_unit() -> None:
    """No reading sees them: the control group of the unit has it, where it counts; the sum has it, too."""
    before, after = sample(10, {"5": process()}, 5), sample(20, {"5": process(run=SECOND)}, 25)
    samples = []
    for one, cpu in ((before, 0), (after, 9 * SECOND)):
        unit = frame_of(UNIT, {DB2: {"cpu": cpu}}, one.at.steady)
        samples.append(one._replace(frames={**one.frames, "unit": unit}))
    found = wait_states.table(View(Interval(*samples)))
    assert row(found, DB2)["cpu"] == 90.0
    assert found.summary is not None
    assert found.summary.cells["cpu"] == 90.0
    assert wait_states.process_table(View(Interval(*samples))).columns["cpu"] == [10.0]


def of_cpus(found: View, busy: int) -> View:
    """Return the same ten seconds with two CPUs that were busy for so many seconds together."""
    for one, much in ((found.interval.before, 0), (found.interval.after, busy)):
        assert one is not None
        times = dict.fromkeys(("nice", "system", "iowait", "irq", "softirq", "steal"), 0)
        idle = (20 - much) * SECOND // 2 if much else 0
        half = {**times, "user": much * SECOND // 2, "idle": idle, "online": 1}
        one.frames["cpu"] = frame_of(CPU, {"0": half, "1": half}, one.at.utc)  # type: ignore[index]  # a dict
    return found


def test_what_the_cpus_did_for_processes_that_no_sample_saw_is_said() -> None:
    """A shell that starts one after the other; of one user, or where it is little, nothing is said."""
    before, after = {"5": process()}, {"5": process(run=5 * SECOND)}
    notes = wait_states.process_table(of_cpus(two(before, after), 15)).notes
    assert [facts(one)[:6] for one in notes if one.startswith("The CPUs")] == ["150 50"]
    for found in (of_cpus(two(before, after), 5), two(before, after)):
        assert not any(one.startswith("The CPUs") for one in wait_states.process_table(found).notes)
    named = of_cpus(two(before, after), 15)
    named.argument = "5"
    assert not any(one.startswith("The CPUs") for one in wait_states.process_table(named).notes)


def test_all_users_use_no_more_than_the_cpus_were_busy() -> None:
    """Units are read at other instants than processes, so their sum may have a part of a longer time."""
    before = {"5": process(), "6": process(unit=absent("none"))}
    after = {"5": process(run=9 * SECOND), "6": process(unit=absent("none"), run=9 * SECOND)}
    assert wait_states.table(two(before, after)).columns["cpu"] == [90.0, 90.0]
    whole = wait_states.table(of_cpus(two(before, after), 16)).summary
    assert whole is not None
    assert whole.cells["cpu"] == pytest.approx(160.0)


def test_processes_of_one_unit_with_their_part_of_its_bytes() -> None:
    """An estimate: dirty pages are written later, by others."""
    before = {"5": process(), "6": process(), "7": process("")}
    after = {
        "5": process(read_bytes=3_000_000), "6": process(dirtied_bytes=1_000_000),
        "7": process("", read_bytes=9_000_000),
    }  # fmt: skip
    view = two(before, after)
    view.argument = DB2
    found = wait_states.process_table(view)
    assert found.keys == ["5", "6"]
    assert found.columns["share"] == [75.0, 25.0]
    assert found.is_estimate("share", 0)
    assert found.columns["reads"] == [0.3, 0.0]
    view.argument = "/nothing.service"
    with pytest.raises(NoSuchThing):
        wait_states.process_table(view)


def test_processes_in_no_unit_stand_last() -> None:
    """Above all those of the kernel."""
    found = wait_states.table(two({}, {"2": process(""), "5": process(), "9": process(absent("x"))}))
    assert found.keys == [DB2, NOBODY]
    assert found.columns["processes"] == [1, 2]


def test_what_is_not_seen_is_said() -> None:
    """Hidden tasks, processes without a line, and waits that the kernel does not measure."""
    view = View(Interval(None, sample(20, {"5": process()}, 1, all_tasks=900, hidepid="2", left_out=3)))
    notes = wait_states.table(view).notes
    assert {"40", "860 900 hidepid=2", "3 1"} <= {*map(facts, notes)}
    assert OFF in notes


def waiting(**more: Value) -> Table:
    """Return BLOCKED with one task."""
    task: dict[str, Value] = {
        "started": 1, "process": "5", "command": "db2sysc", "unit": DB2, "waiting": 9 * SECOND, "state": "io",
        "place": "submit_bio_wait", "devices": "94:5", "evidence": "system call", "file": "/db/data", **more,
    }  # fmt: skip
    found = sample(20, {}, 1)
    frames = {**found.frames, "blocked_task": frame_of(BLOCKED_TASK, {"51": task}, 20 * SECOND)}
    return blocked.table(View(Interval(None, found._replace(frames=frames))))


def test_a_blocked_task_with_how_long_and_on_what() -> None:
    """The device as far as it is known here: by its number."""
    found = row(waiting(), "51")
    assert (found["waiting"], found["what"], found["unit"]) == (
        9.0,
        wait_states.place_words("submit_bio_wait"),
        "db2inst1",
    )
    assert (found["device"], found["file"]) == ("94:5", "/db/data")


def test_open_files_are_an_estimate_of_the_device() -> None:
    """A system call is not."""
    assert not waiting().is_estimate("device", 0)
    found = waiting(devices="94:1 94:5", evidence="open files")
    assert row(found, "51")["device"] == "94:1, 94:5"
    assert found.is_estimate("device", 0)
    assert not found.is_estimate("device", SUMMARY)


def test_no_blocked_task_is_an_answer() -> None:
    """Other than that nobody has looked."""
    found = sample(20, {}, 1)
    nobody = blocked.table(View(Interval(None, found)))
    frames = {**found.frames, "blocked_task": frame_of(BLOCKED_TASK, {}, 20 * SECOND)}
    none = blocked.table(View(Interval(None, found._replace(frames=frames))))
    assert none.missing is blocked.NONE_WAITS
    assert nobody.missing is not blocked.NONE_WAITS


def test_the_tasks_that_wait_longest_are_named_for_a_diagnosis() -> None:
    """Three of them, with what they wait for as far as that is known."""
    tasks: dict[str, dict[str, Value]] = {
        str(number): {
            "command": "dd", "unit": DB2, "place": "jbd2_log_wait_commit" if number else absent("needs root"),
            "waiting": (9 - number) * SECOND,
        }
        for number in range(5)
    }  # fmt: skip
    found = sample(20, {}, 1)
    frames = {**found.frames, "blocked_task": frame_of(BLOCKED_TASK, tasks, 20 * SECOND)}
    system = observed_system(View(Interval(None, found._replace(frames=frames))))
    assert system.waiting == (
        ("dd of db2inst1", 9.0),
        (f"dd of db2inst1: {class_of('jbd2_log_wait_commit')[1]}", 8.0),
        (f"dd of db2inst1: {class_of('jbd2_log_wait_commit')[1]}", 7.0),
    )
