from __future__ import annotations

import errno
import os
import resource
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.base.absent import Absent
from zmon.kernel.cgroup import (
    NO_GROUPS,
    NOT_COUNTED,
    RESTS_AFTER,
    ROOTS,
    UNCAPTURED,
    VERSION_1,
    UnitReader,
    captured_files,
    parse_flat,
    unit_folders,
)
from zmon.kernel.tree import LiveTree
from zmon.kernel.unit_io import IO_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

ROOT = ROOTS[0]
DB2 = "/system.slice/db2inst1.service"
SESSION = "/user.slice/user-1000.slice/session-3.scope"
LINE = "{} rbytes={} wbytes={} rios={} wios={} dbytes=0 dios=0\n"
PRESSURE = "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n"


def group(path: str, io: str | None, usec: int = 1000, **more: str) -> dict[str, bytes]:
    """Return the files of a group; without `io` its controller is off."""
    files = {
        "cpu.stat": f"usage_usec {usec}\nuser_usec 600\nsystem_usec 400\n",
        "io.pressure": PRESSURE,
        **more,
    }
    files |= {} if io is None else {"io.stat": io}
    return {f"{ROOT}{path}/{name.replace('__', '.')}": text.encode() for name, text in files.items()}


def machine() -> dict[str, bytes]:
    """Return a database, a session, and a service whose I/O is not counted."""
    return {
        f"{ROOT}/cgroup.controllers": b"cpu io memory pids\n",
        f"{ROOT}/cgroup.stat": b"nr_descendants 6\n",
        **group(
            DB2, LINE.format("94:0", 4096, 0, 1, 0) + "253:3 \n", pids__current="7\n", memory__max="max\n"
        ),
        **group(SESSION, LINE.format("94:4", 0, 8192, 0, 2).rstrip() + " cost.usage=3\n"),
        **group("/system.slice/cron.service", None),
        f"{ROOT}/system.slice/io.stat": LINE.format("94:0", 9999999, 0, 999, 0).encode(),
    }


