from __future__ import annotations

import glob
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import csv_listing, postgresql
from zmon.listing.containers import DIRECTORY, RELATIVE, Container, Options
from zmon.listing.listing import read_listing
from zmon.listing.servers import ServerError, parse_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.listing.conftest import Home

psycopg = pytest.importorskip("psycopg", reason="psycopg 3 or libpq is not installed", exc_type=ImportError)

OBJECTS = """
CREATE TABLESPACE "Odd ""Ts" LOCATION '{odd}';
CREATE TABLESPACE one LOCATION '{one}';
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE within LOCATION '';
CREATE TABLE t (i int PRIMARY KEY, x text) TABLESPACE one;
CREATE INDEX ti ON t (x) TABLESPACE "Odd ""Ts";
CREATE UNLOGGED TABLE unlogged TABLESPACE within AS SELECT 1 AS i;
CREATE INDEX "un ""logged" ON unlogged (i) TABLESPACE within;
INSERT INTO t SELECT i, repeat('x', 200) FROM generate_series(1, 2000) i;
VACUUM t;
CREATE DATABASE "other db" TABLESPACE one;
CREATE ROLE small LOGIN;
\\connect "other db"
CREATE TABLE u AS SELECT 1 AS i;
CREATE TABLE d TABLESPACE pg_default AS SELECT 1 AS i;
CHECKPOINT;
"""


class Cluster:
    """A PostgreSQL of our own."""

    def __init__(self, home: Home, programs: Path) -> None:
        self.home = home
        self.programs = programs
        self.data = home.path / "data dir"

    def url(self, database: str = "", user: str = "zmon", password: str = "") -> str:
        """Return its address."""
        return f"postgresql://{user}:{password}@/{database}?host={self.home.path}"

    def psql(self, database: str, *arguments: str, words: str | None = None) -> str:
        """Return what psql prints."""
        program = self.programs / "psql"
        there = ("-h", self.home.path, "-U", "zmon", "-d", database)
        return self.home.run(program, "-XqAt", "-v", "ON_ERROR_STOP=1", *there, *arguments, words=words)


@pytest.fixture(scope="module")
def cluster(home: Home) -> Iterator[Cluster]:
    """Start a server with two databases and tablespaces, one of them inside the data directory."""
    # Debian keeps the servers of each version out of everybody's path
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [shutil.which("initdb") or ""]
    programs = Path(found[-1]).resolve().parent
    if not all(shutil.which(program, path=programs) for program in ("initdb", "pg_ctl", "psql")):
        pytest.skip("no PostgreSQL here: apt install postgresql")
    made = Cluster(home, programs)
    log = home.path / "wal disk"
    home.run(programs / "initdb", "-D", made.data, "-X", log, "-A", "trust", "-U", "zmon", "--no-sync")
    settings = f"-c listen_addresses='' -c unix_socket_directories={home.path} -c fsync=off"
    control = made.programs / "pg_ctl"
    home.run(control, "-w", "-D", made.data, "-l", home.path / "log", "-o", settings, "start")
    try:
        odd, one = home.directory('odd "disk'), home.directory("one disk")
        made.psql("postgres", words=OBJECTS.format(odd=odd, one=one))
        yield made
    finally:
        home.run(control, "-w", "-D", made.data, "-m", "immediate", "stop")


@pytest.fixture(scope="module")
def listed(cluster: Cluster) -> tuple[Container, ...]:
    """All that the server lists."""
    return postgresql.read_postgresql(parse_server(cluster.url())).containers


def of(rows: tuple[Container, ...], table: str) -> list[Container]:
    """Return the files of a table, the main ones first."""
    return sorted((row for row in rows if row.table == table), key=lambda row: row.path)


def test_every_file_is_on_the_disk_that_its_tablespace_names(
    cluster: Cluster, listed: tuple[Container, ...]
) -> None:
    """A path leads, through the server's own links, to the directory the tablespace was created on."""
    (index,) = of(listed, "public.ti")
    assert index.tablespace == 'Odd "Ts'
    assert os.path.realpath(index.located).startswith(f'{cluster.home.path}/odd "disk/PG_')


def test_sizes_are_those_of_the_files(listed: tuple[Container, ...]) -> None:
    """What the catalogue says of a file that nobody writes is what the file system says."""
    files = of(listed, "public.t")
    assert len(files) >= 3  # the main fork, free space map, visibility map
    assert [row.bytes_declared for row in files] == [os.path.getsize(row.located) for row in files]


