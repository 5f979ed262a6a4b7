"""Console logs and pasted screens: bytes become lines, and the text around CP's answers is recognised.

Prefixes, echoed commands, screens' status lines, events, and passwords to hide.  The meaning of answers is
not known here.  A line keeps its columns: bytes become characters one for one, and only what is before the
first word is removed.

**Passwords** may occur in a line of a user directory or of a console: USER and IDENTITY statements have one
behind the name, MDISK statements up to three behind the access mode, APPCPASS has one somewhere; commands
LINK, LOGON, AUTOLOG and XAUTOLOG may be typed with one.  A password cannot always be distinguished from a
word that is none (`NOLOG`), and old statements remain as comments, so everything that may be one is hidden.
Code that shows, writes or keeps a line that is not understood must call `hide_passwords`.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

CHUNK: Final = 1 << 18
"""Characters read at a time."""
MAX_LINE: Final = 4096
"""Characters of a line; no answer of CP has more than a few hundred."""
MAX_RANGE: Final = 0xFFFF
"""Numbers of a range of devices."""


class ConsoleLine(NamedTuple):
    """A line without its prefixes."""

    text: str
    """From the first word to the last."""
    number: int
    """Counted from 1."""
    indent: int = 0
    """Blanks between the prefixes and the text: a line that goes on begins with some."""
    node: str = ""
    """Name of the guest or host before the colon, as a collecting tool or a secondary console writes it."""


# bytes to characters


def text_chunks(source: BinaryIO) -> Iterator[str]:
    r"""Yield the text of a stream in pieces that end with a line, `\n`, but for the last of the stream.

    UTF-8, or UTF-16 with its mark.  A byte that is neither becomes one character, so that columns stay.  What
    a line has beyond `MAX_LINE` is dropped, so that a file without line ends cannot fill the memory.
    """
    piece = source.read(CHUNK)
    is_wide = piece[:2] in {b"\xff\xfe", b"\xfe\xff"}
    encoding, errors = ("utf-16", "replace") if is_wide else ("utf-8-sig", "surrogateescape")
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    rest = ""
    while piece:
        text = decoder.decode(piece)
        end = text.rfind("\n") + 1
        if end:
            yield rest + text[:end]
            rest = text[end:]
        elif len(rest) <= MAX_LINE:
            rest += text[: MAX_LINE + 1]
        piece = source.read(CHUNK)
    if rest := rest + decoder.decode(b"", final=True):
        yield rest


_ODD: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PADDING: Final = re.compile("\0(?![0-9A-Z])")


def printable(text: str) -> str:
    """Return a line in which each control character is replaced by one printable character.

    Some systems pad with binary zeros, so one behind a word becomes a blank; before a word it may have been a
    digit.  Other control characters are `?`, bytes of another character set are U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(_replaced, _PADDING.sub(" ", text))


def _replaced(match: re.Match[str]) -> str:
    return "?" if match.group() < "\xa0" else "\ufffd"


# prefixes

_PREFIX: Final = re.compile(
    r"(?:[ \t]*(?:[0-9]{2}:[0-9]{2}:[0-9]{2}(?=[ \t]|$)|(?:[0-9A-F]{2}|data):(?=[ \t]|$)|(?P<quote>[>|*`]+))"
    r"[ \t]?)*"
)
_NODE: Final = re.compile(r"([A-Za-z0-9_$#@.-]{1,32})[ \t]?:[ \t]+")


def strip_prefix(raw: str, number: int) -> ConsoleLine:
    """Return a line without time stamps, CPU prefixes, `data:` of a 3270 script, signs of quotation."""
    if raw.startswith("DASD "):
        return ConsoleLine(raw.rstrip(), number)
    match = _PREFIX.match(raw)
    end = match.end() if match else 0
    rest = raw[end:]
    text = rest.strip()
    if match and match["quote"]:
        # a table or code block of a page has its sign at the end of the line too
        text = text.rstrip("|`").rstrip()
    return ConsoleLine(text, number, len(rest) - len(rest.lstrip()))


def strip_node(line: ConsoleLine) -> ConsoleLine | None:
    """Return a line without the name of a guest or host before it; none if it has no such name."""
    match = _NODE.match(line.text) if ":" in line.text else None
    if match is None:
        return None
    return strip_prefix(line.text[match.end() :], line.number)._replace(node=match[1].upper())


# lines without information

