"""Rules are data: `[[rule]]` tables of TOML files, those in `rules/` and the user's own.

A rule watches one column of a table.  Its value is judged in each interval: below the limits, worth a look,
bad, or not known.  `zmon.rule.watch` makes exceptions of that.  A file of the user's own adds rules; a rule
with the name of a shipped one changes only the keys that it gives, and `off = true` switches it off.
"""

from __future__ import annotations

import os
import re
from operator import ge, gt, le, lt

from zmon.light_typing import TYPE_CHECKING, Any, Final
from zmon.plain_text import did_you_mean
from zmon.record import NamedTuple
from zmon.tables import TABLES
from zmon.toml import TomlDocument, TomlError, TomlTable, read_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

ALL: Final = "all"
"""The row of all rows of a table, where a rule or a condition is about that."""
COUNT: Final = "count"
"""In a condition: how many rows have a value in the rule's column."""

RESERVED: Final = frozenset({ALL, COUNT, "value", "where"})
"""Words that are no columns: besides these two what was compared, and what the row is called."""

SENSES: Final = ("over", "under", "changed")
SIBLINGS: Final = ("least", "mean", "median")

NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
COLUMN: Final = re.compile(r"([a-z_]+)\.([a-z0-9_]+)", re.ASCII)
TERM: Final = r"[a-z_]+(?:\.[a-z0-9_]+)?|[a-z0-9_]+"
CONDITION: Final = re.compile(
    rf"(?P<left>{TERM})\s*(?P<sign>>=|<=|>|<)\s*(?:(?P<times>\d+(?:\.\d+)?)(?:\s*\*\s*(?P<other>{TERM}))?|(?P<right>{TERM}))",
    re.ASCII,
)
LACKING: Final = "no"
"""In a condition: the value behind it is not known."""
SIGNS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {">=": ge, "<=": le, ">": gt, "<": lt}
LACKS: Final = re.compile(rf"no\s+({TERM})", re.ASCII)
LENGTH: Final = re.compile(r"(\d{1,6})([smh])", re.ASCII)
SECONDS: Final = {"s": 1, "m": 60, "h": 3600}
SHARE: Final = re.compile(r"(\d{1,3})/(\d{1,3})", re.ASCII)
HOURS: Final = re.compile(
    r"(?:(?P<first>[A-Z][a-z]{2})(?:-(?P<last>[A-Z][a-z]{2}))?\s+)?(?P<begin>[0-2]\d:[0-5]\d)-(?P<end>[0-2]\d:[0-5]\d)",
    re.ASCII,
)
DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FIELD: Final = re.compile(r"\{([a-z_]+(?:\.[a-z0-9_]+)?)(?::\.([0-3])f)?\}", re.ASCII)

KEYS: Final[Mapping[str, type]] = {
    "name": str, "on": str, "per": str, "sense": str, "look": float, "bad": float, "clear": float,
    "when": list, "siblings": dict, "for": str, "of": str, "keep": str, "window": str, "rising": bool,
    "hours": str, "rows": dict, "group": str, "weight": float, "say": str, "also": list, "cause": str,
    "why": str, "logs": bool, "off": bool,
}  # fmt: skip
"""What a rule may say; its values have these types."""


class RuleError(ValueError):
    """A rules file cannot be used; names the file, the line and what is wrong."""


class Precondition(NamedTuple):
    """A comparison of two values: `io >= 30`, `resp >= 2 * serv`, `all.io >= 200`, `count >= 4`.

    A term is a column of the row, `all.COLUMN` of the row of all, `TABLE.COLUMN` of another table's row of
    all or of the facts above it, or `count`.  `no serv` holds where the value is not known.
    """

    left: str
    sign: str
    times: float
    other: str = ""
    """The term on the right, of which it is so many times; empty for a plain number."""

    def __str__(self) -> str:
        """Write it as in a file."""
        if self.sign == LACKING:
            return f"{LACKING} {self.left}"
        right = f"{self.times:g}" if not self.other else f"{self.times:g} * {self.other}"
        return f"{self.left} {self.sign} {self.other if self.other and self.times == 1 else right}"


class Siblings(NamedTuple):
    """The value is so many times that of the other rows."""

    times: float
    of: str
    """`least`, `mean` or `median`."""
    within: str = ""
    """The column that the rows have in common with this one; empty for all rows."""


class Hours(NamedTuple):
    """Days of the week and a time of day, local; an end before the begin is on the next day."""

    days: frozenset[int]
    begin: int
    """Minutes since midnight."""
    end: int


