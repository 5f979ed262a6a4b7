r"""What ansible says of hosts in JSON: outputs of commands are strings in it, their lines divided by `\n`.

`ansible -o` writes a line for each host; ansible-playbook `TASK [...]` and below it `changed: [host] =>
{...}`, in one line or, for debug, in several; ansible `host | CHANGED => {...}`; with --tree, and by its
callback `json`, a document is all.  Loops have their results in a list.  In YAML strings and lists have
lines of their own.

Sources: ansible, plugins/callback/default.py, minimal.py, oneline.py, json.py, yaml.py; modules/command.py,
slurp.py, setup.py.
"""

from __future__ import annotations

import base64
import json
import re
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAME: Final = r"[\w.-]{1,253}"
_RESULT: Final = re.compile(
    rf"(?m)^[ \t]*(?:ok|changed|failed|fatal): \[(?:{_NAME} -> )?(?P<host>{_NAME})\](?:: [A-Z]+!)?"
    rf"(?: (?:=> )?\(item=.*?\))? => (?={{)|^(?P<asked>{_NAME}) \| [A-Z]+!? => (?={{)|\A\s*(?={{)"
)
"""What stands before a result: its host is the one to which the task was delegated, if it was."""
_IN_YAML: Final = re.compile(
    rf"(?m)^[ \t]*(?:ok|changed|failed|fatal): \[(?:{_NAME} -> )?(?P<host>{_NAME})\][^\n{{]* =>[^\n{{]*\n"
    r"(?P<fields>(?:[ \t]+\S.*\n|[ \t]*\n(?=[ \t]+\S))+)"
)
_FIELD: Final = re.compile(
    r"(?m)^(?P<indent>[ \t]+)(?P<key>[\w.]+):(?:[ \t]+(?P<word>[^|\s].*)|[ \t]*(?:\|[-+0-9]*)?)\n"
    r"(?P<rows>(?:(?P=indent)(?:- |[ \t]).*\n|[ \t]*\n)*)"
)
"""A field of a result in YAML: a word, a string of several lines, or a list."""
_BEGINS: Final = re.compile(
    rf"{_RESULT.pattern}|^(?:TASK|RUNNING HANDLER) \[(?:[^\]\n]* : )?(?P<title>[^\]\n]*)\]"
)
"""A result, or the heading of a task."""
_IN_ONE_LINE: Final = re.compile(
    r"(?m)^(?P<host>[A-Za-z][\w.-]{0,252}) \| [A-Z]+!? \| rc=\d+ \| \(stdout\) "
    r"(?P<text>.*?)(?: \(stderr\) .*)?$"
)
"""What `ansible -o` writes of each host, with `\\n` between lines."""
_HAS_OUTPUT: Final = re.compile(r'(?<!\\)"(?:[\w.]*stdout(?:_lines)?|msg|content|ansible_facts)"\s*:')
FACTS: Final = "ansible -m setup"
"""The command of what setup found, which zmon does not read."""
_OF_ANSIBLE: Final = frozenset({"invocation", "diff", "warnings", "deprecations", "stats"})
"""What results have beside outputs."""
MAX_DEPTH: Final = 12
"""Dictionaries and lists in one another, from a document down to the result of a loop."""


class Printed(NamedTuple):
    """An output in a result."""

    host: str
    line: int
    """The line of the text where it begins, counted from 1."""
    step: int
    """Lines of the text that each of its lines takes."""
    command: str
    task: str
    """What the task is called; empty if nothing says so."""
    text: str


def begins(text: str) -> bool:
    """Return whether a text, or the beginning of one, has results."""
    is_result = _RESULT.search(text) is not None and _HAS_OUTPUT.search(text) is not None
    return is_result or any(form.search(text) for form in (_IN_YAML, _IN_ONE_LINE))


def printed(text: str, count: Callable[[str], int]) -> tuple[list[Printed], str]:
    """Return the outputs in results, and the text without these; lines keep their numbers.

    `count` says how many outputs begin in a text: it tells whether a variable that was printed holds any.
    """
    outputs: list[Printed] = []
    for form in (_in_json, _in_yaml, _in_one_line):
        told, text = form(text, count)
        outputs += told
    return outputs, text


def _in_json(text: str, count: Callable[[str], int]) -> tuple[list[Printed], str]:
    """Return the outputs in results that are documents, and the text without these."""
    outputs: list[Printed] = []
    rest, task = "", ""
    at, line, counted = 0, 1, 0
    decoder = json.JSONDecoder()
    for match in _BEGINS.finditer(text) if '"' in text else ():
        begin = match.end()
        if begin < at:
            continue
        if match["title"] is not None:
            task = match["title"]
            continue
        try:
            document, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):  # it was cut: its lines are not understood
            continue
        line, counted = line + text.count("\n", counted, begin), begin
        result = _Result(text, (begin, end), line, count)
        if told := [*result.outputs(document, match["host"] or match["asked"] or "", 0)]:
            outputs += (output._replace(task=task) for output in told)
            rest += text[at : match.start()] + "\n" * text.count("\n", match.start(), end)
            at = end
    return outputs, rest + text[at:]


def _in_yaml(text: str, count: Callable[[str], int]) -> tuple[list[Printed], str]:
    """Return the outputs in results with a line for each field, and the text without these."""
    outputs: list[Printed] = []
    rest, at, line, counted = "", 0, 1, 0
    for match in _IN_YAML.finditer(text):
        begin = match.start("fields")
        line, counted = line + text.count("\n", counted, begin), begin
        if told := [*_in_fields(match, line, count)]:
            outputs += told
            rest += text[at : match.start()] + "\n" * match[0].count("\n")
            at = match.end()
    return outputs, rest + text[at:]


