r"""What salt prints of the outputs of commands on several hosts: as indented text, or as strings in JSON.

    lnx1:                                    salt '*' cmd.run lsblk; the command tells that these are hosts
        NAME    MAJ:MIN ...
    lnx1:                                    cmd.run_all: fields with lines of their own
        ----------
        retcode:
            0
        stdout:
            NAME    MAJ:MIN ...
    {"lnx1": "NAME    MAJ:MIN ...\n"}        --out=json: a document for each host, with --static one for all
    lnx1: 'NAME    MAJ:MIN ...               --out=yaml: an empty line for each end of a line

`salt-call` calls the host that runs it `local`.
Source: salt, salt/output/nested.py, json_out.py, yaml_out.py; salt/modules/cmdmod.py.
"""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

from zmon.collected.ansible_texts import Printed
from zmon.collected.hosts import is_answer
from zmon.collected.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ASKED: Final = re.compile(
    r".*\bsalt(?:-ssh|-call)?\s.*\bcmd\.(?:run|shell)\w*\s+(?:cmd=)?"
    r"(?:'(?P<single>[^']+)'|\"(?P<double>[^\"]+)\"|(?P<word>[^\s'\"-]\S*))?.*"
)
_HEADING: Final = re.compile(rf"({_NAME}):")
_MARGIN: Final = "    "
_FIELDS: Final = f"{_MARGIN}----------"
"""What stands above the fields of a result."""
_FIELD: Final = re.compile(rf"{_MARGIN}([a-z_]+):")
_DOCUMENT: Final = re.compile(rf'(?m)^[ \t]*(?={{\s*"{_NAME}"\s*:\s*["{{f])')
_STRING: Final = re.compile(rf'"{_NAME}"\s*:\s*"((?:[^"\\\n]|\\.)+)')
_QUOTED: Final = re.compile(rf"(?P<host>{_NAME}): (?P<scalar>['\"].*)")
_CLOSED: Final = {
    "'": re.compile(r"'(?:[^']|'')*'\s*"),
    '"': re.compile(r'"(?:[^"\\]|\\[\s\S])*"\s*'),
}
"""Strings in YAML, by their quotes."""
_OTHER_KEYS: Final = TOOLS | {"changed", "cmd", "content", "msg", "rc", "retcode", "stderr", "stdout"}
"""Keys that are no hosts: fields of a result, and tools."""
_ITSELF: Final = "local"


def begins(text: str, count: Callable[[str], int]) -> bool:
    """Return whether a text, or the beginning of one, has documents with outputs by host."""
    strings = (match[1].replace("\\n", "\n") for match in _STRING.finditer(text) if "\\n" in match[1])
    return _DOCUMENT.search(text) is not None and any(map(count, strings))


def printed(text: str, count: Callable[[str], int]) -> tuple[list[Printed], str]:
    """Return the outputs of hosts, and the text without these; lines keep their numbers.

    `count` says how many outputs begin in a text.
    """
    outputs: list[Printed] = []
    rows = text.split("\n")
    for form in (_in_documents, _quoted, _indented):
        for own, (begin, end) in form(rows, count):
            outputs += own
            rows[begin:end] = [""] * (end - begin)
    return outputs, "\n".join(rows)


def _command(row: str) -> str | None:
    """Return the command that salt runs on hosts; empty if that is not read, None if a line asks for none."""
    match = _ASKED.fullmatch(row)
    return (match["single"] or match["double"] or match["word"] or "") if match else None


def _asked(rows: Sequence[str], number: int) -> str | None:
    """Return the command of the line above, behind which only empty lines are; None without one."""
    above = next((row for row in reversed(rows[:number]) if row.strip()), "")
    return _command(above)


def _indented(
    rows: Sequence[str], _count: Callable[[str], int]
) -> Iterator[tuple[list[Printed], tuple[int, int]]]:
    """Yield the outputs below the names of hosts, each with its lines."""
    command: str | None = None
    end = 0
    for number, row in enumerate(rows):
        if number < end or not row.strip():
            continue
        heading = _HEADING.fullmatch(row)
        end = number + 1
        while heading and end < len(rows) and (rows[end].startswith(_MARGIN) or not rows[end].strip()):
            end += 1
        below = rows[number + 1 : end]
        if heading is None:
            command = _command(row)
        elif not any(map(str.strip, below)):
            continue
        elif below[0].rstrip() == _FIELDS:
            yield [_of_fields(heading[1], number + 2, below, command or "")], (number, end)
        elif command is not None:
            content = "".join(f"{line.removeprefix(_MARGIN)}\n" for line in below).rstrip("\n")
            yield [_output(heading[1], number + 2, 1, command, content)], (number, end)


