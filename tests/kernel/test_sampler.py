"""A sample always comes out, whatever the kernel's files do; only the source concerned is absent."""

from __future__ import annotations

import errno
import os
import threading
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.base.listed_file import ListedFile
from zmon.interval import APPEARED, REPLACED, RESTARTED, Interval
from zmon.kernel import cmf
from zmon.kernel.dasd_ioctl import NO_DRIVER
from zmon.kernel.sampler import Choice, Sampler, SourceReading, find_reader, sample_once, sources_of
from zmon.kernel.tree import LiveTree
from zmon.kernel.udev import Hotplug
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CMF,
    CONTAINER,
    CPU,
    DEVICE,
    KINDS,
    LPAR,
    MACHINE,
    MEMORY,
    PROCESS,
    SOURCE,
)
from zmon.machine.view import NoSuchThing, View
from zmon.registry import SOURCES
from zmon.sample import empty_frame
from zmon.tables import TABLES
from zmon.tables.filled import fill, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from pathlib import Path

    from zmon.kernel.tree import Tree
    from zmon.registry import Source
    from zmon.sample import Frame, Kind, Sample

CSS = "sys/devices/css0"
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def device(number: int, disk: str, *, io: int = 100) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the files and links of one DASD that was measured for so many I/Os."""
    busid, subchannel = f"0.0.{number:04x}", f"0.0.{number - 0x7000:04x}"
    here = f"{CSS}/{subchannel}/{busid}"
    files = {
        f"{CSS}/{subchannel}/type": "0",
        f"{CSS}/{subchannel}/chpids": "40 41 00 00 00 00 00 00 ",
        f"{CSS}/{subchannel}/pimpampom": "c0 c0 ff",
        f"{CSS}/{subchannel}/vpm": "c0",
        f"{here}/cmb_enable": "1",
        f"{here}/online": "1",
        f"{here}/availability": "good",
        f"{here}/devtype": "3390/0c",
        f"{here}/cutype": "3990/e9",
        f"{here}/uid": f"IBM.750000000ABCD1.7000.{number & 0xFF:02x}",
        f"{here}/alias": "0",
        f"{here}/status": "online",
        f"{here}/vendor": "IBM",
        f"{here}/discipline": "ECKD",
        **{f"{here}/cmf/{name}": "256000" for name in cmf.files(CMF)},
        f"{here}/cmf/ssch_rsch_count": str(io),
        f"{here}/cmf/sample_count": str(io),
        f"{here}/block/{disk}/dev": "94:0",
        f"{here}/block/{disk}/size": "14424480",
        f"{here}/block/{disk}/diskseq": str(number),
        f"{here}/block/{disk}/queue/nr_requests": "32",
        f"{here}/block/{disk}/queue/logical_block_size": "4096",
        f"{here}/block/{disk}/queue/iostats": "1",
    }
    links = {
        f"{CSS}/{subchannel}/driver": "../../../bus/css/drivers/io_subchannel",
        f"{here}/driver": "../../../../bus/ccw/drivers/dasd-eckd",
        f"sys/bus/ccw/devices/{busid}": f"../../../devices/css0/{subchannel}/{busid}",
        f"sys/block/{disk}": f"../devices/css0/{subchannel}/{busid}/block/{disk}",
    }
    return {name: f"{content}\n".encode() for name, content in files.items()}, links


def diskstats(disks: Mapping[str, int]) -> bytes:
    """Return /proc/diskstats with so many reads of each disk."""
    lines = [
        f"  94 {4 * n:7} {name} {io} 0 {io * 8} {io} 0 0 0 0 0 0 0"
        for n, (name, io) in enumerate(disks.items())
    ]
    return "".join(f"{line}\n" for line in lines).encode()


COMMON = {
    "proc/stat": b"cpu  10 0 10 80 0 0 0 0 0 0\ncpu0 10 0 10 80 0 0 0 0 0 0\n",
    "proc/meminfo": b"MemTotal: 1000 kB\nMemFree: 500 kB\nMemAvailable: 700 kB\nBuffers: 1 kB\nCached: 2 kB\n"
    b"SwapTotal: 0 kB\nSwapFree: 0 kB\n",
    "proc/vmstat": b"pswpin 0\npswpout 0\n",
    "proc/sysinfo": b"Manufacturer: IBM\nType: 8561\nSequence Code: 000000000001ABCD\n",
    "proc/dasd/devices": b"0.0.7000(ECKD) at ( 94:     0) is dasda       : active at blocksize: 4096, "
    b"1803060 blocks, 7043 MB\n",
    "proc/sys/kernel/random/boot_id": b"11111111-2222\n",
    f"{CSS}/cm_enable": b"1\n",
    f"{CSS}/chp0.40/type": b"1b\n",
    f"{CSS}/chp0.40/status": b"online\n",
    f"{CSS}/chp0.40/cmg": b"2\n",
    f"{CSS}/chp0.40/shared": b"1\n",
    f"{CSS}/chp0.40/measurement": b"\xff\x00\x00\x01" + bytes(28),
    f"{CSS}/chp0.40/measurement_chars": (100).to_bytes(4, "big") * 5,
}


@pytest.fixture
def machine(make_tree: Callable[..., Tree]) -> Any:
    """A tree in memory with one channel path and the disks dasda and dasdb, to be changed."""
    return build(make_tree)


def build(make_tree: Callable[..., Tree]) -> Any:
    """Build the tree of `machine`."""
    tree: Any = make_tree(COMMON, {})
    plug(tree, 0x7000, "dasda")
    plug(tree, 0x7001, "dasdb")
    tree.files["proc/diskstats"] = diskstats({"dasda": 100, "dasdb": 100})
    return tree


def plug(tree: Any, number: int, disk: str) -> None:
    """Put a device in."""
    files, links = device(number, disk)
    tree.files |= files
    tree.links |= links


def unplug(tree: Any, number: int, disk: str) -> None:
    """Take a device out."""
    files, links = device(number, disk)
    for name in files:
        tree.files.pop(name, None)
    for name in links:
        tree.links.pop(name, None)


def sampler(tree: Tree, **more: Any) -> Sampler:
    """Sample a tree with all patience there is."""
    return Sampler(tree, Choice(), deadline=60.0, **more)


class AskedView(View):
    """A view that knows whether a table wanted to know what the page is about."""

    asked = False

    def __getattribute__(self, name: str) -> Any:
        """Note who asks for the argument."""
        if name == "argument":
            self.asked = True
        return super().__getattribute__(name)


def fill_all(sample: Sample, before: Sample | None = None, concerned: Container[str] = KINDS) -> None:
    """Fill every table that needs one of the kinds; whatever the sample holds, none may fail.

    A table that does not ask for an argument is the same with any.
    """
    for name in TABLES:
        if all(kind.name not in concerned for kind in needs(name).kinds):
            continue
        for argument in ("", "0.0.7000", "nonsense"):
            view = AskedView(Interval(before, sample), argument=argument)
            try:
                fill(name, view)
            except NoSuchThing:
                assert argument or name == "details"  # a page is about something
            if not view.asked:
                break


def values(frame: Frame) -> dict[str, object]:
    """Return what a frame says, without when it was read."""
    return {"keys": frame.keys, "missing": frame.missing, **frame.columns}


# what a sample holds


def test_a_sample_has_a_frame_of_every_kind(machine: Any) -> None:
    """What this machine does not have is there with its reason."""
    sample = sampler(machine).sample()
    assert set(sample.frames) == set(KINDS)
    assert all(frame.keys or frame.missing for frame in sample.frames.values())


def test_a_frame_has_only_columns_that_its_kind_declares(machine: Any) -> None:
    """A recording would not know what else there is."""
    for frame in sampler(machine).sample().frames.values():
        assert set(frame.columns) <= set(frame.kind.by_name), frame.kind.name


def test_what_the_tree_says_is_in_the_sample(machine: Any) -> None:
    """Disks, devices, paths and CPUs are there."""
    sample = sampler(machine).sample()
    assert sample.frame(BLOCK).keys == ["dasda", "dasdb"]
    assert sample.frame(CMF).cell("0.0.7001", "ssch") == 100
    assert sample.frame(DEVICE).keys == ["0.0.7000", "0.0.7001"]
    assert sample.frame(CHANNEL).keys == ["0.40"]
    assert sample.frame(CPU).keys == ["0"]


def test_every_source_has_a_row_with_its_cost(machine: Any) -> None:
    """The screen about zmon itself shows all sources, in their order."""
    frame = sampler(machine).sample().frame(SOURCE)
    assert frame.keys == [source.name for source in SOURCES]
    assert frame.cell("disks", "calls") == 1


def test_the_clock_of_samples_never_steps_back(machine: Any) -> None:
    """Samples are in the order of their steady times."""
    steady = sampler(machine)
    times = [steady.sample().at.steady for _ in range(5)]
    assert times == sorted(times)


def test_expensive_sources_are_off_on_a_live_machine(make_tree: Callable[..., Tree]) -> None:
    """The reason says how to have them read."""
    live = make_tree({"proc/dasd/devices": b""}, live=True)
    off = {
        one.source.name: one.off
        for one in sources_of(live, Choice(hypervisor=False), SourceReading)
        if one.off
    }
    assert set(off) == {"cache", "containers", "cp", "hypervisor", "processes", "totals"}
    assert off["cache"].endswith("--cache.")
    assert off["cp"].endswith("--cp")


def test_where_there_are_no_dasd_nobody_is_told_to_ask_their_caches(make_tree: Callable[..., Tree]) -> None:
    """On x86 the reason is that there are none."""
    live = make_tree(live=True)
    (cache,) = sources_of(live, Choice(kinds=(CACHE,)), SourceReading)
    assert not cache.off
    (frame,) = cache.read()
    assert frame.missing is absent(NO_DRIVER)


# what of it is wanted


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_reader_is_found(source: Source) -> None:
    """They are named, and loaded when their source is read first."""
    assert callable(find_reader(source))


def test_every_option_of_a_source_is_one_of_the_choice_and_says_how_it_is_chosen() -> None:
    """A source that is not read by default names a field, and the option that sets it."""
    for source in SOURCES:
        assert (not source.option and not source.off) or (
            hasattr(Choice(), source.option) and "--" in source.off
        )


def test_a_kind_has_one_source() -> None:
    """All kinds but zmon's own cost are read by exactly one."""
    read = [kind.name for source in SOURCES for kind in source.kinds]
    assert sorted(read) == sorted({*KINDS, "exact"} - {SOURCE.name})


