r"""Shell scripts that run SQL: extracts the statements, each on its own line.

`db2 "CREATE ..."`, `db2 -v 'CREATE ...'`, `db2 create ... \(...\)` and what is between `<<EOF` and `EOF`
is SQL.  The rest of a script is not, and its quotes must not be read as SQL.
"""

from __future__ import annotations

import re
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING, Final

from zmon.listing.not_understood import Note, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_HEAD: Final = 1 << 16
"""Characters by which a script is recognised."""
MAX_COMMANDS: Final = 100
"""Commands of one line that are read."""

_SHELL: Final = re.compile(r"#!\s*\S*(?:/|env\s+)(?:ba|k|da|z)?sh\b")
_QUOTED: Final = re.compile(
    r"^[ \t]*(?:[^#\s\"'][^\"'\n]*[ \t])?db2[ \t]+(?:[-+][\w@]+[ \t]+)*[\"']\s*\w+\s", re.MULTILINE
)
_CLIENT: Final = re.compile(
    r"^[ \t]*(?:db2|sqlplus|psql|mysql|mariadb)[ \t][^\n]*<<-?\s*[\"']?\w", re.MULTILINE
)
"""A client whose statements follow in a here document."""
_COMMAND: Final = re.compile(r"(?:^|[\s;&|(/])db2[ \t]+(?P<options>(?:[-+][\w@]+[ \t]+)*)(?P<rest>\S[^\n]*)")
_HERE: Final = re.compile(r"<<(-?)\s*([\"']?)(\w{1,40})\2")
_FILE: Final = re.compile(r"[-+]\w*f")
_TABLESPACE: Final = re.compile(r"\b(?:create|alter)\s(?:[^\"'#]{0,80}\s)?tablespace\b", re.IGNORECASE)
_MISSPELT: Final = re.compile(
    r"\s*(?!(?:echo|print\w*|list|select)\b)\w{2,12}\s(?:\w{1,20}\s+){0,3}tablespace\s[^\"'#]{1,200}"
    r"\b(?:managed|using|datafile|location|pagesize|extentsize)\b",
    re.IGNORECASE,
)
"""A statement on a tablespace with clauses, whatever its first word is."""
_STATEMENT: Final = re.compile(r"\s*(?:create|alter|drop|rename|connect)\s", re.IGNORECASE)
_ENDED: Final = re.compile(r"[;@]\s*\Z")
_SCRIPT: Final = re.compile(
    r"\bsqlplus\s[^;|&]{0,200}\s@@?([^\s;|&]{1,4096})|\bpsql\s[^;|&]{0,200}\s-f\s*([^\s;|&]{1,4096})"
    r"|\b(?:mysql|mariadb)\s[^;|&<]{0,200}<\s*([^\s;|&<]{1,4096})"
)
"""A client that runs a file."""
VARIABLE: Final = "\ue000"
"""Stands for the `$` of a variable of the shell, whose value is not known, in the statements of a script."""
_DOLLAR: Final = re.compile(r"\$(?=[A-Za-z_{(0-9])")
_EXPANDED: Final = re.compile(r"\\([\\$`])|" + _DOLLAR.pattern)
_PART: Final = re.compile(
    r"\\(?P<escaped>.)|'(?P<single>[^']*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\""
    r"|(?P<open>\")|(?P<plain>[^\\;&|'\"]+|'|\\\Z)"
)
_NO_PATH: Final = re.compile(r"[()\s\"]|\A[^/]*\Z")


def is_script(head: str) -> bool:
    """Return whether a text begins like a script of a shell, or has statements in quotes of one."""
    return bool(_SHELL.match(head) or _QUOTED.search(head) or _CLIENT.search(head))


def script_statements(text: str | Iterable[str], notes: list[Note]) -> Iterator[str]:
    """Yield a text line by line; of a script only the statements, on their lines.

    Args:
        text: the text, or its pieces in order, each a line unless it is very long.
        notes: gets one for each statement in it that is not understood, and each file that the script runs.
    """
    pieces = iter(StringIO(text, newline="\n") if isinstance(text, str) else text)
    head: list[str] = []
    size = 0
    for piece in pieces:
        head.append(piece)
        size += len(piece)
        if size >= MAX_HEAD:
            break
    whole = chain(head, pieces)
    return _ScriptReader(notes).read(whole) if is_script("".join(head)) else whole


