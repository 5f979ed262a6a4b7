"""Statements of the directory, each by itself; that no password is kept, the tests of the directory show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.directory_statement import (
    ENTRY_STATEMENTS,
    OTHER_STATEMENTS,
    DirectoryStatement,
    StatementError,
    entry_name,
    parse_statement,
    statement_name,
)
from zmon.topology.claims import Claim

HERE = Claim(origin="x.direct", line=7)


def statement(record: str) -> DirectoryStatement:
    """Read a whole record."""
    return parse_statement(statement_name(record.split(maxsplit=1)[0]), HERE, record, whole=True)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("U", "USER"), ("ID", "IDENTITY"), ("SUBC", "SUBCONFIG"), ("M", "MDISK"),
        ("MDISK=VDEV=0102", "MDISK"),
        ("DED", "DEDICATE"), ("IPL", "IPL"), ("CONS", "CONSOLE"),
        ("DASD", ""), ("DASDOPT", "DASDOPT"), ("HELLO", ""), ("CO", ""), ("I", ""),
    ],
)  # fmt: skip
def test_a_statement_is_known_by_its_abbreviation(word: str, name: str) -> None:
    """Those that are not read have three letters at the least."""
    assert statement_name(word) == name


def test_an_entry_is_somebodys() -> None:
    """The password behind the name is not looked at."""
    assert entry_name("USER LINDB01 S3CRET 4G 8G G") == "LINDB01"
    with pytest.raises(StatementError, match="its name is missing"):
        entry_name("USER")


def test_statements_say_which_device_it_is() -> None:
    """A part of a volume, a real device, another guest's."""
    disk, dedicated, link = map(
        statement, ("MDISK 100 3390 1 50 LNX001 MR", "DEDICATE 7200 7200", "LINK MAINT 190 190 RR")
    )
    part = HERE._replace(vdev="0100", volser="LNX001", first=1, length=50, mode="MR", via="MDISK")
    assert disk == DirectoryStatement("MDISK", (part,))
    whole = HERE._replace(vdev="7200", rdev="7200", via="DEDICATE")
    assert dedicated == DirectoryStatement("DEDICATE", (whole,))
    assert link == DirectoryStatement("LINK", (HERE._replace(vdev="0190", mode="RR"),), "MAINT", "0190")


def test_a_record_that_may_be_cut_gives_doubt() -> None:
    """In its last word, which is a label here."""
    disk = parse_statement("MDISK", HERE, "MDISK 100 3390 1 50 LNX0", whole=False)
    assert "may be cut" in disk.claims[0].weak


@given(
    st.sampled_from(["MDISK", "MDISK=VDEV=1", "DEDICATE", "LINK", "INCLUDE", "BUILD"]),
    st.lists(st.text("0123456789ABCDEFMRWXV=*&-", min_size=1, max_size=9)),
    st.booleans(),
)
def test_any_words_are_read(first: str, words: list[str], whole: bool) -> None:
    """Or what is wrong is said without quoting any of them."""
    record = " ".join((first, *words))
    said = ""
    try:
        parse_statement(statement_name(first), HERE, record, whole=whole)
    except StatementError as error:
        said = str(error)
    assert not [word for word in words if len(word) > 6 and word in said]


def test_no_name_is_of_two_sorts() -> None:
    """A statement begins an entry, is read, or names no disk."""
    assert not set(ENTRY_STATEMENTS) & set(OTHER_STATEMENTS)