_ECHO: Final = re.compile(
    r"(?P<prompt>(?:===>|\S{0,64}[>$#%]|\[[^\]]{0,80}\][$#%])[ \t]+)?"
    r"(?P<shell>(?:(?:sudo|#?CP|(?:/\S*/)?(?:vmcp|hcp)(?:[ \t]+-\S+|[ \t]+[0-9]+[kKmM]?)*)[ \t]+)*)['\"]?"
    r"(?P<command>[A-Z#]\S{0,11}(?:[ \t]+\S.{0,120}?)?)['\"]?",
    re.IGNORECASE,
)
_QUERY: Final = re.compile(r"Q(?:U(?:E(?:RY?)?)?)?|IND(?:I(?:C(?:A(?:TE?)?)?)?)?", re.IGNORECASE)
_OPERANDS: Final = (
    "VIRTUAL", "DASD", "USERID", "PRIVCLASS", "CPLEVEL", "CPUS", "PROCESSORS", "STORAGE", "XSTORE",
    "PATHS", "CHPID", "CHPIDS", "CHPIDV", "CACHE", "PAV", "CU", "SYSTEM", "MDISK", "MDCACHE", "ALLOC",
    "CPOWNED", "NAMES", "TIME", "TIMEZONES", "SHARE", "SRM", "FCP", "OSA", "NIC", "VSWITCH", "LAN",
    "EDEVICE", "VDISK", "FRAMES", "MULTITHREAD", "LOAD", "USERS", "QUEUES", "PAGING", "I/O", "SPACES",
    "LPARS", "SET", "TERMINAL", "READER", "PRINTER", "PUNCH", "LINKS", "CONSOLE", "DISK", "ACCESSED",
    "SEARCH", "CMSLEVEL", "SSI", "PENDING", "CRYPTO", "PCIFUNCTION", "DUMP", "CPCMDS", "COMMANDS",
    "MONITOR", "RSAW", "TAPES", "FILES", "RESERVED",
)  # fmt: skip
"""What QUERY and INDICATE are asked for; two letters are enough here, or the V of VIRTUAL."""
_OPERAND: Final = re.compile(r"[A-Z0-9*.$#@_/+-]{1,16}", re.IGNORECASE)
_WITH_DIGIT: Final = re.compile(r"[A-Z0-9$#@_.-]*[0-9][A-Z0-9$#@_.-]*", re.IGNORECASE)

