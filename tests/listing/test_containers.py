from __future__ import annotations

import pytest

from zmon.listing.containers import ASM_FILE, DATA, LOG, RELATIVE, Container, content_of, only_name


@pytest.mark.parametrize(
    ("path", "base_dir", "located"),
    [("/a", "/b", "/a"), ("a", "/b", "/b/a"), ("a", "", ""), ("", "/b", "")],
)
def test_locates_a_path(path: str, base_dir: str, located: str) -> None:
    """A relative path starts in the base directory, and nowhere without one."""
    assert Container(path=path, base_dir=base_dir).located == located


def test_locates_a_file_of_a_disk_group() -> None:
    """Its name is whole as it is."""
    assert Container(path="+DATA/x", kind=ASM_FILE, base_dir="/b").located == "+DATA/x"


def test_says_where_it_was_read() -> None:
    """With the line, if there are lines."""
    assert (Container(source="x", line=3).place, Container(source="x").place) == ("x:3", "x")


def test_counts_once_what_a_tablespace_has_twice() -> None:
    """The first stays, and a note says where it is."""
    rows = (Container(tablespace="T", path="/a", line=line, source="x") for line in (1, 2))
    kept, notes = content_of(rows)[:2]
    assert ([row.line for row in kept], [(note.line, note.text) for note in notes]) == (
        [1],
        [(2, "'/a' of 'T' is in x:1 already")],
    )


def test_keeps_what_is_for_something_else() -> None:
    """The same path of another tablespace, partition or role is another row."""
    first = Container(tablespace="T", path="/a", role=DATA)
    rows = (first, first._replace(tablespace="U"), first._replace(partition=1), first._replace(role=LOG))
    assert len(content_of(rows).containers) == 4


def test_keeps_all_rows_without_a_path() -> None:
    """None of them is known to be the same as another."""
    assert len(content_of([Container(problem="x"), Container(problem="x")]).containers) == 2


def test_marks_a_relative_path_that_starts_nowhere() -> None:
    """A problem that is there already stays."""
    kept = content_of(
        [Container(path="a"), Container(path="b", problem="x"), Container(path="c", base_dir="/d")]
    ).containers
    assert [row.problem for row in kept] == [RELATIVE, "x", ""]


def test_names_the_only_one() -> None:
    """Nothing, when there are several or none."""
    assert (only_name(["a", "", "a"]), only_name(["a", "b"]), only_name([])) == ("a", "", "")


@pytest.mark.parametrize("path", ["C:\\db\\x.dbf", "d:/db/x.dbf", "\\\\server\\share\\x"])
@pytest.mark.parametrize("base_dir", ["", "/base"])
def test_a_path_of_windows_is_said_to_be_one(path: str, base_dir: str) -> None:
    """It is no relative path, and no directory makes it one."""
    (row,) = content_of([Container(path=path, base_dir=base_dir)]).containers
    assert "Windows" in row.problem
