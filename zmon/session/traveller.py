"""Going along a tape: moves that may take time, and where they lead."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.session.command import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval
    from zmon.session.tape import Watch

NOT_KEPT: Final = (
    "Live samples are not kept. To go back in time, start zmon with --record FILE or open a recording: --from"
    " FILE"
)


class Found(NamedTuple):
    """Where a move has led, and what is to be said about it."""

    interval: Interval
    said: str = ""


class Move(NamedTuple):
    """A way along a tape; going it takes time and touches the tape alone, so another thread may do it."""

    watch: Watch
    """Who looks at what is found."""
    find: Callable[[], Found | Interval | None]
    edge: str
    """What is said when there is nothing that way."""

    def go(self) -> Found | None:
        """Go this way; None when there is nothing."""
        found = self.find()
        return found if found is None or isinstance(found, Found) else Found(found)


class Traveller:
    """Looks at a tape and goes along it; of a live machine, back into its past and to the present again."""

    def __init__(self, watch: Watch) -> None:
        """Look at what the watch looks at."""
        self.watch = watch
        """Who looks at what is shown: at a tape, at the live machine, or at its past."""
        self.present = watch
        self.said = watch.said
        """What is to be said about where the last move led."""
        self.mover: Callable[[Move], None] | None = None
        """Who goes a move and then lets the traveller `arrive`; without it moves are gone at once."""
        self._underway: list[Move] = []

    def drop(self, move: Move) -> None:
        """Forget a move that could not be gone."""
        if move in self._underway:
            self._underway.remove(move)

    @property
    def underway(self) -> bool:
        """Whether a move has not led anywhere yet."""
        return bool(self._underway)

    def rewind(self) -> Watch:
        """Return who looks at what lies before: of a live machine, a watch over what was recorded.

        Raises:
            CommandError: nothing is recorded.
        """
        if self.watch.tape.live:
            past = self.watch.rewind()
            if past is None:
                raise CommandError(NOT_KEPT)
            self.watch = past
        return self.watch

    def move(self, find: Callable[[], Found | Interval | None], edge: str = "") -> None:
        """Go a way along the tape.

        Raises:
            CommandError: there is nothing that way, if that is known at once.
        """
        move = Move(self.watch, find, edge)
        self._underway.append(move)
        if self.mover is not None:
            self.mover(move)
        else:
            self.arrive(move, move.go())

    def arrive(self, move: Move, found: Found | None) -> bool:
        """Look at what a move has found; return False if nobody wants it any more, or it is nothing.

        Raises:
            CommandError: there was nothing that way.
        """
        if move not in self._underway:
            return False
        self._underway.remove(move)
        if found is None and move.edge:
            raise CommandError(move.edge)
        if found is None:
            return False
        move.watch.arrive(found.interval)
        self.said = found.said
        return True

    def to_present(self) -> None:
        """Return to the live machine; what is still under way leads nowhere.

        Raises:
            CommandError: it is no live machine that is looked at.
        """
        if not self.present.tape.live:
            raise CommandError("NOW is for the live machine. GO end goes to the last sample.")
        self._underway.clear()
        self.watch = self.present
        self.watch.interim()

    def go_to(self, utc: int) -> None:
        """Go to the sample of a time.

        Raises:
            CommandError: nothing is recorded.
        """
        self.move(partial(self.rewind().head.seek, utc), "There are no samples here.")
