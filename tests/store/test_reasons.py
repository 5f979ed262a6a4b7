"""A reason that comes back from a recording has its code: programs ask for that, whoever wrote the text."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from zmon.base import absent as module
from zmon.base.absent import Absent, absent
from zmon.kinds import CLAIM, CMF_OFF, NO_ADAPTER, NOT_COLLECTED
from zmon.sample import Frame, Instant, Sample, empty_frame
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from zmon.base.absent import Value

ROOT = Path(__file__).parents[2]


def codes() -> dict[str, str]:
    """Return the code of each reason that a module declares, also of those of older recordings."""
    for path in (ROOT / "zmon").rglob("*.py"):
        if "declared(" in (code := path.read_text()) or "Reasons(" in code:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    whole = {reason: meaning[0] for reason, meaning in module._meanings.items()}
    return whole | {f"{beginning}a fact": code for beginning, code in module._beginnings.items()}


def recorded(path: str, frame: Frame) -> tuple[Absent | None, list[Value]]:
    """Return what a recording holds of a frame: why it has no rows, and the reasons in it."""
    writer = Writer(path)
    writer.append(Sample(Instant(1, 1, "boot"), {frame.kind.name: frame}, "here", 1.0))
    writer.close()
    recording = Recording(path)
    held = recording.sample(0).frame(frame.kind)
    reasons = list(held.column("weak"))
    recording.close()
    return held.missing, reasons


def test_each_declared_reason_comes_back_from_a_recording_with_its_code(tmp_path: Path) -> None:
    """Texts of today, those that end with a fact, and those of older recordings."""
    said = codes()
    assert {NO_ADAPTER.code, NOT_COLLECTED.code, "processes-off", "cache-unrecorded"} <= set(said.values())
    cells: list[Value] = [Absent(reason) for reason in said]
    keys = [str(number) for number in range(len(cells))]
    _, held = recorded(str(tmp_path / "a.zmon"), Frame(CLAIM, keys, {"weak": cells}, [1] * len(keys)))
    assert {cell.reason: cell.code for cell in held if isinstance(cell, Absent)} == said


def test_why_there_are_no_rows_comes_back_with_code_and_fact(tmp_path: Path) -> None:
    """The fact is what stands behind the beginning."""
    held, _ = recorded(str(tmp_path / "a.zmon"), empty_frame(CLAIM, NOT_COLLECTED.about("vmcp q da")))
    assert isinstance(held, Absent)
    assert (held.code, held.facts) == (NOT_COLLECTED.code, ("vmcp q da",))


def test_what_is_said_of_one_device_is_told_of_all() -> None:
    """A reason that names the device has as its fact what is said without it."""
    assert absent(CMF_OFF.reason).facts == ("is off: cmb_enable is 0",)
