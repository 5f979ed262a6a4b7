from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.ddl import NOT_READ, SqlStatement, TokenCursor, size, statements
from zmon.listing.sql_scanner import (
    BROKEN,
    COMMAND,
    COMMENT,
    MAX_LITERAL,
    NAME,
    NUMBER,
    STANDARD,
    STRING,
    SYMBOL,
    WORD,
    SqlDialect,
    SqlToken,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def everything(_head: str) -> bool:
    return True


def tablespaces(head: str) -> bool:
    return "TABLESPACE" in head


def all_of(text: str | Iterable[str], terminator: str = "") -> list[SqlStatement]:
    return [one for one in statements(text, everything, terminator) if isinstance(one, SqlStatement)]


DOLLARS = SqlDialect(commands=r"SET|!", lines=r"REM|\\\\", nested=True, dollars=True)


def words(text: str, terminator: str = "") -> list[list[str]]:
    return [[token.text for token in one.tokens] for one in all_of(text, terminator)]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for one in all_of(text) for token in one.tokens]


def test_needs_no_blank_between_a_string_and_a_number() -> None:
    """A page count may follow the closing quote at once."""
    assert kinds("FILE 'a'262144,") == [(WORD, "FILE"), (STRING, "a"), (NUMBER, "262144"), (SYMBOL, ",")]


def test_makes_doubled_quotes_single() -> None:
    """Two quotes within quotes are one."""
    assert kinds("""'it''s' "a ""b\" """) == [(STRING, "it's"), (NAME, 'a "b')]


def test_keeps_lines_within_a_string() -> None:
    """A string may go over lines, and the next token has its own line."""
    (one,) = all_of("'a\nb' c")
    assert [(token.text, token.line) for token in one.tokens] == [("a\nb", 1), ("c", 2)]


def test_finds_no_comment_in_quotes() -> None:
    """Comment marks in quotes are text."""
    assert kinds("'--' \"/* \" '*/'") == [(STRING, "--"), (NAME, "/* "), (STRING, "*/")]


def test_finds_no_quote_in_comments() -> None:
    """Quotes in comments open nothing."""
    assert words("a -- it's\n b /* it's */ c") == [["a", "b", "c"]]


def test_gives_comments_as_tokens() -> None:
    """A comment comes with its text, where it begins."""
    found = [one for one in statements("x; --#y\n/* z\n*/", everything) if isinstance(one, SqlToken)]
    assert [(one.kind, one.text, one.line) for one in found] == [(COMMENT, "#y", 1), (COMMENT, " z\n", 2)]


def test_ends_a_statement_at_a_semicolon() -> None:
    """Without another word a semicolon ends a statement."""
    assert words("a b; c") == [["a", "b"], ["c"]]


def test_ends_a_statement_at_a_slash_alone_on_its_line() -> None:
    """SQL*Plus ends a statement so; a division does not."""
    assert words("a / b\n / \nc") == [["a", "/", "b"], ["c"]]


def test_ends_a_statement_at_a_terminator_that_nobody_named() -> None:
    """One of the usual signs at the end of a line ends a statement, after a name too."""
    assert words("a b@\nc @\nd@e f") == [["a", "b"], ["c"], ["d@e", "f"]]


def test_ends_a_statement_only_at_the_terminator_that_was_named() -> None:
    """With `-td@` a semicolon is a sign like others."""
    assert words("a; b@c", "@") == [["a", ";", "b"], ["c"]]


def test_takes_a_word_as_terminator() -> None:
    """A terminator that is a word does not end within others."""
    assert words("a GONE b GO c", "GO") == [["a", "GONE", "b"], ["c"]]


def test_changes_the_terminator_when_a_comment_says_so() -> None:
    """`--#SET TERMINATOR x` counts from there on."""
    assert words("a;b\n--#SET TERMINATOR @\n;c@d") == [["a"], ["b", ";", "c"], ["d"]]


def test_starts_a_statement_where_a_line_creates_something() -> None:
    """A forgotten terminator hides nothing."""
    assert words("SET ECHO ON\nCREATE x\n  ALTER y create z") == [
        ["SET", "ECHO", "ON"], ["CREATE", "x"], ["ALTER", "y", "create", "z"],
    ]  # fmt: skip


def test_resumes_within_a_statement_that_nobody_wants() -> None:
    """A long statement that is never terminated hides none that starts on a line of its own."""
    text = "SELECT a, b, c, d, e, f, g FROM h\nCREATE TABLESPACE t\n"
    assert [one.line for one in statements(text, tablespaces) if isinstance(one, SqlStatement)] == [2]


def test_passes_over_statements_by_their_first_word() -> None:
    """With the words that are wanted at all, others are passed over at once."""
    text = "INSERT TABLESPACE; CREATE TABLESPACE t; insert 'CREATE' ;drop TABLESPACE u;"
    found = statements(text, tablespaces, verbs={"CREATE", "DROP"})
    assert [one.tokens[2].text for one in found if isinstance(one, SqlStatement)] == ["t", "u"]


