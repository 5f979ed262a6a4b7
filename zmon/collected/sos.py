"""Archives of sos: which command's output each of their files holds.

A command has a file `sos_commands/PLUGIN/COMMAND`, where a run of anything but letters, digits, `_`, `-`, `.`
and `/` is one `_`, and `/` is `.`: `fdisk_-l_.dev.dasda`.  Some plugins choose another name.  Where an output
was too long for sos there is a link to `sos_strings/PLUGIN/COMMAND.tailed`, which has its last part.
`sos_reports/manifest.json`, which sos has written since version 4.0, lists the command line of each file, how
it ended, and whether its output was cut.

Sources: sos, report/plugins/__init__.py, archive.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE: Final = re.compile(
    r"(?:.*/)?sos_(?P<kind>commands|strings)/[^/]+/(?:[^/]+/)?(?P<command>[a-z]+(?![a-z])[^/]*)", re.DOTALL
)
"""A file with the output of a command, or with the last part of a file that was too long."""
_FLAT: Final = re.compile(r"(?:^|/)sos_(?:commands|strings)__")
_AT_TOP: Final = re.compile(r"(?:.*/)?sosreport-[^/]+/(?P<command>hostname|uname)", re.DOTALL)
"""A name at the top of an archive that sos gives to an output."""
_MANIFEST: Final = re.compile(r"((?:.*/)?)sos_reports/manifest\.json", re.DOTALL)
_TAILED: Final = ".tailed"
_PATH: Final = re.compile(r"\.(?:boot|dev|etc|proc|run|sys|var)(?:\..*)?")
"""A word that was a path."""
_AGAIN: Final = re.compile(r"\.[0-9]{1,2}$")
"""What sos adds to the name of a file if there is one of that name."""
_TIMED_OUT: Final = 124
"""The status of a command that took too long, of which the output so far is kept."""
_FIRST_PART: Final = " | head"
_LAST_PART: Final = " | tail"
"""What is added to a command, because then an output is read as the part that it is."""


def command_of_sos(path: str) -> str:
    """Return the command whose output sos keeps in a file; empty if it is no such file.

    Who keeps some of the files in one directory writes their paths as names: `sos_commands__block__lsblk`.
    """
    path = path.replace("__", "/") if _FLAT.search(path) else path
    match = _FILE.fullmatch(path) if "sos_" in path else None
    if match is None:
        return top["command"] if (top := _AT_TOP.fullmatch(path)) else ""
    name = match["command"]
    is_cut = match["kind"] == "strings"
    if is_cut and not name.endswith(_TAILED):
        return ""
    parts = _AGAIN.sub("", name.removesuffix(_TAILED).removesuffix(".txt")).split("_")
    command = " ".join(part.replace(".", "/") if _PATH.fullmatch(part) else part for part in parts)
    return f"{command}{_LAST_PART * is_cut}"


def is_manifest(path: str) -> bool:
    """Return whether a file lists the commands of an archive."""
    return _MANIFEST.fullmatch(path) is not None


def commands_listed(path: str, manifest: bytes) -> dict[str, str]:
    """Return the command lines that a manifest lists, by the paths of their files; none if it is damaged."""
    import json  # noqa: PLC0415 - few captures have a manifest

    match = _MANIFEST.fullmatch(path)
    try:
        plugins = _below(json.loads(manifest), "components", "report", "plugins")
    except (ValueError, RecursionError):
        return {}
    listed = (_below(plugin).get("commands") for plugin in plugins.values())
    entries = (_below(entry) for commands in listed if isinstance(commands, list) for entry in commands)
    folder = match[1] if match else ""
    return {f"{folder}{file}": command for file, command in map(_listed, entries) if file and command}


def _listed(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the file and the command line of an output."""
    file, command = entry.get("filepath"), entry.get("exec")
    if not (isinstance(file, str) and isinstance(command, str) and command.strip()):
        return "", ""
    tool, _, rest = command.strip().partition(" ")
    part = _FIRST_PART if entry.get("return_code") == _TIMED_OUT else ""
    part = _LAST_PART if entry.get("truncated") else part
    return file, f"{tool.rpartition('/')[2]} {rest}".rstrip() + part


def _below(node: Any, *names: str) -> Mapping[str, Any]:
    """Return what lies below names; nothing if that is not as sos writes it."""
    for name in names:
        node = node.get(name) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else {}


_DRAWN: Final = re.compile(r"([ │]*)([├└]?)(─?)(?= ?[^ │├└─])")
"""What is drawn of a tree before a name or a number: lines that lead on, a corner, a dash."""
_OPEN: Final = frozenset("│├")
_LEADS_ON: Final = frozenset("│├└")


def mended(command: str, text: str) -> str:
    """Return an output with the signs of its tree that sos has lost.

    It decodes each 2,048 bytes alone, and drops what is there of a character that is in two such parts.
    """
    if "─" not in text and "└" not in text:
        return text
    rows = text.split("\n")
    first, width = (1, 3) if command.startswith("dmsetup") else (0, 2)
    for at, row in enumerate(rows):
        drawn = _DRAWN.match(row)
        if drawn is None or not (drawn[2] or drawn[3]):
            continue
        prefix, corner, dash = drawn.groups()
        if not corner:
            below = rows[at + 1] if at + 1 < len(rows) else ""
            corner = "├" if below[len(prefix) : len(prefix) + 1] in _LEADS_ON else "└"
        elif dash and len(prefix) % width != first:
            prefix = _with_line(prefix, rows[at - 1] if at else "")
        rows[at] = f"{prefix}{corner}─{row[drawn.end() :]}"
    return "\n".join(rows)


def _with_line(prefix: str, above: str) -> str:
    """Return what is drawn before a corner, with the line that is missing; as it is if none or several fit.

    Each line that is open in the row above leads on.
    """
    whole = {
        prefix[:at] + "│" + prefix[at:]
        for at, sign in enumerate(above[: len(prefix) + 1])
        if sign in _OPEN and at <= len(prefix)
    }
    fitting = [
        drawn
        for drawn in whole
        if all((sign == "│") == (above[at : at + 1] in _OPEN) for at, sign in enumerate(drawn))
    ]
    return fitting[0] if len(fitting) == 1 else prefix
