"""All checks, and the questions that only a person can answer."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from zmon.base.mistake import contained
from zmon.check import (
    disk_checks,
    file_checks,
    memory_checks,
    multipath_checks,
    path_checks,
    system_checks,
)
from zmon.check.cases import checks
from zmon.check.practice import CheckResult, Finding, OpenQuestion, State
from zmon.kinds import (
    BLOCK,
    CHANNEL,
    CLAIM,
    CONTAINER,
    CPU,
    DASD,
    DEVICE,
    GUEST,
    LAYER,
    MACHINE,
    MEMORY,
    MOUNT,
    PATH,
    SETTING,
    SWAP,
)
from zmon.words.records import own_records

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from zmon.base.toml import TomlTable
    from zmon.check.practice import Check, CheckInput

KINDS_READ: Final = (MACHINE, DEVICE, DASD, BLOCK, CHANNEL, LAYER, MOUNT, SWAP, CONTAINER, CLAIM, CPU, MEMORY,
                     GUEST, SETTING, PATH)  # fmt: skip
"""What of a sample is looked at."""


def _place(check: Check) -> tuple[str, int, str]:
    match = re.fullmatch("([A-Z])([0-9]+)([a-z]?)", check.id)
    assert match is not None  # noqa: S101 - a test holds it
    return match[1], int(match[2]), match[3]


FACTS: Final = {
    **disk_checks.FACTS, **path_checks.FACTS, **multipath_checks.FACTS, **file_checks.FACTS,
    **memory_checks.FACTS, **system_checks.FACTS,
}  # fmt: skip
"""What Python finds for a check, by its id."""
CHECKS: Final = tuple(sorted(checks(FACTS), key=_place))
"""Every check as it comes with zmon, by its id."""


@cache
def checks_in_force() -> tuple[Check, ...]:
    """Return the checks as the user's own file of rules changes them; of a wrong file nothing is used."""
    own = own_records()
    with suppress(ValueError):
        return CHECKS if own is None else changed(own)
    return CHECKS


def changed(own: TomlTable) -> tuple[Check, ...]:
    """Return all checks with the changes of a file of rules.

    Raises:
        ValueError: a change is none; the message has file and line.
    """
    return tuple(sorted(checks(FACTS, own), key=_place))


QUESTIONS: Final = (
    OpenQuestion(
        "B32",
        "Can the ranks do it? Reads/s + penalty x writes/s, with 2 for RAID 1, 4 for RAID 5;"
        " zmon size computes it.",
        "S002:176-188, S002:222-233, S002:255-270",
    ),
    OpenQuestion(
        "B33",
        "Oracle: is filesystemio_options=setall, disk_asynch_io not false, log_buffer 100 MB or more,"
        " no log_checkpoint_timeout=0, parallel degree at most twice the processors, and are there 4 or more"
        " redo logs of 1 to 1.5 GB?",
        "S004:264-280, S004:426-443, S004:457-458, S004:470",
    ),
)
"""What zmon cannot see."""

STATES: Final = tuple(State)
"""The worst first."""


def run_checks(
    given: CheckInput, ids: Collection[str] = (), kept: dict[str, Finding] | None = None
) -> list[CheckResult]:
    """Run all checks, or those with these ids; the worst first, those alike by id.

    What is `kept` by id are findings of the same machine that rest on what stands; those of others are added.
    """
    kept = {} if kept is None else kept
    results = []
    for check in checks_in_force():
        if ids and check.id not in ids:
            continue
        finding = kept.get(check.id)
        if finding is None:
            given.is_of_now = False
            finding = _result(check, given)
            if not given.is_of_now:
                kept[check.id] = finding
        results.append(CheckResult(check, *finding))
    return sorted(results, key=lambda result: STATES.index(result.state))


def _result(check: Check, given: CheckInput) -> Finding:
    """Run one check; of one with a mistake of its own the result is not known."""
    return contained(
        f"the check {check.id}", lambda: check.run(given), lambda why: Finding(State.UNKNOWN, why.reason)
    )


def worst(results: Iterable[CheckResult]) -> State:
    """Return the worst of bad, look and ok."""
    states = {result.state for result in results}
    return State.BAD if State.BAD in states else State.LOOK if State.LOOK in states else State.OK
