"""Processes in recordings, captures and anonymous cuts say what the live machine said, and no more."""

from __future__ import annotations

import json
import unicodedata
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.kernel.test_blocked_task import READ, SYSTEM, TASK
from tests.kernel.test_processes import put
from zmon.cli.main import main
from zmon.cli.output import OK
from zmon.interval import Interval
from zmon.kernel.sampler import Choice, Sampler
from zmon.kinds import BLOCKED_TASK, PROCESS, ROUNDS
from zmon.machine.view import View
from zmon.sample import Instant, Sample, not_simulated
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.tables import blocked, wait_states
from zmon.tables.filled import fill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import DictTree

SECOND = 1_000_000_000
SCREENS: Final = ("USTAT", "UPROC", "BLOCKED")
SECRETS: Final = ("payroll", "acmebank", "salaries")
"""The names of a process, a service and a file."""
HOSTILE: Final = {
    "control characters": b"\x1b[2Ja\x07\r\x00\x7f\xc2\x9b31m",
    "invalid UTF-8": b"\xff" * 15,
    "half a letter": b"db2\xe2\x82",
    "parentheses": b"a) R 1 (b) D",
    "blanks": b" \t ",
    "from right to left": "\u202egnp.exe".encode(),
    "a command": b"DEVICE 7000;=x",
    "nothing": b"",
}


@pytest.fixture
def tree(make_tree: Callable[..., DictTree]) -> DictTree:
    """A service with a thread that waits in a read of a file, and a process of the kernel."""
    files = SYSTEM | {
        "proc/stat": b"cpu  1 2 3 4 5 6 7 0 0 0\ncpu0 1 2 3 4 5 6 7 0 0 0\n",
        "proc/loadavg": b"1.43 1.82 1.56 6/122 29106\n",
        "proc/sys/kernel/task_delayacct": b"0\n",
        f"{TASK}/fdinfo/4": b"pos:\t0\nflags:\t02\nmnt_id:\t40\n",
    }
    found = make_tree(files, {f"{TASK}/fd/4": "/db/salaries.dbf"})
    put(found, 3108, "D", name="payroll")
    found.files |= {
        f"{TASK}/cgroup": b"0::/system.slice/acmebank.service\n",
        f"{TASK}/syscall": READ,
        f"{TASK}/wchan": b"submit_bio_wait",
    }
    put(found, 10, "R", name="kswapd0")
    found.files["proc/10/cgroup"] = b"0::/\n"
    return found