class Rule(NamedTuple):
    """One rule, checked.  Times are in seconds."""

    name: str
    table: str
    column: str
    say: str
    look: float | None
    bad: float | None
    sense: str = "over"
    per: str = ""
    """The column by which the value is divided, row by row."""
    of_all: bool = False
    """Whether it watches the row of all rows."""
    clear: float = 0.8
    """Part of a limit below which an exception is no longer at that level."""
    when: tuple[Precondition, ...] = ()
    siblings: Siblings | None = None
    logs: bool = True
    """Whether it makes exceptions, and not only marks."""
    lasting: float = 0.0
    """How long it has to hold (`for`), in observed time."""
    share: tuple[int, int] | None = None
    """Or in how many of how many intervals (`of`)."""
    keep: float = 0.0
    """How long an exception stays open behind the last interval in which it held."""
    window: float = 0.0
    """The time that a value is averaged over; 0 for the interval."""
    rising: bool = False
    hours: Hours | None = None
    rows: tuple[tuple[str, str, bool], ...] = ()
    """Column, pattern with `*`, and whether rows must match it, or must not."""
    group: str = ""
    """The column that many exceptions at a time are put together by."""
    weight: float = 1.0
    also: tuple[str, ...] = ()
    """Columns that are kept with an exception as its evidence."""
    cause: str = ""
    """The diagnosis that it points to, by its id in the catalogue: D4."""
    why: str = ""

    @property
    def remembers(self) -> bool:
        """Whether values are compared with those of the interval before."""
        return self.rising or self.sense == "changed"

    @property
    def terms(self) -> tuple[str, ...]:
        """All columns that it names, those of other tables as TABLE.COLUMN."""
        conditions = [term for condition in self.when for term in (condition.left, condition.other)]
        fields = [name for name, _ in FIELD.findall(self.say)]
        within = self.siblings.within if self.siblings is not None else ""
        rows = [column for column, _, _ in self.rows]
        named = [self.column, self.per, self.group, within, *conditions, *fields, *self.also, *rows]
        return tuple(dict.fromkeys(name for name in named if name and name not in RESERVED))

    @property
    def digest(self) -> str:
        """A few characters that change with the rule: logs name the rule as it was."""
        from hashlib import blake2b  # noqa: PLC0415 - screens alone need none

        return blake2b(repr(tuple(self)).encode(), digest_size=4).hexdigest()


# files


def shipped_rules() -> str:
    """Return the directory of the rules that come with zmon."""
    from zmon.screen.definition import shipped  # noqa: PLC0415 - the screens lie beside them

    return shipped("rules")


def own_rules() -> list[str]:
    """Return the file of the user's own rules, if it exists."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    path = os.path.join(config, "zmon", "rules.toml")
    return [path] if os.path.exists(path) else []


def load_rules(paths: Iterable[str] = (), shipped: str | None = None) -> tuple[Rule, ...]:
    """Load the shipped rules and change them as the files `paths` say, in this order.

    Raises:
        RuleError: a file cannot be read, or holds what is no rule.
    """
    tables: dict[str, tuple[TomlTable, dict[str, Any]]] = {}
    folder = shipped_rules() if shipped is None else shipped
    try:
        files = sorted(name for name in os.listdir(folder) if name.endswith(".toml"))
    except OSError as error:
        raise RuleError(f"{folder}: {error.strerror or error}") from error
    own = list(paths)
    for path in [*(os.path.join(folder, name) for name in files), *own]:
        for table in _tables(path, is_shipped=path not in own):
            name = table.text("name")
            _, known = tables.get(name, (table, {}))
            tables[name] = table, known | dict(table.data)
    rules = (_rule(table, data) for table, data in tables.values() if not data.get("off", False))
    return tuple(rules)


def usable_rules() -> tuple[tuple[Rule, ...], str]:
    """Return the shipped rules changed by the user's own; if those are wrong, without them and why."""
    try:
        return load_rules(own_rules()), ""
    except RuleError as error:
        return load_rules(), f"Your own rules are not used: {error}"


def _tables(path: str, *, is_shipped: bool) -> list[TomlTable]:
    try:
        document = TomlDocument(read_utf8(path, RuleError), path, RuleError, is_shipped=is_shipped)
    except OSError as error:
        raise RuleError(f"{path}: {error.strerror or error}") from error
    top = document.top()
    top.only("rule")
    return list(top.list_of("rule", []))


def parse_rules(text: str, origin: str = "rules") -> tuple[Rule, ...]:
    """Return the rules of one document alone.

    Raises:
        RuleError: it is no TOML, or holds what is no rule.
    """
    try:
        top = TomlDocument(text, origin, RuleError).top()
    except TomlError as error:
        raise RuleError(str(error)) from error
    top.only("rule")
    return tuple(_rule(table, dict(table.data)) for table in top.list_of("rule", []))


