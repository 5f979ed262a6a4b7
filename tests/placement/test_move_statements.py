from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("product", "said"),
    [
        (DB2, "ALTER TABLESPACE TS1 ADD (FILE '<a path on LCU 2>' 3 M)"),
        (ORACLE, "ALTER DATABASE MOVE DATAFILE '/db/t1' TO '<a path on LCU 2>'"),
        (POSTGRESQL, """CREATE TABLESPACE "TS1_2" LOCATION '<a path on LCU 2>'"""),
        (MARIADB, "CREATE TABLE <new> (...) DATA DIRECTORY='<a path on LCU 2>'"),
        ("", "# stop the database, then: cp -a /db/t1 '<a path on LCU 2>'"),
    ],
)  # fmt: skip
def test_each_database_has_its_own(product: str, said: str) -> None:
    """The first statement of each."""
    assert move_statements(product, move())[0] == said


@pytest.mark.parametrize(
    ("product", "said"),
    [
        (DB2, "UPDATE DB CFG FOR PROD USING NEWLOGPATH '<a path on LCU 2>'"),
        (ORACLE, "ALTER DATABASE ADD LOGFILE MEMBER '<a path on LCU 2>' TO GROUP <group>"),
        (POSTGRESQL, "# stop the server, move pg_wal there and leave a link: ln -s '<a path on LCU 2>'"),
        (MARIADB, "innodb_log_group_home_dir = <a path on LCU 2>  # in my.cnf, after a clean stop"),
        ("", "# stop the database, then: cp -a /db/t1 '<a path on LCU 2>'"),
    ],
)  # fmt: skip
def test_logs_are_moved_otherwise(product: str, said: str) -> None:
    """They belong to no tablespace."""
    assert move_statements(product, move(role="log"))[0] == said


@pytest.mark.parametrize(
    ("role", "said"),
    [
        (
            "temp",
            [
                "ALTER TABLESPACE TS1 ADD TEMPFILE '<a path on LCU 2>' SIZE 3M",
                "ALTER TABLESPACE TS1 DROP TEMPFILE '/db/t1'",
            ],
        ),
        (
            "control",
            [
                "ALTER SYSTEM SET CONTROL_FILES = <the others>, '<a path on LCU 2>' SCOPE = SPFILE",
                "SHUTDOWN IMMEDIATE",
            ],
        ),
        (
            "archive",
            ["ALTER SYSTEM SET LOG_ARCHIVE_DEST_<n> = 'LOCATION=<a path on LCU 2>' SCOPE = BOTH"],
        ),
    ],
)
def test_oracle_moves_each_sort_of_file_otherwise(role: str, said: list[str]) -> None:
    """MOVE DATAFILE is for data files alone, LOGFILE MEMBER for redo logs."""
    found = move_statements(ORACLE, move(role=role))
    assert [line for line in found if not line.startswith("--")] == said


def test_who_manages_the_space_decides_what_moves_a_container() -> None:
    """Db2 refuses to add a file to a tablespace of directories; if unknown, no statement is right."""
    storages = (containers.DMS, containers.AUTOMATIC, containers.SMS, "")
    found = [product_of(DB2, storage) for storage in storages]
    assert found == [DB2, DB2_AUTOMATIC, DB2_SMS, DB2_UNKNOWN]
    assert product_of(ORACLE, "") == ORACLE
    assert all(line.startswith("--") for line in move_statements(DB2_UNKNOWN, move()))
    assert "DEVICE" in move_statements(DB2_UNKNOWN, move("/dev/dasdl1"))[0]


def test_automatic_storage_has_no_containers_of_its_own() -> None:
    """Db2 refuses to add and drop them: a storage path takes their place; its logs are not affected."""
    item = move().item._replace(pinned=Hindrance.AUTOMATIC)
    assert instead(item)[:2] == (
        "ALTER STOGROUP <storage group of TS1> ADD '<a path on the other units>'",
        "ALTER TABLESPACE TS1 REBALANCE",
    )
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


def test_what_holds_no_table_of_its_own_is_moved_otherwise() -> None:
    """The system tablespace of InnoDB by its option; the catalogs of PostgreSQL not at all."""
    assert move_statements(MARIADB, move(space="innodb_system"))[0].startswith("innodb_data_home_dir = <a")
    assert move_statements(POSTGRESQL, move(space="pg_global"))[0].startswith("-- catalogs")


def test_a_raw_device_is_replaced_by_one() -> None:
    """Db2 names its sort."""
    found = move_statements(DB2, move("/dev/dasdl1"))
    assert found[1] == "ALTER TABLESPACE TS1 DROP (DEVICE '/dev/dasdl1')"


def test_a_file_on_a_logical_volume_is_moved_by_lvm() -> None:
    """Only there: a partition has no extents that pvmove could move."""
    one = move()
    on = one._replace(item=one.item._replace(logical_volume="vg/data"))
    assert move_statements("", on)[0] == "pvmove -n vg/data <disk on LCU 6> <disk on LCU 2>"


def test_asm_moves_disks() -> None:
    """A file of ASM has no place of its own."""
    assert move_statements(ORACLE, move("+DATA/p/t.1.2"))[0].startswith("ALTER DISKGROUP DATA ADD DISK")
    assert move_statements(ORACLE, move("+DATA (USERS)"))[0].startswith("ALTER DISKGROUP DATA ADD DISK")


def test_quotes_are_doubled() -> None:
    """In names and in strings, so that a name ends where it should."""
    assert move_statements(ORACLE, move("/o'brien"))[0].startswith(
        "ALTER DATABASE MOVE DATAFILE '/o''brien' TO"
    )
    assert move_statements(DB2, move(space='a"b'))[1] == """ALTER TABLESPACE "a""b" DROP (FILE '/db/t1')"""


def test_a_table_of_mariadb_is_quoted_in_parts() -> None:
    """The schema, and the table."""
    assert "copy the rows of `shop`.`o'x` to it" in move_statements(MARIADB, move(space="shop/o'x"))[1]


@pytest.mark.parametrize("product", [DB2, ORACLE, POSTGRESQL, MARIADB, ""])
def test_no_statement_holds_what_a_terminal_obeys(product: str) -> None:
    """A line end in a name would begin another statement."""
    for hostile in (move("/a\n; DROP"), move(space="\x1b[2J")):
        assert all(line.isprintable() for line in move_statements(product, hostile))
