from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import containers as c
from zmon.listing import db2_ddl
from zmon.listing.containers import Container, ListingContent, Options

ROOT = Path(__file__).parents[2]
DB2LOOK = (ROOT / "tests/fixtures/listings/db2look-11.ddl").read_text()
CASE_STUDY = (ROOT / "recordings/casestudy/tablespaces.ddl").read_text()


def parse(text: str, options: Options = c.NO_OPTIONS) -> ListingContent:
    return db2_ddl.parse(text, "x.ddl", options)


def rows(text: str, options: Options = c.NO_OPTIONS) -> tuple[Container, ...]:
    return parse(text, options).containers


def paths(text: str, options: Options = c.NO_OPTIONS) -> list[str]:
    return [row.path for row in rows(text, options)]


def of(tablespace: str) -> list[Container]:
    return [row for row in rows(DB2LOOK) if row.tablespace == tablespace]


def test_reads_version_7() -> None:
    """Without a blank between path and page count, and with unquoted names, all containers are there."""
    found = rows(CASE_STUDY)
    assert (len(found), found[0].path, found[0].bytes_declared, found[0].line) == (
        28, "/db2/d01/tsfact1.data", 498750 * 4096, 12,
    )  # fmt: skip


def test_names_the_database() -> None:
    """The head of db2look and CONNECT name it, folded to upper case."""
    create = "CREATE TABLESPACE x MANAGED BY SYSTEM USING ('/1');"
    named = parse(f"-- Database Name: dwh   \n{create}").containers
    assert {row.database for row in (*parse(DB2LOOK).containers, *named)} == {"DWH"}


def test_names_the_database_of_each_container() -> None:
    """There may be two."""
    create = "CREATE TABLESPACE x MANAGED BY SYSTEM USING ('/1');"
    text = f"CONNECT TO a; {create} CONNECT TO b; {create}"
    assert [row.database for row in rows(text)] == ["A", "B"]


def test_tells_who_manages_the_space() -> None:
    """MANAGED BY SYSTEM has directories, BY DATABASE files and devices."""
    text = """CREATE TABLESPACE a MANAGED BY SYSTEM USING ('/a');
        CREATE TABLESPACE b MANAGED BY DATABASE USING (FILE '/b' 1, DEVICE '/dev/dasdb1' 1);"""
    assert [row.storage for row in rows(text)] == [c.SMS, c.DMS, c.DMS]


def test_reads_quotes_blanks_commas_and_parentheses_of_a_path() -> None:
    """A path is whatever is in the quotes."""
    assert of("TS SALES")[0].path == "/db2/p0/o'hara, (old).dat"


def test_expands_partition_expressions() -> None:
    """Each partition of a group has its own path."""
    assert [(row.partition, row.path) for row in of("TS SALES") if row.kind == c.DEVICE] == [
        (0, "/dev/vgdw/rsales01"), (1, "/dev/vgdw/rsales02"),
    ]  # fmt: skip


def test_reads_several_groups_of_partitions() -> None:
    """A second USING is for other partitions."""
    assert [row.partition for row in of("TS SALES")] == [0, 1, 0, 1, 2]


def test_leaves_the_other_partitions_to_the_group_that_names_none() -> None:
    """Those of the partition group that nobody mentions are meant."""
    group = "CREATE NODEGROUP g ON NODES (0, 2 TO 3);"
    space = "CREATE TABLESPACE t IN NODEGROUP g MANAGED BY SYSTEM USING ('/a') ON NODE (2) USING ('/b $N');"
    assert paths(group + space) == ["/a", "/b0", "/b3"]


def test_keeps_an_expression_of_unknown_partitions() -> None:
    """Without members it stays as it is, and says what is needed."""
    (row,) = rows("CREATE TABLESPACE t MANAGED BY SYSTEM USING ('/b $N');")
    assert (row.path, row.problem) == ("/b $N", db2_ddl.NO_MEMBERS)


