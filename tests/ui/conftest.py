"""A small machine in memory, and the glass on it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

import pytest
import textual.app
from textual._context import active_app
from textual._wait import wait_for_idle

from tests.conftest import ListTimeline
from tests.frames import frame_of
from zmon.base.event import Event, What
from zmon.kinds import BLOCK, CHANNEL, CMF, DASD, DEVICE, HISTOGRAMS, MACHINE, PROFILE, buckets
from zmon.sample import Instant, Sample
from zmon.screen.definition import load_screens
from zmon.session.session import Session
from zmon.ui.actions import GlassActions
from zmon.ui.app import Zmon
from zmon.ui.glass import Glass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from textual.pilot import Pilot

    from zmon.base.absent import Value

NOON = 1_800_014_400_000_000_000
MINUTE = 60_000_000_000
MS = 1_000_000
BUSY = {"40": 12, "41": 55, "42": 82}
"""Percent busy of each channel path."""


LOADS = (2, 3, 2, 9, 7, 1, 4, 4)
"""How busy the machine was in each eighth of the time."""
SLOW = Event(What.CLOCK, NOON + MINUTE, NOON + MINUTE, "0.0.7000", "0.0.7000 answered in 48 ms", "DEVICE")

TURNS: Final = 50
"""Turns of the loop after which a message has been passed on to whom it concerns."""
SOON: Final = 50
"""Milliseconds after which a reading takes long, and is waited for until the process rests."""
_opened: Final[WeakSet[Zmon]] = WeakSet()
"""The programs that have been waited for, once, as Textual does: until their process rests."""


async def passed_on(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Let a key be handled that was pressed, and what the thread that reads is asked for by it.

    Textual waits in fiftieths of a second until the process rests; the glass says when nothing is awaited.
    """
    app = active_app.get()
    if not isinstance(app, Zmon) or app not in _opened:
        await wait_for_idle(min_sleep, max_sleep)
        if isinstance(app, Zmon):
            _opened.add(app)
        return
    await _turns()
    for _ in range(SOON):
        if not app.is_running or app.glass.settled:
            return
        await asyncio.sleep(0.001)
        await _turns()
    await wait_for_idle(min_sleep, max_sleep)


async def _turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


textual.app.wait_for_idle = passed_on  # type: ignore[attr-defined]  # after each key


def response(unit: int, number: int, minute: int) -> int:
    """Return the response time of a volume in ms; in odd minutes the order of LCU 0 is turned round."""
    if unit:
        return 2
    return 4 * (number + 1) if minute % 2 else 4 * (12 - number)


def profile(minute: int) -> dict[str, Value]:
    """Return what the driver counted: after the first minute requests become twice as slow."""
    shape = (1, 5, 20, 40, 25, 8, 1)
    row: dict[str, Value] = {
        "start": f"{NOON // 1_000_000_000}.0", "scale": 1, "via": "debugfs", "requests": 6000 * minute,
        "sectors": 48_000 * minute, "read_requests": 4500 * minute, "pav": 1500 * minute, "hpf": 0,
    }  # fmt: skip
    for name in HISTOGRAMS:
        counts = [0] * len(buckets(name))
        for each in range(minute):
            for place, count in enumerate(shape, 5 + bool(each)):
                counts[place] += 60 * count
        row |= dict(zip(buckets(name), counts, strict=True))
    return row


