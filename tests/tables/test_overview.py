"""OVERVIEW says what the verdict says, with the figures that it is drawn from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of as simulated_view
from tests.goldens import facts
from tests.lab.plans import shorter
from zmon.base.absent import Absent
from zmon.base.clock import MINUTE
from zmon.base.ranges import ranges
from zmon.base.shipped import shipped
from zmon.cli.main import main
from zmon.diagnosis.diagnosis import BLIND, POSSIBLE, Diagnosis, Gain, Subject
from zmon.diagnosis.judged import judged_view, situation_of, verdict_of
from zmon.diagnosis.recent import MAX_RECENT, recent_loads
from zmon.diagnosis.resources import NO_DISC, NO_PATHS, RESOURCES, UNMEASURED, Said
from zmon.interval import FIRST, Interval
from zmon.kinds import PROCESS
from zmon.machine.view import View
from zmon.placement.pieces import FilePiece, pieces
from zmon.sample import frame_of
from zmon.screen.definition import load_screens
from zmon.screen.query import filtered, parse_conditions
from zmon.session.machines import open_capture, simulated
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.session.when import parse_when
from zmon.tables import overview
from zmon.tables.filled import fill
from zmon.tables.overview import NONE_OPEN, OTHERWISE, PERHAPS_FULL, SEE_BELOW, UNJUDGED, table
from zmon.tables.user import INSTEAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.base.event import Exceptions
    from zmon.tables.table import Table

RECORDINGS = Path(__file__).parents[2] / "recordings"
SCREENS = load_screens(shipped("screens"))


def session_at(name: str, when: str = "") -> Session:
    """Look at a time of a recording, or at the end of a capture."""
    path = str(RECORDINGS / name)
    session = Session(open_capture(path) if name.endswith("gz") else open_recording(path), SCREENS)
    session.seek(parse_when(when, 0, None, session.timeline.span())) if when else session.end()
    return session


def view_of(session: Session) -> View:
    """Return what OVERVIEW is filled from; samples are not judged for it, as on the glass."""
    session.mover = lambda _move: None
    view = session.view()
    assert view is not None
    view.inputs = session.inputs
    return view


def test_a_machine_without_units_leads_to_its_processes() -> None:
    """Who uses the disks is told there; a capture has neither."""
    view = view_of(session_at("hercules-one-hot-lcu.tar.gz"))
    assert all(one["command"] != "UPROC" for one in rows(table(view), "unseen"))
    after = view.interval.after
    processes = frame_of(PROCESS, {"11": {"command": "dd"}}, 0)
    view.interval = Interval(
        view.interval.before, after._replace(frames={**after.frames, "process": processes})
    )
    (line,) = (one for one in rows(table(view), "unseen") if one["command"] == "UPROC")
    assert str(line["words"]).endswith(INSTEAD)


def rows(filled: Table, section: str) -> list[dict[str, Value]]:
    """Return the lines of a section."""
    lines = [
        dict(zip(filled.columns, line, strict=True)) for line in zip(*filled.columns.values(), strict=True)
    ]
    return [line for line in lines if line["section"] == section]


@pytest.mark.parametrize("when", ["2026-03-16 14:40", "2026-03-16 10:00"])
def test_the_verdict_is_that_of_diagnosis(when: str) -> None:
    """The same question has the same answer everywhere; a sick LCU is bad, and on a good day all is ok."""
    view = view_of(session_at("lab-healthy-day.zmon", when))
    filled, verdict = table(view), verdict_of(view)
    said = str(rows(filled, "verdict")[0]["words"])
    assert said.startswith(verdict.diagnoses[0].claim if verdict.diagnoses else verdict.sentence)
    states = {str(line["name"]): line["state"] for line in rows(filled, "resource")}
    assert (states["LCUs"] == "bad") is bool(verdict.diagnoses)
    assert len(rows(filled, "also")) == max(0, len(verdict.diagnoses) - 1)
    assert ("Next limit" in said) is not bool(verdict.diagnoses)


def test_a_measurement_that_is_off_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is short the verdict says so, as on DIAGNOSE; that CMF is off is said below it."""
    view = view_of(session_at("lab-healthy-day.zmon", "2026-03-16 10:00"))
    calm = verdict_of(view)
    assert not calm.diagnoses
    blind = Diagnosis(BLIND, (Subject("machine"),), "It is off", (), POSSIBLE, "Switch it on.", 0.0)
    monkeypatch.setattr("zmon.tables.overview.verdict_of", lambda _view: calm._replace(diagnoses=(blind,)))
    filled = table(view)
    assert [line["words"] for line in rows(filled, "verdict")] == [calm.sentence]
    assert [line["words"] for line in rows(filled, "also")] == [blind.claim]


