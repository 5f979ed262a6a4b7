from __future__ import annotations

import pytest

from tests.goldens import compare
from zmon.listing import containers
from zmon.placement.items import FileItem, Hindrance, Unit
from zmon.placement.move_statements import (
    DB2,
    DB2_AUTOMATIC,
    DB2_SMS,
    DB2_UNKNOWN,
    MARIADB,
    ORACLE,
    POSTGRESQL,
    instead,
    move_statements,
    product_of,
)
from zmon.placement.planner import Move


def move(name: str = "/db/t1", space: str = "TS1", role: str = "data") -> Move:
    item = FileItem(name, space, "PROD", role, {"6": 3 << 20})
    return Move(item, Unit("6", "LCU 6"), Unit("2", "LCU 2"), item.size, 1.0)


PRODUCTS = (DB2, DB2_AUTOMATIC, DB2_SMS, DB2_UNKNOWN, ORACLE, POSTGRESQL, MARIADB, "")
MOVES = (
    *((product, move(role=role)) for product in PRODUCTS for role in ("data", "log")),
    *((ORACLE, move(role=role)) for role in ("temp", "control", "archive")),
    (DB2, move("/dev/dasdl1")),
    (DB2_UNKNOWN, move("/dev/dasdl1")),
    (DB2, move(space='a"b')),
    (ORACLE, move("/o'brien")),
    (ORACLE, move("+DATA/p/t.1.2")),
    (ORACLE, move("+DATA (USERS)")),
    (POSTGRESQL, move(space="pg_global")),
    (MARIADB, move(space="innodb_system")),
    (MARIADB, move(space="shop/o'x")),
)


def test_each_database_has_its_own() -> None:
    """For each sort of file: tests/golden/said/statements.txt; names are quoted so that they end there."""
    lines = []
    for product, one in MOVES:
        lines.append(f"{product or 'any database'}: {one.item.role} {one.item.name} of {one.item.tablespace}")
        lines += [f"  {line}" for line in move_statements(product, one)]
    for pinned in (Hindrance.AUTOMATIC, Hindrance.MANAGED):
        lines.append(f"instead, {pinned.name}:")
        lines += [f"  {line}" for line in instead(move().item._replace(pinned=pinned))]
    compare("said/statements", lines)


def test_who_manages_the_space_decides_what_moves_a_container() -> None:
    """Db2 refuses to add a file to a tablespace of directories; if unknown, no statement is right."""
    storages = (containers.DMS, containers.AUTOMATIC, containers.SMS, "")
    found = [product_of(DB2, storage) for storage in storages]
    assert found == [DB2, DB2_AUTOMATIC, DB2_SMS, DB2_UNKNOWN]
    assert product_of(ORACLE, "") == ORACLE
    assert all(line.startswith("--") for line in move_statements(DB2_UNKNOWN, move()))


def test_automatic_storage_has_no_containers_of_its_own() -> None:
    """Db2 refuses to add and drop them: a storage path takes their place; its logs are not affected."""
    item = move().item._replace(pinned=Hindrance.AUTOMATIC)
    assert any("REBALANCE" in line for line in instead(item)[:2])
    assert move_statements(DB2_AUTOMATIC, move(role="log")) == move_statements(DB2, move(role="log"))


def test_a_temporary_tablespace_is_not_rebalanced() -> None:
    """Db2 refuses it; the new path is used when the database is activated."""
    item = move(role="temp").item._replace(pinned=Hindrance.AUTOMATIC)
    assert not any("REBALANCE" in line for line in instead(item)[:2])


def test_of_a_directory_of_db2_the_tables_are_moved() -> None:
    """No statement moves one of its files; a file that may be moved needs nothing instead."""
    assert "ADMIN_MOVE_TABLE" in instead(move().item._replace(pinned=Hindrance.MANAGED))[1]
    assert not instead(move().item)
    assert not instead(move().item._replace(pinned=Hindrance.PINNED))


def test_a_file_on_a_logical_volume_is_moved_by_lvm() -> None:
    """Only there: a partition has no extents that pvmove could move."""
    one = move()
    on = one._replace(item=one.item._replace(logical_volume="vg/data"))
    assert move_statements("", on)[0] == "pvmove -n vg/data <disk on LCU 6> <disk on LCU 2>"


@pytest.mark.parametrize("product", [DB2, ORACLE, POSTGRESQL, MARIADB, ""])
def test_no_statement_holds_what_a_terminal_obeys(product: str) -> None:
    """A line end in a name would begin another statement."""
    for hostile in (move("/a\n; DROP"), move(space="\x1b[2J")):
        assert all(line.isprintable() for line in move_statements(product, hostile))
