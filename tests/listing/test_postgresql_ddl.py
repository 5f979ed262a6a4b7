from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.container import DIRECTORY
from zmon.listing.listing import read_listing
from zmon.listing.postgresql_ddl import parse, recognise

DUMP = """\
-- PostgreSQL database cluster dump
SET standard_conforming_strings = on;
CREATE ROLE app;
ALTER ROLE app WITH SUPERUSER;
CREATE TABLESPACE ts1 OWNER app LOCATION '/db/d07/ts1';
ALTER TABLESPACE ts1 SET (random_page_cost=1.1);
CREATE TABLESPACE "Odd name" LOCATION E'/db/odd';
CREATE TABLESPACE Gone LOCATION '/db/gone';
DROP TABLESPACE IF EXISTS gone;
CREATE TABLESPACE old LOCATION '/db/old';
ALTER TABLESPACE old RENAME TO new;
"""


def test_directories_are_read() -> None:
    """Names fold to small letters, and what is altered later counts."""
    found = parse(DUMP.replace("E'", "'"), "d")
    assert recognise(DUMP)
    assert [(row.tablespace, row.path, row.kind, row.line) for row in found.containers] == [
        ("ts1", "/db/d07/ts1", DIRECTORY, 5), ("Odd name", "/db/odd", DIRECTORY, 7),
        ("new", "/db/old", DIRECTORY, 10),
    ]  # fmt: skip
    assert found.notes == ()


def test_what_is_not_understood_is_told() -> None:
    """With its line."""
    right = "CREATE TABLESPACE a LOCATION '/a';\n"
    found = parse(f"{right}CREATE TABLESPAC b LOCATION '/b';\nCREATE TABLESPACE c LOKATION '/c';\n", "d")
    assert [(note.line, note.unread) for note in found.notes] == [(2, True), (3, True)]


def test_it_is_no_automatic_storage_of_db2(tmp_path: object) -> None:
    """The product is known by LOCATION."""
    name = f"{tmp_path}/dump.sql"
    with open(name, "w", encoding="utf-8") as file:
        file.write(DUMP)
    assert read_listing(name).products == ((name, "postgresql"),)


@given(st.text() | st.builds("CREATE TABLESPACE {} LOCATION '{}'".format, st.text(), st.text()))
def test_any_text_is_read(text: str) -> None:
    """Whatever it is."""
    parse(text, "x")