class _ScriptReader:
    """Reads a script line by line."""

    def __init__(self, notes: list[Note]) -> None:
        self._notes = notes
        self._until = ""  # the end mark of the open here document
        self._indented = False
        self._expands = False
        self._quote = ""  # the end of the open statement: a quote, the end of the line, a semicolon
        self._number = 1
        self._commands = 0  # of this line

    def read(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield each line as SQL; an empty line for any other."""
        for line in lines:
            bare = line.rstrip("\r\n")
            self._commands = 0
            if self._until:
                sql = self._document(bare)
            elif self._quote:
                sql = self._statement(bare)
            else:
                sql = self._plain(bare)
            ended = line.endswith("\n")
            yield sql + "\n" * ended
            self._number += ended

    def _document(self, line: str) -> str:
        if (line.lstrip("\t") if self._indented else line) != self._until:
            return _EXPANDED.sub(lambda match: match[1] or VARIABLE, line) if self._expands else line
        self._until = ""
        return ";"

    def _plain(self, line: str) -> str:
        """Return the SQL of a line of the shell."""
        self._commands += 1
        if self._commands > MAX_COMMANDS:
            self._note(f"more than {MAX_COMMANDS} commands in one line: {quote(line)}")
        if self._commands > MAX_COMMANDS or line.lstrip().startswith("#"):
            return ""
        here = _HERE.search(line)
        if here is not None:
            self._indented, self._expands, self._until = bool(here[1]), not here[2], here[3]
            return ""
        if _STATEMENT.match(line):  # a statement between commands, as in notes
            self._quote = "" if _ENDED.search(line) else ";"
            return line
        match = _COMMAND.search(line)
        if match is not None and not set("\"'#") & set(line[: match.start()]):
            return self._command(match["options"], match["rest"])
        if other := _SCRIPT.search(line):
            file = quote(next(filter(None, other.groups())))
            self._note(f"the script runs the statements of another file: give {file}, too")
        elif _TABLESPACE.search(line) or _MISSPELT.match(line):
            self._note(f"statement not understood: {quote(line.strip())}")
        return ""

    def _command(self, options: str, rest: str) -> str:
        """Return the statement that a command runs."""
        if any(map(_FILE.match, options.split())):
            other = quote(rest.split(maxsplit=1)[0])
            self._note(f"the script runs the statements of another file: give {other}, too")
            return ""
        self._quote = rest[0] if rest[0] in "\"'" else "\n"
        return self._statement(rest if self._quote == "\n" else rest[1:])

    def _note(self, text: str) -> None:
        self._notes.append(Note(self._number, text, unread=True))

    def _statement(self, line: str) -> str:
        """Return the part of a line that belongs to the open statement, up to the end of its quotes."""
        if self._quote == ";":
            self._quote = "" if _ENDED.search(line) else ";"
            return line
        if self._quote == "\n":
            inside, rest, self._quote = _unquoted(line)
            return inside if self._quote else f"{inside}; {self._plain(rest)}"
        inside, ended, rest = line.partition("'") if self._quote == "'" else _to_quote(line)
        if not ended:
            return inside
        if inside[:1] == inside[-1:] == '"':  # quoted for a second shell, such as one that ssh runs
            inside = inside[1:-1]
        self._quote = ""
        return f"{inside}; {self._plain(rest)}"


def _unquoted(line: str) -> tuple[str, str, str]:
    """Split a line where its command ends: the words of the command, the rest, and the open quote."""
    kept: list[str] = []
    place = 0
    while match := _PART.match(line, place):
        place = match.end()
        sort = str(match.lastgroup)
        if sort == "open":
            return "".join(kept) + _to_quote(line[place:])[0], "", '"'
        if match[0] == "\\":
            return "".join(kept), "", "\n"
        text = match[sort]
        if sort == "double":
            text = _to_quote(f'{text}"')[0]
        elif sort == "single" and not _NO_PATH.search(text):  # as people write it who forget the shell
            text = match[0]
        kept.append(_DOLLAR.sub(VARIABLE, text) if sort == "plain" else text)
    return "".join(kept), line[place:].lstrip(";&|"), ""


def _to_quote(line: str) -> tuple[str, str, str]:
    """Split a line at the double quote that ends a string of the shell, as `str.partition` does."""
    kept: list[str] = []
    escaped = False
    for place, sign in enumerate(line):
        if escaped:
            kept.append(sign if sign in '"\\$`' else "\\" + sign)
        elif sign == '"':
            return "".join(kept), sign, line[place + 1 :]
        elif sign != "\\":
            kept.append(VARIABLE if sign == "$" and _DOLLAR.match(line, place) else sign)
        escaped = sign == "\\" and not escaped
    return "".join(kept), "", ""
