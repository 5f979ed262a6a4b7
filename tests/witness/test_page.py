"""docs/witness.md shows what tests/golden/witness holds."""

from __future__ import annotations

from docs.witness import FILE, page
from tests.goldens import GOLDEN
from tests.witness.machines import MACHINES


def test_the_page_says_what_is_held() -> None:
    """`python docs/witness.py` writes its tables, which follow from what is held of each machine."""
    written = FILE.read_text(encoding="utf-8")
    assert page(written) == written
    assert {file.stem for file in (GOLDEN / "witness").iterdir()} == set(MACHINES)
