"""The parts of the documents that are written by programs say what zmon does now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"


def program(name: str) -> Any:
    """Load a program that writes a document."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_manual_of_the_screens_says_what_their_files_say() -> None:
    """docs/screens.md is what docs/screens.py writes from the screen files and commands of now."""
    assert program("screens").manual() == (DOCS / "screens.md").read_text(encoding="utf-8")


def test_the_table_of_sources_says_what_is_declared() -> None:
    """docs/sources.md is what docs/sources.py writes from `zmon.registry`."""
    written = (DOCS / "sources.md").read_text(encoding="utf-8")
    assert program("sources").page(written) == written
    assert program("sources").table() in written


def test_the_table_of_metrics_says_what_is_exported() -> None:
    """docs/metrics.md is what docs/metrics.py writes from `zmon.exposition.metric`."""
    written = (DOCS / "metrics.md").read_text(encoding="utf-8")
    assert program("metrics").page(written) == written
    assert program("metrics").table() in written