def test_a_gain_that_may_be_a_loss_is_not_beside_what_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """DIAGNOSE has it with its range and the reservation; OVERVIEW has no room for that."""
    view = simulated_view("hyperpav-0")
    verdict = verdict_of(view)
    first = verdict.diagnoses[0]
    assert isinstance(first.gain, Gain)
    risky = first.gain._replace(low=0.9, loss="It may be a loss")
    first = first._replace(foretell=lambda: risky)
    doubtful = verdict._replace(diagnoses=(first,))
    with monkeypatch.context() as patched:
        patched.setattr("zmon.tables.overview.verdict_of", lambda _view: doubtful)
        lines = rows(table(view), "verdict")
    words = str(lines[0]["words"])
    assert first.action.removesuffix(".") in words
    assert f"{risky.times:.2f}" not in words
    sure = view_of(session_at("lab-shark-before.zmon", "2003-03-17 09:50"))
    assert re.search(r" \(1\.\d+ to ", str(rows(table(sure), "verdict")[0]["words"]))


def test_resources_come_in_the_order_in_which_causes_are_excluded() -> None:
    """Each has a percentage, or the reason why there is none, or what is wrong with it all the same."""
    lines = rows(table(view_of(session_at("hercules-one-hot-lcu.tar.gz"))), "resource")
    assert [line["name"] for line in lines] == ["CPU", "Memory", "Channels", "LCUs", "Aliases", "Devices"]
    for line in lines:
        percent = line["percent"]
        if isinstance(percent, Absent):
            assert (line["words"] == percent.reason) is (line["state"] not in {"look", "bad"})
        else:
            assert 0 <= float(percent) <= 100
    assert re.search(r"\d wait;", str(lines[3]["words"]))  # nobody measured where


@pytest.mark.parametrize(
    "name", ["lab-shark-before.zmon", "lab-healthy-day.zmon", "hercules-one-hot-lcu.tar.gz"]
)
def test_every_line_leads_to_something(name: str) -> None:
    """Its command opens a screen with something on it, or with the reason why there is nothing."""
    session = session_at(name)
    filled = table(view_of(session))
    unseen = {line["words"] for line in rows(filled, "unseen")}
    commands = [str(command) for command in filled.column("command")]
    for command in commands:
        word, _, operands = command.partition(" ")
        session.open(word, operands)
        missing = session.sheet().table.missing
        assert missing is None or word == "EXCEPT" or missing.reason in unseen
        session.back()


def test_a_volume_that_hangs_comes_first() -> None:
    """It has no I/O, but is what the verdict is about; the word is in its row and in that of all devices."""
    filled = table(simulated_view("volume-hangs"))
    first = rows(filled, "device")[0]
    assert (first["name"], first["words"], first["io"]) == ("8007", "hangs", 0.0)
    assert str(rows(filled, "resource")[-1]["words"]).startswith("8007 hangs; ")


