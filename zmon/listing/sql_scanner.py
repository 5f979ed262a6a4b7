"""SQL text split into tokens, in one pass and bounded memory.

Time is linear in the length of the text, and no piece or literal is held beyond a limit.  A dialect
describes the commands and extensions of a client.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

WORD: Final = "word"
NAME: Final = "name"
STRING: Final = "string"
NUMBER: Final = "number"
SYMBOL: Final = "symbol"
COMMENT: Final = "comment"
COMMAND: Final = "command"
HIDDEN: Final = "hidden"
BROKEN: Final = "broken"
END: Final = "end"

PIECE: Final = 1 << 16
"""Characters that are scanned at once."""
MAX_LITERAL: Final = 1 << 16
"""Characters of a literal that are kept; a longer one is broken."""
TOO_LONG: Final = f"is longer than {MAX_LITERAL} characters"


class SqlToken(NamedTuple):
    """One word of SQL."""

    kind: str
    """`word` (unquoted), `name` ("quoted"), `string` ('quoted'), `number`, `symbol`, `comment`, `command` of
    the client, `end` of a statement, `hidden`: a statement about files in quotes or in a statement that is
    passed over, or `broken`: a literal or comment that is never closed, or a literal that is too long."""
    text: str
    """Without quotes, doubled quotes made single."""
    line: int
    """Where it starts, counted from 1."""
    first: bool = False
    """Only blanks precede it on its line."""
    joined: bool = False
    """No blank precedes it."""

    @property
    def stored(self) -> str:
        """An identifier as the catalogue stores it."""
        if self.kind != WORD:
            return self.text
        # no letter becomes two, as ß would
        return "".join(char if len(char.upper()) > 1 else char.upper() for char in self.text)

    @property
    def spelled(self) -> str:
        """An identifier as it is written."""
        return self.text if self.kind == WORD else '"' + self.text.replace('"', '""') + '"'


class SqlDialect(NamedTuple):
    """The extensions to standard SQL of a database and of the client that runs its statements."""

    commands: str = r"(?!)"
    """Pattern of what begins a command of the client, to the end of its line, where no statement is open."""
    lines: str = r"(?!)"
    """The same for commands that may be within a statement, too, on lines of their own."""
    nested: bool = False
    """Whether there may be comments in a comment."""
    objects: Collection[str] = ()
    """Objects with files besides tablespaces: statements about them may be mistyped, too."""
    dollars: bool = False
    """Whether `$$text$$` and `E'it\\'s'` are literals."""


STANDARD: Final = SqlDialect()

_HIDDEN: Final = re.compile(
    r"\b(?:(?:CREATE|ALTER)\s+(?:OR\s+REPLACE\s+)?(?:(?:REGULAR|LARGE|LONG|SYSTEM|USER|TEMPORARY|BIGFILE"
    r"|SMALLFILE|UNDO|LOCAL|GLOBAL)\s+){0,3}TABLESPACE\b(?!\s*(?:[,;]|TO\b|BY\b|WHENEVER\b))"
    r"|ALTER\s+DATABASE\s+(?:ADD|RENAME|MOVE)\b|CREATE\s+CONTROLFILE\b)[^\n]{0,80}",
    re.IGNORECASE,
)
"""A statement about files, wherever it is, and the rest of its line; a privilege of that name is none."""
_HIDDEN_WORDS: Final = ("TABLESPACE", "DATABASE", "CONTROLFILE")


def hidden_statements(text: str, line: int = 0) -> Iterator[SqlToken]:
    """Yield the statements about files that a text has anywhere, each as one token of its line."""
    upper = text.upper()
    if not any(word in upper for word in _HIDDEN_WORDS):
        return
    place = 0
    for match in _HIDDEN.finditer(text):
        line += text.count("\n", place, match.start())
        place = match.start()
        yield SqlToken(HIDDEN, match[0], line)


_EOL: Final = r"(?=[ \t]*\r?(?:\n|\Z))"
_TERMINATOR: Final = re.compile(r"#SET\s+TERMINATOR\s+(\S{1,8})", re.IGNORECASE)
_ALTERNATIVE: Final = re.compile(r"(?<![\w#$@])(?:[nN]?[qQ]|[eE])(?=')")
_COMMENT_MARK: Final = re.compile(r"/\*|\*/")
_ESCAPED: Final = re.compile(r"\\(.)|''", re.DOTALL)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}


def _bounded(terminator: str) -> str:
    """The pattern of the terminator; one that is a word must not be part of a longer word."""
    return rf"(?<!\w){re.escape(terminator)}(?!\w)" if terminator[-1].isalnum() else re.escape(terminator)


def _pattern(terminator: str, dialect: SqlDialect) -> re.Pattern[str]:
    """The pattern of every token; of literals that continue behind the piece only the opening."""
    ends = _bounded(terminator) if terminator else f";|[@%!~^]{_EOL}"
    signs = "".join(sign for sign in "#$@" if sign not in terminator)
    inner = rf"[\w{signs}]" if terminator else r"[\w#$]|@(?![ \t]*\r?(?:\n|\Z))"
    dollars = r"(?P<escapes>(?<![\w$])[eE]')|(?P<dollars>(?<![\w$])\$(?:[^\W\d]\w{0,62})?\$)|"
    return re.compile(
        (dollars if dialect.dollars else "")
        + rf"(?P<blank>[\s\ufeff\x00\x1a]+)|(?P<end>{ends})|(?P<comment>--)|(?P<block>/\*)|(?P<slash>/{_EOL})"
        r"|(?P<alternative>[nN]?[qQ]'(?=[^\s']))|(?P<text>'[^']*'(?:'[^']*')*(?!'))|(?P<string>')"
        r"|(?P<known>\"[^\"]*\"(?:\"[^\"]*\")*(?!\"))|(?P<name>\")|(?P<number>[0-9]+(?:\.[0-9]+)?)"
        rf"|(?P<word>(?!\d)(?:{inner})(?:{inner})*)|(?P<symbol>.)",
        re.DOTALL,
    )


def _dull(terminator: str, dialect: SqlDialect) -> re.Pattern[str]:
    """The pattern of text to skip in an unwanted statement, up to a line that may start another.

    Strings within one line are skipped too.
    """
    ends = re.escape(terminator[0]) if terminator else ";@%!~^"
    if dialect.dollars:
        ends += "$"
    return re.compile(
        rf"(?:[^'\"/\-\n{ends}]+|\n(?![ \t]*(?:(?i:CREATE|ALTER|CONNECT)\b|{dialect.lines}))"
        rf"|(?<![qQ{'eE' * dialect.dollars}])'[^'\n]*'|\"[^\"\n]*\"|-(?!-))+"
    )


def _pieces(text: str | Iterable[str]) -> Iterator[str]:
    """Cut the text into pieces of bounded length that split no token, if possible."""
    held: list[str] = []
    size = 0
    for given in StringIO(text, newline="\n") if isinstance(text, str) else text:
        for start in range(0, len(given), PIECE):
            held.append(given[start : start + PIECE])
            size += len(held[-1])
            if size >= PIECE:
                joined = "".join(held)
                cut = joined.rfind("\n") + 1 or max(joined.rfind(mark) for mark in " \t,()") + 1 or size
                yield joined[:cut]
                held = [joined[cut:]]
                size -= cut
    yield "".join(held)


class SqlScanner:
    """Makes tokens of a text; while `skipping`, only ends of statements and comments."""

    def __init__(self, text: str | Iterable[str], terminator: str, dialect: SqlDialect) -> None:
        self.skipping = False
        self.opened = SqlToken(END, "", 1)
        """The literal or comment that is open, or was last, with what was kept of its text."""
        self._dialect = dialect
        self._commands = re.compile(f"{dialect.lines}|{dialect.commands}")
        self._command_lines = re.compile(dialect.lines)
        self._within = False  # a statement
        self._depth = 0  # of comments
        self._hidden: list[SqlToken] = []
        self._text = text
        self._place = 0  # in the piece
        self._line = 1
        self._first = True
        self._joined = False
        self._closing = ""  # the closing characters of the open literal or comment
        self._kind = ""
        self._escapes = False  # whether it may have backslashes before quotes
        self._kept: list[str] = []
        self._length = 0
        self._since = SqlToken(END, "", 1)
        self._use(terminator)

    def _use(self, terminator: str) -> None:
        self._code = _pattern(terminator, self._dialect)
        self._dull = _dull(terminator, self._dialect)

    def __iter__(self) -> Iterator[SqlToken]:
        for piece in _pieces(self._text):
            self._place = 0
            while self._place < len(piece):
                if self._closing:
                    token = self._inside(piece)
                elif self._is_command(piece) if self._first else self.skipping and self._skip(piece):
                    token = None
                else:
                    match = self._code.match(piece, self._place)
                    assert match is not None  # noqa: S101 - its last alternative is any character
                    self._place = match.end()
                    token = self._token(str(match.lastgroup), match[0], piece)
                if self._hidden:
                    yield from self._hidden
                    self._hidden.clear()
                if token is not None:
                    yield token
        if self._closing:
            self.opened = self._since._replace(text="".join(self._kept))
            ended = self._closing == "\n"
            yield self.opened if ended else self.opened._replace(kind=BROKEN, text="is never closed")
        yield SqlToken(END, "", self._line)

    def _is_command(self, piece: str) -> bool:
        """Return whether a command of the client begins here; it is then open to the end of its line."""
        match = (self._command_lines if self._within else self._commands).match(piece, self._place)
        if match is None:
            return False
        self._first = False
        self._open(SqlToken(COMMAND, "", self._line, first=True), piece)
        return True

    def _search(self, text: str, line: int) -> None:
        """Search skipped text for statements."""
        if self.skipping:
            self._hidden += hidden_statements(text, line)

    def _skip(self, piece: str) -> bool:
        """Skip text here; False if nothing can be skipped."""
        place = self._place
        match = self._dull.match(piece, place)
        if match is None:
            return False
        end = match.end()
        quoting = _ALTERNATIVE.search(piece, max(place, end - 2), end + 1)
        end = quoting.start() if quoting is not None else end
        run = piece[place:end]
        self._search(run, self._line)
        newline = run.rfind("\n")
        self._first = newline >= 0 and not run[newline + 1 :].strip()
        self._line += run.count("\n")
        self._place = end
        return end > place

    def _token(self, kind: str, text: str, piece: str) -> SqlToken | None:
        """Return the token of a match; None for a blank, or the opening of a literal or comment."""
        line, first = self._line, self._first
        if kind == "blank":
            newlines = text.count("\n")
            self._line += newlines
            self._first = first or newlines > 0
            self._joined = False
            return None
        self._first = False
        joined, self._joined = self._joined, True
        self._within = self._within or kind not in {"comment", "block"}
        if kind in _OPENING:
            self._open(SqlToken(kind, "", line, first, joined), piece)
            self._closing = text if kind == "dollars" else self._closing
            return None
        if kind in _QUOTED:
            self._search(text, line)
            self._line += text.count("\n")
            if len(text) - 2 > MAX_LITERAL:
                return SqlToken(BROKEN, TOO_LONG, line, first)
            mark = text[0]
            return SqlToken(_QUOTED[kind], text[1:-1].replace(mark + mark, mark), line, first, joined)
        if kind == "slash":  # alone on its line it ends a statement of SQL*Plus
            kind = END if first else SYMBOL
        self._within = kind != END
        return SqlToken(kind, text, line, first, joined)

    def _open(self, token: SqlToken, piece: str) -> None:
        """Begin a literal or comment, with the characters that close it."""
        self._closing, self._kind = _OPENING[token.kind]
        self._escapes = token.kind == "escapes"
        self._depth = 1
        if token.kind == "alternative":
            opening = piece[self._place : self._place + 1]
            self._closing = _CLOSING.get(opening, opening) + "'"
            self._place += 1
        self._since = token._replace(kind=self._kind)
        self._kept = []
        self._length = 0

    def _inside(self, piece: str) -> SqlToken | None:
        """Read on in an open literal or comment, to its end or to the end of the piece."""
        closing, place = self._closing, self._place
        if closing in _BODY:
            match = (_ESCAPED_BODY if self._escapes else _BODY[closing]).match(piece, place)
            end = match.end() if match is not None else place
        elif closing == "*/" and self._dialect.nested:
            end = self._end_of_comment(piece)
        else:
            end = piece.find(closing, place)
            end = len(piece) if end < 0 else end
        self._length += end - place
        if self._length <= MAX_LITERAL:
            self._kept.append(piece[place:end])
        if self._kind not in {COMMENT, COMMAND}:
            self._search(piece[place:end], self._line)
        self._line += piece.count("\n", place, end)
        self._place = end
        if end == len(piece):
            return None
        if closing != "\n":
            self._place += len(closing)
        return self._closed()

    def _end_of_comment(self, piece: str) -> int:
        """Return the end of a comment that may contain others; the end of the piece if it continues."""
        for mark in _COMMENT_MARK.finditer(piece, self._place):
            self._depth += 1 if mark[0] == "/*" else -1
            if not self._depth:
                return mark.start()
        return len(piece)

    def _closed(self) -> SqlToken | None:
        token = self._since._replace(text="".join(self._kept))
        closing, self._closing = self._closing, ""
        self.opened = token
        if token.kind == COMMAND:
            return token
        if token.kind == COMMENT:
            self._heed(token.text)
            return token
        if self.skipping:
            return None
        if self._length > MAX_LITERAL:
            return token._replace(kind=BROKEN, text=TOO_LONG)
        if self._escapes:
            return token._replace(text=_ESCAPED.sub(lambda match: match[1] or "'", token.text))
        return token._replace(text=token.text.replace(closing * 2, closing)) if closing in _BODY else token

    def _heed(self, comment: str) -> None:
        """Change the terminator if a comment of the Db2 command line sets one."""
        match = _TERMINATOR.match(comment)
        if match is not None:
            self._use(match[1])


_OPENING: Final = {
    "comment": ("\n", COMMENT),
    "block": ("*/", COMMENT),
    "string": ("'", STRING),
    "name": ('"', NAME),
    "alternative": ("]'", STRING),
    "dollars": ("$$", STRING),
    "escapes": ("'", STRING),
    COMMAND: ("\n", COMMAND),
}
_QUOTED: Final = {"text": STRING, "known": NAME}
"""Literals that are whole within a piece."""
_ESCAPED_BODY: Final = re.compile(r"[^'\\]*(?:(?:\\.|'')[^'\\]*)*(?:\\\Z)?", re.DOTALL)
_BODY: Final = {"'": re.compile(r"[^']*(?:''[^']*)*"), '"': re.compile(r'[^"]*(?:""[^"]*)*')}
