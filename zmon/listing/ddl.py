"""SQL text taken apart into statements: what the readers of Db2's and Oracle's DDL share.

A DDL file is mostly tables, views and triggers, and may be gigabytes; the few statements about
tablespaces are asked for by their first words, the others are passed over without being kept.  Time is
linear in the length of the text, and memory is bounded whatever the text is: no piece, literal or
statement is held beyond a limit, and what is beyond it is reported.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from zmon.listing.containers import NO_OPTIONS, content_of, only_name
from zmon.listing.not_understood import (
    CHANGING_VERBS,
    QUOTED,
    Note,
    is_like,
    is_suspect,
    merge_unread,
    quote,
    similar_word,
)
from zmon.listing.shell_script import VARIABLE, script_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from zmon.listing.containers import Container, ListingContent, Options

WORD: Final = "word"
NAME: Final = "name"
STRING: Final = "string"
NUMBER: Final = "number"
SYMBOL: Final = "symbol"
COMMENT: Final = "comment"
BROKEN: Final = "broken"
END: Final = "end"

PIECE: Final = 1 << 16
"""Characters that are looked at at once."""
MAX_LITERAL: Final = 1 << 16
"""Characters of a literal that are kept; a longer one is broken."""
MAX_TOKENS: Final = 200_000
"""Tokens of a statement that are kept; a longer one is broken."""
TOO_LONG: Final = f"is longer than {MAX_LITERAL} characters"
MAX_HEAD: Final = 6
"""Tokens after which it is clear what a statement is about."""
_MAX_QUOTED: Final = 12
"""Tokens of a statement that a message has at most."""


class SqlToken(NamedTuple):
    """One word of SQL."""

    kind: str
    """`word` (unquoted), `name` ("quoted"), `string` ('quoted'), `number`, `symbol`, `comment`, `end` of a
    statement, or `broken`: a literal that is never closed or is too long."""
    text: str
    """Without quotes, doubled quotes made single."""
    line: int
    """Where it starts, counted from 1."""
    first: bool = False
    """Nothing but blanks is before it on its line."""
    joined: bool = False
    """No blank is before it."""

    @property
    def stored(self) -> str:
        """An identifier as the catalogue stores it."""
        return self.text.upper() if self.kind == WORD else self.text

    @property
    def spelled(self) -> str:
        """An identifier as it is written."""
        return self.text if self.kind == WORD else '"' + self.text.replace('"', '""') + '"'


_SWALLOWED: Final = re.compile(r"\n[ \t]*(?:CREATE|ALTER|DROP|CONNECT)[ \t]", re.IGNORECASE)
"""The next statement, inside a literal."""


class SqlStatement(NamedTuple):
    """The tokens of one statement, without its terminator."""

    tokens: tuple[SqlToken, ...]
    broken: str = ""
    """Why something of it is missing."""
    strange: bool = False
    """None of those that are wanted, but it seems to be about a tablespace: mistyped, or another dialect."""

    @property
    def line(self) -> int:
        """Where it starts."""
        return self.tokens[0].line

    @property
    def beginning(self) -> str:
        """Its first words, for messages."""
        written = "".join((" " * (not each.joined)) + _written(each) for each in self.tokens[:_MAX_QUOTED])
        return quote(written.strip().replace(VARIABLE, "$"))

    @property
    def unreadable(self) -> str:
        """Why nothing of it can be read; empty when it can."""
        if any(VARIABLE in token.text for token in self.tokens):
            return "shell variable, not understood"
        if any(token.kind == STRING and _SWALLOWED.search(token.text) for token in self.tokens):
            return "a quote is missing, which hides the next statement"
        return ""

    def unread(self) -> Note:
        """Return the note that it is not understood, or not whole."""
        broken = f"statement is not whole: {self.broken}" if self.broken else ""
        why = self.unreadable or broken or "statement not understood"
        return Note(self.line, f"{why}: {self.beginning}", unread=True)


def _written(token: SqlToken) -> str:
    return f"'{token.text}'" if token.kind == STRING else token.spelled if token.kind == NAME else token.text


_EOL: Final = r"(?=[ \t]*\r?(?:\n|\Z))"
_TERMINATOR: Final = re.compile(r"#SET\s+TERMINATOR\s+(\S{1,8})", re.IGNORECASE)
_ALTERNATIVE: Final = re.compile(r"(?<![\w#$@])[nN]?[qQ](?=')")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}


def _bounded(terminator: str) -> str:
    """The terminator, which is no part of a word when it is a word itself."""
    return rf"(?<!\w){re.escape(terminator)}(?!\w)" if terminator[-1].isalnum() else re.escape(terminator)


def _pattern(terminator: str) -> re.Pattern[str]:
    """Every token of code; of literals that go on behind the piece only what opens them."""
    ends = _bounded(terminator) if terminator else f";|[@%!~^]{_EOL}"
    signs = "".join(sign for sign in "#$@" if sign not in terminator)
    inner = rf"[\w{signs}]" if terminator else r"[\w#$]|@(?![ \t]*\r?(?:\n|\Z))"
    return re.compile(
        rf"(?P<blank>[\s\ufeff\x00\x1a]+)|(?P<end>{ends})|(?P<comment>--)|(?P<block>/\*)|(?P<slash>/{_EOL})"
        r"|(?P<alternative>[nN]?[qQ]'(?=[^\s']))|(?P<text>'[^']*'(?:'[^']*')*(?!'))|(?P<string>')"
        r"|(?P<known>\"[^\"]*\"(?:\"[^\"]*\")*(?!\"))|(?P<name>\")|(?P<number>[0-9]+(?:\.[0-9]+)?)"
        rf"|(?P<word>(?!\d)(?:{inner})(?:{inner})*)|(?P<symbol>.)",
        re.DOTALL,
    )


def _dull(terminator: str) -> re.Pattern[str]:
    """What can be skipped in a statement that is not wanted, up to a line that may start another.

    Strings are skipped too, but those that go over lines.
    """
    ends = re.escape(terminator[0]) if terminator else ";@%!~^"
    return re.compile(
        rf"(?:[^'\"/\-\n{ends}]+|\n(?![ \t]*(?i:CREATE|ALTER|CONNECT)\b)"
        r"|(?<![qQ])'[^'\n]*'|\"[^\"\n]*\"|-(?!-))+"
    )


def _pieces(text: str | Iterable[str]) -> Iterator[str]:
    """Cut the text into pieces of bounded length that part no token, as far as possible."""
    held: list[str] = []
    size = 0
    for given in StringIO(text, newline="\n") if isinstance(text, str) else text:
        for start in range(0, len(given), PIECE):
            held.append(given[start : start + PIECE])
            size += len(held[-1])
            if size >= PIECE:
                joined = "".join(held)
                cut = max(joined.rfind(mark) for mark in "\n \t,()") + 1 or size
                yield joined[:cut]
                held = [joined[cut:]]
                size -= cut
    yield "".join(held)


class _Scanner:
    """Makes tokens of a text; while `skipping`, only ends of statements and comments."""

    def __init__(self, text: str | Iterable[str], terminator: str) -> None:
        self.skipping = False
        self._text = text
        self._place = 0  # in the piece
        self._line = 1
        self._first = True
        self._joined = False
        self._closing = ""  # of the literal or comment that is open: its last character or characters
        self._kind = ""
        self._kept: list[str] = []
        self._length = 0
        self._since = SqlToken(END, "", 1)
        self._use(terminator)

    def _use(self, terminator: str) -> None:
        self._code = _pattern(terminator)
        self._dull = _dull(terminator)

    def __iter__(self) -> Iterator[SqlToken]:
        for piece in _pieces(self._text):
            self._place = 0
            while self._place < len(piece):
                if self._closing:
                    token = self._inside(piece)
                elif self.skipping and not self._first and self._skip(piece):
                    continue
                else:
                    found = self._code.match(piece, self._place)
                    assert found is not None  # noqa: S101 - its last alternative is any character
                    self._place = found.end()
                    token = self._token(str(found.lastgroup), found[0], piece)
                if token is not None:
                    yield token
        if self._closing:
            comment = self._kind == COMMENT
            yield self._since._replace(
                kind=COMMENT if comment else BROKEN,
                text="".join(self._kept) if comment else "is never closed",
            )
        yield SqlToken(END, "", self._line)

    def _skip(self, piece: str) -> bool:
        """Skip what can be skipped here; False when it is nothing."""
        place = self._place
        found = self._dull.match(piece, place)
        if found is None:
            return False
        end = found.end()
        quoting = _ALTERNATIVE.search(piece, max(place, end - 2), end + 1)
        end = quoting.start() if quoting is not None else end
        run = piece[place:end]
        newline = run.rfind("\n")
        self._first = newline >= 0 and not run[newline + 1 :].strip()
        self._line += run.count("\n")
        self._place = end
        return end > place

    def _token(self, kind: str, text: str, piece: str) -> SqlToken | None:
        """Make the token of what was found; None when it is a blank, or opens something."""
        line, first = self._line, self._first
        if kind == "blank":
            newlines = text.count("\n")
            self._line += newlines
            self._first = first or newlines > 0
            self._joined = False
            return None
        self._first = False
        joined, self._joined = self._joined, True
        if kind in _OPENING:
            self._open(SqlToken(kind, "", line, first, joined), piece)
            return None
        if kind in _QUOTED:
            self._line += text.count("\n")
            if len(text) - 2 > MAX_LITERAL:
                return SqlToken(BROKEN, TOO_LONG, line, first)
            mark = text[0]
            return SqlToken(_QUOTED[kind], text[1:-1].replace(mark + mark, mark), line, first, joined)
        if kind == "slash":  # alone on its line it ends a statement of SQL*Plus
            kind = END if first else SYMBOL
        return SqlToken(kind, text, line, first, joined)

    def _open(self, token: SqlToken, piece: str) -> None:
        """Note which literal or comment starts, and what will close it."""
        self._closing, self._kind = _OPENING[token.kind]
        if token.kind == "alternative":
            opening = piece[self._place : self._place + 1]
            self._closing = _CLOSING.get(opening, opening) + "'"
            self._place += 1
        self._since = token._replace(kind=self._kind)
        self._kept = []
        self._length = 0

    def _inside(self, piece: str) -> SqlToken | None:
        """Read on in what is open, to its end or to the end of the piece."""
        closing, place = self._closing, self._place
        if closing in _BODY:
            found = _BODY[closing].match(piece, place)
            end = found.end() if found is not None else place
        else:
            end = piece.find(closing, place)
            end = len(piece) if end < 0 else end
        self._length += end - place
        if self._length <= MAX_LITERAL:
            self._kept.append(piece[place:end])
        self._line += piece.count("\n", place, end)
        self._place = end
        if end == len(piece):
            return None
        if closing != "\n":
            self._place += len(closing)
        return self._closed()

    def _closed(self) -> SqlToken | None:
        token = self._since._replace(text="".join(self._kept))
        closing, self._closing = self._closing, ""
        if token.kind == COMMENT:
            self._heed(token.text)
            return token
        if self.skipping:
            return None
        if self._length > MAX_LITERAL:
            return token._replace(kind=BROKEN, text=TOO_LONG)
        return token._replace(text=token.text.replace(closing * 2, closing)) if closing in _BODY else token

    def _heed(self, comment: str) -> None:
        """Change the terminator when a comment of the Db2 command line says so."""
        found = _TERMINATOR.match(comment)
        if found is not None:
            self._use(found[1])


_OPENING: Final = {
    "comment": ("\n", COMMENT),
    "block": ("*/", COMMENT),
    "string": ("'", STRING),
    "name": ('"', NAME),
    "alternative": ("]'", STRING),
}
_QUOTED: Final = {"text": STRING, "known": NAME}
"""Literals that are whole within a piece."""
_BODY: Final = {"'": re.compile(r"[^']*(?:''[^']*)*"), '"': re.compile(r'[^"]*(?:""[^"]*)*')}


def _head(tokens: Sequence[SqlToken]) -> str:
    """The first words of a statement in upper case, one blank between them, up to what is no word."""
    words = []
    for token in tokens[:MAX_HEAD]:
        if token.kind != WORD:
            break
        words.append(token.text.upper())
    return " ".join(words)


def statements(
    text: str | Iterable[str],
    wanted: Callable[[str], object],
    terminator: str = "",
    verbs: Collection[str] | None = None,
    objects: Collection[str] = (),
) -> Iterator[SqlStatement | SqlToken]:
    """Read the statements whose first words are wanted, and the comments, which come as tokens.

    Statements that seem to be about a tablespace come too, marked `strange`, if `verbs` are given.

    Args:
        text: the text, or its pieces in order, as iterating over an open file gives them.
        wanted: is given the first words of a statement in upper case: `CREATE LARGE TABLESPACE`.
        terminator: what ends a statement; empty: `;`, a `/` alone on its line, or one of `@%!~^` at the end
            of a line.  `--#SET TERMINATOR x` in the text changes it.
        verbs: the first words, in upper case, that statements can have at all to be wanted; None: any.
        objects: what else than a tablespace has files: a statement about it may be mistyped, too.

    A statement also ends where a line starts with CREATE, ALTER or CONNECT, so that a forgotten terminator
    or a command of SQL*Plus hides nothing.
    """
    scanner = _Scanner(text, terminator)
    chosen = _Selection(
        wanted, frozenset({*verbs, *CHANGING_VERBS, "SET"}) if verbs is not None else None, objects
    )
    held: list[SqlToken] = []
    broken = ""
    for token in scanner:
        if token.kind == COMMENT:
            yield token
            continue
        if token.kind == END or (token.first and token.kind == WORD and token.text.upper() in _STARTS):
            if broken or chosen.takes(held):
                yield SqlStatement(tuple(held) or (token,), broken, bool(held) and not wanted(_head(held)))
            held, broken, scanner.skipping = [], "", False
        if token.kind == BROKEN:
            broken = broken or f"what is opened in line {token.line} {token.text}"
        elif len(held) == MAX_TOKENS:
            broken = broken or f"it has more than {MAX_TOKENS} words"
        elif token.kind != END and not scanner.skipping:
            held.append(token)
            if len(held) == 1:
                scanner.skipping = not chosen.may_begin(token.text.upper())
            elif len(held) == MAX_HEAD:
                scanner.skipping = not chosen.takes(held)
            held = [] if scanner.skipping else held


_STARTS: Final = frozenset({"CREATE", "ALTER", "CONNECT"})


class _Selection(NamedTuple):
    """Which statements are read."""

    wanted: Callable[[str], object]
    beginnings: Collection[str] | None
    """The words that one may begin with, which may be mistyped; None: any, and only those wanted are read."""
    objects: Collection[str]

    def may_begin(self, word: str) -> bool:
        return self.beginnings is None or is_like(word, self.beginnings)

    def takes(self, tokens: Sequence[SqlToken]) -> bool:
        """Say whether a statement is wanted, or seems to be about a tablespace."""
        if not tokens or self.wanted(_head(tokens)):
            return bool(tokens)
        words = [
            each.text.upper() if each.kind == WORD else QUOTED if each.kind == NAME else ""
            for each in tokens[:MAX_HEAD]
            if each.text != VARIABLE
        ]
        return self.beginnings is not None and is_suspect(words, self.objects)


UNITS: Final = {unit: 1 << 10 * power for power, unit in enumerate("KMGTPE", 1)}


_ONE_UNIT: Final = frozenset({(), *((unit,) for unit in UNITS), *((f"{unit}B",) for unit in UNITS)})
"""The words that may follow the number of a size."""
_SHORT_WORDS: Final = frozenset({"AS", "BY", "IN", "NO", "OF", "ON", "TO"})
"""Words that may begin a clause behind a size."""
_DIGITS: Final = 20


class TokenCursor:
    """A place among the tokens of a statement; every question moves on only when the answer is yes."""

    def __init__(self, tokens: Sequence[SqlToken]) -> None:
        self._tokens = tokens
        self._words = tuple(token.text.upper() if token.kind == WORD else "" for token in tokens)
        self._place = 0
        self._last = SqlToken(END, "", tokens[-1].line if tokens else 0)
        self.passed: list[SqlToken] = []
        """What was passed over, as no clause that was looked for begins with it."""
        self.odd: list[tuple[SqlToken, str]] = []
        """What cannot be right, and why."""

    @property
    def here(self) -> SqlToken:
        """The token that is next; `end` behind the last."""
        return self._tokens[self._place] if self._place < len(self._tokens) else self._last

    @property
    def done(self) -> bool:
        """Nothing is left."""
        return self._place >= len(self._tokens)

    @property
    def rest(self) -> Sequence[SqlToken]:
        """The tokens that are left."""
        return self._tokens[self._place :]

    def step(self) -> SqlToken:
        """Take the next token, whatever it is."""
        token = self.here
        self._place += 1
        return token

    def pass_over(self) -> None:
        """Take the next token, of which nothing is wanted, as far as is known here."""
        self.passed.append(self.step())

    def misread(self, keywords: Collection[str], known: Collection[str], *, paths: bool = True) -> str:
        """Say what of the statement was likely meant to be read, and was not; empty when there is nothing.

        Args:
            keywords: the words that begin what is read; one that is nearly so is a mistake of typing.
            known: further words that the dialect has.
            paths: what looks like a path and was passed over is a mistake, too.
        """
        found = [f"{quote(_written(token))}: {why}" for token, why in self.odd]
        before = ""
        for token in self.passed:
            word = token.text.upper() if token.kind == WORD else ""
            if paths and token.kind == STRING and _PATH.match(token.text):
                found.append(f"{quote(_written(token))} behind {quote(before)}")
            elif word and word not in known and before not in _NAMING:
                right = similar_word(word, keywords)
                found += [f"{quote(token.text)} (is {right} meant?)"] if right else []
            before = token.text.upper()
        return ", ".join(found[:3])

    def words(self, *words: str) -> bool:
        """Take these words, when they are next in this order."""
        same = self._words[self._place : self._place + len(words)] == words
        self._place += len(words) if same else 0
        return same

    def one_of(self, *words: str) -> str:
        """Take one of these words, and say which in upper case; empty when none is next."""
        word = "" if self.done else self._words[self._place]
        if word not in words:
            return ""
        self._place += 1
        return word

    def symbol(self, text: str) -> bool:
        """Take this symbol."""
        same = self.here.kind == SYMBOL and self.here.text == text
        self._place += same
        return same

    def kind(self, *kinds: str) -> SqlToken | None:
        """Take a token of one of these kinds."""
        return self.step() if self.here.kind in kinds else None

    def identifier(self) -> SqlToken | None:
        """Take a name, quoted or not."""
        return self.kind(WORD, NAME)

    def whole(self) -> int | None:
        """Take a number without decimals."""
        token = self.here
        if token.kind != NUMBER or "." in token.text or len(token.text) > 20:
            return None
        self._place += 1
        return int(token.text)

    def measure(self) -> tuple[int, str] | None:
        """Take a number and its unit letter, if it has one; a number with anything else is noted as odd."""
        if self.here.kind != NUMBER:
            return None
        start, end = self._place, self._place + 1
        while self._is_of_number(end):
            end += 1
        if end == start + 1 and self._is_unit(end):
            end += 1
        written = self._tokens[start:end]
        self._place = end
        number, units = written[0].text, self._words[start + 1 : end]
        if number.isdecimal() and len(number) <= _DIGITS and units in _ONE_UNIT:
            return int(number), "".join(units)[:1]
        whole = "".join(each.text if each.joined else f" {each.text}" for each in written).strip()
        self.odd.append((written[0]._replace(text=whole), "not a size, as 10000 or 10G is"))
        return None

    def _is_of_number(self, place: int) -> bool:
        """Say whether a token behind a number belongs to it: `,000` of `1,000`, or `X` of `10X`."""
        token, following = (*self._tokens[place : place + 2], self._last, self._last)[:2]
        return (
            token.kind == NUMBER
            or (token.kind == WORD and token.joined)
            or (token.text == "," and following.kind == NUMBER)
        )

    def _is_unit(self, place: int) -> bool:
        """Say whether a word behind a number and a blank is a unit, one that does not exist too."""
        word = "".join(self._words[place : place + 1])
        return 0 < len(word) <= 2 and word not in _SHORT_WORDS

    def group(self) -> None:
        """Pass over a group in parentheses, to its end or to the end of the statement."""
        depth = 0
        while not self.done:
            text = self.here.text if self.here.kind == SYMBOL else ""
            depth += (text == "(") - (text == ")")
            self._place += 1
            if depth <= 0:
                return


_PATH: Final = re.compile(r"[/+\\]|\.{1,2}/|[A-Za-z]:[\\/]|[^'\"]*/[^/]")
_NAMING: Final = frozenset({"BUFFERPOOL", "STOGROUP", "IN", "GROUP", "OWNER", "ENGINE", "="})
"""Words that a name of somebody's choice follows."""


