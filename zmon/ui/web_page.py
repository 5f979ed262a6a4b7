"""A screen as a page of HTML or a picture in SVG: as it looks on the glass, whole, in one file to be mailed.

Nothing in them is fetched: no script, no font, no style sheet of another file.
"""

from __future__ import annotations

import io
import re
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text
from textual.color import Color

from zmon.ui.frame import heading
from zmon.ui.glass import pane_of
from zmon.ui.grid import Grid
from zmon.ui.line import EMPTY, runs
from zmon.ui.pane import CURSOR
from zmon.ui.theme import THEME_3270

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.session.session import Session
    from zmon.ui.line import Line

LINES: Final = 43
"""Lines of a screen whose height is a matter of taste, such as a chart; a list has as many as it needs."""
WIDTH: Final = 132
"""Columns of a screen at least, unless fewer are asked for."""
WIDEST: Final = 1_000
"""Columns of a list at most, unless more are asked for."""
BOLD: Final = frozenset({"strong", "look", "alarm", "message", "cell"})
"""The kinds of parts that are bold, as in the style sheet of the glass."""

HTML: Final = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>zmon: {{title}}</title>
</head>
<body style="color: {foreground}; background-color: {background}; margin: 1em">
<pre style="font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; line-height: 1.16; font-size: 13px">
{code}</pre>
</body>
</html>
"""
"""The page around the lines; Rich fills in colours and code.  Styles are inline, as mail programs need."""


def drawn(session: Session, width: int = 0, most: int | None = None) -> list[Line]:
    """Return the present page of a session whole: its heading, and `most` rows or all.

    Without a `width` a list has room for all of its columns.
    """
    page, sheet = session.page, session.sheet().first(most)
    pane = pane_of(page, sheet, session, "blocks")
    height = LINES + len(sheet) * page.screen.gridded
    width, is_open = width or WIDTH, not width
    pane.resize(width, height)
    while is_open and isinstance(pane, Grid) and pane.seen.screen.behind and width < WIDEST:
        width += max(sheet.screen.width - width, 1)
        pane.resize(width, height)
    screen = page.screen
    above = heading(
        screen, session.interval, width, live=session.live, held=False, span=pane.span, times=page.times
    )
    lines = [above, EMPTY, *map(_without_cursor, pane.lines())]
    while lines and not lines[-1].text.strip():
        lines.pop()
    return lines


def _without_cursor(line: Line) -> Line:
    """Return a line as it is where the cursor is not."""
    text = line.text.removeprefix(CURSOR)
    return line._replace(text=line.text if text == line.text else f" {text}", under="")


def page_in(form: str, session: Session, width: int = 0, most: int | None = None) -> str:
    """Return the present page of a session as html or svg, as `drawn` does."""
    lines = drawn(session, width, most)
    return as_html(lines) if form == "html" else as_svg(lines)


def as_html(lines: Sequence[Line]) -> str:
    """Return lines as a page of HTML, which has the first of them as its title."""
    title = escape(" ".join(lines[0].text.split())).replace("{", "{{").replace("}", "}}")
    page = HTML.replace("{{title}}", title)
    return _console(lines).export_html(theme=_theme(), code_format=page, inline_styles=True)


def as_svg(lines: Sequence[Line]) -> str:
    """Return lines as a picture in SVG."""
    return portable(_console(lines).export_svg(title="zmon", theme=_theme(), unique_id="zmon"))


def portable(svg: str) -> str:
    """Take out of a picture fonts that would have to be fetched, and blanks that some viewers drop."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}", "", svg)
    svg = re.sub(
        r'x="([\d.]+)"( y="[\d.]+" textLength=)"([\d.]+)"([^>]*)>((?:&#160;)+)([^<]+)', _unindented, svg
    )
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def _unindented(match: re.Match[str]) -> str:
    """Write a text without its leading blanks, further right."""
    x, middle, length, rest, blanks, text = match.groups()
    leading = len(blanks) // len("&#160;")
    cell = float(length) / (leading + len(unescape(text)))
    return f'x="{float(x) + leading * cell:.1f}"{middle}"{float(length) - leading * cell:.1f}"{rest}>{text}'


def _console(lines: Sequence[Line]) -> Console:
    """Return a console that has recorded the lines."""
    width = max((len(line.text) for line in lines), default=1)
    console = Console(
        record=True, width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor",
        legacy_windows=False, highlight=False,
    )  # fmt: skip
    for line in lines:
        console.print(
            Text.assemble(
                *((text, _style(kind)) for text, kind in runs(line)), no_wrap=True, overflow="ignore"
            ),
            crop=False,
        )
    return console


@cache
def _style(kind: str) -> Style:
    colours = THEME_3270.variables
    return Style(color=colours.get(f"zmon-{kind}", colours["zmon-strong"]), bold=kind in BOLD)


def _theme() -> TerminalTheme:
    """Return the foreground and background of the glass; no colour of the palette is used."""
    ground, data = (_rgb(THEME_3270.variables[f"zmon-{name}"]) for name in ("background", "data"))
    return TerminalTheme(ground, data, [(0, 0, 0)] * 8)


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = Color.parse(colour).rgb
    return red, green, blue
