"""Units: which control groups are one, what sort of unit a path names, what people call it, which database.

systemd puts a suffix behind the name of each group: `.service` and `.scope` hold processes, `.slice` holds
other groups.  Engines of containers that do not use systemd name a group by the 64 hex digits of the
container.  Source: systemd.unit(5), docs.podman.io, docs.docker.com; names are written by anybody.
"""

from __future__ import annotations

import re

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import harmless, unescaped_hex

if TYPE_CHECKING:
    from collections.abc import Iterable

SERVICE: Final = "service"
CONTAINER: Final = "container"
GUEST: Final = "guest"
SESSION: Final = "session"
GROUP: Final = "group"
"""A group that somebody else than systemd made."""

MAX_TITLE: Final = 60
HEX_SHOWN: Final = 12
"""So many digits of a container's id are shown, as its engine does."""

_WHOLE: Final = (".service", ".scope", ".mount", ".socket", ".swap")
"""A group of such a name is a unit with all that is below it."""
_ID: Final = re.compile(r"(?:^|[-_:])([0-9a-f]{64})(?:\.scope)?$", re.ASCII)
_USER_MANAGER: Final = re.compile(r"user@[0-9]{1,10}\.service", re.ASCII)
_GUEST: Final = re.compile(r"machine-(?:qemu|lxc|libvirt)\\x2d[0-9]{1,9}\\x2d(.+)\.scope", re.ASCII)
_CONTAINER: Final = re.compile(r"(?:machine-(.+)\.scope|systemd-nspawn@(.+)\.service)")
_SESSION: Final = re.compile(r"session-(.{1,20})\.scope")
_USER: Final = re.compile(r"/user-([0-9]{1,10})\.slice/", re.ASCII)

_BY_UNIT: Final = (
    ("Db2", re.compile(r"db2|.*[-_@.]db2", re.IGNORECASE)),
    ("Oracle", re.compile(r"ora(?:cle|db|_|-|cle-)|ohasd|oracle", re.IGNORECASE)),
    ("PostgreSQL", re.compile(r"postgres|pgsql|postmaster|.*[-_@.]postgres", re.IGNORECASE)),
    ("MariaDB", re.compile(r"mariadb|mysql|.*[-_@.](?:mariadb|mysql)", re.IGNORECASE)),
)
"""The database that the last part of a path tells, by its beginning or a word in it."""

_BY_COMMAND: Final = (
    ("Db2", re.compile(r"db2(?:sysc|wdog|fmp|vend)")),
    ("Oracle", re.compile(r"(?:ora|asm|mdb)_[a-z0-9]{4}|oracle")),
    ("PostgreSQL", re.compile(r"postgres|postmaster")),
    ("MariaDB", re.compile(r"mariadbd|mysqld")),
)
"""The database that the name of a process tells, by its beginning."""


def is_whole(name: str) -> bool:
    """Tell whether a group of this name is a unit with all groups below it.

    A user's own systemd is none: the services of that user are below it.
    """
    if _USER_MANAGER.fullmatch(name):
        return False
    return name.endswith(_WHOLE) or _ID.search(name) is not None


def container_id(name: str) -> str:
    """Return the 64 hex digits of the container that a group is named after; empty if it is none."""
    match = _ID.search(name)
    return match[1] if match else ""


def sort_of(path: str) -> str:
    """Return what sort of unit a path names."""
    name = path.rpartition("/")[2]
    if _GUEST.fullmatch(name):
        return GUEST
    if _ID.search(name) or _CONTAINER.fullmatch(name):
        return CONTAINER
    if _SESSION.fullmatch(name):
        return SESSION
    return SERVICE if name.endswith((*_WHOLE, ".slice")) else GROUP


def title_of(path: str) -> str:
    """Return what a screen calls a unit: harmless, and cut when it is very long."""
    name = path.rpartition("/")[2] or path
    container, session = _ID.search(name), _SESSION.fullmatch(name)
    inside = _GUEST.fullmatch(name) or _CONTAINER.fullmatch(name)
    if container:
        named = name[: container.start(1)].strip("-_:")
        title = f"{named or 'container'} {container[1][:HEX_SHOWN]}"
    elif session:
        user = _USER.search(path)
        # the user comes first: where a list cuts the name, it cuts the session
        title = (f"user {user[1]}, " if user else "") + f"session {session[1]}"
    elif inside:
        title = unescaped_hex(next(part for part in inside.groups() if part is not None))
    else:
        title = unescaped_hex(name.removesuffix(".service").removesuffix(".scope"))
    title = harmless(title).strip() or "?"
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 3]}..."


def database_of(path: str, commands: Iterable[str] = ()) -> str:
    """Return which database runs in a unit, by its name, else by its processes'; empty if none is told."""
    name = path.rpartition("/")[2]
    for database, form in _BY_UNIT:
        if form.match(name):
            return database
    databases = {database for command in commands for database, form in _BY_COMMAND if form.match(command)}
    return ", ".join(sorted(databases))
