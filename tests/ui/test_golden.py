"""Painted screens, compared with the text files in tests/golden/ui.

`ZMON_GOLDEN=write pytest tests/ui/test_golden.py` writes them anew; read the difference before it is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.goldens import compare

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from zmon.ui.app import Zmon

SIZES = [(80, 24), (132, 43)]
SCREENS = {
    "menu": [],
    "channel": ["CHANNEL"],
    "device": ["DEVICE"],
    "device-shifted": ["DEVICE", "f11"],
    "device-on-channel": ["CHANNEL", "enter"],
    "device-7003": ["DEVICE 7003"],
    "ctlunit": ["CTLUNIT"],
    "cachext": ["CACHEXT"],
    "lpar": ["LPAR"],
    "zmon": ["ZMON"],
    "replay": ["DEVICE", "MARK A", "less_than_sign", "less_than_sign", "MARK B"],
    "replay-average": ["DEVICE", "MARK A", "less_than_sign", "less_than_sign", "MARK B", "AVERAGE"],
    "replay-exception": ["DEVICE", "left_square_bracket"],
    "events": ["DEVICE", "EVENTS"],
    "plot": ["DEVICE", "PLOT resp 7003 7001"],
    "plot-menu": ["31"],
    "compare": ["DEVICE", "COMPARE 12:01 12:02"],
    "dasdstat": ["DASDSTAT"],
    "dasdstat-compare": ["DASDSTAT", "COMPARE 12:00-12:01"],
    "correl": ["DEVICE", "CORREL"],
    "help": ["CTLUNIT", "f1"],
    "help-keys": ["f1", "f1"],
    "help-column": ["DEVICE", "HELP resp"],
    "help-absent": ["DEVICE", "HELP links"],
    "sort-menu": ["DEVICE", "f9", "down"],
    "complete": ["DEVICE", "p", "tab", "tab"],
    "complete-things": [*"device", "space", "tab"],
    "search": ["DEVICE", "slash", *"pay"],
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
def test_screens_look_as_they_did(
    name: str,
    size: tuple[int, int],
    on_terminal: Callable[..., None],
    seen: Callable[[Zmon], list[str]],
    settle: Callable[..., Any],
) -> None:
    """Each screen is painted exactly as it was."""

    async def paint(app: Zmon, pilot: Pilot[Any]) -> None:
        await settle(app, pilot)
        for step in SCREENS[name]:
            if step.islower():
                await pilot.press(step)
            else:
                app.glass.type(step)
                await pilot.press("enter")
            await settle(app, pilot)
        compare(f"ui/{name}-{size[0]}x{size[1]}", seen(app))

    on_terminal(paint, size)