def _rule(table: TomlTable, data: dict[str, Any]) -> Rule:
    """Return a checked rule; what it does not say itself, it has of the rule that it changes."""
    table = TomlTable(table.document, table.keys, data)
    table.check(KEYS, ("name", "on", "say"), ("say", "why"))
    name, on = table.text("name"), COLUMN.fullmatch(table.text("on"))
    if not NAME.fullmatch(name):
        raise table.wrong(
            "name", f"is words of small letters with hyphens, such as alias-busy, not {name!r:.60}"
        )
    if on is None:
        raise table.wrong("on", "is TABLE.COLUMN, such as control_unit.resp")
    if on[1] not in TABLES:
        raise table.wrong("on", f"there is no table {on[1]!r}{did_you_mean(on[1], TABLES)}")
    rows = table.data.get("rows", {})
    look, bad = _limits(table)
    found = Rule(
        name,
        on[1],
        on[2],
        table.text("say"),
        look,
        bad,
        sense=table.one_of("sense", SENSES, "over"),
        per=_column(table, "per"),
        of_all=ALL in rows,
        clear=table.number("clear", 0.8, 0.01, 1.0),
        when=tuple(_condition(table, words) for words in table.words("when", [])),
        siblings=_siblings(table),
        logs=bool(table.data.get("logs", True)),
        lasting=_length(table, "for"),
        share=_share(table),
        keep=_length(table, "keep"),
        window=_length(table, "window"),
        rising=table.flag("rising"),
        hours=_hours(table),
        rows=_rows(table, rows),
        group=_column(table, "group"),
        weight=table.number("weight", 1.0, 0.0, 1000.0),
        also=tuple(table.words("also", [])),
        cause=table.text("cause", ""),
        why=table.text("why", ""),
    )
    if found.lasting and found.share:
        raise table.wrong("of", "and `for` exclude each other")
    for term in found.terms:
        other = term.rpartition(".")[0]
        if other and other not in {ALL, *TABLES}:
            raise table.wrong("", f"{term}: there is no table {other!r}{did_you_mean(other, TABLES)}")
    left = FIELD.sub("", found.say)
    if "{" in left or "}" in left:
        raise table.wrong("say", "has braces only around columns: {resp}, {all.io:.0f}")
    return found


def _limits(table: TomlTable) -> tuple[float | None, float | None]:
    look, bad = (table.number(key, 0.0, -1e15, 1e15) if key in table else None for key in ("look", "bad"))
    sense = table.text("sense", "over")
    if sense == "changed":
        return (None, 0.0) if look is None else (0.0, None)
    if look is None and bad is None:
        raise table.wrong("bad", "is missing; give `look` or `bad` or both")
    if look is not None and bad is not None and (look > bad) != (sense == "under") and look != bad:
        raise table.wrong("bad", f"is reached before look = {look:g}")
    return look, bad


def _column(table: TomlTable, key: str) -> str:
    name = table.text(key, "")
    if name and not name.replace("_", "").isalnum():
        raise table.wrong(key, f"is the name of a column, not {name!r:.60}")
    return name


def _condition(table: TomlTable, words: str) -> Precondition:
    absent = LACKS.fullmatch(words.strip())
    if absent is not None:
        return Precondition(absent[1], LACKING, 0.0)
    match = CONDITION.fullmatch(words.strip())
    if match is None:
        raise table.wrong("when", f'{words!r:.60} is no comparison such as "io >= 30" or "resp >= 2 * serv"')
    times = float(match["times"]) if match["times"] else 1.0
    return Precondition(match["left"], match["sign"], times, match["other"] or match["right"] or "")


def _siblings(table: TomlTable) -> Siblings | None:
    data = table.data.get("siblings")
    if data is None:
        return None
    below = TomlTable(table.document, (*table.keys, "siblings"), data)
    below.only("times", "of", "within")
    return Siblings(
        below.number("times", None, 0.0, 1e6), below.one_of("of", SIBLINGS, "mean"), _column(below, "within")
    )


def _length(table: TomlTable, key: str) -> float:
    words = table.text(key, "0s")
    match = LENGTH.fullmatch(words)
    if match is None:
        raise table.wrong(key, f"is a length of time such as 90s, 2m or 1h, not {words!r:.60}")
    return float(match[1]) * SECONDS[match[2]]


def _share(table: TomlTable) -> tuple[int, int] | None:
    if "of" not in table:
        return None
    match = SHARE.fullmatch(table.text("of"))
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise table.wrong("of", "is how many of the last intervals must hold, such as 4/5")
    return int(match[1]), int(match[2])


def _hours(table: TomlTable) -> Hours | None:
    if "hours" not in table:
        return None
    match = HOURS.fullmatch(table.text("hours"))
    days = [match["first"] or "Mon", match["last"] or match["first"] or "Sun"] if match else [""]
    if match is None or not set(days) <= set(DAYS):
        raise table.wrong(
            "hours", 'is days and a time of day, such as "Mon-Fri 07:00-19:00" or "22:00-06:00"'
        )
    first, last = map(DAYS.index, days)
    numbers = range(first, last + 1) if first <= last else [*range(first, 7), *range(last + 1)]
    begin, end = (int(match[name][:2]) * 60 + int(match[name][3:]) for name in ("begin", "end"))
    return Hours(frozenset(numbers), begin, end)


def _rows(table: TomlTable, rows: Mapping[str, Any]) -> tuple[tuple[str, str, bool], ...]:
    found = []
    for column, pattern in rows.items():
        if column == ALL:
            if pattern is not True:
                raise table.wrong("rows", "all = true watches the row of all rows")
            continue
        if not isinstance(pattern, str) or not pattern.removeprefix("!").isprintable():
            raise table.wrong("rows", f'{column} is a pattern such as "80*", or "!80*" for all others')
        found.append((column, pattern.removeprefix("!"), not pattern.startswith("!")))
    return tuple(found)