def test_passes_over_strings_of_what_nobody_wants() -> None:
    """A terminator or a statement in a string of a passed one is no such thing."""
    text = "INSERT INTO a VALUES (1, 2, 'x;\nCREATE TABLESPACE no;''', q'[it's;]');\nCREATE TABLESPACE t;"
    assert [one.line for one in statements(text, tablespaces) if isinstance(one, SqlStatement)] == [3]


def test_reads_the_other_quotes_of_oracle() -> None:
    """A string after `q` ends at the bracket that closes its first."""
    assert kinds("q'[it's]' x") == [(STRING, "it's"), (WORD, "x")]


def test_reports_a_quote_that_is_never_closed() -> None:
    """What it swallows is known to be lost."""
    (one,) = all_of("CREATE TABLESPACE t 'abc\n;\n")
    assert " line 1 " in one.broken


def test_reports_a_literal_that_is_too_long() -> None:
    """A literal beyond the limit is not kept, and what follows is read."""
    found = all_of(f"CREATE TABLESPACE t '{'x' * (MAX_LITERAL + 1)}'; b")
    assert [bool(one.broken) for one in found] == [True, False]


def test_ends_at_the_end() -> None:
    """The last statement needs no terminator, and nothing is no statement."""
    assert (words("a b"), words(" ;; ")) == ([["a", "b"]], [])


def test_reads_the_same_however_the_text_is_cut() -> None:
    """Lines, one string, and blanks at the beginning make no difference."""
    text = "CREATE TABLESPACE 'a''b' -- c\n 17;\nALTER x;"
    assert all_of(text.splitlines(keepends=True)) == all_of(text)


def test_folds_a_name_that_is_not_quoted() -> None:
    """The catalogue stores it in upper case; a quoted one as it is."""
    assert (SqlToken(WORD, "ts", 1).stored, SqlToken(NAME, 'a"b', 1).stored) == ("TS", 'a"b')


def test_spells_a_quoted_name_with_its_quotes() -> None:
    """The spelling can be put in a statement again."""
    assert SqlToken(NAME, 'a"b', 1).spelled == '"a""b"'


def test_counts_in_units() -> None:
    """A unit letter is of 1024s; without one a size is in bytes; a number that is no size is noted."""
    (one,) = all_of("10 M REUSE 3 REUSE 2G REUSE 1.5")
    cursor = TokenCursor(one.tokens)
    sizes = []
    while not cursor.done:
        sizes.append(size(cursor))
        cursor.words("REUSE")
    assert sizes == [10 << 20, 3, 2 << 30, None]
    assert [token.text for token, _ in cursor.mistakes] == ["1.5"]


def test_passes_over_a_group() -> None:
    """A group ends at its own parenthesis."""
    (one,) = all_of("(a (b) c) d")
    cursor = TokenCursor(one.tokens)
    cursor.group()
    assert cursor.here.text == "d"


def told(text: str) -> list[tuple[int, str]]:
    """The line and reason of each statement that is not read as it stands."""
    found = statements(text, tablespaces, verbs={"CREATE"}, dialect=DOLLARS)
    return [
        (one.line, one.reason or one.broken)
        for one in found
        if isinstance(one, SqlStatement) and (one.suspect or one.broken)
    ]


def test_ends_a_command_of_the_client_with_its_line() -> None:
    """Its quotes open nothing; within a statement only the commands that may be there are some."""
    text = "SET it's\nCREATE a\nREM it's\n SET 'b';\n\\\\echo it's\n!it's\nCREATE c"
    found = list(statements(text, everything, dialect=DOLLARS))
    lines = [(one.line, one.text) for one in found if isinstance(one, SqlToken) and one.kind == COMMAND]
    assert lines == [(1, "SET it's"), (3, "REM it's"), (5, "\\\\echo it's"), (6, "!it's")]
    read = [[token.text for token in one.tokens] for one in found if isinstance(one, SqlStatement)]
    assert read == [["CREATE", "a", "SET", "b"], ["CREATE", "c"]]


def test_passes_over_a_command_in_a_statement_that_nobody_wants() -> None:
    """An apostrophe in it hides nothing."""
    text = "EXEC x('y')\nREM don't\nCREATE TABLESPACE a;\n"
    found = statements(text, tablespaces, verbs={"CREATE"}, dialect=DOLLARS)
    assert [one.line for one in found if isinstance(one, SqlStatement)] == [3]


