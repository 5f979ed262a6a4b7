from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

import zmon

pytestmark = pytest.mark.interpreter

LOOK = "import sys, {}; print(*sorted(name for name in ('textual', 'rich') if name in sys.modules))"
OTHERS = [
    found.name
    for found in pkgutil.walk_packages(zmon.__path__, "zmon.")
    if not found.name.startswith("zmon.ui") and not found.name.endswith("__main__")
]


def loaded(modules: str) -> str:
    """Import modules in a fresh interpreter; return what of Textual came with them."""
    run = [sys.executable, "-c", LOOK.format(modules)]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - our own


def test_nothing_but_the_glass_loads_textual() -> None:
    """No module outside of zmon.ui loads Textual."""
    assert loaded(", ".join(OTHERS)) == ""


@pytest.mark.parametrize(
    "module",
    ["glass", "grid", "pane", "keys", "frame", "line", "actions", "playback", "tour_panel"],
)
def test_most_of_the_glass_knows_no_terminal(module: str) -> None:
    """Only app, painter and theme load Textual."""
    assert loaded(f"zmon.ui.{module}") == ""