_H: Final = "[0-9A-F]{1,5}"
_LIST: Final = rf"{_H}(?:-{_H})?(?:[ \t]+{_H}(?:-{_H})?)*"
_OTHER_COMMAND: Final = re.compile(
    rf"L(?:INK?)?[ \t]+(?:TO[ \t]+)?[A-Z0-9*$#@_-]{{1,8}}[ \t]+{_H}(?:[ \t]+(?:AS[ \t]+)?{_H})?"
    r"(?:[ \t]+\S{1,8}){0,2}"
    rf"|DET(?:ACH?)?[ \t]+{_LIST}"
    rf"|ATT(?:ACH?)?[ \t]+{_LIST}[ \t]+(?:TO[ \t]+)?\S{{1,8}}(?:[ \t]+\S{{1,8}}){{0,4}}"
    rf"|VARY[ \t]+O(?:N(?:LINE)?|FF(?:LINE)?)[ \t]+\S{{1,16}}(?:[ \t]+\S{{1,8}}){{0,2}}"
    rf"|I(?:PL)?[ \t]+(?:{_H}|CMS|LINUX\S*)(?:[ \t]+(?:CL(?:EAR)?|PARM|LOADPARM)(?:[ \t].*)?)?"
    r"|LOGO?N?[ \t]+[\w$#@-]{1,8}(?:[ \t]+(?:BY[ \t]+)?\S{1,8})?(?:[ \t]+NOIPL)?|LOGOFF"
    r"|DISC(?:ONN?)?|B(?:EGIN)?|#CP[ \t].*|X?AUTOLOG[ \t]+\S{1,8}(?:[ \t]+\S{1,8})?"
    r"|SET[ \t]+(?:RUN|EMSG|I?MSG|WNG|SMSG|PF[0-9]{1,2}|OBSERVER|SECUSER|MDCACHE|SHARE|VSWITCH)"
    r"[ \t]+\S.{0,60}"
    r"|TERM(?:INAL)?[ \t]+(?:MORE|HOLD|LINEND|CHARDEL|LINEDEL|ESCAPE|CONMODE|LINESIZE)[ \t]+\S.{0,30}"
    r"|SP(?:OOL)?[ \t]+(?:CONS?(?:OLE)?|READER|RDR|PRINTER|PRT|PUNCH|PUN)[ \t]+\S.{0,40}",
    re.IGNORECASE,
)
"""Commands that are no queries and cannot be confused with other text."""
_SCREEN: Final = re.compile(
    r"(?:RUNNING|HOLDING|MORE\.\.\.|CP READ|VM READ|NOT ACCEPTED)(?:[ \t]+[A-Z0-9$#@_-]{1,8})?"
)
_SILENT: Final = re.compile(
    r"#{5,}|`{3,}\w*|~{3,}|[-=_+|]{3,}|===>"
    r"|[ULE] [FU] [UP] (?:C\(\S{1,80}\)|N) [ILPCN] [2-5] [0-9]+ [0-9]+ [0-9]+ [0-9]+ 0x[0-9a-f]+ \S+|ok"
    r"|(?:LOGON|LOGOFF|RECONNECTED|DISCONNECT(?:ED)?) AT [0-9]{2}:[0-9]{2}:[0-9]{2} .{1,40}"
    r"|CONNECT= ?[0-9:]+ +VIRTCPU= ?[0-9:.]+ +TOTCPU= ?[0-9:.]+"
    r"|FILES: .{1,60}|LOGMSG - .*|built on IBM Virtualization Technology|There is no logmsg data"
    r"|\*? ?(?:MSG|WNG|SMSG) FROM .*"
    r"|\S*dbginfo\S*: Warning: .*|rc=-?[0-9]+"
)
_EVENT: Final = re.compile(
    r"(?:DASD|FCP|OSA|CTCA|TAPE|GRAF|CONS|RDR|PUN|PRT|LINE|NIC|CRYPTO|SWCH)\s+[0-9A-F]{3,5}\s+"
    r"(?:ATTACHED(?=\s+TO\s)|DETACHED|LINKED|DEFINED|CREATED|VARIED|dump\sunit)(?:\s.*)?"
    r"|[0-9A-F]{4,5}(?:-[0-9A-F]{4,5})?\s+(?:VARIED\s.*|DETACHED(?:\s.*)?)"
)
_DETACHED: Final = re.compile(
    r"(?:[A-Z]{3,4}\s+)?(?P<first>[0-9A-F]{4,5})(?:-(?P<last>[0-9A-F]{4,5}))?\s+DETACHED"
    r"(?:\s+(?!BY\s)(?P<user>\S{1,8})(?:\s+[0-9A-F]{4})?)?(?:\s+BY\s+\S{1,8}\s*)?"
)
_ATTACHED: Final = re.compile(
    r"[A-Z]{3,4}\s+(?:(?P<vdev>[0-9A-F]{4})\s+(?:LINKED|DEFINED|CREATED)\b.*"
    r"|[0-9A-F]{4,5}\s+ATTACHED\s+TO\s+\S{1,8}\s+(?P<as>[0-9A-F]{4})\b.*)"
)
_MOMENT: Final = re.compile(r"\W{0,9}([0-9]{2}:[0-9]{2}:[0-9]{2})\s")
_AT_THE_RIGHT: Final = 40
"""The status of a screen is at column 60 of its last line; narrower ones have it further left."""


def echoed_query(line: ConsoleLine) -> str:
    """Return the query of an echoed command line, in capitals; empty if it is none."""
    asked = _echoed(line)
    return asked if asked and _QUERY.fullmatch(asked.split()[0]) else ""


def echoed_command(line: ConsoleLine) -> str:
    """Return the command of an echoed command line that is no query, in capitals; empty if it is none."""
    asked = _echoed(line)
    return "" if not asked or _QUERY.fullmatch(asked.split()[0]) else hide_passwords(asked)


@lru_cache(maxsize=64)
def _echoed(line: ConsoleLine) -> str:
    match = _ECHO.fullmatch(line.text)
    if match is None:
        return ""
    verb, *operands = match["command"].split()
    if _QUERY.fullmatch(verb):
        sure = bool(match["prompt"] or match["shell"])
        is_one = bool(operands) and all(map(_OPERAND.fullmatch, operands)) and (sure or _asks(operands))
    else:
        is_one = _OTHER_COMMAND.fullmatch(match["command"]) is not None
    return " ".join(match["command"].upper().split()) if is_one else ""


def _asks(operands: list[str]) -> bool:
    """Return whether words behind QUERY are its operands, and not part of a sentence."""
    first = operands[0].upper()
    one_case = len({word.isupper() for word in operands if word.isalpha()}) < 2
    is_operand = first == "V" or (len(first) > 1 and any(name.startswith(first) for name in _OPERANDS))
    return len(operands) <= 6 and one_case and (is_operand or _WITH_DIGIT.fullmatch(first) is not None)


