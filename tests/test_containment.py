"""A part of zmon with a mistake of its own is named where it would have spoken; all others go on.

Each registered part is broken in turn: rules, causes, checks, tables, figures, trends, metrics; sources are
in tests/kernel/test_sampler_costs.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.diagnosis.simulated import situation_in, view_of
from tests.lab.plans import samples, shorter
from zmon.base.absent import Absent, code_of
from zmon.base.mistake import REASONS, TRACE, mistakes
from zmon.check.practice import CheckInput, State
from zmon.check.practices import CHECKS, run_checks
from zmon.cli.main import main
from zmon.collected.facts import Facts
from zmon.collected.forms import FORMS
from zmon.collected.reading import walk
from zmon.diagnosis.diagnosis import NotKnown
from zmon.diagnosis.verdict import CAUSES, verdict
from zmon.exposition import exporter as exporting
from zmon.exposition.exporter import Exporter
from zmon.interval import Interval
from zmon.kernel.capture_text import CollectedText
from zmon.machine.topology import machine_of
from zmon.machine.view import View
from zmon.rule import watch as watching
from zmon.rule.grammar import usable_rules
from zmon.rule.judge import Judge
from zmon.rule.watch import Watch, by_begin
from zmon.screen.definition import load_screens
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.tables import TABLES
from zmon.tables.filled import definition, fill
from zmon.trends.moving_devices import filled
from zmon.trends.trend_tables import TREND_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.event import ExceptionEntry
    from zmon.rule.grammar import Rule
    from zmon.sample import Sample

pytestmark = pytest.mark.usefixtures("mistaken")

SCENARIO = "shark-before"
RECORDING = "recordings/hercules-two-hot-files-before.zmon"


class Broken(Exception):  # noqa: N818 - it stands for any error
    """What no part of zmon raises on purpose."""


def broken(*_given: object, **_more: object) -> NoReturn:
    """Fail as a programmer's mistake does."""
    raise Broken("a mistake")


def is_mistake(value: object) -> bool:
    """Tell whether a value is missing because of a mistake."""
    return code_of(value) == REASONS.code


# rules

RULES = usable_rules()[0]


def watched() -> list[str]:
    """Return the names of the rules whose exceptions are logged."""
    return [rule.name for rule in RULES if rule.logs]


def log_of(rules: tuple[Rule, ...], history: list[Sample]) -> tuple[list[ExceptionEntry], dict[str, Absent]]:
    """Return the exceptions by some rules, and why rules are not judged."""
    watch = Watch(rules)
    before = None
    for sample in history:
        watch.follow(Interval(before, sample))
        before = sample
    return sorted(watch.log(), key=by_begin), watch.unknown


STEPS = ("_value", "_allowed", "cells", "values_of")
"""Methods of a judge that may fail for a rule."""
TURNS = [0, *(pytest.param(turn, marks=pytest.mark.whole_days) for turn in range(1, len(STEPS)))]


@pytest.mark.parametrize("turn", TURNS)
def test_a_broken_rule_is_not_judged_and_the_others_are(monkeypatch: pytest.MonkeyPatch, turn: int) -> None:
    """Whichever step of judging fails, in four turns, each rule has that as its reason; no other changes."""
    history = samples(shorter(SCENARIO, 120.0), 32)
    whole, unknown = log_of(RULES, history)
    assert whole
    for number, name in enumerate(watched()):
        method = STEPS[(number + turn) % len(STEPS)]
        does: Callable[..., Any] = getattr(Judge, method)
        with monkeypatch.context() as patch:

            def fails(
                judge: Judge, rule: Rule, *given: Any, name: str = name, does: Callable[..., Any] = does
            ) -> Any:
                return broken() if rule.name == name else does(judge, rule, *given)

            patch.setattr(Judge, method, fails)
            rest, missing = log_of(RULES, history)
        if name in missing and is_mistake(missing[name]):
            assert rest == [entry for entry in whole if entry.rule != name]
            assert missing.keys() - {name} == unknown.keys() - {name}
            assert f"the rule {name}" in mistakes()
        else:
            assert rest == whole  # the step is none of this rule
    assert mistakes()


