from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.kernel.unit_instance import MAX_NAME, UnitProcess, container_name, instance_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ID = "ab" * 32
PODMAN = "sys/fs/cgroup/machine.slice"
ROOTLESS = "sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/user.slice"
PASSWD = b"root:x:0:0:root:/root:/bin/bash\ndb2inst1:x:1000:1000::/home/db2inst1:/bin/ksh\nbroken\n"


def machine(
    processes: Mapping[str, tuple[str, str, str]], *, may_see: bool = True
) -> tuple[DictTree, list[UnitProcess]]:
    """Return a tree with processes: their names, command lines and directories."""
    tree = DictTree({"etc/passwd": PASSWD})
    for number, (_, line, folder) in processes.items():
        tree.files[f"proc/{number}/cmdline"] = line.replace(" ", "\0").encode() + b"\0"
        tree.files[f"proc/{number}/status"] = b"Name:\tx\nUid:\t1000\t1000\t1000\t1000\n"
        if may_see:
            tree.links[f"proc/{number}/cwd"] = folder
        else:
            tree.errors[f"proc/{number}/cwd"] = PermissionError(errno.EACCES, "Permission denied")
    return tree, [UnitProcess(number, name) for number, (name, _, _) in processes.items()]


CLUSTERS = {
    "1": ("postgres", "/usr/lib/postgresql/15/bin/postgres -D /pg/one", "/pg/one"),
    "3": ("postgres", "/usr/lib/postgresql/15/bin/postgres -D /pg/two -c cluster_name=sales", "/pg/two"),
}


def clusters(*, may_see: bool = True) -> tuple[DictTree, list[UnitProcess]]:
    """Return two clusters in one unit, of which the second has a name."""
    tree, processes = machine(CLUSTERS, may_see=may_see)
    for number, words, folder in (
        ("2", b"postgres: checkpointer \0", "/pg/one"), ("4", b"postgres: sales: checkpointer \0", "/pg/two"),
    ):  # fmt: skip
        tree.files[f"proc/{number}/cmdline"] = words
        if may_see:
            tree.links[f"proc/{number}/cwd"] = folder
        processes.append(UnitProcess(number, "postgres"))
    return tree, processes


def test_a_cluster_has_its_name_else_its_directory() -> None:
    """As two servers of PostgreSQL 15 showed themselves."""
    assert instance_of(clusters()[0], "PostgreSQL", clusters()[1]) == "/pg/one, sales"


def test_without_authority_the_command_line_tells() -> None:
    """Where the server works may not be read; which title belongs to which server then is not known."""
    tree, processes = clusters(may_see=False)
    assert instance_of(tree, "PostgreSQL", processes) == "/pg/one, /pg/two"


@pytest.mark.parametrize(
    ("database", "name", "line", "folder", "instance"),
    [
        ("MariaDB", "mariadbd", "/usr/sbin/mariadbd --datadir=/srv/maria", "/srv/maria", "/srv/maria"),
        ("MariaDB", "mysqld", "/usr/sbin/mysqld", "/var/lib/mysql", "/var/lib/mysql"),
        ("Oracle", "ora_pmon_PAYROL", "ora_pmon_PAYROLL1", "/u01", "PAYROLL1"),
        ("Oracle", "asm_pmon_+ASM", "asm_pmon_+ASM", "/u01", "+ASM"),
        ("Oracle", "ora_lgwr_PAYROL", "ora_lgwr_PAYROLL1", "/u01", ""),
        ("Db2", "db2sysc", "db2sysc 0", "/home/db2inst1", "db2inst1"),
    ],
)
def test_an_instance_is_named_as_its_database_does(
    database: str, name: str, line: str, folder: str, instance: str
) -> None:
    """By what its processes show to everybody, or to its user."""
    tree, processes = machine({"7": (name, line, folder)})
    assert instance_of(tree, database, processes) == instance


def test_many_instances_are_counted() -> None:
    """A host of many small databases has one unit, and one line."""
    tree, processes = machine(
        {str(number): ("ora_pmon_X", f"ora_pmon_X{number}", "/") for number in range(9)}
    )
    assert instance_of(tree, "Oracle", processes) == "X0, X1, X2, X3 and 5 more"


def test_the_monitor_of_podman_tells_the_name_to_everybody(make_tree: Callable[..., DictTree]) -> None:
    """It is in a group beside that of the container."""
    line = f"/usr/bin/conmon --api-version 1 -c {ID} -u {ID} -r /usr/bin/crun -n web --full-attach"
    tree = make_tree({
        f"{PODMAN}/libpod-conmon-{ID}.scope/cgroup.procs": b"41\n",
        "proc/41/cmdline": line.replace(" ", "\0").encode(),
    })  # fmt: skip
    assert container_name(tree, f"{PODMAN}/libpod-{ID}.scope") == "web"
    assert container_name(tree, f"{PODMAN}/libpod-{ID[2:]}cd.scope") == ""


@pytest.mark.parametrize(
    ("folder", "file", "content"),
    [
        (f"{PODMAN}/libpod-{ID}.scope", "var/lib/containers/storage/overlay-containers/containers.json",
         f'[{{"id": "1"}}, {{"id": "{ID}", "names": ["web"]}}]'),
        (f"{ROOTLESS}/libpod-{ID}.scope",
         "home/db2inst1/.local/share/containers/storage/vfs-containers/volatile-containers.json",
         f'[{{"id": "{ID}", "names": ["web"]}}]'),
        (f"sys/fs/cgroup/system.slice/docker-{ID}.scope", f"var/lib/docker/containers/{ID}/config.v2.json",
         '{"Name": "/web"}'),
    ],
)  # fmt: skip
def test_files_of_the_engine_tell_the_name(folder: str, file: str, content: str) -> None:
    """Those of root, of the user, and of Docker."""
    tree = DictTree({"etc/passwd": PASSWD, file: content.encode()})
    assert container_name(tree, folder) == "web"
    tree.errors[file] = PermissionError(errno.EACCES, "Permission denied")
    assert container_name(tree, folder) == ""


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_whatever_is_written_there_a_name_is_harmless(line: bytes, listed: bytes) -> None:
    """Anybody may start a process or write a file in a home."""
    tree = DictTree({
        "proc/7/cmdline": line, "proc/7/status": line, "etc/passwd": listed,
        "var/lib/containers/storage/overlay-containers/containers.json": listed,
        f"var/lib/docker/containers/{ID}/config.v2.json": listed,
    })  # fmt: skip
    for database, name in (
        ("PostgreSQL", "postgres"),
        ("MariaDB", "mysqld"),
        ("Oracle", "ora_pmon_X"),
        ("Db2", "db2sysc"),
    ):
        assert instance_of(tree, database, [UnitProcess("7", name)]).isprintable()
    found = container_name(tree, f"{PODMAN}/libpod-{ID}.scope")
    assert found.isprintable()
    assert len(found) <= MAX_NAME
