"""A recording stores its exceptions: as events, and with all that is known of them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.base.event import INTERRUPTED, OPEN, What
from zmon.base.shipped import shipped
from zmon.interval import Interval
from zmon.lab.scenario import load_scenario
from zmon.rule.bounds import quiet
from zmon.rule.grammar import load_rules
from zmon.rule.watch import Watch, grouped
from zmon.screen.definition import load_screens
from zmon.session.exception_log import ExceptionLog, log_of
from zmon.session.machines import simulated
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.store.file_format import row_crc
from zmon.store.reader import Recording
from zmon.trends.exception_rows import FIELDS, NOT_STORED, digest_of, entry_of, stored, text_of, unknown_of
from zmon.trends.moving_devices import filled
from zmon.trends.rollup import recording_with_trends
from zmon.trends.trend_tables import TREND_TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from zmon.base.event import ExceptionEntry
    from zmon.sample import Sample

RULES = load_rules()


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def taken() -> list[Sample]:
    """Return samples of a quiet minute, of the incident of the healthy day, and of what follows."""
    plan = load_scenario("healthy-day")
    names = {"afternoon": 60, "incident": 400, "afterwards": 200}
    phases = tuple(phase._replace(seconds=names[phase.name]) for phase in plan.phases if phase.name in names)
    return list(simulated([plan._replace(step=20.0, phases=phases)]).samples())


@pytest.fixture(scope="module")
def judged(taken: Sequence[Sample]) -> Watch:
    """Return what all rules say of each interval."""
    watch = Watch(RULES)
    for before, after in pairwise(taken):
        watch.follow(Interval(before, after))
    return watch


def test_a_rule_that_is_quiet_holds_for_no_row(taken: Sequence[Sample], judged: Watch) -> None:
    """What the tables of trends exclude changes nothing, and on a healthy machine they exclude most rules."""
    watch, spared = Watch(RULES), 0
    for before, after in pairwise(taken):
        interval = Interval(before, after)
        tables = dict(zip((table.table for table in TREND_TABLES), filled(interval), strict=True))
        silent = quiet(RULES, tables)
        spared += len(silent)
        watch.follow(interval, silent)
    assert watch.log() == judged.log()
    assert spared > 5 * (len(taken) - 1)


def write(path: str, samples: Sequence[Sample], sealed: int = 4) -> None:
    """Record samples; segments are sealed after a few."""
    writer = recording_with_trends(path, sealed=sealed)
    for sample in samples:
        writer.append(sample)
    writer.close()


def entries_of(*recordings: Recording) -> list[ExceptionEntry]:
    """Return what recordings store; they were judged."""
    found = stored(recordings)
    assert not isinstance(found, Absent)
    return found.entries


@pytest.mark.parametrize("sealed", [3, 7, 1000])
def test_what_is_stored_is_what_is_judged(
    taken: Sequence[Sample], judged: Watch, tmp_path: Path, sealed: int
) -> None:
    """Wherever segments end: one event and one row for each exception, and nothing is judged on opening."""
    path = str(tmp_path / "a.zmon")
    write(path, taken, sealed)
    recording = Recording(path)
    found = stored([recording])
    assert not isinstance(found, Absent)
    entries, until, unknown, digests = found
    assert digests == {digest_of(load_rules())}
    assert grouped(entries) == grouped(judged.log())
    assert entries
    assert until == taken[-1].at.utc
    assert unknown == judged.unknown
    events = [event for event in recording.events(0, 1 << 62) if event.what is What.LIMIT]
    assert sorted(event.text for event in events) == sorted(entry.told for entry in entries)
    recording.close()
    timeline = open_recording(path)
    log = log_of(timeline)
    assert log.advance(seconds=0.0)
    assert [entry._replace(number=0, unit="") for entry in log.entries()] == grouped(entries)
    assert not log.remark()
    timeline.close()


def test_a_recorder_that_ended_interrupts_what_was_open(taken: Sequence[Sample], tmp_path: Path) -> None:
    """The next one that writes to the file finds it, and adds its own."""
    path = str(tmp_path / "b.zmon")
    middle = len(taken) // 2
    write(path, taken[:middle])
    recording = Recording(path)
    assert {entry.state for entry in entries_of(recording)} == {OPEN}
    recording.close()
    write(path, taken[middle + 5 :])
    recording = Recording(path)
    entries = entries_of(recording)
    assert [entry for entry in entries if entry.state == INTERRUPTED]
    assert not [entry for entry in entries if entry.state == OPEN and entry.end < taken[middle].at.utc]
    recording.close()


def test_an_exception_goes_on_in_the_next_file(
    taken: Sequence[Sample], judged: Watch, tmp_path: Path
) -> None:
    """What was open at the end of one file and held at the begin of the next is one exception."""
    middle, paths = len(taken) // 2, [str(tmp_path / "1.zmon"), str(tmp_path / "2.zmon")]
    write(paths[0], taken[:middle])
    write(paths[1], taken[middle - 1 :])
    recordings = [Recording(path) for path in paths]
    entries = entries_of(*recordings)
    mine = {(entry.rule, entry.key, entry.begin, entry.end) for entry in entries}
    assert mine == {(entry.rule, entry.key, entry.begin, entry.end) for entry in judged.log()}
    for recording in recordings:
        recording.close()


def test_a_recording_that_was_not_judged_has_none(taken: Sequence[Sample], tmp_path: Path) -> None:
    """None is another thing than no exceptions."""
    path = str(tmp_path / "c.zmon")
    write(path, taken[:4])
    recording = Recording(path)
    found = stored([recording])
    assert not isinstance(found, Absent)
    assert (found.entries, found.until) == ([], taken[3].at.utc)
    recording.close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE exception")
    recording = Recording(path)
    assert stored([recording]) is NOT_STORED
    recording.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), JSON, max_size=4), st.text(max_size=20))
def test_what_a_foreign_file_stores_is_checked(judged: Watch, other: dict[str, object], text: str) -> None:
    """A value of another type or size makes a row none; what is taken can be written and sorted again."""
    (entry, *_) = judged.log()
    changed = entry_of(json.dumps(json.loads(text_of(entry)) | other))
    if changed is not None:
        assert entry_of(text_of(changed)) == changed
        assert grouped([changed, entry])
    assert entry_of(text_of(entry)) == entry
    assert entry_of(text) is None
    assert entry_of(None) is None


@given(
    st.one_of(st.none(), st.integers(), st.text(), st.from_regex(r'\{"unknown": \{.*\}\}', fullmatch=True))
)
def test_hostile_reasons_are_reasons_or_nothing(text: object) -> None:
    """What a recording says of rules that were not judged is read as texts, or not at all."""
    assert all(isinstance(why, Absent) for why in unknown_of(text).values())


def test_exceptions_of_other_rules_are_said_to_be_that(taken: Sequence[Sample], tmp_path: Path) -> None:
    """EXCEPT names the command that judges by the rules of today; a file judged by these needs none."""
    path = str(tmp_path / "a.zmon")
    write(path, taken)
    said = {}
    for digest in (digest_of(load_rules()), "00000000"):
        with closing(sqlite3.connect(path)) as connection:
            rules = json.dumps({"digest": digest, "unknown": {}})
            ((_old, begin, end),) = connection.execute("SELECT id, begin, end FROM judged").fetchall()
            crc = row_crc("judged", 1, begin, end, rules)
            connection.execute("UPDATE judged SET rules = ?, crc = ?", (rules, crc))
            connection.commit()
        with closing(open_recording(path)) as timeline:
            timeline.asked = ("--from", path)
            session = Session(timeline, load_screens(shipped("screens")), "EXCEPT")
            session.end()
            said[digest] = [note for note in session.sheet().table.notes if "other rules" in note]
    first, other = said.values()
    assert first == []
    assert [note.endswith(f": zmon rules --from {path}") for note in other] == [True]


@pytest.mark.parametrize(
    "name",
    [
        "lab-shark-before", "lab-shark-after",
        "hercules-two-hot-files-before", "hercules-two-hot-files-after", "qemu-one-path-of-two",
    ],
)  # fmt: skip
def test_a_shipped_recording_stores_what_the_shipped_rules_find(name: str) -> None:
    """`make recordings` makes it anew where these have changed: its EXCEPT and `zmon rules` agree."""
    path = f"recordings/{name}.zmon"
    with closing(Recording(path)) as recording, closing(open_recording(path)) as timeline:
        stored_ones = [(one.rule, one.key, one.begin, one.end, one.level) for one in entries_of(recording)]
        log = ExceptionLog(timeline, load_rules())
        log.confine(1, None)  # so that what is stored is not read
        log.complete()
        found = [(one.rule, one.key, one.begin, one.end, one.level) for one in log._watch.log()]
    assert stored_ones == found