def test_nothing_on_disk_is_missing(cluster: Cluster, listed: tuple[Container, ...]) -> None:
    """Every file of tables and indexes that holds anything is listed, or in a listed directory."""
    given_up = {row.located for row in listed if row.kind == "directory"}
    names = {row.located for row in listed if row.kind == "file"}
    base = cluster.data / "base"
    on_disk = {
        f"{directory}/{name}"
        for top in (base, *(cluster.data / "pg_tblspc").glob("*/PG_*"))
        for directory, _, files in os.walk(top)
        for name in files
        if name[0].isdigit() and directory not in given_up and os.path.getsize(f"{directory}/{name}")
    }
    assert on_disk
    assert on_disk <= names


def test_a_table_without_a_tablespace_is_in_that_of_its_database(listed: tuple[Container, ...]) -> None:
    """`reltablespace` 0 is the default tablespace of the database, not pg_default."""
    (table,) = of(listed, "public.u")
    assert (table.database, table.tablespace) == ("other db", "one")


def test_a_table_may_be_in_pg_default_by_name(listed: tuple[Container, ...]) -> None:
    """In a database with another default tablespace, pg_default is one like others."""
    (table,) = of(listed, "public.d")
    assert (table.database, table.tablespace) == ("other db", "pg_default")


def test_an_index_is_an_index(listed: tuple[Container, ...]) -> None:
    """The catalogue declares the roles."""
    assert {row.role for row in of(listed, "public.ti")} == {"index"}
    assert {row.role for row in of(listed, "public.t")} == {"data"}


def test_the_log_is_where_its_link_leads(cluster: Cluster, listed: tuple[Container, ...]) -> None:
    """The write-ahead log has the role log, and its link is kept for the lookup to follow."""
    (log,) = (row for row in listed if row.role == "log")
    assert log.kind == "directory"
    assert os.path.realpath(log.located) == str(cluster.home.path / "wal disk")


def test_a_tablespace_inside_the_data_directory_is_found(listed: tuple[Container, ...]) -> None:
    """An in-place tablespace has no location, and its tables have files all the same."""
    files = of(listed, 'public."un ""logged"')
    assert [row.path[-5:] == "_init" for row in files] == [False, True]
    assert all(os.path.exists(row.located) for row in files)


def test_what_all_databases_share_is_listed_once(listed: tuple[Container, ...]) -> None:
    """The catalogues in pg_global are of no database."""
    shared = [row for row in listed if row.tablespace == "pg_global"]
    assert shared
    assert {row.database for row in shared} == {""}
    assert len({row.path for row in shared}) == len(shared)


def test_a_template_that_nobody_connects_to_is_its_directory(listed: tuple[Container, ...]) -> None:
    """A database that cannot be asked is not left out."""
    (template,) = (row for row in listed if row.database == "template0")
    assert template.kind == "directory"
    assert os.path.isfile(f"{template.located}/PG_VERSION")


def test_the_database_of_the_address_is_enough(cluster: Cluster) -> None:
    """Who names a database gets its files, and what belongs to all."""
    found = postgresql.read_postgresql(parse_server(cluster.url("other%20db")))
    assert {row.database for row in found.containers} == {"", "other db"}


def test_a_server_behind_a_socket_is_of_this_machine(cluster: Cluster) -> None:
    """Nobody needs to be warned of a server that listens on a socket here."""
    found = read_listing(cluster.url("postgres"))
    assert [host for _source, host in found.hosts] == [os.uname().nodename]
    assert found.notes == ()
    assert {found.product(row) for row in found.containers} == {"postgresql"}


def test_psql_spools_what_the_server_tells(cluster: Cluster, listed: tuple[Container, ...]) -> None:
    """The query of the documents, run by psql --csv, is a plain listing of the same files."""
    spool = cluster.psql("other db", "-P", "tuples_only=off", "--csv", "-c", postgresql.FILES)
    found = csv_listing.parse(spool).containers
    wanted = {
        row[:-1] for row in map(_bare, listed) if row.database in {"other db", ""} and row.kind == "file"
    }
    assert {row[:-1] for row in map(_bare, found)} == wanted


def _bare(row: Container) -> Container:
    return row._replace(source="", line=0, kind="file" if row.kind != "directory" else row.kind)