@pytest.mark.parametrize(
    ("kinds", "names"),
    [
        ((), []),
        ((MACHINE,), ["machine"]),
        ((BLOCK,), ["disks"]),
        ((CMF, DEVICE), ["disks", "totals", "devices"]),
        ((LPAR,), ["hypervisor"]),
    ],
)
def test_a_source_that_gives_nothing_of_what_is_wanted_is_left_alone(
    kinds: tuple[Kind, ...], names: list[str], machine: Any
) -> None:
    """Live and of a capture; exact totals belong to what they complete."""
    choice = Choice(kinds)
    assert Sampler(machine, choice).sample().frame(SOURCE).keys == names
    assert sample_once(machine, "a capture", choice).frame(SOURCE).keys == names


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_the_same_from_what_it_needs_as_from_all(name: str, machine: Any) -> None:
    """What it says about its needs is true."""
    argument = "7000" if name == "details" else ""
    tables = []
    for choice in (Choice(), Choice(needs(name).kinds)):
        machine.files["proc/diskstats"] = diskstats({"dasda": 100, "dasdb": 100})
        machine.times = dict.fromkeys(machine.files, 10**9)
        before = sample_once(machine, "a capture", choice)
        machine.files["proc/diskstats"] = diskstats({"dasda": 150, "dasdb": 101})
        machine.times = dict.fromkeys(machine.files, 2 * 10**9)
        after = sample_once(machine, "a capture", choice)
        table = fill(name, View(Interval(before, after), argument=argument))
        summary = table.summary and table.summary._replace(some=None)  # a function is like no other
        tables.append(table._replace(summary=summary))
    assert tables[0] == tables[1]


