from __future__ import annotations

import threading

import pytest

from zmon.base.listed_file import ListedFile
from zmon.listing.listing import ListingError
from zmon.recorder.server_listings import ServerListings

FILES = [ListedFile("/db/a")]


class Server:
    """Refuses as often as it is told, then lists its files."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.answered = threading.Event()
        self.said: list[str] = []

    def ask(self, address: str) -> list[ListedFile]:
        """Answer, or refuse."""
        if self.refusals:
            self.refusals -= 1
            raise ListingError(f"{address}: refused")
        return FILES

    def say(self, words: str) -> None:
        """Keep what is said; what is said at an answer sets the event."""
        self.said.append(words)
        if "file" in words:
            self.answered.set()


def test_what_a_server_lists_is_there_when_it_answers() -> None:
    """Its usable files are given, and that they are new is told once."""
    server = Server(refusals=1)
    asker = ServerListings(server.ask, server.say, first=0.0)
    asker.start(["postgresql://h/d"])
    assert server.answered.wait(30)
    assert asker.containers() == FILES
    assert (asker.changed(), asker.changed()) == (True, False)


def test_a_server_that_is_down_is_asked_again_and_told_once() -> None:
    """One sentence when it fails first, one when it answers."""
    server = Server(refusals=3)
    asker = ServerListings(server.ask, server.say, first=0.0)
    asker.start(["postgresql://h/d"])
    assert server.answered.wait(30)
    refused, answers = server.said
    assert refused.startswith("postgresql://h/d: refused; ")
    assert "1 file" in answers


def test_a_server_that_is_silent_beside_another_is_said() -> None:
    """What the other lists is there; a new reason is told once."""
    over, refused = threading.Event(), threading.Event()

    def ask(address: str) -> list[ListedFile]:
        if address.endswith("d"):
            return FILES
        if not refused.is_set():
            refused.set()
            raise ListingError("postgresql://h/e: refused")
        over.wait(30)
        return FILES

    answered = threading.Event()
    asker = ServerListings(ask, lambda _: answered.set(), first=0.0)
    asker.start(["postgresql://h/d", "postgresql://h/e"])
    assert answered.wait(30)
    while not asker.containers():
        assert asker.changed() in {True, False}
    assert asker.lacking() == "postgresql://h/e: refused"
    over.set()


def test_as_long_as_no_server_answers_the_reason_is_given() -> None:
    """Whoever wants the files is told why there are none."""
    asking, over = threading.Event(), threading.Event()

    def ask(_address: str) -> list[ListedFile]:
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


def test_nothing_is_said_when_recording_has_ended() -> None:
    """A server that refuses then is of no matter: nobody goes on without it."""
    server, asked, ended = Server(refusals=1), threading.Event(), threading.Event()

    def ask(address: str) -> list[ListedFile]:
        asked.set()
        assert ended.wait(30)
        return server.ask(address)

    before = set(threading.enumerate())
    asker = ServerListings(ask, server.say, first=0.0)
    asker.start(["postgresql://h/d"])
    (thread,) = (thread for thread in set(threading.enumerate()) - before if thread.name == "listing-0")
    assert asked.wait(30)
    asker.stop()
    ended.set()
    thread.join(30)
    assert not thread.is_alive()
    assert (server.refusals, server.said) == (0, [])