def test_a_lost_path_comes_first() -> None:
    """It carries nothing, and stands before those that do."""
    filled = table(simulated_view("path-lost"))
    channels = rows(filled, "channel")
    assert [(line["name"], line["words"]) for line in channels[:2]] == [
        ("52", "lost"),
        (channels[1]["name"], ""),
    ]
    assert [line["name"] for line in channels].count("52") == 1
    assert str(rows(filled, "resource")[2]["words"]).startswith("52 is lost; ")


def test_what_is_short_without_a_figure_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disks of a KVM guest have paths, and no channel path that could be busy."""
    unknown = tuple(
        one._replace(use=lambda _recent: NO_PATHS, said=lambda _view, _recent: Said(""))
        if one.key == "channel"
        else one
        for one in RESOURCES
    )
    monkeypatch.setattr("zmon.tables.overview.RESOURCES", unknown)
    monkeypatch.setattr("zmon.diagnosis.recent.RESOURCES", unknown)
    line = rows(table(simulated_view("fcp-failover")), "resource")[2]
    assert (line["state"], line["words"]) == ("look", "0.0.fc60 does all")


def test_scsi_disks_count_for_the_lss_that_they_lie_in() -> None:
    """As on CTLUNIT; and each row leads to the disks, of which DEVICE has some."""
    filled = table(simulated_view("fcp-failover"))
    lcus = rows(filled, "lcu")
    assert {line["name"] for line in lcus} == {"80", "81"}
    assert sum(float(str(line["percent"])) for line in lcus) == pytest.approx(100)
    assert {line["where"] for line in rows(filled, "device")} == {"80", "81"}
    devices = fill("device", simulated_view("fcp-failover"))
    (condition,) = parse_conditions(
        str(lcus[0]["command"]).removeprefix("DEVICE "), SCREENS.find("DEVICE").columns
    )
    found = [devices.columns["lcu"][row] for row in filtered(devices, [condition])]
    assert found
    assert set(found) == {lcus[0]["name"]}


def test_where_volumes_queue_without_aliases_the_aliases_are_short() -> None:
    """The LCU is next to idle inside: it is ok, and the queue is said where the remedy is.

    Its requests have no Disc, so nothing shows how busy it is: that is no zero.
    """
    lines = rows(table(simulated_view("hyperpav-0")), "resource")
    assert (lines[3]["state"], lines[4]["state"]) == ("ok", "look")
    assert lines[3]["percent"] == NO_DISC
    assert re.match(r"none; \d+\.\d wait .* LCU 8\d00", str(lines[4]["words"]))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("casestudy/machine-uid.tar.gz", r"LCU 7600: (\S+) wait; 5 LCUs"),
        ("hercules-one-hot-lcu.tar.gz", r"LCU 7000: (\S+) wait; 3 LCUs"),
        ("hercules-two-hot-files-before.zmon", r"none; (\S+) wait for volume 7000"),
        ("hercules-four-queries.zmon 2026-11-21T15:15:59Z", r"LCU 7000: (\S+) wait; 3 LCUs"),
        ("lab:hyperpav-0", r"none; (\S+) wait .* LCU 8\d00"),
        ("lab:iozone-hpf", r"3.0 of 3 busy in LCU 9\d00; (\S+) wait in Linux"),
    ],
)
def test_as_many_requests_wait_as_diagnose_says(name: str, line: str) -> None:
    """The row of an LCU, or of aliases, has the number of the places that requests wait for there."""
    lab = name.removeprefix("lab:")
    view = simulated_view(lab) if lab != name else view_of(session_at(*name.split()))
    words = [str(one["words"]) for one in rows(table(view), "resource")]
    (found,) = (match[1] for each in words if (match := re.match(line, each)))
    known = situation_of(judged_view(view))
    lcu_of = {one.key: one.lcu for one in known.load.volumes}
    lost: dict[str, float] = {}
    for place in known.waiting.places:
        key = lcu_of.get(place.key, place.key)
        lost[key] = lost.get(key, 0.0) + place.waits
    assert float(found) in {round(each, 1) for each in lost.values()}


@pytest.mark.parametrize(
    ("name", "percent", "words"),
    [
        ("pav-3", 100, r"3, each of one volume; 27\.\d wait in Linux"),
        ("pav-7", 100, r"7, each of one volume; 2\d\.\d wait in Linux"),
        ("guest-swapping", 2, r"see Memory; 54\.\d wait .* 0300, .*; 14, each of one volume"),
        ("pav-turn-1", 22, r"42, each of one volume"),
    ],
)
def test_aliases_of_single_volumes_are_counted(name: str, percent: int, words: str) -> None:
    """PAV without HyperPAV has no pool: it is said how busy they are, and how many requests wait."""
    line = rows(table(simulated_view(name)), "resource")[4]
    assert re.fullmatch(words, str(line["words"]))
    assert round(float(str(line["percent"]))) == percent


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("logs-mixed", {"LCUs": "ok", "Devices": "bad"}),
        ("path-slow", {"LCUs": "ok", "Channels": "look"}),
        ("fcp-failover", {"Channels": "look", "Devices": "ok"}),
        ("guest-swapping", {"Memory": "bad", "Devices": "look"}),
        ("pav-3", {"Aliases": "bad", "Devices": "look"}),
        ("shark-before", {"LCUs": "bad", "Devices": "look"}),
        ("shark-after", {"LCUs": "ok", "Devices": "ok"}),
        ("dm-suspended", {"Devices": "look", "LCUs": "ok"}),
    ],
)
def test_a_state_is_that_of_what_is_short(name: str, states: dict[str, str]) -> None:
    """Logs beside data make volumes wait, a slow link its paths: no LCU that does next to nothing is bad."""
    lines = rows(table(simulated_view(name)), "resource")
    assert {str(one["name"]): one["state"] for one in lines if one["name"] in states} == states


def test_what_the_headline_explains_leads_to_its_row() -> None:
    """The channel paths are what requests for aliases wait for; EXCEPT has exceptions of these."""
    session = Session(simulated([shorter("iozone-hyperpav", 60.0)]), SCREENS)
    session.end()
    view = session.view()
    assert view is not None
    lines = {str(one["name"]): one for one in rows(table(view), "resource")}
    assert lines["Channels"]["state"] == "bad"
    for name in ("Aliases", "LCUs"):
        assert lines[name]["state"] == "look"
        assert str(lines[name]["words"]).startswith("see Channels; ")


def test_processors_that_may_be_full_are_not_ok() -> None:
    """At 92 % they are busy; whether tasks wait for them nobody counted."""
    view = simulated_view("fcp-multibus-100")
    assert view.interval.before is not None
    uncounted = [
        one._replace(
            frames={name: one.frames[name] for name in one.frames if name not in {"tasks", "pressure"}}
        )
        for one in (view.interval.before, view.interval.after)
    ]
    filled = table(View(Interval(*uncounted)))
    line = rows(filled, "resource")[0]
    assert (line["name"], line["state"]) == ("CPU", "unknown")
    assert str(line["words"]).endswith(PERHAPS_FULL)


def test_what_is_accounted_to_no_user_stands_among_them() -> None:
    """Three fifths of the bytes are written for nobody whom the kernel knows, not by the one user."""
    first, second = rows(table(simulated_view("write-cache-full")), "user")
    assert (first["name"], second["name"]) == ("(no user)", "postgresql")
    assert (first["where"], first["command"]) == ("8000+", "USERIO unit=not accounted for")
    assert float(first["percent"]) + float(second["percent"]) == pytest.approx(100)  # type: ignore[arg-type]


def test_processors_without_room_are_not_ok(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no task waits for them, or zmon itself fills them."""
    view = simulated_view("fcp-multibus-1000")
    for limit, state in ((0.0, "look"), (2.0, "ok")):
        monkeypatch.setattr(overview, "CERTAINLY_FULL", limit)
        monkeypatch.setattr(overview, "shortages", lambda *_: {})
        assert rows(table(view), "resource")[0]["state"] == state


