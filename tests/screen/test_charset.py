from __future__ import annotations

import pytest

from zmon.screen.charset import ascii_only, style

XTERM = {"TERM": "xterm-256color", "LANG": "de_DE.UTF-8"}


@pytest.mark.parametrize(
    ("environ", "encoding", "only"),
    [
        ({}, "utf-8", False),
        ({"LC_ALL": "C"}, "utf-8", True),
        ({"LC_ALL": "POSIX"}, "utf-8", True),
        ({"LC_ALL": "C.UTF-8"}, "utf-8", False),
        ({"LC_ALL": "", "LC_CTYPE": "de_DE.utf8", "LANG": "C"}, "utf-8", False),
        ({"LANG": ""}, "utf-8", True),
        ({"LANG": "de_DE.ISO-8859-1"}, "utf-8", True),
        ({}, "iso8859-1", True),
        ({"TERM": "dumb"}, "utf-8", True),
        ({"TERM": "linux"}, "utf-8", True),
    ],
)
def test_the_locale_says_what_can_be_shown(environ: dict[str, str], encoding: str, only: bool) -> None:
    """The first of LC_ALL, LC_CTYPE and LANG that is set, whatever Python makes of it."""
    assert ascii_only(XTERM | environ, encoding) == only


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({}, "blocks"),
        ({"TERM": "foot"}, "braille"),
        ({"LC_ALL": "C"}, "ascii"),
        ({"ZMON_PLOT": "braille"}, "braille"),
        ({"ZMON_PLOT": "ascii"}, "ascii"),
        ({"ZMON_PLOT": "crayon"}, "blocks"),
        ({"ZMON_PLOT": "blocks", "LC_ALL": "C"}, "blocks"),
    ],
)
def test_the_style_of_charts(environ: dict[str, str], found: str) -> None:
    """Dots of braille, which many fonts lack, only where they are asked for or known to be shown."""
    assert style(XTERM | environ, "utf-8") == found