def test_psql_spools_the_tablespaces(cluster: Cluster) -> None:
    """Without a connection per database there are at least the directories."""
    spool = cluster.psql("postgres", "-P", "tuples_only=off", "--csv", "-c", postgresql.TABLESPACES)
    assert postgresql.recognise(spool)
    found = postgresql.parse(spool, "spool", Options(base_dir=str(cluster.data)))
    places = {row.tablespace: row.located for row in found.containers}
    assert places["one"] == str(cluster.home.path / "one disk")
    assert places["pg_default"] == str(cluster.data / "base")
    assert all(os.path.isdir(place) for place in places.values())


def test_the_directory_tells_most_of_it(cluster: Cluster) -> None:
    """Without the server there are the directories of all tablespaces, wherever they are, and the log."""
    found = read_listing(str(cluster.data)).containers
    places = {os.path.realpath(row.located) for row in found}
    home = cluster.home.path
    assert {f"{home}/one disk", f'{home}/odd "disk', f"{home}/wal disk", f"{cluster.data}/base"} <= places
    assert [row.role for row in found if row.located.endswith("pg_wal")] == ["log"]


def test_a_large_table_is_a_file_per_segment(cluster: Cluster) -> None:
    """Segments are numbered from the second, and together as large as the table."""
    query = postgresql.FILES.replace("pg_size_bytes(current_setting('segment_size'))", "65536::bigint")
    found = csv_listing.parse(
        cluster.psql("postgres", "-P", "tuples_only=off", "--csv", "-c", query)
    ).containers
    main = [row for row in of(found, "public.t") if not row.path.endswith(("_fsm", "_vm"))]
    assert [row.path.rpartition("/")[2].partition(".")[2] for row in main[:3]] == ["", "1", "2"]
    (whole,) = (row for row in of(_all(cluster), "public.t") if row.path == main[0].path)
    assert sum(row.bytes_declared or 0 for row in main) == whole.bytes_declared


def _all(cluster: Cluster) -> tuple[Container, ...]:
    return postgresql.read_postgresql(parse_server(cluster.url("postgres"))).containers


def test_a_locked_table_is_not_waited_for(cluster: Cluster) -> None:
    """Sizes of a table under an exclusive lock are those of the last VACUUM, and that is said."""
    with psycopg.connect(cluster.url("postgres")) as holder:
        holder.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
        found = postgresql.read_postgresql(parse_server(cluster.url("postgres")))
    assert any("lock timeout" in note.text for note in found.notes)
    assert of(found.containers, "public.t")[0].bytes_declared


def test_temporary_tables_are_temporary(cluster: Cluster) -> None:
    """A temporary table of any session has the role temp."""
    with psycopg.connect(cluster.url("postgres")) as holder:
        holder.execute("CREATE TEMP TABLE brief AS SELECT 1 AS i")
        holder.commit()
        found = _all(cluster)
    assert {row.role for row in found if row.table.endswith(".brief")} == {"temp"}


def test_a_user_without_rights_is_told_which(cluster: Cluster) -> None:
    """Who may not see data_directory gets relative paths, and how to have them resolved."""
    found = postgresql.read_postgresql(parse_server(cluster.url("postgres", "small")))
    assert {row.problem for row in found.containers} == {RELATIVE}
    assert any("pg_read_all_settings" in note.text for note in found.notes)


def test_a_user_without_rights_may_name_the_directory(cluster: Cluster) -> None:
    """With the base directory the paths are whole."""
    found = postgresql.read_postgresql(parse_server(cluster.url("postgres", "small")), (), str(cluster.data))
    assert all(os.path.lexists(row.located) for row in found.containers)


def test_the_session_cannot_write(cluster: Cluster) -> None:
    """Whatever a statement says, the session is for reading."""
    with (
        postgresql._session(parse_server(cluster.url()), "postgres") as ask,
        pytest.raises(ServerError, match="read-only transaction"),
    ):
        ask("CREATE TABLE never (i int)")


