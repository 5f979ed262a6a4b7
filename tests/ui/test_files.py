"""The way on the glass from tablespaces to files, their device, and back; painted as it was."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.casestudy import WAYS
from tests.goldens import compare
from zmon.cli.full_parser import joined
from zmon.cli.inputs import listing_of, user_inputs
from zmon.cli.source_options import open_source
from zmon.cli.subcommands import live
from zmon.screen.definition import load_screens
from zmon.session.session import Session
from zmon.ui.app import Zmon

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = [(80, 24), (132, 43)]
STEPS = {
    "files-all": ["FILES"],
    "files-of-tablespace": ["SPREAD", "enter"],
    "files-device": ["SPREAD", "enter", "enter"],
    "files-of-device": ["DEVICE 043a", "enter"],
    "files-of-lcu": ["FILES LCU 6"],
    "files-ctlunit": ["CTLUNIT"],
    "files-ctlunit-right": ["CTLUNIT", "f11", "f11", "f11"],
    "files-devices-of-lcu": ["CTLUNIT", "enter"],
    "files-help": ["FILES", "f1"],
}
"""Golden screens by the commands and keys that lead to them."""


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, utc: None) -> Zmon:  # noqa: ARG001 - clocks show UTC
    """Return the glass on the case study, as its options open it."""
    import argparse  # noqa: PLC0415 - only here

    monkeypatch.setenv("ZMON_THEME", "3270")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    parser = argparse.ArgumentParser()
    live(parser)
    args = parser.parse_args(joined(WAYS["cp"]))
    session = Session(open_source(args), load_screens(), inputs=user_inputs(args, listing_of(args)))
    session.end()
    return Zmon(session, 1.0)


def walk(
    app: Zmon,
    steps: list[str],
    size: tuple[int, int],
    seen: Callable[[Zmon], list[str]],
    settle: Callable[..., Any],
) -> list[str]:
    """Give commands and press keys; return what is painted then."""

    async def all_of_it() -> list[str]:
        async with app.run_test(size=size) as pilot:
            await settle(app, pilot)
            for step in steps:
                if step.islower():
                    await pilot.press(step)
                else:
                    app.glass.type(step)
                    await pilot.press("enter")
                await settle(app, pilot)
            return seen(app)

    return asyncio.run(all_of_it())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", STEPS)
def test_screens_look_as_they_did(
    name: str,
    size: tuple[int, int],
    app: Zmon,
    seen: Callable[[Zmon], list[str]],
    settle: Callable[..., Any],
) -> None:
    """Each screen on the way is painted exactly as it was."""
    painted = walk(app, STEPS[name], size, seen, settle)
    compare(f"ui/{name}-{size[0]}x{size[1]}", painted)


@pytest.mark.parametrize(
    ("steps", "titles"),
    [
        (["SPREAD", "enter"], ["SPREAD", "FILES DWPROD.TSFACT2"]),
        (["SPREAD", "enter", "enter"], ["SPREAD", "FILES DWPROD.TSFACT2", "DETAILS dasdl"]),
        (["SPREAD", "enter", "enter", "f12"], ["SPREAD", "FILES DWPROD.TSFACT2"]),
        (["DEVICE", "enter"], ["DEVICE", "DETAILS 0.0.043a"]),
        (["DEVICE", "enter", "enter"], ["DEVICE", "DETAILS 0.0.043a", "FILES dasdb"]),
        (["DEVICE", "enter", "enter", "f12", "f12"], ["DEVICE"]),
        (["CTLUNIT", "enter"], ["CTLUNIT", "DEVICE"]),
        (["DEVICE 0100", "enter"], ["DETAILS 0100"]),
    ],
)
def test_enter_goes_deeper_and_f12_back(
    steps: list[str],
    titles: list[str],
    app: Zmon,
    seen: Callable[[Zmon], list[str]],
    settle: Callable[..., Any],
) -> None:
    """From a tablespace to a device and from a device to its files; a disk without files leads nowhere."""
    walk(app, steps, (80, 24), seen, settle)
    pages = app.glass.session.pages[1:]
    assert [f"{page.screen.command} {page.argument}".strip() for page in pages] == titles


def test_a_word_without_meaning_is_a_message(
    app: Zmon, seen: Callable[[Zmon], list[str]], settle: Callable[..., Any]
) -> None:
    """And the screen stays."""
    painted = walk(app, ["FILES NOSUCH"], (132, 43), seen, settle)
    assert any("'NOSUCH' was not found: " in line for line in painted)