def is_noise(line: ConsoleLine) -> bool:
    """Return whether a line is a screen's status, a separator or a message between users."""
    text = line.text
    return bool(_SILENT.fullmatch(text) or (line.indent >= _AT_THE_RIGHT and _SCREEN.fullmatch(text)))


def is_event(line: ConsoleLine) -> bool:
    """Return whether a line reports an event, which is no answer about the present state."""
    return _EVENT.fullmatch(line.text) is not None


class Detachment(NamedTuple):
    """An event: CP has taken devices away."""

    numbers: tuple[str, ...]
    """Four or five hex digits each."""
    user: str
    """The guest, or `SYSTEM`, that they were taken from by their real numbers; empty if it is not said."""


def detachment(line: ConsoleLine) -> Detachment | None:
    """Return which devices an event takes away: `DASD 0104 DETACHED`, `DASD 7602 DETACHED LINDB01 7602`."""
    match = _DETACHED.fullmatch(line.text)
    if match is None:
        return None
    first, last = (int(match[name] or match["first"], 16) for name in ("first", "last"))
    numbers = range(first, min(last, first + MAX_RANGE) + 1)
    return Detachment(tuple(f"{number:04X}" for number in numbers), match["user"] or "")


def attached(line: ConsoleLine) -> str:
    """Return the number in a guest of a device that an event gives it; empty for any other line."""
    match = _ATTACHED.fullmatch(line.text)
    return (match["vdev"] or match["as"]) if match else ""


def moment_of(raw: str) -> str:
    """Return the time of day that a line begins with, as `10:11:40`; empty if it has none."""
    match = _MOMENT.match(raw)
    return match[1] if match else ""


# passwords

HIDDEN: Final = "********"
"""Replaces a password."""

_ACCESS_MODE: Final = re.compile(r"(?:RR?|WR?|M[RW]?)[VSE]{0,2}", re.IGNORECASE)
_WORD: Final = re.compile(r"\S+")
_SECRET_STATEMENT: Final = re.compile(
    r"(?<![\w$#@])(?:"
    r"(?P<user>USER|IDENTITY|IDENT|LOGON|LOGIN|X?AUTOLOG)"
    r"|(?P<disk>MD(?:I(?:SK?)?)?|LINK)"
    r"|(?P<all>APPCPASS)"
    r")(?=[ \t=])",
    re.IGNORECASE,
)
_SHORT_STATEMENT: Final = re.compile(
    r"^(?P<head>[\s*>|`]*(?:\d\d:\d\d:\d\d\s+)?)(?:(?P<user>U|US|USE|ID|L|LO|LOG|LOGO)|(?P<disk>M))(?=[ \t])",
    re.IGNORECASE,
)
"""Statements and commands may be abbreviated; an abbreviation means something at the beginning only."""
_SECRET_KEYWORD: Final = re.compile(
    r"((?<!\w)\w{0,32}(?:PASS|PW)\w{0,32}\s{0,9}=\s{0,9}|(?<![\w$#@])(?:PASS|PASSWORD|PW)(?:\s{0,9}:|\s)\s{0,9})[^\s,;]+",
    re.IGNORECASE,
)


def hide_passwords(line: str) -> str:
    """Return a line with everything hidden that may be a password; the rest of it stays as it is."""
    match = _SHORT_STATEMENT.search(line) or _SECRET_STATEMENT.search(line)
    if match is not None:
        line = _hidden(line, match)
    return _SECRET_KEYWORD.sub(rf"\g<1>{HIDDEN}", line)


def is_continued(line: str) -> bool:
    """Return whether the statement of a line continues on the next line, which then has passwords only."""
    return (
        line.rstrip().endswith(",")
        and (_SHORT_STATEMENT.search(line) or _SECRET_STATEMENT.search(line)) is not None
    )


def _hidden(line: str, match: re.Match[str]) -> str:
    matches = list(_WORD.finditer(line, match.end()))
    if match["user"]:
        return _without(line, matches[1:2])
    if match["disk"]:
        # the mode is the last word that is no password; a label that looks like a mode hides too much
        modes = [place for place in range(2, len(matches)) if _ACCESS_MODE.fullmatch(matches[place].group())]
        return _without(line, matches[modes[0] + 1 :] if modes else matches[4:])
    return _without(line, matches)


def _without(line: str, matches: list[re.Match[str]]) -> str:
    for word in reversed(matches):
        line = f"{line[: word.start()]}{HIDDEN}{line[word.end() :]}"
    return line
