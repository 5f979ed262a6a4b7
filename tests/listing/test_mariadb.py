from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import mariadb
from zmon.listing.containers import RELATIVE, Container, Options
from zmon.listing.listing import read_listing
from zmon.listing.servers import ServerError, parse_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.listing.conftest import Home

pymysql = pytest.importorskip("pymysql", reason="PyMySQL is not installed")

OBJECTS = """
CREATE DATABASE d;
CREATE DATABASE `odd table`;
CREATE DATABASE `dä`;
CREATE TABLE d.t1 (i int);
CREATE TABLE d.t2 (i int) DATA DIRECTORY = '{elsewhere}';
CREATE TABLE `odd table`.`x/y "z"` (i int);
CREATE TABLE d.p (i int) PARTITION BY RANGE (i) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20));
CREATE TABLE `dä`.`tö-ß` (i int, KEY (i)) ENGINE=MyISAM;
CREATE TABLE d.a (i int) ENGINE=Aria;
CREATE TABLE d.pm (i int) ENGINE=MyISAM PARTITION BY HASH (i) PARTITIONS 2;
CREATE USER small;
CREATE USER known IDENTIFIED BY 's3cret';
GRANT PROCESS ON *.* TO known;
"""  # noqa: E501 - a statement is a line
SECONDS_TO_START = 60.0


class Instance:
    """A MariaDB of our own."""

    def __init__(self, home: Home, programs: str) -> None:
        self.home = home
        self.client = shutil.which("mariadb", path=programs) or ""
        self.data = home.path / "data dir"
        self.system = home.path / "system"

    def url(self, database: str = "", user: str = "root") -> str:
        """Return its address."""
        return f"mariadb://{user}@/{database}?socket={self.home.path}/socket"

    def run(self, words: str) -> str:
        """Return what the client prints in batch mode."""
        there = ("--no-defaults", f"--socket={self.home.path}/socket", "-u", "root")
        return self.home.run(self.client, *there, "--default-character-set=utf8mb4", "-B", words=words)


@pytest.fixture(scope="module")
def instance(home: Home) -> Iterator[Instance]:
    """Start a server with system tablespace, undo tablespaces, a binary log, and tables of all engines."""
    programs = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/libexec"))
    server, install, client = (
        shutil.which(name, path=programs) for name in ("mariadbd", "mariadb-install-db", "mariadb")
    )
    if server is None or install is None or client is None:
        pytest.skip("no MariaDB here: apt install mariadb-server")
    made = Instance(home, programs)
    home.directory("system")
    files = (
        "--no-defaults", f"--datadir={made.data}", f"--innodb-data-home-dir={made.system}",
        "--innodb-data-file-path=ibdata1:8M;ibdata2:4M:autoextend", "--innodb-undo-tablespaces=3",
        f"--log-bin={home.path}/binary", "--innodb-flush-log-at-trx-commit=0", "--innodb-log-file-size=4M",
    )  # fmt: skip
    home.run(install, *files, "--auth-root-authentication-method=normal", "--skip-test-db")
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told,
        (home.path / "log").open("w") as log,
    ):
        # the server says when it is ready, so that nobody has to look again and again
        told.bind(f"{home.path}/ready")
        (home.path / "ready").chmod(0o777)
        told.settimeout(SECONDS_TO_START)
        running = subprocess.Popen(  # noqa: S603 - a program of the server
            (server, *files, "--skip-networking", f"--socket={home.path}/socket", "--performance-schema=on"),
            env={**os.environ, "NOTIFY_SOCKET": f"{home.path}/ready"},
            stdout=log,
            stderr=log,
            **home.identity,
        )
        try:
            while b"READY=1" not in told.recv(4096):
                pass
            made.run(OBJECTS.format(elsewhere=home.directory("other disk")))
            yield made
        finally:
            running.kill()
            running.wait()


@pytest.fixture(scope="module")
def listed(instance: Instance) -> tuple[Container, ...]:
    """All that the server lists."""
    return mariadb.read_mariadb(parse_server(instance.url())).containers


def of(rows: tuple[Container, ...], database: str, table: str) -> list[Container]:
    """Return the files of a table."""
    return [row for row in rows if (row.database, row.table) == (database, table)]


def test_every_file_is_there(listed: tuple[Container, ...]) -> None:
    """What the server lists leads to a file, but for the rows that say why not."""
    assert [row.path for row in listed if not row.problem and not os.path.exists(row.located)] == []


