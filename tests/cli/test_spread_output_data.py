from __future__ import annotations

import csv
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.placement.study import FILES, MIB, sample, site
from zmon.cli.output import as_field, as_json
from zmon.cli.spread import document, matrix, moves
from zmon.placement.items import placement_of
from zmon.placement.spread_report import SpreadQuery, SpreadReport, report_spread
from zmon.topology.machine import Machine, UserInputs


def ask(files: list[tuple[str, str, int, int]] = FILES, **wanted: object) -> SpreadReport:
    found = placement_of(Machine(sample(files), UserInputs(site())))
    return report_spread(found, SpreadQuery(**wanted))  # type: ignore[arg-type]  # as of `Wanted`


def db2(_path: str) -> str:
    return "db2"


def test_the_matrix_as_records() -> None:
    """One per tablespace, a column per unit, in bytes."""
    heading, first, *rest = matrix(ask(available=("*",))).records()
    row = dict(zip(heading, first, strict=True))
    assert len(rest) == 3
    assert (row["tablespace"], row["bytes"], row["LCU 6 bytes"], row["LCU 0 bytes"]) == (
        "T1", 24 * MIB, 24 * MIB, 0
    )  # fmt: skip


def test_moves_as_records() -> None:
    """One per move, with what is reached and the statement."""
    plan = ask(moves=3).plan
    assert plan is not None
    heading, first, *rest = moves(plan, db2).records()
    row = dict(zip(heading, first, strict=True))
    assert len(rest) == 2
    assert (row["step"], row["from"], row["bytes"]) == (1, "LCU 6", 6 * MIB)
    assert str(row["means"]).startswith("ALTER TABLESPACE T1 ADD")


def test_the_document_is_json() -> None:
    """And has all of the answer."""
    told = document(ask(moves=2, available=("*",)), db2, ["a note"])
    found = json.loads(json.dumps(as_json(told), allow_nan=False))
    assert [unit["name"] for unit in found["units"]][:2] == ["LCU 0", "LCU 1"]
    assert len(found["tablespaces"]) == 4
    assert found["plan"]["steps"][0]["moves"][0]["means"]
    assert found["what_if"]["even_spread"]["limits_now"] == ["LCU 6"]
    assert found["notes"] == ["a note"]
    assert found["assumptions"]


def test_what_is_absent_is_null() -> None:
    """With the reason beside it."""
    bare = report_spread(
        placement_of(Machine(sample([("/a", "T", 0, 6)]), UserInputs(site()))), SpreadQuery()
    )
    found = json.loads(json.dumps(as_json(document(bare, db2, [])), allow_nan=False))
    assert found["all"]["jain"] is None
    assert found["all"]["absent"] == "no load"


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_name_breaks_the_csv(path: str, space: str) -> None:
    """Whatever is in a name, records and fields are as many as there are, and lines as many as records."""
    plan = ask([(f"/{path}", space, 3, 6), ("/b", "T", 2, 6)], moves=4).plan
    assert plan is not None
    written = io.StringIO()
    records = list(moves(plan, db2).records())
    csv.writer(written, lineterminator="\n").writerows(map(as_field, record) for record in records)
    assert written.getvalue().count("\n") == len(records)
    assert [len(row) for row in csv.reader(io.StringIO(written.getvalue()))] == [12] * len(records)
