"""Scenario files: a simulated machine, what lies on it, who uses it when, and what ought to come out.

docs/lab.md describes them.  People copy one and change it, so a mistake is answered with file, line and key,
and with what to do.

A scenario may be based on another one: what it says of a path group, a control unit, a volume, a tablespace
or a load replaces what the other says key by key, and `false` takes one away; all else is replaced.
"""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING, Any, Final

from zmon.base.plain_text import did_you_mean
from zmon.base.toml import TomlDocument, read_utf8
from zmon.lab.lab_settings import read_setting
from zmon.lab.machine_reader import CHANGES, CYLINDER, MS, NUMBERS, PAGE, MachineReader, merged
from zmon.lab.measure import BY_NAME, parse_measure
from zmon.lab.model import (
    Aim,
    Arrivals,
    Compute,
    Count,
    DiskIo,
    Phase,
    Scenario,
    Stream,
    StudyFigure,
    TablespaceFile,
    Think,
    Touch,
    overloaded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.base.toml import Keys, TomlTable
    from zmon.lab.measure import Measure
    from zmon.lab.model import Load, LoadStep

MERGED: Final = ("paths", "lcus", "volumes", "lvs", "tablespaces", "loads", "memory", "zvm")
OWN: Final = ("base", "title", "text", "assumed", "figures")
"""What a scenario never takes from the one that it is based on."""


class ScenarioError(ValueError):
    """A scenario cannot be used: which file, line and key, what is wrong, and what to do."""


def lab_document(text: str, origin: str) -> TomlDocument:
    """Parse one file of the laboratory.

    Raises:
        ScenarioError: it is not TOML.
    """
    return TomlDocument(text, origin, ScenarioError, "; it is a TOML file, see docs/lab.md")


class LayeredDocument(TomlDocument):
    """A scenario and those that it is based on, as one document."""

    def __init__(self, documents: list[TomlDocument]) -> None:
        """Lay the documents over each other, the first one lowest."""
        self.error = ScenarioError
        self.documents = documents
        self.data: dict[str, Any] = {}
        for document in documents:
            self.data = {key: value for key, value in self.data.items() if key not in OWN}
            for key, value in document.data.items():
                before = self.data.get(key)
                if key in MERGED and isinstance(before, dict) and isinstance(value, dict):
                    self.data[key] = merged(before, value)
                else:
                    self.data[key] = value

    def place(self, keys: Keys) -> str:
        """Return where an entry is written: in the uppermost document that has it, or the table around it."""
        upper = self.documents[::-1]
        if keys and keys[0] in OWN:  # it is not taken from a document below
            return upper[0].place(keys)
        for wanted in (keys, keys[:2]):
            for document in upper:
                if wanted in document.lines:
                    return document.place(keys)
        return upper[0].place(keys)


__all__ = ["ScenarioError", "load_scenario", "names", "parse_scenario", "path_of"]

FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scenarios")
SUFFIX: Final = ".toml"
DEEPEST: Final = 8
"""So many scenarios may be based on one another."""
BEGIN: Final = 1_773_626_400
"""2026-03-16 02:00 UTC."""
_ASKS: Final = ("read", "write", "use")
_STEPS: Final = (*_ASKS, "think_ms", "compute_ms", "touch", "count")
_TOP: Final = (
    "base", "title", "text", "assumed", "seed", "step", "begin", "environment", "host", "cpus", "serial",
    "warm", "drawn", "measured", "memory", "zvm", "paths", "lcus", "volumes", "lvs",
    "tablespaces", "loads", "phases", "figures", "settings",
)  # fmt: skip


class NoScenarioError(ScenarioError):
    """There is no scenario of this name."""


def names() -> list[str]:
    """Return the names of the scenarios that come with zmon."""
    return sorted(name.removesuffix(SUFFIX) for name in os.listdir(FOLDER) if name.endswith(SUFFIX))


def path_of(name: str, beside: str = "") -> str:
    """Return the file of a scenario: one that comes with zmon, or a path that ends in .toml.

    A path is meant from the directory `beside`.

    Raises:
        ScenarioError: there is none of this name.
    """
    if name.endswith(SUFFIX):
        return os.path.join(beside, name)
    if name in names():
        return os.path.join(FOLDER, name + SUFFIX)
    guess = did_you_mean(name, names())
    others = f"{guess} lab: lists them all" if guess else f"; there are {', '.join(names())}"
    raise NoScenarioError(
        f"{name!r:.60} is no scenario that comes with zmon, nor a file that ends in {SUFFIX}{others}"
    )


def load_scenario(name: str) -> Scenario:
    """Read a scenario by its name or path.

    Raises:
        ScenarioError: it cannot be used: which file, line and key, and what to do.
        OSError: it cannot be read.
    """
    path = path_of(name)
    return parse_scenario(_text(path), path)


def _text(path: str) -> str:
    return read_utf8(path, ScenarioError)


def parse_scenario(text: str, origin: str, read: Callable[[str], str] = _text) -> Scenario:
    """Read a scenario; `read` gives the text of a file that it is based on.

    Raises:
        ScenarioError: it cannot be used: which file, line and key, and what to do.
    """
    documents = [lab_document(text, origin)]
    while "base" in documents[0].data:
        base = documents[0].top()
        if len(documents) >= DEEPEST:
            raise base.wrong(
                "base", f"more than {DEEPEST} scenarios are based on one another, or in a circle"
            )
        try:
            path = path_of(base.text("base"), os.path.dirname(documents[0].origin))
        except NoScenarioError as error:
            raise base.wrong("base", str(error)) from error
        try:
            documents.insert(0, lab_document(read(path), path))
        except OSError as error:
            raise base.wrong("base", f"{path} cannot be read: {error.strerror or error}") from error
    name = os.path.basename(origin).removesuffix(SUFFIX)
    return _Scenario(LayeredDocument(documents).top()).plan(name)


class _Scenario:
    """A scenario while it is read."""

    def __init__(self, top: TomlTable) -> None:
        self.top = top
        top.only(*_TOP)
        self.machine = MachineReader(top)
        self.places: list[TablespaceFile] = []

    def plan(self, name: str) -> Scenario:
        """Return all of it."""
        top, machine = self.top, self.machine
        for called, entry in top.tables("tablespaces", {}):
            self._tablespace(called, entry)
        self._full()
        step = top.number("step", 30.0, 0.1, 3600.0)
        phases = self._phases(step)
        return Scenario(
            name=name,
            title=top.text("title"),
            text=top.text("text"),
            assumed=tuple(top.words("assumed", [])),
            seed=top.whole("seed", 1),
            step=step,
            begin=self._begin(),
            box=machine.box,
            phases=phases,
            places=tuple(self.places),
            labels=tuple(machine.labels) if any(machine.labels) else (),
            rdevs=tuple(machine.rdevs) if any(machine.rdevs) else (),
            environment=machine.environment,
            host=top.text("host", "lab"),
            figures=tuple(self._figures(phases)),
            warm=top.number("warm", 20.0, 0.0, 3600.0),
            drawn=top.whole("drawn", 60, 1, 100_000),
            measured=top.whole("measured", 0, 0, 100_000),
            memory=machine.memory,
            zvm=machine.zvm,
            settings=self._settings(),
        )

    def _settings(self) -> tuple[tuple[str, Value], ...]:
        if "settings" not in self.top:
            return ()
        rows = self.top.table("settings").data.items()
        try:
            return tuple((key, read_setting(key, value)) for key, value in rows)
        except ValueError as error:
            raise self.top.wrong("settings", str(error)) from error

    def _begin(self) -> int:
        said = self.top.data.get("begin")
        if said is None:
            return BEGIN
        if not isinstance(said, dt.datetime) or said.tzinfo is None:
            raise self.top.wrong("begin", f"is a time in UTC: 2026-03-16T02:00:00Z, not {said!s:.60}")
        return int(said.timestamp())

    # what lies on it

    def _tablespace(self, name: str, entry: TomlTable) -> None:
        entry.only("database", "role", "file", "pages")
        file = entry.text("file")
        pages = entry.data.get("pages")
        if not isinstance(pages, dict) or not pages:
            raise entry.wrong("pages", "is a table: pages of 4 KiB by volume: { 043A = 498750 }")
        machine = self.machine
        logical = {volume.name: place for place, volume in enumerate(machine.logical)}
        for number, count in pages.items():
            volume = machine.named.get(number, []) if NUMBERS.fullmatch(number) else []
            if number in logical:
                volume = [machine.logical[logical[number]].volumes[0]]
            if len(volume) != 1:
                raise entry.wrong("pages", f"{number} is no volume of this machine; see [volumes] and [lvs]")
            if type(count) is not int or not 0 <= count < 1 << 40:
                raise entry.wrong("pages", f"{number} has a whole number of pages, not {count!r:.60}")
            place = logical.get(number, -1)
            mount = machine.mounts[volume[0]] if place < 0 else machine.logical_mounts[place]
            if not mount.startswith("/"):
                raise entry.wrong("pages", f"{number} has no mount; say where in [volumes]: mount = '/db/1'")
            path = f"{mount.rstrip('/')}/{file}"
            if any(file.path == path for file in self.places):
                raise entry.wrong("file", f"{path} is there twice")
            self.places.append(
                TablespaceFile(
                    path,
                    entry.text("database", "LAB"),
                    name,
                    entry.text("role", "data"),
                    count * PAGE,
                    volume[0],
                    place,
                )
            )

    def _full(self) -> None:
        used: dict[tuple[int, int], int] = {}
        for place in self.places:
            where = place.volume, place.logical
            used[where] = used.get(where, 0) + place.bytes
            volume = self.machine.volumes[place.volume]
            name, size = f"{volume.devno:04X}", volume.cylinders * CYLINDER
            if place.logical >= 0:
                name, size = (
                    self.machine.logical[place.logical].name,
                    self.machine.logical[place.logical].size,
                )
            if used[where] > size - (2 << 20):
                raise self.top.document.wrong(
                    ("tablespaces", place.tablespace, "pages"),
                    f"do not fit on {name}, which holds {size // PAGE} pages in all",
                )

    # who uses it

    def _phases(self, step: float) -> tuple[Phase, ...]:
        loads = dict(self.top.tables("loads"))
        phases: list[Phase] = []
        for entry in self.top.list_of("phases"):
            entry.only("name", "seconds", "loads", *CHANGES)
            name = entry.text("name")
            if any(phase.name == name for phase in phases):
                raise entry.wrong("name", f"{name!r} is there twice")
            seconds = entry.number("seconds", None, step, 366 * 86400.0)
            streams = tuple(
                self._load(called, loads[called], factor)
                for called, factor in self._factors(entry, tuple(loads))
                if factor
            )
            is_changed = any(key in entry for key in CHANGES)
            machine = self.machine.in_phase(entry) if is_changed else self.machine
            over = overloaded(machine.box, streams)
            if over:
                raise entry.wrong(
                    "loads",
                    f"come by chance and overload {over[0]}: {over[1]:.0%} of what it can do; let fewer come",
                )
            machines = (machine.box, machine.memory, machine.zvm) if is_changed else ()
            phases.append(Phase(name, seconds, streams, *machines))
        if not phases:
            raise self.top.wrong("phases", "is empty; begin one with [[phases]]")
        return tuple(phases)

    def _factors(self, entry: TomlTable, names: Sequence[str]) -> Iterator[tuple[str, float]]:
        said = entry.data.get("loads", [])
        if isinstance(said, list):
            said = dict.fromkeys(entry.words("loads", []), 1.0)
        if not isinstance(said, dict):
            raise entry.wrong(
                "loads", "is a list of loads, or a table that says how much of each: { scan = 0.5 }"
            )
        for called, factor in said.items():
            if called not in names:
                raise entry.wrong("loads", f"{called!r:.60} is none; there are {', '.join(names)}")
            if type(factor) not in {int, float} or not 0 <= factor <= 1000:
                raise entry.wrong("loads", f"{called}: is a number from 0 to 1000, not {factor!r:.60}")
            yield called, float(factor)

    def _load(self, name: str, entry: TomlTable, factor: float) -> Load:
        entry.only("customers", "rate", "steps", "outside", "unit")
        if ("customers" in entry) == ("rate" in entry):
            raise entry.wrong(
                "", "needs either customers, who wait for answers, or rate, how many come a second"
            )
        steps = tuple(step for said in entry.list_of("steps") for step in self._step(said, name))
        if not any(isinstance(step, DiskIo) or getattr(step, "mean", 0.0) > 0 for step in steps):
            raise entry.wrong("steps", "take no time; read, write, think or compute")
        unit = entry.text("unit", "")
        if unit and not unit.startswith("/"):
            unit = f"/system.slice/{unit}"
        outside = entry.flag("outside")
        if outside and (self.machine.zvm is None or any(isinstance(step, DiskIo | Touch) for step in steps)):
            raise entry.wrong(
                "outside", "are other guests below [zvm]; of them only processors are simulated"
            )
        if "rate" in entry:
            if outside:
                raise entry.wrong("rate", "goes with this Linux; other guests are customers")
            return Arrivals(name, entry.number("rate", None, 1e-6, 1e6) * factor, steps, unit)
        customers = max(1, round(entry.whole("customers", None, 1, 100_000) * factor))
        return Stream(name, customers, steps, outside, unit)

    def _step(self, entry: TomlTable, load: str) -> Iterator[LoadStep]:
        said = [key for key in _STEPS if key in entry]
        if len(said) != 1:
            raise entry.wrong("", f"is one of {', '.join(_STEPS)}")
        if said[0] == "think_ms":
            entry.only("think_ms", "constant")
            yield Think(entry.number("think_ms", None, 0.0, 1e8) * MS, entry.flag("constant"))
        elif said[0] == "compute_ms":
            entry.only("compute_ms")
            yield Compute(entry.number("compute_ms", None, 0.0, 1e6) * MS)
        elif said[0] == "touch":
            entry.only("touch")
            if self.machine.memory is None and self.machine.zvm is None:
                raise entry.wrong("touch", "needs [memory], or [zvm] with a part that is resident")
            yield Touch(entry.whole("touch", None, 1, 1_000_000))
        elif said[0] == "count":
            entry.only("count")
            yield Count(entry.text("count"))
        else:
            yield from self._ask(said[0], entry, load)

    def _ask(self, key: str, entry: TomlTable, load: str) -> Iterator[LoadStep]:
        entry.only(key, "kb", "at_once", "hits", "reads", "name", "stripe_kb", "every", "wait")
        if "reads" in entry and key != "use":
            raise entry.wrong("reads", f"goes with use, not with {key}")
        logical = self._logical(key, entry)
        if logical < 0:
            shares = self._shares(key, entry)
        else:
            shares = dict.fromkeys(self.machine.logical[logical].volumes, 1.0)
        reads = (
            {"read": 1.0, "write": 0.0}.get(key) if key != "use" else entry.number("reads", None, 0.0, 1.0)
        )
        assert reads is not None  # noqa: S101 - one of the three
        total, weights = 0.0, []
        whole = sum(shares.values())
        for share in shares.values():
            total += share / whole
            weights.append(total)
        weights[-1] = 1.0
        size = round(entry.number("kb", 4.0, 0.5, 16384.0) * 1024)
        pieces = entry.whole("at_once", 1, 1, 1024)
        split = 1
        if logical >= 0:
            stripe = self.machine.logical[logical].stripe
            if "stripe_kb" in entry or (stripe and size > stripe and size % stripe):
                raise entry.wrong("kb", "is on a logical volume a multiple of its stripe, or less than one")
            split = max(1, size // stripe) if stripe else 1
            size //= split
        aim = Aim(tuple(shares), tuple(weights), size, reads, entry.number("hits", 1.0, 0.0, 1.0))
        groups = {self.machine.lcus[self.machine.volumes[volume].lcu].paths for volume in shares}
        every = entry.whole("every", 1, 1, 1_000_000)
        cpu = sum(self.machine.cpu[group] for group in groups) / len(groups) * pieces * split / every
        if cpu:
            yield Compute(cpu)
        stripe = round(entry.number("stripe_kb", 0.0, 0.0, 1 << 20) * 1024)
        if stripe % size:
            raise entry.wrong("stripe_kb", "is a multiple of kb, so that a piece lies on one volume")
        waited = entry.flag("wait") if "wait" in entry else True
        yield DiskIo(aim, entry.text("name", load), pieces, stripe, every, waited, logical, split)

    def _logical(self, key: str, entry: TomlTable) -> int:
        """Return the place of the logical volume that a step goes to; -1 if it goes to volumes."""
        said = entry.data[key]
        wanted = said if isinstance(said, list) else [said]
        logicals = {file.logical for file in self.places if file.tablespace in wanted}
        logicals |= {place for place, volume in enumerate(self.machine.logical) if volume.name in wanted}
        if logicals - {-1} and len(logicals) > 1:
            raise entry.wrong(key, "is on one logical volume or on none; give each a step of its own")
        return logicals.pop() if logicals else -1

    def _shares(self, key: str, entry: TomlTable) -> dict[int, float]:
        """Return which part of the requests goes to which volume."""
        said = entry.data[key]
        shares: dict[int, float] = {}
        for name in [entry.text(key)] if isinstance(said, str) else entry.words(key):
            files = [place for place in self.places if place.tablespace == name]
            whole = sum(place.bytes for place in files)
            volumes = self.machine.named.get(name, [])
            if files and not whole:
                raise entry.wrong(key, f"{name} has no pages; give it some, or name volumes")
            if not files and not volumes:
                raise entry.wrong(key, f"{name!r:.60} is neither tablespace, volume nor LCU with volumes")
            parts = [(place.volume, place.bytes / whole) for place in files if place.bytes] or [
                (volume, 1 / len(volumes)) for volume in volumes
            ]
            for volume, part in parts:
                shares[volume] = shares.get(volume, 0.0) + part
        if not shares:
            raise entry.wrong(key, "is empty; name a tablespace, volumes or an LCU")
        return shares

    def _figures(self, phases: Sequence[Phase]) -> Iterator[StudyFigure]:
        for entry in self.top.list_of("figures", []):
            entry.only("name", "study", "low", "high", "why", "measure", "basis", "place", "differs")
            low, high = entry.number("low", None, -1e9), entry.number("high", None, -1e9)
            if low > high:
                raise entry.wrong("low", f"{low:g} is above high, {high:g}")
            said = entry.text("measure")
            try:
                measured = parse_measure(said)
            except ValueError as error:
                raise entry.wrong("measure", str(error)) from error
            for measure in measured:
                if not measure.scenario:
                    self._measurable(entry, measure, phases)
            yield StudyFigure(
                entry.text("name"), entry.text("study"), low, high, entry.text("why"), said,
                entry.one_of("basis", ("follows", "fitted", "given"), "") if "basis" in entry else "",
                entry.text("place", ""), entry.text("differs", ""),
            )  # fmt: skip

    def _measurable(self, entry: TomlTable, measure: Measure, phases: Sequence[Phase]) -> None:
        """Refuse a figure of something that this scenario does not have."""
        if measure.phase and measure.phase not in {phase.name for phase in phases}:
            raise entry.wrong("measure", f"there is no phase {measure.phase!r:.60}")
        counted = {step.name for phase in phases for load in phase.streams for step in load.steps
                   if isinstance(step, DiskIo | Count)}  # fmt: skip
        box = self.machine.box
        parts = {lcu.name for lcu in box.lcus} | {group.name for group in box.paths} | {"cpu", ""}
        parts |= {f"{volume.devno:04X}" for volume in box.volumes}
        names = counted if measure.quantity in BY_NAME else parts
        if measure.of not in names:
            what = "is not counted" if measure.quantity in BY_NAME else "is no LCU, path group or volume"
            raise entry.wrong("measure", f"{measure.of!r:.60} {what} in this scenario")