def test_a_device_is_as_busy_as_on_device() -> None:
    """One figure has one meaning: the %Busy of the same device and interval."""
    view = view_of(session_at("lab-healthy-day.zmon", "2026-03-16 14:40"))
    shown = fill("device", view)
    busy = dict(zip(shown.columns["addr"], shown.columns["busy"], strict=True))
    filled = table(view)
    devices = rows(filled, "device")
    assert devices
    assert [one["percent"] for one in devices] == [busy[str(one["name"])] for one in devices]
    assert rows(filled, "resource")[5]["percent"] == devices[0]["percent"]


def test_a_resource_has_the_state_of_its_open_exceptions() -> None:
    """What EXCEPT and the marks of a screen call bad is bad here, whatever limits most."""
    session = session_at("lab-shark-before.zmon")
    session.log.complete()
    view = session.view()
    assert view is not None
    filled = table(view)
    states = {str(line["name"]): line["state"] for line in rows(filled, "resource")}
    opened = {(str(line["where"]), line["state"]) for line in rows(filled, "open")}
    assert ("40", states["Channels"]) in opened
    assert ("7600", states["LCUs"]) in opened
    assert states["LCUs"] == "bad"


def held_a_minute_less(found: Exceptions) -> Exceptions:
    """Return exceptions each of which was seen last a minute earlier."""
    return found._replace(entries=tuple(one._replace(end=one.end - MINUTE) for one in found.entries))


