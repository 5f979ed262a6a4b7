from __future__ import annotations

import argparse
import io
import json
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.casestudy import FOLDER
from zmon.cli import where
from zmon.cli.inputs import read_listings
from zmon.cli.main import main
from zmon.cli.output import FileCount, terminal_width
from zmon.cli.source_options import open_lookup, read_files
from zmon.cli.subcommands import add_listing_details, add_lookup
from zmon.kernel.open_file import live_mount_id
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from zmon.topology.machine import Machine

MACHINE = str(FOLDER / "machine-uid.tar.gz")
DDL = str(FOLDER / "tablespaces.ddl")
CSS = "sys/devices/css0"


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """See to it that no site file of whoever runs the tests is read."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))


def options(*words: str) -> argparse.Namespace:
    """Parse options."""
    parser = argparse.ArgumentParser()
    add_lookup(parser)
    add_listing_details(parser)
    return parser.parse_args(words)


# --- a few files of this machine ------------------------------------------------------------------------


class Here:
    """A directory with the kernel's files of some DASD, one of which holds the file system of a real file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "data"
        self.file.write_bytes(bytes(4096))
        self.mount = live_mount_id(str(self.file))
        self.root = folder / "root"
        for place in range(3):
            self._dasd(place, f"dasd{chr(97 + place)}", f"0.0.{0x7200 + place:04x}")
        self._write("proc/self/mountinfo", f"{self.mount} 1 94:5 / / rw - ext4 /dev/dasdb1 rw\n")
        self._write("proc/sysinfo", "LPAR Name:            TEST\n")

    def _write(self, path: str, content: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    def _lead(self, path: str, to: str) -> None:
        link = self.root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to("../" * path.count("/") + to)

    def _dasd(self, place: int, name: str, busid: str) -> None:
        device = f"{CSS}/0.0.{place:04x}/{busid}"
        block = f"{device}/block/{name}"
        for path, content in {
            f"{CSS}/0.0.{place:04x}/chpids": "50 51 52 53 00 00 00 00",
            f"{CSS}/0.0.{place:04x}/pimpampom": "f0 f0 d0",
            f"{device}/online": "1",
            f"{device}/uid": f"IBM.750000000ABCD1.2400.{place:02x}",
            f"{block}/dev": f"94:{4 * place}",
            f"{block}/size": "1000000000",
            f"{block}/{name}1/dev": f"94:{4 * place + 1}",
            f"{block}/{name}1/size": "999999808",
            f"{block}/{name}1/start": "192",
            f"{block}/{name}1/partition": "1",
        }.items():
            self._write(path, f"{content}\n")
        self._lead(f"{device}/driver", "sys/bus/ccw/drivers/dasd-eckd")
        self._lead(f"sys/bus/ccw/devices/{busid}", device)
        self._lead(f"sys/dev/block/94:{4 * place}", block)
        self._lead(f"sys/dev/block/94:{4 * place + 1}", f"{block}/{name}1")

    def look(self, *words: str, mounts: Mapping[str, str] | None = None) -> Machine:
        """Look at the file, or at mounts alone."""
        paths = () if mounts else (str(self.file),)
        return read_files(options(*words), paths, mounts, root=str(self.root))


@pytest.fixture
def here(tmp_path: Path) -> Here:
    """Return the directory."""
    return Here(tmp_path)


def test_a_file_is_followed_to_its_disk(here: Here) -> None:
    """From its mount through the partition to what the channel subsystem knows."""
    found = here.look()
    answer = found.locations[str(here.file)]
    assert [step.title for step in answer.steps] == ["/", "dasdb1", "dasdb"]
    assert found.volumes["94:4"].ssid == "2400"


def test_what_is_lost_of_the_ways_to_its_disk_is_told(
    here: Here, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of the disks of a capture: a path is looked up in one way everywhere."""
    monkeypatch.setattr(where, "read_files", partial(read_files, root=str(here.root)))
    main(["where", str(here.file.parent), "-f", "json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert [disk["lost_chpids"] for disk in found["where"][0]["disks"]] == ["52"]


def test_no_other_disk_is_looked_at(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a lookup costs the same however many there are."""
    seen: list[str] = []
    for name in ("read", "entries", "link"):
        real = getattr(LiveTree, name)

        def told(tree: LiveTree, path: str, *rest: object, real: object = real) -> object:
            seen.append(path)
            return real(tree, path, *rest)  # type: ignore[operator]

        monkeypatch.setattr(LiveTree, name, told)
    assert here.look().volumes["94:4"].disk == "dasdb"
    others = [path for path in seen if "0.0.7200" in path or "0.0.7202" in path]
    assert (others, {"sys/block", CSS} & set(seen)) == ([], set())


def test_a_mount_is_looked_at_by_its_id(here: Here) -> None:
    """And no file."""
    found = here.look(mounts={"/": here.mount})
    assert (found.files, found.mounts.by_id[here.mount].number, found.stack.numbers) == (
        [], "94:5", ["94:5", "94:4"],
    )  # fmt: skip


def test_what_the_site_says_is_heard(here: Here, tmp_path: Path) -> None:
    """Its map names the LCU."""
    (tmp_path / "site.toml").write_text('[[lcu_by_number]]\nserial = "*"\nmask = "0F00"\n')
    assert here.look("--site", str(tmp_path / "site.toml")).site.rules


def test_many_files_tell_how_far_they_are(here: Here) -> None:
    """As often as the kernel's reader says."""
    folder = here.file.parent / "many"
    folder.mkdir()
    for number in range(600):
        (folder / str(number)).touch()
    told: list[int] = []
    read_files(options(), [str(folder)], root=str(here.root), progress=told.append)
    assert told == [500]


# --- a captured machine ---------------------------------------------------------------------------------


def test_a_capture_has_its_own_files() -> None:
    """When none is listed."""
    with open_lookup(options("--from", MACHINE)) as looked:
        assert len(looked.machine.files) == 28


def test_a_listing_says_which_files() -> None:
    """With its own names for them."""
    args = options("--from", MACHINE, "--database", "OTHER")
    with open_lookup(args, read_listings(args, [DDL])) as looked:
        assert {file.listed.rpartition(":")[0] for file in looked.machine.files} == {DDL}


def test_traffic_has_its_interval() -> None:
    """Otherwise there is none."""
    args = options("--from", MACHINE)
    with open_lookup(args) as looked:
        assert looked.view is None
    with open_lookup(args, traffic=True) as looked:
        assert looked.view is not None
        assert looked.view.interval.seconds == pytest.approx(30)


def test_a_time_in_it() -> None:
    """The interval that ends there."""
    with open_lookup(options("--from", MACHINE, "--at", "begin+60s"), traffic=True) as looked:
        assert looked.view is not None
        assert looked.view.interval.after.at.utc // 10**9 == 1_773_626_460


# --- the terminal ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "found"), [("132", 132), ("", 80), ("0", 80), ("wide", 80), ("-5", 80)])
def test_the_width_of_the_terminal(said: str, found: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the environment says, if it says a number."""
    monkeypatch.setenv("COLUMNS", said)
    monkeypatch.setattr("os.isatty", lambda _descriptor: False)
    assert terminal_width() == found


class Screen(io.StringIO):
    """What a person sees."""

    def isatty(self) -> bool:
        """Say that it is a terminal."""
        return True


def seen(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what stands on a terminal before and behind the end of a progress."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    progress = FileCount()
    progress(1500)
    progress.end()
    return screen.getvalue()


def test_what_takes_long_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """And wipes it out in the end."""
    monkeypatch.setattr(FileCount, "DELAY", -1)
    found = seen(monkeypatch)
    assert (found.startswith("\r1,500 files"), found.endswith(" \r")) == (True, True)


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does the end of it."""
    assert not seen(monkeypatch)
