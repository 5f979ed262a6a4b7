"""Events as people read them."""

from __future__ import annotations

import pytest

from zmon.base.event import Event, What
from zmon.base.event_line import line, lines

SECOND = 1_000_000_000


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("event", "written"),
    [
        (
            Event(What.LIMIT, 0, 90 * SECOND, "7000", "7000 was slow"),
            "01-01 00:00:00 ! 7000 was slow, for 1 min 30 s",
        ),
        (
            Event(What.LIMIT, 0, 2400 * SECOND, "7000", "DEVICE 7000: Resp above 60 ms, at most 69.7 ms"),
            "01-01 00:00:00 ! DEVICE 7000: Resp above 60 ms, at most 69.7 ms, for 40 min",
        ),
        (Event(What.GAP, 0, 9000 * SECOND, "", "no samples"), "01-01 00:00:00 ! no samples for 2 h 30 min"),
        (Event(What.GAP, 0, 7 * SECOND, "", "No samples: 7 s"), "01-01 00:00:00 ! No samples: 7 s"),
        (Event(What.CAME, SECOND, SECOND, "7000"), "01-01 00:00:01   came 7000"),
        (Event(What.NOTE, 0, 0, text="one\n\x1b[2Jtwo"), "01-01 00:00:00   one ?[2Jtwo"),
        (Event(What.GAP, 1 << 120, 1 << 120), "**-** **:**:** ! gap "),
    ],
)
def test_an_event_is_one_line(event: Event, written: str) -> None:
    """With its time, a mark if it is an exception, and nothing that a terminal would obey."""
    assert line(event) == written.rstrip()


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("what", [What.LIMIT, What.CAME])
def test_a_long_event_goes_on_below_and_keeps_its_column(what: What) -> None:
    """Words stand in one column whether or not the event is an exception, and none is lost at the edge."""
    text = "a sentence of some words"
    first, *others = lines(Event(what, 0, 0, "7000", text), 30)

    assert first[17:] == "a sentence of"
    assert others == [" " * 15 + "some words"]


@pytest.mark.parametrize(
    ("what", "text", "words"),
    [
        (What.CAME, "block dasdo is there now", "disk dasdo appeared"),
        (What.WENT, "block dasdo is gone", "disk dasdo disappeared"),
        (What.CAME, "dasdo", "dasdo"),
    ],
)
def test_what_came_and_went_is_said_in_the_users_words(what: What, text: str, words: str) -> None:
    """Recordings keep the name of the kind."""
    assert line(Event(what, 0, 0, "dasdo", text))[17:] == words
