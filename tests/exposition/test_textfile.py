"""The file for node_exporter is whole or not there, and never older than the recorder."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from tests.exposition.conftest import samples_of
from zmon.exposition.exporter import Exporter
from zmon.exposition.textfile import EVERY, Textfile

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_follows_the_samples_and_goes_with_the_recorder(tmp_path: Path) -> None:
    """It is readable by others, nothing is left beside it, and a clean stop removes it."""
    path = tmp_path / "zmon.prom"
    said: list[str] = []
    textfile = Textfile(str(path), Exporter(judges=False), said.append)
    samples = samples_of("shark-before", 12)
    written = []
    for sample in samples:
        textfile.follow(sample)
        text = path.read_text()
        assert text.endswith("\n")
        written.append(text)
    times = [sample.at.steady for sample in samples]
    assert len(set(written)) == 1 + (times[-1] - times[0]) // EVERY or len(set(written)) == len(samples)
    assert "zmon_lcu_ssch_total" in written[-1]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [file.name for file in tmp_path.iterdir()] == ["zmon.prom"]
    textfile.close()
    assert [*tmp_path.iterdir()] == []
    (ended,) = said
    assert ended.startswith(f"{path} is removed: ")


def test_what_cannot_be_written_is_said_once_and_recording_goes_on(tmp_path: Path) -> None:
    """The directory may be gone, and come back."""
    folder = tmp_path / "textfile"
    said: list[str] = []
    textfile = Textfile(str(folder / "zmon.prom"), Exporter(judges=False), said.append)
    first, *others = samples_of("shark-before", 30)
    textfile.follow(first)
    for sample in others:
        textfile._next = 0
        textfile.follow(sample)
    assert said == [f"{folder}/zmon.prom: metrics are not written: No such file or directory"]
    folder.mkdir()
    textfile._next = 0
    textfile.follow(others[-1])
    assert (folder / "zmon.prom").exists()


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    """Who may write into the directory must not lead the recorder to another file."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path = tmp_path / "zmon.prom"
    (tmp_path / f"zmon.prom.{os.getpid()}.tmp").symlink_to(victim)
    said: list[str] = []
    Textfile(str(path), Exporter(judges=False), said.append).follow(samples_of("shark-before", 1)[0])
    assert victim.read_text() == "mine"
    assert len(said) == 1