def test_takes_partitions_from_a_person() -> None:
    """The options name the members of groups that the DDL does not define."""
    text = "CREATE TABLESPACE t MANAGED BY SYSTEM USING ('/b $N');"
    assert paths(text, Options(partitions=(1, 4))) == ["/b1", "/b4"]


@pytest.mark.parametrize(
    ("path", "expanded"),
    [
        ("/a $N", "/a5"),
        ("/a $3N", "/a005"),
        ("/a $N+10", "/a15"),
        ("/a $N%3", "/a2"),
        ("/a $N+10%4", "/a3"),
        ("/a $N%3+10", "/a12"),
        ("/a $N /b", "/a5/b"),
        ("/a$N", "/a$N"),
        ("/a $Nx", "/a $Nx"),
    ],
)
def test_reckons_partition_expressions(path: str, expanded: str) -> None:
    """Operators count from left to right, the expression ends at a blank, and what follows is appended."""
    assert db2_ddl.expand(path, 5) == expanded


def test_partitions_of_all_statements_together_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A listing of 1 MiB can name a thousand partitions ten thousand times; what is left out is named."""
    monkeypatch.setattr(db2_ddl, "MAX_ROWS", 5)
    statement = "CREATE TABLESPACE {} MANAGED BY DATABASE USING (FILE '/db $N' 1) ON NODES (0 TO 2);"
    found = rows("\n".join(map(statement.format, "AB")))
    assert [(one.tablespace, one.path, one.problem) for one in found] == [
        ("A", "/db0", ""),
        ("A", "/db1", ""),
        ("A", "/db2", ""),
        ("B", "/db $N", db2_ddl.TOO_MANY),
    ]


def test_refuses_to_divide_by_nothing() -> None:
    """An expression without a value is a row with that problem."""
    (row,) = rows("CREATE TABLESPACE t MANAGED BY SYSTEM USING ('/b $N%0') ON NODE (1);")
    assert row.problem.startswith("partition expression divides by 0")


def test_counts_pages_in_their_size() -> None:
    """A number alone is of pages, one with a letter of bytes."""
    assert [row.bytes_declared for row in of("TS SALES")][::2] == [12800 * 8192, 2 << 30, 25600 * 8192]


def test_knows_no_size_of_pages_that_nobody_tells() -> None:
    """The default page size is the database's, so it is not guessed."""
    found = parse("CREATE TABLESPACE t MANAGED BY DATABASE USING (FILE '/a' 100);")
    assert (found.containers[0].bytes_declared, len(found.notes)) == (None, 1)


def test_passes_over_extents() -> None:
    """EXTENTSIZE is a number of pages, or has a letter."""
    text = "CREATE TABLESPACE t PAGESIZE 4K MANAGED BY SYSTEM USING ('/a') EXTENTSIZE {};"
    for size in ("32", "256 K"):
        found = parse(text.format(size))
        assert ([row.path for row in found.containers], found.notes) == (["/a"], ())


def test_tells_temporary_from_data() -> None:
    """The statement declares the role."""
    assert ({row.role for row in of("USERTEMP")}, of("PLAIN")[0].role) == ({c.TEMP}, c.DATA)


def test_tells_directories_from_files() -> None:
    """Containers that the system manages are directories."""
    assert [(row.kind, row.path) for row in of("USERTEMP")] == [
        (c.DIRECTORY, "/db2/temp1"), (c.DIRECTORY, "/db2/temp2"),
    ]  # fmt: skip


def test_says_that_automatic_storage_has_no_paths() -> None:
    """It is a row with what to get instead, and with the paths of its storage group."""
    (row,) = of("HOT")
    assert row.problem == f"{db2_ddl.AUTOMATIC} (its storage group has /auto/hot1, /auto/hot2)"


def test_says_where_a_relative_path_starts() -> None:
    """It needs the database directory."""
    text = "CREATE TABLESPACE t MANAGED BY SYSTEM USING ('a/b');"
    assert (rows(text)[0].problem, rows(text, Options(base_dir="/d"))[0].located) == (c.RELATIVE, "/d/a/b")


