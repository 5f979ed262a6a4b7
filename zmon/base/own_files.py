"""The directories of a user's own files, where the XDG Base Directory Specification has them."""

from __future__ import annotations

import os

from zmon.base.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def config(environ: Mapping[str, str]) -> str:
    """Return the directory of a user's settings, sites, rules, keys and screens."""
    return _zmon(environ, "XDG_CONFIG_HOME", ".config")


def state(environ: Mapping[str, str]) -> str:
    """Return the directory of what zmon keeps for a user: recordings, and commands given before."""
    return _zmon(environ, "XDG_STATE_HOME", ".local/state")


def _zmon(environ: Mapping[str, str], variable: str, usual: str) -> str:
    """Return zmon's directory below the one that a variable names; a relative one does not count."""
    named = environ.get(variable, "")
    if not named.startswith("/"):
        named = os.path.join(environ.get("HOME") or _home(), usual)
    return os.path.join(named, "zmon")


def _home() -> str:
    """Return the home of a user who has no HOME, by the user's number; `/` of one without an entry."""
    home = os.path.expanduser("~")
    return home if home.startswith("/") else "/"
