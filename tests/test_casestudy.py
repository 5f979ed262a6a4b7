"""The shipped example is what `testbed/casestudy.py` makes."""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.casestudy import FOLDER, WAYS
from tests.goldens import facts
from zmon.cli.main import main

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """Return `testbed/casestudy.py`, which is a program and no part of a package."""
    spec = importlib.util.spec_from_file_location("casestudy_maker", ROOT / "testbed" / "casestudy.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made  # where classes of a module look for it
    spec.loader.exec_module(made)
    return made


def plain(content: bytes) -> bytes:
    """Return what is in a file; how well it is packed is the matter of a library."""
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def test_what_is_shipped_is_what_is_made(maker: ModuleType) -> None:
    """No file was edited, none is missing, and none is there besides."""
    made = {name: plain(content) for name, content in maker.contents().items()}
    assert {file.name: plain(file.read_bytes()) for file in (ROOT / FOLDER).iterdir()} == made


def test_what_is_made_is_the_same_each_time(maker: ModuleType) -> None:
    """No clock and no dice."""
    assert maker.contents() == maker.contents()


def test_only_control_units_with_data_are_called_idle(capsys: pytest.CaptureFixture[str]) -> None:
    """The root file system is alone on another one: data are not spread over it, as SPREAD has it."""
    assert main(["diagnose", *WAYS["cp"], "-f", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["diagnoses"][0]
    assert facts(first["claim"]).startswith("6 2 ")
    assert any(facts(part["words"]).startswith("1 5 ") for part in first["evidence"])
    assert "over LCU 1,2,5,6" in first["whatif"]
