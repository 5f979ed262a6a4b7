"""Help on a screen, a column, a command or the keys, as plain lines for any surface.

Everything comes from the screen files, from the table and from the lists of commands and keys, so help never
speaks of what is not there.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.base.clock import length
from zmon.base.plain_text import did_you_mean
from zmon.base.release_notes import release_notes
from zmon.screen.definition import ScreenError
from zmon.screen.query import Ambiguous, QueryError, find_column, heading, named
from zmon.screen.sheet import fields
from zmon.session.commands import ALIASES, COMMANDS, find_command
from zmon.session.navigator import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.rule.grammar import Rule
    from zmon.screen.definition import Column, Screen, Screens
    from zmon.screen.sheet import Sheet
    from zmon.session.commands import Command
    from zmon.session.session import Session

ENTRY_INDENT: Final = 13
POINT_INDENT: Final = 4
KEYS_INDENT: Final = 20
COMMAND_INDENT: Final = 26
"""Where the words of an entry begin, beside names as long as those of columns, keys and commands."""

MAX_SCREENS: Final = 4
"""Screens that are named as having a column."""


class HelpPart(NamedTuple):
    """A part of a help text."""

    words: str
    kind: str = "data"
    """`strong`: a title; `data`: paragraphs, or an entry if it has a name; `look`: why a value is missing."""
    name: str = ""
    indent: int = ENTRY_INDENT


class HelpLine(NamedTuple):
    """A line of a help text as it is shown."""

    text: str
    kind: str = "data"
    label: int = 0
    """Length of the entry's name at its begin; 0 if it has none."""


BLANK: Final = HelpPart("")


def explain(session: Session, topic: str, keys: Iterable[tuple[str, str]], place: int = 0) -> list[HelpPart]:
    """Explain what words name: a column, a screen, a command, a diagnosis, a rule, KEYS, COMMANDS or NEW.

    Without words this screen is explained.

    `keys` are those of the surface with what each does, `place` the row that the cursor is on.

    Raises:
        CommandError: they name nothing, or several columns; says what they may mean.
    """
    here, screens, upper = session.page.screen, session.screens, topic.upper()
    is_filled = here.layout != "menu" and session.interval is not None and not session.is_being_filled
    sheet = session.sheet() if is_filled else None
    if not topic:
        return explain_screen(here, sheet)
    if upper in {"KEYS", "KEY"}:
        parts = (HelpPart(does, name=key, indent=KEYS_INDENT) for key, does in keys)
        return [HelpPart("Keys", "strong"), *parts, BLANK, *_all_commands(), BLANK, *_all_screens(screens)]
    if upper == "NEW":
        return explain_release()
    if upper in {"COMMANDS", "COMMAND", "SCREENS"}:
        return [*_all_commands(), BLANK, *_all_screens(screens)]
    word = ALIASES.get(upper, upper)
    in_full = [explain_command(command) for command in COMMANDS if command.word == word]
    in_full += [
        explain_screen(screen, sheet if screen is here else None)
        for screen in screens
        if word in {screen.command, screen.id} or (screen.menu and word == screen.menu.upper())
    ]
    rules = session.rules
    in_full += [
        part for part in (explain_diagnosis(topic, rules), explain_rule(topic, rules, screens)) if part
    ]
    # beside a command or screen that is spelled in full, a column has to have just this name
    columns = [column for column in here.columns if not in_full or column.name == topic.lower()]
    parts_found, problem = [], ""
    try:
        parts_found = [explain_column(find_column(topic, columns), sheet, place, rules)]
    except Ambiguous as error:
        problem = str(error)
    except QueryError:
        pass
    parts_found += in_full
    if parts_found:
        return [part for parts in parts_found for part in (BLANK, *parts)][1:]
    other = _elsewhere(screens, topic) or _abbreviated(screens, topic)
    if not other:
        raise CommandError(problem or _unknown(session, topic))
    return other