def test_reads_the_literals_of_postgresql() -> None:
    """Dollars and backslashes quote there; comments may be in comments."""
    text = r"$$it's$$ $a$ $b$ '$a$ E'it\'s' e'a''b\\' /* /* ' */ ' */ 'x'"
    found = list(statements(text, everything, dialect=DOLLARS))
    (one,) = [each for each in found if isinstance(each, SqlStatement)]
    assert [token.text for token in one.tokens] == ["it's", " $b$ '", "it's", "a'b\\", "x"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("BEGIN\nEXECUTE IMMEDIATE 'CREATE TABLESPACE b';\nEND;", 2),
        ("BEGIN\nEXECUTE IMMEDIATE '\nCREATE UNDO TABLESPACE b';\nEND;", 3),
        ("psql -c \"CREATE TABLESPACE b LOCATION '/b'\"", 1),
        ('"CREATE TABLESPACE b"', 1),
        ("SELECT don't\n\nCREATE TABLESPACE b 'x';", 3),
        ("SELECT $$don't\nCREATE TABLESPACE b 'x';$$;", 2),
        ("SELECT 'x\n" + "y\n" * 40000 + "CREATE TABLESPACE b '", 40002),
        ("CREATE FUNCTION a AS 'CREATE TABLESPACE b';", 1),
    ],
)
def test_reports_a_statement_that_something_else_hides(text: str, line: int) -> None:
    """Nothing is swallowed without a word."""
    assert (line, NOT_READ) in told(f"{text}\n")


def test_reports_every_statement_that_is_hidden() -> None:
    """One quote may hide them all."""
    text = "SELECT don't\n" + 'CREATE TABLESPACE b "x";\n' * 3000 + "';\n"
    assert [line for line, _ in told(text)] == list(range(2, 3002))


def test_takes_a_privilege_for_no_statement() -> None:
    """It has the words of one."""
    assert told("GRANT CREATE TABLESPACE TO a; AUDIT ALTER TABLESPACE BY ACCESS;\n") == []


def test_reports_a_comment_that_is_never_closed() -> None:
    """It hides all that follows, on the line on which it begins."""
    ((line, words),) = told("CREATE TABLESPACE a;\n\n/* CREATE TABLESPACE b;\n")
    assert (line, " line 3 " in words, words == NOT_READ) == (3, True, False)


@pytest.mark.parametrize("cut", ["C", "CREATE", "CREATE RE", "CREATE TABLESPACE b USING (", "ALTER TABLE x"])
def test_reports_where_a_listing_is_cut(cut: str) -> None:
    """The statement that nothing ends may lack something, if those before it have ends."""
    assert told(f"CREATE TABLESPACE a\n{cut}") == []
    (one,) = told(f"CREATE TABLESPACE a;\n{cut}")
    assert (one[0], "may be cut" in one[1]) == (2, True)


def test_holds_little_of_a_large_text() -> None:
    """What nobody wants is not kept, nor one line without an end."""

    def lines() -> Iterator[str]:
        for number in range(3000):
            yield f"CREATE TABLE t{number} (a INTEGER, b VARCHAR(80) DEFAULT 'x;y') IN ts; -- {'z' * 200}\n"
        for _ in range(3000):
            yield "INSERT INTO t VALUES ('" + "x" * 500

    tracemalloc.start()
    found = sum(isinstance(one, SqlStatement) for one in statements(lines(), tablespaces))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found <= 1, peak < 2_000_000) == (True, True)


PARTS = st.sampled_from(
    ["CREATE ", "TABLESPACE ", "'", '"', "--", "/*", "*/", "\n", ";", "/", "@", "(", ")", ",", "1", "K", " ",
     "q'[", "#SET TERMINATOR ", "x", "$N", "\r", "\0", "é",
     "$$", "E'", "\\", "REM ", "SET "]
)  # fmt: skip


@given(
    st.lists(PARTS, max_size=60).map("".join),
    st.sampled_from(["", "@", ";", "GO", "--", "'"]),
    st.sampled_from([STANDARD, DOLLARS]),
)
def test_reads_anything(text: str, terminator: str, dialect: SqlDialect) -> None:
    """No text makes it fail, or loses count of the lines."""
    last = text.count("\n") + 1
    for one in statements(text, tablespaces, terminator, {"CREATE"}, dialect):
        assert 1 <= one.line <= last


@given(st.lists(st.tuples(st.sampled_from([STRING, NAME]), st.text(max_size=20)), min_size=1, max_size=20))
def test_reads_what_was_quoted(tokens: list[tuple[str, str]]) -> None:
    """Any text in quotes comes back as it was."""
    mark = {STRING: "'", NAME: '"'}
    text = " ".join(
        mark[kind] + content.replace(mark[kind], mark[kind] * 2) + mark[kind] for kind, content in tokens
    )
    assert kinds(text) == tokens


@given(st.text())
def test_breaks_only_at_what_is_open(text: str) -> None:
    """Without quotes nothing is broken."""
    bare = text.replace("'", "").replace('"', "")
    assert not any(token.kind == BROKEN for one in all_of(bare) for token in one.tokens)
