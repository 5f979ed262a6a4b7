"""What CP is asked of its own accord: claims for a sample, and answers for a capture."""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, Final

from zmon.cp import answers
from zmon.cp.pace import EVERY
from zmon.cp.told import FOLDER
from zmon.cp.vmcp import DEVICE, EVERYBODY, CpError, command_of
from zmon.kinds import CLAIM
from zmon.sample import empty_frame
from zmon.topology.claims import claims_frame

if TYPE_CHECKING:
    from zmon.cp.vmcp import Cp
    from zmon.sample import Frame

MAPPING: Final = ("userid", "virtual-dasd")
"""What tells the real device and the label of each own disk."""


def read_claims(cp: Cp, when: int | None = None) -> Frame:
    """Ask CP for the own disks; `when` is the moment in ns of the sample's clock, now if it is not given.

    What goes wrong is the reason for which the frame is empty.
    """
    try:
        said = [cp.ask(name, age=EVERY) for name in MAPPING]
    except CpError as error:
        return empty_frame(CLAIM, str(error))
    problems = [answer.problem for answer in said if answer.problem]
    found = answers.parse("".join(answer.text for answer in said).encode(), DEVICE)
    moment = time.monotonic_ns() if when is None else when
    return claims_frame(
        found.claims(), moment, problems[0] if problems else "CP knows of no disk of this guest"
    )


def captured(cp: Cp, age: float = 3600.0) -> dict[str, bytes | OSError]:
    """Ask what every guest may ask, and return the answers by their paths in a capture.

    Each query is asked once for as many passes as `age` seconds see.
    """
    found: dict[str, bytes | OSError] = {}
    closed = None
    for name in EVERYBODY:
        path = f"{FOLDER}/{name}.txt"
        try:
            found[path] = closed or cp.ask(name, age=age).text.encode()
        except CpError as error:
            found[path] = reason = OSError(errno.EIO, str(error).removeprefix(f"{command_of(name)}: "))
            if isinstance(error.__cause__, OSError):  # the kernel lets nobody ask
                closed = reason
    return found
