from __future__ import annotations

from io import BufferedReader, BytesIO, StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.listing import ListingError, read_listing
from zmon.listing.typed import is_drawn, rows_of

DB = """\
                                  List of tablespaces
    Name    |  Owner   |   Location    | Access privileges | Options |  Size  | Description
------------+----------+---------------+-------------------+---------+--------+-------------
 pg_default | postgres |               |                   |         | 22 MB  |
 pg_global  | postgres |               |                   |         | 600 kB |
 ts1        | app      | /db/d07/ts1   | app=C/app        +|         | 53 GB  | orders
            |          |               | reader=C/app      |         |        |
 ts 2       | app      | /db/d08/ts, 2 |                   |         | 1 GB   |
(4 rows)
"""
MYSQL = """\
+-----------+-----------------+-----------+
| NAME      | FILENAME        | FILE_SIZE |
+-----------+-----------------+-----------+
| shop/sold | ./shop/sold.ibd |    114688 |
| shop/left | /db/left.ibd    |     98304 |
+-----------+-----------------+-----------+
2 rows in set (0.00 sec)
"""
ALIGNED = """\
  oid  |  spcname   | pg_tablespace_location
-------+------------+------------------------
  1663 | pg_default |
 16390 | ts1        | /db/ts1
(2 rows)
"""


def read(text: str) -> list[tuple[str, str, int]]:
    found = read_listing("-", standard_input=BufferedReader(BytesIO(text.encode())))
    assert found.unread == ()
    return [(row.tablespace, row.path, row.line) for row in found.containers]


def test_tablespaces_that_psql_lists_are_read() -> None:
    r"""`\db+` has all that is needed; rights that go over lines are no rows."""
    assert read(DB) == [
        ("pg_default", "base", 4), ("pg_global", "global", 5), ("ts1", "/db/d07/ts1", 6),
        ("ts 2", "/db/d08/ts, 2", 8),
    ]  # fmt: skip


def test_a_query_in_the_usual_form_of_psql_is_read() -> None:
    """As well as with --csv."""
    assert read(ALIGNED) == [("pg_default", "base", 3), ("ts1", "/db/ts1", 4)]


def test_a_table_with_borders_is_read() -> None:
    """As the client of MariaDB draws it."""
    assert read(MYSQL) == [("shop/sold", "./shop/sold.ibd", 4), ("shop/left", "/db/left.ibd", 5)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "\nFILE_NAME\n------------------------------\nTABLESPACE_NAME\n-----------------\n/db/x\n",
            "MARKUP CSV",
        ),
        ("total 0\nlrwxrwxrwx 1 postgres postgres 7 Jan 1 10:00 16390 -> /db/ts1\n", "data directory itself"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_to_give(text: str, words: str) -> None:
    """In one sentence, before the list of formats."""
    with pytest.raises(ListingError, match=words):
        read(text)


@pytest.mark.parametrize("text", ["a,b\n", "a|b\n", "-----\n", "a\n---+---\nb\n", "CREATE x; -- a+b | c\n"])
def test_other_texts_are_no_such_tables(text: str) -> None:
    """A border has bars above or below it."""
    assert not is_drawn(text)


@given(st.text('|+- \nab,"'))
def test_lines_keep_their_numbers(text: str) -> None:
    """There are as many as before."""
    lines = StringIO(text).readlines()
    assert len(list(rows_of(lines))) == len(lines)
    assert all(row.endswith("\n") and row.count("\n") == 1 for row in rows_of(lines))