def test_keeps_the_size_of_pages_when_a_tablespace_is_renamed() -> None:
    """What is added later is counted in the same pages."""
    text = """CREATE TABLESPACE t PAGESIZE 8 K MANAGED BY DATABASE USING (FILE '/a' 1);
        RENAME TABLESPACE t TO u; ALTER TABLESPACE u ADD (FILE '/b' 2);"""
    assert [(row.tablespace, row.bytes_declared) for row in rows(text)] == [("U", 8192), ("U", 16384)]


def test_adds_a_stripe_set() -> None:
    """Containers of a new stripe set are added."""
    assert [row.line for row in of("PLAIN")] == [41, 64]


def test_applies_alterations_in_order() -> None:
    """ADD adds, DROP drops, and a tablespace that is dropped has no containers."""
    text = """CREATE TABLESPACE t PAGESIZE 4096 MANAGED BY DATABASE USING (FILE '/a' 1, FILE '/b' 1);
        ALTER TABLESPACE t ADD (FILE '/c' 1) DROP (FILE '/a'); ALTER TABLESPACE t ADD (FILE '/a' 2);
        CREATE TABLESPACE u MANAGED BY SYSTEM USING ('/u'); DROP TABLESPACE u;
        RENAME TABLESPACE t TO "n n";"""
    assert [(row.tablespace, row.path) for row in rows(text)] == [("n n", "/b"), ("n n", "/c"), ("n n", "/a")]


def test_notes_sizes_that_change() -> None:
    """RESIZE and EXTEND are not followed."""
    found = parse("ALTER TABLESPACE t RESIZE (FILE '/a' 10) EXTEND (ALL CONTAINERS 10);")
    resize, extend, altered = (note.text for note in found.notes)
    assert resize.startswith("ALTER TABLESPACE t RESIZE: ")
    assert extend.startswith("ALTER TABLESPACE t EXTEND: ")
    assert altered.startswith("'T' ")


def test_reports_a_path_that_is_listed_twice() -> None:
    """It counts once."""
    found = parse("CREATE TABLESPACE t MANAGED BY SYSTEM USING ('/a', '/a');")
    assert (len(found.containers), len(found.notes)) == (1, 1)


def test_keeps_a_container_that_it_cannot_read() -> None:
    """What is no container is a row with that problem."""
    found = rows("CREATE TABLESPACE t MANAGED BY SYSTEM USING ('/a', oops, '/b');")
    assert [row.problem for row in found] == ["", "not a container: 'oops'", ""]


@pytest.mark.parametrize("end", ["@", "%", "!"])
def test_reads_scripts_with_other_terminators(end: str) -> None:
    """Scripts for `-td@` are read without being told."""
    create = "CREATE TABLESPACE t MANAGED BY SYSTEM USING ('/a')"
    text = f"CONNECT TO x{end}\n{create}{end}\nDROP TABLESPACE t{end}\n"
    assert paths(text) == []
    assert paths(text.partition("DROP")[0]) == ["/a"]


def test_recognises_its_format() -> None:
    """DDL of Db2 is told from DDL of Oracle and from prose."""
    assert (
        db2_ddl.score(DB2LOOK) > 0.5,
        db2_ddl.score(CASE_STUDY) > 0.5,
        db2_ddl.score("CREATE TABLESPACE t DATAFILE 'x'"),
        db2_ddl.score("dear all, of DB2LOOK"),
    ) == (True, True, 0.0, 0.0)


NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=20)
PATHS = NAMES.map(lambda name: "/" + name.replace(" $", " S"))


class Space(NamedTuple):
    """One tablespace to print."""

    name: str
    page: int
    containers: list[tuple[str, str, int]]


SPACES = st.lists(
    st.builds(
        Space,
        NAMES,
        st.sampled_from([4096, 8192, 32768]),
        st.lists(
            st.tuples(st.sampled_from(["FILE", "DEVICE"]), PATHS, st.integers(0, 10**9)),
            min_size=1, max_size=5, unique_by=lambda one: one[1],
        ),
    ),
    max_size=4, unique_by=lambda space: space.name,
)  # fmt: skip


