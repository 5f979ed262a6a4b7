from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.shell_script import MAX_COMMANDS, VARIABLE, is_script, script_statements

if TYPE_CHECKING:
    from zmon.listing.not_understood import Note


def read(text: str) -> tuple[list[str], list[Note]]:
    notes: list[Note] = []
    return [line.rstrip("\n") for line in script_statements(text, notes)], notes


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ('db2 "drop x"', ["drop x; "]),
        ('db2 -v "drop \\"x\\" \\$y"; db2 "drop z" # why', ['drop "x" $y; drop z; ']),
        ('ssh h db2 "\\"drop x \\(y\\)\\""', ["drop x \\(y\\); "]),
        ("db2 'drop \"x\"'", ['drop "x"; ']),
        ("db2 drop \\(x\\) || exit 1", ["drop (x) ; "]),
        ("db2 drop \\\nx", ["drop ", "x; "]),
        ('db2 "drop\nx"', ["drop", "x; "]),
        ("db2 -tv <<EOF\ndrop x;\nEOF\necho 'y", ["", "drop x;", ";", ""]),
        ('echo it\'s\n# db2 "drop x"\nif true; then', ["", "", ""]),
        ("db2 drop x \"(file '/x' 2G)\" || true", ["drop x (file '/x' 2G) ; "]),
        ("db2 drop x '(y; z)'; echo", ["drop x (y; z); "]),
        ("db2 drop x using '/y'", ["drop x using '/y'; "]),
        ('db2 drop x "(y,\nz)" a', ["drop x (y,", "z); "]),
        ('db2 "drop s$i ${j} \\$k $"', [f"drop s{VARIABLE}i {VARIABLE}{{j}} $k $; "]),
        ("db2 drop s$i '$j'", [f"drop s{VARIABLE}i $j; "]),
        ("db2 <<EOF\ndrop s$i \\$j;\nEOF", ["", f"drop s{VARIABLE}i $j;", ";"]),
        ("db2 <<'EOF'\ndrop s$i;\nEOF", ["", "drop s$i;", ";"]),
        ("drop x\ny;\necho z", ["drop x", "y;", ""]),
    ],
)
def test_script_statements_a_script_are_read(script: str, lines: list[str]) -> None:
    """Each on the line on which it stands; all else is empty."""
    assert read(f"#!/bin/sh\n{script}\n") == (["", *lines], [])


@pytest.mark.parametrize("text", ["CREATE TABLESPACE x;\n", "-- db2 'x'\n", "CONNECT TO db2 ;\n"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    """SQL is no script."""
    assert not is_script(text)
    assert "".join(script_statements(text, [])) == text


def test_what_a_script_runs_is_told() -> None:
    """Its statements may be about tablespaces."""
    (note,) = read("#!/bin/sh\ndb2 -tvf more.sql\n")[1]
    assert (note.line, note.unread) == (2, True)
    assert "more.sql" in note.text


def test_a_misspelt_statement_between_commands_is_named() -> None:
    """Its first word is no word of SQL, so it may be any command; its clauses are those of a tablespace."""
    lines, notes = read("CRATE TABLESPACE A3 MANAGED BY DATABASE USING (FILE '/x' 10)\ndb2 'drop x'\n")
    assert lines == ["", "drop x; "]
    assert [note.line for note in notes] == [1]
    assert "CRATE TABLESPACE A3" in notes[0].text
    assert not read("echo creating tablespace A3 using defaults\ndb2 'drop x'")[1]


def test_commands_of_a_line_are_bounded() -> None:
    """And that there are more is told."""
    (note,) = read("#!/bin/sh\n" + "db2 a;" * (MAX_COMMANDS + 5) + "\n")[1]
    assert note.line == 2


@given(st.text("#!/binsh\n db2\"'\\<EOF;-v()$"))
def test_any_script_keeps_its_lines(text: str) -> None:
    """There are as many as before."""
    script = f"#!/bin/sh\n{text}"
    assert len(list(script_statements(script, []))) == len(script.splitlines(keepends=True))
