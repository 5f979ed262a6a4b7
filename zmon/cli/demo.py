"""The screens of a simulated machine, with a guided tour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.clock import SECOND
from zmon.cli import live
from zmon.cli.output import complain, progress
from zmon.lab.scenario import load_scenario
from zmon.lab.tour import load_tour
from zmon.screen.definition import load_screens
from zmon.session.guide import Guide, SceneWindow
from zmon.session.machines import PREFIX, laid_out, simulated
from zmon.session.session import Session
from zmon.topology.machine import UserInputs
from zmon.topology.site import NO_SITE
from zmon.topology.site_file import parse_site

if TYPE_CHECKING:
    import argparse

    from zmon.lab.tour import Tour
    from zmon.session.timeline import Timeline

TOUR: Final = "shark"


def run(args: argparse.Namespace) -> int:
    """Open the demo and stay until the user leaves; returns the exit status."""
    if (status := live.closed_stream()) is not None:
        return status
    if not live.is_line_mode(args) and not live.is_terminal():
        return complain("the demo needs a terminal; zmon demo --line does not")
    try:
        with progress("simulating a machine for the tour"):
            live.load_surface(args)
            screens = load_screens()
            tour = load_tour(TOUR)
            windows, timeline = scenes(tour)
            guide, inputs = Guide(tour, windows), inputs_of(tour)
            session = Session(timeline, screens, inputs=lambda: inputs, guide=guide)
            session.read_only = args.read_only
            (session.seek if live.is_line_mode(args) else session.preview)(guide.window.end)
    except ValueError as error:
        return complain(str(error))
    guide.shown = not args.no_tour
    return live.show_screens(args, session, "OVERVIEW")


def scenes(tour: Tour) -> tuple[dict[str, SceneWindow], Timeline]:
    """Return the time window of each scene, and one timeline of all scenes.

    Raises:
        ScenarioError: a scenario cannot be used.
    """
    plans = laid_out([load_scenario(scene.name) for scene in tour.scenes])
    windows = {}
    for scene, plan in zip(tour.scenes, plans, strict=True):
        ends = (plan.begin * SECOND + round(seconds * SECOND) for seconds in (scene.begin, scene.end))
        windows[scene.name] = SceneWindow(f"{PREFIX}{plan.name}", *ends)
    return windows, simulated(plans)


def inputs_of(tour: Tour) -> UserInputs:
    """Return the names of a tour's LCUs as user inputs; those of the user are of another site."""
    if not tour.site:
        return UserInputs(NO_SITE)
    with open(tour.site, encoding="utf-8") as file:
        return UserInputs(parse_site(file.read(), tour.site))
