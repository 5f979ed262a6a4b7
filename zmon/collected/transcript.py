r"""Cutting texts into outputs: what tools printed, as collectors and people keep it.

* supportconfig writes `#==[ Command ]====#` and `# /usr/bin/lsblk -i`, or `#==[ Configuration File ]====#`
  and `# /proc/mounts`, before each; it drops empty lines and comments of copied files.
* dbginfo.sh writes a line of number signs and `host> lsblk` before each command.
* sos gives each command a file of its own: see `zmon.collected.sos`.
* What a person copied has prompts of any shell, commands without one, or outputs alone; it may be indented,
  quoted or fenced, as in mails, tickets and Markdown.  An output begins behind a prompt, at its heading, or
  with a line that only its tool prints; it has the margin with which it begins, and ends where that ends.

Sources: supportutils, bin/supportconfig.rc; s390-tools, scripts/dbginfo.sh.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.collected.forms import FORMS
from zmon.collected.mount_texts import FROM_TABLE
from zmon.collected.sos import command_of_sos, mended
from zmon.kernel.capture_text import CP_TOOLS, CollectedText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.collected.reading import Form

_SECTION: Final = re.compile(r"(?m)^#==\[ ([A-Za-z ]{1,40}) \]=*#\n# ?([^\n]*)\n")
_ECHOED: Final = re.compile(r"(?m)^#{20,200}\n([^\s>]{0,255})> ([^\n]*)\n")
_NOT_THERE: Final = re.compile(r" - (?:File not found|Last [0-9]+ Lines)\s*$")
_COPIED: Final = re.compile(r"cat (/(?:proc|sys|etc)/[\w./-]+)")
_PIECE: Final = re.compile(
    r"(?:cat (?P<file>/proc/[\w./-]+) *\|.*|(?:[efz]?grep|head|tail) .*?(?P<searched>/proc/[\w./-]+).*)"
)
"""Commands that print a part of a kernel's file."""
_OF_FILES: Final = re.compile(
    r"(?:[bxz]?[xz]?cat|[xz]?less|more|head|tail|[ef]?[xz]?grep|vim?|diff|strings|awk|sed|sort|tar)\b|findmnt\b.*\s"
    + FROM_TABLE
)
"""Commands that print files, whose lines look like outputs of tools and are of another time or machine."""
_REMOTE: Final = re.compile(r"(?:ssh|rsh)\s+(?:-\S+\s+)*(?:[\w.-]+@)?([A-Za-z][\w-]*)[\w.-]*\s+(.+)")
_STAMPED: Final = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\[?\d\d:\d\d:\d\d\]?) (?:\S+ [\w.-]+\[\d+\]: )?"
)
"""What logs and `ts` write before each line."""
_STAMPED_PART: Final = 0.9
"""The part of the lines that have a time, from which on it is no part of them."""

