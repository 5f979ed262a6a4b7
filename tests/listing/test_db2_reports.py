from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import containers as c
from zmon.listing import db2_reports
from zmon.listing.containers import Container, Options

LISTINGS = Path(__file__).parents[1] / "fixtures/listings"
SPOOL = (LISTINGS / "mon_get_container.csv").read_text()
BARE = (LISTINGS / "db2-x.txt").read_text()


def rows(text: str) -> tuple[Container, ...]:
    return db2_reports.parse_sql(text, "x.csv").containers


def test_reads_names_with_quotes_and_commas() -> None:
    """They are quoted in the spool."""
    assert [(row.tablespace, row.path) for row in rows(SPOOL)][:2] == [
        ('TS "ODD", X', "/db2/d07/odd, one.dat"),
        ('TS "ODD", X', "/db2/d08/odd.dat"),
    ]


def test_counts_pages_in_their_size() -> None:
    """TBSP_PAGE_SIZE may be joined to the same row."""
    assert rows(SPOOL)[0].bytes_declared == 40960 * 8192


def test_takes_the_size_of_pages_from_another_table() -> None:
    """MON_GET_TABLESPACE may be in the same spool, after it too."""
    text = "TBSP_NAME,CONTAINER_NAME,TOTAL_PAGES\nT,/a,10\n\nTBSP_NAME,TBSP_PAGE_SIZE\nT,4096\n"
    assert [row.bytes_declared for row in rows(text)] == [40960]


def test_notes_pages_of_unknown_size() -> None:
    """It says what to join."""
    found = db2_reports.parse_sql("TBSP_NAME,CONTAINER_NAME,TOTAL_PAGES\nT,/a,10\n", "x.csv")
    assert (found.containers[0].bytes_declared, [note.line for note in found.notes]) == (None, [2])


def test_tells_what_a_container_is_by_the_first_word() -> None:
    """Whatever follows it, and a directory has no size."""
    assert [(row.kind, row.bytes_declared) for row in rows(SPOOL)][1:3] == [
        (c.FILE, 40960 * 8192),
        (c.DIRECTORY, None),
    ]


def test_tells_temporary_tablespaces() -> None:
    """By their content."""
    assert [row.role for row in rows(SPOOL)][:3] == [c.DATA, c.DATA, c.TEMP]


def test_keeps_a_row_that_it_cannot_read() -> None:
    """It has a problem and its line."""
    assert [(row.line, row.problem) for row in rows(SPOOL) if row.problem] == [
        (5, '3 fields under 25 columns: \'"BROKEN",9,"/db2/d09/x.dat"\'')
    ]


def test_reads_what_has_tabs_and_no_heading() -> None:
    """The order of the columns is that of the function; blanks in a path stay."""
    assert [(row.tablespace, row.container_id, row.kind, row.path) for row in rows(BARE)] == [
        ("TSFACT", 0, c.FILE, "/db2/d01/fact.1"),
        ("TSFACT", 1, c.DEVICE, "/db2/d02/fact 2"),
    ]


def test_reads_the_older_view() -> None:
    """CONTAINER_UTILIZATION names partitions otherwise."""
    text = "SNAPSHOT_TIMESTAMP,TBSP_NAME,CONTAINER_NAME,DBPARTITIONNUM\n2026-01-02-03.04.05,T,/a,3\n"
    (row,) = rows(text)
    assert row.partition == 3


def test_tells_automatic_storage() -> None:
    """By tablespace."""
    text = "TBSP_NAME,CONTAINER_NAME,TBSP_PAGE_SIZE,TBSP_USING_AUTO_STORAGE\nA,/a,4096,1\nB,/b,4096,0\n"
    assert [row.storage for row in rows(text)] == [c.AUTOMATIC, ""]


@pytest.mark.parametrize(
    ("columns", "cells", "storage"),
    [
        ("CONTAINER_TYPE", "PATH", c.SMS),
        ("TBSP_TYPE", "SMS", c.SMS),
        ("TBSP_TYPE,TBSP_USING_AUTO_STORAGE", "SMS,1", c.AUTOMATIC),
        ("CONTAINER_TYPE", "FILE_EXTENT_TAG", c.DMS),
        ("TOTAL_PAGES", "7", ""),
    ],
)
def test_tells_who_manages_the_space(columns: str, cells: str, storage: str) -> None:
    """Of a directory with files of Db2 no single file may be moved, whatever says that it is one."""
    (row,) = rows(f"TBSP_NAME,CONTAINER_NAME,{columns}\nT,/a,{cells}\n")
    assert row.storage == storage


