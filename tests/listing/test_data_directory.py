from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from zmon.listing.data_directory import product, read_data_directory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def innodb(tmp_path: Path) -> Path:
    """A data directory with names as InnoDB gives them."""
    for name in (
        "ibdata1",
        "ib_logfile0",
        "undo001",
        "d/t.ibd",
        "d/my.MYD",
        "d/my.MYI",
        "d/db.opt",
        "my@002dd/a#P#x.ibd",
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"x")
    (tmp_path / "mysql").mkdir()
    (tmp_path / "d" / "far.isl").write_bytes(b"/far/d/far.ibd")
    return tmp_path


def test_an_instance_of_mariadb_is_known_by_its_names(innodb: Path) -> None:
    """The database mysql is there, and files of InnoDB or Aria."""
    assert product(str(innodb)) == "mariadb"


def test_a_directory_of_databases_is_none(tmp_path: Path) -> None:
    """What merely holds a directory mysql is no data directory."""
    (tmp_path / "mysql").mkdir()
    assert product(str(tmp_path)) == ""


def test_the_files_have_tables_and_roles(innodb: Path) -> None:
    """Data, index, undo and log, by the names that the engines give."""
    found = read_data_directory(str(innodb)).containers
    assert {(row.database, row.table, row.role, row.path) for row in found} == {
        ("", "", "data", "ibdata1"),
        ("", "", "log", "ib_logfile0"),
        ("", "", "undo", "undo001"),
        ("d", "t", "data", "d/t.ibd"),
        ("d", "my", "data", "d/my.MYD"),
        ("d", "my", "index", "d/my.MYI"),
        ("d", "far", "data", "/far/d/far.ibd"),
        ("my-d", "a", "data", "my@002dd/a#P#x.ibd"),
    }


def test_a_link_that_is_none_is_a_row_that_says_so(innodb: Path) -> None:
    """The table is not left out."""
    (innodb / "d" / "far.isl").write_bytes(b"\0")
    (row,) = (row for row in read_data_directory(str(innodb)).containers if row.table == "far")
    assert "no path" in row.problem


def test_tablespaces_of_postgresql_are_links(tmp_path: Path) -> None:
    """A tablespace has its number for a name, and its location beside it."""
    for name in ("base", "global", "pg_tblspc", "pg_wal"):
        (tmp_path / name).mkdir()
    (tmp_path / "PG_VERSION").write_text("15\n")
    (tmp_path / "pg_tblspc" / "16385").symlink_to("/far/one disk")
    found = read_data_directory(str(tmp_path))
    rows = {row.tablespace: (row.spelled, row.role, row.located) for row in found.containers}
    assert rows["16385"] == ("/far/one disk", "data", f"{tmp_path}/pg_tblspc/16385")
    assert rows["pg_wal"][1] == "log"
    assert found.host == os.uname().nodename
