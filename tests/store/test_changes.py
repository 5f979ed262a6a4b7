"""What happened between two samples: labels that changed."""

from __future__ import annotations

from zmon.base.absent import absent
from zmon.kinds import CONTAINER
from zmon.sample import Frame, Instant, Sample
from zmon.store.changes import MAX_LABEL, label_changes


def sample(when: int, ranges: object) -> Sample:
    frame = Frame(CONTAINER, ["/db/file"], {"ranges": [ranges]}, [when])  # type: ignore[list-item]  # any value
    return Sample(Instant(when, when, "boot"), {"container": frame})


def test_a_label_that_is_another_one_is_told() -> None:
    """With what it was, what it is, and why it is not there."""
    (change,) = label_changes(sample(1, "0+1000"), sample(2, absent("not asked")))
    assert (change.was, change.now) == ("0+1000", "(not asked)")


def test_what_takes_pages_is_cut() -> None:
    """The sample has it as a whole; here it is for people."""
    (change,) = label_changes(sample(1, "0+1000"), sample(2, " ".join(["10000+1000"] * 10_000)))
    assert len(change.now) == MAX_LABEL
    assert change.now.endswith(" ...")
