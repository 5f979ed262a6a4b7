"""The exceptions of a timeline are the same whoever asks: live, line mode, recording, capture, laboratory."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ListTimeline
from zmon.base.event import BAD, OPEN, Event, What
from zmon.base.shipped import shipped
from zmon.cli.main import main
from zmon.cli.output import OK
from zmon.lab.scenario import load_scenario
from zmon.rule.watch import Watch
from zmon.screen.definition import load_screens
from zmon.session.commands import run
from zmon.session.exception_log import ExceptionLog, log_of
from zmon.session.machines import open_capture, simulated
from zmon.session.navigator import CommandError, Navigator
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.interval import Interval
    from zmon.lab.model import Scenario
    from zmon.sample import Sample
    from zmon.session.timeline import Timeline

CAPTURE = Path(__file__).resolve().parents[2] / "recordings" / "hercules-one-hot-lcu.tar.gz"
SCREENS = load_screens(shipped("screens"))

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def incident() -> Scenario:
    """Return three minutes before, five in and five behind the incident of the healthy day."""
    plan = load_scenario("healthy-day")
    names = {"afternoon": 180, "incident": 300, "afterwards": 300}
    phases = tuple(phase._replace(seconds=names[phase.name]) for phase in plan.phases if phase.name in names)
    return plan._replace(step=20.0, phases=phases, drawn=1)


@pytest.fixture(scope="module")
def taken() -> list[Sample]:
    """Return the samples of the incident."""
    return list(simulated([incident()]).samples())


def found(timeline: Timeline) -> list[tuple[object, ...]]:
    """Return all that is known of the exceptions of a timeline, judged to its end."""
    log = log_of(timeline)
    log.complete()
    return [tuple(entry) for entry in log.entries()]


def shown(timeline: Timeline) -> list[str]:
    """Return the lines of EXCEPT."""
    session = Session(timeline, SCREENS, "EXCEPT")
    session.end()
    sheet = session.sheet()
    return [sheet.line(place) for place in range(len(sheet))]


def test_one_answer_everywhere(taken: Sequence[Sample], tmp_path: Path) -> None:
    """The laboratory, a recording of it, and a machine that is followed live have the same exceptions."""
    laboratory = simulated([incident()])
    expected = found(laboratory)
    path = str(tmp_path / "incident.zmon")
    writer = recording_with_trends(path)
    for sample in taken:
        writer.append(sample)
    writer.close()
    recording = open_recording(path)
    assert found(recording) == expected
    live = Session(ListTimeline(taken, live=True, kept=ListTimeline(taken)), SCREENS, "EXCEPT")
    assert live.log.entries() == []
    for _ in taken:
        live.next()
    assert [tuple(entry) for entry in live.log.entries()] == expected
    lines = shown(laboratory)
    assert shown(recording) == lines
    live.open("EXCEPT")
    assert [live.sheet().line(place) for place in range(len(live.sheet()))] == lines
    rules = {entry.rule for entry in log_of(recording).entries()}
    assert {"alias-use", "path-busy", "lcu-service"} == rules
    recording.close()


def test_a_capture_and_its_recording_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passes of a capture are judged as a recording's samples are, live, printed and in line mode, too."""
    path = str(tmp_path / "capture.zmon")
    assert main(["import", str(CAPTURE), path]) == OK
    capsys.readouterr()
    printed = []
    for source in (str(CAPTURE), path):
        assert main(["show", "EXCEPT", "-f", "csv", "--from", source]) == OK
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert "volume-crowd" in printed[0]
    recording, capture = open_recording(path), open_capture(str(CAPTURE))
    expected = found(capture)
    assert found(recording) == expected
    passes = list(capture.samples())
    live = Session(ListTimeline(passes, live=True), SCREENS, "EXCEPT")
    assert live.log.entries() == []
    for _ in passes:
        live.next()
    assert [tuple(entry) for entry in live.log.entries()] == expected
    lines = shown(capture)
    assert shown(recording) == lines
    for source in (str(CAPTURE), path):
        monkeypatch.setattr("sys.stdin", io.StringIO("EXCEPT\nQUIT\n"))
        assert main(["--line", "--from", source]) == OK
        said = capsys.readouterr().out
        assert all(line[:70] in said for line in lines)
    recording.close()