def explain_release() -> list[HelpPart]:
    """Say what the present release brings.

    Raises:
        CommandError: nothing came along that says it.
    """
    try:
        notes = release_notes()
    except OSError as error:
        raise CommandError(f"What is new is not known: {error}") from error
    parts: list[HelpPart] = []
    for note in notes:
        if note.is_heading:
            parts += [BLANK, HelpPart(note.text, "strong")]
        else:
            parts.append(HelpPart(note.text, name="-", indent=POINT_INDENT))
    return parts[1:]


def _elsewhere(screens: Screens, topic: str) -> list[HelpPart]:
    """Explain a column of another screen: `DEVICE.resp`, or `DEVICE resp`."""
    name, mark, rest = topic.partition("." if "." in topic.split(maxsplit=1)[0] else " ")
    try:
        return explain_column(find_column(rest.strip(), screens.find(name).columns)) if mark else []
    except (ScreenError, QueryError):
        return []


def _abbreviated(screens: Screens, topic: str) -> list[HelpPart]:
    """Explain the command or screen that an abbreviation names."""
    command = find_command(topic)
    try:
        return explain_screen(screens.find(topic)) if command is None else explain_command(command)
    except ScreenError:
        return []


def _unknown(session: Session, topic: str) -> str:
    """Return that words name nothing here; where they do, or what has a similar name."""
    having = [screen for screen in session.screens if _has(screen, topic)]
    having.sort(key=lambda screen: screen.menu or "~")
    if having:
        several = " ..." * (len(having) > MAX_SCREENS)
        names = [screen.command for screen in having[:MAX_SCREENS]]
        return f"{topic!r} is a column of {', '.join(names)}{several}: HELP {names[0]}.{topic}"
    names_known = [*(command.word for command in COMMANDS), *session.screens.commands]
    names_known += [name for column in session.page.screen.columns for name in (column.name, heading(column))]
    instead = (
        did_you_mean(topic, names_known) or "; HELP KEYS, HELP COMMANDS and HELP alone list what there is"
    )
    return f"{topic!r} is no column, screen, command or rule{instead}"


def _has(screen: Screen, topic: str) -> bool:
    try:
        return bool(find_column(topic, screen.columns))
    except QueryError:
        return False


# what is explained


def explain_screen(of: Screen, sheet: Sheet | None = None) -> list[HelpPart]:
    """Explain a screen and all its columns, and why cells of its form are not there."""
    head = of.spelled if of.id == of.command else f"{of.id} {of.spelled}"
    said = [HelpPart(f"{head} - {of.title}", "strong"), BLANK, HelpPart(of.help)]
    if of.own:
        said.append(HelpPart("The layout is zmon's own."))
    if sheet is not None and sheet.table.notes:
        said += [BLANK, HelpPart("About these figures", "strong")]
        said += map(HelpPart, sheet.table.notes)
    if of.columns:
        said += [BLANK, HelpPart("Columns; HELP and a name or heading says more", "strong")]
        said += [HelpPart(f"{named(column)}: {column.help}", name=column.name) for column in of.columns]
    if sheet is not None:
        said += _missing(sheet)
    return said


def _missing(sheet: Sheet) -> list[HelpPart]:
    """Say why parts of a form are dots; one entry for each reason."""
    reasons: dict[str, list[str]] = {}
    short = sheet.screen.form_names
    for name in (name for line in sheet.screen.form for _start, _end, name in fields(line)):
        fact = short.get(name, name)
        value = sheet.table.facts.get(fact)
        if isinstance(value, Absent):
            reasons.setdefault(value.reason, []).append(fact)
    said = [BLANK, HelpPart("Why there are dots", "strong")] if reasons else []
    return said + [HelpPart(", ".join(names), name=reason, indent=0) for reason, names in reasons.items()]


