from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import container as c
from zmon.listing import db2_list

if TYPE_CHECKING:
    from zmon.listing.container import Container

LISTING = (Path(__file__).parents[1] / "fixtures/listings/db2-list.txt").read_text()


def rows(text: str) -> tuple[Container, ...]:
    return db2_list.parse(text, "x.txt").containers


def containers(number: int, path: str) -> str:
    return (
        f"            Tablespace Containers for Tablespace {number}\n\n"
        f" Container ID                         = 0\n Name                                 = {path}\n"
        " Type                                 = File\n Total pages                          = 10\n"
    )


def test_joins_containers_with_their_tablespace() -> None:
    """The number in the heading is that of the list."""
    assert [(row.tablespace, row.container_id, row.path) for row in rows(LISTING) if row.path] == [
        ("TS ORDERS", 0, "/db2/d01/part=1/orders 1.dat"),
        ("TS ORDERS", 1, "/dev/vgdb/rorders"),
        ("TEMPSPACE1", 0, "/db2/tmp/a"),
        ("TEMPSPACE1", 1, "/db2/tmp/b"),
    ]


def test_tells_sizes_in_bytes() -> None:
    """Pages of a container times the page size of the tablespace; of a directory nothing."""
    assert [(row.kind, row.bytes_declared, row.extent_bytes) for row in rows(LISTING)][1:3] == [
        (c.DEVICE, 65536 * 8192, 32 * 8192),
        (c.DIRECTORY, None, 32 * 4096),
    ]


def test_tells_temporary_tablespaces() -> None:
    """By their contents."""
    assert {row.tablespace: row.role for row in rows(LISTING)} == {
        "SYSCATSPACE": c.DATA, "TEMPSPACE1": c.TEMP, "TS ORDERS": c.DATA,
    }  # fmt: skip


def test_keeps_a_tablespace_whose_containers_are_not_listed() -> None:
    """It is a row that says what to run."""
    assert [(row.tablespace, row.line) for row in rows(LISTING) if "FOR 0 SHOW DETAIL" in row.problem] == [
        ("SYSCATSPACE", 13)
    ]


def test_keeps_containers_whose_tablespace_is_not_listed() -> None:
    """They have the number, and a note says what is needed."""
    found = db2_list.parse(containers(7, "/a"), "x.txt")
    assert (found.containers[0].tablespace, len(found.notes)) == ("#7", 1)


def test_names_the_database() -> None:
    """The answer to CONNECT does, or the command."""
    text = f"$ db2 connect to other\n{containers(7, '/a')}"
    assert (db2_list.parse(LISTING, "x").database, db2_list.parse(text, "x").database) == ("SHOPDB", "OTHER")


def test_tells_databases_apart() -> None:
    """Numbers are of the database that was connected to last."""
    text = "".join(f"connect to {name}\n{containers(7, '/a')}" for name in ("one", "two"))
    assert [row.database for row in rows(text)] == ["ONE", "TWO"]


def test_reads_partitions() -> None:
    """A listing may be of one partition of the database."""
    head = " Tablespaces for Database Partition 3\n Tablespace ID = 7\n Name = T\n Page size (bytes) = 8192\n"
    listed = containers(7, "/a").replace("Tablespace 7", "Tablespace 7 on Partition 3")
    assert [(row.partition, row.tablespace, row.bytes_declared) for row in rows(head + listed)] == [
        (3, "T", 81920)
    ]


def test_reports_what_is_listed_twice() -> None:
    """It counts once."""
    found = db2_list.parse(containers(7, "/a") * 2, "x.txt")
    assert (len(found.containers), [note.line for note in found.notes if "already" in note.text]) == (1, [9])


def test_notes_what_is_not_accessible() -> None:
    """The container stays."""
    assert [note.line for note in db2_list.parse(LISTING, "x").notes] == [75]


def test_recognises_its_format() -> None:
    """By either heading."""
    found = [db2_list.recognise(text) for text in (LISTING, containers(1, "/a"), "x = y")]
    assert found == [True, True, False]


@given(
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n"), min_size=1, max_size=30)
)
def test_reads_any_path(name: str) -> None:
    """Equal signs and blanks are of the path."""
    assert [row.path for row in rows(containers(7, "/" + name))] == ["/" + name]


@given(st.integers(0, len(LISTING)), st.integers(0, 80), st.text(max_size=10))
def test_survives_damage(place: int, length: int, put: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes."""
    rows(LISTING[:place] + put + LISTING[place + length :])
