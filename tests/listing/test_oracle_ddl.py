from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import containers as c
from zmon.listing import oracle_ddl
from zmon.listing.oracle_ddl import UNKNOWN_VARIABLE

if TYPE_CHECKING:
    from zmon.listing.containers import Container, ListingContent

LISTINGS = Path(__file__).parents[1] / "fixtures/listings"
METADATA = (LISTINGS / "oracle-metadata.sql").read_text()
CONTROLFILE = (LISTINGS / "oracle-controlfile.sql").read_text()


def parse(text: str) -> ListingContent:
    return oracle_ddl.parse(text, "x.sql")


def rows(text: str) -> tuple[Container, ...]:
    return parse(text).containers


def files(text: str) -> list[tuple[str, str, int | None]]:
    return [(row.tablespace, row.path, row.bytes_declared) for row in rows(text)]


def test_reads_names_with_quotes() -> None:
    """Doubled quotes are one, of either sort."""
    assert files(METADATA)[3] == ('O\'Hara "big"', "/u04/o'hara.dbf", 2 << 30)


def test_follows_the_size_of_a_file() -> None:
    """RESIZE is of the same file, which counts once, with the size it has now."""
    assert [file for file in files(METADATA) if file[0] == "SYSTEM"] == [
        ("SYSTEM", "/u02/oradata/SALES/system01.dbf", 943718400)
    ]


def test_keeps_a_file_that_oracle_names() -> None:
    """A size without a name is a row that says where the name is."""
    assert [
        (row.line, row.bytes_declared) for row in rows(METADATA) if row.problem == oracle_ddl.MANAGED
    ] == [(24, 104857600)]


def test_keeps_a_tablespace_that_lists_no_file() -> None:
    """Oracle makes one, whose path the statement does not have."""
    assert [(row.tablespace, row.problem) for row in rows("CREATE TABLESPACE t;")] == [
        ("T", oracle_ddl.MANAGED)
    ]


def test_tells_roles_by_the_statement() -> None:
    """TEMPORARY and UNDO are declared."""
    assert {row.tablespace: row.role for row in rows(METADATA)} == {
        "SYSTEM": c.DATA, "UNDOTBS1": c.UNDO, "TEMP": c.TEMP, 'O\'Hara "big"': c.DATA, "USERS": c.DATA,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/a", c.FILE),
        ("a", c.FILE),
        ("/dev/raw/raw1", c.DEVICE),
        ("+DG", c.ASM_GROUP),
        ("+DG(mirror)", c.ASM_GROUP),
        ("+DG/db/datafile/x.1.2", c.ASM_FILE),
        ("", ""),
    ],
)
def test_tells_what_a_name_is(path: str, kind: str) -> None:
    """A plus is ASM, and what is below /dev a device."""
    assert c.kind_of(path) == kind


def test_marks_relative_paths() -> None:
    """They start in a directory that the statement does not name."""
    assert [row.path for row in rows(METADATA) if row.problem == c.RELATIVE] == ["users01.dbf"]


def test_applies_alterations_in_order() -> None:
    """Files are added, moved, renamed and dropped."""
    text = """CREATE TABLESPACE t DATAFILE '/a' SIZE 1M, '/b' SIZE 2M;
        ALTER TABLESPACE t ADD DATAFILE '/c' SIZE 3M;
        ALTER DATABASE MOVE DATAFILE '/a' TO '/a2' REUSE;
        ALTER DATABASE RENAME FILE '/b', '/c' TO '/b2', '/c2';
        ALTER TABLESPACE t RENAME DATAFILE '/b2' TO '/b3'; ALTER TABLESPACE t DROP DATAFILE '/c2';
        ALTER TABLESPACE t RENAME TO u; ALTER DATABASE DATAFILE '/a2' RESIZE 9M; DROP TABLESPACE x;"""
    assert files(text) == [("U", "/a2", 9 << 20), ("U", "/b3", 2 << 20)]


def test_forgets_a_tablespace_that_is_dropped() -> None:
    """It has no files then."""
    assert files("CREATE TABLESPACE t DATAFILE '/a' SIZE 1M;\nDROP TABLESPACE t INCLUDING CONTENTS;") == []


def test_notes_what_it_does_not_know() -> None:
    """Files that other statements created are altered here."""
    text = "ALTER DATABASE DATAFILE '/a' RESIZE 1M; ALTER DATABASE MOVE DATAFILE '/b' TO '/c';"
    assert [note.text.split(",")[0] for note in parse(text).notes] == [
        "'/a' is resized",
        "'/b' is moved to '/c'",
    ]


def test_reads_all_of_a_control_file() -> None:
    """Logs are logs, every member with its group's size; tablespaces are not named."""
    assert [(row.role, row.path, row.bytes_declared) for row in rows(CONTROLFILE)] == [
        (c.LOG, "/log1/SALES/redo01a.log", 512 << 20),
        (c.LOG, "/log2/SALES/redo01b.log", 512 << 20),
        (c.LOG, "/log1/SALES/redo02.log", 512 << 20),
        (c.UNKNOWN, "/u02/oradata/SALES/system01.dbf", None),
        (c.UNKNOWN, "/u02/oradata/SALES/users01.dbf", None),
        (c.TEMP, "/u03/oradata/SALES/temp01.dbf", 20971520),
    ]


