from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import container as c
from zmon.listing import db2pd
from zmon.listing.container import Container

LISTINGS = Path(__file__).parents[1] / "fixtures/listings"
NEW = (LISTINGS / "db2pd-11.txt").read_text()
OLD = (LISTINGS / "db2pd-9.txt").read_text()


def rows(text: str) -> tuple[Container, ...]:
    return db2pd.parse(text, "x.txt").containers


def test_reads_names_and_paths_with_blanks() -> None:
    """The last column is whatever is left of the line."""
    assert [(row.tablespace, row.path) for row in rows(NEW)][3:] == [
        ("TS ORDERS", "/db2/d01/orders 1.dat"),
        ("TS ORDERS", "/dev/vgdb/rorders"),
    ]


def test_reads_columns_by_their_names() -> None:
    """Older versions have fewer of them."""
    (row,) = rows(OLD)
    assert row == Container(
        database="OLDDB", tablespace="USERSPACE1", spelled="USERSPACE1", container_id=0, partition=3,
        kind=c.FILE, path="/old/d03/user1", bytes_declared=8192 * 4096,
        role=c.DATA, stripe_set=0,
        extent_bytes=32 * 4096, source="x.txt", line=9,
    )  # fmt: skip


def test_skips_a_block_without_rows() -> None:
    """The block of containers may come twice, once empty."""
    assert len(rows(NEW)) == 5


def test_tells_temporary_tablespaces() -> None:
    """By their content."""
    assert {row.tablespace for row in rows(NEW) if row.role == c.TEMP} == {"TEMPSPACE1"}


def test_keeps_a_row_that_it_cannot_read() -> None:
    """It has a problem and its line."""
    cut = OLD[: OLD.index("8160")]
    assert [(row.line, bool(row.problem)) for row in rows(cut)] == [(9, True)]


def test_tells_members_apart() -> None:
    """Each has its tablespaces and containers."""
    other = OLD.replace("Partition 3", "Partition 4").replace("USERSPACE1", "OTHER")
    assert [(row.partition, row.tablespace) for row in rows(OLD + other)] == [(3, "USERSPACE1"), (4, "OTHER")]


def test_recognises_its_format() -> None:
    """By the heading of a block."""
    assert (db2pd.recognise(NEW), db2pd.recognise(OLD), db2pd.recognise("Address Id\n")) == (
        True,
        True,
        False,
    )


@given(st.integers(0, len(NEW)), st.integers(0, 80), st.text(max_size=10))
def test_survives_damage(place: int, length: int, put: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes."""
    rows(NEW[:place] + put + NEW[place + length :])
