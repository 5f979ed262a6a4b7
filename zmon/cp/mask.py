"""Hide the passwords that a line of a user directory, or of a console, may hold.

USER and IDENTITY statements have a password behind the name, MDISK statements up to three behind the access
mode, APPCPASS has one somewhere; commands LINK, LOGON, AUTOLOG and XAUTOLOG may be typed with one.  Which
word is a password cannot always be told from one that is none (`NOLOG`), and old statements live on as
comments, so everything that may be one is hidden.  Whoever shows, writes or keeps a line that is not
understood shows this.
"""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = "********"
"""What stands in place of a password."""

_MODE: Final = re.compile(r"(?:RR?|WR?|M[RW]?)[VSE]{0,2}", re.IGNORECASE)
_WORD: Final = re.compile(r"\S+")
_STATEMENT: Final = re.compile(
    r"(?<![\w$#@])(?:"
    r"(?P<user>USER|IDENTITY|IDENT|LOGON|LOGIN|X?AUTOLOG)"
    r"|(?P<disk>MD(?:I(?:SK?)?)?|LINK)"
    r"|(?P<all>APPCPASS)"
    r")(?=[ \t=])",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(
    r"^(?P<head>[\s*>|`]*(?:\d\d:\d\d:\d\d\s+)?)(?:(?P<user>U|US|USE|ID|L|LO|LOG|LOGO)|(?P<disk>M))(?=[ \t])",
    re.IGNORECASE,
)
"""Statements and commands may be abbreviated; an abbreviation means something at the beginning only."""
_KEYWORD: Final = re.compile(
    r"((?<!\w)\w{0,32}(?:PASS|PW)\w{0,32}\s{0,9}=\s{0,9}|(?<![\w$#@])(?:PASS|PASSWORD|PW)(?:\s{0,9}:|\s)\s{0,9})[^\s,;]+",
    re.IGNORECASE,
)


def masked(line: str) -> str:
    """Return a line with everything hidden that may be a password; the rest of it stays as it is."""
    found = _SHORT.search(line) or _STATEMENT.search(line)
    if found is not None:
        line = _hidden(line, found)
    return _KEYWORD.sub(rf"\g<1>{HIDDEN}", line)


def goes_on(line: str) -> bool:
    """Say whether the statement of a line goes on in the next one, which then has passwords alone."""
    return line.rstrip().endswith(",") and (_SHORT.search(line) or _STATEMENT.search(line)) is not None


def _hidden(line: str, found: re.Match[str]) -> str:
    words = list(_WORD.finditer(line, found.end()))
    if found["user"]:
        return _without(line, words[1:2])
    if found["disk"]:
        # the mode is the last thing that is no password; a label may look like one, and then hides too much
        modes = [place for place in range(2, len(words)) if _MODE.fullmatch(words[place].group())]
        return _without(line, words[modes[0] + 1 :] if modes else words[4:])
    return _without(line, words)


def _without(line: str, words: list[re.Match[str]]) -> str:
    for word in reversed(words):
        line = f"{line[: word.start()]}{HIDDEN}{line[word.end() :]}"
    return line
