"""The text of metrics as a file for node_exporter's textfile collector, replaced as a whole.

The collector reads `*.prom` in its directory, as another user, in the format 0.0.4 alone.  It would read a
file that is half written, or left behind, as the figures of now.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.exposition.exporter import Exporter
    from zmon.sample import Sample

EVERY: Final = 10_000_000_000
"""ns between two writes: a monitor asks every 15 s or less often."""
READABLE: Final = 0o644


class Textfile:
    """Keeps a file of metrics up to date, as samples come."""

    def __init__(self, path: str, exporter: Exporter, say: Callable[[str], None]) -> None:
        """Write nothing yet; `say` reports a trouble, once."""
        self._path = path
        self._exporter = exporter
        self._say = say
        self._next = 0
        self._trouble = ""

    def follow(self, sample: Sample) -> None:
        """Take the next sample, and write the file if it is time; what goes wrong is reported, not raised."""
        try:
            self._exporter.follow(sample)
            if not self._next or sample.at.steady >= self._next:
                self._next = sample.at.steady + EVERY
                self._write(self._exporter.text())
            self._trouble = ""
        except Exception as error:  # noqa: BLE001 - recording goes on whatever happens to the metrics
            why = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            if why != self._trouble:
                self._trouble = str(why)
                self._say(f"{self._path}: metrics are not written: {why}")

    def _write(self, text: str) -> None:
        """Replace the file.

        Raises:
            OSError: that is not possible; the old file is left as it is.
        """
        temporary = f"{self._path}.{os.getpid()}.tmp"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(temporary, flags, READABLE), "w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), READABLE)
                file.write(text)
            os.replace(temporary, self._path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def close(self) -> None:
        """Remove the file, and say so: what nobody renews is no figure of now."""
        with contextlib.suppress(OSError):
            os.unlink(self._path)
            self._say(f"{self._path} is removed: its figures would be read as those of now")
