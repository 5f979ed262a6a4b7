from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.capture_open import open_capture
from zmon.kernel.capture_write import CapturePlan, write_capture
from zmon.kernel.setting import (
    parse_choice,
    parse_cmdline,
    parse_fstab,
    parse_huge_pages,
    parse_ignored,
    private_excerpts,
    read_settings,
)
from zmon.kernel.tree import NEEDS_ROOT, LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree

FILES = {
    "proc/sys/vm/swappiness": b"60\n",
    "proc/cmdline": b"root=/dev/dasda1 pw=geheim hugepages=1024 dasd=nopav,7000-70ff quiet hugepages=2\n",
    "proc/cio_ignore": b"0.0.0000-0.0.6fff\n0.0.7100\n",
    "proc/meminfo": b"HugePages_Total: 9\nHugePages_Free: 8\nHugePages_Rsvd: 1\nHugepagesize: 1024 kB\n",
    "proc/1/comm": b"systemd\n",
    "proc/77/comm": b"sadc\n",
    "proc/78/comm": b"python3\n",
    "proc/78/cmdline": b"python3\0/usr/bin/zmon\0record\0/var/lib/zmon\0",
    "proc/79/comm": b"python3\0",
    "proc/79/cmdline": b"python3\0secret\0",
    "etc/fstab": b"/dev/dasda1 / ext4 defaults 1 1\n//host/x /mnt cifs pw=geheim 0 0\nUUID=1 /b xfs a 0 0\n",
    "etc/multipath.conf": b'defaults {\n rr_min_io "100"\n}\nmultipaths { a {\n alias geheim\n} }\n',
    "sys/kernel/mm/transparent_hugepage/enabled": b"always [madvise] never\n",
    "sys/block/sda/queue/scheduler": b"[none] mq-deadline\n",
    "sys/block/sda/device/state": b"running\n",
    "sys/block/dasda/queue/scheduler": b"[mq-deadline] none\n",
    "sys/devices/qeth/0.0.f500/buffer_count": b"64\n",
    "sys/devices/css0/0.0.000a/0.0.fc00/host0/fc_host/host0/port_type": b"NPIV VPORT\n",
    "sys/devices/css0/0.0.000a/0.0.fc00/host0/fc_host/host0/port_state": b"Online\n",
    "sys/class/fc_remote_ports/rport-0:0-1/port_state": b"Blocked\n",
}
WORDS = ["[a] b", "hugepages=", "HugePages_Total:", "Hugepagesize: 9", "/dev/dasda1 ", "0.0.1-", "\n"]
LINKS = {"sys/class/fc_host/host0": "../../devices/css0/0.0.000a/0.0.fc00/host0/fc_host/host0"}


def settings(tree: Tree) -> dict[str, Value]:
    """Return the settings of a tree by their names."""
    frame = read_settings(tree)
    return dict(zip(frame.keys, frame.column("value"), strict=True)) if frame.keys else {}


def test_each_setting_is_read(make_tree: Callable[..., Tree]) -> None:
    """Files of one word, words in brackets, counts, and states."""
    found = settings(make_tree(FILES, LINKS, live=True))
    read = {name: value for name, value in found.items() if not isinstance(value, Absent)}
    assert read == {
        "vm.swappiness": "60",
        "transparent_hugepage": "madvise",
        "hugepages/1024/total": 9,
        "hugepages/1024/free": 8,
        "hugepages/1024/reserved": 1,
        "cmdline/hugepages": "1024 2",
        "cmdline/dasd": "nopav,7000-70ff",
        "cio_ignore": "0.0.0000-0.0.6fff 0.0.7100",
        "fstab/dasd": 1,
        "programs": "sadc zmon",
        "multipath.conf": "read",
        "multipath.conf/defaults/rr_min_io": "100",
        "multipath.conf/multipaths.1/alias": "yes",
        "disk/dasda/scheduler": "mq-deadline",
        "disk/sda/scheduler": "none",
        "disk/sda/state": "running",
        "fc/0.0.fc00/port_type": "NPIV VPORT",
        "fc/0.0.fc00/port_state": "Online",
        "rport/0:0-1/port_state": "Blocked",
        "qeth/0.0.f500/buffer_count": 64,
    }


def test_what_is_not_there_has_a_reason(make_tree: Callable[..., Tree]) -> None:
    """A machine without FCP has no zfcp; a capture of an old zmon has none of the settings."""
    found = settings(make_tree(FILES, LINKS, live=True))
    assert isinstance(found["zfcp/dif"], Absent)
    assert read_settings(make_tree({"sys/block/sda/size": b"1"})).missing is not None
    refused = {"etc/multipath.conf": OSError(errno.EACCES, os.strerror(errno.EACCES))}
    value = settings(make_tree(FILES, LINKS, refused, live=True))["multipath.conf"]
    assert value is NEEDS_ROOT


def test_what_cannot_be_seen_has_a_reason_in_place_of_its_names(tmp_path: Path) -> None:
    """No card and no line about the capacity was found where /sys and /proc are not mounted."""
    found = settings(written(tmp_path, {"etc/fstab": b""}))
    names = ("qeth", "fc", "rport", "paths", "disk", "capacity")
    assert all(isinstance(found[name], Absent) for name in names)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "sys/devices").mkdir(parents=True, exist_ok=True)
    assert found.keys() - settings(LiveTree(str(tmp_path))).keys() == {*names}


def written(folder: Path, files: Mapping[str, bytes]) -> LiveTree:
    """Write a tree with links into a directory."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    for path, target in LINKS.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(target)
    return LiveTree(str(folder))


def test_a_capture_has_the_same_settings_and_no_secret(tmp_path: Path) -> None:
    """Of files that may hold secrets it has the part that is read."""
    tree = written(tmp_path / "root", FILES)
    archive = tmp_path / "it.tar.gz"
    write_capture(str(archive), CapturePlan(tree.root))
    (captured,) = open_capture(str(archive)).passes
    here, there = settings(tree), settings(captured)
    assert {name: value for name, value in there.items() if not isinstance(value, Absent)} == {
        name: value for name, value in here.items() if not isinstance(value, Absent)
    }
    for path in private_excerpts(tree):
        assert b"geheim" not in captured.read(path)
    assert captured.read("etc/fstab").count(b"/dev/dasda") == 1


def test_where_no_recorder_runs_nothing_is_absent(make_tree: Callable[..., Tree]) -> None:
    """If init is seen, others would be, too; if it is hidden, nobody knows."""
    assert settings(make_tree({"proc/1/comm": b"init", "proc/stat": b""}, live=True))["programs"] == ""
    tree = make_tree({"proc/sys/vm/swappiness": b"1"}, live=True)
    assert isinstance(settings(tree)["programs"], Absent)


@pytest.mark.parametrize("parse", [parse_choice, parse_cmdline, parse_fstab, parse_huge_pages, parse_ignored])
@given(st.text(max_size=200) | st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join))
def test_any_text_is_parsed_or_refused(parse: Callable[[str], object], text: str) -> None:
    """Nothing but ValueError comes of it."""
    try:
        parse(text)
    except ValueError:
        return


def test_hundreds_of_thousands_of_words_are_read_in_one_go() -> None:
    """No pattern takes longer than its text."""
    assert parse_fstab("/dev/dasd" * 100_000) == 0
    assert parse_cmdline("hugepages=1 " * 100_000)["cmdline/hugepages"]
    with pytest.raises(ValueError, match=r"\b5000\b"):
        parse_ignored("0.0.0000 " * 6000)
