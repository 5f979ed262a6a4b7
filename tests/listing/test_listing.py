from __future__ import annotations

import os
from io import BufferedReader, BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zmon.cli.subcommands import LISTING_HELP
from zmon.listing import mariadb, postgresql
from zmon.listing.containers import Options
from zmon.listing.listing import FORMATS, MAX_HEAD, UNKNOWN_MACHINE, ListingError, read_listing, same_machine

FIXTURES = Path(__file__).parents[1] / "fixtures" / "listings"


def saved(directory: Path, content: str | bytes, name: str = "listing") -> str:
    """Write a file and return its name."""
    file = directory / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(file)


DB2 = "CREATE TABLESPACE TS1 MANAGED BY DATABASE USING (FILE '/db/c1' 100 M);\n"


def test_a_plain_listing_is_known_by_its_content(tmp_path: Path) -> None:
    """The name of the file says nothing."""
    found = read_listing(saved(tmp_path, "TS,/f\n", "x.sql"))
    assert found.containers[0].path == "/f"
    assert found.product(found.containers[0]) == ""


def test_ddl_is_known_by_its_content(tmp_path: Path) -> None:
    """And what it is tells the product."""
    found = read_listing(saved(tmp_path, DB2, "x.csv"))
    assert [(row.tablespace, row.path) for row in found.containers] == [("TS1", "/db/c1")]
    assert found.product(found.containers[0]) == "db2"


def test_several_sources_make_one_listing(tmp_path: Path) -> None:
    """Rows keep their source, and what both list counts once."""
    first, second = saved(tmp_path, "TS,/f\n", "a"), saved(tmp_path, "TS,/f\nTS,/g\n", "b")
    found = read_listing([first, second])
    assert [(row.path, row.place) for row in found.containers] == [
        ("/f", f"{first}:1"),
        ("/g", f"{second}:2"),
    ]
    (note,) = found.notes
    assert note.startswith(f"{second}: 1 ")


def test_rows_without_a_path_are_each_their_own(tmp_path: Path) -> None:
    """Two problems are two."""
    found = read_listing(saved(tmp_path, "TS,/f\nTS\nTS\n"))
    assert len(found.containers) == 3


def test_a_dash_is_standard_input() -> None:
    """A listing can be piped in."""
    piped = BufferedReader(BytesIO(b"TS,/f\n"))
    assert read_listing("-", standard_input=piped).containers[0].source == "standard input"


def test_standard_input_of_the_process_is_read(tmp_path: Path) -> None:
    """Without another, it is the one of the process."""
    with open(saved(tmp_path, "TS,/f\n")) as file:
        kept = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            assert read_listing("-").containers
        finally:
            os.dup2(kept, 0)
            os.close(kept)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_of_windows_are_read(tmp_path: Path, encoding: str) -> None:
    """A spool that went over a PC has a mark in front."""
    (row,) = read_listing(saved(tmp_path, "TS,/dä\r\n".encode(encoding))).containers
    assert (row.tablespace, row.path) == ("TS", "/dä")


def test_a_name_that_is_no_utf_8_is_the_same_bytes(tmp_path: Path) -> None:
    """Names of files are bytes, and lead to the file as they are."""
    (row,) = read_listing(saved(tmp_path, b"TS,/d\xe4\n")).containers
    assert os.fsencode(row.path) == b"/d\xe4"


def test_a_listing_longer_than_its_head_is_read_whole(tmp_path: Path) -> None:
    """Rows on the border between the head and the rest are whole, and lines are counted on."""
    count = MAX_HEAD // 8
    found = read_listing(saved(tmp_path, "".join(f"TS,/f{number:07}\r\n" for number in range(count))))
    assert len(found.containers) == count
    assert found.containers[-1].line == count
    assert not any(row.problem for row in found.containers)


def test_options_reach_the_reader(tmp_path: Path) -> None:
    """What a person adds is used."""
    (row,) = read_listing(saved(tmp_path, "TS,./f\n"), Options("D", "/base")).containers
    assert (row.database, row.located) == ("D", "/base/./f")