def test_an_open_exception_that_does_not_hold_now_has_the_time_when_it_was_last_seen() -> None:
    """It stays open for a while: its sentence is about the time until then."""
    session = session_at("lab-shark-before.zmon")
    session.log.complete()
    view = session.view()
    assert view is not None
    known = view.history.exceptions
    first = rows(table(view), "open")[0]
    assert re.fullmatch(r"[0-9:]{8}", str(first["name"]))

    view.history.exceptions = lambda begin, end: held_a_minute_less(known(begin, end))
    later = rows(table(view), "open")[0]
    assert re.fullmatch(rf"{first['name']} to [0-9:]{{8}}", str(later["name"]))
    assert later["words"] == first["words"]


def test_an_exception_is_open_until_the_rules_say_that_it_is_over() -> None:
    """While the newest samples are not judged yet, the answer is not that none is open."""
    session = session_at("lab-shark-before.zmon")
    session.log.complete()
    view = session.view()
    assert view is not None
    known = view.history.exceptions

    def late(begin: int, end: int | None) -> Exceptions:
        found = known(begin, end)
        behind = found.until - MINUTE
        return held_a_minute_less(found)._replace(until=behind, end=behind)

    view.history.exceptions = late
    assert rows(table(view), "open")
    assert not str(rows(table(view), "exception")[0]["words"]).startswith(NONE_OPEN)


@pytest.mark.parametrize(("anew", "said"), [("zmon rules --from FILE", True), ("", False)])
def test_exceptions_that_other_rules_found_are_marked_as_theirs(anew: str, *, said: bool) -> None:
    """A recording keeps those of its time; EXCEPT has the command that judges anew."""
    session = session_at("lab-shark-before.zmon")
    session.log.complete()
    view = session.view()
    assert view is not None
    known = view.history.exceptions
    view.history.exceptions = lambda begin, end: known(begin, end)._replace(anew=anew)
    words = str(rows(table(view), "exception")[0]["words"])
    assert words.endswith(" see EXCEPT.") is said


def test_exceptions_that_are_over_are_counted() -> None:
    """In the evening of the day the incident of the afternoon is named, with the command that leads there."""
    session = session_at("lab-healthy-day.zmon", "2026-03-16 20:00")
    session.log.complete()
    view = session.view()
    assert view is not None
    (line,) = rows(table(view), "exception")
    said = re.fullmatch(r"No .*; 4 earlier, .* (\S+): WORST (\d) .*", str(line["words"]))
    assert said is not None
    worst = fill("exceptions", view)
    assert said[1] == worst.columns["begun"][worst.keys.index(said[2])]


