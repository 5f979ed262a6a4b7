"""Rules are data: `[[rule]]` tables of TOML files, those in `rules/` and the user's own.

A rule watches one column of a table.  Its value is judged in each interval: below the limits, worth a look,
bad, or not known.  `zmon.rule.watch` makes exceptions of that.  A file of the user's own adds rules; a rule
with the name of a shipped one changes only the keys that it gives, and `off = true` switches it off.

A limit in milliseconds suits some storage and not other.  `profile` of a rule has the numbers that differ;
a file of the user's own or a site file chooses one of `PROFILES`.
"""

from __future__ import annotations

import os
import re
from functools import partial
from operator import ge, gt, le, lt

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.limits import number_of, with_numbers
from zmon.base.plain_text import did_you_mean
from zmon.base.record import NamedTuple
from zmon.base.shipped import shipped as shipped_data
from zmon.base.toml import PROFILES, TomlDocument, TomlError, TomlTable, site_files
from zmon.rule.rules_file import RuleError, all_of, document_of, own_rules, seconds_of
from zmon.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

ALL: Final = "all"
"""The row of all rows of a table, where a rule or a condition is about that."""
OTHERS: Final = "others"
"""The mean of the other rows."""
COUNT: Final = "count"
"""In a condition: how many rows have a value in the rule's column."""

RESERVED: Final = frozenset({ALL, COUNT, OTHERS, "value", "where"})
"""Words that are no columns: besides these what was compared, and what the row is called."""

SENSES: Final = ("over", "under", "changed", "fallen")
COMPARED: Final = frozenset({"changed", "fallen"})
"""Senses without a limit: the value is compared with an earlier one."""
SIBLINGS: Final = ("least", "mean", "median")

NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
COLUMN: Final = re.compile(r"([a-z_]+)\.([a-z0-9_]+)", re.ASCII)
TERM: Final = r"[a-z_]+(?:\.[a-z0-9_]+)?|[a-z0-9_]+"
CONDITION: Final = re.compile(
    rf"(?P<left>{TERM})\s*(?P<sign>>=|<=|>|<)\s*(?:(?P<times>\d+(?:\.\d+)?)(?:\s*\*\s*(?P<other>{TERM}))?|(?P<right>{TERM}))",
    re.ASCII,
)
LIMIT: Final = re.compile(r"(?<![\w.-])[a-z]+(?:-[a-z]+)+(?![\w.-])", re.ASCII)
"""In a condition: the name of a shared limit."""
LACKING: Final = "no"
"""In a condition: the value behind it is not known."""
SIGNS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {">=": ge, "<=": le, ">": gt, "<": lt}
LACKS: Final = re.compile(rf"no\s+({TERM})", re.ASCII)
SHARE: Final = re.compile(r"(\d{1,3})/(\d{1,3})", re.ASCII)
HOURS: Final = re.compile(
    r"(?:(?P<first>[A-Z][a-z]{2})(?:-(?P<last>[A-Z][a-z]{2}))?\s+)?"
    r"(?P<begin>(?:[01]\d|2[0-3]):[0-5]\d)-(?P<end>(?:[01]\d|2[0-3]):[0-5]\d|24:00)",
    re.ASCII,
)
DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FIELD: Final = re.compile(r"\{([a-z_]+(?:\.[a-z0-9_]+)?)(?::\.([0-3])f)?\}", re.ASCII)

KEYS: Final[Mapping[str, type]] = {
    "name": str, "on": str, "per": str, "sense": str, "look": float, "bad": float, "clear": float,
    "when": list, "siblings": dict, "for": str, "of": str, "keep": str, "window": str, "rising": bool,
    "hours": str, "rows": dict, "group": str, "weight": float, "say": str, "also": list, "cause": str,
    "why": str, "unit": str, "logs": bool, "off": bool, "profile": dict,
}  # fmt: skip
"""What a rule may say; its values have these types."""
NEEDED: Final = ("name", "on", "say")
TOP: Final = ("rule", "diagnosis", "check", "command", "profile")
"""What a file of rules has."""
PLACES: Final = ("on", "per", "when", "siblings", "rows", "group", "say", "also")
"""The keys that name columns."""
PROFILED: Final = ("look", "bad", "clear", "for", "of", "keep", "when")
"""What of a rule may differ by profile."""