# things that come and go


def test_a_disk_that_comes_is_there_in_the_next_sample(machine: Any) -> None:
    """With its device, which is otherwise looked at once a minute."""
    steady = sampler(machine)
    before = steady.sample()
    plug(machine, 0x7002, "dasdc")
    machine.files["proc/diskstats"] = diskstats({"dasda": 100, "dasdb": 100, "dasdc": 5})
    after = steady.sample()
    assert after.frame(DEVICE).keys == ["0.0.7000", "0.0.7001", "0.0.7002"]
    assert Interval(before, after).of(BLOCK).cell("dasdc", "reads") is APPEARED


def test_a_disk_that_goes_is_gone_in_the_next_sample(machine: Any) -> None:
    """The others are compared as before."""
    steady = sampler(machine)
    before = steady.sample()
    unplug(machine, 0x7000, "dasda")
    machine.files["proc/diskstats"] = diskstats({"dasdb": 107})
    after = steady.sample()
    assert after.frame(DEVICE).keys == ["0.0.7001"]
    assert after.frame(CMF).keys == ["0.0.7001"]
    assert after.frame(BLOCK).keys == ["dasdb"]
    assert before.frame(BLOCK).keys == ["dasda", "dasdb"]


def test_an_event_has_devices_looked_at_again(machine: Any) -> None:
    """An alias has no disk that would tell of it."""

    class Monitor:
        events: list[Any] = []  # noqa: RUF012 - one monitor in one test

        def poll(self, timeout: float | None = None) -> Any:
            assert timeout == 0
            return self.events.pop() if self.events else None

    class Event:
        subsystem, sys_name = "ccw", "0.0.7080"

    monitor = Monitor()
    steady = sampler(machine, hotplug=Hotplug(monitor))
    steady.sample()
    machine.files[f"{CSS}/0.0.0000/0.0.7000/devtype"] = b"3390/0a\n"
    assert steady.sample().frame(DEVICE).cell("0.0.7000", "devtype") == "3390/0c"
    monitor.events = [Event()]
    assert steady.sample().frame(DEVICE).cell("0.0.7000", "devtype") == "3390/0a"


