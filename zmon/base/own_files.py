"""A user's own files: their directories, as the XDG Base Directory Specification has them, and their mode.

What zmon writes names processes, files and tablespaces, some of which only root could see: nobody else reads
it until its owner says so.
"""

from __future__ import annotations

import os

from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PRIVATE: Final = 0o600
"""The mode of a file that zmon makes; umask can take from it and gives nothing."""
NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL
"""How a file is opened that must not be there yet."""


def create(path: str, flags: int = NEW, mode: int = PRIVATE) -> int:
    """Open a file to write into, made for its owner alone if it is not there; returns its descriptor.

    Raises:
        OSError: it cannot be opened.
    """
    return os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, mode)


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
