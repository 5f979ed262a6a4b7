"""SQL text taken apart into statements: what the readers of Db2's and Oracle's DDL share.

A DDL file is mostly tables, views and triggers, and may be gigabytes; the few statements about
tablespaces are asked for by their first words, the others are passed over without being kept.  Time is
linear in the length of the text, and memory is bounded whatever the text is: no piece, literal or
statement is held beyond a limit, and what is beyond it is reported.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
LONGEST: Final = 1 << 16
"""Characters of a literal that are kept; a longer one is broken."""
MOST: Final = 200_000
"""Tokens of a statement that are kept; a longer one is broken."""
HEAD: Final = 6
"""Tokens after which it is clear what a statement is about."""


class Token(NamedTuple):
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

    @property
    def stored(self) -> str:
        """An identifier as the catalogue stores it."""
        return self.text.upper() if self.kind == WORD else self.text

    @property
    def spelled(self) -> str:
        """An identifier as it is written."""
        return self.text if self.kind == WORD else '"' + self.text.replace('"', '""') + '"'


class Statement(NamedTuple):
    """The tokens of one statement, without its terminator."""

    tokens: tuple[Token, ...]
    broken: str = ""
    """Why something of it is missing."""

    @property
    def line(self) -> int:
        """Where it starts."""
        return self.tokens[0].line


_EOL: Final = r"(?=[ \t]*\r?(?:\n|\Z))"
_TERMINATOR: Final = re.compile(r"#SET\s+TERMINATOR\s+(\S{1,8})", re.IGNORECASE)
_RESUME: Final = re.compile(r"^[ \t]*(?=(?:CREATE|ALTER|CONNECT)\b)", re.IGNORECASE | re.MULTILINE)
_ALTERNATIVE: Final = re.compile(r"(?<![\w#$@])[nN]?[qQ]\Z")
_QUOTE: Final = re.compile(r"'[^\s']")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}


def _bounded(terminator: str) -> str:
    """The terminator, which is no part of a word when it is a word itself."""
    return rf"(?<!\w){re.escape(terminator)}(?!\w)" if terminator[-1].isalnum() else re.escape(terminator)


def _pattern(terminator: str) -> re.Pattern[str]:
    """Every token of code by its first characters."""
    ends = _bounded(terminator) if terminator else f";|[@%!~^]{_EOL}"
    signs = "".join(sign for sign in "#$@" if sign not in terminator)
    inner = rf"[\w{signs}]" if terminator else rf"[\w#$]|@(?![ \t]*\r?(?:\n|\Z))"  # noqa: F541 - regex braces
    return re.compile(
        rf"(?P<blank>[\s\ufeff\x00\x1a]+)|(?P<end>{ends})|(?P<comment>--)|(?P<block>/\*)|(?P<slash>/{_EOL})"
        rf"|(?P<alternative>[nN]?[qQ]'(?=[^\s']))|(?P<string>')|(?P<name>\")|(?P<number>[0-9]+(?:\.[0-9]+)?)"
        rf"|(?P<word>(?:(?!\d)(?:{inner}))(?:{inner})*)|(?P<symbol>.)",
        re.DOTALL,
    )


def _dull(terminator: str) -> re.Pattern[str]:
    """What can be passed over in a statement that nobody wants."""
    ends = re.escape(terminator[0]) if terminator else ";@%!~^"
    return re.compile(rf"[^'\"/\-{ends}]+")


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
        self._line = 1
        self._first = True
        self._closing = ""  # of the literal or comment that is open: its last character or characters
        self._kind = ""
        self._kept: list[str] = []
        self._length = 0
        self._since = Token(END, "", 1)
        self._use(terminator)

    def _use(self, terminator: str) -> None:
        self._code = _pattern(terminator)
        self._dull = _dull(terminator)

    def __iter__(self) -> Iterator[Token]:
        for piece in _pieces(self._text):
            place = 0
            while place < len(piece):
                before = place
                if self._closing:
                    place, token = self._inside(piece, place)
                elif self.skipping:
                    place, token = self._over(piece, place)
                else:
                    place, token = self._next(piece, place)
                self._line += piece.count("\n", before, place)
                if token is not None:
                    yield token
        if self._closing:
            comment = self._kind == COMMENT
            yield self._since._replace(
                kind=COMMENT if comment else BROKEN,
                text="".join(self._kept) if comment else "is never closed",
            )
        yield Token(END, "", self._line)

    def _next(self, piece: str, place: int) -> tuple[int, Token | None]:
        """Read the token at `place`, which is in no literal and no comment."""
        found = self._code.match(piece, place)
        assert found is not None  # noqa: S101 - its last alternative is any character
        kind = str(found.lastgroup)
        end = found.end()
        if kind == "blank":
            self._first = self._first or "\n" in found[0]
            return end, None
        token = Token(kind, found[0], self._line, self._first)
        if kind == "slash":  # alone on its line it ends a statement of SQL*Plus
            token = token._replace(kind=END if self._first else SYMBOL)
        self._first = False
        return self._opened(token, piece, end) if kind in _OPENING else (end, token)

    def _over(self, piece: str, place: int) -> tuple[int, Token | None]:
        """Pass over what nobody wants, up to what may end the statement, or to a line that starts one."""
        dull = self._dull.match(piece, place)
        if dull is None:
            end, token = self._next(piece, place)
            kept = token is not None and token.kind in {END, COMMENT, BROKEN}
            return end, token if kept else None
        start = _RESUME.search(piece, place, dull.end())
        if start is not None and (start.end() > place or self._first):
            self._first = True
            return start.end(), Token(END, "", self._line + piece.count("\n", place, start.end()))
        run = dull[0]
        newline = run.rfind("\n")
        self._first = (self._first or newline >= 0) and not run[newline + 1 :].strip()
        if _QUOTE.match(piece, dull.end()) and _ALTERNATIVE.search(run[-3:]):
            return self._opened(Token("alternative", "", self._line), piece, dull.end() + 1)
        return dull.end(), None

    def _opened(self, token: Token, piece: str, place: int) -> tuple[int, Token | None]:
        """Note which literal or comment starts, and what will close it."""
        self._closing, self._kind = _OPENING[token.kind]
        if token.kind == "alternative":
            opening = piece[place : place + 1]
            self._closing = _CLOSING.get(opening, opening) + "'"
            place += 1
        self._since = token._replace(kind=self._kind, text="")
        self._kept = []
        self._length = 0
        return place, None

    def _inside(self, piece: str, place: int) -> tuple[int, Token | None]:
        """Read on in what is open, to its end or to the end of the piece."""
        closing = self._closing
        if closing in _BODY:
            found = _BODY[closing].match(piece, place)
            end = found.end() if found is not None else place
        else:
            end = piece.find(closing, place)
            end = len(piece) if end < 0 else end
        self._length += end - place
        if self._length <= LONGEST:
            self._kept.append(piece[place:end])
        if end == len(piece):
            return end, None
        self._first = closing == "\n"
        return end + (0 if closing == "\n" else len(closing)), self._closed()

    def _closed(self) -> Token | None:
        token = self._since._replace(text="".join(self._kept))
        closing, self._closing = self._closing, ""
        if token.kind == COMMENT:
            self._heed(token.text)
            return token
        if self.skipping:
            return None
        if self._length > LONGEST:
            return token._replace(kind=BROKEN, text=f"is longer than {LONGEST} characters")
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
_BODY: Final = {"'": re.compile(r"[^']*+(?:''[^']*+)*+"), '"': re.compile(r'[^"]*+(?:""[^"]*+)*+')}


def _head(tokens: Sequence[Token]) -> str:
    """The first words of a statement in upper case, one blank between them, up to what is no word."""
    words = []
    for token in tokens[:HEAD]:
        if token.kind != WORD:
            break
        words.append(token.text.upper())
    return " ".join(words)


def statements(
    text: str | Iterable[str], wanted: Callable[[str], object], terminator: str = ""
) -> Iterator[Statement | Token]:
    """Read the statements whose first words are wanted, and the comments, which come as tokens.

    Args:
        text: the text, or its pieces in order, as iterating over an open file gives them.
        wanted: is given the first words of a statement in upper case: `CREATE LARGE TABLESPACE`.
        terminator: what ends a statement; empty: `;`, a `/` alone on its line, or one of `@%!~^` at the end
            of a line.  `--#SET TERMINATOR x` in the text changes it.

    A statement also ends where a line starts with CREATE, ALTER or CONNECT, so that a forgotten terminator
    or a command of SQL*Plus hides nothing.
    """
    scanner = _Scanner(text, terminator)
    held: list[Token] = []
    broken = ""
    for token in scanner:
        if token.kind == COMMENT:
            yield token
            continue
        if token.kind == END or (token.first and token.kind == WORD and token.text.upper() in _STARTS):
            if broken or (held and wanted(_head(held))):
                yield Statement(tuple(held) or (token,), broken)
            held, broken, scanner.skipping = [], "", False
        if token.kind == BROKEN:
            broken = broken or f"what is opened in line {token.line} {token.text}"
        elif len(held) == MOST:
            broken = broken or f"it has more than {MOST} words"
        elif token.kind != END and not scanner.skipping:
            held.append(token)
            scanner.skipping = len(held) == HEAD and not wanted(_head(held))
            held = [] if scanner.skipping else held


_STARTS: Final = frozenset({"CREATE", "ALTER", "CONNECT"})


class Cursor:
    """A place among the tokens of a statement; every question moves on only when the answer is yes."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._last = Token(END, "", tokens[-1].line if tokens else 0)

    @property
    def here(self) -> Token:
        """The token that is next; `end` behind the last."""
        return self._tokens[self._place] if self._place < len(self._tokens) else self._last

    @property
    def done(self) -> bool:
        """Nothing is left."""
        return self._place >= len(self._tokens)

    def step(self) -> Token:
        """Take the next token, whatever it is."""
        token = self.here
        self._place += 1
        return token

    def words(self, *words: str) -> bool:
        """Take these words, when they are next in this order."""
        ahead = self._tokens[self._place : self._place + len(words)]
        same = len(ahead) == len(words) and all(
            token.kind == WORD and token.text.upper() == word
            for token, word in zip(ahead, words, strict=True)
        )
        self._place += len(words) if same else 0
        return same

    def one_of(self, *words: str) -> str:
        """Take one of these words, and say which in upper case; empty when none is next."""
        word = self.here.text.upper()
        return self.step().text.upper() if self.here.kind == WORD and word in words else ""

    def symbol(self, text: str) -> bool:
        """Take this symbol."""
        same = self.here.kind == SYMBOL and self.here.text == text
        self._place += same
        return same

    def kind(self, *kinds: str) -> Token | None:
        """Take a token of one of these kinds."""
        return self.step() if self.here.kind in kinds else None

    def identifier(self) -> Token | None:
        """Take a name, quoted or not."""
        return self.kind(WORD, NAME)

    def whole(self) -> int | None:
        """Take a number without decimals."""
        token = self.here
        if token.kind != NUMBER or "." in token.text or len(token.text) > 20:
            return None
        self._place += 1
        return int(token.text)

    def group(self) -> None:
        """Pass over a group in parentheses, to its end or to the end of the statement."""
        depth = 0
        while not self.done:
            text = self.here.text if self.here.kind == SYMBOL else ""
            depth += (text == "(") - (text == ")")
            self._place += 1
            if depth <= 0:
                return


UNITS: Final = {unit: 1 << 10 * power for power, unit in enumerate("KMGTPE", 1)}


def size(cursor: Cursor, unit: int = 1) -> int | None:
    """Take a number, with a unit letter or else in `unit`s: bytes."""
    number = cursor.whole()
    if number is None:
        return None
    letter = cursor.one_of(*UNITS)
    return number * (UNITS[letter] if letter else unit)
