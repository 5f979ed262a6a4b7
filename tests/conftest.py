"""What all tests share: a tree of kernel files that lives in memory."""

from __future__ import annotations

import errno
import gc
import json
import os
import posixpath
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.disk_cache import forget_old
from tests.frames import frame_of
from tests.judged_days import judge_anew, judge_once, plan_anew, steps_anew
from tests.lab.plans import shorter
from tests.once import compute_once, run_anew
from zmon.base.mistake import TRACE, forget_mistakes, mistakes
from zmon.diagnosis import judged as diagnosed
from zmon.interval import Interval
from zmon.lab import scenario, simulation
from zmon.placement import planner, spread_report
from zmon.sample import Instant, Sample
from zmon.session.exception_log import ExceptionLog
from zmon.session.timeline import Section, Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.event import Event
    from zmon.kernel.tree import Tree
    from zmon.sample import Kind

    Rows = Mapping[Kind, Mapping[str, Mapping[str, Value]]]

# `fast` tries the same few examples each time, `brief` fewer where the interpreter is what is tested
# (.ci/suite-on), `thorough` many new ones: `make test-thorough`.
settings.register_profile("brief", max_examples=10, derandomize=True, deadline=None)
settings.register_profile("fast", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("thorough", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

# What a screen is drawn with depends on the terminal and the locale: here they are always the same.
# Settings of the machine and of the user are not read.
os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", TZ="UTC", ZMON_CONFIG="", XDG_CONFIG_HOME=os.devnull)
time.tzset()
for name in ("LC_ALL", "LC_CTYPE", "NO_COLOR", "ZMON_PLOT"):
    os.environ.pop(name, None)

# What the caller ignores, SIGHUP under nohup and SIGINT behind an `&`, every program that a test starts would
# ignore, too; a handler is not inherited.
for number, handler in ((signal.SIGHUP, lambda *_: None), (signal.SIGINT, signal.default_int_handler)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


MEMORY = "/dev/shm"  # noqa: S108 - pytest makes a directory of the user's own there
"""A file system in memory: tests make twenty thousand files, and would wait for a disk at each commit."""
ROOM = 2 << 30
"""Bytes that have to be free there; three runs of all tests, which pytest keeps, take one."""


def pytest_configure() -> None:
    """Collect no garbage while modules are imported, as nothing of them goes; have files kept in memory."""
    gc.disable()
    compute_once()
    judge_once()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        forget_old()
        if has_room(MEMORY):
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)


def has_room(path: str) -> bool:
    """Return whether a directory takes the files of tests, some of which are programs."""
    if not os.access(path, os.W_OK | os.X_OK):
        return False
    system = os.statvfs(path)
    return system.f_bavail * system.f_frsize >= ROOM and not system.f_flag & os.ST_NOEXEC


READERS = frozenset({"collected", "cp", "kernel", "listing", "store"})
"""The folders of what reads bytes and text, where another Python shows first."""
MODELS = frozenset({"diagnosis", "placement"})
"""The folders of what calculates, for long, as any Python does."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark for other Pythons what reads bytes and text, and every property but those of models."""
    folder = item.path.parent.name
    is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    if folder in READERS or (is_property and folder not in MODELS):
        item.add_marker("interpreter")


def pytest_xdist_auto_num_workers() -> int:
    """Have a worker more than there are processors: tests wait for terminals, programs and servers."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over ten thousand tests from here on, and come less often."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in a line for each reason how many tests were skipped; the reason says what they need."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason.removeprefix('Skipped: ')}")


class DictTree:
    """A tree made of dictionaries: contents, links, and what fails with which error.

    Links inside the tree are followed, as the kernel would.
    """

    def __init__(  # noqa: PLR0913 - each is one side of a tree, and all may be left out
        self,
        files: Mapping[str, bytes] | None = None,
        links: Mapping[str, str] | None = None,
        errors: Mapping[str, OSError] | None = None,
        *,
        live: bool = False,
        name: str = "a tree in memory",
        times: Mapping[str, int] | None = None,
    ) -> None:
        self.files = dict(files or {})
        self.links = dict(links or {})
        self.errors = dict(errors or {})
        self.live = live
        self.name = name
        self.times = dict(times or {})

    def _real(self, path: str) -> str:
        """Follow the links in a path."""
        done = ""
        for part in path.strip("/").split("/"):
            done = posixpath.join(done, part)
            if done in self.links:
                done = posixpath.normpath(posixpath.join(posixpath.dirname(done), self.links[done]))
                done = self._real(done)
        return done

    def read(self, path: str, at_once: int = 65536) -> bytes:  # noqa: ARG002 - all comes at once
        """Return the content, or raise the error that was planted there."""
        real = self._real(path)
        for name in (path, real):
            if name in self.errors:
                raise self.errors[name]
        if real not in self.files:
            raise FileNotFoundError(errno.ENOENT, "not in this tree", path)
        return self.files[real]

    def entries(self, path: str) -> list[str]:
        """Return the names below a directory."""
        if path in self.errors:
            raise self.errors[path]
        start = self._real(path).rstrip("/") + "/"
        below = {
            name[len(start) :].split("/")[0]
            for name in (*self.files, *self.links, *self.errors)
            if name.startswith(start)
        }
        if not below:
            raise FileNotFoundError(errno.ENOENT, "not in this tree", path)
        return sorted(below)

    def link(self, path: str) -> str:
        """Return the text of a link."""
        parent = self._real(posixpath.dirname(path))
        real = posixpath.join(parent, posixpath.basename(path))
        if real not in self.links:
            raise OSError(errno.EINVAL, "no link", path)
        return self.links[real]

    def when(self, path: str) -> int:
        """Return the planted time of a file, else 0."""
        return self.times.get(path, 0)


class ListSection(Section):
    """Samples that are all there; `samples` may grow, as a recording does."""

    def __init__(self, samples: Sequence[Sample], happened: Sequence[Event] = (), name: str = "") -> None:
        self.samples = list(samples)
        self.happened = happened
        self.name = name

    def __len__(self) -> int:
        return len(self.samples)

    def sample(self, number: int) -> Sample:
        """Return a sample."""
        return self.samples[number]

    def number_at(self, utc: int) -> int:
        """Return the last sample at a time or before."""
        return max((n for n, s in enumerate(self.samples) if s.at.utc <= utc), default=0)

    def span(self) -> tuple[int, int] | None:
        """Return the times of the first and the last."""
        return (self.samples[0].at.utc, self.samples[-1].at.utc) if self.samples else None

    def events(self, begin: int, end: int) -> list[Event]:
        """Return what was said to have happened in that time."""
        return [event for event in self.happened if begin <= event.end and event.begin <= end]


class ListTimeline(Timeline):
    """A timeline of samples that are all there; a live one takes them, and keeps what `kept` holds."""

    def __init__(  # noqa: PLR0913 - each is one side of a timeline, and all may be left out
        self,
        samples: Sequence[Sample],
        *,
        live: bool = False,
        name: str = "a list",
        happened: Sequence[Event] = (),
        loads: Sequence[Number] = (),
        kept: ListTimeline | None = None,
    ) -> None:
        section = ListSection(samples, happened)
        sections: list[ListSection] = [] if live else [section]
        if kept is not None:
            sections = kept.sections
        super().__init__(name, lambda: sections)
        self.live = live
        self.sections: list[ListSection] = sections
        self.listed = section.samples
        self.loads: Sequence[Number] = loads if kept is None else kept.loads
        self.taken = 0

    def take(self) -> Sample:
        """Take the next sample; without one, a thread that samples waits for ever."""
        if self.taken == len(self.listed) and threading.current_thread() is not threading.main_thread():
            threading.Event().wait()
        self.taken += 1
        return self.listed[self.taken - 1]

    def load(self, begin: int, end: int, buckets: int) -> Sequence[Number]:  # noqa: ARG002 - as was said
        """Return the load that was said."""
        return self.loads

    def note(self, utc: int, text: str) -> None:
        """Remember nothing."""


@pytest.fixture(autouse=True)
def no_mistakes() -> Iterator[None]:
    """Fail where a part of zmon has a mistake of its own, which users see as a value that is missing."""
    forget_mistakes()
    yield
    assert not mistakes()


@pytest.fixture
def mistaken(no_mistakes: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # noqa: ARG001 - ends first
    """Let a test make mistakes on purpose."""
    monkeypatch.delenv(TRACE, raising=False)
    yield
    forget_mistakes()


@pytest.fixture
def make_tree() -> Callable[..., Tree]:
    """Build a tree in memory: `make_tree(files, links, errors)`."""
    return DictTree


@pytest.fixture
def load_tree() -> Callable[..., Tree]:
    """Load `tests/fixtures/NAME.tree`: `load_tree(name, files, errors)`, with what is laid over it.

    One line per file below sys/devices/css0: `path = "content"`, `path -> target` or `path ! ENODEV`.
    """

    def load(
        name: str, files: Mapping[str, bytes] | None = None, errors: Mapping[str, OSError] | None = None
    ) -> Tree:
        tree = DictTree(name=name)
        for line in (Path(__file__).parent / "fixtures" / f"{name}.tree").read_text().splitlines():
            if line.startswith("#"):
                continue
            path, mark, value = line.split(" ", 2)
            path = f"sys/devices/css0/{path}"
            if mark == "=":
                tree.files[path] = json.loads(value).encode("latin-1")
            elif mark == "->":
                tree.links[path] = value
            else:
                number = getattr(errno, value)
                tree.errors[path] = OSError(number, os.strerror(number), path)
        tree.files |= files or {}
        tree.errors |= errors or {}
        return tree

    return load


@pytest.fixture(scope="module")
def disk() -> Iterator[Path]:
    """Return a directory whose files have a place on a disk, which those in memory have not."""
    with TemporaryDirectory() as directory:
        yield Path(directory)


@pytest.fixture
def on_disk(disk: Path, request: pytest.FixtureRequest) -> Path:
    """Return a directory for one test there."""
    return Path(mkdtemp(prefix=request.node.originalname, dir=disk))


@pytest.fixture(scope="session")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the captures that tests read and do not change."""
    return tmp_path_factory.mktemp("captures")


@pytest.fixture
def own_capture(tmp_path: Path) -> Path:
    """Have `lay_out` make a capture that the test may change."""
    return tmp_path


@pytest.fixture
def lay_out(request: pytest.FixtureRequest, captures: Path) -> Callable[[str], str]:
    """Lay `tests/fixtures/NAME.passes` out on disk as a capture, with its times.

    `@` begins a pass, which has all of the pass before that it does not replace.  A line is
    `path = "content"`, `path # hexadecimal+zeros` or `path -> target`; `@` and ns may stand behind.
    """
    own = "own_capture" in request.fixturenames
    folder = request.getfixturevalue("own_capture") if own else captures
    return lambda name: write_capture(folder, name)


def write_capture(folder: Path, name: str) -> str:
    """Write the passes of a fixture below a directory, unless they are there; return its path."""
    capture, label = folder / name, ""
    if capture.exists():
        return str(capture)
    files: dict[str, tuple[bytes, int]] = {}
    links: dict[str, str] = {}
    for line in (Path(__file__).parent / "fixtures" / f"{name}.passes").read_text().splitlines():
        if line.startswith("@ "):
            _write_pass(capture / label, files, links)
            label = line[2:]
        elif not line.startswith("#"):
            path, mark, value = line.split(" ", 2)
            if mark == "->":
                links[path] = value
                continue
            content, _, when = value.rpartition(" @") if " @" in value else (value, "", "0")
            files[path] = (_content(mark, content), int(when))
    _write_pass(capture / label, files, links)
    return str(capture)


def _content(mark: str, written: str) -> bytes:
    if mark == "=":
        return bytes(json.loads(written), "utf-8")
    digits, _, zeros = written.partition("+")
    return bytes.fromhex(digits) + bytes(int(zeros))


def _write_pass(root: Path, files: Mapping[str, tuple[bytes, int]], links: Mapping[str, str]) -> None:
    """Write one pass; directories of which a link stands for a part are not followed."""
    for path, target in links.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)
    for path, (content, when) in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
        os.utime(root / path, ns=(when, when))


def sample_of(rows: Rows, at: int) -> Sample:
    """Build a sample by hand: kind -> key -> field -> value."""
    frames = {kind.name: frame_of(kind, things, at) for kind, things in rows.items()}
    return Sample(Instant(at, at, "boot"), frames, "made by hand")


def interval_of(before: Rows | None, after: Rows, seconds: float = 60.0) -> Interval:
    """Build an interval by hand; kind -> key -> field -> value."""
    begin = 1_700_000_000_000_000_000
    earlier = None if before is None else sample_of(before, begin)
    return Interval(earlier, sample_of(after, begin + int(seconds * 1e9)))


@pytest.fixture
def make_interval() -> Callable[..., Interval]:
    """Build an interval by hand: `make_interval(before, after, seconds)`."""
    return interval_of


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate, judge and plan again what has been for another test."""
    monkeypatch.setattr(simulation, "PhaseRun", run_anew)
    monkeypatch.setattr(ExceptionLog, "advance", judge_anew)
    monkeypatch.setattr(diagnosed, "_judged", steps_anew)
    for module in (planner, spread_report):
        monkeypatch.setattr(module, "plan_moves", plan_anew)


@pytest.fixture
def short_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have three minutes of each phase of a scenario that a command names."""
    monkeypatch.setattr(scenario, "load_scenario", shorter)


@pytest.fixture
def zone() -> Iterator[Callable[[str], None]]:
    """Move the machine to another time zone, `zone("Europe/Berlin")`, until the test has ended.

    The C library keeps the zone that it was told last, so it is told again.
    """
    with pytest.MonkeyPatch.context() as patch:

        def move(name: str) -> None:
            patch.setenv("TZ", name)
            time.tzset()

        yield move
    time.tzset()


@pytest.fixture
def utc(zone: Callable[[str], None]) -> None:
    """Let clocks show UTC."""
    zone("UTC")
