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
from itertools import islice, product
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.collected import ansible_texts, salt_texts
from zmon.collected.file_texts import BLOCK, MANY_FILES, Files, by_file
from zmon.collected.forms import FORMS
from zmon.collected.hosts import (
    CALLER,
    CLOSED,
    NO_HOST,
    RULED,
    SAID,
    HostPart,
    by_host,
    headings,
    printed_host,
    short,
)
from zmon.collected.mount_texts import FROM_TABLE, MountList
from zmon.collected.numbers import is_of_kernel
from zmon.collected.reading import BETWEEN, TERMINALS
from zmon.collected.shell_loops import in_one_line, is_known
from zmon.collected.sos import command_of_sos, mended
from zmon.collected.times import REBOOTED, moment_of, moment_of_mail
from zmon.collected.tools import TOOLS
from zmon.kernel.capture_text import CP_TOOLS, CollectedText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.collected.reading import Form

_UNDERLINE: Final = re.compile(r"\s*[-=~]{3,}\s*")
"""What people draw below a heading."""
_SECTION: Final = re.compile(r"(?m)^#==\[ ([A-Za-z ]{1,40}) \]=*#\n# ?([^\n]*)\n")
_ECHOED: Final = re.compile(r"(?m)^#{20,200}\n([^\s>]{0,255})> ([^\n]*)\n")
_NOT_THERE: Final = re.compile(r" - (?:File not found|Last [0-9]+ Lines)\s*$")
_COPIED: Final = re.compile(r"cat (/(?:proc|sys|etc)/[\w./-]+)")
_PIECE: Final = re.compile(
    r"(?:cat (?P<file>/proc/[\w./-]+|/etc/mtab) *\|.*"
    r"|(?:[efz]?grep|head|tail) .*?(?P<searched>/proc/[\w./-]+|/etc/mtab).*)"
)
"""Commands that print a part of a kernel's file."""
_OF_FILES: Final = re.compile(
    r"(?:[bxz]?[xz]?cat|[xz]?less|more|head|tail|[ef]?[xz]?grep|vim?|diff|strings|awk|sed|sort|tar)\b|findmnt\b.*\s"
    + FROM_TABLE
)
"""Commands that print files, whose lines look like outputs of tools and are of another time or machine."""
_OF_SYSTEM: Final = re.compile(r"/(?:boot|etc|proc|sys|usr|var/log)/.*|/dev/null")
"""Files that are no outputs that somebody kept."""
_COMMANDS: Final = re.compile(r"(?:'[^']*'|\"[^\"]*\"|\\.|(?<!&)&(?!&)|(?<!\|)\|(?!\|)|[^;&|'\"\\]|['\"\\])+")
"""The commands of a list, which `;`, `&&` and `||` divide."""
_STAMPED: Final = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\[?\d\d:\d\d:\d\d\]?) "
)
"""What logs and `ts` write before each line."""
_LEVEL: Final = re.compile(r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\]?:?(?: +|$)")
"""What logs write behind the time, padded to one width."""
_STAMPED_PART: Final = 0.9
"""The part of the lines that have a time, from which on it is no part of them."""