def _in_one_line(text: str, _count: Callable[[str], int]) -> tuple[list[Printed], str]:
    """Return the outputs of which each is a line, and the text without these."""
    outputs = [
        Printed(
            match["host"], text.count("\n", 0, match.start()) + 1, 0, "", "",
            f"{match['text']}\n".replace("\\r", "").replace("\\n", "\n"),
        )
        for match in _IN_ONE_LINE.finditer(text)
    ]  # fmt: skip
    return outputs, _IN_ONE_LINE.sub("", text)


def _in_fields(result: re.Match[str], first: int, count: Callable[[str], int]) -> Iterator[Printed]:
    """Yield the outputs in the fields of a result in YAML, the first of which is in a line of the text."""
    command = ""
    for field in _FIELD.finditer(result["fields"]):
        rows = [row.removeprefix(field["indent"]) for row in field["rows"].rstrip().split("\n")]
        if rows[0].startswith("- "):
            rows = [_unquoted(row.removeprefix("- ")) for row in rows]
        if field["key"] == "cmd":
            command = _unquoted(field["word"]) if field["word"] else " ".join(rows)
        elif count(text := "".join(f"{row}\n" for row in textwrap.dedent("\n".join(rows)).split("\n"))):
            line = first + result["fields"].count("\n", 0, field.start("rows"))
            yield Printed(result["host"], line, 1, command, "", text)


class _Result:
    """One result, while the places of what it has are looked for, in its order."""

    def __init__(self, text: str, span: tuple[int, int], line: int, count: Callable[[str], int]) -> None:
        self._text, self._span, self._first, self._count = text, span, line, count
        self._at, self._end = span

    def outputs(self, value: Any, host: str, depth: int) -> Iterator[Printed]:
        """Yield the outputs in a part of the document."""
        if isinstance(value, list):
            for part in value if depth < MAX_DEPTH else ():
                yield from self.outputs(part, host, depth + 1)
        elif isinstance(value, dict) and depth < MAX_DEPTH:
            if "stdout" in value or "stdout_lines" in value:
                yield self._of_command(value, host)
            elif value.get("encoding") == "base64" and isinstance(value.get("source"), str):
                yield self._of_file(value, host)
            else:
                for key, part in value.items():
                    yield from self._of_variable(key, part, host, depth)

    def _of_variable(self, key: str, value: Any, host: str, depth: int) -> Iterator[Printed]:
        if key == "ansible_facts":
            begin, end = self._span
            yield Printed(host, self._first, 1, FACTS, "", f"{self._text[begin:end]}\n")
        elif key == "hosts" and isinstance(value, dict):
            for name, result in value.items():
                yield from self.outputs(result, name, depth + 1)
        elif _rows(value) is None:
            if key not in _OF_ANSIBLE:
                yield from self.outputs(value, host, depth + 1)
        elif self._count("".join(f"{row}\n" for row in _rows(value) or ())):
            yield self._of_key(key, value, host)

    def _of_command(self, result: dict[str, Any], host: str) -> Printed:
        command = result.get("cmd") or ""
        if isinstance(command, list):
            argv = [str(word) for word in command]
            is_shell = len(argv) == 3 and argv[1] == "-c"
            command = argv[2] if is_shell else " ".join(argv)
        key = "stdout" if _rows(result.get("stdout")) is not None else "stdout_lines"
        if not result.get(key) and result.get("stderr"):
            key = "stderr"
        output = self._of_key(key, result.get(key), host)
        if key == "stdout" and _rows(lines := result.get("stdout_lines")) is not None:
            in_lines = self._of_key("stdout_lines", lines, host)
            output = in_lines if in_lines.step and in_lines.text.strip() else output
        return output._replace(command=str(command))

    def _of_file(self, result: dict[str, Any], host: str) -> Printed:
        try:
            content = base64.b64decode(result.get("content", "")).decode("utf-8", "replace")
        except (TypeError, ValueError):
            content = ""
        command = f"cat {result['source']}" if content.strip() else ""  # a damaged one is no empty file
        return self._of_key("content", content, host)._replace(command=command)

    def _of_key(self, key: str, value: Any, host: str) -> Printed:
        """Return the output that is the value of a key, which stands behind those before."""
        name = re.compile(rf"(?<!\\){re.escape(json.dumps(key))}\s*:\s*(?P<list>\[[ \t]*\n)?")
        match = name.search(self._text, self._at, self._end)
        place = match.end() if match else self._at
        self._at = match.start() + 1 if match else self._at
        rows = _rows(value) or []
        is_apart = bool(match and match["list"])
        text = "".join(f"{row}\n" for row in rows)
        line = self._first + self._text.count("\n", self._span[0], place)
        return Printed(host, line, int(is_apart), "", "", text)


def _unquoted(scalar: str) -> str:
    """Return what a scalar of YAML stands for."""
    if len(scalar) > 1 and scalar[0] == scalar[-1] == "'":
        return scalar[1:-1].replace("''", "'")
    with suppress(ValueError):
        return str(json.loads(scalar)) if scalar.startswith('"') else scalar
    return scalar


def _rows(value: Any) -> list[str] | None:
    """Return the lines of a string, or of a list of strings; None if it is neither."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if isinstance(value, list) and value and all(isinstance(row, str) for row in value):
        return [part for row in value for part in row.split("\n")]
    return None