def test_another_device_under_the_same_number_is_noticed(machine: Any) -> None:
    """Its uid tells."""
    before = sample_once(machine, "a capture")
    machine.files[f"{CSS}/0.0.0000/0.0.7000/uid"] = b"IBM.750000000ZZZZ9.9999.00\n"
    machine.times = dict.fromkeys(machine.files, 10**9)
    interval = Interval(before, sample_once(machine, "a capture"))
    assert interval.of(CMF).cell("0.0.7000", "ssch") is REPLACED
    assert interval.of(CMF).cell("0.0.7001", "ssch") == 0


def test_a_restart_between_passes_of_a_capture_is_noticed(machine: Any) -> None:
    """The boot id was captured, too."""
    before = sample_once(machine, "a capture")
    machine.files["proc/sys/kernel/random/boot_id"] = b"33333333-4444\n"
    machine.times = dict.fromkeys(machine.files, 10**9)
    assert Interval(before, sample_once(machine, "a capture")).void is RESTARTED


def test_a_capture_without_a_boot_id_is_one_run(machine: Any) -> None:
    """Its name stands for the run of the machine."""
    del machine.files["proc/sys/kernel/random/boot_id"]
    assert sample_once(machine, "a capture").at.boot == "a capture"


def test_reading_a_capture_has_no_cost(machine: Any) -> None:
    """What it takes on the laptop says nothing about the machine."""
    sample = sample_once(machine, "a capture")
    assert isinstance(sample.frame(SOURCE).cell("disks", "spent"), Absent)
    assert sample.frame(SOURCE).cell("disks", "rows") == 4


@MANY
@given(steps=st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 9)), max_size=8))
def test_whatever_comes_and_goes_a_sample_comes_out(
    make_tree: Callable[..., Tree], steps: list[tuple[int, bool, int]]
) -> None:
    """Disks in the sample are those in /proc/diskstats, and tables can be filled from it."""
    tree = build(make_tree)
    there = {"dasda": 100, "dasdb": 100}
    steady, before = sampler(tree), None
    for number, comes, io in steps:
        disk = f"dasd{'abcde'[number]}"
        if comes:
            plug(tree, 0x7000 + number, disk)
            there[disk] = there.get(disk, 0) + io
        else:
            unplug(tree, 0x7000 + number, disk)
            there.pop(disk, None)
        tree.files["proc/diskstats"] = diskstats(there)
        sample = steady.sample()
        assert sorted(sample.frame(BLOCK).keys) == sorted(there)
        fill_all(sample, before)
        before = sample


