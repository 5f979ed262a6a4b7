"""Listings that a recorder asks for beside recording: the first sample waits for none, and none ends it.

Files are read at once, so that a wrong name is told at once.  A server may be down, or silent: each is asked
in a thread of its own, again and again at growing distances until it answers.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from zmon.cli.listing import asked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.kernel.file_extents import ListedFile
    from zmon.listing.listing import Listing

FIRST: Final = 10.0
"""Seconds from the first failure to the next question; each further wait is twice as long."""
LONGEST: Final = 600.0
"""Seconds between two questions at the most."""


class Asker:
    """What servers list, as far as they have answered; `zmon.kernel.sampler.Later`."""

    def __init__(
        self, ask: Callable[[str], Listing], say: Callable[[str], None], first: float = FIRST
    ) -> None:
        """Ask nobody yet; `ask` raises ValueError where a server does not answer."""
        self._ask = ask
        self._say = say
        self._first = first
        self._found: dict[str, Sequence[ListedFile]] = {}
        self._waiting: dict[str, str] = {}
        """The servers that have not answered yet, with the reason."""
        self._new = threading.Event()
        self._over = threading.Event()

    def start(self, servers: Sequence[str]) -> None:
        """Begin to ask, each server in a thread of its own."""
        for number, address in enumerate(servers):
            self._waiting[address] = "no answer yet from the database server"
            threading.Thread(target=self._run, args=(address,), name=f"asker-{number}", daemon=True).start()

    def stop(self) -> None:
        """Ask no more; who is asking right now is not waited for."""
        self._over.set()

    def containers(self) -> Sequence[ListedFile]:
        """Return the files of the servers that have answered.

        Raises:
            ValueError: none has; says why.
        """
        found = [one for each in list(self._found.values()) for one in each]
        reasons = list(dict.fromkeys(self._waiting.values()))
        if not found and reasons:
            raise ValueError("; ".join(reasons))
        return found

    def changed(self) -> bool:
        """Tell whether a server has answered since this was asked last."""
        new = self._new.is_set()
        self._new.clear()
        return new

    def _run(self, address: str) -> None:
        wait = self._first
        failed = ""
        while not self._over.is_set():
            try:
                listing = self._ask(address)
            except Exception as error:  # noqa: BLE001 - whatever fails, recording goes on
                reason = str(error) or type(error).__name__
                self._waiting[address] = reason
                if not failed:
                    self._say(f"{reason}; recording goes on without it, and it is asked again")
                failed = reason
                self._over.wait(wait)
                wait = min(2 * wait, LONGEST)
                continue
            self._found[address] = list(asked(listing))
            self._waiting.pop(address, None)
            self._new.set()
            for note in listing.notes:
                self._say(note)
            if failed:
                self._say(f"the database server answers now: {len(self._found[address]):,} files are listed")
            return
