"""How the output of a tool is read: a form declares its lines, and one walk reads the outputs of all forms.

Each line of an output is read, is known to say nothing, or is not understood; `account` keeps which.  A line
that is not understood ends whatever a line before it began: what follows belongs to something unknown.  So
does a line that a pipe such as `| grep` may have left out.
"""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from zmon.base.mistake import contained, itself
from zmon.collected.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

    Take = Callable[[Any, re.Match[str]], "bool | None"]

BETWEEN: Final = "\0"
"""Stands for a line of another host between those of an output: it ends nothing that a line before began."""
MAX_ROW: Final = 4096
"""Longest line that tools print of a device; no longer one is matched with patterns."""


_TALKS: Final = re.compile(r"^(?:pv|vg|lv)[a-z]*\b.*\s-(?:v{2,}|v[2-9]|d)|^multipath\b.*\s-v[3-9]")
"""Commands that were asked for debug output."""


_FILTER: Final = re.compile(
    r"(?:^|\|)\s*(?:sudo\s+)?(?P<tool>[efz]?grep|head|tail|awk|sed|cut)\b(?P<arguments>[^|]*)"
)
_AROUND: Final = re.compile(r"\s-[a-zA-Z]*[ABC] ?[0-9]|\s--(?:after|before)?-?context")
"""Options of grep for the lines around one, whose groups it divides by a row `--`."""
_BETWEEN_GROUPS: Final = "--"
_OF_MEMORY: Final = r"(?:loop|z?ram|sr0?|(?:dev)?tmpfs|cgroup2?|squashfs|snap)"
_WITHOUT_DISKS: Final = re.compile(
    rf"\s-[a-zA-Z]*v[a-zA-Z]*\s+[\"'(]?\^?(?:[\\|()^ ]*{_OF_MEMORY})+[*\[\]0-9\\).\"' ]*"
)
"""What people have grep leave out that is on no disk."""


def line(*patterns: str) -> Callable[[Take], Take]:
    """Declare that a method takes the lines of these patterns, which cover a line wholly.

    It returns False for a line that does not fit where it stands, which is then not understood.
    """

    def declared(take: Take) -> Take:
        vars(take)["patterns"] = patterns  # `Reading` collects them
        return take

    return declared