def test_open_exceptions_beside_a_calm_verdict_are_explained() -> None:
    """One of four FCP paths does all I/O, and nothing waits for it: it is said why that is no shortage."""
    session = Session(simulated([shorter("fcp-failover-full")]), SCREENS)
    session.end()
    session.log.complete()
    view = session.view()
    assert view is not None
    filled = table(view)
    assert verdict_of(view).is_calm
    assert str(rows(filled, "exception")[0]["words"]).endswith(SEE_BELOW)
    told = [str(line["words"]) for line in rows(filled, "also") if line["name"] == "Looked at"]
    assert told


def test_a_shortage_without_an_exception_is_explained() -> None:
    """A verdict looks at one interval and at what waits, a rule at a limit and for longer."""
    view = simulated_view("fcp-multibus-full")
    filled = table(view)
    assert verdict_of(view).diagnoses
    words = str(rows(filled, "exception")[0]["words"])
    assert rows(filled, "open") or OTHERWISE in words


def test_the_line_of_lcus_names_the_fullest_of_those_that_are_bad() -> None:
    """Both LCUs have an exception since the begin; now more requests wait for LCU 8100."""
    view = simulated_view("logs-mixed")
    line = next(one for one in rows(table(view), "resource") if one["name"] == "LCUs")
    load = recent_loads(view)[-1].load
    waits = {
        one.title: sum(float(str(each.rate * each.queued)) for each in load.used_of(one.key))
        for one in load.lcus
    }
    most = max(waits, key=lambda title: waits[title])
    assert re.match(rf"{most}: {waits[most]:.1f} .* 2 LCUs", str(line["words"]))


def test_shares_of_lcus_add_up() -> None:
    """They are parts of all I/O."""
    lines = rows(table(view_of(session_at("lab-shark-before.zmon"))), "lcu")
    assert sum(float(str(line["percent"])) for line in lines) == pytest.approx(100)
    assert lines[0]["name"] == "7600"


def test_before_two_samples_it_says_so() -> None:
    """Nothing is guessed from one sample."""
    session = session_at("lab-shark-before.zmon")
    session.begin()
    view = view_of(session)
    assert view.interval.before is None
    (line,) = rows(table(view), "verdict")
    assert str(line["words"]).endswith(f": {FIRST.reason}.")


def test_each_interval_is_observed_once() -> None:
    """The next picture reads no interval again, and looks back as far as before."""
    session = session_at("lab-shark-before.zmon", "2003-03-17 09:50")
    first, before = (recent_loads(view_of(session)) for _ in range(2))
    assert 1 < len(first) < len(before) == MAX_RECENT
    assert [one.end for one in before[:-1]] == [one.begin for one in before[1:]]
    session.next()
    after = recent_loads(view_of(session))
    assert all(one is other for one, other in zip(before[1:-1], after[:-2], strict=True))
    assert after[-2] == before[-1].remembered
    assert not any(recent.load.volumes for recent in after[:-1])  # they would keep their samples in memory


def test_series_end_with_the_present() -> None:
    """The curve of a resource ends with the percentage beside it."""
    session = session_at("lab-shark-before.zmon")
    _, filled = (table(view_of(session)) for _ in range(2))
    lines = dict(zip(filled.keys, filled.column("percent"), strict=True))
    for one in RESOURCES:
        series = filled.series[f"resource {one.key}"]
        assert len(series) == MAX_RECENT
        assert series[-1].mean == lines[f"resource {one.key}"]


def test_paths_that_follow_one_another_are_a_range() -> None:
    """In hex digits."""
    assert ranges(["4a", "49", "40", "50", "51"]) == "40 49-4a 50-51"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fcp-failover", "0.0.fc60 does all; path 60 of 4"),
        ("shark-before", "paths 40-45 of 12"),
        ("shark-after", "24 of 24 paths alike"),
    ],
)
def test_the_line_of_channels_names_the_busiest_or_counts_them(name: str, words: str) -> None:
    """A long list of them does not fit 80 columns."""
    line = next(one for one in rows(table(simulated_view(name)), "resource") if one["name"] == "Channels")
    assert line["words"] == words


