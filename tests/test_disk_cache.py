"""What is kept on disk is what would be made now, and nothing else."""

from __future__ import annotations

import multiprocessing
import os
import shutil
from typing import TYPE_CHECKING, Final

import pytest

from tests import disk_cache, once
from tests.disk_cache import ROOT, digest_of, files_behind, kept, sources_digest
from tests.judged_days import JUDGING, judge_anew, source_of, steps_anew
from tests.lab.plans import small
from zmon.base.absent import absent
from zmon.base.clock import MINUTE
from zmon.diagnosis import judged as diagnosed
from zmon.rule.grammar import load_rules
from zmon.session.exception_log import ExceptionLog
from zmon.session.navigator import Navigator
from zmon.session.recording import open_recording

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

LABORATORY: Final = "zmon.lab.simulation"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what this test makes in a directory of its own."""
    monkeypatch.setattr(disk_cache, "CACHE", tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources that a test may change."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "zmon", root / "zmon")
    return root


@pytest.mark.parametrize(
    ("modules", "path", "changes"),
    [
        ((LABORATORY,), "zmon/lab/engine.py", True),
        ((LABORATORY,), "zmon/lab/dice.py", True),
        ((LABORATORY,), "zmon/tables/device.py", False),
        ((LABORATORY,), "zmon/diagnosis/aliases.py", False),
        (JUDGING, "zmon/diagnosis/aliases.py", True),
        (JUDGING, "zmon/tables/device.py", True),
        (JUDGING, "zmon/ui/glass.py", False),
        (JUDGING, "zmon/cli/diagnose.py", False),
    ],
)
def test_a_change_of_what_it_follows_from_changes_the_key(
    modules: tuple[str, ...], path: str, changes: bool, checkout: Path
) -> None:
    """A change of the laboratory makes phases anew, one of a cause verdicts, and one elsewhere nothing."""
    text = (checkout / path).read_text()
    (checkout / path).write_text(f"{text}\n# another line\n")
    after = digest_of(*modules, root=checkout)
    (checkout / path).write_text(text)
    assert (after != sources_digest(*modules)) is changes


def test_all_that_a_module_imports_is_behind_it() -> None:
    """Through others too, inside of functions and by the packages above; not what only types need."""
    files = {str(path.relative_to(ROOT)) for path in files_behind(LABORATORY)}
    assert {"zmon/__init__.py", "zmon/lab/__init__.py", "zmon/lab/engine_state.py"} <= files
    assert "zmon/session/timeline.py" not in files


def test_a_reason_that_is_kept_is_the_same_object(cache: Path) -> None:  # noqa: ARG001 - where it is kept
    """Code compares reasons by identity."""
    reason = absent("nobody asked in this test")
    assert kept("reasons", "1", lambda: [reason])[0] is reason


def test_what_cannot_be_read_is_made_anew(cache: Path) -> None:
    """A file that was cut short or holds something else costs time, and no test."""
    assert kept("things", "1", lambda: 7) == 7
    (path,) = (file for file in (cache / "things").iterdir() if file.suffix != ".lock")
    path.write_bytes(b"\x80\x05 nonsense")
    assert kept("things", "1", lambda: 8) == 8
    assert kept("things", "1", lambda: 9) == 8


def _want(cache: Path, barrier: Barrier, made: Path) -> None:
    disk_cache.CACHE = cache  # type: ignore[misc]  # in a process of its own

    def make() -> int:
        with made.open("a") as file:
            file.write("made\n")
        return 7

    barrier.wait()
    assert kept("things", "1", make) == 7


def test_two_who_want_the_same_make_it_once(cache: Path, tmp_path: Path) -> None:
    """One waits for the other that makes it, and reads it."""
    context = multiprocessing.get_context("spawn")
    barrier, made = context.Barrier(2), tmp_path / "made"
    workers = [context.Process(target=_want, args=(cache, barrier, made)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert made.read_text() == "made\n"


def test_what_nobody_wants_is_forgotten(cache: Path) -> None:
    """Files and directories that were made or read last more than a week ago; no others."""

    def make_directory(path: Path) -> None:
        path.mkdir()
        (path / "file").write_text("made")

    for name in ("old", "wanted", "new"):
        kept("value", name, lambda: "made")
        disk_cache.kept_file("directory", name, make_directory)
        if name != "new":
            for path in cache.glob(f"*/{name}*"):
                os.utime(path, (0, 0))
    kept("value", "wanted", lambda: "made")
    disk_cache.kept_file("directory", "wanted", make_directory)
    disk_cache.forget_old()
    left = {path.name for path in cache.glob("*/*") if path.suffix != ".lock"}
    assert left == {"wanted", "new"}


def test_intervals_that_are_kept_are_those_that_are_simulated(cache: Path) -> None:
    """Whoever asks for few or many, first or later, and after a process that was killed while it wrote."""
    plan = small(40, 30)
    anew = once.run_anew(plan, 0, 30).first()
    for asked in (1, 2, 3, 20):
        assert once.KeptRun(plan, 0, 30).first(asked)[:asked] == anew[:asked]
        once._known.clear()
    (path,) = (cache / "phases").iterdir()
    path.write_bytes(path.read_bytes()[:-5])
    once._runs.clear()
    assert once.KeptRun(plan, 0, 30).first() == anew
    once._known.clear()
    assert once.KeptRun(plan, 0, 30).first() == anew
    assert once.KeptRun(plan, 0, 30).first_look(1) == once.run_anew(plan, 0, 30).first_look(1)


def test_exceptions_that_are_kept_are_those_that_are_judged() -> None:
    """At any time of a recording, whoever asked for another time before, or wants no more than a part."""
    path = str(ROOT / "recordings/hercules-two-hot-files-before.zmon")
    timeline, other = open_recording(path), open_recording(path)
    begin, end = timeline.span() or (0, 0)
    rules = load_rules()
    remembered = ExceptionLog(timeline, rules)
    remembered.confine(0, end)  # so that it does not read what a recorder has stored
    for part in (0.1, 0.5, 0.5, 0.9, 2.0):
        anew, until = ExceptionLog(other, rules), round(begin + part * (end - begin))
        anew.confine(0, end)
        judge_anew(anew, until)
        remembered.advance(until)
        assert remembered.entries() == anew.entries()
        assert remembered.until == anew.until
    assert anew.entries()
    half, anew = ExceptionLog(timeline, rules), ExceptionLog(other, rules)
    for log in (half, anew):
        log.confine(0, (begin + end) // 2)
    half.advance()
    judge_anew(anew)
    assert half.exceptions() == anew.exceptions()
    assert source_of(timeline) == source_of(other)
    timeline.close()
    other.close()


def test_steps_that_are_kept_are_those_that_are_judged() -> None:
    """Of times that overlap, too."""
    timeline = open_recording(str(ROOT / "recordings/lab-shark-before.zmon"))
    begin, _ = timeline.span() or (0, 0)
    for first, last in ((17, 21), (19, 23)):
        navigator = Navigator(timeline)
        for name, minute in (("A", first), ("B", last)):
            navigator.seek(begin + minute * MINUTE)
            navigator.mark(name)
        navigator.average()
        view = navigator.view()
        assert view is not None
        remembered = list(diagnosed._judged(view))
        vars(view.history)["source"] = ""
        told = [
            [(*step[:2], step.troubles, step.uses, step.found.sentence, step.found.waiting) for step in each]
            for each in (remembered, steps_anew(view))
        ]
        assert told[0] == told[1]
        assert len(told[0]) >= last - first
    timeline.close()