def _of_fields(host: str, first: int, rows: Sequence[str], command: str) -> Printed:
    """Return what a command printed, by its fields; if that is nothing, its errors."""
    begins_at = [number for number, row in enumerate(rows) if _FIELD.fullmatch(row.rstrip())]
    fields = {
        rows[begin].strip(" :"): (begin + 1, rows[begin + 1 : end])
        for begin, end in zip(begins_at, [*begins_at[1:], len(rows)], strict=True)
    }
    begin, lines = next(
        (fields[name] for name in ("stdout", "stderr") if any(map(str.strip, fields.get(name, (0, []))[1]))),
        (0, []),
    )
    content = textwrap.dedent("\n".join(lines)).rstrip("\n")
    return _output(host, first + begin, 1, command, content)


def _quoted(
    rows: Sequence[str], count: Callable[[str], int]
) -> Iterator[tuple[list[Printed], tuple[int, int]]]:
    """Yield the outputs that are strings in YAML behind the names of hosts, each with its lines."""
    end = 0
    for number, row in enumerate(rows):
        match = _QUOTED.fullmatch(row) if number >= end else None
        if match is None:
            continue
        quote, end = match["scalar"][0], number + 1
        is_open = len(match["scalar"].rstrip()) == 1 or not row.rstrip().endswith(quote)
        while is_open and end < len(rows) and rows[end][:1] in {"", " "}:
            is_open, end = not rows[end].rstrip().endswith(quote), end + 1
        scalar = "\n".join([match["scalar"], *rows[number + 1 : end]])
        content = _unquoted(scalar) if _CLOSED[quote].fullmatch(scalar) else ""
        if "\n" in content and count(content):
            asked = _asked(rows, number) or ""
            yield [_output(match["host"], number + 1, 0, asked, content.rstrip("\n"))], (number, end)
        else:
            end = number + 1


def _unquoted(scalar: str) -> str:
    """Return the text of a string in quotes, of which lines may be folded; nothing if it is none."""
    quote, text = scalar[0], scalar.rstrip()[1:-1]
    if quote == '"':
        text = re.sub(r"\\\n[ ]*", "", text)
    content, *others = text.split("\n")
    blank = 0
    for row in others:
        if row.strip():
            content = content.rstrip(" ") + ("\n" * blank or " ") + row.strip(" ")
            blank = 0
        else:
            blank += 1
    content += "\n" * blank
    if quote == "'":
        return content.replace("''", "'")
    content = re.sub(r"\\(.)", lambda escape: " " if escape[1] == " " else escape[0], content)
    try:
        return str(json.loads(f'"{content}"', strict=False))
    except ValueError:
        return ""


def _in_documents(
    rows: Sequence[str], count: Callable[[str], int]
) -> Iterator[tuple[list[Printed], tuple[int, int]]]:
    """Yield the outputs of each document with outputs by host, with its lines."""
    text = "\n".join(rows)
    decoder = json.JSONDecoder()
    at, line, command = 0, 0, None
    for match in _DOCUMENT.finditer(text):
        if match.end() < at:
            continue
        try:
            document, end = decoder.raw_decode(text, match.end())
        except (ValueError, RecursionError):  # it was cut: its lines are not understood
            continue
        first = line + text.count("\n", at, match.end())
        command = _asked(rows, first) if text[at : match.end()].strip() or not at else command
        printed_by = {
            host: told for host, value in document.items() if (told := _printed_in(value)) is not None
        }
        is_whole = not text[end:].partition("\n")[0].strip()
        is_by_host = is_whole and len(printed_by) == len(document) and _OTHER_KEYS.isdisjoint(document)
        of_several_lines = [content for content in printed_by.values() if "\n" in content]
        if not is_by_host or (command is None and not any(map(count, of_several_lines))):
            continue
        at, line = end, first + text.count("\n", match.end(), end)
        outputs, key_at, number = list[Printed](), match.end(), first
        for host, content in printed_by.items():
            place = text.find(json.dumps(host), key_at, end)
            place = text.find('"stdout"', place, end) if isinstance(document[host], dict) else place
            number, key_at = number + text.count("\n", key_at, place), place
            asked = command if command and document[host] is not False else ""
            outputs.append(_output(host, number + 1, 0, asked, content))
        yield outputs, (first, line + 1)


def _printed_in(value: Any) -> str | None:
    """Return what a command printed, by the value for its host; None if it is none."""
    if isinstance(value, dict) and isinstance(value.get("stdout"), str):
        value = value["stdout"] or value.get("stderr")
    if value is False:  # the host did not answer
        return ""
    return value.replace("\r\n", "\n").removesuffix("\n") if isinstance(value, str) else None


def _output(host: str, line: int, step: int, command: str, content: str) -> Printed:
    """Return an output; what stands for one that a host did not give is of no command."""
    command *= is_answer(content.split("\n"))
    return Printed("" if host == _ITSELF else host, line, step, command, "", f"{content}\n")
