"""Guided tours: what to press on the screens of a scenario, and what is to be seen there.

A tour is a TOML file below `tours/`.  It names the scenarios that are shown, one after the other on one
timeline, each with the time of it that is shown; and then its steps, which docs/lab.md describes.
"""

from __future__ import annotations

import os
import re
import warnings
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.lab.scenario import ScenarioError, lab_document

if TYPE_CHECKING:
    from zmon.base.toml import TomlTable

__all__ = ["ScenarioError", "Scene", "Tour", "TourStep", "load_tour", "parse_tour"]

FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tours")
LONGEST: Final = 86_400.0


class Scene(NamedTuple):
    """A scenario of the tour, and the time of it that is shown, in seconds since its begin."""

    name: str
    begin: float
    end: float


class TourStep(NamedTuple):
    """One thing to see, and how to come there from the step before."""

    title: str
    text: str
    """What is seen there, and what that means."""
    commands: tuple[str, ...]
    """What brings it about from anywhere; the last alone from the step before."""
    press: str
    """What to press, in words."""
    keys: tuple[str, ...]
    """The keys that these words mean, by Textual's names; none if it is to type the last command."""
    see: tuple[str, ...]
    """What must be on the screen then: regular expressions, each for a line."""
    scene: str
    """The scenario that is shown."""


class Tour(NamedTuple):
    """A tour."""

    title: str
    site: str
    """The path of a site file with the names of the LCUs; empty for none."""
    scenes: tuple[Scene, ...]
    steps: tuple[TourStep, ...]


def load_tour(name: str) -> Tour:
    """Read a tour that comes with zmon.

    Raises:
        ScenarioError: it cannot be used.
        OSError: it cannot be read.
    """
    path = os.path.join(FOLDER, f"{name}.toml")
    with open(path, encoding="utf-8") as file:
        return parse_tour(file.read(), path)


def parse_tour(text: str, origin: str) -> Tour:
    """Read a tour from the text of its file.

    Raises:
        ScenarioError: it cannot be used: which file, line and key, and what to do.
    """
    top = lab_document(text, origin).top()
    top.only("title", "site", "scenes", "steps")
    scenes = tuple(_scene(entry) for entry in top.list_of("scenes"))
    if not scenes:
        raise top.wrong("scenes", "is empty; begin one with [[scenes]]")
    names = tuple(scene.name for scene in scenes)
    if len(set(names)) < len(names):
        raise top.wrong("scenes", "one is there twice")
    steps = tuple(_step(entry, names) for entry in top.list_of("steps"))
    if not steps:
        raise top.wrong("steps", "is empty; begin one with [[steps]]")
    site = top.text("site", "")
    beside = os.path.join(os.path.dirname(origin), site) if site else ""
    return Tour(top.text("title"), beside, scenes, steps)


def _scene(entry: TomlTable) -> Scene:
    entry.only("name", "begin", "end")
    begin = entry.number("begin", None, 0.0, LONGEST)
    end = entry.number("end", None, 0.0, LONGEST)
    if end <= begin:
        raise entry.wrong("end", "is not later than its begin")
    return Scene(entry.text("name"), begin, end)


def _step(entry: TomlTable, scenes: tuple[str, ...]) -> TourStep:
    entry.only("title", "text", "commands", "press", "keys", "see", "scene")
    commands, see = entry.words("commands"), entry.words("see")
    for key, texts in (("commands", commands), ("see", see)):
        if not texts:
            raise entry.wrong(key, "is empty; a step has at least one")
    for pattern in see:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what will mean something else one day
                re.compile(pattern)
        except (re.error, FutureWarning) as error:
            raise entry.wrong("see", f"{pattern!r:.60} is no regular expression: {error}") from error
    if ("press" in entry) != ("keys" in entry):
        raise entry.wrong("press" if "press" in entry else "keys", "goes with the other: press and keys")
    press = entry.text("press", f"Type {commands[-1]} and press ENTER")
    return TourStep(
        entry.text("title"),
        " ".join(entry.text("text").split()),
        tuple(commands),
        " ".join(press.split()),
        tuple(entry.words("keys", [])),
        tuple(see),
        entry.one_of("scene", scenes, scenes[0]),
    )