@pytest.mark.parametrize("driver", ["psycopg", "pg8000"])
def test_a_password_is_in_no_message(cluster: Cluster, driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong is told without what nobody may see."""
    if driver == "pg8000":
        monkeypatch.setitem(sys.modules, "psycopg", None)
    address = cluster.url("none-such", password="s3cret")  # noqa: S106 - it is the password of nobody
    with pytest.raises(ServerError, match="none-such") as caught:
        postgresql.read_postgresql(parse_server(address))
    assert "s3cret" not in str(caught.value)


def test_the_other_driver_gives_the_same(
    cluster: Cluster, listed: tuple[Container, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no libpq, pg8000 answers."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert postgresql.read_postgresql(parse_server(cluster.url())).containers == listed


def test_an_unknown_database_is_told_with_those_there_are(cluster: Cluster) -> None:
    """A name that is wrong in the options has the right ones beside it."""
    with pytest.raises(ServerError, match=r"no database 'typo'; there are other db, postgres"):
        postgresql.read_postgresql(parse_server(cluster.url()), ("postgres", "typo"))


def test_no_server_is_a_sentence() -> None:
    """A server that is not there is told with its address."""
    with pytest.raises(ServerError, match=r"^postgresql://zmon@/\?host=/nowhere: "):
        postgresql.read_postgresql(parse_server("postgresql://zmon@/?host=/nowhere"))


def test_no_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any driver there are two ways: install one, or spool."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setitem(sys.modules, "pg8000", None)
    with pytest.raises(ServerError, match=r"python3-psycopg .*psql"):
        postgresql.read_postgresql(parse_server("postgresql://localhost"))


def test_an_option_that_is_none_is_refused() -> None:
    """An option of the address goes to libpq alone, never to the driver."""
    with pytest.raises(ServerError, match="row_factory"):
        postgresql.read_postgresql(parse_server("postgresql:///?row_factory=x"))


@given(st.text() | st.builds("oid,spcname,pg_tablespace_location\n{}".format, st.text()))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Of any text there are containers, or a ValueError."""
    try:
        postgresql.parse(text)
    except ValueError:
        return


# statements

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
    found = postgresql.parse_ddl(DUMP.replace("E'", "'"), "d")
    assert postgresql.recognise_ddl(DUMP)
    assert [(row.tablespace, row.path, row.kind, row.line) for row in found.containers] == [
        ("ts1", "/db/d07/ts1", DIRECTORY, 5), ("Odd name", "/db/odd", DIRECTORY, 7),
        ("new", "/db/old", DIRECTORY, 10),
    ]  # fmt: skip
    assert found.notes == ()


def test_what_is_not_understood_is_told() -> None:
    """With its line."""
    right = "CREATE TABLESPACE a LOCATION '/a';\n"
    found = postgresql.parse_ddl(
        f"{right}CREATE TABLESPAC b LOCATION '/b';\nCREATE TABLESPACE c LOKATION '/c';\n", "d"
    )
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
    postgresql.parse_ddl(text, "x")


# the data directory


def test_tablespaces_of_postgresql_are_links(tmp_path: Path) -> None:
    """A tablespace has its number for a name."""
    for name in ("base", "global", "pg_tblspc", "pg_wal"):
        (tmp_path / name).mkdir()
    (tmp_path / "PG_VERSION").write_text("15\n")
    (tmp_path / "pg_tblspc" / "16385").symlink_to("/far/one disk")
    found = postgresql.read_data_directory(str(tmp_path))
    rows = {row.tablespace: (row.role, row.located) for row in found.containers}
    assert rows["16385"] == ("data", f"{tmp_path}/pg_tblspc/16385")
    assert rows["pg_wal"][0] == "log"
    assert found.host == os.uname().nodename


@pytest.mark.parametrize(
    ("version", "made", "counted", "others"),
    [
        ("16\n", ["PG_14_202107181", "PG_16_202307071"], ["PG_16_202307071"], 1),
        ("9.6\n", ["PG_9.5_201510051", "PG_9.6_201608131"], ["PG_9.6_201608131"], 1),
        ("16\n", ["PG_16_202307071", "PG_16_202306141"], [""], 0),
        ("17\n", ["PG_16_202307071"], [""], 0),
        ("", ["PG_16_202307071"], [""], 0),
    ],
)
def test_what_another_version_left_in_a_tablespace_is_not_of_this_server(
    tmp_path: Path, version: str, made: list[str], counted: list[str], others: int
) -> None:
    """An upgrade keeps its files beside the new ones; a note names them, and without own ones all count."""
    for name in ("base", "global", "pg_wal", *(f"pg_tblspc/16400/{name}" for name in made)):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "PG_VERSION").write_text(version)
    content = postgresql.read_data_directory(str(tmp_path))
    paths = [row.path for row in content.containers if row.tablespace == "16400"]
    assert paths == ["/".join(filter(None, ("pg_tblspc/16400", name))) for name in counted]
    assert len(content.notes) == 1 + others
