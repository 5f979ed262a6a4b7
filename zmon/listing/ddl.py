"""SQL text split into statements: the common part of the readers of DDL.

A DDL file is mostly tables, views and triggers, and may be gigabytes; the few statements about tablespaces
are selected by their first words, the others are skipped without being kept.  Time is linear in the length
of the text, and memory is bounded for any text: no piece, literal or statement is kept beyond a limit;
longer ones are reported.
"""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from zmon.listing.containers import DATA, NO_OPTIONS, Container, content_of
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
from zmon.listing.sql_scanner import (
    BROKEN,
    COMMAND,
    COMMENT,
    END,
    HIDDEN,
    NAME,
    NUMBER,
    STANDARD,
    STRING,
    SYMBOL,
    WORD,
    SqlDialect,
    SqlScanner,
    SqlToken,
    hidden_statements,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from zmon.listing.containers import ListingContent, Options

MAX_TOKENS: Final = 200_000
"""Tokens of a statement that are kept; a longer one is broken."""
MAX_HEAD: Final = 6
"""Tokens after which it is clear what a statement is about."""
_MAX_QUOTED: Final = 12
"""Tokens of a statement that a message has at most."""
NOT_UNDERSTOOD: Final = "the statement is not understood"
NOT_READ: Final = "statement in quotes, or within another statement, is not read"
_CUT: Final = "it is not ended, as those before it are, so the listing may be cut here"

_SWALLOWED: Final = re.compile(r"\n[ \t]*(?:CREATE|ALTER|DROP|CONNECT)[ \t]", re.IGNORECASE)
"""The next statement, inside a literal."""


class SqlStatement(NamedTuple):
    """The tokens of one statement, without its terminator."""

    tokens: tuple[SqlToken, ...]
    broken: str = ""
    """The reason why it is incomplete."""
    suspect: bool = False
    """It is not wanted, but seems to be about a tablespace: mistyped, or of another dialect."""
    reason: str = ""
    """The reason why it is not read, if known in advance."""

    @property
    def line(self) -> int:
        """Where it starts."""
        return self.tokens[0].line

    @property
    def beginning(self) -> str:
        """Its first words, for messages."""
        written = "".join((" " * (not token.joined)) + _written(token) for token in self.tokens[:_MAX_QUOTED])
        return quote(written.strip().replace(VARIABLE, "$"))

    @property
    def unreadable(self) -> str:
        """The reason why it cannot be read at all; empty when it can."""
        if any(VARIABLE in token.text for token in self.tokens):
            return "shell variable, not understood"
        if any(token.kind in {STRING, NAME} and _SWALLOWED.search(token.text) for token in self.tokens):
            return "a quote is missing, which hides the next statement"
        return ""

    def unread(self) -> Note:
        """Return the note that it is not understood, or not complete."""
        broken = f"statement is not whole: {self.broken}" if self.broken else ""
        why = self.reason or self.unreadable or broken or "statement not understood"
        return Note(self.line, f"{why}: {self.beginning}", unread=True)


def _written(token: SqlToken) -> str:
    return f"'{token.text}'" if token.kind == STRING else token.spelled if token.kind == NAME else token.text


def _head(tokens: Sequence[SqlToken]) -> str:
    """Return the first words of a statement in upper case, one blank between them."""
    head = []
    for token in tokens[:MAX_HEAD]:
        if token.kind != WORD:
            break
        head.append(token.text.upper())
    return " ".join(head)


def statements(
    text: str | Iterable[str],
    wanted: Callable[[str], object],
    terminator: str = "",
    verbs: Collection[str] | None = None,
    dialect: SqlDialect = STANDARD,
) -> Iterator[SqlStatement | SqlToken]:
    """Yield the statements whose first words are wanted; comments and commands of the client as tokens.

    If `verbs` are given, statements that seem to be about a tablespace are included, marked `suspect`:
    mistyped, hidden in quotes or in another statement, or cut at the end of the text.

    Args:
        text: the text, or its pieces in order, as iterating over an open file gives them.
        wanted: is called with the first words of a statement in upper case: `CREATE LARGE TABLESPACE`.
        terminator: what ends a statement; empty: `;`, a `/` alone on its line, or one of `@%!~^` at the end
            of a line.  `--#SET TERMINATOR x` in the text changes it.
        verbs: the possible first words of wanted statements, in upper case; None: any.
        dialect: the extensions of the database and its client to standard SQL.

    A statement also ends where a line starts with CREATE, ALTER or CONNECT, so that a missing terminator or
    a command of SQL*Plus hides no statement.
    """
    scanner = SqlScanner(text, terminator, dialect)
    beginnings = frozenset({*verbs, *CHANGING_VERBS, "SET"}) if verbs is not None else None
    return _Statements(scanner, _Selection(wanted, beginnings, dialect.objects)).read()


class _Statements:
    """Makes statements of tokens."""

    def __init__(self, scanner: SqlScanner, chosen: _Selection) -> None:
        self._scanner = scanner
        self._chosen = chosen
        self._held: list[SqlToken] = []
        self._first: SqlToken | None = None
        self._broken = ""
        self._terminated = False  # whether an earlier statement had a terminator

    def read(self) -> Iterator[SqlStatement | SqlToken]:
        for token in self._scanner:
            if token.kind in {COMMENT, COMMAND}:
                yield token
            elif token.kind == HIDDEN:
                yield from self._chosen.hidden((token,))
            else:
                if token.kind == END or (
                    token.first and token.kind == WORD and token.text.upper() in _STARTS
                ):
                    yield from self._ended(token)
                yield from self._taken(token)

    def _ended(self, by: SqlToken) -> Iterator[SqlStatement]:
        """Yield the statement that ends here, or those that its quotes hide."""
        held, first, chosen = tuple(self._held), self._first, self._chosen
        last = by.kind == END and not by.text
        cut = _CUT if last and self._terminated and chosen.may_be_cut(first) else ""
        if self._broken or chosen.takes(held):
            opened = self._scanner.opened._replace(kind=WORD)
            suspect = bool(held) and not chosen.wanted(_head(held))
            yield SqlStatement(held or (opened,), self._broken or cut, suspect)
        elif cut and first is not None:
            yield SqlStatement(held or (first,), suspect=True, reason=f"statement not read: {cut}")
        else:
            yield from chosen.hidden(held)
        self._held, self._broken, self._first, self._scanner.skipping = [], "", None, False
        self._terminated = self._terminated or (by.kind == END and not last)

    def _taken(self, token: SqlToken) -> Iterator[SqlStatement]:
        """Keep a token of a statement that may be wanted."""
        held = self._held
        if token.kind == BROKEN:
            self._broken = self._broken or f"what is opened in line {token.line} {token.text}"
        elif len(held) == MAX_TOKENS:
            self._broken = self._broken or f"it has more than {MAX_TOKENS} words"
        elif token.kind != END and not self._scanner.skipping:
            held.append(token)
            self._first = self._first or token
            if len(held) == 1:
                self._scanner.skipping = not self._chosen.may_begin(token.text.upper())
            elif len(held) == MAX_HEAD:
                self._scanner.skipping = not self._chosen.takes(held)
            if self._scanner.skipping:
                yield from self._chosen.hidden(held)
                self._held = []


_STARTS: Final = frozenset({"CREATE", "ALTER", "CONNECT"})
_CHANGES: Final = ("CREATE", "ALTER", "DROP")


class _Selection(NamedTuple):
    """Selects the statements that are read."""

    wanted: Callable[[str], object]
    beginnings: Collection[str] | None
    """The possible first words, which may be mistyped; None: any, and only wanted statements are read."""
    objects: Collection[str]

    def may_begin(self, word: str) -> bool:
        return self.beginnings is None or is_like(word, self.beginnings)

    def may_be_cut(self, first: SqlToken | None) -> bool:
        """Return whether a statement without a terminator may be truncated by the end of a listing."""
        word = first.text.upper() if first is not None else ""
        return self.beginnings is not None and bool(word) and any(map(str.startswith, _CHANGES, repeat(word)))

    def hidden(self, tokens: Iterable[SqlToken]) -> Iterator[SqlStatement]:
        """Yield the statements about files in the quotes of a statement that is skipped."""
        for token in tokens if self.beginnings is not None else ():
            if token.kind in {STRING, NAME, HIDDEN}:
                for hidden in hidden_statements(token.text, token.line):
                    yield SqlStatement((hidden,), suspect=True, reason=NOT_READ)

    def takes(self, tokens: Sequence[SqlToken]) -> bool:
        """Return whether a statement is wanted, or seems to be about a tablespace."""
        if not tokens or self.wanted(_head(tokens)):
            return bool(tokens)
        head = [
            token.text.upper() if token.kind == WORD else QUOTED if token.kind == NAME else ""
            for token in tokens[:MAX_HEAD]
            if token.text != VARIABLE
        ]
        return self.beginnings is not None and is_suspect(head, self.objects)


UNITS: Final = {unit: 1 << 10 * power for power, unit in enumerate("KMGTPE", 1)}


_ONE_UNIT: Final = frozenset({(), *((unit,) for unit in UNITS), *((f"{unit}B",) for unit in UNITS)})
"""The words that may follow the number of a size."""
_SHORT_WORDS: Final = frozenset({"AS", "BY", "IN", "NO", "OF", "ON", "TO"})
"""Words that may begin a clause behind a size."""
_DIGITS: Final = 20


class TokenCursor:
    """A position in the tokens of a statement; each method advances only over tokens that it takes."""

    def __init__(self, tokens: Sequence[SqlToken]) -> None:
        self._tokens = tokens
        self._words = tuple(token.text.upper() if token.kind == WORD else "" for token in tokens)
        self._place = 0
        self._last = SqlToken(END, "", tokens[-1].line if tokens else 0)
        self.passed: list[SqlToken] = []
        """The tokens that were skipped because they begin no expected clause."""
        self.mistakes: list[tuple[SqlToken, str]] = []
        """Parts that cannot be right, with the reason."""

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
        """Take the next token as one that is not used."""
        self.passed.append(self.step())

    def misread(
        self,
        keywords: frozenset[str],
        accepted: Collection[str],
        *,
        further: Collection[str] = (),
        paths: bool = True,
    ) -> str:
        """Return the parts that are likely mistyped; empty if there are none.

        Args:
            keywords: the first words of the clauses that are read; a similar word is a typing mistake.
            accepted: further words that the dialect has.
            further: keywords of this statement alone.
            paths: what looks like a path and was passed over is a mistake, too.
        """
        mistakes = [f"{quote(_written(token))}: {why}" for token, why in self.mistakes]
        before = ""
        for token in self.passed:
            word = token.text.upper() if token.kind == WORD else ""
            if paths and token.kind == STRING and _PATH.match(token.text):
                mistakes.append(f"{quote(_written(token))} behind {quote(before)}")
            elif word and word not in accepted and before not in _NAMING:
                right = similar_word(word, keywords.union(further))
                mistakes += [f"{quote(token.text)} (is {right} meant?)"] if right else []
            before = token.text.upper()
        return ", ".join(mistakes[:3])

    def words(self, *expected: str) -> bool:
        """Take these words if they are next, in this order."""
        same = self._words[self._place : self._place + len(expected)] == expected
        self._place += len(expected) if same else 0
        return same

    def one_of(self, *choices: str) -> str:
        """Take one of these words and return it in upper case; empty when none is next."""
        word = "" if self.done else self._words[self._place]
        if word not in choices:
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
        """Take a number and its unit letter, if it has one; other text behind a number is noted."""
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
        whole = "".join(token.text if token.joined else f" {token.text}" for token in written).strip()
        self.mistakes.append((written[0]._replace(text=whole), "not a size, as 10000 or 10G is"))
        return None

    def _is_of_number(self, place: int) -> bool:
        """Return whether a token behind a number belongs to it: `,000` of `1,000`, or `X` of `10X`."""
        token, following = (*self._tokens[place : place + 2], self._last, self._last)[:2]
        return (
            token.kind == NUMBER
            or (token.kind == WORD and token.joined)
            or (token.text == "," and following.kind == NUMBER)
        )

    def _is_unit(self, place: int) -> bool:
        """Return whether a word behind a number and a blank is a unit, even one that does not exist."""
        word = "".join(self._words[place : place + 1])
        return 0 < len(word) <= 2 and word not in _SHORT_WORDS

    def group(self) -> None:
        """Skip a group in parentheses, to its end or to the end of the statement."""
        depth = 0
        while not self.done:
            text = self.here.text if self.here.kind == SYMBOL else ""
            depth += (text == "(") - (text == ")")
            self._place += 1
            if depth <= 0:
                return


NO_PATH: Final = frozenset("/\\.+\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb\u00b4`")
"""First characters of a path without quotes, or with those of a word processor."""
_PATH: Final = re.compile(r"[/+\\]|\.{1,2}/|[A-Za-z]:[\\/]|[^'\"]*/[^/]")
_NAMING: Final = frozenset({"BUFFERPOOL", "STOGROUP", "IN", "GROUP", "OWNER", "ENGINE", "="})
"""Words that a freely chosen name follows."""


def size(cursor: TokenCursor) -> int | None:
    """Take a size, which is in bytes without a unit letter; None when there is none, or it is a mistake."""
    measure = cursor.measure()
    if measure is None:
        return None
    number, letter = measure
    return number * (UNITS[letter] if letter else 1)


_PRINTED: Final = re.compile(r"(?:REM|PRO|ECHO\b|\\q?echo\b|#)", re.IGNORECASE)
"""Commands that are comments, or print their text."""


class DdlReader:
    """Reads the statements of one dialect and passes them to `apply` in order."""

    verbs: ClassVar[Collection[str]] = ("CREATE", "ALTER", "DROP")
    """The first words of statements that are wanted."""
    wanted: ClassVar[re.Pattern[str]]
    """The first words, one blank between them."""
    types: ClassVar[Sequence[str]] = ()
    """Words between the verb and TABLESPACE."""
    dialect: ClassVar[SqlDialect] = STANDARD
    runs: ClassVar[re.Pattern[str]] = re.compile(r"(?!)")
    """A command of the client that runs another file; the file is its first group that matched."""
    keywords: ClassVar[frozenset[str]] = frozenset()
    """First words of the relevant clauses, including those of other dialects."""
    clauses: ClassVar[frozenset[str]] = frozenset()
    """Further words that the dialect has there."""

    def __init__(self, origin: str, options: Options = NO_OPTIONS) -> None:
        self.notes: list[Note] = []
        self.origin = origin
        self.options = options
        self.database = options.database

    def read(self, text: str | Iterable[str]) -> ListingContent:
        """Read the text, or its pieces in order, as iterating over an open file gives them."""
        lines = script_statements(text, self.notes)
        terminator = self.options.terminator
        for statement in statements(lines, self.wanted.match, terminator, self.verbs, self.dialect):
            if isinstance(statement, SqlToken):
                if statement.kind == COMMAND:
                    self.command(statement)
                else:
                    self.comment(statement.text)
                continue
            before = len(self.notes)
            if not self.skips(statement) and not self.apply(statement) and not statement.broken:
                self.notes.append(statement.unread())
            self.notes[before:] = merge_unread(self.notes[before:])
        self.end()
        return content_of(self.containers(), self.notes)

    def command(self, line: SqlToken) -> None:
        """Note a command of the client that runs another file, or statements about files."""
        other = self.runs.match(line.text)
        if other is not None:
            file = quote(next(filter(None, other.groups())))
            self.note(
                line.line, f"the script runs the statements of another file: give {file}, too", unread=True
            )
        elif any(hidden_statements(line.text)) and not _PRINTED.match(line.text):
            self.note(line.line, f"{NOT_READ}: {quote(line.text)}", unread=True)

    def comment(self, text: str) -> None:
        """Take a comment."""

    def skips(self, statement: SqlStatement) -> bool:
        """Note that a statement is incomplete or not understood; true if nothing of it can be read."""
        hidden = statement.suspect or bool(statement.unreadable)
        if hidden or statement.broken:
            self.notes.append(statement.unread())
        return hidden

    def apply(self, statement: SqlStatement) -> bool:
        """Apply a statement to the result of the earlier ones; false if it is not understood."""
        raise NotImplementedError

    def containers(self) -> Iterable[Container]:
        """Return the containers that exist after the last statement."""
        raise NotImplementedError

    def end(self) -> None:
        """Add the notes that only the end of the text allows."""

    def note(self, line: int, text: str, *, unread: bool = False) -> None:
        """Make a note."""
        self.notes.append(Note(line, text, unread))

    def note_misread(self, statement: str, line: int, cursor: TokenCursor, **more: Any) -> bool:
        """Note what is likely mistyped in a statement; false when nothing is.  See `TokenCursor.misread`."""
        misread = cursor.misread(self.keywords, self.clauses, **more)
        if misread:
            self.note(line, f"not understood in {statement}: {misread}", unread=True)
        return bool(misread)

    def note_altered(self, line: int, name: str, created: Collection[str], rest: str) -> None:
        """Note that a tablespace is altered that no statement creates; `rest` are its other parts."""
        near = similar_word(name, created)
        hint = f": is {near!r} meant?" if near else f": its other {rest} are not in the DDL"
        self.note(line, f"{name!r} is altered here, not created{hint}")

    def row(self, name: str, line: int = 0, role: str = DATA) -> Container:
        """Return a container of a tablespace without what its statement says."""
        return Container(
            self.database, name, base_dir=self.options.base_dir, role=role, source=self.origin, line=line
        )

    def begin(self, statement: SqlStatement) -> tuple[str, list[str], TokenCursor]:
        """Take the verb of a statement and the types of tablespace behind it."""
        cursor = TokenCursor(statement.tokens)
        verb = cursor.step().stored
        cursor.words("OR", "REPLACE")
        types = []
        while word := cursor.one_of(*self.types):
            types.append(word)
        return verb, types, cursor