# files that cannot be read


def test_the_empty_machine_gives_a_sample_of_reasons(make_tree: Callable[..., Tree]) -> None:
    """Where nothing is, every kind says why, and every screen can be shown."""
    sample = sampler(make_tree()).sample()
    assert all(frame.missing for kind, frame in sample.frames.items() if kind != "source" and not frame.keys)
    fill_all(sample)


class Witness:
    """A tree that notes which source asks for which path."""

    live, name = False, "a tree that is watched"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.asked: defaultdict[str, set[str]] = defaultdict(set)
        self._source = ""

    def follow(self, reading: SourceReading) -> None:
        """Notice which source is at work."""
        read = reading.read

        def noted() -> Sequence[Frame]:
            self._source = reading.source.name
            return read()

        reading.read = noted  # type: ignore[method-assign]

    def _note(self, path: str) -> str:
        self.asked[os.path.normpath(self._tree._real(path))].add(self._source)  # type: ignore[attr-defined]
        return path

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Read, and note it."""
        return self._tree.read(self._note(path), at_once)

    def entries(self, path: str) -> list[str]:
        """List."""
        return self._tree.entries(path)

    def link(self, path: str) -> str:
        """Follow."""
        return self._tree.link(path)

    def when(self, path: str) -> int:
        """Tell the time."""
        return self._tree.when(path)


class Sound(NamedTuple):
    """A machine of which nothing is spoilt: the same for all tests, so it is sampled once."""

    steady: Sample
    asked: Mapping[str, set[str]]
    """The sources that read each path."""
    early: Sample
    late: Sample


@cache
def sound(make_tree: Callable[..., Tree]) -> Sound:
    """Sample the whole machine as a live one is sampled, and as two passes of a capture."""
    whole = Witness(build(make_tree))
    steady = sampler(whole)
    for reading in steady._sources:
        whole.follow(reading)
    return Sound(steady.sample(), whole.asked, later(build(make_tree), 0), later(build(make_tree)))


def untouched(make_tree: Callable[..., Tree], spoil: Callable[[Any], str]) -> None:
    """Spoil one file of the tree; nothing but what its readers give may be different.

    Tables that need nothing of these readers get the frames that were just compared, so they are not filled.
    """
    good = sound(make_tree)
    spoilt = build(make_tree)
    concerned = read_from(good.asked, spoil(spoilt))
    steady = sampler(spoilt)
    found = steady.sample()
    compare(found, good.steady, concerned)
    fill_all(found, None, concerned)
    fill_all(steady.sample(), found, concerned)


def breaks_no_screen(make_tree: Callable[..., Tree], spoil: Callable[[Any], str]) -> None:
    """Spoil one file of a pass; every screen can be shown from a sound pass to it, and from it."""
    good = sound(make_tree)
    spoilt = build(make_tree)
    concerned = read_from(good.asked, spoil(spoilt))
    late = later(spoilt)
    compare(late, good.late, concerned)
    fill_all(late, good.early, concerned)
    fill_all(good.late, later(spoilt, 0), concerned)


def compare(found: Sample, good: Sample, concerned: set[str]) -> None:
    """See that a spoilt machine and a sound one differ in nothing but the kinds concerned."""
    for name in set(good.frames) - concerned - {"source"}:
        assert values(found.frames[name]) == values(good.frames[name])


def read_from(asked: Mapping[str, set[str]], path: str) -> set[str]:
    """Return the kinds of the sources that read a file."""
    return {kind.name for source in SOURCES if source.name in asked[path] for kind in source.kinds}


def later(tree: Any, seconds: int = 5) -> Sample:
    """Sample a tree whose files have a time."""
    tree.times = dict.fromkeys(tree.files, (1000 + seconds) * 10**9)
    return sample_once(tree, "a capture")


FILES = sorted({*COMMON, *device(0x7000, "dasda")[0], "proc/diskstats"})
NONSENSE = (
    st.binary(max_size=200)
    | st.sampled_from(
        [b"", b"\0", b"-1\n", b"nan\n", b"inf\n", b"1e999\n", b"\xff" * 64, b"9" * 400, b"9" * 5000]
    )
    | st.integers(-(1 << 80), 1 << 80).map(lambda n: f"{n}\n".encode())
)


@MANY
@given(path=st.sampled_from(FILES), nonsense=NONSENSE)
def test_garbage_in_any_file_concerns_its_source_alone(
    make_tree: Callable[..., Tree], path: str, nonsense: bytes
) -> None:
    """Whatever bytes a file holds, the sample comes out and tables can be filled from it."""

    def spoil(tree: Any) -> str:
        tree.files[path] = nonsense
        return path

    untouched(make_tree, spoil)
    breaks_no_screen(make_tree, spoil)


@MANY
@given(path=st.sampled_from(FILES), at=st.integers(0, 200), byte=st.integers(0, 255))
def test_one_wrong_byte_in_any_file_concerns_its_source_alone(
    make_tree: Callable[..., Tree], path: str, at: int, byte: int
) -> None:
    """As the test before, with files that are nearly right."""

    def spoil(tree: Any) -> str:
        content = bytearray(tree.files[path])
        content[at % len(content)] = byte
        tree.files[path] = bytes(content)
        return path

    untouched(make_tree, spoil)


@MANY
@given(
    path=st.sampled_from(FILES),
    number=st.sampled_from(
        [errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENODEV, errno.EIO, errno.EBUSY, errno.EFBIG]
    ),
)
def test_an_error_of_any_file_concerns_its_source_alone(
    make_tree: Callable[..., Tree], path: str, number: int
) -> None:
    """It may be refused, vanish while it is read, or fail."""

    def spoil(tree: Any) -> str:
        tree.errors[path] = OSError(number, os.strerror(number), path)
        return path

    untouched(make_tree, spoil)


@pytest.mark.parametrize("path", FILES)
def test_any_file_may_vanish_between_samples(machine: Any, path: str) -> None:
    """What was read before does not keep the next sample from coming out."""
    steady = sampler(machine)
    before = steady.sample()
    machine.files["proc/diskstats"] = diskstats({"dasda": 105, "dasdb": 105})
    del machine.files[path]
    after = steady.sample()
    assert set(after.frames) == set(KINDS)
    fill_all(after, before)


def test_the_threads_of_a_sampler_end_with_it(make_tree: Callable[..., Tree]) -> None:
    """A sampler that nobody uses any more leaves no thread behind."""
    before = set(threading.enumerate())
    sampler = Sampler(make_tree({"proc/diskstats": diskstats({"dasda": 1})}), Choice())
    sampler.sample()
    begun = set(threading.enumerate()) - before
    assert begun
    del sampler
    for thread in begun:
        thread.join(timeout=10)
    assert not any(thread.is_alive() for thread in begun)


def test_a_source_that_hangs_leaves_the_others(machine: Any) -> None:
    """Its frames say so; when it answers, the next sample has them."""
    go, asked = threading.Event(), threading.Event()
    read = machine.read

    def hanging(path: str, at_once: int = 65536) -> bytes:
        if path == "proc/stat":
            asked.set()
            assert go.wait(60.0)
        found: bytes = read(path, at_once)
        return found

    machine.read = hanging
    steady = sampler(machine)
    steady._deadline = 0.3
    sample = steady.sample()
    assert asked.is_set()
    why = sample.frame(CPU).missing
    assert why is not None
    assert why.reason.startswith("/proc/stat ")
    assert sample.frame(SOURCE).cell("cpus", "state") == "hangs"
    assert sample.frame(BLOCK).keys == ["dasda", "dasdb"]
    go.set()


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize(
    "nonsense",
    [
        b"9" * 400 + b"\n",
        pytest.param(b"-7\n", marks=pytest.mark.whole_days),
        pytest.param(b"18446744073709551615\n", marks=pytest.mark.whole_days),
    ],
)
def test_a_number_that_cannot_be_breaks_no_screen(
    make_tree: Callable[..., Tree], path: str, nonsense: bytes
) -> None:
    """A hostile capture may say any number in any file."""

    def spoil(tree: Any) -> str:
        tree.files[path] = nonsense
        return path

    breaks_no_screen(make_tree, spoil)


@pytest.mark.parametrize("column", range(3, 14))
def test_a_huge_count_in_a_line_breaks_no_screen(make_tree: Callable[..., Tree], column: int) -> None:
    """Each number of a line of /proc/diskstats may be nonsense of its own."""

    def spoil(tree: Any) -> str:
        words = tree.files["proc/diskstats"].split(b" ")
        places = [place for place, word in enumerate(words) if word]
        words[places[column]] = b"9" * 400
        tree.files["proc/diskstats"] = b" ".join(words)
        return "proc/diskstats"

    breaks_no_screen(make_tree, spoil)


class Answering:
    """Files of a server that answers after the first sample."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.answers = False

    def containers(self) -> list[ListedFile]:
        """Return the file, or why there is none."""
        if not self.answers:
            raise ValueError("no answer yet")
        return [ListedFile(self.path)]

    def changed(self) -> bool:
        """Tell once that it answers."""
        return self.answers

    def lacking(self) -> str:
        """Say why its file is not known."""
        return "" if self.answers else "no answer yet"