def explain_column(
    of: Column, sheet: Sheet | None = None, place: int = 0, rules: Iterable[Rule] = ()
) -> list[HelpPart]:
    """Explain a column, and the cell of it in the row at `place` of a sheet, which rules have marked."""
    unit = f", {of.unit}" if of.unit else ""
    said = [HelpPart(f"{of.name} - {named(of)}{unit}", "strong"), HelpPart(of.help)]
    if of.source:
        said.append(HelpPart(of.source, name="Source"))
    if sheet is not None and of.name in sheet.table.marks:
        said += _marking(rules, sheet.screen.table, of.name)
    elif of.limit is not None:
        look, bad, why = of.limit
        said.append(
            HelpPart(f"above {look:g} it is marked *, above {bad:g} it is marked !: {why}", name="Limits")
        )
    orders = {"asc": "ascending first", "desc": "descending first", "": "no"}
    said.append(HelpPart(orders[of.sort], name="Sorted"))
    if sheet is not None and len(sheet) and any(column.name == of.name for column in sheet.screen.columns):
        said.append(_cell(of, sheet, min(place, len(sheet) - 1)))
    return said


def _marking(rules: Iterable[Rule], table: str, column: str) -> list[HelpPart]:
    """Say which of the rules mark a column, from where on and why."""
    marking = []
    for rule in rules:
        if (rule.table, rule.column) == (table, column) and not rule.remembers:
            value = f"{column} / {rule.per}" if rule.per else column
            limits = ((rule.look, "*"), (rule.bad, "!"))
            marks = ", ".join(f"{sign} from {limit:g} on" for limit, sign in limits if limit is not None)
            when = f" if {' and '.join(map(str, rule.when))}" if rule.when else ""
            marking.append(HelpPart(f"{rule.name}: {value} is marked {marks}{when}: {rule.why}", name="Rule"))
    return marking


def _cell(of: Column, sheet: Sheet, place: int) -> HelpPart:
    key, row = sheet.keys[place], sheet.rows[place]
    value = sheet.table.column(of.name)[row]
    if isinstance(value, Absent):
        return HelpPart(f"{key}: {value.reason}", "look", name="Not there")
    text = f"{key}: {value:.6g}" if isinstance(value, float) else f"{key}: {value}"
    return HelpPart(text + ", an estimate (~)" * sheet.table.is_estimate(of.name, row), name="This row")


def explain_command(of: Command) -> list[HelpPart]:
    """Explain a command."""
    return [
        HelpPart(f"{of.spelled} {of.operand}".strip(), "strong"),
        HelpPart(f"{of.help[:1].upper()}{of.help[1:]}."),
    ]


def explain_diagnosis(topic: str, rules: Iterable[Rule]) -> list[HelpPart]:
    """Explain a diagnosis of the catalogue, by its id, with those of the rules that point to it.

    Nothing if there is none of this id.
    """
    from zmon.diagnosis.catalogue import catalogue, family, is_of  # noqa: PLC0415 - most help is not about it

    id_ = topic[:1].upper() + topic[1:].lower()
    if id_ not in catalogue():
        return []
    record = catalogue()[id_]
    said = [
        HelpPart(f"{id_} - {record.title}: a diagnosis", "strong"),
        HelpPart(record.holds, name="Holds when"),
        HelpPart(record.needs, name="Needs"),
        HelpPart(record.advice, name="To do"),
    ]
    ids = [*record.explains, *record.unsure]
    if ids:
        explained = (f"{explain} ({catalogue()[explain].title})" for explain in ids)
        only = f"; {', '.join(record.unsure)} where it is only possible" if record.unsure else ""
        said.append(HelpPart(f"{', '.join(explained)}{only}", name="Explains"))
    kin = [other for other in family(id_) if other != id_]
    if kin:
        said.append(
            HelpPart(", ".join(f"{other} ({catalogue()[other].title})" for other in kin), name="Akin")
        )
    pointing = [rule.name for rule in rules if is_of(id_, rule.cause)]
    if pointing:
        said.append(HelpPart(", ".join(pointing), name="Rules"))
    said.append(
        HelpPart("DIAGNOSE has the numbers of the interval that is shown, and what was excluded.", name="See")
    )
    return said


