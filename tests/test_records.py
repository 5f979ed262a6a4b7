"""Rules, diagnoses and checks that come with zmon name what there is: a slip is told here, not in use."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.house import documents
from zmon.base.shipped import shipped
from zmon.diagnosis.catalogue import as_shipped
from zmon.diagnosis.seen import Cause
from zmon.diagnosis.verdict import CAUSES
from zmon.kinds import KINDS
from zmon.rule.grammar import load_rules
from zmon.rule.known_columns import columns_of, unknown_columns
from zmon.screen.definition import load_screens
from zmon.tables import TABLES

DIAGNOSES = as_shipped()
SCREENS = load_screens(shipped("screens"))


def entries(record: Any) -> list[dict[str, Any]]:
    """Return the entries of a record and of all that is in it."""
    inner = (
        record.values() if isinstance(record, dict) else record if isinstance(record, (list, tuple)) else ()
    )
    own = [record] if isinstance(record, dict) else []
    return own + [entry for value in inner for entry in entries(value)]


def is_column(table: str, column: str) -> bool:
    """Return whether a table has a column, or a kind a field that no screen shows."""
    shown = {of.name for screen in SCREENS if screen.table == table for of in screen.columns}
    fields = KINDS[table].by_name if table in KINDS else {}
    return column in shown or column in fields or (table in TABLES and column in columns_of(table))


def test_a_rule_watches_columns_that_there_are_and_points_to_a_diagnosis() -> None:
    """Else it would never be judged, or lead nowhere."""
    rules = list(load_rules())
    assert {rule.name: unknown for rule in rules if (unknown := unknown_columns(rule.columns))} == {}
    assert {rule.cause for rule in rules} <= {"", *DIAGNOSES}


@pytest.mark.parametrize("id_", DIAGNOSES)
def test_a_diagnosis_names_what_there_is(id_: str) -> None:
    """Others that it explains, a sort of things, a remedy, and the columns where its numbers are seen."""
    record, cause = DIAGNOSES[id_], CAUSES[id_]
    assert {*record.explains, *record.unsure, *record.beside, *record.anywhere} <= {*DIAGNOSES}
    if isinstance(cause, Cause):
        assert cause.id == id_
        assert {case["of"] for case in record.cases.values()} <= {*cause.sorts}
        assert {case["remedy"] for case in record.cases.values() if "remedy" in case} <= {*cause.remedies}
    figures = [
        entry["figure"] for entry in entries([*record.cases.values(), record.evidence]) if "figure" in entry
    ]
    columns = [figure.partition(".") for figure in figures if "{" not in figure]
    assert [(table, column) for table, _, column in columns if not is_column(table, column)] == []


def test_an_id_stands_once() -> None:
    """Of two records with one id the second would be read, and the first be lost."""
    for kind in ("diagnosis", "check", "rule"):
        records = [record for file in documents("rules") for record in file.get(kind, ())]
        ids = Counter(record.get("id") or record["name"] for record in records)
        assert {id_: count for id_, count in ids.items() if count > 1} == {}
