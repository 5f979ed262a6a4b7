from __future__ import annotations

import threading

import pytest

from zmon.cli.record import ServerListings
from zmon.listing.containers import Container
from zmon.listing.listing import Listing, ListingError

FILES = Listing((Container(path="/db/a"), Container(path="b", problem="relative")), ("a note",))


class Server:
    """Refuses as often as it is told, then lists its files."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.last = "the database server answers" if refusals else "a note"
        self.answered = threading.Event()
        self.said: list[str] = []

    def ask(self, address: str) -> Listing:
        """Answer, or refuse."""
        if self.refusals:
            self.refusals -= 1
            raise ListingError(f"{address}: refused")
        return FILES

    def say(self, words: str) -> None:
        """Keep what is said; what comes last sets the event."""
        self.said.append(words)
        if words.startswith(self.last):
            self.answered.set()


def test_what_a_server_lists_is_there_when_it_answers() -> None:
    """Its usable files are given, and that they are new is told once."""
    server = Server(refusals=0)
    asker = ServerListings(server.ask, server.say)
    asker.start(["postgresql://h/d"])
    assert server.answered.wait(30)
    assert [one.path for one in asker.containers()] == ["/db/a"]
    assert (asker.changed(), asker.changed()) == (True, False)
    assert server.said == ["a note"]


def test_a_server_that_is_down_is_asked_again_and_told_once() -> None:
    """One sentence when it fails first, one when it answers."""
    server = Server(refusals=3)
    asker = ServerListings(server.ask, server.say, first=0.0)
    asker.start(["postgresql://h/d"])
    assert server.answered.wait(30)
    assert server.said == [
        "postgresql://h/d: refused; recording goes on without it, and it is asked again",
        "a note",
        "the database server answers now: 1 file is listed",
    ]


def test_as_long_as_no_server_answers_the_reason_is_given() -> None:
    """Whoever wants the files is told why there are none."""
    asking, over = threading.Event(), threading.Event()

    def ask(_address: str) -> Listing:
        asking.set()
        over.wait()
        return FILES

    asker = ServerListings(ask, lambda _: None)
    asker.start(["postgresql://h/d"])
    assert asking.wait(30)
    with pytest.raises(ValueError, match="no answer yet"):
        asker.containers()
    assert not asker.changed()
    asker.stop()
    over.set()