def explain_rule(topic: str, rules: Iterable[Rule], screens: Screens) -> list[HelpPart]:
    """Explain one of the rules for exceptions, by its name; nothing if there is none."""
    rule = next((rule for rule in rules if rule.name == topic.lower()), None)
    if rule is None:
        return []
    screen = next((screen for screen in screens if screen.table == rule.table), None)
    column = (
        None
        if screen is None
        else next((column for column in screen.columns if column.name == rule.column), None)
    )
    where = f"{rule.table}.{rule.column}" if screen is None else f"{screen.command}.{rule.column}"
    what = f"{where}{f', {named(column)}' if column is not None else ''}"
    said = [
        HelpPart(f"{rule.name} - a rule for exceptions", "strong"),
        HelpPart(rule.why),
        HelpPart(f"{what}{f', divided by {rule.per}' if rule.per else ''}", name="Watches"),
        HelpPart(_limits(rule), name="Limits"),
    ]
    if rule.when:
        said.append(HelpPart(" and ".join(map(str, rule.when)), name="Only if"))
    if rule.cause:
        said.append(HelpPart(f"{rule.cause}: HELP {rule.cause}", name="Cause"))
    said.append(HelpPart("zmon rules prints it whole; ~/.config/zmon/rules.toml changes it.", name="See"))
    return said


def _limits(rule: Rule) -> str:
    """Say from which values on, and for how long, a rule holds."""
    if rule.compares:
        level = "bad" if rule.look is None else "look"
        how = "is another than before" if rule.sense == "changed" else "is lower than before"
        return f"{level} where the value {how}"
    sign = "up to" if rule.sense == "under" else "from"
    limits = [
        f"{level} {sign} {limit:g} {rule.unit}".rstrip()
        for level, limit in (("look", rule.look), ("bad", rule.bad))
        if limit is not None
    ]
    siblings = (
        f"and {rule.siblings.times:g} times the {rule.siblings.of} of the others" if rule.siblings else ""
    )
    lasts = f"for {length(rule.lasting)}" if rule.lasting else ""
    return ", ".join(part for part in (*limits, siblings, lasts) if part)


def _all_commands() -> list[HelpPart]:
    """List the commands."""
    return [
        HelpPart("Commands, of which the part in capitals is enough", "strong"),
        *(
            HelpPart(command.help, name=f"{command.spelled} {command.operand}", indent=COMMAND_INDENT)
            for command in COMMANDS
        ),
    ]


def _all_screens(of: Screens) -> list[HelpPart]:
    """List the screens."""
    numbers = {screen.command: f" ({screen.menu})" * bool(screen.menu) for screen in of}
    entries = (
        HelpPart(screen.title, name=screen.spelled + numbers[screen.command], indent=KEYS_INDENT)
        for screen in of
    )
    return [HelpPart("Screens, by command or number", "strong"), *entries]


# as lines


def rows(said: Iterable[HelpPart], width: int) -> Iterator[HelpLine]:
    """Lay a help text out in lines of less than `width` characters, the first of each a blank."""
    for part in said:
        if part.name:
            yield from _entry(part, width)
        elif not part.words:
            yield HelpLine("")
        else:
            yield from _paragraphs(part, width)


def _paragraphs(part: HelpPart, width: int) -> Iterator[HelpLine]:
    for number, paragraph in enumerate(part.words.strip().split("\n\n")):
        if number:
            yield HelpLine("")
        for line in _wrapped(paragraph, width - 2):
            yield HelpLine(f" {line}", part.kind)


def _entry(part: HelpPart, width: int) -> Iterator[HelpLine]:
    """Write a name and beside it the words, or below it when the name is long."""
    beside = len(part.name) + 3 <= part.indent
    margin = " " * (part.indent if beside else 4)
    lines = [margin + line for line in _wrapped(part.words, max(width - 1 - len(margin), 20))]
    if beside:
        yield HelpLine(f" {part.name}".ljust(part.indent) + lines[0].lstrip(), "data", part.indent)
        lines = lines[1:]
    else:
        for line in _wrapped(part.name, width - 2):
            yield HelpLine(f" {line}", "label")
    for line in lines:
        yield HelpLine(line, part.kind)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), max(width, 1), break_on_hyphens=False) or [""]