def test_files_that_become_known_later_are_looked_at_in_the_next_sample(tmp_path: Path) -> None:
    """Until then the reason is given; they do not wait for the next look at all files."""
    later = Answering(str(tmp_path))
    sampler = Sampler(LiveTree("/"), Choice((CONTAINER,), later=later), deadline=60.0)
    missing = sampler.sample().frame(CONTAINER).missing
    assert missing is not None
    assert missing.reason == "no answer yet"
    later.answers = True
    (tmp_path / "file").write_text("x")
    assert str(tmp_path / "file") in sampler.sample().frame(CONTAINER).keys


def test_why_files_are_lacking_is_said_beside_those_that_are_listed(tmp_path: Path) -> None:
    """A server that does not answer is not hidden by another listing that does."""
    (tmp_path / "file").write_text("x")
    listed = (ListedFile(str(tmp_path / "file")),)
    later = Answering(str(tmp_path))
    sampler = Sampler(LiveTree("/"), Choice((CONTAINER,), containers=listed, later=later), deadline=60.0)
    found = sampler.sample()
    assert len(found.frame(CONTAINER).keys) == 1
    source = found.frame(SOURCE)
    assert (source.cell("containers", "state"), source.cell("containers", "reason")) == (
        "ok",
        "no answer yet",
    )
    later.answers = True
    assert sampler.sample().frame(SOURCE).cell("containers", "reason") == ""