def test_a_sentence_with_a_mistake_costs_no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake stands in its place."""
    history = samples(shorter(SCENARIO, 120.0), 32)
    whole, _unknown = log_of(RULES, history)
    monkeypatch.setattr(watching, "sentence", broken)
    rest, _unknown = log_of(RULES, history)
    assert [entry.rule for entry in rest] == [entry.rule for entry in whole]
    assert all(entry.words in mistakes().values() for entry in rest)


# causes


@pytest.mark.parametrize("id_", CAUSES)
def test_a_broken_cause_is_not_known_and_the_others_are(monkeypatch: pytest.MonkeyPatch, id_: str) -> None:
    """It stands under what is not known; what the others say is the same."""
    situation = situation_in(SCENARIO)._replace(predict=None)
    whole = verdict(situation)
    monkeypatch.setitem(CAUSES, id_, broken)
    rest = verdict(situation)
    named = {cause.id: cause for cause in rest.unknown}
    assert isinstance(named.pop(id_), NotKnown)
    assert named == {cause.id: cause for cause in whole.unknown if cause.id != id_}
    said = {(diagnosis.id, diagnosis.claim) for diagnosis in whole.diagnoses}
    explained = {(diagnosis.id, diagnosis.claim) for diagnosis, _ in whole.explained}
    again = {(diagnosis.id, diagnosis.claim) for diagnosis in rest.diagnoses}
    again |= {(diagnosis.id, diagnosis.claim) for diagnosis, _ in rest.explained}
    assert again == {claim for claim in said | explained if claim[0] != id_}
    assert [*mistakes()] == [f"the diagnosis {id_}"]


def test_nothing_is_said_not_to_be_short_beside_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing waits is not called healthy as long as a cause could not be asked."""
    situation = situation_in("healthy-day")._replace(predict=None)
    assert not verdict(situation).damage
    monkeypatch.setitem(CAUSES, "D1", broken)
    assert verdict(situation).is_calm
    assert verdict(situation).damage.startswith("zmon has a mistake in the diagnosis D1: Broken: a mistake")


# checks


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_broken_check_is_not_known_and_the_others_are(monkeypatch: pytest.MonkeyPatch, check: Any) -> None:
    """It is one more check whose result is not known, with the mistake."""
    view = view_of(SCENARIO)
    given = CheckInput(machine_of(view), view.interval)
    whole = {result.check.id: result[1:] for result in run_checks(given)}
    changed = tuple(check._replace(run=broken) if other is check else other for other in CHECKS)
    monkeypatch.setattr("zmon.check.practices.checks_in_force", lambda: changed)
    rest = {result.check.id: result[1:] for result in run_checks(given)}
    state, words, advice = rest.pop(check.id)
    assert (state, advice) == (State.UNKNOWN, "")
    assert words in mistakes().values()
    assert rest == {id_: result for id_, result in whole.items() if id_ != check.id}


# tables


