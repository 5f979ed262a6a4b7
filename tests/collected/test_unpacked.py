"""What dbginfo.sh wrote answers alike, packed or unpacked."""

from __future__ import annotations

import io
import json
import os
import tarfile
from typing import TYPE_CHECKING, Any, Final

import pytest

from zmon.cli.main import main
from zmon.collected.text_reader import open_capture

if TYPE_CHECKING:
    from pathlib import Path

FILES: Final = {
    "D/proc/swaps": "Filename Type Size Used Priority\n/dev/dasdc1 partition 9 0 -2\n",
    "D/proc/self/mountinfo": "22 1 94:5 / / rw - ext4 /dev/dasdb1 rw\n",
    "D/runtime.out": f"{'#' * 55}\nlnx1> lsdasd -u\n0.0.7101  dasdb  IBM.750000000ABCD1.7100.01\n"
    "0.0.7102  dasdc  IBM.750000000ABCD1.7100.02\n",
}


def _sysfs() -> dict[str, tuple[str, str]]:
    """Return files of /sys, each its content, and links, each with where it leads to."""
    found = {}
    for name, busid, minor in (("dasdb", "0.0.7101", 4), ("dasdc", "0.0.7102", 8)):
        disk = f"devices/css0/0.0.{minor:04}/{busid}/block/{name}"
        for device, number in ((disk, minor), (f"{disk}/{name}1", minor + 1)):
            found[f"sys/{device}/dev"] = f"94:{number}\n", ""
            found[f"sys/{device}/size"] = "10000\n", ""
            found[f"sys/dev/block/94:{number}"] = "", f"../../{device}"
        found |= {f"sys/{disk}/{name}1/{what}": ("192\n", "") for what in ("start", "partition")}
    return found


def packed(members: dict[str, bytes | tuple[str, str]]) -> bytes:
    """Return an archive of files and links."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, node in members.items():
            member = tarfile.TarInfo(name)
            content = node if isinstance(node, bytes) else node[0].encode()
            member.size, member.mtime = len(content), 1_773_738_000
            if isinstance(node, tuple) and node[1]:
                member.type, member.linkname = tarfile.SYMTYPE, node[1]
            tar.addfile(member, io.BytesIO(content))
    return data.getvalue()


def unpacked(path: Path, members: dict[str, bytes]) -> str:
    """Write the members of an archive, and return where they are."""
    for name, content in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return str(path)


def uses(source: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return what zmon finds on both disks."""
    main(["where", "dasdb", "dasdc", "--from", source, "-f", "json"])
    return [
        {key: found[key] for key in ("mounts", "devices")} for found in json.loads(capsys.readouterr().out)
    ]


@pytest.mark.parametrize("root", ["", "/"])
def test_an_unpacked_directory_answers_as_its_archive(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The copy of /sys in it stays packed, and is read through its links all the same.

    Names in it begin with a slash, as dump2tar writes them, or not.
    """
    members = {name: content.encode() for name, content in FILES.items()}
    members["D/sysfs.tgz"] = packed({f"{root}{name}": node for name, node in _sysfs().items()})
    (tmp_path / "a.tgz").write_bytes(packed({**members}))
    directory = unpacked(tmp_path / "unpacked", members)
    of_archive = uses(str(tmp_path / "a.tgz"), capsys)
    assert [mount["fstype"] for found in of_archive for mount in found["mounts"]] == ["ext4", "swap"]
    assert uses(directory, capsys) == of_archive
    assert uses(f"{directory}/D", capsys) == of_archive


@pytest.mark.parametrize("name", ["DBGINFO-2026-03-17-09-12-00-lnx1.tgz", "sosreport-lnx1.tar.xz", "a.tar"])
def test_the_only_archive_in_a_directory_is_opened_as_it_is_itself(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where dbginfo.sh leaves it; its check sum and a word about it may be beside it, another archive not."""
    (tmp_path / name).write_bytes(packed({name: content.encode() for name, content in FILES.items()}))
    (tmp_path / f"{name}.md5").write_text("0" * 32)
    (tmp_path / "README").write_text("of the weekend\n")
    assert uses(str(tmp_path), capsys) == uses(str(tmp_path / name), capsys)
    (tmp_path / "other.tgz").write_bytes(b"")
    assert main(["where", "dasdb", "--from", str(tmp_path)]) == 1
    assert name in capsys.readouterr().err


def test_a_mount_is_a_use_of_a_dasd_that_only_its_name_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no copy of /sys, mountinfo and /proc/swaps name partitions of disks that lsdasd has."""
    directory = unpacked(tmp_path / "unpacked", {name: text.encode() for name, text in FILES.items()})
    assert [mount["fstype"] for found in uses(directory, capsys) for mount in found["mounts"]] == [
        "ext4",
        "swap",
    ]


def test_a_mount_of_a_device_that_was_not_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk may be below it."""
    mounts = FILES["D/proc/self/mountinfo"].replace("94:5", "253:7").replace("dasdb1", "mapper/vg-root")
    files = FILES | {"D/proc/self/mountinfo": mounts}
    directory = unpacked(tmp_path / "unpacked", {name: text.encode() for name, text in files.items()})
    main(["where", "dasdb", "--from", directory, "-f", "json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert any("/dev/mapper/vg-root" in what for what in found["not_looked_at"])


@pytest.mark.parametrize("kind", ["pipe", "link", "directory"])
def test_what_is_no_file_is_not_opened_as_a_copy_of_sys(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe would never end; what was left out is said."""
    directory = unpacked(tmp_path / "d", {name: text.encode() for name, text in FILES.items()})
    (tmp_path / "outside.tgz").write_bytes(packed({**_sysfs()}))
    inner = tmp_path / "d/D/sysfs.tgz"
    match kind:
        case "pipe":
            os.mkfifo(inner)
        case "link":
            inner.symlink_to(tmp_path / "outside.tgz")
        case _:
            inner.mkdir()
    found = open_capture(directory)
    assert "sys" not in found.passes[-1].entries("/")
    assert len(found.notes) == (kind != "directory")
    main(["where", "dasdb", "--from", directory])
    assert all(note in capsys.readouterr().err for note in found.notes)


def test_no_more_copies_of_sys_are_opened_than_of_an_archive(tmp_path: Path) -> None:
    """Each may be large."""
    members = {
        f"D{number}/sysfs.tgz": packed({f"sys/kernel/{number}": (f"{number}\n", "")}) for number in range(9)
    }
    members["D0/proc/version"] = b"Linux version 6.4\n"
    (tmp_path / "a.tgz").write_bytes(packed({**members}))
    directory = unpacked(tmp_path / "d", members)
    for source in (str(tmp_path / "a.tgz"), directory):
        found = open_capture(source)
        assert len(found.passes) == 4
        assert len(found.notes) == 1