def watched(tree: DictTree) -> list[Sample]:
    """Take three samples, in which the waiting process runs once, and then waits on."""
    sampler = Sampler(tree, Choice((ROUNDS, PROCESS, BLOCKED_TASK), processes=True))
    found = []
    for second, run in enumerate((100, 4_000_000, 4_000_000), 5):
        tree.times = {"proc": second * SECOND, "proc/stat": second * SECOND}
        tree.files[f"{TASK}/schedstat"] = b"%d %d 3\n" % (run, run // 2)
        found.append(sampler.sample())
    return found


def written(path: Path, samples: list[Sample]) -> str:
    """Record samples."""
    writer = Writer(str(path))
    for sample in samples:
        writer.append(sample)
    writer.close()
    return str(path)


def on_disk(tree: DictTree, root: Path) -> str:
    """Make files and links of a tree; links lead nowhere."""
    for name, content in tree.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    for name, target in tree.links.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    return str(root)


def figures(samples: list[Sample]) -> list[Any]:
    """Return what the three screens say of each interval."""
    views = [View(Interval(one, other)) for one, other in zip([None, *samples], samples, strict=False)]
    fill = (wait_states.table, wait_states.process_table, blocked.table)
    return [each(view) for view in views for each in fill]


def printed(capsys: pytest.CaptureFixture[str], screen: str, source: str, form: str = "json") -> str:
    """Return a screen as `zmon show` prints it."""
    capsys.readouterr()
    assert main(["show", screen, "-f", form, "--from", source]) == OK
    return capsys.readouterr().out


def rows(capsys: pytest.CaptureFixture[str], screen: str, source: str) -> list[dict[str, Any]]:
    """Return the rows of a screen."""
    found: list[dict[str, Any]] = json.loads(printed(capsys, screen, source))["rows"]
    return found


def test_a_recording_has_the_figures_of_the_live_machine(tree: DictTree, tmp_path: Path) -> None:
    """Of every interval: rates, percentages of samples, places, notes, and how long a task waits."""
    live = watched(tree)
    with closing(Recording(written(tmp_path / "x.zmon", live))) as recording:
        replayed = figures([recording.sample(number) for number in range(len(recording))])
    assert replayed == figures(live)
    last = replayed[-3:]
    assert last[0].keys == ["/system.slice/acmebank.service", wait_states.NOBODY]
    assert last[1].column("iow") == [0.0, 100.0]
    assert last[2].column("file") == ["/db/salaries.dbf"]
    assert last[2].column("waiting") == [1.0]  # it ran before the second sample


def test_a_recording_without_processes_says_that_nobody_looked(
    tree: DictTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With `--processes` they are recorded."""
    root = on_disk(tree, tmp_path / "root")
    for options, keys in (((), []), (("--processes",), ["10", "3108"])):
        folder = str(tmp_path / f"recorded{len(options)}")
        assert main(["record", folder, "--root", root, "-n", "1", *options]) == OK
        assert [row["key"] for row in rows(capsys, "UPROC", folder)] == keys
        assert bool(json.loads(printed(capsys, "BLOCKED", folder)).get("missing")) is not bool(options)


def test_a_capture_with_processes_is_read_as_the_machine_was(
    tree: DictTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The open file of the task that waits among it; imported it says the same."""
    capture, recording = str(tmp_path / "x.tar.gz"), str(tmp_path / "x.zmon")
    root = on_disk(tree, tmp_path / "root")
    assert main(["capture", capture, "--root", root, "-n", "2", "-i", "0.1", "--processes"]) == OK
    assert main(["import", capture, recording]) == OK
    for source in (capture, recording):
        (one,) = rows(capsys, "BLOCKED", source)
        assert (one["command"], one["device"], one["file"]) == ("payroll", "94:5", "/db/salaries.dbf")
        assert [row["command"] for row in rows(capsys, "UPROC", source)] == ["kswapd0", "payroll"]
        assert [row["unit"] for row in rows(capsys, "USTAT", source)] == ["acmebank", wait_states.NOBODY]
    for screen in SCREENS:
        assert rows(capsys, screen, capture) == rows(capsys, screen, recording)


def test_an_anonymous_cut_names_no_process_service_or_file(tree: DictTree, tmp_path: Path) -> None:
    """The figures stay, and so do numbers of tasks and places in the kernel."""
    samples = watched(tree)
    cut = str(tmp_path / "cut.zmon")
    assert main(["cut", "--anonymise", written(tmp_path / "x.zmon", samples), cut]) == OK

    def texts(one: Sample) -> str:
        return " ".join(
            str((frame.keys, dict(frame.columns), frame.missing)) for frame in one.frames.values()
        )

    assert all(secret in texts(samples[-1]) for secret in SECRETS)
    with closing(Recording(cut)) as recording:
        found = [recording.sample(number) for number in range(len(recording))]
        for one, other in zip(samples, found, strict=True):
            assert not [secret for secret in SECRETS if secret in texts(other)]
            for kind, same in (
                (ROUNDS, tuple(ROUNDS.by_name)),
                (PROCESS, ("started", "run", "io", "running", "place", "threads")),
                (BLOCKED_TASK, ("process", "waiting", "state", "place", "devices", "evidence")),
            ):
                assert other.frame(kind).keys == one.frame(kind).keys
                for name in same:
                    assert list(other.frame(kind).column(name)) == list(one.frame(kind).column(name))
        names = found[-1].frame(PROCESS), found[-1].frame(BLOCKED_TASK)
        assert names[0].cell("3108", "command") == names[1].cell("3108", "command")
        assert str(names[1].cell("3108", "file")).startswith("PATH")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("screen", SCREENS)
def test_a_name_that_a_task_gives_itself_is_a_text(
    screen: str, name: bytes, tree: DictTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It hides no state, adds no line, and commands no terminal; its file and service likewise."""
    clean = screen_lines(capsys, screen, written(tmp_path / "clean.zmon", watched(tree)))
    stat = tree.files[f"{TASK}/stat"]
    tree.files[f"{TASK}/stat"] = stat.replace(b"(payroll)", b"(%s)" % name)
    tree.files[f"{TASK}/cgroup"] = b"0::/system.slice/" + name.replace(b"\0", b"") + b".service\n"
    tree.links[f"{TASK}/fd/4"] = "/db/" + name.decode("utf-8", "surrogateescape")
    source = written(tmp_path / "x.zmon", watched(tree))
    found = screen_lines(capsys, screen, source)
    assert len(found) == len(clean)
    assert {unicodedata.category(letter) for letter in "".join(found)}.isdisjoint({"Cc", "Cf", "Cs"})
    for row in rows(capsys, screen, source):
        for value in row.values():
            assert not isinstance(value, str) or value.isprintable()
    (task,) = rows(capsys, "BLOCKED", source)
    assert (task["task"], task["state"], task["device"]) == (3108, "io", "94:5")


def screen_lines(capsys: pytest.CaptureFixture[str], screen: str, source: str) -> list[str]:
    """Return the lines of a screen as text."""
    return printed(capsys, screen, source, "text").rstrip("\n").split("\n")


def test_the_laboratory_says_that_it_has_no_processes() -> None:
    """Nobody can record them there, so no option that would is named."""
    simulated = Interval(None, Sample(Instant(SECOND, SECOND, "lab"), {}, simulated=True))
    for table, kind in (("wait_states", PROCESS), ("processes", PROCESS), ("blocked", BLOCKED_TASK)):
        assert fill(table, View(simulated)).missing == not_simulated(kind).missing