def test_nothing_on_disk_is_missing(instance: Instance, home: Home, listed: tuple[Container, ...]) -> None:
    """Every file with data of any engine, and every log of InnoDB, is listed."""
    known = {os.path.realpath(row.located) for row in listed}
    found = {
        str(file)
        for top in (instance.data, instance.system, home.path / "other disk")
        for file in top.rglob("*")
        if file.suffix in {".ibd", ".MYD", ".MYI", ".MAD", ".MAI"} or file.name.startswith(("ib", "undo"))
        if file.is_file() and file.name != "ib_buffer_pool" and not file.name.startswith("pm#")
    }
    assert found
    assert found <= known


def test_sizes_are_those_of_the_files(listed: tuple[Container, ...]) -> None:
    """What the catalogue says of a file that nobody writes is what the file system says."""
    for row in of(listed, "d", "t1"):
        assert row.bytes_declared == os.path.getsize(row.located)


def test_a_table_elsewhere_is_found_there(home: Home, listed: tuple[Container, ...]) -> None:
    """DATA DIRECTORY is an absolute path in the catalogue."""
    (table,) = of(listed, "d", "t2")
    assert table.path == f"{home.path}/other disk/d/t2.ibd"


def test_the_link_on_disk_says_the_same(instance: Instance, listed: tuple[Container, ...]) -> None:
    """A file `.isl` in the place of the table holds its path."""
    (table,) = of(listed, "d", "t2")
    assert mariadb.parse_isl((instance.data / "d" / "t2.isl").read_bytes()) == table.path


def test_odd_names_are_what_people_call_them(listed: tuple[Container, ...]) -> None:
    """Encoded names are decoded for the eye; the file keeps its own."""
    (table,) = of(listed, "odd table", 'x/y "z"')
    assert table.tablespace == 'odd table/x/y "z"'
    assert table.path == "./odd@0020table/x@002fy@0020@0022z@0022.ibd"


def test_letters_with_accents_lead_to_the_files(listed: tuple[Container, ...]) -> None:
    """A table without tablespace has its files under its encoded name: data and index."""
    files = of(listed, "dä", "tö-ß")
    assert [(row.role, row.path.rpartition(".")[2]) for row in files] == [("data", "MYD"), ("index", "MYI")]
    assert all(os.path.isfile(row.located) for row in files)


def test_each_partition_is_a_file(listed: tuple[Container, ...]) -> None:
    """Partitions are tablespaces of one table."""
    assert {row.tablespace for row in of(listed, "d", "p")} == {"d/p#P#p0", "d/p#P#p1"}


def test_a_partitioned_table_of_myisam_is_a_row_that_says_why(listed: tuple[Container, ...]) -> None:
    """Files that the catalogue does not name are not guessed."""
    (row,) = of(listed, "d", "pm")
    assert not row.path
    assert "tablespace,path" in row.problem


def test_the_system_tablespace_is_all_its_files(home: Home, listed: tuple[Container, ...]) -> None:
    """The variables name files of which the catalogue shows the first alone."""
    files = [row for row in listed if row.tablespace == "innodb_system"]
    assert [row.path for row in files] == [f"{home.path}/system/ibdata1", f"{home.path}/system/ibdata2"]
    assert [row.bytes_declared for row in files] == [8 << 20, None]


def test_roles_are_those_of_the_catalogue(listed: tuple[Container, ...]) -> None:
    """Undo, temporary data and logs are told from data."""
    roles = {row.tablespace: row.role for row in listed}
    assert roles["innodb_undo001"] == "undo"
    assert roles["innodb_temporary"] == "temp"
    assert roles["innodb_log"] == "log"
    assert roles["binlog"] == "log"
    assert roles["d/t1"] == "data"


def test_the_database_of_the_address_is_enough(instance: Instance) -> None:
    """Who names a database gets its files, and what belongs to all."""
    found = mariadb.read_mariadb(parse_server(instance.url("odd%20table")))
    assert {row.database for row in found.containers} == {"", "odd table"}


def test_the_server_names_its_machine(instance: Instance) -> None:
    """A server says what its machine is called, and this one is ours."""
    found = read_listing(instance.url())
    assert [host for _source, host in found.hosts] == [os.uname().nodename]
    assert found.notes == ()
    assert {found.product(row) for row in found.containers} == {"mariadb"}