def test_who_manages_the_space_is_told_by_reports_too() -> None:
    """By the type of the tablespace, or of the container."""
    listed = {row.tablespace: row.storage for row in rows_db2_list(LISTING)}
    assert (listed["TEMPSPACE1"], listed["TS ORDERS"]) == (c.SMS, c.DMS)
    printed = {row.tablespace: row.storage for row in rows_db2pd(NEW)}
    assert printed == {"SYSCATSPACE": c.AUTOMATIC, "TEMPSPACE1": c.SMS, "TS ORDERS": c.DMS}


def test_blanks_that_pad_a_name_are_none_of_it() -> None:
    """As in an export of columns of fixed length."""
    text = 'TBSP_NAME,CONTAINER_NAME,TBSP_PAGE_SIZE,TOTAL_PAGES\n"A   ",/a,4096,1\n"A",/b,4096,2\n'
    assert [(row.tablespace, row.bytes_declared) for row in rows(text)] == [("A", 4096), ("A", 8192)]


def test_gives_what_a_person_knows() -> None:
    """The database and where relative paths start."""
    (row,) = db2_reports.parse_sql(
        "TBSP_NAME,CONTAINER_NAME\nT,a\n", "x.csv", Options(database="D", base_dir="/b")
    ).containers
    assert (row.database, row.located) == ("D", "/b/a")


def test_recognises_its_format() -> None:
    """With and without a heading."""
    assert (
        db2_reports.recognise_sql(SPOOL),
        db2_reports.recognise_sql(BARE),
        db2_reports.recognise_sql("a\tb\tc\td\te\tf\n"),
    ) == (True, True, False)


@given(st.integers(0, len(SPOOL)), st.integers(0, 80), st.text(max_size=10))
def test_survives_damage(place: int, length: int, put: str) -> None:
    """A spool that is cut or overwritten is read as far as it goes."""
    rows(SPOOL[:place] + put + SPOOL[place + length :])


LISTING = (Path(__file__).parents[1] / "fixtures/listings/db2-list.txt").read_text()


def rows_db2_list(text: str) -> tuple[Container, ...]:
    return db2_reports.parse_list(text, "x.txt").containers


def containers(number: int, path: str) -> str:
    return (
        f"            Tablespace Containers for Tablespace {number}\n\n"
        f" Container ID                         = 0\n Name                                 = {path}\n"
        " Type                                 = File\n Total pages                          = 10\n"
    )


def test_joins_containers_with_their_tablespace() -> None:
    """The number in the heading is that of the list."""
    assert [(row.tablespace, row.container_id, row.path) for row in rows_db2_list(LISTING) if row.path] == [
        ("TS ORDERS", 0, "/db2/d01/part=1/orders 1.dat"),
        ("TS ORDERS", 1, "/dev/vgdb/rorders"),
        ("TEMPSPACE1", 0, "/db2/tmp/a"),
        ("TEMPSPACE1", 1, "/db2/tmp/b"),
    ]


def test_tells_sizes_in_bytes() -> None:
    """Pages of a container times the page size of the tablespace; of a directory nothing."""
    assert [(row.kind, row.bytes_declared) for row in rows_db2_list(LISTING)][1:3] == [
        (c.DEVICE, 65536 * 8192),
        (c.DIRECTORY, None),
    ]


def test_tells_temporary_tablespaces_db2_list() -> None:
    """By their contents."""
    assert {row.tablespace: row.role for row in rows_db2_list(LISTING)} == {
        "SYSCATSPACE": c.DATA, "TEMPSPACE1": c.TEMP, "TS ORDERS": c.DATA,
    }  # fmt: skip


def test_keeps_a_tablespace_whose_containers_are_not_listed() -> None:
    """It is a row that says what to run."""
    assert [
        (row.tablespace, row.line) for row in rows_db2_list(LISTING) if "FOR 0 SHOW DETAIL" in row.problem
    ] == [("SYSCATSPACE", 13)]


def test_keeps_containers_whose_tablespace_is_not_listed() -> None:
    """They have the number, and a note says what is needed."""
    found = db2_reports.parse_list(containers(7, "/a"), "x.txt")
    assert (found.containers[0].tablespace, len(found.notes)) == ("#7", 1)


def test_names_the_database() -> None:
    """The answer to CONNECT does, or the command."""
    text = f"$ db2 connect to other\n{containers(7, '/a')}"
    for listing, name in ((LISTING, "SHOPDB"), (text, "OTHER")):
        assert {row.database for row in db2_reports.parse_list(listing, "x").containers} == {name}


def test_tells_databases_apart() -> None:
    """Numbers are of the database that was connected to last."""
    text = "".join(f"connect to {name}\n{containers(7, '/a')}" for name in ("one", "two"))
    assert [row.database for row in rows_db2_list(text)] == ["ONE", "TWO"]