class Precondition(NamedTuple):
    """A comparison of two values: `io >= 30`, `resp >= 2 * serv`, `all.io >= 200`, `count >= 4`.

    A term is a column of the row, `all.COLUMN` of the row of all, `others.COLUMN` the mean of the other rows
    (weighted as the row of all is), `TABLE.COLUMN` of another table's row of
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
    unit: str = ""
    """Of what is compared with the limits: ms, %, times."""

    @property
    def remembers(self) -> bool:
        """Whether values are compared with those of the interval before."""
        return self.rising or self.compares

    @property
    def compares(self) -> bool:
        """Whether values are compared with earlier ones alone, and have no limit."""
        return self.sense in COMPARED

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
    def columns(self) -> dict[str, tuple[str, str]]:
        """The table and the column of each of these terms."""
        parts = ((term, *term.rpartition(".")[::2]) for term in self.terms)
        return {
            term: (self.table if table in {"", ALL, OTHERS} else table, column)
            for term, table, column in parts
        }

    @property
    def digest(self) -> str:
        """A few characters that change with the rule: logs name the rule as it was."""
        from hashlib import blake2b  # noqa: PLC0415 - screens alone need none

        return blake2b(repr(tuple(self)[:-1]).encode(), digest_size=4).hexdigest()  # the unit only names


# files


def load_rules(paths: Iterable[str] = (), shipped: str | None = None, profile: str = "") -> tuple[Rule, ...]:
    """Load the shipped rules and change them as the files `paths` say, in this order.

    A rule that has limits only for profiles is left out without one of these.

    Raises:
        RuleError: a file cannot be read, or holds what is no rule; it has all mistakes.
    """
    folder = shipped_data("rules") if shipped is None else shipped
    try:
        files = sorted(name for name in os.listdir(folder) if name.endswith(".toml"))
    except OSError as error:
        raise RuleError(f"{folder}: {error.strerror or error}") from error
    settings: dict[str, tuple[TomlTable, dict[str, Any]]] = {}
    mistakes: list[str] = []
    for path in (os.path.join(folder, name) for name in files):
        for table in document_of(path, is_shipped=True).list_of("rule", []):
            settings[table.text("name")] = table, _in_profile(table, profile)
    own: set[str] = set()
    for path in paths:
        try:
            top = document_of(path)
            mistakes += _misspelt(top)
            own |= _change(settings, top, profile, mistakes)
            _check_records(top, settings)
        except RuleError as error:
            mistakes += error.args
    used = {
        name: rule
        for name, rule in settings.items()
        if not rule[1].get("off", False) and (name in own or not _lacks_limits(rule[1]))
    }
    try:
        rules = all_of(partial(_own_rule if name in own else _rule, *rule) for name, rule in used.items())
    except RuleError as error:
        mistakes += error.args
    if mistakes:
        raise RuleError(*mistakes)
    return tuple(rules)


def _check_records(top: TomlTable, rules: Collection[str]) -> None:
    """See that what a file changes of diagnoses and checks can be used, and its commands of some rules.

    Raises:
        RuleError: it cannot.
    """
    if "diagnosis" in top:
        from zmon.diagnosis import catalogue  # noqa: PLC0415 - most change none

        catalogue.changed(top)
    if "check" in top:
        from zmon.check import practices  # noqa: PLC0415 - likewise

        practices.changed(top)
    if "command" in top:
        from zmon.rule import site_command  # noqa: PLC0415 - likewise

        site_command.commands_of(top, rules)


def _lacks_limits(data: Mapping[str, Any]) -> bool:
    """Return whether a rule has limits for profiles alone, and none of these is chosen."""
    return "profile" in data and not data.keys() & {"look", "bad"}


def _own_rule(table: TomlTable, data: dict[str, Any]) -> Rule:
    """Return a rule of the user's own, whose columns there are; those of shipped rules are tested."""
    from zmon.rule.known_columns import unknown_columns  # noqa: PLC0415 - most have no rules of their own

    rule = _rule(table, data)
    wrong = [
        str(
            table.wrong(
                next((key for key in PLACES if re.search(rf"\b{term}\b", str(data.get(key)))), ""), text
            )
        )
        for term, text in unknown_columns(rule.columns).items()
    ]
    if wrong:
        raise RuleError(*wrong)
    return rule


def _change(
    settings: dict[str, tuple[TomlTable, dict[str, Any]]], top: TomlTable, profile: str, mistakes: list[str]
) -> set[str]:
    """Add the rules of a file, or change those that are known; returns their names."""
    names = set()
    for table in top.list_of("rule", []):
        try:
            name = table.text("name")
            if name not in settings and "on" not in table:
                others = did_you_mean(name, settings) or "; a rule of your own needs `on`, `say` and a limit"
                raise table.wrong("name", f"there is no rule {name!r:.60}{others}")
            _, data = settings.get(name, (table, {}))
            settings[name] = table, data | _in_profile(table, profile)
            names.add(name)
        except RuleError as error:
            mistakes += error.args
    return names