def printed(spaces: list[Space], blank: str, end: str) -> str:
    """Print tablespaces as DDL."""
    texts = []
    for space in spaces:
        listed = f",{blank}".join(
            "{} '{}'{}".format(kind, path.replace("'", "''"), size) for kind, path, size in space.containers
        )
        name = space.name.replace('"', '""')
        texts.append(
            f'CREATE REGULAR TABLESPACE "{name}"{blank}PAGESIZE {space.page} MANAGED BY DATABASE{blank}'
            f"USING ({listed}){end}"
        )
    return "\n".join(texts)


@given(
    SPACES,
    st.sampled_from([" ", "\n\t\t", " /* it's */ ", "-- don't\n"]),
    st.sampled_from([";", "@\n", " %\n"]),
)
def test_reads_what_was_printed(spaces: list[Space], blank: str, end: str) -> None:
    """Whatever names and paths have in them, they come back."""
    found = rows(printed(spaces, f" {blank} ", end))
    assert [(row.tablespace, row.kind, row.path, row.bytes_declared) for row in found] == [
        (space.name, kind.lower(), path, size * space.page)
        for space in spaces
        for kind, path, size in space.containers
    ]


WORDS = st.sampled_from(
    [
        "CREATE",
        "ALTER",
        "DROP",
        "RENAME",
        "TABLESPACE",
        "STOGROUP",
        "NODEGROUP",
        "USING",
        "(",
        ")",
        ",",
        "'a'",
        "'/b'",
        '"c"',
        "FILE",
        "DEVICE",
        "7",
        "ON",
        "NODES",
        "TO",
        "ADD",
        "BEGIN",
        "NEW",
        "STRIPE",
        "SET",
        "RESIZE",
        "PAGESIZE",
        "EXTENTSIZE",
        "4K",
        ";",
        "@",
        "MANAGED",
        "BY",
        "SYSTEM",
        "IN",
        "'",
        "$N+1'",
        "--",
        "/*",
        '"',
        "CONNECT",
        "x",
    ]
)


@given(st.lists(WORDS, max_size=60).map(" ".join))
def test_survives_any_order_of_words(text: str) -> None:
    """No statement makes it fail, and every row says where it is from."""
    assert all(row.source == "x.ddl" and row.line for row in rows(text, Options(partitions=(0, 1))))


@given(st.integers(0, len(DB2LOOK)), st.integers(0, 60), st.text(max_size=10))
def test_survives_damage(place: int, length: int, put: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes."""
    parse(DB2LOOK[:place] + put + DB2LOOK[place + length :])


def test_reads_the_tablespaces_that_a_database_is_created_with() -> None:
    """Their names are always the same; sizes are in pages of the database."""
    text = """CREATE DATABASE shop PAGESIZE 8 K
        CATALOG TABLESPACE MANAGED BY DATABASE USING (FILE '/c' 10)
        USER TABLESPACE MANAGED BY DATABASE USING (FILE '/u' 20)
        TEMPORARY TABLESPACE MANAGED BY SYSTEM USING ('/t');"""
    assert [(row.database, row.tablespace, row.path, row.role, row.bytes_declared) for row in rows(text)] == [
        ("SHOP", "SYSCATSPACE", "/c", c.DATA, 81920),
        ("SHOP", "USERSPACE1", "/u", c.DATA, 163840),
        ("SHOP", "TEMPSPACE1", "/t", c.TEMP, None),
    ]
    assert parse("CREATE DATABASE shop AUTOMATIC STORAGE YES ON /db;").containers == ()


def test_a_mistyped_kind_is_no_directory() -> None:
    """It is not known what the container is."""
    row = rows("CREATE TABLESPACE t MANAGED BY DATABASE USING (FLE '/a' 1);")[1]
    assert (row.path, row.kind, row.storage) == ("/a", "", "")


def test_folds_letters_one_by_one() -> None:
    """A letter without a capital of one letter stays."""
    assert [row.tablespace for row in rows("CREATE TABLESPACE straße MANAGED BY SYSTEM USING ('/a');")] == [
        "STRAßE"
    ]