def test_the_client_spools_what_the_server_tells(instance: Instance, listed: tuple[Container, ...]) -> None:
    """The queries of the documents, run in batch mode into one file, list the same."""
    spool = "".join(instance.run(query) for query in mariadb.QUERIES)
    assert mariadb.recognise(spool)
    found = mariadb.parse(spool).containers
    assert [row._replace(source="", line=0) for row in found] == [row._replace(source="") for row in listed]


def test_the_directory_tells_most_of_it(instance: Instance, listed: tuple[Container, ...]) -> None:
    """Without the server, the files of all tables are found, one elsewhere by its link."""
    found = read_listing(str(instance.data)).containers
    tables = {(row.role, os.path.realpath(row.located)) for row in listed if row.table and row.path}
    assert tables <= {(row.role, os.path.realpath(row.located)) for row in found}


def test_names_alone_need_the_directory(instance: Instance) -> None:
    """A spool without the variables has relative paths, until the data directory is given."""
    spool = instance.run("SELECT SPACE, NAME, FILENAME FROM information_schema.INNODB_SYS_TABLESPACES")
    bare = [row for row in mariadb.parse(spool).containers if row.table == "t1"]
    assert [row.problem for row in bare] == [RELATIVE]
    found = mariadb.parse(spool, "spool", Options(base_dir=str(instance.data))).containers
    assert all(os.path.exists(row.located) for row in found)


def test_a_user_without_rights_is_told_which(instance: Instance) -> None:
    """The server itself names the privilege."""
    with pytest.raises(ServerError, match="PROCESS privilege"):
        mariadb.read_mariadb(parse_server(instance.url(user="small")))