def _in_profile(table: TomlTable, profile: str) -> dict[str, Any]:
    """Return what a rule says, with the numbers of a profile if one is chosen."""
    data = dict(table.data)
    if not isinstance(data.get("profile", {}), dict):
        return data  # the check of types refuses it
    for name, below in table.tables("profile", {}):
        if name not in PROFILES:
            raise below.wrong("", f"is no profile: there are {', '.join(PROFILES)}")
        below.only(*PROFILED)
        data |= below.data if name == profile else {}
    return data


def usable_rules(site: str = "") -> tuple[tuple[Rule, ...], str]:
    """Return the shipped rules changed by the user's own; if those are wrong, without them and why.

    `site` is the site file that was named.
    """
    try:
        return chosen_rules(own_rules(), site)[0], ""
    except RuleError as error:
        return load_rules(), f"Your own rules are not used: {error}"


def chosen_rules(paths: Sequence[str], site: str = "") -> tuple[tuple[Rule, ...], str, str]:
    """Return the rules of files of the user's own and the shipped ones, the profile, and what chooses it.

    Raises:
        RuleError: a file cannot be read, or holds what is no rule; it has all mistakes.
    """
    mistakes: list[str] = []
    profile = place = ""
    try:
        profile, place = chosen_profile(paths, site)
    except RuleError as error:
        mistakes += error.args
    try:
        rules = load_rules(paths, profile=profile)
    except RuleError as error:
        mistakes += [mistake for mistake in error.args if mistake not in mistakes]
    if mistakes:
        raise RuleError(*mistakes)
    return rules, profile, place


def chosen_profile(paths: Sequence[str], site: str = "") -> tuple[str, str]:
    """Return the profile that files of rules or else site files choose, the last that does, and its place.

    Raises:
        RuleError: it is none, or a file cannot be read; it has the mistakes of all.
    """
    profile = ("", "")
    mistakes: list[str] = []
    for path in (*site_files(os.environ), *([site] if site else ()), *paths):
        try:
            top = document_of(path)
            if "profile" in top:
                profile = _profile(top), top.place("profile")
        except RuleError as error:
            mistakes += error.args
    if mistakes:
        raise RuleError(*mistakes)
    return profile


def _profile(top: TomlTable) -> str:
    word = top.text("profile")
    if word not in PROFILES:
        others = did_you_mean(word, PROFILES)
        raise top.wrong("profile", f"is one of {', '.join(PROFILES)}, not {word!r:.60}{others}")
    return word


def _misspelt(top: TomlTable) -> list[str]:
    """Return which keys and tables of a file of rules are not known, and what may be meant."""
    return [
        str(top.wrong(key, f"is not known here; known are {', '.join(TOP)}{did_you_mean(key, TOP)}"))
        for key in top.data
        if key not in TOP
    ]


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
    rules = (partial(_rule, table, dict(table.data)) for table in top.list_of("rule", []))
    return tuple(all_of(rules))


def _rule(table: TomlTable, data: dict[str, Any]) -> Rule:
    """Return a checked rule; what it does not say itself, it has of the rule that it changes.

    Raises:
        RuleError: it is none; has each key that is wrong.
    """
    data = _with_numbers(table, data)
    table = TomlTable(table.document, table.keys, data)
    all_of([partial(_check_key, table, key) for key in (*data, *(key for key in NEEDED if key not in data))])
    rows = data.get("rows", {})
    fields: dict[str, Callable[[], Any]] = {
        "name": partial(_name, table),
        "on": partial(_place, table),
        "say": partial(_say, table),
        "limits": partial(_limits, table),
        "sense": partial(table.one_of, "sense", SENSES, "over"),
        "per": partial(_column, table, "per"),
        "clear": partial(table.number, "clear", 0.8, 0.01, 1.0),
        "when": partial(_conditions, table),
        "siblings": partial(_siblings, table),
        "lasting": partial(seconds_of, table, "for"),
        "share": partial(_share, table),
        "keep": partial(seconds_of, table, "keep"),
        "window": partial(seconds_of, table, "window"),
        "rising": partial(table.flag, "rising"),
        "hours": partial(_hours, table),
        "rows": partial(_rows, table, rows),
        "group": partial(_column, table, "group"),
        "weight": partial(table.number, "weight", 1.0, 0.0, 1000.0),
        "also": partial(table.words, "also", []),
        "cause": partial(table.text, "cause", ""),
        "why": partial(table.text, "why", ""),
        "unit": partial(table.text, "unit", ""),
    }
    values = dict(zip(fields, all_of(fields.values()), strict=True))
    on, (look, bad) = values.pop("on"), values.pop("limits")
    values |= {"table": on[1], "column": on[2], "look": look, "bad": bad, "also": tuple(values["also"])}
    rule = Rule(**values, of_all=ALL in rows, logs=bool(data.get("logs", True)))
    if rule.lasting and rule.share:
        raise table.wrong("of", "and `for` exclude each other")
    for term in rule.terms:
        other = term.rpartition(".")[0]
        if other and other not in {ALL, OTHERS, *TABLES}:
            raise table.wrong("", f"{term}: there is no table {other!r}{did_you_mean(other, TABLES)}")
    return rule


