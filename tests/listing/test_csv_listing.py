from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.containers import ASM_FILE, ASM_GROUP, RELATIVE, ROLES, Container, Options
from zmon.listing.csv_listing import COLUMNS, FURTHER, parse, recognise

names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30)


def one(text: str, options: Options | None = None) -> Container:
    """Return the only container of a listing."""
    (row,) = parse(text, "x.csv", options or Options()).containers
    return row


@given(names, names, st.sampled_from(ROLES), st.integers(0, 10**18), st.permutations(COLUMNS[:4]))
def test_any_names_come_back(name: str, file: str, role: str, size: int, order: list[str]) -> None:
    """Names with blanks, quotes and commas are what was written, in any order of columns."""
    cells = {"tablespace": name, "path": f"/{file}", "role": role, "bytes": str(size)}
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, order)
    writer.writeheader()
    writer.writerow(cells)
    row = one(written.getvalue())
    assert (row.tablespace, row.path, row.role, row.bytes_declared) == (name, f"/{file}", role, size)
    assert not row.problem


@given(st.text() | st.text(alphabet='path,tablespace"\n;/#0.5').map("tablespace,path\n{}".format))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Of any text there are containers, or a ValueError."""
    recognise(text)
    try:
        parse(text)
    except ValueError:
        return


@given(st.integers(0, 200), st.characters())
def test_damage_gives_no_other_path(place: int, letter: str) -> None:
    """A row into which something was typed is what was typed, or has a problem: never half of a path."""
    text = 'TS1,"/db/a,b",data,1024,10,20\nTS2,/db/c,log,2048,30,40\n'
    damaged = text[:place] + letter + text[place:]
    try:
        found = parse(damaged).containers
    except ValueError:
        return
    for row in found:
        assert row.problem or row.path in damaged.replace('""', '"')


def test_without_a_heading_the_order_is_known() -> None:
    """tablespace, path, role, bytes, and two rates that are not used."""
    row = one("TS,/db/f,index,4096,10.5,20\n")
    assert (row.tablespace, row.path, row.role, row.bytes_declared) == ("TS", "/db/f", "index", 4096)
    assert row.place == "x.csv:1"


def test_two_columns_are_enough() -> None:
    """What is left out is not known, and not zero."""
    row = one("TS,/db/f")
    assert (row.role, row.bytes_declared) == ("unknown", None)


def test_a_heading_names_what_else_is_known() -> None:
    """The database, the table, the kind and the base directory have columns of their own."""
    row = one("path,base_dir,table,database,tablespace,kind\nf,/db,T,D,TS,device\n")
    assert (row.located, row.table, row.database, row.tablespace, row.kind) == (
        "/db/f",
        "T",
        "D",
        "TS",
        "device",
    )


def test_a_column_nobody_knows_is_told() -> None:
    """What is not read is said."""
    found = parse("tablespace,path,colour\nTS,/f,red\n")
    assert "'colour'" in found.notes[0].text
    assert found.containers[0].path == "/f"


def test_a_heading_without_a_tablespace_is_refused() -> None:
    """A path of nothing cannot be spread."""
    with pytest.raises(ValueError, match=r"line 1: .* no tablespace"):
        parse("name,path\nTS,/f\n")


def test_a_path_that_ends_in_a_slash_is_a_directory() -> None:
    """So a listing can say it where nobody can look."""
    assert one("TS,/db/ts/").kind == "directory"
    assert not one("TS,/db/ts").kind


def test_further_rows_are_further_containers() -> None:
    """A tablespace has as many containers as rows."""
    assert len(parse("TS,/a\nTS,/b\n").containers) == 2


def test_the_same_file_twice_counts_once() -> None:
    """A double is left out and told."""
    found = parse("TS,/a\nTS,/a\n")
    assert len(found.containers) == 1
    assert found.notes[0].line == 2


def test_a_relative_path_counts_with_its_directory() -> None:
    """Two clusters of PostgreSQL have files of the same names; the heading may come again."""
    head = "tablespace,base_dir,path\n"
    rows = parse(f"{head}T,/pg1,global/1\n{head}T,/pg2,global/1\nT,/pg2/global,1\n").containers
    assert [(row.located, row.problem) for row in rows] == [("/pg1/global/1", ""), ("/pg2/global/1", "")]


def test_blanks_around_a_field_do_not_count() -> None:
    """Unless there are quotes in the row."""
    rows = parse('Tablespace , Path\n T , /db/a \n"T ","/db/b "\n').containers
    assert [(row.tablespace, row.path, row.problem) for row in rows] == [
        ("T", "/db/a", ""),
        ("T ", "/db/b ", ""),
    ]


@pytest.mark.parametrize("line", ["# old: not used", "# T, not used", "#"])
def test_a_comment_may_stand_anywhere(line: str) -> None:
    """A name may begin as it does; then there is a path."""
    rows = parse(f"T,/db/a\n{line}\n#T,/db/b\n").containers
    assert [(row.tablespace, row.path) for row in rows] == [("T", "/db/a"), ("#T", "/db/b")]


@pytest.mark.parametrize("sign", [",", ";", "|"])
def test_the_separator_that_excel_names_is_no_tablespace(sign: str) -> None:
    """It stands in the first line."""
    text = f"sep={sign}\r\ntablespace{sign}path\r\nT{sign}/db/a\r\n"
    assert recognise(text)
    row = one(text)
    assert (row.tablespace, row.path, row.line) == ("T", "/db/a", 3)


def test_a_relative_path_needs_a_directory() -> None:
    """Where it starts, the options may say."""
    assert one("TS,f").problem == RELATIVE
    assert one("TS,f", Options(base_dir="/db")).located == "/db/f"


def test_the_database_may_be_given() -> None:
    """What the listing does not name, a person may."""
    assert one("TS,/f", Options(database="D")).database == "D"


def test_a_word_that_is_no_role_does_not_hinder_placing() -> None:
    """It is noted with the one that is meant; a part of a path behind a comma is no word."""
    found = parse("tablespace,path,role\nTS,/a,weird\nTS,/b,indx\nTS,/c,d.dbf\n")
    assert [(one.path, one.role, bool(one.problem)) for one in found.containers] == [
        ("/a", "unknown", False), ("/b", "unknown", False), ("/c", "unknown", True)
    ]  # fmt: skip
    assert [(note.line, note.text.partition(",")[0], note.unread) for note in found.notes] == [
        (2, "'weird' is no role", True), (3, "'indx' is no role (is index meant?)", True),
        (4, "row not understood: 'd.dbf' is no role", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("TS", "no path"),
        ("TS,", "no path"),
        ("TS,/a,b/c", "no role"),
        ("TS,/a,b/c,data,1,2,3", "7 fields in 6 columns"),
        ('"T"S,/a', "doubled"),
        ("TS,/a\0b", "NUL"),
    ],
)
def test_a_row_that_cannot_be_used_says_why(row: str, problem: str) -> None:
    """Nothing that was listed is dropped."""
    found = parse(f"TS0,/z\n{row}\n").containers
    assert problem in found[1].problem
    assert found[1].line == 2


@pytest.mark.parametrize("words", ["12x", "-1", "1e3", "9" * 30, "٣"])
def test_a_number_that_is_none_is_told(words: str) -> None:
    """The container stays, without the number."""
    found = parse(f"TS,/a,data,{words},{words},{words}\n")
    assert found.containers[0].bytes_declared is None
    assert len(found.notes) == 3


def test_a_comment_may_name_the_host() -> None:
    """So that nobody takes it for a listing of this machine."""
    assert parse("# host: dbserver1\nTS,/f\n").host == "dbserver1"
    assert parse("tablespace,path,host\nTS,/f,dbserver2\n").host == "dbserver2"


def test_a_byte_order_mark_is_no_name() -> None:
    """What a spreadsheet puts first is not in the heading."""
    assert one("\ufefftablespace;path\r\nTS;/f\r\n").tablespace == "TS"


@pytest.mark.parametrize(
    "head", ["tablespace,path\n", "TS,/f\n", "# c\nTS,+DATA/f,log\n", "path;tablespace\n"]
)
def test_it_is_recognised(head: str) -> None:
    """By a heading, or by a path in the second column."""
    assert recognise(head)


@pytest.mark.parametrize("head", ["", "hello\n", "root:x:0:0\n", "a,b\n", '"TS"x,/f\n', "path,name\n"])
def test_other_texts_are_not(head: str) -> None:
    """What has no path is not taken for a listing."""
    assert not recognise(head)


def test_the_columns_are_documented() -> None:
    """The description names every column there is."""
    import zmon.listing.csv_listing as module  # noqa: PLC0415 - its own text is looked at

    assert all(column in (module.__doc__ or "") for column in (*COLUMNS, *FURTHER))


def test_many_rows_that_are_not_understood_are_counted() -> None:
    """The first are kept, so that a file of nothing else costs little memory."""
    found = parse("tablespace,path\n" + "x\n" * 5000)
    assert len(found.containers) == 1000
    assert found.notes[-1].text.startswith("4,000 more rows ")


def test_many_rows_of_one_path_are_counted() -> None:
    """Whether they are of one tablespace, or each of its own."""
    found = parse("t,/a\n" * 5000 + "".join(f"t{number},/a\n" for number in range(5000)))
    assert len(found.containers) == 5001
    assert found.notes[-1].text.startswith("3,999 more rows ")


def test_reports_a_column_whose_name_is_mistyped() -> None:
    """What is in it would be lost; a column of another name is only noted."""
    notes = parse("tablespace,path,rol,byts,owner\nA,/a,data,5,joe\n").notes
    assert [(note.text, note.unread) for note in notes] == [
        ("column 'rol' is not read (is role meant?)", True),
        ("column 'byts' is not read (is bytes meant?)", True),
        ("not read: columns 'owner'", False),
    ]


@pytest.mark.parametrize(("path", "kind"), [("+DATA/ORCL/a.dbf", ASM_FILE), ("+DATA", ASM_GROUP)])
def test_a_path_of_a_disk_group_is_not_relative(path: str, kind: str) -> None:
    """Names of ASM's disk groups begin with a plus, whoever writes them."""
    row = one(f"tablespace,path\nASMTS,{path}\n")
    assert (row.kind, row.problem) == (kind, "")