def test_a_listing_of_another_machine_is_told(tmp_path: Path) -> None:
    """A path may exist here by accident."""
    found = read_listing(saved(tmp_path, "# host: far\nTS,/f\n"), machine="near")
    assert [host for _source, host in found.hosts] == ["far"]
    assert "far, and this is near" in found.notes[0]


def test_a_machine_may_be_known_later(tmp_path: Path) -> None:
    """Of a capture: then the sources are compared with that."""
    found = read_listing(saved(tmp_path, "# host: far\nTS,/f\n"), machine=UNKNOWN_MACHINE)
    assert found.notes == ()
    assert found.strangers("far.example") == found.strangers("") == []
    assert " far, and this is near: " in found.strangers("near")[0]


def test_a_file_of_two_tablespaces_is_told(tmp_path: Path) -> None:
    """The first has it; partitions and copies of a row are nothing to tell."""
    found = read_listing(saved(tmp_path, "database,tablespace,path\nP,A,/f\nP,B,//f\nP,A,/g\n"))
    assert [(row.tablespace, row.problem.partition(" (")[0]) for row in found.containers] == [
        ("A", ""),
        ("B", "it is listed for P.A, too"),
        ("A", ""),
    ]


def test_a_listing_of_this_machine_is_not(tmp_path: Path) -> None:
    """Short and long names are the same machine."""
    found = read_listing(saved(tmp_path, "# host: near.example\nTS,/f\n"), machine="near")
    assert ([host for _source, host in found.hosts], found.notes) == (["near.example"], ())


@pytest.mark.parametrize(
    ("host", "machine", "same"),
    [
        ("a", "a", True),
        ("A.b", "a", True),
        ("a", "a.b", True),
        ("a.b", "a.c", False),
        ("localhost", "a", True),
        ("127.0.0.1", "a", True),
        ("::1", "a", True),
        ("192.0.2.1", "a", False),
        ("b", "a", False),
    ],
)
def test_names_of_machines_are_compared(host: str, machine: str, same: bool) -> None:
    """A short name is any with it, two long ones have to be the same, and an address is looked for here."""
    assert same_machine(host, machine) is same


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\x7fELF\0\0", "not text"),
        (b"\xff\xfea", "decode"),
        (b"hello\n", "begins 'hello'. zmon spread --help"),
        (b'a,/b\n"c,/d\ne,/f\n', "line 2 begins"),
        (b"tablespace,path\n", "names no container"),
    ],
)
def test_what_cannot_be_used_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    """The file is named, and what is wrong with it."""
    name = saved(tmp_path, content)
    with pytest.raises(ListingError, match=words) as caught:
        read_listing(name)
    assert str(caught.value).startswith(name)


def test_an_unknown_text_is_told_where_the_formats_are(tmp_path: Path) -> None:
    """In the help and in the documents, which name every product; not in a sentence that nobody reads."""
    with pytest.raises(ListingError) as caught:
        read_listing(saved(tmp_path, "hello\n"))
    said = str(caught.value).removeprefix(str(tmp_path))
    assert len(said) < 160
    assert all(place in said for place in ("zmon spread --help", "docs/listings.md"))
    assert all(each.title.partition(":")[0].partition(" or")[0] in LISTING_HELP for each in FORMATS)


@pytest.mark.parametrize("word", ["Behälter-ID", "Behaelter-ID", "ID conteneur", "ID de contenedor"])
def test_a_report_of_db2_in_another_language_is_told(word: str, tmp_path: Path) -> None:
    """It has the form of the English one, which can be had."""
    report = f" {word}                = 0\n Name                  = /db2/d01/a\n"
    with pytest.raises(ListingError, match="LC_ALL=C"):
        read_listing(saved(tmp_path, report))


GERMAN = """
            Tabellenbereichsbehälter für Tabellenbereich 3

 Behälter-ID                          = 0
 Name                                 = /db2/d01/ts1.data
 Typ                                  = Datei
"""