def _with_numbers(table: TomlTable, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a rule says, with the numbers of the shared limits that it names.

    Raises:
        RuleError: there is no limit of a name.
    """
    numbers = with_numbers(table, data)
    siblings, conditions = data.get("siblings"), data.get("when")
    if isinstance(siblings, dict) and "times" in siblings:
        numbers["siblings"] = siblings | {"times": number_of(table, "siblings", siblings["times"])}
    if isinstance(conditions, list):
        numbers["when"] = [
            LIMIT.sub(lambda match: f"{number_of(table, 'when', match[0]):g}", condition)
            if isinstance(condition, str)
            else condition
            for condition in conditions
        ]
    return numbers


def _check_key(table: TomlTable, key: str) -> None:
    """Refuse a key that is not known or missing, and a value of another type."""
    if key not in KEYS:
        others = did_you_mean(key, KEYS) or f"; known are {', '.join(KEYS)}"
        raise table.wrong(key, f"is not known here{others}")
    alone = {key: table.data[key]} if key in table else {}
    TomlTable(table.document, table.keys, alone).check(KEYS, [key] if key in NEEDED else (), ("say", "why"))


def _name(table: TomlTable) -> str:
    name = table.text("name")
    if not NAME.fullmatch(name):
        raise table.wrong(
            "name", f"is words of small letters with hyphens, such as alias-busy, not {name!r:.60}"
        )
    return name


def _place(table: TomlTable) -> re.Match[str]:
    on = COLUMN.fullmatch(table.text("on"))
    if on is None:
        raise table.wrong("on", "is TABLE.COLUMN, such as control_unit.resp")
    if on[1] not in TABLES:
        raise table.wrong("on", f"there is no table {on[1]!r}{did_you_mean(on[1], TABLES)}")
    return on


def _say(table: TomlTable) -> str:
    say = table.text("say")
    left = FIELD.sub("", say)
    if "{" in left or "}" in left:
        raise table.wrong("say", "has braces only around columns: {resp}, {all.io:.0f}")
    return say


def _conditions(table: TomlTable) -> tuple[Precondition, ...]:
    return tuple(all_of([partial(_condition, table, word) for word in table.words("when", [])]))


def _limits(table: TomlTable) -> tuple[float | None, float | None]:
    look, bad = (table.number(key, 0.0, -1e15, 1e15) if key in table else None for key in ("look", "bad"))
    sense = table.text("sense", "over")
    if sense in COMPARED:
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


def _condition(table: TomlTable, text: str) -> Precondition:
    absent = LACKS.fullmatch(text.strip())
    if absent is not None:
        return Precondition(absent[1], LACKING, 0.0)
    match = CONDITION.fullmatch(text.strip())
    if match is None:
        raise table.wrong("when", f'{text!r:.60} is no comparison such as "io >= 30" or "resp >= 2 * serv"')
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
    if begin == end:
        raise table.wrong("hours", "is no time; 00:00-24:00 is the whole day")
    return Hours(frozenset(numbers), begin, end)


def _rows(table: TomlTable, rows: Mapping[str, Any]) -> tuple[tuple[str, str, bool], ...]:
    rows_wanted = []
    for column, pattern in rows.items():
        if column == ALL:
            if pattern is not True:
                raise table.wrong("rows", "all = true watches the row of all rows")
            continue
        if not isinstance(pattern, str) or not pattern.removeprefix("!").isprintable():
            raise table.wrong("rows", f'{column} is a pattern such as "80*", or "!80*" for all others')
        rows_wanted.append((column, pattern.removeprefix("!"), not pattern.startswith("!")))
    return tuple(rows_wanted)