def test_a_path_with_io_that_nobody_measured_stands_before_idle_ones() -> None:
    """It carries all there is: its load is unknown, not nothing."""
    filled = table(view_of(session_at("hercules-two-hot-files-after.zmon")))
    first, second = rows(filled, "channel")
    assert first["name"] == "70"
    assert isinstance(first["percent"], Absent)
    assert (second["name"], second["percent"]) == ("71-72", 0)


def test_an_idle_path_does_not_stand_for_those_with_io() -> None:
    """Only the path of the idle LCU 7200 has a measured load; those of the queries are not timed."""
    view = view_of(session_at("hercules-four-queries.zmon", "2026-11-21 15:13:30"))
    lines = {one["name"]: one for one in rows(table(view), "resource")}
    assert isinstance(lines["Channels"]["percent"], Absent)
    assert (lines["Channels"]["state"], lines["Channels"]["words"]) == (
        "unknown",
        UNMEASURED.reason,
    )


def _space(
    pieces_of: Callable[[FilePiece], FilePiece], monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Value]]:
    """Return the lines of tablespaces of a simulated machine, each piece of whose files is changed."""
    monkeypatch.setattr(overview, "pieces", lambda machine: tuple(map(pieces_of, pieces(machine))))
    return rows(table(simulated_view("shark-before")), "tablespace")


def test_a_name_in_two_databases_is_shown_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are two tablespaces; a name that one database uses stands alone."""

    def moved(piece: FilePiece) -> FilePiece:
        is_moved = piece.file.tablespace == "TSFACT4"
        return (
            piece._replace(file=piece.file._replace(database="OTHER", tablespace="TSFACT1"))
            if is_moved
            else piece
        )

    names = [str(line["name"]) for line in _space(moved, monkeypatch)]
    assert {"OTHER.TSFACT1", "DWPROD.TSFACT1", "TSFACT2"} <= set(names)
    assert "TSFACT1" not in names


def test_traffic_on_disks_without_an_lcu_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as much as with LCUs, and no LCU is named."""
    known = {str(line["name"]): line["mbs"] for line in _space(lambda piece: piece, monkeypatch)}

    def homeless(piece: FilePiece) -> FilePiece:
        if piece.share is None:
            return piece
        volume = piece.share.volume._replace(lcu=NO_DISC, called=NO_DISC)
        return piece._replace(share=piece.share._replace(volume=volume))

    monkeypatch.undo()
    found = _space(homeless, monkeypatch)
    assert {str(line["name"]): line["mbs"] for line in found} == pytest.approx(known)
    assert {line["where"] for line in found} == {""}


def test_devices_without_requests_are_not_among_the_busiest() -> None:
    """At the end of the recording one disk of a dozen is in use."""
    view = view_of(session_at("hercules-four-queries.zmon"))
    assert [one.title for one in recent_loads(view)[-1].load.volumes if one.rate] == ["7100"]
    assert [line["name"] for line in rows(table(view), "device")] == ["7100"]


@pytest.mark.parametrize("name", ["fcp-failover", "hyperpav-10"])
def test_one_volume_is_the_busiest_everywhere(name: str) -> None:
    """The row of devices shows the percentage of the one it names, as do the list and the verdict."""
    view = simulated_view(name)
    present, filled = recent_loads(view)[-1], table(view)
    line = next(one for one in rows(filled, "resource") if one["name"] == "Devices")
    assert str(line["words"]).startswith(f"{rows(filled, 'device')[0]['name']} ")
    said = re.search(r"the busiest volume, (\S+),", str(rows(filled, "verdict")[0]["words"]))
    assert said is None or said[1] == rows(filled, "device")[0]["name"]
    named = str(line["words"]).partition(" ")[0]
    busy = {one.title: each for one, each in zip(present.load.volumes, present.busy, strict=True)}
    assert f"{busy[named]:.0f}" == f"{line['percent']:.0f}"


