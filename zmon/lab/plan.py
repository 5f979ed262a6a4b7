"""What is to be simulated: a box, what lies on it, who uses it when, and what ought to come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zmon.lab.box import Box, Load


class Phase(NamedTuple):
    """A time during which the load stays the same."""

    name: str
    seconds: float
    streams: tuple[Load, ...]


class Place(NamedTuple):
    """A file of a tablespace, which has a file system and a volume for itself or shares them."""

    path: str
    database: str
    tablespace: str
    role: str
    bytes: int
    volume: int
    """Place of the volume in the box."""


class Figure(NamedTuple):
    """A figure of a study that the model is to reproduce."""

    name: str
    """What is measured, in words for the report."""
    study: str
    """Which study says it, and what in its words."""
    low: float
    high: float
    """Between which it is held to be reproduced; from what the study says, not from what the model gives."""
    why: str
    """Why these bounds."""
    measure: str
    """How it is taken from the simulation: see `zmon.lab.report`."""


class Plan(NamedTuple):
    """One scenario."""

    name: str
    title: str
    text: str
    """What it shows, and which study it follows."""
    seed: int
    step: float
    """Seconds between samples."""
    begin: int
    """When it begins, in seconds since 1970."""
    box: Box
    phases: tuple[Phase, ...]
    places: tuple[Place, ...] = ()
    labels: tuple[str, ...] = ()
    """Of each volume the label that CP and the directory know; empty for none."""
    rdevs: tuple[str, ...] = ()
    """Of each volume the number of the real device, when Linux is a guest and has another."""
    environment: str = "lpar"
    """`lpar` or `zvm`."""
    host: str = "lab"
    figures: tuple[Figure, ...] = ()
    assumed: tuple[str, ...] = ()
    """What the study does not say, and had to be assumed."""
    warm: float = 20.0
    """Seconds that are simulated before a phase is counted, so that queues are as long as they get."""
    drawn: int = 60
    """So many intervals of a phase are simulated; a longer phase draws the others from these."""
