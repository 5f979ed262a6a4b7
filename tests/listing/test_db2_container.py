from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import container as c
from zmon.listing import db2_container
from zmon.listing.container import Container, Options

LISTINGS = Path(__file__).parents[1] / "fixtures/listings"
SPOOL = (LISTINGS / "mon_get_container.csv").read_text()
BARE = (LISTINGS / "db2-x.txt").read_text()


def rows(text: str) -> tuple[Container, ...]:
    return db2_container.parse(text, "x.csv").containers


def test_reads_names_with_quotes_and_commas() -> None:
    """They are quoted in the spool."""
    assert [(row.tablespace, row.path) for row in rows(SPOOL)][:2] == [
        ('TS "ODD", X', "/db2/d07/odd, one.dat"),
        ('TS "ODD", X', "/db2/d08/odd.dat"),
    ]


def test_counts_pages_in_their_size() -> None:
    """TBSP_PAGE_SIZE may be joined to the same row."""
    assert (rows(SPOOL)[0].bytes_declared, rows(SPOOL)[0].extent_bytes) == (40960 * 8192, 32 * 8192)


def test_takes_the_size_of_pages_from_another_table() -> None:
    """MON_GET_TABLESPACE may be in the same spool, after it too."""
    text = "TBSP_NAME,CONTAINER_NAME,TOTAL_PAGES\nT,/a,10\n\nTBSP_NAME,TBSP_PAGE_SIZE\nT,4096\n"
    assert [row.bytes_declared for row in rows(text)] == [40960]


def test_notes_pages_of_unknown_size() -> None:
    """It says what to join."""
    found = db2_container.parse("TBSP_NAME,CONTAINER_NAME,TOTAL_PAGES\nT,/a,10\n", "x.csv")
    assert (found.containers[0].bytes_declared, [note.line for note in found.notes]) == (None, [2])


def test_counts_what_was_read_and_written() -> None:
    """Bytes are pages and direct sectors; reads are vectored, block and single ones; times are summed."""
    assert rows(SPOOL)[0].traffic == c.Traffic(
        reads=20 + 5 + (1000 - 600 - 100),
        bytes_read=1000 * 8192 + 10 * 512,
        bytes_written=200 * 8192 + 4 * 512,
        read_ms=4003,
        write_ms=901,
    )


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
    """CONTAINER_UTILIZATION names partitions otherwise, and has the time."""
    text = "SNAPSHOT_TIMESTAMP,TBSP_NAME,CONTAINER_NAME,DBPARTITIONNUM\n2026-01-02-03.04.05,T,/a,3\n"
    (row,) = rows(text)
    assert (row.partition, row.traffic.when) == (3, "2026-01-02-03.04.05")


def test_gives_what_a_person_knows() -> None:
    """The database and where relative paths start."""
    (row,) = db2_container.parse(
        "TBSP_NAME,CONTAINER_NAME\nT,a\n", "x.csv", Options(database="D", base_dir="/b")
    ).containers
    assert (row.database, row.located) == ("D", "/b/a")


def test_recognises_its_format() -> None:
    """With and without a heading."""
    assert (
        db2_container.recognise(SPOOL),
        db2_container.recognise(BARE),
        db2_container.recognise("a\tb\tc\td\te\tf\n"),
    ) == (True, True, False)


@given(st.integers(0, len(SPOOL)), st.integers(0, 80), st.text(max_size=10))
def test_survives_damage(place: int, length: int, put: str) -> None:
    """A spool that is cut or overwritten is read as far as it goes."""
    rows(SPOOL[:place] + put + SPOOL[place + length :])