def test_names_the_database() -> None:
    """CREATE CONTROLFILE and CREATE DATABASE do."""
    created = parse("CREATE DATABASE x DATAFILE '/f' SIZE 1M;").containers
    assert {row.database for row in parse(CONTROLFILE).containers} == {"SALES"}
    assert {row.database for row in created} == {"X"}


def test_reads_the_creation_of_a_database() -> None:
    """Its first data files are SYSTEM's, the others are named."""
    text = """CREATE DATABASE x LOGFILE GROUP 1 ('/l1', '/l2') SIZE 5M DATAFILE '/s' SIZE 1M
        SYSAUX DATAFILE '/x' SIZE 1M
        UNDO TABLESPACE u DATAFILE '/u' SIZE 1M DEFAULT TABLESPACE d DATAFILE '/d' SIZE 1M
        DEFAULT TEMPORARY TABLESPACE t TEMPFILE '/t' SIZE 1M;"""
    assert [(row.tablespace, row.path, row.role) for row in rows(text)] == [
        ("", "/l1", c.LOG), ("", "/l2", c.LOG), ("SYSTEM", "/s", c.DATA), ("SYSAUX", "/x", c.DATA),
        ("U", "/u", c.UNDO), ("D", "/d", c.DATA), ("T", "/t", c.TEMP),
    ]  # fmt: skip


def test_adds_and_drops_logs() -> None:
    """Of groups that are dropped by number nobody knows the files, which is noted."""
    text = """ALTER DATABASE x ADD LOGFILE THREAD 2 GROUP 4 ('/a', '/b') SIZE 1M, GROUP 5 '/c' SIZE 1M;
        ALTER DATABASE ADD LOGFILE MEMBER '/d' TO GROUP 5; ALTER DATABASE DROP LOGFILE MEMBER '/a';
        ALTER DATABASE DROP LOGFILE GROUP 5;"""
    assert ([row.path for row in rows(text)], len(parse(text).notes)) == (["/b", "/c", "/d"], 1)


def test_reports_a_path_that_is_listed_twice() -> None:
    """It counts once."""
    found = parse("CREATE TABLESPACE t DATAFILE '/a', '/a';")
    assert (len(found.containers), len(found.notes)) == (1, 1)


def test_recognises_its_format() -> None:
    """By statements and files in them."""
    texts = (METADATA, CONTROLFILE, "CREATE TABLESPACE t MANAGED BY SYSTEM USING ('/a')", "a datafile")
    assert [oracle_ddl.recognise(text) for text in texts] == [True, True, False, False]


NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=20)
FILES = st.lists(
    st.tuples(NAMES.map("/".__add__), st.integers(0, 10**12)),
    min_size=1,
    max_size=5,
    unique_by=lambda one: one[0],
)


@given(
    st.lists(st.tuples(NAMES, FILES), max_size=4, unique_by=lambda one: one[0]),
    st.sampled_from([";", "\n/\n"]),
)
def test_reads_what_was_printed(spaces: list[tuple[str, list[tuple[str, int]]]], end: str) -> None:
    """Whatever names and paths have in them, they come back."""
    text = "".join(
        'CREATE TABLESPACE "{}" DATAFILE{}{}'.format(
            name.replace('"', '""'),
            ",\n".join("'{}'SIZE {}".format(path.replace("'", "''"), size) for path, size in listed),
            end,
        )
        for name, listed in spaces
    )
    assert files(text) == [(name, path, size) for name, listed in spaces for path, size in listed]


WORDS = st.sampled_from(
    [
        "CREATE",
        "ALTER",
        "DROP",
        "RENAME",
        "TABLESPACE",
        "DATABASE",
        "CONTROLFILE",
        "DATAFILE",
        "TEMPFILE",
        "LOGFILE",
        "GROUP",
        "MEMBER",
        "MOVE",
        "ADD",
        "TO",
        "RESIZE",
        "SIZE",
        "7",
        "K",
        "'/a'",
        "'/b'",
        '"c"',
        "(",
        ")",
        ",",
        ";",
        "/",
        "'",
        "--",
        "REUSE",
        "AUTOEXTEND",
        "ON",
        "NEXT",
        "MAXSIZE",
        "UNLIMITED",
        "UNDO",
        "TEMPORARY",
        "THREAD",
    ]
)


@given(st.lists(WORDS, max_size=60).map(" ".join))
def test_survives_any_order_of_words(text: str) -> None:
    """No statement makes it fail, and every row says where it is from."""
    assert all(row.source == "x.sql" and row.line for row in rows(text))


@given(st.integers(0, len(METADATA)), st.integers(0, 60), st.text(max_size=10))
def test_survives_damage(place: int, length: int, put: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes."""
    rows(METADATA[:place] + put + METADATA[place + length :])


@pytest.mark.parametrize("path", ["&path/x.dbf", "/u01/&&sid/x.dbf", "+&group"])
def test_a_variable_of_sqlplus_is_no_path(path: str) -> None:
    """Its value is not in the script, which is told."""
    found = parse(f"CREATE TABLESPACE t DATAFILE '{path}' SIZE 1G;\n")
    assert [row.problem for row in found.containers] == [UNKNOWN_VARIABLE]
    assert [(note.line, note.unread, path in note.text) for note in found.notes] == [(1, True, True)]


def test_an_and_in_a_path_is_no_variable() -> None:
    """As in a name of a department."""
    (row,) = parse("CREATE TABLESPACE t DATAFILE '/u01/R&D/x.dbf' SIZE 1G;\n").containers
    assert (row.path, row.problem) == ("/u01/R&D/x.dbf", "")
