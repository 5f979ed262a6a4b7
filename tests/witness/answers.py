"""What zmon says of a machine, and whether that is right."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.disk_cache import digest, kept, sources_digest
from tests.witness.simulation import simulate
from zmon.cli.main import main

if TYPE_CHECKING:
    from tests.witness.counters import Reading
    from tests.witness.looks import Look
    from tests.witness.parts import Machine

MEMORY: Final = next(filter(os.path.isdir, ["/dev/shm"]), None)  # noqa: S108 - below it, a new directory
"""Where captures are written for a moment: thousands of small files, quickest in memory."""
NOT_MEASURED: Final = "D22"
"""The diagnosis that a measurement is off, which is right where it is off, beside any other."""
OUTCOMES: Final = ("right", "not named", "not first", "undecided", "missed", "wrong", "false alarm")
"""What an answer may be; docs/witness.md has what each means."""
NOTHING: Final = "Nothing"
"""The beginning of the sentence that nothing is short."""
SIMULATION: Final = ("tests.witness.simulation", "tests.witness.machines")


class Answer(NamedTuple):
    """What zmon said of an interval."""

    ids: tuple[tuple[str, str], ...]
    """The diagnoses and how sure they are, the first one first; ..."""
    explained: tuple[str, ...]
    """... those that others explain; ..."""
    named: str
    """... and all that the first one names."""
    sentence: str

    @property
    def first(self) -> str:
        """The id of the first diagnosis, empty if there is none."""
        return self.ids[0][0] if self.ids else ""

    @property
    def confidence(self) -> str:
        """How sure the first one is."""
        return self.ids[0][1] if self.ids else ""

    def outcome(self, machine: Machine, look: Look) -> str:
        """Return which of `OUTCOMES` it is for a machine that was looked at so."""
        truth = machine.truth
        if not self.ids:
            is_silent = self.sentence.startswith(NOTHING)
            return ("missed" if truth.first else "right") if is_silent else "undecided"
        if not truth.first:
            return "false alarm"
        if self.first in truth.first:
            called = [name for part in truth.names for name in look.called(machine, part)]
            is_named = any(re.search(rf"\b{re.escape(name)}\b", self.named) for name in called)
            return "right" if is_named or not called else "not named"
        others = {name for name, _ in self.ids[1:]} | set(self.explained)
        return "not first" if others & set(truth.first) else "wrong"


def readings_of(machine: Machine) -> list[Reading]:
    """Return the readings of a machine, which is simulated once."""
    key = digest(sources_digest(*SIMULATION), machine.name)
    readings: list[Reading] = kept("witness", key, lambda: simulate(machine))
    return readings


def ask(machine: Machine, look: Look) -> Answer:
    """Return what `zmon diagnose` says of a machine that is looked at so."""
    with tempfile.TemporaryDirectory(prefix="witness", dir=MEMORY) as directory:
        look.write(machine, readings_of(machine), directory)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = main(["diagnose", "--from", directory, "-f", "json"])
    assert status == 0, said.getvalue()
    return understood(json.loads(said.getvalue()))


def understood(told: dict[str, Any]) -> Answer:
    """Return the answer in the JSON of `zmon diagnose`."""
    first = [it for it in told["diagnoses"] if it["explained_by"] is None and it["id"] != NOT_MEASURED]
    return Answer(
        tuple((it["id"], it["confidence"]) for it in first),
        tuple(it["id"] for it in told["diagnoses"] if it["explained_by"] is not None),
        json.dumps([first[0]["claim"], first[0]["subjects"]]).lower() if first else "",
        told["verdict"],
    )