_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>])|.\x08"
)
_DRAWN: Final = "├─└│┌┬┈┆▶"
"""What tools draw with; in UTF-8 that was read in another encoding these are three characters each."""
_TAGS: Final = re.compile(r"<[/!]?[A-Za-z][^<>]{0,500}>")
_MARGIN: Final = r"(?P<margin>(?:[ \t]*[>|](?=[ \t]))*[ \t]*)"
_TOOLS: Final = (
    r"(?:blkid|btrfs|cat|cryptsetup|dasdview|df|dmesg|dmsetup|fdasd|fdisk|findmnt|hostname|journalctl"
    r"|losetup|ls|lsblk|lschp|lscpu|lscss|lsdasd|lsluns|lsqeth|lsscsi|lstape|lszdev|lszfcp|lvdisplay|lvm|lvs"
    r"|lvscan|mdadm|mount|multipathd?|parted|pvdisplay|pvs|pvscan|sfdisk|swapon|udevadm|uname|vgdisplay|vgs|vmcp"
    r"|hcp)"
)
_SETTINGS: Final = r"(?:(?:env +)?(?:[A-Z][A-Z0-9_]{0,30}=\S{0,60} +)+)?"
"""Variables that are set for a command."""
_COMMAND: Final = (
    rf"(?:sudo +(?:-\S+ +)*)?{_SETTINGS}(?:/[\w./-]{{0,60}}bin/)?(?P<command>{_TOOLS}(?![\w.-])[^\n]*)"
)
_SIGNS: Final = "#$>%\u279c\u276f\u27a4\u00bb"
"""With which prompts end, among them some arrows."""
_PROMPT: Final = re.compile(
    rf"{_MARGIN}(?P<prompt>(?:[^\n]{{0,80}}?\S ?)?(?:[#$>%]|[{_SIGNS[4:]}](?: +[~/]\S{{0,60}})?) ?){_COMMAND}"
)
_TYPED: Final = re.compile(
    rf"{_MARGIN}(?P<command>{_TOOLS}(?:[ \t]+(?:-|/|show|info|table|filesystem)[^\n]*)?)\s*"
)
_HOST: Final = re.compile(r".*@([A-Za-z][\w-]{0,62})|([A-Za-z][\w-]{0,62})(?:\.[\w.-]+)?:(?=[~/])")
_SHELL: Final = re.compile(r"(?:ba|z|k|c|da|tc)?sh-[0-9]")
_FENCE: Final = re.compile(r"[ \t>]*(?:```|~~~|\{(?:noformat|code)[^}]*\}|</?pre>|</?code>|\[/?code\])\S*\s*")
_PLAIN_WORDS: Final = 2
"""Words of letters that a command may have behind its name; prose has more."""
_QUERY: Final = (
    r"(?:[0-9]{2}: )?(?:#?(?:CP|cp|VMCP|vmcp|hcp) )?(?i:q|que?|quer|query) [A-Za-z@$#][\w@$# -]{0,70}\s*$"
)
_ANSWER: Final = (
    r"(?:[0-9]{2}: )?(?:DASD [0-9A-F]{4} (?:[0-9A-Z]{4,5} |ON |CP |ATTACHED)|FCP +[0-9A-F]{4} ON FCP )"
)
CP: Final = "answers of CP"
"""What a section with an answer of CP is taken for."""
_FIRST_OF_CP: Final = re.compile(rf"{_MARGIN}(?:{_QUERY}|{_ANSWER})")


_NO_HELP: Final = {"-h": ("df ",), "-V": ("lszfcp ", "lstape ")}
"""Options with which tools print their usage or version, and the tools that have them for something else."""


def form_of(name: str) -> Form | None:
    """Return the form of what a command prints, or of a copied file; None if zmon reads neither."""
    if re.search(r"\s(?:--help|--version)(?:\s|$)", name) or any(
        option in name.split() and not name.startswith(tools) for option, tools in _NO_HELP.items()
    ):
        return None
    if piece := _PIECE.fullmatch(name):
        name = (piece["file"] or piece["searched"])[1:]
    for form in FORMS:
        if re.match(rf"(?:{form.command})(?:\s|$)", name) or re.fullmatch(form.command, name):
            return form
    return None


@cache
def _headings() -> re.Pattern[str]:
    return _any_of([(number, form.reading.heading) for number, form in enumerate(FORMS)])


@cache
def _firsts() -> re.Pattern[str]:
    return _any_of([(number, form.reading.first) for number, form in enumerate(FORMS)])


def _any_of(patterns: list[tuple[int, str]]) -> re.Pattern[str]:
    begins = "|".join(f"(?P<f{number}>{pattern})" for number, pattern in patterns if pattern)
    return re.compile(f"{_MARGIN}(?:{begins})")


def _formed(match: re.Match[str]) -> Form:
    return FORMS[int(next(name[1:] for name, told in match.groupdict().items() if told and name != "margin"))]


