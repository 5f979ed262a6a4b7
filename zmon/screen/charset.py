"""Which characters can be drawn with on a terminal.

The locale decides, not the encoding that Python chose: where the locale is C, Python writes UTF-8 all the
same (PEP 538 and 540), which a terminal or console of that locale cannot show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

WITHOUT_LINES: Final = {"", "dumb", "unknown", "linux"}
"""Values of TERM that name a terminal whose font has hardly more than ASCII."""

WITH_DOTS: Final = {"xterm-kitty", "foot", "foot-extra", "wezterm", "xterm-ghostty"}
"""Values of TERM that name a terminal which draws dots of braille itself, whatever its font has."""

STYLES: Final = ("braille", "blocks", "ascii")
STYLE: Final = "ZMON_PLOT"
"""The environment variable that names one of `STYLES`."""


def ascii_only(environ: Mapping[str, str], encoding: str) -> bool:
    """Tell whether nothing but ASCII is to be drawn with; `encoding` is that of the output."""
    if not encoding.lower().startswith("utf") or environ.get("TERM", "") in WITHOUT_LINES:
        return True
    return not is_utf8(environ)


def is_utf8(environ: Mapping[str, str]) -> bool:
    """Tell whether the locale has letters of all scripts."""
    locale = next(filter(None, map(environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    return "utf" in locale.lower()


def style(environ: Mapping[str, str], encoding: str) -> str:
    """Return one of `STYLES` for charts: the one asked for, else the finest that is known to be shown."""
    asked = environ.get(STYLE, "")
    if asked in STYLES:
        return asked
    if ascii_only(environ, encoding):
        return "ascii"
    return "braille" if environ.get("TERM", "") in WITH_DOTS else "blocks"
