"""A recording is seen to be whole, while it grows too."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from tests.recording.machine import samples
from zmon.recording.file import File
from zmon.recording.reader import Recording
from zmon.recording.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest


def test_what_is_sealed_during_the_check_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever records may add columns and the segments that refer to them between two looks at the file."""
    path = str(tmp_path / "growing.zmon")
    writer = Writer(path)
    ahead = samples(3)
    for sample in islice(ahead, 20):
        writer.append(sample)
    ask = File.pieces

    def pieces(self: File, *question: Any) -> Iterator[tuple[Any, ...]]:
        yield from list(ask(self, *question))
        for sample in islice(ahead, 60):
            writer.append(sample)
        writer.seal()

    monkeypatch.setattr(File, "pieces", pieces)
    recording = Recording(path)
    assert list(recording.check()) == []
    recording.close()
    writer.close()