def test_what_seldom_changes_is_repeated_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader gets its last frame, unless a minute has passed or devices came or went."""
    now, given = [0.0], list[object]()
    frames = [empty_frame(CPU, f"frame {number}") for number in range(5)]

    def read(_tree: Tree, recent: object) -> Frame:
        given.append(recent)
        return frames[len(given) - 1]

    monkeypatch.setattr("zmon.kernel.sampler.find_reader", lambda _source: read)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    source = next(source for source in SOURCES if source.whole_every)
    reader = SourceReading(source, LiveTree(), Choice())
    for seconds in (1, 1, 58, 1):
        now[0] += seconds
        assert reader.read_frames() == [frames[len(given) - 1]]
    reader.devices_changed()
    reader.read_frames()
    assert given == [None, frames[0], frames[1], None, None]


def test_processes_are_read_while_they_are_wanted_and_not_else() -> None:
    """They cost by the process, so only a screen that is open, or an option, has them read."""
    sampler = Sampler(LiveTree(), Choice((PROCESS, MEMORY)))
    assert sampler.sample().frame(PROCESS).missing is not None
    sampler.want((PROCESS,))
    assert sampler.sample().frame(PROCESS).keys
    sampler.want((MEMORY,))
    assert sampler.sample().frame(PROCESS).missing is not None
    assert Sampler(LiveTree(), Choice((PROCESS,), processes=True)).sample().frame(PROCESS).keys