_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>])|.\x08"
)
_DRAWN: Final = "├─└│┌┬┈┆▶"
"""What tools draw with; in UTF-8 that was read in another encoding these are three characters each."""
_END_OF_BLOCK: Final = r"(?i)(?:<br ?/?>|</(?:p|div|tr|li|h[1-6])>)(?!\n)"
_END_OF_CELL: Final = r"(?i)</t[dh]>\s*(?=<t[dh])"
_QUOTED: Final = re.compile(r"(?im)^Content-Transfer-Encoding: *quoted-printable")
_BOUNDARY: Final = r"""boundary=(?:3D)?"?([^\s";]{1,70})"""
"""What is between the parts of a mail."""
_ANSIBLE: Final = re.compile(r" \| (?:[A-Z]+!? \| )?rc=[0-9]+ >>$", re.MULTILINE)
_GLUED: Final = re.compile(
    r"(?m)(?:(?<=[^\s/])|(?<=\s/))(?:non-zero return code$| *WARNING: .*$"
    rf"|(?:(?:/bin/)?(?:ba|k|z|da)?sh|{'|'.join(sorted(TOOLS))}): .*$)"
)
"""What ansible joins with the last line of an output: of errors, and of its own."""
_TYPESET: Final = {
    **dict.fromkeys((0xA0, 0x2002, 0x2003, 0x2007, 0x2009, 0x202F, 0xDCA0), " "),
    **dict.fromkeys((0x00AD, 0x200B, 0xFEFF, 0xDCAD), None),
    **dict.fromkeys((0x2010, 0x2011), "-"),
    **dict.fromkeys((0x2014, 0xDC97), "--"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0xDC84, 0xDC93, 0xDC94), '"'),
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0xDC91, 0xDC92), "'"),
    0x2013: "\u2013", 0xDC96: "\u2013",
}  # fmt: skip
"""What word processors write for blanks, hyphens and quotes, in UTF-8 or Windows' encoding."""
_DASH: Final = "(?<![^ \t|'\"])\u2013(?=\\w)"
"""An en dash where an option begins."""
_ENTITY: Final = re.compile(
    r"&#(?:1[6-9][0-9]|[2-9][0-9]{2}|[1-9][0-9]{3,5}|x[a-fA-F1-9][0-9a-fA-F]{2,4});|&nbsp;"
)
"""A character that is none of ASCII, as editors of HTML write it into a text that is none."""
_ROW_IN_BOLD: Final = re.compile(
    r"(?m)^(?=[^\n]*(?:\S {2,}\S[^\n]* {2,}\S|/dev/\S+ +\S))[^\n]*(?<!\*)\*\*(?!\*)[^\n]+$"
)
"""A row of a table in Markdown, of which a part is set in bold."""
_BOLD: Final = re.compile(r"(?<!\*)\*\*(?!\*)([^*\n]+)\*\*(?!\*)")
_COLOURED: Final = re.compile(r"\(\*\|\\textcolor\{\w+\}\{([^{}\n]*)\}\|\*\)")
"""A word that a listing in LaTeX prints in a colour."""
_TAGS: Final = re.compile(r"<[/!]?[A-Za-z][^<>]{0,500}>")
_MARGIN: Final = r"(?P<margin>(?:[ \t]*[>|](?=[ \t]))*[ \t]*)"
_TOOLS: Final = f"(?:{'|'.join(sorted(TOOLS))})"
_SETTINGS: Final = r"(?:(?:env +)?(?:[A-Z][A-Z0-9_]{0,30}=\S{0,60} +)+)?"
"""Variables that are set for a command."""
_OF_TOOL: Final = rf"(?:sudo +(?:-\S+ +)*|su +-?l? ?\w+ +-c +['\"]?)?{_SETTINGS}(?:/[\w./-]{{0,60}}bin/)?"
"""What stands before the name of a tool."""
_SSH: Final = (
    r"(?:sshpass +(?:-\S+ +)*(?:\S+ +)?)?(?:ssh|rsh|plink) +(?:-[BbcDEeFIiJLlmOopQRSWw] *\S+ +|-\S+ +)*"
    r"(?:[\w.-]+@)?"
)
_REMOTE: Final = re.compile(
    rf"{_SSH}(?P<host>\w[\w.-]*)(?: +(?P<quote>['\"]?)(?P<command>\S.*?)(?P=quote))?\s*"
)
"""A command that ssh runs on another host, or a login there."""
_CALL: Final = rf"{_SSH}\w[\w.-]*(?: +['\"]?{_OF_TOOL}{_TOOLS}(?![\w.-])[^\n]*|\s*$)"
_PRINTS: Final = r"(?:[efz]?grep|head|tail|more|for(?= \w+ in ))(?=[^\n]* /(?:proc|sys|etc/mtab)(?:[/ ]|$))"
"""What prints files of the kernel; people use it for others, too."""
_IN_CONTAINER: Final = (
    r"(?:(?:docker|podman|nerdctl|crictl|kubectl|oc)\b(?: +-\S+(?: +[^-\s]\S*)??)*"
    r" +(?:container +)?(?:exec|run|rsh|debug|attach)|lxc-attach|machinectl +shell|systemd-nspawn"
    r"|nsenter(?=[^\n]*\s(?:-[a-zA-Z]*[ma]|--mount|--all)))"
)
"""What runs other commands in a container, or a namespace with other mounts."""
_COMMAND: Final = rf"{_OF_TOOL}(?P<command>(?:{_TOOLS}(?![\w.-])|{_PRINTS}|{_IN_CONTAINER}\s)[^\n]*|{_CALL})"
_SHELL_CALL: Final = r"(?:/\S*/)?(?:ba|z|k|c|da|tc|a)?sh(?: -l|--login|-i)*"
_INSIDE: Final = re.compile(rf"{_OF_TOOL}(?P<tool>{_IN_CONTAINER})(?P<rest>\s.*)")
_OF_FIRST: Final = re.compile(r"nsenter\b.*\s(?:-[a-zA-Z]*t|--target)[ =]*1(?:\s.*)?|chroot +/host\b.*")
"""A command that leads from a container to its host."""
_RUN: Final = re.compile(rf"(?:^|.*?\s)(?:--\s+)?(?P<command>{_OF_TOOL}{_TOOLS}(?![\w./:-]).*)")
_STAYS: Final = re.compile(
    rf".*\s(?:{_SHELL_CALL})\s*|(?!.*\s-- +\S).*\s(?:-[a-zA-Z]*[it][a-zA-Z]*|--tty|--interactive)\b.*"
)
"""The rest of such a command, if it is followed by others there."""
_DEBUGGED: Final = re.compile(r"(?:oc|kubectl)\b.*\sdebug\s.*?\bnodes?/(?P<host>[\w.-]+).*")
_SIGNS: Final = "#$>%\u279c\u276f\u27a4\u00bb"
"""With which prompts end, among them some arrows."""
_PROMPT: Final = re.compile(
    rf"{_MARGIN}(?P<prompt>(?:[^\n]{{0,80}}?\S ?)?(?:[#$>%]|[{_SIGNS[4:]}](?: +[~/]\S{{0,60}})?) ?){_COMMAND}"
)
_OF_DAEMON: Final = re.compile(rf"{_MARGIN}(?P<prompt>multipathd>) ?(?P<command>\w.*?)\s*")
"""What `multipathd -k` is asked."""
_TYPED: Final = re.compile(
    rf"{_MARGIN}(?P<command>{_TOOLS}(?:[ \t]+(?:-|/|show|info|table|filesystem)[^\n]*)?"
    rf"|{_SSH}\w[\w.-]* +['\"]?{_OF_TOOL}{_TOOLS}(?![\w.-])[^\n]*)\s*"
)
_RULES: Final = r"(?:={2,}|-{2,}|\*{2,}|#{2,}|~{3,}|>{2,}|\+{1,4})"
_CLOSING: Final = r"[ \t]*(?:={2,}|-{2,}|\*{2,}|#{2,}|~{3,}|<{2,}|:)?[ \t]*"
_ANNOUNCED: Final = re.compile(
    rf"{_MARGIN}(?P<prompt>{_RULES})[ \t]+{_OF_TOOL}(?P<command>{_TOOLS}(?![\w.-])[^\n]*?){_CLOSING}"
)
"""What scripts write before an output: `=== lsdasd -l ===`, and shells with `set -x`: `+ lsdasd -l`."""
_OPERANDS: Final = r"(?:[ \t]+(?:[-/|'\"]|[0-9a-f]|show|info|table|status|filesystem|ls\b|q\b|query)[^\n]*?)?"
_SPOKEN: Final = re.compile(
    rf"{_MARGIN}(?P<prompt>(?:(?i:command|cmd|kommando|befehl|commande|executing|running|exec|run)[ \t]*:"
    rf"|(?i:executing|running|output of|ausgabe von)[ \t]*:?|\[|<)[ \t]*)['\"`]?{_OF_TOOL}"
    rf"(?P<command>{_TOOLS}(?![\w.-]){_OPERANDS})['\"`]?[ \t]*[\]>:]?[ \t]*"
)
"""`Command: lsdasd -l`, `[lsdasd -l]`."""
_OTHER_PROMPT: Final = re.compile(
    r"\s(?P<prompt>[\w.-]+@[\w.-]+:[^\s#$>%]{0,80}[#$]|\[[\w.-]+@[\w.-]+ [^\s\]]{1,80}\][#$])(?: +\S.*|$)"
)
"""Another prompt behind a command."""
_ALONE: Final = re.compile(
    rf"(?:\[?[\w.-]+@[\w.-]+[: ][^\n]{{0,80}}|[\w.-]+:[~/]\S{{0,80}} ?|sh-\S+)?[{_SIGNS}]\s*"
)
"""A prompt behind which nothing was typed."""
_HOST: Final = re.compile(
    r".*@((?:[A-Za-z]|[0-9]+[A-Za-z])[\w-]{0,62})|([A-Za-z][\w-]{0,62})(?:\.[\w.-]+)?:(?=[~/])"
)
_SHELL: Final = re.compile(r"(?:ba|z|k|c|da|tc)?sh-[0-9]")
_FENCE: Final = re.compile(r"[ \t>]*(?:```|~~~|\{(?:noformat|code)[^}]*\}|</?pre>|</?code>|\[/?code\])\S*\s*")
_TALK: Final = re.compile(
    r"Script (?:started|done)\b.*|Script:? .*file is .*"
    r"|\[sudo\] .{1,40}:\s*|Last login: .*|logout|Password: ?"
)
"""What script, sudo, su and login say of themselves."""
_PROSE: Final = re.compile(r"\W*(?:[^\W\d_]+(?:['\u2019.-][^\W\d_]+)*[,.;:!?]*(?:\s+|$))*\W*")
"""Words of letters in any language, as a mail closes with them, or none."""
_PLAIN_WORDS: Final = 2
"""Words of letters that a command may have behind its name; prose has more."""
_CONSOLE: Final = r"(?:[0-9]{2}:[0-9]{2}:[0-9]{2} )?(?:[0-9]{2}: )?"
"""What a console of z/VM may print before a line: the time, the number of a processor."""
_QUERY: Final = (
    rf"{_CONSOLE}(?:#?(?:CP|cp|VMCP|vmcp|hcp) )?(?i:q|que?|quer|query) [A-Za-z@$#][\w@$# -]{{0,70}}\s*$"
)
_ANSWER: Final = (
    rf"{_CONSOLE}(?:DASD [0-9A-F]{{4}} (?:[0-9A-Z]{{4,5}} |ON |CP |ATTACHED)|FCP +[0-9A-F]{{4}} ON FCP"
    r" |Device [0-9A-F]{4}, Status [A-Z]+\s*$)"
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
    if (piece := _PIECE.fullmatch(name)) and not re.match(MANY_FILES, name):
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
    text = re.sub(r"\r+\n", "\n", text)
    if "\x1b" in text or "\x08" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = _overwritten(text)
    if "â" in text:
        for drawn, codec in product(_DRAWN, ("cp1252", "latin-1")):
            text = text.replace(drawn.encode().decode(codec), drawn)
    text = _sent(text)
    if _ANSIBLE.search(text):
        text = _GLUED.sub("", text)
    if not text.isascii():
        text = re.sub(_DASH, "-", text.translate(_TYPESET))
    return _without_times(_without_processors(text if text.endswith("\n") else f"{text}\n"))


_OF_CONSOLE: Final = re.compile(r"(?:(?P<processor>[0-9]{2}): .*|\s*)")
_CONSOLE_WIDTH: Final = 80


def _without_processors(text: str) -> str:
    """Return a console of z/VM without the processor before each line, and with folded lines joined.

    What is joined with the line before leaves an empty one: each keeps its number.
    """
    rows = [_OF_CONSOLE.fullmatch(row) for row in text.split("\n")]
    if not re.match("[0-9]{2}: ", text) or not all(rows):
        return text
    joined, begun, is_full = list[str](), 0, ""
    for number, row in enumerate(filter(None, rows)):
        processor = row["processor"] or ""
        joined.append(row[0][len("00: ") :].rstrip())
        if is_full and processor == is_full:
            joined[begun] += joined[number]
            joined[number] = ""
        else:
            begun = number
        is_full = processor if len(row[0]) == _CONSOLE_WIDTH and row[0][-1:].strip() else ""
    return "\n".join(joined)


def _sent(text: str) -> str:
    """Return a text without the codes of a mail, and of HTML."""
    if _QUOTED.search(text) or ("=3D" in text and "=\n" in text):
        import quopri  # noqa: PLC0415 - few texts are mails as they were sent

        between = "|".join(re.escape(f"--{name}") for name in re.findall(_BOUNDARY, text))
        parts = re.split(rf"(?m)^(?={between})", text) if between else [text]
        is_told = any(map(_QUOTED.search, parts))
        for number, part in enumerate(parts):
            if not is_told or _QUOTED.search(part):
                data = quopri.decodestring(part.encode("utf-8", "surrogateescape"))
                parts[number] = data.decode("utf-8", "surrogateescape")
        text = "".join(parts)
    if re.search(r"(?i)<(?:html|pre|code|!doctype)\b", text[:4096]):
        import html  # noqa: PLC0415 - few texts are HTML

        text = re.sub(_END_OF_BLOCK, "\n", re.sub(_END_OF_CELL, "  ", text))
        text = html.unescape(_TAGS.sub("", text))
    return _undecorated(text)


def _undecorated(text: str) -> str:
    """Return a text without what editors put into rows: entities for what is drawn, bold, colours."""
    if "&" in text and _ENTITY.search(text):
        import html  # noqa: PLC0415 - few texts have any

        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    if "**" in text:
        text = _ROW_IN_BOLD.sub(lambda row: _BOLD.sub(r"\1", row[0]), text)
    return _COLOURED.sub(r"\1", text) if "textcolor" in text else text


def _without_times(text: str) -> str:
    """Return a text without the times before its lines, if nearly all have one."""
    rows = text.split("\n")
    stamps = [_STAMPED.match(row) for row in rows]
    if stamps[0] and sum(map(bool, stamps)) > _STAMPED_PART * sum(map(bool, map(str.strip, rows))):
        rows = [row[stamp.end() :] if stamp else row for row, stamp in zip(rows, stamps, strict=True)]
        levels = [_LEVEL.match(row) for row in rows]
        if all(level or not row or not stamp for level, row, stamp in zip(levels, rows, stamps, strict=True)):
            widths = [level.end() for level in levels if level and level.end() < len(level.string)]
            column = min(widths, default=0)
            rows = [
                row[max(column, len(level[0].rstrip())) :] if level else row
                for level, row in zip(levels, rows, strict=True)
            ]
        text = "\n".join(rows)
    return text


def _overwritten(text: str) -> str:
    """Return a text as a terminal shows it, where a carriage return alone goes back in the line."""
    if "\n" not in text:
        return text.replace("\r", "\n")
    rows = []
    for row in text.split("\n"):
        shown = ""
        for part in row.split("\r"):
            shown = part + shown[len(part) :]
        rows.append(shown)
    return "\n".join(rows)


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
        for part in _parts(text):
            yield from _Transcript(origin, part, time).cut()


def _parts(text: str) -> list[HostPart]:
    """Return what a text has of each host, and of each command in a result of ansible or salt."""
    results, rest = salt_texts.printed(text, _count)
    of_ansible, rest = ansible_texts.printed(rest, _count)
    results += of_ansible
    parts = by_host(rest, _count) if rest.strip() or not results else []
    for result in results:
        command = result.command or (result.task if _TYPED.fullmatch(result.task) else "")
        parts.append(
            HostPart(short(result.host), result.line, result.text, result.step, _plain_command(command))
        )
    return parts


def is_of_collector(text: str) -> bool:
    """Return whether supportconfig or dbginfo.sh wrote a text."""
    return _SECTION.search(text) is not None or _ECHOED.search(text) is not None


def begins_output(text: str) -> bool:
    """Return whether a text has a line with which an output begins."""
    is_of_many = ansible_texts.begins(text) or salt_texts.begins(text, _count)
    return is_of_many or any(_count(part.text, most=1) for part in by_host(text, _count))


def _count(text: str, most: int = 1_000) -> int:
    """Return with how many lines of a text an output begins, counted up to `most`."""
    rows = re.sub(r"(?m)^(\s*\{)\s*\n\s*", r"\1", text).split("\n")
    return sum(1 for _row in islice(filter(_begun, rows), most))


def _begun(row: str) -> str:
    """Return the command or form of the output that begins with a line; empty if none does."""
    if prompt := _prompt(row):
        return prompt.command
    if match := _headings().match(row) or _firsts().match(row):
        return _formed(match).name
    return CP if _FIRST_OF_CP.match(row) else ""


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
    """Yield what a section holds; an option or word that is abbreviated is known by what was printed."""
    title = heading[2].strip()
    text = re.split(r"(?m)^#==\[ ", text, maxsplit=1)[0]
    if heading.re is _SECTION and heading[1] != "Command":
        if title.startswith("/") and not _NOT_THERE.search(title):
            yield CollectedText(origin, line, "", title[1:], f"{text.rstrip()}\n", time)
        return
    tool, _, rest = title.partition(" ")
    host = short(heading[1]) if heading.re is _ECHOED else ""
    cut = _output(origin, line, f"{tool.rpartition('/')[2]} {rest}".rstrip(), text, time, host)
    if not (cut.form or cut.file):
        first = text.lstrip("\n").partition("\n")[0]
        is_tool = cut.tool in TOOLS and not _OF_FILES.match(cut.command)
        match = (_headings().match(first) or _firsts().match(first)) if is_tool else None
        cut = cut._replace(form=_formed(match).name) if match else cut._replace(text="")
    yield cut


def _of_file(part: tuple[CollectedText, bool]) -> CollectedText:
    """Return what a file holds as a copy of it, or as what a command printed that leaves out lines."""
    cut, is_part = part
    form = form_of(cut.file) if is_part else None
    if not is_part:
        return cut
    return cut._replace(command=f"grep . /{cut.file}", file="", form=form.name if form else "")


class _Called(NamedTuple):
    """A command of a list."""

    host: str
    command: str
    form: Form | None
    """That of the file, if it copies one."""


def _called(host: str, command: str) -> list[_Called]:
    """Return the commands of a list on a host, those that ssh runs on another with this."""
    called = []
    commands = [command] if is_known(command) else [part.strip() for part in _COMMANDS.findall(command)]
    for part in filter(None, commands):
        if (remote := _REMOTE.fullmatch(part)) and remote["command"]:
            called += _called(short(remote["host"]), remote["command"])
        else:
            plain = _plain_command(part)
            copied = _COPIED.fullmatch(plain)
            called.append(_Called(host, plain, form_of(copied[1][1:] if copied else plain)))
    return called


def _begins_with_file(called: list[_Called]) -> bool:
    """Return whether a list prints a file first, and then what is of this time."""
    if len(called) < 2:
        return False
    first, *later = called
    paths = [word for word in re.sub(r"[0-9]?>\s*\S+", "", first.command).split() if "/" in word]
    return (
        _OF_FILES.match(first.command) is not None
        and bool(paths)
        and all(_OF_SYSTEM.fullmatch(path) for path in paths)
        and not any(part.form is None and _OF_FILES.match(part.command) for part in later)
    )


class _Prompt(NamedTuple):
    """A command behind a prompt."""

    margin: str
    prompt: str
    command: str
    """Without directory and sudo; that of a prompt alone is empty."""
    host: str


def _prompt(row: str) -> _Prompt | None:
    if asked := _OF_DAEMON.fullmatch(row):
        return _Prompt(asked["margin"], asked["prompt"], f"multipathd {asked['command']}", "")
    match = _ANNOUNCED.fullmatch(row) or _PROMPT.match(row) or _SPOKEN.fullmatch(row)
    if match is None or _is_prose(match["command"]):
        return None
    is_prompt = match.re is _PROMPT
    host = host_of(match["prompt"]) if is_prompt else ""
    command = match["command"].strip()
    if second := _OTHER_PROMPT.search(command):  # two windows were copied together
        host = f"{host or '?'} or {host_of(second['prompt']) or '?'}"
        command = command[: second.start()]
    is_quoted = command[-1:] in {"'", '"'} and command.count(command[-1]) % 2 == 1  # behind `su -c "`
    return _Prompt(match["margin"], match["prompt"], command[: len(command) - is_quoted], host)


def _is_prose(command: str) -> bool:
    tool, *arguments = command.partition(" |")[0].split()
    behind = zip(arguments, [tool, *arguments], strict=False)
    plain = sum(1 for word, last in behind if re.fullmatch(r"[A-Za-z]+[,.:]?", word) and last[0] != "-")
    is_open = {*CP_TOOLS, "cat", "for", "ls", "multipathd", "ssh", "rsh"}
    is_script = tool == "parted" and re.search(r"\s(?:-|/dev/)", command) is not None  # of words for parted
    return tool not in is_open and not is_script and plain > _PLAIN_WORDS and not _INSIDE.fullmatch(command)


def host_of(prompt: str) -> str:
    """Return the host that a prompt names, without its domain; empty if it names none."""
    named = prompt.rstrip(f"{_SIGNS} ").strip()
    match = None if not named or _SHELL.match(named) else _HOST.match(named)
    host = (match[1] or match[2]).casefold() if match else ""
    return "" if host in NO_HOST else host


def _plain_command(command: str) -> str:
    """Return a command without its directory, sudo and variables."""
    match = re.fullmatch(_COMMAND, command)
    return match["command"] if match else command


class _Inside(NamedTuple):
    """A container, or another namespace, that somebody entered."""

    command: str
    """With what: `docker exec -it db bash`."""
    prompt: str
    """The shape of the prompt behind which it was entered."""
    host: str
    """The node whose pod it is, if that is named."""


def _shape(prompt: _Prompt) -> str:
    """Return a prompt as it is in any directory."""
    return re.sub(r"(?:~|/)\S*?(?=[\s\])#$>%]|$)", "DIR", prompt.prompt.rstrip())


def _depth(row: str) -> int:
    """Return how many signs of quotation stand before a line of a mail."""
    return row[: len(row) - len(row.lstrip(" \t>|"))].count(">")


class _Transcript:
    """What a person copied, while it is cut."""

    def __init__(self, origin: str, part: HostPart, time: int) -> None:
        """Begin with the first line, of a host if that is known."""
        self._origin, self._time, self._part = origin, time, part
        text, host = part.text, part.host
        self._lines = in_one_line(text.removesuffix("\n").split("\n"))
        self._boundaries = {f"--{name}{end}" for name in re.findall(_BOUNDARY, text) for end in ("", "--")}
        self._boundaries.add("-- ")
        """The lines between the parts of a mail, and above its signature."""
        self._ends = False
        """Whether a prompt stands behind all: what the last command printed is whole."""
        while self._lines and (not self._lines[-1].strip() or _ALONE.fullmatch(self._lines[-1])):
            self._ends = bool(self._lines.pop().strip()) or self._ends
        self._prompts = self._prompts_there()
        self._named = headings(self._lines, self._begins, is_prompted=self._prompts is not None)
        self._rows: list[str] = []
        self._begin = 1
        self._command = self._margin = ""
        self._host = self._context = host
        """Of the output that is cut, and of what follows until another is named."""
        self._is_named = bool(host)
        """Whether the prompt, or ssh, names the host of the output."""
        self._logins: list[str] = []
        """The hosts from which somebody logged in to another, and did not return yet."""
        self._is_back = False
        """Whether the last of these returned."""
        self._inside: list[_Inside] = []
        """The containers and the like that somebody entered, and did not leave yet."""
        self._once = ""
        """The command that ran another one in one, whose output it is."""
        self._since = 0
        """The first output of those since a host was named."""
        self._dates: dict[int, str] = {}
        """The last date that a line has, by how deep it dates what is quoted."""
        self._word = ""
        """The last word for a time that a line has."""
        self._form: Form | None = None
        self._later: list[_Called] = []
        """The commands of a list behind the one that prints a file."""
        self._is_cp = False
        self._cut: list[CollectedText] = []

    def _begins(self, number: int) -> str:
        """Return the command or form of the output that begins with a line, counted from 0."""
        line = self._lines[number]
        if typed := _TYPED.fullmatch(line):
            return typed["command"]
        prompt = None if (begun := _begun(line)) else self._other_prompt(line)
        return begun or (prompt.command if prompt else "")

    def _prompts_there(self) -> re.Pattern[str] | None:
        """Return the pattern of the prompts in a text: as those before known commands, in any directory."""
        there = {_shape(prompt) for row in self._lines if (prompt := _prompt(row))}
        shapes = [
            re.escape(shape).replace("DIR", r"[~/][^\s\])#$>%]{0,100}")
            for shape in there
            if re.search(r"[\w\]]", shape) and not _SPOKEN.match(f"{shape} lsdasd")
        ]
        self._bare = {shape for shape in there if re.fullmatch(rf"[{_SIGNS}]", shape)}
        bare = [re.escape(shape) for shape in there if not re.search(r"[\w\[\]<]", shape)]
        if bare:
            shapes.append(
                rf"(?:{'|'.join(bare)})(?= ?(?:sudo )?(?:/\S*/)?[a-z][\w.-]*(?: [-=*#]\S| /\S| \||\s*$))"
            )
        return re.compile(rf"{_MARGIN}(?P<prompt>{'|'.join(shapes)}) ?(?P<command>.*)") if shapes else None

    def cut(self) -> list[CollectedText]:
        """Return the outputs."""
        if self._part.command:
            self._open(0, "", self._part.command, is_list=True)
        for number, line in enumerate(self._lines, 1):
            self._take(number, line)
        self._close()
        if self._ends:
            end = self._part.line + self._part.step * (len(self._lines) + 1)
            self._cut.append(CollectedText(self._origin, end, "", "", "", self._time))
        return self._cut

    def _take(self, number: int, line: str) -> None:
        if line == BETWEEN:
            self._rows.append(line)
            return
        if _TALK.fullmatch(line.strip()):
            line = ""
        if not self._take_between(number, line):
            self._take_row(number, line)

    def _take_between(self, number: int, line: str) -> bool:
        """Take a line that ends an output, as a prompt or the name of a host; return whether it is one."""
        prompt = _prompt(line) or self._other_prompt(line)
        if host := self._named.get(number - 1):
            self._open(number, "")
            self._logins.clear()
            self._is_named = False
            self._name(host)
        elif match := CLOSED.fullmatch(line.strip()):
            self._end_login(number, short(match["host"]))
        elif (
            line in self._boundaries or self._is_bare(line) or _FENCE.fullmatch(line)
            or (RULED.fullmatch(line.strip()) and number in self._named)  # above the name of a host
        ):  # fmt: skip
            self._open(number, "")
        elif prompt:
            margin = f"{prompt.margin}> " if self._is_quoted(number, prompt) else prompt.margin
            self._open_prompted(number, margin, prompt)
        else:
            return self._take_moment(number, line)
        return True

    def _take_moment(self, number: int, line: str) -> bool:
        """Take a line that says of when the following outputs are; return whether it is a heading."""
        above = self._lines[number - 2].strip() if number > 1 else ""
        if REBOOTED.fullmatch(line) and not self._is_file:
            self._open(number, "", command="reboot")
            return True
        below = "".join(self._lines[number : number + 1])
        is_underlined = _UNDERLINE.fullmatch(below) is not None
        heading = moment_of(line, is_apart=not above, is_underlined=is_underlined)
        date, word = ("", "") if self._is_file else heading
        is_heading = bool(date or word) and self._command.partition(" ")[0] not in {"date", "uptime"}
        if is_heading:
            self._open(number, "")
        if date:
            self._dates[_depth(line)] = date
        self._word = word or self._word
        is_apart = not above or RULED.fullmatch(above) is not None
        return is_heading or self._take_mail(number, line, is_apart=is_apart)

    def _take_mail(self, number: int, line: str, *, is_apart: bool) -> bool:
        """Take the heading of a mail, a quotation or a note in a ticket; return whether a line is one."""
        date = moment_of_mail(self._lines, number - 1, is_apart=is_apart)
        if date is None or self._is_file or self._knows(line):
            return False
        self._open(number - 1, "")
        following = next(filter(str.strip, self._lines[number : number + 3]), "")
        self._dates[max(_depth(line), _depth(following))] = date
        self._word = ""
        self._rows.append(line)
        return True

    def _is_bare(self, line: str) -> bool:
        """Return whether a line is a prompt behind which nothing was typed, and no comment of a file."""
        if line.strip() not in self._bare:
            return False
        copied = _COPIED.fullmatch(self._command)
        form = form_of(copied[1][1:]) if copied else self._form
        return form is None or not form.reading.knows(line)

    def _take_row(self, number: int, line: str) -> None:
        """Take a line of an output, or one with which the next begins."""
        row = self._without_margin(line)
        if (
            row is None
            and self._form
            and self._margin.isspace()
            and re.match(self._form.reading.outdented or "(?!)", line)
        ):
            self._rows, self._margin = [f"{self._margin}{text}".rstrip() for text in self._rows], ""
            row = line
        if row is None and self._form and len(self._lines[number - 2]) in TERMINALS and number > self._begin:
            self._rows.append(line)  # a terminal folded the row before
            return
        if row is None:
            self._open(number - 1, "")
            row = line
        match = _headings().match(line)
        if match is None and self._later and "tab" not in self._command:
            first = _firsts().match(line)
            match = first if first and any(called.form is _formed(first) for called in self._later) else None
        if match and self._may_begin(_formed(match)):
            self._begin_form(number, match["margin"], _formed(match))
        elif row.strip() and not self._knows(row) and not self._is_file:
            self._begin_unannounced(number, line, row)
        if self._begin <= number:
            self._rows.append(self._without_margin(line) or "")

    def _knows(self, row: str) -> bool:
        """Return whether a line is one of the output that is cut."""
        reading = self._form.reading if self._form else None
        is_apart = self._rows[-1:] == [""] and any(map(str.strip, self._rows))
        is_over = reading is not None and reading.unbroken and is_apart and not re.search("[/%]", row)
        return reading is not None and (is_known(self._command) or reading.knows(row)) and not is_over

    def _may_begin(self, form: Form) -> bool:
        """Return whether an output of a form may begin: behind a file those of the list's other commands."""
        if self._is_file:
            return any(called.form is form for called in self._later)
        return not self._is_in_block(form)

    def _is_in_block(self, form: Form) -> bool:
        """Return whether an output of a form stands in a block with a file that has this form."""
        if self._form is None or self._form.reading is not Files:
            return False
        blocks = (BLOCK.fullmatch(row) for row in reversed(self._rows))
        return any(form_of(block["path"]) is form for block in islice(filter(None, blocks), 1))

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
        later = (called.form for called in self._later if called.form and called.form is not self._form)
        if form := next((form for form in later if self._rows and form.reading.knows(row)), None):
            self._begin_form(number, self._margin, form)
        elif match := _firsts().match(f"{line}{self._lines[number].strip()}" if is_brace else line):
            if self._is_in_block(_formed(match)):
                return
            self._begin_form(number, match["margin"], _formed(match))
        elif match := _TYPED.fullmatch(line):
            self._open(number, match["margin"], command=match["command"])
        elif not self._is_cp and (match := _FIRST_OF_CP.match(line)):
            self._open(number - 1, match["margin"])
            self._is_cp = True
        elif self._ends_before(row):
            self._open(number - 1, "")

    def _ends_before(self, row: str) -> bool:
        """Return whether an output ended before a remark of a person: behind an empty line, or in a chat.

        What people say may name a device; what follows is taken for no output.
        """
        if SAID.match(row):
            return bool(self._form or self._is_cp)
        is_apart = bool((self._form or self._is_cp) and self._rows and not self._rows[-1].strip())
        spoken = len(re.findall(r"(?<!\S)[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[,.;:!?]?(?!\S)", row))
        is_prose = _PROSE.fullmatch(row) is not None and not any(map(is_of_kernel, re.findall(r"\w+", row)))
        return is_apart and (spoken > _PLAIN_WORDS or is_prose)

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
        expected = [called.form for called in self._later]
        if form in expected and form is not self._form:
            called, later = self._later[expected.index(form)], self._later[expected.index(form) + 1 :]
            if not any(row.strip() for row in self._rows):
                self._command = ""  # it may have printed to where nobody looked
            self._open(number - 1, margin, command=called.command)
            self._host, self._later = called.host, later
        elif self._command and not any(row.strip() for row in self._rows) and self._form in {None, form}:
            self._margin = margin
        elif form is not self._form:
            above = self._lines[number - 2] if number > 1 and number > self._begin else ""
            is_titled = bool(form.reading.titled) and re.fullmatch(form.reading.titled, above)
            if is_titled:
                self._rows.pop()
            self._open(number - 1, margin)
            if is_titled:
                self._begin, self._rows = number - 1, [above]
        self._form = form

    def _open(self, number: int, margin: str, command: str = "", *, is_list: bool = False) -> None:
        """End the output before, and begin one, or several of a list, behind a line, of the same host."""
        self._close()
        self._begin, self._margin, self._rows = number + 1, margin, []
        self._later = []
        called = _called(self._host, command) if command else []
        if called and (is_list or _begins_with_file(called)):
            (self._host, command, _form), *self._later = called
        elif (remote := _REMOTE.fullmatch(command)) and remote["command"]:
            self._host, command = short(remote["host"]), _plain_command(remote["command"])
        self._once = ""
        if (inside := _INSIDE.fullmatch(command)) and not _OF_FIRST.fullmatch(command):
            run = _RUN.fullmatch(inside["rest"])
            self._once, command = command, _plain_command(run["command"]) if run else command
        self._command, self._is_cp = command, False
        self._form = form_of(command) if command else None

    def _open_prompted(self, number: int, margin: str, prompt: _Prompt) -> None:
        """Begin an output behind a prompt, of the host that this names."""
        self._close()
        self._rows, self._command, self._form, self._is_cp = [], "", None, False
        self._see_inside(prompt)
        if prompt.host and prompt.host != self._context and not self._inside:
            self._name(prompt.host)
        self._host = self._context
        remote = _REMOTE.fullmatch(prompt.command)
        self._is_named = bool(prompt.host or (remote and remote["command"]))
        if remote and not self._context:
            self._rename(CALLER, {""})  # what was not asked for by ssh before is of the host that asks
            self._context = CALLER
        if prompt.command in {"exit", "logout"} and self._inside:
            self._inside.pop()
        elif prompt.command in {"exit", "logout"} and self._logins:
            self._name(self._logins.pop())
            self._is_back = True
        self._open(number, margin, command=prompt.command)
        if remote:
            self._since = len(self._cut)
            if not remote["command"]:
                self._logins.append(self._context)
                self._name(short(remote["host"]))
                self._is_back = False
        inside = _INSIDE.fullmatch(prompt.command)
        if inside and not _RUN.fullmatch(inside["rest"]) and not _OF_FIRST.fullmatch(prompt.command):
            self._enter(inside, prompt)

    def _enter(self, inside: re.Match[str], prompt: _Prompt) -> None:
        """Take a command that enters a container, if others follow there."""
        command, tool = prompt.command, inside["tool"]
        node = _DEBUGGED.fullmatch(command)
        is_shell = re.search(r"\b(?:rsh|debug|nsenter|lxc-attach|attach|machinectl|systemd-nspawn)\b", tool)
        if is_shell or _STAYS.fullmatch(inside["rest"]):
            self._inside.append(_Inside(command, _shape(prompt), short(node["host"]) if node else ""))

    def _see_inside(self, prompt: _Prompt) -> None:
        """Know by a prompt, or the command behind it, that what follows is in no container any more."""
        outside = [at for at, inside in enumerate(self._inside) if inside.prompt == _shape(prompt)]
        if outside and prompt.host:
            del self._inside[outside[0] :]
        elif self._inside and _OF_FIRST.fullmatch(prompt.command):
            host = self._inside.pop().host
            self._logins.append(self._context)
            self._name(host or self._context)

    def _name(self, host: str) -> None:
        """Take the name of a host, which counts from here on."""
        self._host = self._context = host
        self._since = len(self._cut)

    def _rename(self, host: str, old: set[str]) -> None:
        """Take a host for the outputs since one was named that have none yet."""
        since = self._since
        self._cut[since:] = [
            text._replace(host=host) if text.host in old else text for text in self._cut[since:]
        ]

    def _end_login(self, number: int, host: str) -> None:
        """End a login: what stands before is of that host, if nothing else names it."""
        self._open(number, "")
        self._rename(host, {"", CALLER})
        if self._logins and not self._is_back:
            self._name(self._logins.pop())
        elif self._context in {"", host}:
            self._name(CALLER)
        self._is_back = False
        self._since = len(self._cut)

    def _close(self) -> None:
        """Take the output that has ended."""
        if not self._command and not any(row.strip(f"{BETWEEN} ") for row in self._rows):
            return
        if _COPIED.fullmatch(self._command):
            self._rows = [row for row in self._rows if row != BETWEEN]
        is_read = self._form is not None and self._form.reading is not Files
        text = "".join(f"{row if is_read else row.strip(BETWEEN)}\n" for row in self._rows)
        entered = self._once or (self._inside[-1].command if self._inside else "")
        if entered:
            line = self._part.line + self._part.step * (self._begin - 1)
            command = entered if self._once else f"{entered} {self._command}"
            form = self._form.name if self._form and issubclass(self._form.reading, MountList) else ""
            node = _DEBUGGED.fullmatch(entered)
            host = short(node["host"]) if node else self._host
            cut = CollectedText(self._origin, line, command, "", text, self._time, host, form)
            self._cut.append(cut)
            return
        if re.search(r"\|\s*column\s+-t", self._command):
            text = re.sub(r"(?<=\S) {2,}", " ", text)
        line = self._part.line + self._part.step * (self._begin - 1)
        cut = _output(self._origin, line, self._command, text, self._time, self._host)
        cut = cut._replace(step=self._part.step)
        if not cut.file and self._form is not None:
            cut = cut._replace(form=self._form.name)
        elif self._is_cp:
            cut = cut._replace(form=CP)
        depth = _depth(self._lines[self._begin - 2 if self._command else self._begin - 1])
        deepest = max((own for own in self._dates if own <= depth), default=0)
        cut = cut._replace(moment=(self._dates.get(deepest, ""), self._word))
        if self._form is not None and self._form.reading is Files:
            self._cut += map(_of_file, by_file(cut))
            return
        self._cut.append(cut)
        printed = printed_host(cut.command or cut.file, text) if cut.command or cut.file or cut.form else ""
        if printed and not self._is_named:
            self._cut[-1] = self._cut[-1]._replace(host=printed)
            self._name(printed)
