"""A small recording to damage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.test_damaged import written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a recording of segments and a journal."""
    return written(tmp_path_factory.mktemp("whole") / "whole.zmon", sealed=7)


@pytest.fixture
def path(whole: bytes, tmp_path: Path) -> Path:
    """Return a file with a recording."""
    found = tmp_path / "a.zmon"
    found.write_bytes(whole)
    return found
