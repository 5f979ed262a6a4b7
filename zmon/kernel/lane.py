"""Each source of the running machine is read in a thread of its own, one source after the other.

That is because a kernel file or an ioctl may never return.  A source that does not answer in time is left
behind: its rows are absent, with the reason, and the others go on; later samples do not wait for it again.
When it answers at last, its answer counts for the next sample.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from zmon.kernel.source import PATIENCE, Reading
from zmon.sample import nothing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.kernel.source import Source
    from zmon.sample import Frame


class Lane(Reading):
    """The thread of one source, and its last answer."""

    def __init__(self, source: Source) -> None:
        """Read nothing yet."""
        super().__init__(source)
        self._asked: queue.SimpleQueue[bool] = queue.SimpleQueue()
        """True asks for an answer, False ends the thread."""
        self._answers: queue.SimpleQueue[Sequence[Frame]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._waiting = False
        self._late = False
        """It has been waited for in vain already."""
        self._due = 0.0
        self._last: dict[str, Frame] = {}

    def frames(self, patience: float = PATIENCE) -> dict[str, Frame]:
        """Return the source's frames by kind: read now if it is due, else the last ones.

        What does not answer within `patience` seconds is absent.
        """
        if self.source.off:
            self.cost.state, self.cost.reason = "off", self.source.off
            return self._absent(self.source.off)
        now = time.monotonic()
        if not self._waiting and now >= self._due:
            self._ask()
            self._due = now + self.source.every
        if self._waiting:
            try:
                answer = self._answers.get(timeout=0 if self._late else patience)
            except queue.Empty:
                self._late = True
                self.cost.state = "hangs"
                self.cost.reason = f"{self.source.what} does not answer"
                return self._absent(self.cost.reason)
            self._waiting = self._late = False
            self._keep(answer)
        return self._last

    def again(self) -> None:
        """Make the source due at once, whatever its interval."""
        self._due = 0.0

    def end(self) -> None:
        """End the thread as soon as it is not reading."""
        self._asked.put(False)

    def _ask(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self.source.name, daemon=True)
            self._thread.start()
        self._waiting = True
        self._asked.put(True)

    def _run(self) -> None:
        while self._asked.get():
            self._answers.put(self.read())

    def _keep(self, frames: Sequence[Frame]) -> None:
        """Make these the last frames; each remembers the last good one before it, but no further."""
        kept = {}
        for frame in frames:
            before = self._last.get(frame.kind.name)
            if before is not None and before.missing is not None:
                before = before.prior
            if before is not None and self.source.every:
                frame = frame.but(prior=before.but(prior=None))  # noqa: PLW2901 - the same reading
            kept[frame.kind.name] = frame
        self._last = kept

    def _absent(self, reason: str) -> dict[str, Frame]:
        return {kind.name: nothing(kind, reason) for kind in self.source.kinds}
