from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.screen.number import cut
from zmon.values.unit_name import MAX_TITLE, database_of, is_whole, sort_of, title_of

ID = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("path", "sort", "title"),
    [
        ("/system.slice/db2inst1.service", "service", "db2inst1"),
        ("/init.scope", "service", "init"),
        (f"/system.slice/docker-{ID}.scope", "container", "docker 0123456789ab"),
        (f"/machine.slice/libpod-{ID}.scope", "container", "libpod 0123456789ab"),
        (f"/kubepods.slice/pod1.slice/cri-containerd-{ID}.scope", "container", "cri-containerd 0123456789ab"),
        (f"/docker/{ID}", "container", "container 0123456789ab"),
        ("/machine.slice/machine-qemu\\x2d1\\x2dlinux01.scope", "guest", "linux01"),
        ("/machine.slice/systemd-nspawn@shop.service", "container", "shop"),
        ("/user.slice/user-1000.slice/session-3.scope", "session", "user 1000, session 3"),
        ("/system.slice/postgresql@15\\x2dmain.service", "service", "postgresql@15-main"),
        ("/benchmark", "group", "benchmark"),
    ],
)
def test_a_path_tells_sort_and_name(path: str, sort: str, title: str) -> None:
    """As systemd and the engines of containers name their groups."""
    assert (sort_of(path), title_of(path)) == (sort, title)


def test_no_cut_name_of_a_session_reads_as_another_user() -> None:
    """Lists cut names from the right: there the session stands, and of a user number no digit is lost."""
    title = title_of("/user.slice/user-1234567890.slice/session-c1234.scope")
    assert title == "user 1234567890, session c1234"
    assert cut(title, 20).startswith("user 1234567890,")


@pytest.mark.parametrize(
    ("name", "whole"),
    [("a.service", True), ("a.slice", False), ("user@1000.service", False), (ID, True), ("benchmark", False)],
)
def test_a_service_is_a_unit_with_all_below_it(name: str, whole: bool) -> None:
    """A slice is none, nor is a user's own systemd, whose services are below it."""
    assert is_whole(name) is whole


@pytest.mark.parametrize(
    ("path", "commands", "database"),
    [
        ("/system.slice/db2inst1.service", (), "Db2"),
        ("/system.slice/oracle-ORA.service", (), "Oracle"),
        ("/system.slice/postgresql@15-main.service", (), "PostgreSQL"),
        ("/system.slice/mysqld.service", (), "MariaDB"),
        ("/user.slice/user-1000.slice/session-3.scope", ("bash\n", "db2sysc\n"), "Db2"),
        (f"/machine.slice/libpod-{ID}.scope", ("ora_pmon_ORA\n",), "Oracle"),
        ("/user.slice/user-1.slice/session-1.scope", ("mariadbd", "postgres"), "MariaDB, PostgreSQL"),
        ("/system.slice/cron.service", ("cron", "orange"), ""),
        ("/system.slice/orange-juice.service", (), ""),
    ],
)
def test_databases_are_recognised(path: str, commands: tuple[str, ...], database: str) -> None:
    """By the name of the unit, else by those of its processes."""
    assert database_of(path, commands) == database


@given(st.text())
def test_names_are_hostile_text(path: str) -> None:
    """What a screen shows is harmless and short, whatever somebody calls a group."""
    title = title_of(f"/{path}")
    assert title
    assert all(character.isprintable() for character in title)
    assert len(title) <= MAX_TITLE
    assert isinstance(database_of(path, (path,)), str)
    assert sort_of(path) in {"service", "container", "guest", "session", "group"}