def test_line_mode_lists_them(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """EXCEPT and EVENTS in line mode have what the command line has."""
    assert main(["show", "EXCEPT", "--from", str(CAPTURE)]) == OK
    line = next(line for line in capsys.readouterr().out.splitlines() if "volume-crowd" in line)
    monkeypatch.setattr("sys.stdin", io.StringIO("EXCEPT\nEVENTS\nQUIT\n"))
    assert main(["--line", "--from", str(CAPTURE)]) == OK
    said = capsys.readouterr().out
    assert line[:70] in said
    assert "Volume 7002: " in said.partition("EVENTS")[2]


def test_it_is_judged_in_pieces(taken: Sequence[Sample]) -> None:
    """What is known by now is at hand at any time, and says how far it goes."""
    log = ExceptionLog(timeline := ListTimeline(taken), log_of(ListTimeline(taken)).rules)
    steps = 0
    while not log.advance(seconds=0.0):
        known = log.exceptions()
        assert known.until == taken[steps + 1].at.utc
        assert known.end == taken[-1].at.utc
        steps += 1
    assert steps == len(taken) - 1
    assert not log.remark()
    assert [tuple(entry) for entry in log.entries()] == found(timeline)


def test_what_is_known_is_at_hand_while_a_thread_judges(
    taken: Sequence[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a live sample is judged, others see the exceptions up to the sample before it."""
    log = log_of(timeline := ListTimeline(taken, live=True))
    judge, seen = log._watch.follow, []

    def follow(interval: Interval, quiet: Sequence[str] = ()) -> None:
        seen.append([tuple(entry) for entry in log.entries()])
        judge(interval, quiet)

    monkeypatch.setattr(log._watch, "follow", follow)
    expected = []
    reference = ExceptionLog(timeline, log.rules)
    for sample in taken:
        expected.append([tuple(entry) for entry in reference.entries()])
        log.follow(sample)
        reference.follow(sample)
    assert seen == expected
    assert any(seen)


def test_stored_limits_of_an_older_zmon_give_way(taken: Sequence[Sample]) -> None:
    """Where samples are judged, exceptions take the place of limit events that single intervals gave."""
    old = Event(What.LIMIT, taken[1].at.utc, taken[2].at.utc, "50", "an old limit", "CHANNEL")
    gap = Event(What.CLOCK, taken[1].at.utc, taken[1].at.utc)
    timeline = ListTimeline(taken, happened=[old, gap])
    span = timeline.span()
    assert span is not None
    assert old in timeline.events(*span)
    log_of(timeline).complete()
    events = timeline.events(*span)
    assert gap in events
    assert old not in events
    assert sum(event.what is What.LIMIT for event in events) == len(found(timeline))


def open_at(entries: Sequence[ExceptionEntry]) -> set[str]:
    """Return the rules of exceptions."""
    return {entry.rule for entry in entries}


def test_open_exceptions_are_those_at_the_cursor(taken: Sequence[Sample]) -> None:
    """In the incident there are some, before and behind it none; live those that are open now."""
    session = Session(ListTimeline(taken), SCREENS, "DEVICE")
    session.log.complete()
    begin = taken[0].at.utc
    for seconds, some in ((100, False), (400, True), (700, False)):
        session.seek(begin + seconds * 10**9)
        assert bool(session.open_exceptions()) is some
    live = Session(ListTimeline(taken, live=True), SCREENS, "DEVICE")
    assert live.log.entries() == []
    for _ in range(20):
        live.next()
    assert open_at(live.open_exceptions()) == open_at([e for e in live.log.entries() if e.state == OPEN])
    assert live.open_exceptions()


def test_worst_goes_to_the_worst_interval(taken: Sequence[Sample]) -> None:
    """On OVERVIEW, which says why; a number that there is not is refused."""
    session = Session(ListTimeline(taken), SCREENS, "EXCEPT")
    session.end()
    session.log.complete()
    entry = next(entry for entry in session.log.entries() if entry.rule == "path-busy")
    run(session, f"WORST {entry.number}")
    assert session.page.screen.command == "OVERVIEW"
    assert session.utc == entry.worst_end
    with pytest.raises(CommandError, match="EXCEPT lists them"):
        run(session, "WORST 99")


def test_plot_of_an_exception_draws_its_figure(taken: Sequence[Sample]) -> None:
    """From its row on EXCEPT; the rule says which column it watches."""
    session = Session(ListTimeline(taken), SCREENS, "EXCEPT")
    session.end()
    session.log.complete()
    entry = next(entry for entry in session.log.entries() if entry.rule == "path-busy")
    session.chosen = lambda: ("", str(entry.number))
    run(session, "PLOT")
    assert session.page.argument == f"channel.cur {entry.key}"
    run(session, "OVERVIEW")
    session.chosen = lambda: ("", f"open {entry.number}")
    run(session, "PLOT")
    assert session.page.argument == f"channel.cur {entry.key}"
    run(session, "DIAGNOSE")
    session.chosen = lambda: ("", str(entry.number))  # a line of that number is another thing
    with pytest.raises(CommandError, match="no figures"):
        run(session, "PLOT")


def test_worst_alone_goes_to_the_worst_of_all(taken: Sequence[Sample]) -> None:
    """It is the one that OVERVIEW names; where nothing was found, or is judged yet, it says so."""
    session = Session(ListTimeline(taken), SCREENS, "EXCEPT")
    session.end()
    session.log.complete()
    run(session, "WORST")
    assert session.utc == min(session.log.entries(), key=lambda one: one.heaviness).worst_end
    calm = Session(ListTimeline(taken[:2]), SCREENS, "EXCEPT")
    calm.end()
    with pytest.raises(CommandError, match="still judged"):
        run(calm, "WORST")
    calm.log.complete()
    with pytest.raises(CommandError, match="no exception"):
        run(calm, "WORST")


def test_rules_that_are_wrong_leave_the_shipped_ones(tmp_path: Path, taken: Sequence[Sample]) -> None:
    """EXCEPT says that the user's own are not used, and why."""
    (tmp_path / "zmon").mkdir()
    (tmp_path / "zmon" / "rules.toml").write_text('[[rule]]\nname = "path-busy"\nlok = 1\n')
    session = Session(ListTimeline(taken), SCREENS, "EXCEPT")
    session.end()
    sheet = session.sheet()
    assert len(sheet)
    assert any("rules.toml:3" in note for note in sheet.table.notes)


def test_rules_and_the_glass_ask_for_the_same_differences(
    taken: Sequence[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interval in which a live sample is judged is the one that is shown, so all is computed once."""
    timeline = ListTimeline(list(taken[:3]))
    judged: list[Interval] = []
    monkeypatch.setattr(Watch, "follow", lambda _self, interval: judged.append(interval))
    navigator, log = Navigator(timeline), log_of(timeline)
    for sample in taken[:3]:
        log.follow(sample)
        shown = navigator.add(sample)
        assert shown is judged[-1]
    assert judged[-1].before is taken[1]


def resumed() -> Scenario:
    """Return a device that is suspended for two minutes, and the 40 s behind, within the minute of `keep`."""
    plan = load_scenario("dm-suspended")
    healthy, suspended = plan.phases
    phases = (
        healthy._replace(seconds=60),
        suspended._replace(seconds=120),
        healthy._replace(name="resumed", seconds=40),
    )
    return plan._replace(step=10.0, phases=phases, drawn=1)


def test_what_is_open_but_no_longer_holds_is_open_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All call it open until `keep` is over, and those that have room say when it was last seen."""
    path = str(tmp_path / "resumed.zmon")
    writer = recording_with_trends(path)
    for sample in simulated([resumed()]).samples():
        writer.append(sample)
    writer.close()
    said = {}
    for command in ("rules", "diagnose", "show EXCEPT", "show OVERVIEW"):
        assert main([*command.split(), "--from", path]) == OK
        said[command] = " ".join(capsys.readouterr().out.split())
    assert " 2m, still open, last seen at 09:03:00 bad device-suspended" in said["rules"]
    assert "before this interval, 09:01 - 09:03, " in said["diagnose"]
    assert " 2m+ bad" in said["show EXCEPT"]
    assert "(last seen at 09:03:00)" in said["show EXCEPT"]
    assert "open since 09:01:00, last seen at 09:03:00." in said["show OVERVIEW"]
    for screen in ("EXCEPT", "OVERVIEW"):
        assert main(["show", screen, "--status", "--from", path, "--at", "end"]) == BAD
        assert "1 exception, 1 open: bad device-suspended" in capsys.readouterr().out


def test_what_is_open_at_a_time_is_listed_for_a_part_that_begins_with_it() -> None:
    """What last held before a time but is still open is an exception of that time."""
    log = log_of(timeline := simulated([resumed()]))
    log.complete()
    first, last = timeline.span() or (0, 0)
    (entry,) = log.exceptions(last - 10**9).entries
    assert entry.end == first + 180 * 10**9
    assert log.exceptions(last - 10**9).open_at(last) == log.open() == [entry]


@pytest.mark.parametrize(
    ("site", "stored"), [("vdev_is_rdev = true\n", True), ('profile = "flash"\n', False)]
)
def test_a_site_file_without_limits_of_its_own_lets_stored_exceptions_stand(
    tmp_path: Path, taken: Sequence[Sample], site: str, stored: object
) -> None:
    """Only one that changes a limit makes zmon judge a whole recording before it can say anything."""
    file, path = tmp_path / "site.toml", tmp_path / "own.zmon"
    file.write_text(site, encoding="utf-8")
    with closing(recording_with_trends(str(path), durable=False)) as writer:
        for sample in taken[:3]:
            writer.append(sample)
    timeline = open_recording(str(path))
    timeline.site = str(file)
    assert log_of(timeline).is_stored() is stored
    timeline.close()