def machine(minute: int, volumes: int = 12) -> Sample:
    """Return what a machine with two control units, the first of them hot, shows after some minutes."""
    at = NOON + minute * MINUTE
    places = [(unit, number) for unit in range(2) for number in range(volumes)]
    busids = {place: f"0.0.7{place[0]}{place[1]:02x}" for place in places}
    devices: dict[str, dict[str, Value]] = {}
    cmf: dict[str, dict[str, Value]] = {}
    block: dict[str, dict[str, Value]] = {}
    dasd: dict[str, dict[str, Value]] = {}
    for place, busid in busids.items():
        unit, number = place
        name = f"dasd{unit * 12 + number}"
        devices[busid] = {
            "subchannel": f"0.0.{unit}{number:03x}", "chpids": "40 41" if unit else "41 42",
            "pim": 0xC0, "pam": 0xC0, "pom": 0xC0, "vpm": 0xC0, "driver": "dasd-eckd", "status": "online",
            "availability": "good", "discipline": "ECKD", "block": name, "devtype": "3390/0c",
            "cutype": "3990/e9", "uid": f"IBM.75000000ABCD1.0{unit}00.{number:02x}", "online": 1, "alias": 0,
        }  # fmt: skip
        starts = sum(600 // (unit * 9 + 1) for _ in range(minute))
        waited = sum(600 // (unit * 9 + 1) * response(unit, number, m) for m in range(1, minute + 1))
        cmf[busid] = {
            "ssch": starts, "samples": starts, "pending": starts * MS // 5, "disconnect": starts * MS // 2,
            "connect": starts * MS, "cu_queue": 0, "elapsed": minute * MINUTE, "error": 0,
        }  # fmt: skip
        block[name] = {
            "busid": busid, "reads": starts, "writes": 0, "read_ms": waited, "write_ms": 0,
            "sectors_read": starts * 8, "sectors_written": 0, "in_flight": 0, "weighted_ms": waited,
            "size": 14_424_480, "nr_requests": 128,
        }  # fmt: skip
        dasd[busid] = {"name": name, "volser": f"PAY{unit}{number:02X}"}
    channels: dict[str, dict[str, Value]] = {
        f"0.{chpid}": {
            "type": "1b", "cmg": "2", "status": "online", "configure": "1", "shared": "1",
            "timestamp": minute * MINUTE // 128_000 % (1 << 24), "max_work_units": 1000,
            "work_units_cpc": minute * busy * 600, "work_units": minute * busy * 60,
        }
        for chpid, busy in BUSY.items()
    }  # fmt: skip
    frames = (
        frame_of(MACHINE, {"machine": {"type": "8561", "sequence": "00000000000ABCD1"}}, at),
        frame_of(DEVICE, devices, at),
        frame_of(CMF, cmf, at),
        frame_of(BLOCK, block, at),
        frame_of(DASD, dasd, at),
        frame_of(CHANNEL, channels, at),
        frame_of(PROFILE, {"global": profile(minute)}, at),
    )
    return Sample(Instant(at, at, "boot"), {f.kind.name: f for f in frames}, "a machine in memory")


@pytest.fixture
def make_sample() -> Callable[..., Sample]:
    """Make the machine's sample of a minute: `make_sample(3)`, or with fewer volumes."""
    return machine


@pytest.fixture
def make_timeline() -> Callable[..., ListTimeline]:
    """Make a tape of samples: `make_timeline(samples, live=True)`."""
    return ListTimeline


@pytest.fixture
def open_session(utc: None) -> Callable[[str], Session]:  # noqa: ARG001 - clocks on the screens show UTC
    """Open a screen on the last of four minutes: `open_session("DEVICE")`."""

    def opened(first: str) -> Session:
        timeline = ListTimeline(
            [machine(minute) for minute in range(4)], name="a machine in memory", happened=[SLOW], loads=LOADS
        )
        found = Session(timeline, load_screens(), first)
        found.end()
        return found

    return opened


@pytest.fixture
def session(open_session: Callable[[str], Session]) -> Session:
    """Return a session on the menu, at the last of four minutes."""
    return open_session("MENU")


@pytest.fixture
def glass(session: Session) -> Glass:
    """Return the glass on the menu."""
    return Glass(session, actions=GlassActions())


@pytest.fixture
def on_terminal(session: Session, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run a test on a terminal without a terminal: `on_terminal(test, size)`."""
    monkeypatch.setenv("ZMON_THEME", "3270")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")

    @asynccontextmanager
    async def running(size: tuple[int, int]) -> AsyncIterator[tuple[Zmon, Pilot[int]]]:
        app = Zmon(session, 1.0)
        async with app.run_test(size=size) as pilot:
            await settled(app, pilot, overview=False)
            yield app, pilot

    def run(
        test: Callable[[Zmon, Pilot[int]], Coroutine[Any, Any, None]], size: tuple[int, int] = (80, 24)
    ) -> None:
        async def all_of_it() -> None:
            async with running(size) as (app, pilot):
                await test(app, pilot)

        asyncio.run(all_of_it())

    return run


async def settled(app: Zmon, pilot: Pilot[Any], *, overview: bool = True) -> None:
    """Wait until nothing is awaited any more from the thread that reads and fills, the overview too."""
    for _ in range(6000):
        await passed_on()
        there = app.glass.session.overview if overview else app.glass.interval
        if app.glass.settled and not app.glass.concluding and there is not None:
            await pilot.pause()
            return
        await asyncio.sleep(0.001)
    raise AssertionError("nothing settles")


@pytest.fixture
def settle() -> Callable[[Zmon, Pilot[int]], Coroutine[Any, Any, None]]:
    """Give tests the function that waits until all that was asked for is shown."""
    return settled


@pytest.fixture
def seen() -> Callable[[Zmon], list[str]]:
    """Return what is painted, line by line, without blanks at the ends.

    Textual has no public way to ask for it; this is the one place that goes behind it.
    """

    def look(app: Zmon) -> list[str]:
        strips = app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    return look