def decoded(data: bytes) -> str:
    """Return the text of a file, with line feeds alone, without the codes of a terminal or of HTML."""
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")
            break
    else:
        text = data.decode("utf-8", "surrogateescape")
    text = text.replace("\r\n", "\n")
    if "\x1b" in text or "\x08" in text:
        text = _ESCAPES.sub("", text)
    if "â" in text:
        for drawn, codec in product(_DRAWN, ("cp1252", "latin-1")):
            text = text.replace(drawn.encode().decode(codec), drawn)
    if re.search(r"(?i)<(?:html|pre|code|!doctype)\b", text[:4096]):
        import html  # noqa: PLC0415 - few texts are HTML

        text = html.unescape(_TAGS.sub("", re.sub(r"(?i)<br ?/?>(?!\n)", "\n", text)))
    if "=3D" in text and "=\n" in text:
        import quopri  # noqa: PLC0415 - few texts are mails as they were sent

        text = quopri.decodestring(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    rows = text.split("\n")
    stamps = [_STAMPED.match(row) for row in rows]
    if stamps[0] and sum(map(bool, stamps)) > _STAMPED_PART * sum(map(bool, map(str.strip, rows))):
        rows = [row[stamp.end() :] if stamp else row for row, stamp in zip(rows, stamps, strict=True)]
        text = "\n".join(rows)
    return text if text.endswith("\n") else f"{text}\n"


def outputs(origin: str, data: bytes, time: int, listed: str = "") -> Iterator[CollectedText]:
    """Cut a text into outputs of commands and copies of files.

    Those of a collector for commands that zmon does not read have no form; so has what is no output.
    `listed` is the command whose output the text is wholly, where the collector lists that.
    """
    text = decoded(data)
    if command := listed or command_of_sos(origin):
        yield _output(origin, 1, command, mended(command, text), time)
    elif _SECTION.search(text):
        yield from _cut(origin, text, time, _SECTION)
    elif _ECHOED.search(text):
        yield from _cut(origin, text, time, _ECHOED)
    else:
        yield from _Transcript(origin, text, time).cut()


def is_of_collector(text: str) -> bool:
    """Return whether supportconfig or dbginfo.sh wrote a text."""
    return _SECTION.search(text) is not None or _ECHOED.search(text) is not None


def begins_output(text: str) -> bool:
    """Return whether a text has a line with which an output begins."""
    rows = re.sub(r"(?m)^(\s*\{)\s*\n\s*", r"\1", text).split("\n")
    return any(
        _headings().match(row) or _firsts().match(row) or _FIRST_OF_CP.match(row) or _prompt(row)
        for row in rows
    )


def _output(  # noqa: PLR0913, PLR0917 - what a text is made of
    origin: str, line: int, command: str, text: str, time: int, host: str = ""
) -> CollectedText:
    if copied := _COPIED.fullmatch(command):
        return CollectedText(origin, line, "", copied[1][1:], f"{text.rstrip()}\n", time, host)
    form = CP if command.partition(" ")[0] in CP_TOOLS else ""
    if not form and (own := form_of(command)):
        form = own.name
    return CollectedText(origin, line, command, "", text, time, host, form)


def _cut(origin: str, text: str, time: int, heading: re.Pattern[str]) -> Iterator[CollectedText]:
    """Yield the sections behind headings of a collector."""
    line, at = 1, 0
    last = None
    for match in heading.finditer(text):
        if last is not None:
            yield from _section(origin, line, last, text[at : match.start()], time)
        line += text.count("\n", at, match.end())
        at, last = match.end(), match
    if last is not None:
        yield from _section(origin, line, last, text[at:], time)


def _section(origin: str, line: int, heading: re.Match[str], text: str, time: int) -> Iterator[CollectedText]:
    title = heading[2].strip()
    if heading.re is _SECTION and heading[1] != "Command":
        if title.startswith("/") and not _NOT_THERE.search(title):
            yield CollectedText(origin, line, "", title[1:], f"{text.rstrip()}\n", time)
        return
    tool, _, rest = title.partition(" ")
    host = heading[1].partition(".")[0] if heading.re is _ECHOED else ""
    cut = _output(origin, line, f"{tool.rpartition('/')[2]} {rest}".rstrip(), text, time, host)
    yield cut if cut.form or cut.file else cut._replace(text="")


class _Prompt(NamedTuple):
    """A command behind a prompt."""

    margin: str
    prompt: str
    command: str
    """Without directory and sudo; that of a prompt alone is empty."""
    host: str


def _prompt(row: str) -> _Prompt | None:
    match = _PROMPT.match(row)
    if match is None or _is_prose(match["command"]):
        return None
    return _Prompt(match["margin"], match["prompt"], match["command"].strip(), host_of(match["prompt"]))


def _is_prose(command: str) -> bool:
    tool, *arguments = command.split()
    plain = sum(1 for word in arguments if re.fullmatch(r"[A-Za-z]+[,.:]?", word))
    return tool not in {*CP_TOOLS, "cat", "ls", "multipathd"} and plain > _PLAIN_WORDS


def host_of(prompt: str) -> str:
    """Return the host that a prompt names, without its domain; empty if it names none."""
    named = prompt.rstrip(f"{_SIGNS} ").strip()
    match = None if not named or _SHELL.match(named) else _HOST.match(named)
    return (match[1] or match[2]).casefold() if match else ""


class _Transcript:
    """What a person copied, while it is cut."""

    def __init__(self, origin: str, text: str, time: int) -> None:
        self._origin, self._time = origin, time
        self._lines = text.removesuffix("\n").split("\n")
        self._prompts = self._prompts_there()
        self._rows: list[str] = []
        self._begin = 1
        self._command = self._host = self._margin = ""
        self._form: Form | None = None
        self._is_cp = False
        self._cut: list[CollectedText] = []

    def _prompts_there(self) -> re.Pattern[str] | None:
        """Return the pattern of the prompts in a text: as those before known commands, in any directory."""
        there = {
            re.sub(r"(?:~|/)\S*?(?=[\s\])#$>%]|$)", "DIR", prompt.prompt.rstrip())
            for row in self._lines
            if (prompt := _prompt(row))
        }
        shapes = [
            re.escape(shape).replace("DIR", r"[~/][^\s\])#$>%]{0,100}")
            for shape in there
            if re.search(r"[\w\]]", shape)
        ]
        bare = [re.escape(shape) for shape in there if not re.search(r"[\w\]]", shape)]
        if bare:
            shapes.append(rf"(?:{'|'.join(bare)})(?= ?(?:sudo )?(?:/\S*/)?[a-z][\w.-]*(?: -\S| /\S| \||$))")
        return re.compile(rf"{_MARGIN}(?P<prompt>{'|'.join(shapes)}) ?(?P<command>.*)") if shapes else None

    def cut(self) -> list[CollectedText]:
        """Return the outputs."""
        for number, line in enumerate(self._lines, 1):
            self._take(number, line)
        self._close()
        return self._cut

    def _take(self, number: int, line: str) -> None:
        if prompt := _prompt(line) or self._other_prompt(line):
            margin = f"{prompt.margin}> " if self._is_quoted(number, prompt) else prompt.margin
            self._open(number, margin, command=prompt.command, host=prompt.host)
            return
        if _FENCE.fullmatch(line):
            self._open(number, "")
            return
        row = self._without_margin(line)
        if (
            row is None
            and self._form
            and self._margin.isspace()
            and re.match(self._form.reading.outdented or "(?!)", line)
        ):
            self._rows, self._margin = [f"{self._margin}{text}".rstrip() for text in self._rows], ""
            row = line
        if row is None:
            self._open(number - 1, "")
            row = line
        if not self._is_file and (match := _headings().match(line)):
            self._begin_form(number, match["margin"], _formed(match))
        elif row.strip() and not (self._form and self._form.reading.knows(row)) and not self._is_file:
            self._begin_unannounced(number, line, row)
        if self._begin <= number:
            self._rows.append(self._without_margin(line) or "")

    @property
    def _is_file(self) -> bool:
        """Whether the command prints files, which are of another time or machine."""
        of_kernel = re.fullmatch(r"cat(?: +/proc/\S+)+", self._command)
        return self._form is None and not of_kernel and _OF_FILES.match(self._command) is not None

    def _is_quoted(self, number: int, prompt: _Prompt) -> bool:
        """Return whether the sign before a command quotes a mail, as that of the next line does."""
        following = self._lines[number : number + 1]
        return prompt.prompt.strip() == ">" and bool(following) and following[0].lstrip().startswith(">")

    def _begin_unannounced(self, number: int, line: str, row: str) -> None:
        """Begin an output at a line that the one before does not have, if the line tells which that is."""
        is_brace = line.strip() == "{" and number < len(self._lines)
        if match := _firsts().match(f"{line}{self._lines[number].strip()}" if is_brace else line):
            self._begin_form(number, match["margin"], _formed(match))
        elif match := _TYPED.fullmatch(line):
            self._open(number, match["margin"], command=match["command"], host=self._host)
        elif not self._is_cp and (match := _FIRST_OF_CP.match(line)):
            self._open(number - 1, match["margin"], host=self._host)
            self._is_cp = True
        elif self._ends_before(row):
            self._open(number - 1, "", host=self._host)

    def _ends_before(self, row: str) -> bool:
        """Return whether an output ended with the empty line before, because a remark of a person follows."""
        is_apart = bool(self._form and self._rows and not self._rows[-1].strip())
        return is_apart and len(re.findall(r"(?<!\S)[A-Za-z']+[,.;:!?]?(?!\S)", row)) > _PLAIN_WORDS

    def _other_prompt(self, line: str) -> _Prompt | None:
        """Return a prompt, as others of the text, before a command that zmon does not read."""
        match = self._prompts.fullmatch(line) if self._prompts else None
        if match is None:
            return None
        command = re.sub(r"^sudo +(?:-\S+ +)*", "", match["command"].strip())
        return _Prompt(match["margin"], match["prompt"], command, host_of(match["prompt"]))

    def _without_margin(self, line: str) -> str | None:
        """Return a line without the margin of its output; None if it does not have it."""
        if line.startswith(self._margin):
            return line[len(self._margin) :]
        return "" if line.strip(" \t>|") == "" else None

    def _begin_form(self, number: int, margin: str, form: Form) -> None:
        """Begin an output of a form, unless it is that of the output before.

        The first line behind a command tells the form of what that prints, and its margin.
        """
        if self._command and not any(row.strip() for row in self._rows) and self._form in {None, form}:
            self._margin = margin
        elif form is not self._form:
            self._open(number - 1, margin, host=self._host)
        self._form = form

    def _open(self, number: int, margin: str, command: str = "", host: str = "") -> None:
        """End the output before, and begin one behind a line."""
        self._close()
        self._begin, self._margin, self._rows = number + 1, margin, []
        if remote := _REMOTE.fullmatch(command):
            host, command = remote[1].casefold(), remote[2].strip("'\"")
        self._command, self._host, self._is_cp = command, host, False
        self._form = form_of(command) if command else None

    def _close(self) -> None:
        """Take the output that has ended."""
        if not self._command and not any(row.strip() for row in self._rows):
            return
        text = "".join(f"{row}\n" for row in self._rows)
        cut = _output(self._origin, self._begin, self._command, text, self._time, self._host)
        if not cut.file and self._form is not None:
            cut = cut._replace(form=self._form.name)
        elif self._is_cp:
            cut = cut._replace(form=CP)
        self._cut.append(cut)
