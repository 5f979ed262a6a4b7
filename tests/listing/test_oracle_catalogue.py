from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import containers as c
from zmon.listing import oracle_catalogue

if TYPE_CHECKING:
    from zmon.listing.containers import Container

SPOOL = (Path(__file__).parents[1] / "fixtures/listings/oracle-spool.csv").read_text()


def rows(text: str, origin: str = "x.csv") -> tuple[Container, ...]:
    return oracle_catalogue.parse(text, origin).containers


def one(role: str) -> list[tuple[str, str, int | None]]:
    return [(row.tablespace, row.path, row.bytes_declared) for row in rows(SPOOL) if row.role == role]


def test_says_whose_files_they_are() -> None:
    """V$DATABASE and V$INSTANCE tell."""
    found = oracle_catalogue.parse(SPOOL, "x.csv")
    assert (found.host, {row.database for row in found.containers}) == ("lnxora01", {"SALES"})


def test_tells_roles_by_the_contents_of_tablespaces() -> None:
    """DBA_TABLESPACES tells undo and temporary ones from data."""
    assert [(row.tablespace, row.role) for row in rows(SPOOL)][:5] == [
        ("SYSTEM", c.DATA),
        ("UNDOTBS1", c.UNDO),
        ('ODD, "TS"', c.DATA),
        ("GONE", c.DATA),
        ("TEMP", c.TEMP),
    ]


def test_reads_a_size_that_was_printed_short() -> None:
    """SQL*Plus prints a power of ten when the column is narrow."""
    assert rows(SPOOL)[2].bytes_declared == 10_737_000_000


def test_keeps_a_slot_that_is_not_in_use() -> None:
    """It is a row with that problem."""
    assert [(row.tablespace, row.line) for row in rows(SPOOL) if "INVALID" in row.problem] == [("GONE", 26)]


def test_gives_all_members_the_size_of_their_group() -> None:
    """V$LOG has the size, V$LOGFILE the members, which are mirrors."""
    assert one(c.LOG) == [
        ("", "/log1/SALES/redo01a.log", 512 << 20),
        ("", "/log2/SALES/redo01b.log", 512 << 20),
        ("", "/log1/SALES/redo02.log", 512 << 20),
    ]


def test_reads_control_files() -> None:
    """Their size is in blocks."""
    assert one(c.CONTROL) == [("", "/u02/oradata/SALES/control01.ctl", 1142 * 16384)]


def test_reads_where_logs_are_archived() -> None:
    """A directory; what is on another machine is a row that says so, and what is not set is nothing."""
    assert [(row.kind, row.path, bool(row.problem)) for row in rows(SPOOL) if row.role == c.ARCHIVE] == [
        (c.DIRECTORY, "/arch/SALES", False),
        ("", "standby_tns", True),
    ]


def test_counters_are_passed_over() -> None:
    """Rows of V$IOSTAT_FILE and V$FILESTAT are no files, and nothing strange."""
    text = "FILE#,TS#,NAME\n7,0,/a\n\nFILE#,PHYRDS,PHYWRTS,READTIM\n7,10,20,3\n"
    found = oracle_catalogue.parse(text, "x.csv")
    assert ([row.path for row in found.containers], [note for note in found.notes if note.unread]) == (
        ["/a"],
        [],
    )


def test_joins_files_with_tablespaces_by_number() -> None:
    """V$DATAFILE has only the number; in a multitenant database it is one of its container."""
    text = "FILE#,CON_ID,TS#,NAME\n7,1,0,/a\n8,2,0,/b\n9,2,5,/c\n\nCON_ID,TS#,NAME\n1,0,SYSTEM\n2,0,PDBSYS\n"
    assert [(row.tablespace, row.path) for row in rows(text)] == [
        ("SYSTEM", "/a"),
        ("PDBSYS", "/b"),
        ("#5", "/c"),
    ]


def test_tells_temp_files_by_the_query_or_the_name_of_the_spool() -> None:
    """The view of temp files looks like that of data files."""
    table = "FILE_NAME,TABLESPACE_NAME\n/a,T\n"
    asked = "SQL> select file_name, tablespace_name from sys.dba_temp_files;\n"
    found = [
        rows(table)[0].role,
        rows(f"{asked}{table}")[0].role,
        rows(table, "dba_temp_files.csv")[0].role,
        rows(table, "dba_data_files.csv")[0].role,
    ]
    assert found == [c.UNKNOWN, c.TEMP, c.TEMP, c.DATA]


def test_says_when_undo_is_not_told_from_data() -> None:
    """It needs the contents of tablespaces."""
    notes = oracle_catalogue.parse("FILE_NAME,TABLESPACE_NAME\n/a,T\n", "x.csv").notes
    assert [note.text.split()[0] for note in notes] == ["undo"]


def test_keeps_a_row_that_it_cannot_read() -> None:
    """It has a problem and its line."""
    assert [(row.line, row.problem) for row in rows("FILE_NAME,TABLESPACE_NAME\n/a\n")] == [
        (2, "1 fields under 2 columns: '/a'")
    ]


def test_reports_a_file_that_is_listed_twice() -> None:
    """It counts once."""
    found = oracle_catalogue.parse("FILE_NAME,TABLESPACE_NAME\n/a,T\n/a,T\n", "x.csv")
    assert (len(found.containers), sum("already" in note.text for note in found.notes)) == (1, 1)


def test_recognises_its_format() -> None:
    """By a heading of a view with files."""
    texts = (SPOOL, "GROUP#;MEMBER\n", "NAME,CONTENTS", "file_name tablespace_name")
    assert [oracle_catalogue.recognise(text) for text in texts] == [True, True, False, False]


@given(st.integers(0, len(SPOOL)), st.integers(0, 80), st.text(max_size=10))
def test_survives_damage(place: int, length: int, put: str) -> None:
    """A spool that is cut or overwritten is read as far as it goes."""
    rows(SPOOL[:place] + put + SPOOL[place + length :])
