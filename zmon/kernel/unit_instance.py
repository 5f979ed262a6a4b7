"""Which instance of a database runs in a unit, and what a container is called.

PostgreSQL: the name of the cluster, which stands in the titles of its processes, `postgres: NAME:
checkpointer`; a cluster without name is its data directory: where its processes work, else `-D`.  MariaDB:
its data directory: `--datadir`, else likewise.  Oracle: the system identifier, behind `ora_pmon_`; `comm` has
no more than 15 characters, so the command line is read.  Db2: the instance has the name of its owner, who
runs db2sysc.

An engine of containers names the group by the id.  The name stands in the command line of podman's monitor,
conmon, which is in a group beside it and can be read by everybody: `-c ID ... -n NAME`; else in files that
need root or the user: containers.json of containers/storage, config.v2.json of Docker.

Sources: PostgreSQL's documentation of cluster_name and the patch that added it; podman's
libpod/oci_conmon_common.go; containers.go of containers/storage; the installation guide of Db2, by which the
instance owner has all its processes; Oracle's PMON as ps shows it.  PostgreSQL and MariaDB were run.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from zmon.base.plain_text import harmless
from zmon.base.record import NamedTuple
from zmon.kernel.tree import text
from zmon.values.unit_name import container_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.kernel.tree import Tree

MAX_NAME: Final = 120
MAX_NAMED: Final = 4
"""Instances of a unit that are named."""

_TITLE: Final = re.compile(
    r"postgres: ([^:\[\]]{1,64}): (?:checkpointer|background writer|walwriter|startup)\b"
)
_ORACLE: Final = re.compile(r"(?:ora|asm|mdb)_pmon_(\S{1,64})")
_OWNER: Final = re.compile(r"^Uid:\s{1,8}([0-9]{1,10})\s", re.MULTILINE)
_USER: Final = re.compile(r"/user-([0-9]{1,10})\.slice/", re.ASCII)
_STORES: Final = ("overlay-containers", "vfs-containers", "btrfs-containers")
_LISTS: Final = ("containers.json", "volatile-containers.json")
_ROOT_STORE: Final = "var/lib/containers/storage"
_USER_STORE: Final = ".local/share/containers/storage"


class UnitProcess(NamedTuple):
    """A process of a unit."""

    number: str
    command: str
    """What it calls itself, at most 15 characters."""


def instance_of(tree: Tree, database: str, processes: Sequence[UnitProcess]) -> str:
    """Name the instances of a database that some processes belong to; empty where none is told."""
    named = {"PostgreSQL": _postgresql, "MariaDB": _mariadb, "Oracle": _oracle, "Db2": _db2}
    instances: list[str] = []
    for product in database.split(", "):
        if product in named:
            instances += named[product](tree, processes)
    names = [harmless(name)[:MAX_NAME] for name in dict.fromkeys(instances) if name]
    left = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {left} more" if left > 0 else "")


def arguments(tree: Tree, number: str) -> list[str]:
    """Return the command line of a process; none where it has ended, or is one of the kernel."""
    try:
        return text(tree, f"proc/{number}/cmdline").rstrip("\0\n ").split("\0")
    except OSError:
        return []


def _option(argv: Sequence[str], *names: str) -> str:
    """Return the value of an option: `-D VALUE`, `-DVALUE`, `--datadir=VALUE`, `--datadir VALUE`."""
    for at, word in enumerate(argv):
        for name in names:
            if word == name:
                return argv[at + 1] if at + 1 < len(argv) else ""
            if name.startswith("--") and word.startswith(f"{name}="):
                return word[len(name) + 1 :]
            if not name.startswith("--") and word.startswith(name):
                return word[len(name) :]
    return ""


def _works_in(tree: Tree, number: str) -> str:
    """Return the directory in which a process works; empty where it may not be read."""
    with suppress(OSError):
        return tree.link(f"proc/{number}/cwd")
    return ""


def _postgresql(tree: Tree, processes: Sequence[UnitProcess]) -> Iterator[str]:
    """Yield clusters: their names, or the data directories of those that have none."""
    servers: dict[str, str] = {}
    titles: dict[str, str] = {}
    for number, command in processes:
        if not command.startswith(("postgres", "postmaster")):
            continue
        argv = arguments(tree, number)
        place = _works_in(tree, number)
        titled = _TITLE.match(argv[0]) if argv else None
        if titled:
            titles[place] = titled[1]
        elif argv and re.search(r"(?:^|/)(?:postgres|postmaster)$", argv[0]):
            given = _option(argv, "-D")
            servers[number] = place or (given if given.startswith("/") else "")
    if len(servers) < 2 and titles:
        yield from titles.values()
        return
    for folder in servers.values():
        yield titles.get(folder, folder) if folder else ""


def _mariadb(tree: Tree, processes: Sequence[UnitProcess]) -> Iterator[str]:
    for number, command in processes:
        if command.startswith(("mariadbd", "mysqld")) and not command.startswith("mysqld_safe"):
            given = _option(arguments(tree, number), "--datadir", "-h")
            yield (given if given.startswith("/") else "") or _works_in(tree, number)


def _oracle(tree: Tree, processes: Sequence[UnitProcess]) -> Iterator[str]:
    for number, command in processes:
        if _ORACLE.match(command):
            match = _ORACLE.match("".join(arguments(tree, number)[:1]))
            if match:
                yield match[1]


def _db2(tree: Tree, processes: Sequence[UnitProcess]) -> Iterator[str]:
    users = user_names(tree)
    for number, command in processes:
        if command.startswith("db2sysc"):
            with suppress(OSError):
                owner = _OWNER.search(text(tree, f"proc/{number}/status"))
                yield users.get(owner[1], (f"uid {owner[1]}", ""))[0] if owner else ""


def user_names(tree: Tree) -> dict[str, tuple[str, str]]:
    """Return the name and the home of each user that /etc/passwd has, by its number."""
    try:
        lines = [line.split(":") for line in text(tree, "etc/passwd").splitlines()]
    except OSError:
        return {}
    return {line[2]: (line[0], line[5]) for line in lines if len(line) == 7}


def container_name(tree: Tree, folder: str) -> str:
    """Return what the container is called that has a control group; empty where that may not be read."""
    above, _, group = folder.rpartition("/")
    number = container_id(group)
    if not number:
        return ""
    for beside in (f"{above}/libpod-conmon-{number}.scope", f"{above}/crio-conmon-{number}.scope"):
        with suppress(OSError):
            for process in tree.read(f"{beside}/cgroup.procs").split()[:4]:
                argv = arguments(tree, process.decode("ascii", "replace"))
                if argv and argv[0].endswith("conmon") and _option(argv, "-c") == number:
                    return _shown(_option(argv, "-n"))
    return _shown(_listed(tree, folder, number) or _of_docker(tree, number))


def _listed(tree: Tree, folder: str, number: str) -> str:
    """Return the name in the lists of containers/storage: those of the user of the group, or root's."""
    user = _USER.search(folder)
    home = user_names(tree).get(user[1], ("", ""))[1] if user else ""
    store = f"{home.strip('/')}/{_USER_STORE}" if home else _ROOT_STORE
    for path in (f"{store}/{kind}/{name}" for kind in _STORES for name in _LISTS):
        for record in _json(tree, path) or ():
            names = record.get("names") if isinstance(record, dict) and record.get("id") == number else None
            if isinstance(names, list) and names and isinstance(names[0], str):
                return names[0]
    return ""


def _of_docker(tree: Tree, number: str) -> str:
    config = _json(tree, f"var/lib/docker/containers/{number}/config.v2.json")
    name = config.get("Name") if isinstance(config, dict) else ""
    return name.removeprefix("/") if isinstance(name, str) else ""


def _json(tree: Tree, path: str) -> Any:
    """Return what a file of JSON holds; None where it may not be read, or holds something else."""
    with suppress(OSError, ValueError, RecursionError):
        return json.loads(tree.read(path))
    return None


def _shown(name: str) -> str:
    return harmless(name)[:MAX_NAME]


def seen(tree: Tree, numbers: Iterable[str]) -> list[UnitProcess]:
    """Return what processes call themselves; those that have ended are left out."""
    processes = []
    for number in numbers:
        with suppress(OSError):
            processes.append(UnitProcess(number, text(tree, f"proc/{number}/comm").strip()))
    return processes