def lay(root: Path, files: dict[str, bytes]) -> None:
    """Write files below a directory."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def rows(frame: Frame, *fields: str) -> dict[str, tuple[object, ...]]:
    """Return some fields of each row."""
    return {key: tuple(frame.cell(key, field) for field in fields) for key in frame.keys}


def test_each_unit_and_each_device_of_it_has_a_row(make_tree: Callable[..., Tree]) -> None:
    """Not the slice above, which has all of that once more; a device with no counts has none."""
    units, io = UnitReader(make_tree(machine())).read()
    assert units.keys == ["/system.slice/cron.service", DB2, SESSION]
    assert rows(io, "device", "rbytes", "wbytes", "rios", "wios") == {
        f"94:0 {DB2}": ("94:0", 4096, 0, 1, 0),
        f"94:4 {SESSION}": ("94:4", 0, 8192, 0, 2),
    }
    assert rows(units, "sort", "database", "tasks", "cpu", "io_some")[DB2] == (
        "service",
        "Db2",
        7,
        1_000_000,
        5000,
    )
    assert [units.cell(key, "io_counted") for key in units.keys] == [0, 1, 1]


def test_what_is_not_there_says_why(make_tree: Callable[..., Tree]) -> None:
    """No limit, a controller that is off, and pressure that is not measured differ."""
    units, _io = UnitReader(make_tree(machine())).read()
    reasons = {
        value.reason
        for name in ("memory_max", "memory", "cpu_some")
        if isinstance(value := units.cell(DB2, name), Absent)
    }
    assert len(reasons) == 3


@pytest.mark.parametrize(
    ("files", "live", "why"),
    [
        ({}, True, NO_GROUPS),
        ({}, False, UNCAPTURED),
        ({f"{ROOT}/blkio/tasks": b""}, True, VERSION_1),
        (
            {f"{ROOT}/cgroup.controllers": b"cpu\n", **group("/system.slice/a.service", None)},
            True,
            NOT_COUNTED,
        ),
    ],
)
def test_a_system_without_counts_says_why(
    make_tree: Callable[..., Tree], files: dict[str, bytes], live: bool, why: str
) -> None:
    """And what would give some."""
    _units, io = UnitReader(make_tree(files, live=live)).read()
    assert io.missing is not None
    assert io.missing.reason == why


def test_readings_follow_what_changes(tmp_path: Path) -> None:
    """Counts, devices that a unit touches, units that come, and units that go."""
    files = machine()
    lay(tmp_path, files)
    reader = UnitReader(LiveTree(str(tmp_path)))
    first, before = reader.read()
    same_units, same = reader.read()
    assert same.moved(before) == []
    assert same_units.keys == first.keys

    lay(tmp_path, group(DB2, LINE.format("94:0", 8192, 0, 2, 0) + "253:3 \n", 2000))
    units, io = reader.read()
    assert io.cell(f"94:0 {DB2}", "rbytes") == 8192
    assert units.cell(DB2, "cpu") == 2_000_000
    assert io.moved(same) == [0]

    lay(tmp_path, group(DB2, LINE.format("94:0", 8192, 0, 2, 0) + LINE.format("94:8", 0, 1, 0, 1)))
    assert f"94:8 {DB2}" in reader.read()[1].keys

    lay(tmp_path, group("/system.slice/new.service", LINE.format("94:0", 1, 0, 1, 0)))
    (tmp_path / ROOT / "cgroup.stat").write_text("nr_descendants 7\n")
    assert "94:0 /system.slice/new.service" in reader.read()[1].keys

    shutil.rmtree(tmp_path / f"{ROOT}{SESSION}")
    (tmp_path / ROOT / "cgroup.stat").write_text("nr_descendants 6\n")
    units, io = reader.read()
    assert SESSION not in units.keys
    assert not [key for key in io.keys if SESSION in key]


def test_processes_tell_a_database(tmp_path: Path) -> None:
    """Where the unit has another name: one that was started from a login session."""
    lay(tmp_path, machine() | {
        f"{ROOT}{SESSION}/cgroup.procs": b"12\n99\n", "proc/12/comm": b"bash\n", "proc/99/comm": b"db2sysc\n",
    })  # fmt: skip
    reader = UnitReader(LiveTree(str(tmp_path)))
    reader.read()
    units, _io = reader.read()
    assert units.cell(SESSION, "database") == "Db2"


def test_a_unit_that_goes_while_it_is_read_is_left_out(make_tree: Callable[..., Tree]) -> None:
    """The others are read."""
    gone = {f"{ROOT}{DB2}/cpu.stat": OSError(errno.ENODEV, os.strerror(errno.ENODEV))}
    units, _io = UnitReader(make_tree(machine(), errors=gone)).read()
    assert units.keys == ["/system.slice/cron.service", SESSION]


def test_names_that_nobody_expects_are_escaped(tmp_path: Path) -> None:
    """A key can be shown, and names that differ stay different."""
    name = "/system.slice/a\x1b[2J b.service"
    lay(tmp_path, machine() | group(name, LINE.format("94:0", 1, 0, 1, 0)))
    units, io = UnitReader(LiveTree(str(tmp_path))).read()
    assert all(key.isprintable() for key in (*units.keys, *io.keys))
    assert len(units.keys) == 4


def test_a_capture_keeps_what_is_read(tmp_path: Path, make_tree: Callable[..., Tree]) -> None:
    """The files of units, not those of slices."""
    lay(tmp_path, machine())
    kept = {
        path: (tmp_path / path).read_bytes()
        for path in captured_files(LiveTree(str(tmp_path)))
        if (tmp_path / path).is_file()
    }
    assert f"{ROOT}/system.slice/io.stat" not in kept
    live, captured = (UnitReader(tree).read() for tree in (LiveTree(str(tmp_path)), make_tree(kept)))
    assert rows(captured[1], "rbytes", "wios") == rows(live[1], "rbytes", "wios")
    assert rows(captured[0], "cpu", "io_some") == rows(live[0], "cpu", "io_some")


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b.slice", "c.service", "d.scope", "user@1.service"]), max_size=5)
    )
)
def test_no_unit_is_below_another(paths: list[list[str]]) -> None:
    """Whatever groups there are: the counts of a group include those below it."""

    class Groups:
        live = False

        def entries(self, path: str) -> list[str]:
            inside = [f"{ROOT}/{'/'.join(parts)}/".removeprefix(f"{path}/") for parts in paths if parts]
            return sorted({rest.partition("/")[0] for rest in inside if not rest.startswith(ROOT) and rest})

    found = unit_folders(Groups(), ROOT)  # type: ignore[arg-type]  # what is asked of it
    assert not [(one, other) for one in found for other in found if other.startswith(f"{one}/")]


def test_the_parts_of_memory_are_read_when_memory_moves(tmp_path: Path) -> None:
    """memory.stat is long: nobody reads it of a unit whose memory is the same and that waited for none."""
    reader = UnitReader(LiveTree(str(tmp_path)))

    def anon(usec: int, current: int, waited: int, anon: int) -> object:
        files = machine()
        pressure = PRESSURE.replace("total=5", f"total={waited}")
        files |= group(
            DB2,
            "",
            usec,
            memory__current=f"{current}\n",
            memory__stat=f"anon {anon}\n",
            memory__pressure=pressure,
        )
        lay(tmp_path, files)
        return reader.read()[0].cell(DB2, "anon")

    assert anon(1000, 4096, 5, 1) == 1
    assert anon(2000, 4096, 5, 2) == 1
    assert anon(3000, 8192, 5, 3) == 3
    assert anon(4000, 8192, 6, 4) == 4


IO_LINES = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([0, 7, 300, 1 << 63]),
        st.sampled_from(["", " cost.usage=3", " cost.usage=4"]),
        st.sampled_from(["{} rbytes={} wbytes=0 rios=1 wios=2 dbytes=0 dios=0", "{} ", "(unknown) rios={}"]),
    ),
    max_size=4,
).map(
    lambda lines: "".join(
        form.format(f"94:{minor}", count).removesuffix(" ") + more * ("=" in form) + "\n"
        for minor, count, more, form in lines
    )
)
"""What io.stat of a unit may say, devices that are there twice and policies with keys of their own too."""


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.none() | IO_LINES), min_size=2, max_size=6))
def test_what_is_kept_between_samples_changes_no_figure(samples: list[dict[str, str | None]]) -> None:
    """Whatever comes, goes and counts: a new reader sees the same; rows that moved are those that differ."""
    tree = DictTree(live=True)
    reader, files, before = UnitReader(tree), tree.files, None
    for units in samples:
        files.clear()
        files[f"{ROOT}/cgroup.controllers"] = b"io\n"
        files[f"{ROOT}/cgroup.stat"] = (
            f"{sorted((name, text is None) for name, text in units.items())}".encode()
        )
        for name, text in units.items():
            files.update(group(f"/{name}.service", text))
        usage, io = reader.read()
        fresh_usage, fresh = UnitReader(DictTree(files, live=True)).read()
        assert (io.keys, io.columns, io.missing) == (fresh.keys, fresh.columns, fresh.missing)
        assert (usage.keys, usage.columns) == (fresh_usage.keys, fresh_usage.columns)
        if before is not None and before.keys is io.keys:
            differ = [
                row
                for row in range(len(io.keys))
                if any(io.columns[name][row] != before.columns[name][row] for name in IO_FIELDS)
            ]
            assert io.moved(before) == differ
            for name in IO_FIELDS:
                assert (io.columns[name] is before.columns[name]) == (
                    io.columns[name] == before.columns[name]
                )
        before = io if io.keys else None


def test_a_line_that_cannot_be_is_refused_until_it_is_right_again(make_tree: Callable[..., Tree]) -> None:
    """And then nothing of before is left."""
    files = machine()
    tree = make_tree(files, live=True)
    reader = UnitReader(tree)
    reader.read()
    for line in ("94:0 rbytes=x\n", LINE.format("94:0", 10**20, 0, 1, 0)):
        tree.files.update(group(DB2, line, 5000))  # type: ignore[attr-defined]  # it is in memory
        for _ in range(2):
            with pytest.raises(ValueError, match=r"io\.stat"):
                reader.read()
    tree.files.update(group(DB2, LINE.format("94:0", 1, 2, 3, 4), 6000))  # type: ignore[attr-defined]
    assert reader.read()[1].cell(f"94:0 {DB2}", "rbytes") == 1


@pytest.mark.parametrize("limit", [0, 100_000])
def test_a_unit_made_again_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """Whether files stay open, which then give an error, or none may."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (limit, limit))
    monkeypatch.setattr(resource, "setrlimit", lambda *_both: None)
    lay(tmp_path, machine())
    reader = UnitReader(LiveTree(str(tmp_path)))
    before = reader.read()[0].cell(DB2, "incarnation")
    (tmp_path / f"{ROOT}{DB2}").rename(tmp_path / "ended")
    lay(tmp_path, group(DB2, LINE.format("94:0", 1, 0, 1, 0)))
    gone = OSError(errno.ENODEV, os.strerror(errno.ENODEV))
    with monkeypatch.context() as patch:
        if limit:  # as the kernel reads what is open of a group that is gone
            path, pread = str(tmp_path / "ended"), os.pread

            def of_group(file: int, size: int, begin: int) -> bytes:
                if os.readlink(f"/proc/self/fd/{file}").startswith(path):
                    raise gone
                return pread(file, size, begin)

            patch.setattr(os, "pread", of_group)
        assert DB2 not in reader.read()[0].keys
    units, io = reader.read()
    assert units.cell(DB2, "incarnation") != before
    assert io.cell(f"94:0 {DB2}", "rbytes") == 1


def test_files_of_a_unit_that_rests_are_closed(tmp_path: Path) -> None:
    """Those that are read on change; when it works again they are read as before."""
    lay(tmp_path, machine())
    reader = UnitReader(LiveTree(str(tmp_path)))
    reader.read()
    working = len(os.listdir("/proc/self/fd"))
    for _ in range(RESTS_AFTER + 1):  # after the first, processes were looked at
        reader.read()
    assert len(os.listdir("/proc/self/fd")) < working
    lay(tmp_path, group(DB2, LINE.format("94:0", 8192, 0, 2, 0) + "253:3 \n", 2000, pids__current="8\n"))
    assert reader.read()[0].cell(DB2, "tasks") == 8
    assert len(os.listdir("/proc/self/fd")) <= working


@given(st.binary())
def test_flat_files_give_numbers(content: bytes) -> None:
    """Other lines are passed over."""
    assert all(number >= 0 for number in parse_flat(content, content.split()).values())