class Reading:
    """One output while it is read.  Its lines are tried in the order in which the class declares them."""

    tool: ClassVar[str] = ""
    """The command in the name of a line's place: `lsdasd, runtime.out:120`."""
    tells: ClassVar[tuple[str, ...]] = ("layer",)
    """The names of the kinds of which an output may say something."""
    lists: ClassVar[tuple[str, ...]] = ()
    """What whole outputs list all of: `ALL_DASD` and the like."""
    heading: ClassVar[str] = ""
    """How an output begins where no command says so: with a line that nothing else prints."""
    called: ClassVar[Mapping[str, str]] = {}
    """What tells which of several commands it is where none is named: patterns in the text, by the names."""
    first: ClassVar[str] = ""
    """How a line begins that tells the form where neither a command nor a heading did."""
    nothing: ClassVar[tuple[str, ...]] = ()
    """Patterns of lines that say nothing: headings, rulers."""
    pads: ClassVar[bool] = False
    """Whether the tool itself writes blanks at the ends of rows, which tell that a column is empty."""
    subject: ClassVar[str] = ""
    """A line that begins what is said about a thing, if that may be of any length."""
    unbroken: ClassVar[bool] = False
    """Whether prose looks like rows of the tool, which prints no empty line before one without a path."""
    titled: ClassVar[str] = ""
    """A line above the heading that belongs to the output."""
    outdented: ClassVar[str] = ""
    """How a line begins that may stand left of the heading."""
    in_heads: ClassVar[str] = ""
    """What each row has that begins lines about something: a grep for it, too, leaves out none of these."""
    longest: ClassVar[int] = MAX_ROW
    narrowing: ClassVar[str] = ""
    """Pattern of the options and operands with which the command prints some of what there is."""
    _lines: ClassVar[tuple[tuple[re.Pattern[str], str], ...]] = ()

    failed: ClassVar[tuple[str, ...]] = (
        r'Command ".*" not available',
        r"(?:\S+: )*(?:line [0-9]+: )?\S+: (?:command )?not found",
        r"(?!.*/[0-9a-f]+\.[0-9a-f]\.[0-9a-f]{4}/)\S+: .*(?:Permission denied|No such file or directory)\.?",
        r"\S+: cannot open \S+: .*",
        r"Try '\S+ (?:--help|-h)' for more information\.",
        r"(?:Error|ERROR): .*|\S+\.sh: Warning: .*|rc=[0-9]+|(?:Terminated|Killed)\.?",
        r"\S+: (?:[Ii]nvalid|[Uu]nrecognized|[Uu]nknown) option.*|\S+: Device \S+ not found",
    )  # fmt: skip
    """Patterns of what stands in place of an output that could not be had; a path in it may name a device."""

    def __init_subclass__(cls) -> None:
        """Collect the lines that the class declares, before those of its base."""
        super().__init_subclass__()
        own = [
            (re.compile(pattern), name)
            for name, take in vars(cls).items()
            for pattern in getattr(take, "patterns", ())
        ]
        own += [(re.compile(pattern), "") for pattern in vars(cls).get("nothing", ())]
        failed = [] if cls._lines else [(re.compile(pattern), "") for pattern in cls.failed]
        cls._lines = (*failed, *own, *cls._lines)

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with nothing."""
        self.text = text
        self.facts = facts
        self.number = 0
        """The line that is taken, counted from 0."""
        self._talks = _TALKS.search(text.command) is not None
        """Whether the tool was asked to tell what it does, in lines of any form."""
        self._columns = Columns("")
        """Those of the heading that was read last."""
        self.strange: list[int] = []
        """Lines that were taken, and turned out not to be understood."""

    @property
    def printed_by(self) -> str:
        """The command whose output it is, else that which its lines tell; empty if nothing does."""
        patterns = self.called.items()
        told = (name for name, pattern in patterns if re.search(pattern, self.text.text, re.MULTILINE))
        return self.text.command.partition("|")[0].strip() or next(told, "")

    @property
    def is_part(self) -> bool:
        """Whether the command was asked for some of what there is, or what it printed was filtered."""
        return self._is_narrow or self.is_filtered

    @property
    def _is_narrow(self) -> bool:
        return bool(self.narrowing and re.search(rf"\s(?:{self.narrowing})", self.text.command))

    @property
    def lists_all(self) -> tuple[str, ...]:
        """What the output is a list of, if it is whole: `ALL_DASD` and the like."""
        return self.lists

    @property
    def place(self) -> str:
        """Where the line is that is taken: `lsdasd, runtime.out:120`."""
        return self.place_of(self.number)

    def place_of(self, number: int) -> str:
        """Return where a line is, counted from 0."""
        place = self.text.place(number)
        return place if self.text.file or not self.tool else f"{self.tool}, {place}"

    @classmethod
    def begins(cls, row: str) -> bool:
        """Return whether a line is a row of its own, which the one before cannot go on with."""
        return not row.strip() or bool(cls.first and re.match(cls.first, row))

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of this form."""
        rows = dict.fromkeys((row, row.rstrip()))
        return len(row) <= cls.longest and any(
            pattern.fullmatch(whole) for pattern, _name in cls._lines for whole in rows
        )

    def take(self, number: int, row: str) -> bool | None:
        """Take a line; return whether it was read, False if it says nothing, None if it is not understood."""
        self.number = number
        if not row.strip():
            self.blank()
            return False
        for whole in dict.fromkeys((row, row.rstrip())) if len(row) <= self.longest else ():
            for pattern, name in self._lines:
                if match := pattern.fullmatch(whole):
                    if not name:
                        return False
                    if getattr(self, name)(match) is not False:
                        return True
        if self._talks:
            return False
        self.lost()
        return None

    def blank(self) -> None:
        """Take an empty line."""

    def lost(self) -> None:
        """Take a line that is not understood: what the line before began has ended."""

    def gap(self) -> None:
        """Know that a filter may have left out lines here; what the line before began has ended, if any."""
        self.lost()

    @property
    def is_filtered(self) -> bool:
        """Whether the command has such a filter."""
        return gaps_of(self.text.command) is not None

    @property
    def has_heads(self) -> bool:
        """Whether the command searches for what all heads have, among others."""
        return bool(self.in_heads) and self.in_heads in _searched(self.text.command)

    def is_searched(self, title: str) -> bool:
        """Return whether a filter searches for a part of a title, and so leaves out no line that has it."""
        searched = filter(_PLAIN.fullmatch, _searched(self.text.command))
        return not self._is_narrow and any(pattern in title for pattern in searched)

    @property
    def operand(self) -> str:
        """The only device or group that the command, up to a filter, asks for; empty if there is none."""
        operands = [
            word for word in self.text.command.partition("|")[0].split()[1:] if not word.startswith("-")
        ]
        return operands[0] if len(operands) == 1 else ""

    def end(self) -> None:
        """Say what follows from all lines together."""