@pytest.mark.parametrize(
    "heading", ["Tabellenbereichsbehälter für Tabellenbereich 3", "Tablespace Containers for Tablespace 3"]
)
def test_a_report_in_another_language_is_recognised(tmp_path: Path, heading: str) -> None:
    """And how it is had in English is told."""
    text = GERMAN.replace("Tabellenbereichsbehälter für Tabellenbereich 3", heading)
    with pytest.raises(ListingError, match=r"another language: .*LC_ALL=C"):
        read_listing(saved(tmp_path, text))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """With the words of the system."""
    with pytest.raises(ListingError, match="No such file"):
        read_listing(str(tmp_path / "none"))


def test_a_directory_is_no_listing(tmp_path: Path) -> None:
    """Who gives a directory wants the lookup."""
    with pytest.raises(ListingError, match="zmon where"):
        read_listing(str(tmp_path))


def test_a_password_is_not_in_the_chain_of_errors() -> None:
    """Not even a traceback shows what a driver said."""
    with pytest.raises(ListingError) as caught:
        read_listing("oracle://me:s3cret@host")
    assert "s3cret" not in f"{caught.value!r} {caught.value.__cause__!r}"


@given(st.binary() | st.text().map(str.encode))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Of any content there is a listing, or a ListingError."""
    try:
        read_listing("-", standard_input=BufferedReader(BytesIO(content)))
    except ListingError:
        return


def test_what_is_documented_is_what_is_asked() -> None:
    """The queries that people are told to spool are those zmon reads."""
    text = (Path(__file__).parents[2] / "docs" / "listings.md").read_text()
    queries = (postgresql.FILES, postgresql.TABLESPACES, *mariadb.QUERIES)
    assert [query for query in queries if f"\n{query};\n" not in text] == []


@pytest.mark.parametrize(
    ("name", "product"),
    [
        ("asm-spool.csv", "oracle"),
        ("asmcmd-lsdsk-k.txt", "oracle"),
        ("db2-list.txt", "db2"),
        ("db2-x.txt", "db2"),
        ("db2look-11.ddl", "db2"),
        ("db2pd-11.txt", "db2"),
        ("db2pd-9.txt", "db2"),
        ("mon_get_container.csv", "db2"),
        ("oracle-controlfile.sql", "oracle"),
        ("oracle-metadata.sql", "oracle"),
        ("oracle-spool.csv", "oracle"),
    ],
)
def test_every_format_is_told_from_the_others(name: str, product: str) -> None:
    """A sample of each format is of its product, and of no other format as surely."""
    source = FIXTURES / name
    scores = sorted(float(each.score(source.read_text())) for each in FORMATS)
    assert scores[-2] < scores[-1]
    assert read_listing(str(source)).products == ((str(source), product),)


def test_disks_of_asm_come_with_the_files(tmp_path: Path) -> None:
    """One spool may have files and disk groups, or each has its own."""
    files = (FIXTURES / "oracle-spool.csv").read_text()
    disks = (FIXTURES / "asm-spool.csv").read_text()
    one = read_listing(saved(tmp_path, files + "\n" + disks, "both"), machine="lnxora01")
    two = read_listing([saved(tmp_path, files, "files"), saved(tmp_path, disks, "disks")], machine="lnxora01")
    assert {row.path for row in one.containers} == {row.path for row in two.containers}
    assert [disk.path for disk in one.disk_groups.disks] == [disk.path for disk in two.disk_groups.disks]
    assert one.disk_groups.extents == two.disk_groups.extents


def test_a_label_of_asm_may_be_told_by_another_source() -> None:
    """The disk of one listing is the device that another tells."""
    names = ("asm-spool.csv", "asmcmd-lsdsk-k.txt")
    found = read_listing([str(FIXTURES / name) for name in names])
    assert "/dev/mapper/FCPe527p1" in {row.path for row in found.containers if row.tablespace == "+DATA"}
    assert "/dev/oracleasm/disks/DATA01" not in {row.path for row in found.containers}


def test_a_label_that_is_told_later_is_no_problem_any_more(tmp_path: Path) -> None:
    """One of the filter driver has no device by rule."""
    label = saved(tmp_path, 'oracleasm querydisk -p FRA01\n/dev/sdq1: LABEL="FRA01" TYPE="oracleasm"\n')
    head = "$ asmcmd lsdsk\nPath\n/dev/sdr1\n\n"
    label = saved(tmp_path, head + Path(label).read_text())
    found = read_listing([str(FIXTURES / "asm-spool.csv"), label])
    assert {row.problem for row in found.containers if row.path == "/dev/sdq1"} == {""}


def test_reads_what_the_db2_command_line_prints(tmp_path: Path) -> None:
    """The documented query, in columns of fixed width; a row that does not fit is told."""
    spool = tmp_path / "d.txt"
    spool.write_text(
        "\nTBSP_NAME            CONTAINER_NAME           TOTAL_PAGES          TBSP_PAGE_SIZE\n"
        "-------------------- ------------------------ -------------------- --------------\n"
        "TSFACT1              /db2/d01/tsfact1.data                  498750           4096\n"
        "TSFACT2              /db2/d02/tsf\n\n  2 Satz/Sätze ausgewählt.\n\n"
    )
    found = read_listing(str(spool))
    (row,) = [row for row in found.containers if not row.problem]
    assert (row.tablespace, row.path, row.bytes_declared) == (
        "TSFACT1",
        "/db2/d01/tsfact1.data",
        498750 * 4096,
    )
    assert [":5: " in part and "TSFACT2" in part for part in found.unread] == [True]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_names_of_all_scripts_are_read_in_all_encodings(tmp_path: Path, encoding: str) -> None:
    """With a mark at the beginning and without."""
    text = "CREATE TABLESPACE 数据 DATAFILE '/db/文件' SIZE 1M;\r\n"
    (row,) = read_listing(saved(tmp_path, text.encode(encoding))).containers
    assert (row.tablespace, row.path) == ("数据", "/db/文件")


@pytest.mark.parametrize(
    "heading",
    [
        " Name    |  Owner   | Location ",
        "  Name   | Eigentümer |   Pfad   ",
        "   Nom   | Propriétaire | Emplacement ",
    ],
)
def test_tablespaces_of_psql_are_read_in_any_language(tmp_path: Path, heading: str) -> None:
    r"""By the tablespaces that every server has: the columns of `\db` have an order."""
    text = f"{heading}\n---------+----------+----------\n pg_default | p |\n ts1 | p | /db/ts1\n(2 rows)\n"
    found = read_listing(saved(tmp_path, text))
    assert [(row.tablespace, row.path) for row in found.containers] == [
        ("pg_default", "base"), ("ts1", "/db/ts1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "-[ RECORD 1 ]-----+-----------\nName   | pg_default\nLocation | \n",
        "********** 1. row **********\n     NAME: a/b\n FILENAME: ./a/b.ibd\n",
    ],
)
def test_a_table_with_a_line_for_each_column_is_recognised(tmp_path: Path, text: str) -> None:
    """Neither is read."""
    with pytest.raises(ListingError, match="each column"):
        read_listing(saved(tmp_path, text))


def test_a_script_that_runs_a_file_by_a_client_names_it(tmp_path: Path) -> None:
    """The statements of a here document are read."""
    text = (
        "sqlplus / as sysdba <<SQL\nCREATE TABLESPACE a DATAFILE '/a' SIZE 1M;\nSQL\nsqlplus -s / @more.sql\n"
    )
    found = read_listing(saved(tmp_path, text))
    assert [row.path for row in found.containers] == ["/a"]
    assert "give 'more.sql', too" in found.unread[0]


def test_the_own_layout_of_sqlplus_is_read_if_rows_are_whole(tmp_path: Path) -> None:
    """With a line size that is large enough; numbers are at the right of their columns."""
    text = (
        "TABLESPACE_NAME FILE_NAME                BYTES\n--------------- ------------------- ----------\n"
        "USERS           /db/users 01.dbf     734003200\nLONGER          /db/longer.dbf\n"
    )
    found = read_listing(saved(tmp_path, text))
    assert [(row.tablespace, row.path, row.bytes_declared) for row in found.containers] == [
        ("USERS", "/db/users 01.dbf", 734003200), ("", "", None),
    ]  # fmt: skip
    assert "1 fields under 3 columns" in found.unread[0]