def test_reads_partitions() -> None:
    """A listing may be of one partition of the database."""
    head = " Tablespaces for Database Partition 3\n Tablespace ID = 7\n Name = T\n Page size (bytes) = 8192\n"
    listed = containers(7, "/a").replace("Tablespace 7", "Tablespace 7 on Partition 3")
    assert [(row.partition, row.tablespace, row.bytes_declared) for row in rows_db2_list(head + listed)] == [
        (3, "T", 81920)
    ]


def test_reports_what_is_listed_twice() -> None:
    """It counts once."""
    found = db2_reports.parse_list(containers(7, "/a") * 2, "x.txt")
    assert (len(found.containers), [note.line for note in found.notes if "already" in note.text]) == (1, [9])


def test_notes_what_is_not_accessible() -> None:
    """The container stays."""
    assert [note.line for note in db2_reports.parse_list(LISTING, "x").notes] == [75]


def test_recognises_its_format_db2_list() -> None:
    """By either heading."""
    found = [db2_reports.recognise_list(text) for text in (LISTING, containers(1, "/a"), "x = y")]
    assert found == [True, True, False]


@given(
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n"), min_size=1, max_size=30)
)
def test_reads_any_path(name: str) -> None:
    """Equal signs and blanks are of the path."""
    assert [row.path for row in rows_db2_list(containers(7, "/" + name))] == ["/" + name]


@given(st.integers(0, len(LISTING)), st.integers(0, 80), st.text(max_size=10))
def test_survives_damage_db2_list(place: int, length: int, put: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes."""
    rows_db2_list(LISTING[:place] + put + LISTING[place + length :])


LISTINGS = Path(__file__).parents[1] / "fixtures/listings"
NEW = (LISTINGS / "db2pd-11.txt").read_text()
OLD = (LISTINGS / "db2pd-9.txt").read_text()


def rows_db2pd(text: str) -> tuple[Container, ...]:
    return db2_reports.parse_db2pd(text, "x.txt").containers


def test_reads_names_and_paths_with_blanks() -> None:
    """The last column is whatever is left of the line."""
    assert [(row.tablespace, row.path) for row in rows_db2pd(NEW)][3:] == [
        ("TS ORDERS", "/db2/d01/orders 1.dat"),
        ("TS ORDERS", "/dev/vgdb/rorders"),
    ]


def test_reads_columns_by_their_names() -> None:
    """Older versions have fewer of them."""
    (row,) = rows_db2pd(OLD)
    assert row == Container(
        database="OLDDB", tablespace="USERSPACE1", container_id=0, partition=3,
        kind=c.FILE, path="/old/d03/user1", bytes_declared=8192 * 4096,
        role=c.DATA, source="x.txt", line=9, storage=c.DMS,
    )  # fmt: skip


def test_skips_a_block_without_rows() -> None:
    """The block of containers may come twice, once empty."""
    assert len(rows_db2pd(NEW)) == 5


def test_tells_temporary_tablespaces_db2pd() -> None:
    """By their content."""
    assert {row.tablespace for row in rows_db2pd(NEW) if row.role == c.TEMP} == {"TEMPSPACE1"}


def test_tells_which_containers_are_missing_db2pd() -> None:
    """The configuration of a tablespace counts them."""
    assert not [note for note in db2_reports.parse_db2pd(NEW, "x.txt").notes if note.unread]
    lines = NEW.splitlines(keepends=True)
    cut = "".join(line for line in lines if "/dev/vgdb/rorders" not in line)
    (note,) = [note for note in db2_reports.parse_db2pd(cut, "x.txt").notes if note.unread]
    assert "'TS ORDERS' has 2 containers, and 1 listed" in note.text


def test_keeps_a_row_that_it_cannot_read_db2pd() -> None:
    """It has a problem and its line."""
    cut = OLD[: OLD.index("8160")]
    assert [(row.line, bool(row.problem)) for row in rows_db2pd(cut)] == [(9, True)]


def test_tells_members_apart() -> None:
    """Each has its tablespaces and containers."""
    other = OLD.replace("Partition 3", "Partition 4").replace("USERSPACE1", "OTHER")
    assert [(row.partition, row.tablespace) for row in rows_db2pd(OLD + other)] == [
        (3, "USERSPACE1"),
        (4, "OTHER"),
    ]


def test_recognises_its_format_db2pd() -> None:
    """By the heading of a block."""
    assert (
        db2_reports.recognise_db2pd(NEW),
        db2_reports.recognise_db2pd(OLD),
        db2_reports.recognise_db2pd("Address Id\n"),
    ) == (
        True,
        True,
        False,
    )


@given(st.integers(0, len(NEW)), st.integers(0, 80), st.text(max_size=10))
def test_survives_damage_db2pd(place: int, length: int, put: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes."""
    rows_db2pd(NEW[:place] + put + NEW[place + length :])
