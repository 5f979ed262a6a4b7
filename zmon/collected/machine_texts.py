"""The machine in texts: lscpu and uname."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.kinds import MACHINE

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_LSCPU: Final = re.compile(
    r"(Architecture|Machine type|Hypervisor|Hypervisor vendor|Virtualization type):\s+(\S.{0,60}?)\s*"
)
_UNAME: Final = re.compile(r"Linux (\S{1,64}) ([0-9]\S{1,64}) #.* (s390x) GNU/Linux\s*")
_ENVIRONMENTS: Final = (("z/VM", "zvm"), ("KVM", "kvm"), ("PR/SM", "lpar"))


def parse_lscpu(text: CollectedText, facts: Facts) -> None:
    """Take architecture, machine type and hypervisor."""
    for line, row in text.rows():
        if not (match := _LSCPU.fullmatch(row)):
            continue
        place, value = f"lscpu, {text.place(line)}", match[2]
        if match[1] == "Architecture":
            facts.say(MACHINE, "machine", place, architecture=value)
        elif match[1] == "Machine type":
            facts.say(MACHINE, "machine", place, type=value)
        elif match[1] == "Hypervisor":
            environment = next((name for word, name in _ENVIRONMENTS if word in value), "")
            facts.say(MACHINE, "machine", place, environment=environment)
            if environment not in {"", "lpar"}:
                facts.say(MACHINE, "machine", place, control_program=value)


def parse_uname(text: CollectedText, facts: Facts) -> None:
    """Take host name and kernel of `uname -a`."""
    for line, row in text.rows():
        if match := _UNAME.fullmatch(row):
            place = f"uname, {text.place(line)}"
            facts.say(MACHINE, "machine", place, hostname=match[1], kernel=match[2], architecture=match[3])
