"""A long time is judged by what was short in its parts: the mean of it neither hides nor makes a cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zmon.cli.main import main
from zmon.diagnosis import judged
from zmon.diagnosis.diagnosis import Diagnosis, Subject, Verdict
from zmon.diagnosis.stretch import Step, stretches, timed_claim, times, together, unknown_in
from zmon.machine.observed import load_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.interval import Interval
    from zmon.machine.observation import ObservedLoad
    from zmon.machine.view import View

MINUTE: Final = 60_000_000_000
CALM: Final = Verdict((), (), "Nothing is short.", "", ())
DAY: Final = "recordings/lab-healthy-day.zmon"


def short(id_: str, lcu: str = "8000", lost: float = 5.0, confidence: str = "certain") -> Verdict:
    """Return the verdict that one thing is short."""
    one = Diagnosis(
        id_, (Subject("lcu", lcu, f"LCU {lcu}"),), f"{lcu} is short", (), confidence, "Act.", lost
    )
    return Verdict((one,), (), one.claim, "", ())


def steps(*found: Verdict) -> list[Step]:
    """Return minutes with these verdicts, one after the other."""
    return [Step(at * MINUTE, (at + 1) * MINUTE, one) for at, one in enumerate(found)]


def spans(found: Sequence[Step]) -> list[tuple[str, int, int]]:
    """Return the stretches in minutes."""
    return [(one.id, one.begin // MINUTE, one.end // MINUTE) for one in stretches(found)]


def test_an_incident_of_several_minutes_is_one_stretch() -> None:
    """A calm minute between does not end it; one that is as long as it was before does."""
    hot = short("D1")
    assert spans(steps(CALM, hot, hot, CALM, hot, CALM)) == [("D1", 1, 5)]
    assert spans(steps(hot, CALM, CALM, hot)) == [("D1", 0, 1), ("D1", 3, 4)]


def test_different_causes_and_places_are_different_stretches() -> None:
    """The most requests times seconds come first, and what is only possible comes last."""
    found = steps(
        *[short("D1")] * 2, CALM, *[short("D9", "8100", 2.0)] * 6, CALM, short("D2", "8200", 99, "possible")
    )
    assert spans(found) == [("D9", 3, 9), ("D1", 0, 2), ("D2", 10, 11)]


def test_a_gap_ends_a_stretch() -> None:
    """What was between two samples that cannot be compared is not known."""
    before, after = steps(*[short("D1")] * 4), steps(*[short("D1")] * 4)
    later = [Step(one.begin + 9 * MINUTE, one.end + 9 * MINUTE, one.found) for one in after]
    assert spans([*before, *later]) == [("D1", 0, 4), ("D1", 9, 13)]
    words = together(
        [*before, *later, Step(13 * MINUTE, 14 * MINUTE, CALM)], [(stretches(before)[0], CALM)], [], CALM
    )
    assert "as far as" in words.rest


def test_what_may_wait_in_the_rest_of_the_time_is_not_nothing() -> None:
    """A calm minute of which that is not known is told; within an incident the incident is."""
    maybe = CALM._replace(may_wait="3 requests are inside LCU 8000")
    hot = short("D1")
    for minutes, told in ((steps(hot, hot, CALM, maybe), True), (steps(hot, hot, CALM), False)):
        found = together(minutes, [(stretches(minutes)[0], CALM)], [], CALM)
        assert (maybe.may_wait in found.rest) is told
        assert ("nothing is short" in found.rest) is not told


def test_the_edge_of_an_incident_is_no_other_cause() -> None:
    """A minute that is partly calm can look like another cause of the same LCU; what causes it is kept."""
    assert spans(steps(short("D9", confidence="likely"), *[short("D23")] * 5)) == [("D23", 1, 6)]
    assert spans(steps(*[short("D3")] * 5, short("D1"))) == [("D3", 0, 5)]
    assert set(spans(steps(short("D13"), *[short("D2")] * 5))) == {("D13", 0, 1), ("D2", 1, 6)}


def test_a_cause_that_another_one_explains_at_the_same_time_is_no_stretch() -> None:
    """Between minutes of uneven data an LCU that is full is the same trouble."""
    full, uneven = short("D1"), short("D3")
    assert spans(steps(uneven, full, uneven, uneven, full, uneven)) == [("D3", 0, 6)]


def test_a_trouble_that_follows_its_usual_cause_is_a_stretch_of_its_own() -> None:
    """What went on before it, or for a smaller part of it, does not explain it."""
    full, uneven = short("D1"), short("D3")
    assert spans(steps(*[uneven] * 5, *[full] * 5)) == [("D3", 0, 5), ("D1", 5, 10)]
    assert spans(steps(*[full] * 4, *[uneven] * 6)) == [("D3", 4, 10), ("D1", 0, 4)]
    mixed = spans(steps(uneven, uneven, full, uneven, full, full, full, full))
    assert set(mixed) == {("D3", 0, 4), ("D1", 2, 8)}


def test_short_memory_explains_over_a_long_time_what_it_does_in_a_minute() -> None:
    """An LCU that is full beside it is no part of it, but reads that miss the cache are, on whatever LCU."""
    memory = Diagnosis("D16", (Subject("memory", "", "memory"),), "Short", (), "certain", "Act.", 3.0)
    for id_, kept in (("D1", {"D1", "D16"}), ("D6", {"D16"})):
        both = short(id_)._replace(diagnoses=(memory, *short(id_).diagnoses))
        assert {one[0] for one in spans(steps(*[both] * 5))} == kept


@given(
    st.lists(st.sampled_from([CALM, short("D1"), short("D9", "8100"), short("D2", "8200")]), max_size=30),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_calm_around_a_time_changes_no_stretch(found: list[Verdict], before: int, after: int) -> None:
    """The same stretches are found with any calm time in front of them and behind."""
    alone = spans(steps(*found))
    around = spans(steps(*[CALM] * before, *found, *[CALM] * after))
    assert around == [(id_, begin + before, end + before) for id_, begin, end in alone]


@given(st.lists(st.sampled_from([CALM, short("D1"), short("D9", "8100"), short("D2", "8200")]), max_size=30))
def test_each_trouble_is_in_a_stretch(found: list[Verdict]) -> None:
    """No step is forgotten, and no stretch begins or ends with a calm one."""
    known = stretches(steps(*found))
    for step in steps(*found):
        ids = {one.id for one in known if one.begin <= step.begin and one.end >= step.end}
        assert {one.id for one in step.found.diagnoses} <= ids
    assert all(
        found[one.begin // MINUTE].diagnoses and found[one.end // MINUTE - 1].diagnoses for one in known
    )


def test_what_waits_over_a_long_time_is_what_waits_in_its_worst_stretch() -> None:
    """What waits at different times is no sum; where the mean of a stretch is calm its worst step counts."""
    hot, warm = short("D1", lost=20.0), short("D9", "8100", 5.0)
    found = steps(hot, hot, CALM, CALM, warm)
    first, second = stretches(found)
    assert together(found, [(first, hot._replace(waiting=20.0)), (second, warm)], [], CALM).waiting == 20.0
    assert together(found, [(second, CALM)], [first], CALM).waiting == 5.0


def test_what_is_unknown_in_one_calm_minute_alone_is_not_said() -> None:
    """A source that is lacking is lacking all the time."""
    from zmon.diagnosis.diagnosis import NotKnown  # noqa: PLC0415 - of this test alone

    lacking, once = NotKnown("D6", "not read"), NotKnown("D8", "no writes")
    verdicts = [CALM._replace(unknown=(lacking,)), CALM._replace(unknown=(lacking, once))]
    assert unknown_in(steps(*verdicts)) == [lacking]


def test_times_have_seconds_and_days_where_they_matter(utc: None) -> None:  # noqa: ARG001 - clocks show UTC
    """Whole minutes of one day have neither."""
    assert times(0, 15 * MINUTE) == "00:00 - 00:15"
    assert times(0, 15 * MINUTE + 10**10) == "00:00:00 - 00:15:10"
    assert times(0, 1440 * MINUTE) == "01-01 00:00 - 01-02 00:00"


def test_a_claim_that_says_itself_when_it_was_gets_no_time() -> None:
    """Whatever its first word is."""
    (one,) = short("D1").diagnoses
    one = one._replace(clause="Since noon it is short", begin=0, end=15 * MINUTE)
    assert timed_claim(one).endswith(": Since noon it is short.")
    assert timed_claim(one._replace(says_when=True)) == "Since noon it is short."


# on a recording


def answer(capsys: pytest.CaptureFixture[str], since: str, until: str) -> Any:
    """Return what `zmon diagnose -f json` says of a part of the healthy day."""
    assert main(["diagnose", "--from", DAY, "--since", since, "--until", until, "-f", "json"]) == 0
    return json.loads(capsys.readouterr().out)


OVER: Final = "From 14:30 to 14:45 a new reader read 141 MB/s"


@pytest.mark.parametrize(
    ("window", "stretch", "claim"),
    [
        (("14:44", "14:59"), ("14:44", "14:45"), OVER),
        (("13:45", "15:15"), ("14:30", "14:45"), OVER),
        pytest.param(("12:00", "18:00"), ("14:30", "14:45"), OVER, marks=pytest.mark.whole_days),
        (("14:00", "14:31"), ("14:30", "14:31"), "Since 14:30 a new reader reads 141 MB/s"),
        (("14:40", "15:10"), ("14:40", "14:45"), OVER),
    ],
)
def test_the_incident_has_one_cause_in_every_window(
    window: tuple[str, str],
    stretch: tuple[str, str],
    claim: str,
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """With a minute of it or all, much or little calm around: the new reader, and nothing besides.

    A longer time neither moves nor dilutes it; what is over is told in the past.
    """
    found = answer(capsys, *window)
    first = found["diagnoses"][0]
    assert [one for one in found["diagnoses"] if not one["explained_by"]] == [first]
    assert (first["id"], first["confidence"]) == ("D23", "certain")
    assert (first["begin"][11:16], first["end"][11:16]) == stretch
    assert first["claim"].startswith(claim)
    tense = "was" if claim == OVER else "is"
    assert first["action"].startswith(f"It {tense} mostly user 1000, session 7 (98 %)")
    assert {one["explained_by"] for one in found["diagnoses"][1:]} == {"D23"}
    assert found["verdict"].endswith(" nothing is short.")
    assert "D8" not in {one["id"] for one in found["unknown"]}


def test_a_calm_window_says_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    """There is no stretch and no rest of the time; the next limit is that of the mean."""
    found = answer(capsys, "14:46", "15:15")
    assert found["diagnoses"] == []
    assert found["verdict"].startswith("Nothing is short")
    assert "rest" not in found["verdict"]
    assert found["next_limit"]


@pytest.mark.whole_days
@settings(max_examples=6, deadline=None)
@given(st.integers(0, 28), st.integers(1, 14))
def test_another_cut_has_the_same_incident(before: int, after: int) -> None:
    """A window that begins up to half an hour earlier and ends later has the same begin, end and cause."""
    from zmon.diagnosis.judged import verdict_of  # noqa: PLC0415 - likewise
    from zmon.session.navigator import Navigator  # noqa: PLC0415 - of this test alone
    from zmon.session.recording import open_recording  # noqa: PLC0415 - likewise

    timeline = open_recording(DAY)
    navigator = Navigator(timeline)
    (begun, _) = timeline.span() or (0, 0)
    for name, minute in (("A", 14 * 60 + 30 - before), ("B", 14 * 60 + 45 + after)):
        navigator.seek(begun + minute * MINUTE)
        navigator.mark(name)
    navigator.average()
    view = navigator.view()
    assert view is not None
    (one,) = verdict_of(view).diagnoses
    timeline.close()
    inside = not before and not after
    assert one.id == "D23"
    assert inside or (one.begin, one.end) == (begun + 870 * MINUTE, begun + 885 * MINUTE)


def test_what_waits_after_data_were_spread_again_is_said(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """Until 02:10 two volumes do all; then six do, and requests wait because these have no aliases."""
    times_given = ["--since", "02:00", "--until", "02:20"]
    assert main(["diagnose", "--from", "lab:stripe-extended", *times_given, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["diagnoses"]
    spans_of = [
        (one["id"], one["explained_by"], one["begin"][11:16], one["end"][11:16])
        for one in found
        if one["id"] != "D6"
    ]
    assert spans_of == [
        ("D20", None, "02:00", "02:10"),
        ("D4b", None, "02:10", "02:20"),
        ("D4b", "D20", "02:00", "02:10"),
    ]


def test_the_status_is_about_the_stretches(capsys: pytest.CaptureFixture[str]) -> None:
    """A script is told of an incident that the mean of the time would hide."""
    assert main(["diagnose", "--from", DAY, "--since", "13:45", "--until", "15:15", "--status"]) == 2
    assert capsys.readouterr().out.startswith("DIAGNOSE CRITICAL - From 14:30 to 14:45 a new reader")


@pytest.mark.parametrize("screen", ["DIAGNOSE", "OVERVIEW"])
def test_screens_have_the_same_answer(screen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """AVERAGE asks the same question."""
    assert main(["show", screen, "--from", DAY, "--since", "13:45", "--at", "15:15", "-f", "json"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "From 14:30 to 14:45 a new reader read" in text
    assert "nothing is short." in text
    assert "D9" not in text


@pytest.mark.usefixtures("anew")
def test_what_was_read_of_a_step_is_let_go_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A long time needs no more memory than the few intervals that screens are compared by."""
    intervals: WeakSet[Interval] = WeakSet()
    kept: list[int] = []

    def counted(view: View) -> ObservedLoad:
        intervals.add(view.interval)
        kept.append(len(intervals))
        return load_of(view)

    monkeypatch.setattr(judged, "load_of", counted)
    assert main(["show", "DIAGNOSE", "--from", DAY, "--since", "13:40", "--at", "15:10"]) == 0
    assert "14:30" in capsys.readouterr().out
    assert len(kept) > 60
    assert max(kept) < 20
