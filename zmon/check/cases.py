"""Checks as records, from `rules/checks/*.toml`: what each reads, compares, says and advises.

A check goes through its cases: the first one that is meant (`when`) and says something is what it finds.
On the way it ends where it means nothing (`on`: cases that several checks share), or where something is not
known (`needs`).  A case that is about things (`of` a field) is meant of those of which `when` holds.
Fields are settings of the record, properties of `CheckInput`, and facts that Python finds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.toml import TomlTable
from zmon.check.practice import Check, CheckInput, Finding, State
from zmon.words.comparison import holds
from zmon.words.records import SWITCHED_OFF, shipped_records
from zmon.words.template import Fields, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Case = Mapping[str, Any]
    Facts = Callable[[CheckInput], object]
    """Finds what a check compares and names: a mapping, or an object with properties."""

FOLDER: Final = "rules/checks"
TEXTS: Final = ("id", "title", "reads", "good", "advice", "source")
OF_ALL: Final[Mapping[str, type]] = {
    **dict.fromkeys(TEXTS, str), "on": list, "needs": list, "numbers": dict, "texts": dict, "case": list,
}  # fmt: skip
"""What a check may say; its values have these types."""
OF_CASE: Final = ("of", "when", "title", "on", "needs", "state", "say", "advice")
STATES: Final = {
    "bad": State.BAD,
    "look": State.LOOK,
    "unknown": State.UNKNOWN,
    "ok": State.OK,
    "skip": State.NOT_APPLICABLE,
}
SETTINGS: Final = {"numbers": CheckInput.number, "texts": CheckInput.setting}
"""The keys of a check for fields that are settings."""


def checks(facts: Mapping[str, Facts], own: TomlTable | None = None) -> Iterator[Check]:
    """Yield the checks of all files; `facts` finds those of a check by its id.

    The `[[check]]` of the user's own file of rules change the keys that they give; one that is switched off
    means nothing.  Where the user's own words cannot be said, a check has those that come with zmon.

    Raises:
        ValueError: a record is wrong; the message has file and line.
    """
    changes = {table.text("id"): table for table in (() if own is None else own.list_of("check", []))}
    tops = shipped_records(FOLDER, "check", "place")
    places = {place.text("name"): _cases(place) for top in tops for place in top.list_of("place", [])}
    for top in tops:
        for table in top.list_of("check", []):
            table.check(OF_ALL, TEXTS)
            texts = {key: table.text(key) for key in TEXTS}
            check = Check(**texts, run=partial(_run, _record(table), places, facts.get(texts["id"])))
            yield _changed(check, table, changes.pop(texts["id"], None), places)
    for id_, table in changes.items():
        raise table.wrong("id", f"there is no check {id_!r:.60}")


def _record(table: TomlTable) -> Case:
    return {**table.data, "case": _cases(table)}


def _changed(
    check: Check, table: TomlTable, own: TomlTable | None, places: Mapping[str, list[Case]]
) -> Check:
    """Return a check as the user's own record of it changes it."""
    if own is None:
        return check
    own.check({**OF_ALL, "off": bool}, ("id",))
    if own.flag("off"):
        return check._replace(run=lambda _given: Finding(State.NOT_APPLICABLE, SWITCHED_OFF.reason))
    whole = TomlTable(own.document, own.keys, {**table.data, **own.data})
    said = partial(_run, _record(whole), places, check.run.args[2])  # type: ignore[attr-defined]  # see `checks`

    def run(given: CheckInput) -> Finding:
        try:
            return said(given)
        except (AttributeError, LookupError, TypeError, ValueError):
            return check.run(given)

    return check._replace(**{key: whole.text(key) for key in TEXTS}, run=run)


def _cases(table: TomlTable) -> list[Case]:
    cases = list(table.list_of("case"))
    for case in cases:
        case.only(*OF_CASE)
    return [case.data for case in cases]


def _run(record: Case, places: Mapping[str, list[Case]], facts: Facts | None, given: CheckInput) -> Finding:
    """Return what a check finds, in the words of its record.

    Raises:
        LookupError: it names a place, a field or a form that there is not.
    """
    try:
        return _found(record, places, facts, given)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise LookupError(f"{FOLDER}: {record['id']} names what there is not: {error}") from error


def _found(record: Case, places: Mapping[str, list[Case]], facts: Facts | None, given: CheckInput) -> Finding:
    fields = Fields(given)
    finding = _judged([{"on": record.get("on", ())}], fields, places)
    if finding is None:
        settings = {
            name: read(given, setting)
            for key, read in SETTINGS.items()
            for name, setting in record.get(key, {}).items()
        }
        fields = Fields(settings, *([facts(given)] if facts else ()), fields)
        finding = _judged([{"needs": record.get("needs", ())}, *record["case"]], fields, places)
    if finding is None:
        raise LookupError("no case is meant")
    return finding


def _judged(cases: Iterable[Case], fields: Fields, places: Mapping[str, list[Case]]) -> Finding | None:
    """Return what the first case finds that is meant and finds something."""
    for case in cases:
        own = _meant(case, fields)
        if own is None:
            continue
        for place in case.get("on", ()):
            finding = _judged(places[place], fields, places)
            if finding is not None:
                return finding
        for name in case.get("needs", ()):
            value = fields[name]
            if isinstance(value, Absent):
                return Finding(State.UNKNOWN, value.reason)
        if "say" in case:
            advice = say(case.get("advice", ""), own)
            advice = f"{advice[:1].lower()}{advice[1:]}".removesuffix(".")  # a full stop follows
            return Finding(STATES[case["state"]], say(case["say"], own), advice)
    return None


def _meant(case: Case, fields: Fields) -> Fields | None:
    """Return the fields of a case, with `these` things of it and their `titles`; None if it is not meant."""
    when = case.get("when", ())
    if "of" not in case:
        return fields if holds(when, fields) else None
    these = [thing for thing in fields[case["of"]] if holds(when, fields.of(thing))]
    titles = [say(case.get("title", ""), fields.of(thing)) for thing in these]
    return Fields({"these": these, "titles": list(dict.fromkeys(titles))}, fields) if these else None