def size(cursor: TokenCursor) -> int | None:
    """Take a size, which is in bytes without a unit letter; None when there is none, or it is odd."""
    measure = cursor.measure()
    if measure is None:
        return None
    number, letter = measure
    return number * (UNITS[letter] if letter else 1)


class DdlReader:
    """Reads the statements of one dialect, which `apply` takes in order."""

    verbs: ClassVar[Collection[str]] = ("CREATE", "ALTER", "DROP")
    """The first words of statements that are wanted."""
    wanted: ClassVar[re.Pattern[str]]
    """The first words, one blank between them."""
    objects: ClassVar[Collection[str]] = ()
    """What else than a tablespace has files."""
    types: ClassVar[Sequence[str]] = ()
    """Words between the verb and TABLESPACE."""

    def __init__(self, origin: str, options: Options = NO_OPTIONS) -> None:
        self.notes: list[Note] = []
        self.databases: set[str] = {options.database} if options.database else set()
        self.origin = origin
        self.options = options
        self.database = options.database

    def read(self, text: str | Iterable[str]) -> ListingContent:
        """Read the text, or its pieces in order, as iterating over an open file gives them."""
        lines = self.sql_lines(script_statements(text, self.notes))
        terminator = self.options.terminator
        for statement in statements(lines, self.wanted.match, terminator, self.verbs, self.objects):
            if isinstance(statement, SqlToken):
                self.comment(statement.text)
                continue
            before = len(self.notes)
            self.apply(statement)
            self.notes[before:] = merge_unread(self.notes[before:])
        self.end()
        return content_of(self.containers(), self.notes, only_name(self.databases))

    def sql_lines(self, lines: Iterable[str]) -> Iterable[str]:
        """Return the lines that are SQL."""
        return lines

    def comment(self, text: str) -> None:
        """Take a comment."""

    def apply(self, statement: SqlStatement) -> None:
        """Apply a statement to what the ones before it have created."""
        raise NotImplementedError

    def containers(self) -> Iterable[Container]:
        """Return the containers that there are in the end."""
        raise NotImplementedError

    def end(self) -> None:
        """Note what only the end shows."""

    def note(self, line: int, text: str, *, unread: bool = False) -> None:
        """Make a note."""
        self.notes.append(Note(line, text, unread))

    def begin(self, statement: SqlStatement) -> tuple[str, list[str], TokenCursor]:
        """Take the verb of a statement and the types of tablespace behind it."""
        cursor = TokenCursor(statement.tokens)
        verb = cursor.step().stored
        cursor.words("OR", "REPLACE")
        types = []
        while word := cursor.one_of(*self.types):
            types.append(word)
        return verb, types, cursor