def period(name: str, since: str, until: str) -> View:
    """Return a view of a period of a recording, all samples judged."""
    session = session_at(name, since)
    session.log.complete()
    assert session.interval is not None
    begin = session.interval.after
    session.seek(parse_when(until, 0, None, session.timeline.span()))
    view = session.view()
    assert view is not None
    return View(
        Interval(begin, view.interval.after, skipped=True),
        history=view.history, limits=view.limits, inputs=session.inputs,
    )  # fmt: skip


def test_a_period_names_the_lcu_of_the_headline_and_when_it_was_bad() -> None:
    """The percentages are means, the state is that of a quarter of an hour: the words say so."""
    filled = table(period("lab-healthy-day.zmon", "2026-03-16 14:25", "2026-03-16 14:50"))
    lines = {str(line["name"]): line for line in rows(filled, "resource")}
    for name, state in {"LCUs": "bad", "Aliases": "look", "Channels": "look"}.items():
        assert lines[name]["state"] == state
        assert "14:30 - 14:45" in str(lines[name]["words"])
    assert str(lines["LCUs"]["words"]).startswith("LCU 8000 bad ")
    assert "LCU 8100" not in str(lines["LCUs"]["words"])
    assert 0 < float(str(lines["LCUs"]["percent"])) < 80  # full for 15 of 25 minutes
    assert [facts(str(line["words"])) for line in rows(filled, "exception")] == ["25 4"]


def test_a_period_without_exceptions_says_so() -> None:
    """None in this time is more than none at its end."""
    filled = table(period("lab-healthy-day.zmon", "2026-03-16 10:00", "2026-03-16 10:10"))
    (line,) = rows(filled, "exception")
    assert facts(str(line["words"])) == "10"
    assert "No exception" in str(line["words"])


def test_while_rules_are_applied_a_resource_is_not_ok() -> None:
    """They may still say that it is bad; what a diagnosis says holds at once."""
    filled = table(view_of(session_at("lab-shark-before.zmon")))
    assert UNJUDGED.reason[1:] in str(rows(filled, "exception")[0]["words"])
    states = {str(line["name"]): line["state"] for line in rows(filled, "resource")}
    assert states["LCUs"] == "bad"
    assert states["Channels"] == UNJUDGED
    assert "ok" not in states.values()


def test_an_lcu_leads_to_the_same_from_here_and_from_the_control_units() -> None:
    """To who uses it where the kernel counts that of services, else to its devices."""
    for recording, when, word in (
        ("lab-healthy-day.zmon", "2026-03-16 14:35", "USERIO lcu="),
        ("hercules-one-hot-lcu.tar.gz", "", "DEVICE cu="),
    ):
        view = view_of(session_at(recording, when))
        found, units = table(view), fill("control_unit", view)
        here = [
            (key.removeprefix("lcu "), command)
            for key, section, command in zip(
                found.keys, found.column("section"), found.column("command"), strict=True
            )
            if section == "lcu"
        ]
        doors = dict(zip(units.keys, units.column("door"), strict=True))
        assert here
        assert all(str(command).startswith(word) and doors[key] == command for key, command in here)


@pytest.mark.usefixtures("short_scenarios")
@pytest.mark.parametrize(
    "name",
    ["path-slow", "dm-suspended", "volume-hangs", "path-lost", "pav-3", "fcp-path-slow"],
)
def test_no_line_is_cut_off_at_80_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The words of a resource fit beside its bar and curve: what is left out is a whole part of them."""
    assert main(["show", "OVERVIEW", "--from", f"lab:{name}", "--width", "80"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line.rstrip().endswith(">")] == []
