"""`kill -9` at any time costs at most the sample that was being written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Self

from tests.store.machine import samples, told
from zmon.base.clock import DAY
from zmon.store.check import find_damage
from zmon.store.day import days
from zmon.store.reader import Recording

KILLS = int(os.environ.get("ZMON_TEST_KILLS", "30"))
"""How often; more finds what is rare."""

ROOT = Path(__file__).parents[2]
SEED = 11
DAY_LASTS = 17
"""Samples of a day, so that new files are made again and again."""


class Kept:
    """What is in a directory of recordings, compared with what was recorded."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.samples = samples(SEED, DAY // DAY_LASTS)
        self.told: list[object] = []
        self.count = 0

    def expected(self, number: int) -> object:
        """Return what a sample was when it was recorded."""
        while len(self.told) <= number:
            self.told += map(told, islice(self.samples, 100))
        return self.told[number]

    def look(self, *, from_begin: bool = False) -> None:
        """See that every file is whole and holds what was recorded."""
        place = 0
        for file in days(str(self.directory)).days:
            recording = Recording(file.path)
            here = range(place, place + len(recording))
            place = here.stop
            if from_begin or place > self.count:
                assert list(find_damage(recording)) == []
                for number in here:
                    assert told(recording.sample(number - here.start)) == self.expected(number), number
            recording.close()
        self.count = place


class Recorders:
    """Recorders of the same samples, one after the other."""

    def __init__(self, directory: Path) -> None:
        command = [sys.executable, "-m", "tests.store.machine", str(directory), str(SEED), str(DAY_LASTS)]
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        )

    def killed_after(self, first: int, sealed: int, many: int, seconds: float) -> int:
        """Record some samples and a while, kill the recorder, and return how many are said to be safe."""
        given, said = self._process.stdin, self._process.stdout
        assert given is not None
        assert said is not None
        given.write(b"%d %d\n" % (first, sealed))
        given.flush()
        child = int(said.readline().removeprefix(b"process "))
        safe = first
        for _ in range(many):
            safe = int(said.readline()) + 1
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        while (line := said.readline()) != b"gone\n":
            safe = int(line) + 1
        return safe

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)


def test_nothing_that_was_said_to_be_safe_is_lost_however_often_the_recorder_is_killed(
    tmp_path: Path,
) -> None:
    """In appending, sealing, closing, at midnight, in the first moments of a file and of its going on."""
    chance = random.Random()  # noqa: S311 - other moments each time
    kept = Kept(tmp_path)
    with Recorders(tmp_path) as recorders:
        for _ in range(KILLS):
            first, sealed = kept.count, chance.choice([2, 3, 7])
            safe = recorders.killed_after(first, sealed, chance.randrange(12), chance.random() * 0.02)
            kept.look()
            assert safe <= kept.count <= safe + 1
    assert kept.count > KILLS
    kept.look(from_begin=True)