@pytest.mark.parametrize("name", TABLES)
def test_a_broken_table_has_no_rows_and_says_why(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A screen of it shows the mistake in the place of rows."""
    mistaken = definition(name)._replace(fill=broken)
    monkeypatch.setattr("zmon.tables.filled.definition", lambda _name: mistaken)
    table = fill(name, View(view_of(SCENARIO).interval))
    assert table.keys == []
    assert is_mistake(table.missing)


SORTS = {sort: name for name in TABLES if (sort := definition(name).things) is not None}


@pytest.mark.parametrize("sort", SORTS, ids=lambda sort: sort.__name__)
def test_a_broken_figure_is_missing_and_the_others_are_not(
    monkeypatch: pytest.MonkeyPatch, sort: Any
) -> None:
    """Its column has the mistake in each row; all others have their values."""
    whole = sort.seen(view_of(SCENARIO)).columns()
    for key in sort.figures:
        with monkeypatch.context() as patch:
            figure = sort.figures[key]._replace(make=broken, together=None)
            patch.setattr(sort, "figures", {**sort.figures, key: figure})
            columns = sort.seen(view_of(SCENARIO)).columns()
        assert all(map(is_mistake, columns[key]))
        for other, values in columns.items():
            is_made_of_it = any(map(is_mistake, values))
            assert is_made_of_it or values == whole[other]


# trends


@pytest.mark.parametrize("table", TREND_TABLES, ids=lambda table: table.screen)
def test_broken_trends_of_a_screen_leave_the_others(monkeypatch: pytest.MonkeyPatch, table: Any) -> None:
    """Its roll-ups lack; those of the other screens are the same."""
    interval = view_of(SCENARIO).interval
    whole = filled(interval)
    sort = definition(table.table).things
    assert sort is not None
    monkeypatch.setattr(sort, "at", broken)
    rest = filled(interval)
    for other, before, after in zip(TREND_TABLES, whole, rest, strict=True):
        if definition(other.table).things is sort:
            assert is_mistake(after.missing)
        else:
            assert (before.keys, before.columns) == (after.keys, after.columns)


# metrics

FAMILIES = ("machine_families", "lcu_families", "adapter_families", "path_families", "system_families",
            "verdict_families", "exception_families", "dasd_info")  # fmt: skip


@pytest.mark.parametrize("make", FAMILIES)
def test_a_broken_metric_is_named_and_the_others_are_there(
    monkeypatch: pytest.MonkeyPatch, make: str
) -> None:
    """Its families lack, and a metric of its own says which part of zmon has a mistake."""
    exporter = Exporter(lambda: (), devices=True)
    for sample in samples(shorter(SCENARIO, 120.0)):
        exporter.follow(sample)
    whole = {family.metric.name: family for family in exporter.families()}
    monkeypatch.setattr(exporting, make, broken)
    rest = {family.metric.name: family for family in exporter.families()}
    assert rest.pop("zmon_mistake").samples
    assert rest.keys() < whole.keys()
    assert rest == {name: family for name, family in whole.items() if name in rest}


# collected texts

LINES = CollectedText("a.txt", 4, "", "", "first\n\nsecond\n", 0)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("step", ["take", "end"])
def test_what_a_broken_reader_of_texts_was_about_is_not_understood(
    monkeypatch: pytest.MonkeyPatch, form: Any, step: str
) -> None:
    """Its lines are counted and named; the other texts are read."""
    monkeypatch.setattr(form.reading, step, broken)
    read = walk(LINES, form, Facts())
    assert {4, 6} <= set(read.strange)
    assert read.read == 0 or step == "take"
    assert [*mistakes()] == [f"the reader of {form.name}"]


# all at once

VIEWS = (["show", "OVERVIEW"], ["show", "DEVICE"], ["show", "EXCEPT"], ["diagnose"], ["check"])


@pytest.mark.parametrize("command", VIEWS, ids=" ".join)
def test_screens_and_commands_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """With a rule, a cause, a check and a figure broken each answers, says so on stderr, and ends with 1."""
    allowed = Judge._allowed
    monkeypatch.setattr(
        Judge, "_allowed", lambda judge, rule, at: broken() if "q" in rule.name else allowed(judge, rule, at)
    )
    monkeypatch.setitem(CAUSES, "D1", broken)
    changed = tuple(check._replace(run=broken) if check.id == "B1" else check for check in CHECKS)
    monkeypatch.setattr("zmon.check.practices.checks_in_force", lambda: changed)
    sort: Any = definition("device").things
    figure = sort.figures["resp"]._replace(make=broken)
    monkeypatch.setattr(sort, "figures", {**sort.figures, "resp": figure})
    assert main([*command, "--from", RECORDING]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) > 5
    assert "zmon has a mistake in " in err


def test_trace_shows_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ZMON_TRACE=1 a mistake is raised, so that a programmer sees it whole."""
    monkeypatch.setenv(TRACE, "1")
    monkeypatch.setitem(CAUSES, "D1", broken)
    with pytest.raises(Broken):
        verdict(situation_in(SCENARIO)._replace(predict=None))


@pytest.mark.parametrize(
    "part", ["zmon.rule.marks.marks", "zmon.session.curves.curves", "zmon.session.page.with_figures"]
)
def test_a_mistake_in_what_is_added_to_a_table_leaves_the_table(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """Marks of rules, curves and further figures are missing then; the rows are there, and it is told."""
    session = Session(open_recording(RECORDING), load_screens(), "DEVICE")
    session.end()
    session.has_room = True
    monkeypatch.setattr(part, broken)
    assert session.sheet().keys
    assert "DEVICE" in "".join(mistakes())
