"""Listings of database servers, which are asked beside recording."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.listed_file import ListedFile

RETRY_SECONDS: Final = 10.0
"""From the first failure of a database server to the next question; each further wait is twice as long."""
MAX_RETRY_SECONDS: Final = 600.0


class ServerListings:
    """The containers that database servers list, as far as they have answered (a `LateListing`).

    The first sample waits for no server, and none ends recording: each is asked in a thread of its own, again
    and again at growing distances, until it answers.
    """

    def __init__(
        self,
        ask: Callable[[str], Sequence[ListedFile]],
        say: Callable[[str], None],
        first: float = RETRY_SECONDS,
    ) -> None:
        """Start no thread yet; `ask` returns the files that a server lists, or raises an error."""
        self._ask = ask
        self._say = say
        self._first = first
        self._found: dict[str, Sequence[ListedFile]] = {}
        self._waiting: dict[str, str] = {}
        """The servers that have not answered yet, with the reason."""
        self._new = threading.Event()
        self._stopped = threading.Event()
        self._saying = threading.Lock()

    def start(self, servers: Sequence[str]) -> None:
        """Begin to ask, each server in a thread of its own."""
        for number, address in enumerate(servers):
            self._waiting[address] = "no answer yet from the database server"
            threading.Thread(target=self._run, args=(address,), name=f"listing-{number}", daemon=True).start()

    def stop(self) -> None:
        """Ask no more; a question that is being asked is not waited for, and its end is not said."""
        with self._saying:
            self._stopped.set()

    def containers(self) -> Sequence[ListedFile]:
        """Return the files of the servers that have answered.

        Raises:
            ValueError: none has; says why.
        """
        all_containers = [container for listed in list(self._found.values()) for container in listed]
        if not all_containers and self._waiting:
            raise ValueError(self.lacking())
        return all_containers

    def lacking(self) -> str:
        """Say why the files of some servers are not known; empty when all have answered."""
        return "; ".join(dict.fromkeys(list(self._waiting.values())))

    def changed(self) -> bool:
        """Tell whether a server has answered, or failed for another reason, since this was asked last."""
        new = self._new.is_set()
        self._new.clear()
        return new

    def _run(self, address: str) -> None:
        wait = self._first
        failed = ""
        while not self._stopped.is_set():
            try:
                files = self._ask(address)
            except Exception as error:  # noqa: BLE001 - whatever fails, recording goes on
                reason = str(error) or type(error).__name__
                self._waiting[address] = reason
                if reason != failed:
                    self._new.set()
                if not failed:
                    self._tell(f"{reason}; recording goes on without it, and it is asked again")
                failed = reason
                self._stopped.wait(wait)
                wait = min(2 * wait, MAX_RETRY_SECONDS)
                continue
            self._found[address] = files
            self._waiting.pop(address, None)
            self._new.set()
            if failed:
                listed = f"{len(files):,} file{'s are' if len(files) != 1 else ' is'} listed"
                self._tell(f"the database server answers now: {listed}")
            return

    def _tell(self, sentence: str) -> None:
        with self._saying:
            if not self._stopped.is_set():
                self._say(sentence)
