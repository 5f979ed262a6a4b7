r"""Which files of the kernel the lines are of that a loop of a shell prints.

    for i in /sys/bus/ccw/devices/0.0.1*; do echo $i; cat $i/uid; done     a line with the word, one a file
    for d in dasda dasdb; do echo "$d: $(cat /sys/block/$d/size)"; done    words and files in one line

Each pass prints the same lines: `echo` one, `cat` one for each file, as attributes have one line.  A
pass begins at a line with a word of the loop, or, where the words stand in the command, after as many lines.
Lines of a pass that has more or fewer are of no known file.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.collected.dasd_texts import BUSID
from zmon.collected.numbers import is_of_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OVER_FILES: Final = r"for \w+ in (?=.*/sys/)(?=.*;\s*do\s)(?=.*(?:\b(?:cat|head|tail|grep)\s|\$\(<)).*"
"""Commands that print files in a loop."""
_LOOP: Final = re.compile(
    r"for (?P<name>\w+) in (?P<over>.+?)\s*;\s*do\s+(?P<body>.+?)\s*;?\s*done(?P<pipe>(?:\s*2>\s*\S+)?.*)"
)
_COMMANDS: Final = re.compile(r"\s*((?:\"[^\"]*\"|'[^']*'|[^;&|\"'])+)(?:;|&&|$)")
_QUIET: Final = re.compile(r"\s*2>\s*(?:/dev/null|&1)")
_BEGINS: Final = re.compile(r".*[#$>%] ?for \w+ in\b.*")
_FOLLOWS: Final = re.compile(r"\s*> (.*\S)\s*")
_PRINTED: Final = "printed"
"""Stands for the words of a loop that another command prints; these are devices."""
_ITEM: Final = "item"
_LAST: Final = "last"
_CONTENT: Final = "content"
"""What the parts of a line are: the word of the loop, the last part of its path, what a file holds."""


class _Piece(NamedTuple):
    """A part of a line."""

    pattern: str = ""
    path: str = ""
    """That of the file whose content it is, as the command has it."""
    word: str = ""
    """`_ITEM` or `_LAST`, if it is the word of the pass."""


class _Shape(NamedTuple):
    """What each pass of a loop prints."""

    lines: list[list[_Piece]]
    variable: str
    over: str
    """The words of the loop, as the command has them."""


def in_one_line(rows: Sequence[str]) -> list[str]:
    """Return the rows of a text with each loop in its first one, as it is if it was typed in several."""
    joined = [*rows]
    for number, row in enumerate(rows):
        if not _BEGINS.fullmatch(row) or re.search(r"\bdone\b", row):
            continue
        command, end = row.rstrip(), number + 1
        while end < len(rows) and (typed := _FOLLOWS.fullmatch(rows[end])):
            command += (" " if re.search(r"[;\s]do$", command) else "; ") + typed[1].rstrip(";")
            end += 1
            if re.match(r"done(?:\s*[;|&>2]|$)", typed[1]):
                joined[number:end] = [command, *[""] * (end - number - 1)]
                break
    return joined


def is_known(command: str) -> bool:
    """Return whether a command is a loop of which it is known what each pass prints."""
    return _shape(command) is not None


def files_by_line(command: str, rows: Sequence[str]) -> dict[int, list[tuple[str, str]]]:
    """Return the files in lines of what a loop printed, with their contents, by the numbers of the lines."""
    told: dict[int, list[tuple[str, str]]] = {}
    shape = _shape(command)
    if shape is None:
        return told
    for word, numbers in _passes(shape, rows):
        matches = {number: re.fullmatch(_pattern(pieces), rows[number].strip())
                   for number, pieces in zip(numbers, shape.lines, strict=True)}  # fmt: skip
        if None in matches.values():
            continue
        for (number, match), pieces in zip(matches.items(), shape.lines, strict=True):
            paths = [_path(piece.path, shape.variable, word) for piece in pieces if piece.path]
            contents = [match[f"{_CONTENT}{nth}"] for nth in range(len(paths))] if match else []
            told[number] = [
                (path, content)
                for path, content in zip(paths, contents, strict=True)
                if not content.startswith("cat: ")
            ]
    return told


def expanded(operand: str) -> list[str]:
    """Return the files that an operand names with letters in brackets, or words in braces, in their order."""
    match = re.fullmatch(r"([^\[{]*)(?:\[([a-z0-9-]+)\]|\{([a-z0-9,]+)\})([^\[{]*)", operand)
    if match is None:
        return [operand]
    begin, letters, choices, end = match.groups()
    listed = choices.split(",") if choices else sorted({*re.sub("(.)-(.)", _between, letters)})
    return [f"{begin}{word}{end}" for word in listed]


def _between(match: re.Match[str]) -> str:
    return "".join(map(chr, range(ord(match[1]), ord(match[2]) + 1)))


@lru_cache(maxsize=64)
def _shape(command: str) -> _Shape | None:
    """Return what each pass of a loop prints; None if that is not known."""
    match = _LOOP.fullmatch(command)
    if match is None:
        return None
    body = _QUIET.sub("", match["body"])
    commands = _COMMANDS.findall(body)
    lines: list[list[_Piece]] = []
    begun: list[_Piece] = []
    for part in commands:
        tool, _, rest = part.strip().partition(" ")
        if tool == "cat" and rest:
            operands = re.sub(rf"\$\{{({match['name']})\}}", r"$\1", rest).replace('"', "").split()
            paths = [_Piece(path=path) for operand in operands for path in expanded(operand)]
            lines, begun = [*lines, [*begun, paths[0]], *([path] for path in paths[1:])], []
        elif tool == "echo":
            option = re.match(r"(-[neE]+)\s+", rest)
            pieces = _pieces(rest[option.end() :] if option else rest, match["name"])
            if pieces is None:
                return None
            begun += pieces
            if not (option and "n" in option[1]):
                lines, begun = [*lines, *[begun] * bool(begun)], []
        else:
            return None
    is_piped = bool(_QUIET.sub("", match["pipe"]).strip())
    if (
        begun
        or "".join(commands).replace(" ", "") != re.sub("[ ;&]", "", body)
        or (is_piped and len(lines) > 1)
    ):
        return None
    return _Shape(lines, match["name"], match["over"]) if lines else None


def _pieces(text: str, variable: str) -> list[_Piece] | None:
    """Return the parts of what echo prints; None if one of them is not known."""
    item = rf"\$(?:{variable}\b|\{{{variable}\}})"
    last = rf"\$\(basename \"?{item}\"?\)|`basename \"?{item}\"?`|\$\{{{variable}##\*/\}}"
    content = r"\$\((?:cat|<) *\"?(?P<path>[^)\"]+)\"?\)|`cat \"?(?P<other>[^`\"]+)\"?`"
    pieces, at = list[_Piece](), 0
    text = text.strip()
    for match in re.finditer(
        rf"(?P<last>{last})|(?P<content>{content})|(?P<item>{item})|(?P<plain>[^$`]+)", text
    ):
        if match.start() != at:
            return None
        at = match.end()
        if match["plain"]:
            printed = re.sub("[\"']", "", match["plain"])
            pieces.append(_Piece(r"\s+".join(map(re.escape, re.split(r"\s+", printed)))))
        elif match["content"]:
            pieces.append(_Piece(path=(match["path"] or match["other"]).strip()))
        else:
            pieces.append(_Piece(word=_ITEM if match["item"] else _LAST))
    return pieces if at == len(text) else None


def _pattern(pieces: Sequence[_Piece]) -> str:
    """Return the pattern of a line; where it has several files their contents are words."""
    content = r"\S+" if sum(bool(piece.path) for piece in pieces) > 1 else ".+"
    pattern, files = "", 0
    for piece in pieces:
        if piece.path:
            pattern += rf"(?P<{_CONTENT}{files}>{content})"
            files += 1
        elif name := piece.word:
            pattern += rf"(?P<{name}>/?[\w.:!/-]+)" if f"<{name}>" not in pattern else f"(?P={name})"
        else:
            pattern += piece.pattern
    return pattern


def _passes(shape: _Shape, rows: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """Yield the word of each pass, and its lines, if these are as many as it prints."""
    filled = [number for number, row in enumerate(rows) if row.strip()]
    first, many = shape.lines[0], len(shape.lines)
    if not any(piece.word for piece in first):
        listed = shape.over.split()
        if all(re.fullmatch(r"[\w./:-]+", word) for word in listed) and len(filled) == many * len(listed):
            yield from ((word, filled[at * many : (at + 1) * many]) for at, word in enumerate(listed))
        return
    begun = [(at, word) for at, number in enumerate(filled) if (word := _word(shape, rows[number]))]
    ends = [*(at for at, _word_there in begun[1:]), len(filled)]
    for (at, word), end in zip(begun, ends, strict=False):  # none without any that has begun
        if end - at == many:
            yield word, filled[at:end]


def _word(shape: _Shape, row: str) -> str:
    """Return the word of the pass that begins with a line; empty if none does."""
    match = re.fullmatch(_pattern(shape.lines[0]), row.strip())
    if match is None:
        return ""
    printed = match.groupdict()
    for word in re.sub(r"\$\(.*?\)|`.*?`", _PRINTED, shape.over).split():
        folder = posixpath.dirname(word)
        named = printed.get(_ITEM) or (f"{folder}/{printed[_LAST]}" if "*" not in folder else "")
        pattern = re.escape(word).replace(r"\*", r"[^/\s]*").replace(r"\?", r"[^/\s]")
        pattern = re.sub(r"\\\[(!?)((?:\w|\w\\-\w)+)\\\]", _class, pattern)
        pattern = re.sub(r"\\\{(.*?)\\\}", lambda choices: f"(?:{choices[1].replace(',', '|')})", pattern)
        is_device = re.fullmatch(BUSID, named) is not None or is_of_kernel(named)
        if is_device if word == _PRINTED else named and re.fullmatch(pattern, named):
            return named
    return ""


def _class(letters: re.Match[str]) -> str:
    """Return the class of letters in brackets of a shell, whose hyphens are escaped."""
    listed = re.sub(r"(\w)\\-(\w)", _between, letters[2])
    return f"[{'^' * bool(letters[1])}{listed}]" if listed else "(?!)"


def _path(path: str, variable: str, word: str) -> str:
    """Return the path of a file in a pass."""
    path = path.replace(f"${{{variable}##*/}}", posixpath.basename(word))
    return posixpath.normpath(re.sub(rf"\$(?:{variable}\b|\{{{variable}\}})", lambda _match: word, path))
