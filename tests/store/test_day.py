from __future__ import annotations

import os
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.base.clock import DAY
from zmon.store.day import DayFile, day_file, day_of, days

if TYPE_CHECKING:
    from pathlib import Path

NOON = 1_795_262_400 * 10**9  # 2026-11-21 12:00 UTC


def test_a_file_is_named_after_its_day_of_utc() -> None:
    """Whatever the local time is."""
    assert day_file("/x", NOON) == DayFile(date(2026, 11, 21), 1, "/x/2026-11-21.zmon")


def test_a_day_may_need_another_file() -> None:
    """Its number follows the date."""
    assert day_file("/x", NOON, 2).path == "/x/2026-11-21-2.zmon"


@given(st.integers(0, 250_000_000_000 * 10**9))
def test_a_time_lies_in_its_day(utc: int) -> None:
    """From its begin on, and before its end; as the calendar has it."""
    file = day_file("", utc)
    assert file.begin <= utc < file.end == file.begin + DAY
    assert file.day == datetime.fromtimestamp(utc // 10**9, UTC).date()


def test_midnight_belongs_to_the_new_day() -> None:
    """One ns before it is still yesterday."""
    midnight = day_file("", NOON).end
    assert (day_of(midnight - 1), day_of(midnight)) == (date(2026, 11, 21), date(2026, 11, 22))


def test_days_come_in_the_order_of_time(tmp_path: Path) -> None:
    """Parts by their number, not by their letters."""
    names = [
        "2026-11-20.zmon", "2026-11-21.zmon", "2026-11-21-2.zmon", "2026-11-21-10.zmon", "2026-11-22.zmon",
    ]  # fmt: skip
    for name in reversed(names):
        (tmp_path / name).touch()
    found = days(str(tmp_path))
    assert [os.path.basename(file.path) for file in found.days] == names
    assert found.strangers == []


def test_strangers_are_named_and_left_out(tmp_path: Path) -> None:
    """What SQLite keeps beside a day file is none; beside nothing it is."""
    strangers = ["2026-02-31.zmon", "2026-11-19.zmon-wal", "2026-11-21-1.zmon", "2026-11-21.zmon.gz", "notes"]
    for name in ("2026-11-21.zmon", "2026-11-21.zmon-wal", "2026-11-21.zmon-shm", *strangers):
        (tmp_path / name).touch()
    found = days(str(tmp_path))
    assert [os.path.basename(file.path) for file in found.days] == ["2026-11-21.zmon"]
    assert found.strangers == strangers


@given(st.lists(st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1), max_size=5))
def test_no_name_upsets_the_listing(names: list[str]) -> None:
    """Each is either a day's file, beside one, or a stranger."""
    import tempfile  # noqa: PLC0415 - tmp_path and hypothesis do not go together

    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if name not in {".", ".."} and len(name.encode()) < 200:
                open(os.path.join(folder, name), "w", encoding="utf-8").close()
        found = days(folder)
        assert len(found.days) + len(found.strangers) <= len(set(names))