CUT: Final = "?cut"
"""The key of an object in JSON of which the end was cut."""
_OF_OBJECTS: Final = re.compile(r"\s*\{")
MAX_DEPTH: Final = 32
"""Maximum depth of a tree in JSON."""


class OrDocument(Reading):
    """An output that is lines, or one JSON document."""

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with nothing."""
        super().__init__(text, facts)
        self.is_cut = False
        """Whether the document lacks its end."""
        self._json: list[str] = []
        self._lines_of_json: list[int] = []
        self._braces = 0

    def take(self, number: int, row: str) -> bool | None:
        """Take a line; those from the first brace to its end are one document."""
        if self._braces or (not self._json and row.lstrip().startswith("{")):
            self._json.append(row)
            self._lines_of_json.append(number)
            self._braces += row.count("{") - row.count("}")
            return True
        return super().take(number, row)

    def end(self) -> None:
        """Take the document, if there is one; of one that was cut what is whole."""
        if not self._json:
            return
        printed = "\n".join(self._json)
        self.is_cut = self._braces > 0
        whole, ends = _whole_part(printed) if self.is_cut else (printed, "")
        try:
            document = json.loads(whole + ends)
        except (ValueError, RecursionError):
            document = None
        self.number = self._lines_of_json[0]
        is_read = isinstance(document, dict) and self.document(document)
        self.strange += self._lines_of_json[whole.count("\n") + 1 if is_read else 0 :]

    @property
    def is_part(self) -> bool:
        """Whether some of what there is may be left out, as in a document that was cut."""
        return super().is_part or self.is_cut

    def document(self, document: dict[str, Any]) -> bool:
        """Take a document; return whether it was understood."""
        raise NotImplementedError


def _whole_part(text: str) -> tuple[str, str]:
    """Return a cut document up to its last whole object, or to the list of such that begins, and its end.

    An object that is not whole, but has whole ones in it, gets the key `CUT`.
    """
    end, ends, closing = 0, "", list[str]()
    for bracket in re.finditer(r'"(?:[^"\\\n]|\\.)*"|[\[\]{}]', text):
        if bracket[0] in {"[", "{"}:
            closing.append("]" if bracket[0] == "[" else f', "{CUT}": true}}')
        elif bracket[0] in {"]", "}"}:
            closing[-1:] = []
        if bracket[0] == "}" or (bracket[0] == "[" and _OF_OBJECTS.match(text, bracket.end())):
            end, ends = bracket.end(), "".join(reversed(closing))
    return text[:end], ends


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list in JSON; none of anything else."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


class Form(NamedTuple):
    """What one tool prints, or one file holds."""

    name: str
    """As it is in docs/sources.md."""
    command: str
    """Pattern of its commands, up to their first words, and of the paths of copied files."""
    reading: type[Reading]
    answers: str
    """What follows from it, for docs/sources.md."""
    seen: str
    """Where its layout is from."""


class ReadText(NamedTuple):
    """What became of the lines of an output."""

    text: CollectedText
    form: str
    """The name of the form that it was taken for; empty if for none."""
    read: int
    """Lines that say something."""
    strange: tuple[int, ...]
    """The lines that were not understood, counted on from where the output begins."""
    tells: tuple[str, ...] = ()
    """The names of the kinds of which it may say something, and what it lists."""
    is_part: bool = False
    """Whether the command prints some of the lines."""
    called: str = ""
    """Of an output without a command that which its lines tell."""


Rows = list[tuple[int, str]]
"""The rows of an output, each with the number of its first line, counted from 0."""
_NARROW: Final = 60
"""Characters of the narrowest terminal whose folded rows are joined."""
_FEW: Final = 1000
"""Rows that are read again in any case, to see whether joined ones are understood better."""
TERMINALS: Final = frozenset({80, 132})
"""Widths of terminals: that a single row was folded there is no chance."""


def walk(text: CollectedText, form: Form, facts: Facts) -> ReadText:
    """Read an output; if a terminal has folded its rows, these are joined."""
    from zmon.collected.facts import Facts  # noqa: PLC0415 - few outputs are read twice

    lines = text.text.removesuffix("\n").split("\n")
    if not form.reading.pads and len({len(row) for row in lines if row}) == 1:
        lines = [row.rstrip() for row in lines]  # who copies a block has blanks up to its edge
    rows: Rows = [*enumerate(lines)]
    folded = _folded(rows, form.reading)
    if any(not form.reading.knows(rows[number + 1][1]) for number in folded) or (folded and len(rows) < _FEW):
        unfolded = _unfolded(rows, folded)
        whole = text._replace(text="".join(f"{row}\n" for _number, row in unfolded))
        before, after = _read(text, form, Facts(), rows), _read(whole, form, Facts(), unfolded)
        parts = {text.line + number + 1 for number in folded}
        strange = [*after.strange]
        for part in sorted(parts):  # the lines of a row that is not understood are none of them
            strange += [part] if part - 1 in strange else []
        if len(strange) < len(before.strange) and after.read + len(folded) >= before.read:
            told = _read(whole, form, facts, unfolded)
            return told._replace(text=text, strange=tuple(sorted(strange)))
    return _read(text, form, facts, rows)


def _folded(rows: Rows, reading: type[Reading]) -> set[int]:
    """Return the numbers of rows that a terminal may have folded: all as long as the longest one.

    A single one is folded at the width of a terminal, or where the rest of a path stands alone behind it.
    """
    width = max(len(row) for _number, row in rows)
    if width < _NARROW:
        return set()
    folded = {
        number
        for (number, row), (_number, following) in pairwise(rows)
        if len(row) == width and not reading.begins(following)
    }
    rests = (rows[number + 1][1] for number in folded)
    is_path = any(re.fullmatch(r"[^\s/]\S*/\S*", rest) for rest in rests)
    return folded if len(folded) > 1 or width in TERMINALS or is_path else set()


def _unfolded(rows: Rows, folded: set[int]) -> Rows:
    """Join rows with the next ones."""
    unfolded: Rows = []
    for number, row in rows:
        if number - 1 in folded:
            unfolded[-1] = unfolded[-1][0], f"{unfolded[-1][1]}{row}"
        else:
            unfolded.append((number, row))
    return unfolded


def _read(text: CollectedText, form: Form, facts: Facts, rows: Rows) -> ReadText:
    reading, part = form.reading(text, facts), f"the reader of {form.name}"
    read, strange = 0, list[int]()
    gaps = gaps_of(text.command)
    if reading.has_heads:
        gaps = None
    for number, row in rows:
        if row == BETWEEN:
            continue
        if gaps is not None and gaps.fullmatch(row if number else ""):
            reading.gap()
        is_rule = gaps is not None and row == _BETWEEN_GROUPS
        take = partial(reading.take, number, row)
        taken = False if is_rule else contained(part, take, lambda _why: None)
        if taken is None:
            strange.append(text.line + number)
        read += bool(taken)
    if gaps is not None:
        reading.gap()
    if contained(part, reading.end, itself) is not None:
        reading.strange, strange = [number for number, row in rows if row.strip()], []
        read = len(reading.strange)
    strange += [text.line + number for number in reading.strange]
    tells = (*form.reading.tells, *reading.lists_all)
    read -= len(reading.strange)
    called = "" if text.command or text.file else reading.printed_by
    return ReadText(text, form.name, read, tuple(sorted(strange)), tells, reading.is_part, called)


_SEARCH: Final = re.compile(
    r"[^|]*\|\s*[ef]?grep\s+(?:-[iEe]\s+)*(?:(?P<quote>['\"])(?P<words>.*?)(?P=quote)|(?P<word>[^\s|'\"-]\S*))\s*"
)
_PLAIN: Final = re.compile(r"[\w.:/-]+")
"""A pattern that matches itself."""


def _searched(command: str) -> list[str]:
    """Return the alternatives of which grep prints the lines; none of other filters."""
    match = _SEARCH.fullmatch(command)
    return re.split(r"\\?\|", match["words"] or match["word"]) if match else []


def gaps_of(command: str) -> re.Pattern[str] | None:
    """Return before which rows, as behind the last, a command may have left out some; None if it did not."""
    match = _FILTER.search(command)
    if match is None or _WITHOUT_DISKS.fullmatch(match["arguments"]):
        return None
    if match["tool"] in {"head", "tail"}:
        return re.compile("")
    return re.compile(f"|{_BETWEEN_GROUPS}" if _AROUND.search(match["arguments"]) else ".*")