def test_the_password_may_come_from_the_environment(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MYSQL_PWD keeps the password out of the command line."""
    monkeypatch.setenv("MYSQL_PWD", "s3cret")
    assert mariadb.read_mariadb(parse_server(instance.url(user="known"))).containers


def test_a_password_is_in_no_message(instance: Instance) -> None:
    """What goes wrong is told without what nobody may see."""
    with pytest.raises(ServerError, match="Access denied") as caught:
        mariadb.read_mariadb(parse_server(instance.url(user="known:wr0ng")))
    assert "wr0ng" not in str(caught.value)


def test_the_session_cannot_write(instance: Instance) -> None:
    """Whatever a statement says, the session is for reading."""
    server = parse_server(instance.url())
    with (
        mariadb._connect(server) as connection,
        pytest.raises(ServerError, match="READ ONLY transaction"),
    ):
        mariadb._ask(connection, server, "INSERT INTO d.t1 VALUES (1)")


def test_an_unknown_database_is_told_with_those_there_are(instance: Instance) -> None:
    """A name that is wrong has the right ones beside it."""
    with pytest.raises(ServerError, match="no database 'typo'; there are d"):
        mariadb.read_mariadb(parse_server(instance.url("typo")))


def test_no_server_is_a_sentence(tmp_path: Path) -> None:
    """A server that is not there is told with its address."""
    with pytest.raises(ServerError, match=r"^mariadb:///\?socket=.*/none: no server listens"):
        mariadb.read_mariadb(parse_server(f"mariadb:///?socket={tmp_path}/none"))


def test_no_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the driver there are two ways: install it, or spool."""
    monkeypatch.setitem(sys.modules, "pymysql", None)
    with pytest.raises(ServerError, match=r"python3-pymysql .*mariadb -B"):
        mariadb.read_mariadb(parse_server("mariadb://localhost"))


def test_an_option_that_is_none_is_refused() -> None:
    """An option of the address that nobody knows is not passed on to the driver."""
    with pytest.raises(ServerError, match="local_infile is no option"):
        mariadb.read_mariadb(parse_server("mysql://localhost/?local_infile=1"))


VARIABLES = "Variable_name\tValue\ndatadir\t/d/\n"
FILES = """FILE_NAME\tFILE_TYPE\tTABLESPACE_NAME\tFILE_SIZE
./ibdata1\tTABLESPACE\tinnodb_system\t12582912
./undo_001\tUNDO LOG\tinnodb_undo_001\t16777216
./ibtmp1\tTEMPORARY\tinnodb_temporary\t12582912
/fast/d/t1.ibd\tTABLESPACE\td/t1\tNULL
./d/p#p#p0.ibd\tTABLESPACE\td/p#p#p0\t114688
"""


def test_mysql_lists_files_in_a_view_of_its_own() -> None:
    """`information_schema.FILES` names the roles, and what no table has."""
    found = mariadb.parse(FILES, "spool", Options(base_dir="/var/lib/mysql")).containers
    assert [(row.role, row.database, row.table, row.located, row.bytes_declared) for row in found] == [
        ("data", "", "", "/var/lib/mysql/./ibdata1", 12582912),
        ("undo", "", "", "/var/lib/mysql/./undo_001", 16777216),
        ("temp", "", "", "/var/lib/mysql/./ibtmp1", 12582912),
        ("data", "d", "t1", "/fast/d/t1.ibd", None),
        ("data", "d", "p", "/var/lib/mysql/./d/p#p#p0.ibd", 114688),
    ]


def test_mysql_lists_bare_files_too() -> None:
    """`INNODB_DATAFILES` has numbers for names, and as CSV it is read too."""
    (row,) = mariadb.parse('SPACE,PATH\n5,"/a b/t.ibd"\n').containers
    assert (row.tablespace, row.path) == ("5", "/a b/t.ibd")


def test_the_redo_log_of_mysql_8_is_a_directory() -> None:
    """Where the capacity is a variable, files come and go in a directory."""
    text = f"{VARIABLES}innodb_log_group_home_dir\t./\ninnodb_redo_log_capacity\t104857600\n"
    (row,) = mariadb.parse(text).containers
    assert (row.kind, row.role, row.located) == ("directory", "log", "/d/./#innodb_redo")


def test_the_redo_log_of_old_servers_is_a_group() -> None:
    """The variable says how many files there are."""
    text = VARIABLES + "innodb_log_group_home_dir\t/log\ninnodb_log_files_in_group\t2\n"
    assert [row.path for row in mariadb.parse(text).containers] == ["/log/ib_logfile0", "/log/ib_logfile1"]


def test_the_system_tablespace_may_be_a_raw_device() -> None:
    """A part that is raw is a device, and one that is not understood is told."""
    text = (
        f"{VARIABLES}innodb_data_file_path\t/dev/dasdb1:3Gnewraw;/dev/dasdc1:2Graw;odd\n"
        "NAME\tFILENAME\ninnodb_system\t/dev/dasdb1\n"
    )
    first, second, third = mariadb.parse(text).containers
    assert (first.kind, first.path, first.bytes_declared) == ("device", "/dev/dasdb1", 3 << 30)
    assert (second.kind, second.path, second.bytes_declared) == ("device", "/dev/dasdc1", 2 << 30)
    assert third.problem


def test_a_short_row_is_noted() -> None:
    """A row that was cut off is told with its line, and never read by half."""
    found = mariadb.parse("NAME\tFILENAME\tFILE_SIZE\nd/t\t./d/t.ibd\n")
    assert found.containers == ()
    assert found.notes[0].line == 2


def test_a_text_that_is_none_of_them_is_refused() -> None:
    """The line that is not understood is shown."""
    with pytest.raises(ValueError, match=r"line 1: .*hello"):
        mariadb.parse("hello\tworld\n")


@pytest.mark.parametrize("content", [b"", b"a\0b", b"a\nb", b"x" * 5000])
def test_a_link_that_is_no_path_is_refused(content: bytes) -> None:
    """What is no path is not followed."""
    with pytest.raises(ValueError, match="no path"):
        mariadb.parse_isl(content)


@given(st.text() | st.text(alphabet="NAME\tFIL\n@0#/-;:").map("NAME\tFILENAME\n{}".format))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Of any text there are containers, or a ValueError."""
    try:
        mariadb.parse(text)
    except ValueError:
        return


@given(st.text(alphabet="ibdata:;0123456789MGrawnew/autoextend ", max_size=60))
def test_any_file_path_variable_is_read(value: str) -> None:
    """No value of `innodb_data_file_path` breaks the listing."""
    mariadb.parse(
        f"Variable_name\tValue\ninnodb_data_file_path\t{value}\nNAME\tFILENAME\ninnodb_system\t./x\n"
    )


# the data directory


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
    assert mariadb.is_data_directory(os.listdir(innodb))


def test_a_directory_of_databases_is_none(tmp_path: Path) -> None:
    """What merely holds a directory mysql is no data directory."""
    (tmp_path / "mysql").mkdir()
    assert not mariadb.is_data_directory(os.listdir(tmp_path))


def test_the_files_have_tables_and_roles(innodb: Path) -> None:
    """Data, index, undo and log, by the names that the engines give."""
    found = mariadb.read_data_directory(str(innodb)).containers
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
    (row,) = (row for row in mariadb.read_data_directory(str(innodb)).containers if row.table == "far")
    assert "no path" in row.problem
