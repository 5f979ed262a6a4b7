"""The machine in texts: lscpu, uname and hostname."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.reading import Reading, line
from zmon.kinds import MACHINE

if TYPE_CHECKING:
    from zmon.base.absent import Value

LOCAL: Final = "localhost"
"""The name that every machine has for itself."""
_ENVIRONMENTS: Final = (("z/VM", "zvm"), ("KVM", "kvm"), ("PR/SM", "lpar"), ("LPAR", "lpar"))


def running(hypervisor: str) -> dict[str, Value]:
    """Return what runs this Linux, as lscpu and the kernel call it."""
    environment = next((name for word, name in _ENVIRONMENTS if word in hypervisor), "")
    own = {"control_program": hypervisor} if environment not in {"", "lpar"} else {}
    return {"environment": environment, **own}


class Lscpu(Reading):
    """Architecture, machine type and hypervisor, in English or German."""

    tool = "lscpu"
    tells = ("machine",)
    heading = r"(?:Architecture|Architektur): +s390x"

    @line(r"(?:Architecture|Architektur):\s+(\S{1,60})\s*")
    def architecture(self, match: re.Match[str]) -> None:
        """Take the architecture."""
        self._say(architecture=match[1])

    @line(r"(?:Machine type|Maschinentyp):\s+(\S{1,60})\s*")
    def type(self, match: re.Match[str]) -> None:
        """Take the machine type."""
        self._say(type=match[1])

    @line(r"Hypervisor:\s+(\S.{0,60}?)\s*")
    def hypervisor(self, match: re.Match[str]) -> None:
        """Take what runs this Linux."""
        self._say(**running(match[1]))

    nothing = (
        r"[{}\[\]\", :].*|CPU [A-Z].*|\s*[0-9]+(?:\s+[\w:.-]+)+\s*",
        r"\s*[A-Z][\w ()/.-]{1,60}:(?:\s.*)?",
        r"# .*",
        r"[0-9,]+",
    )

    def _say(self, **values: Value) -> None:
        self.facts.say(MACHINE, "machine", self.place, **values)


class Uname(Reading):
    """Host name and kernel of `uname -a`."""

    tool = "uname"
    tells = ("machine",)
    first = r"Linux \S+ [0-9]\S* #"
    nothing = (r"\S{1,100}",)  # of another option

    @line(r"Linux (\S{1,64}) ([0-9]\S{1,64}) #.*\s(s390x|x86_64|aarch64|ppc64le)(?:\s+\S+)*\s*")
    def name(self, match: re.Match[str]) -> None:
        """Take the line."""
        name, kernel, architecture = match.groups()
        self.facts.say(
            MACHINE, "machine", self.place, hostname=name, kernel=kernel, architecture=architecture
        )

    @line(r"([A-Za-z][\w.-]{0,252})\s*")
    def node(self, match: re.Match[str]) -> bool:
        """Take the host name of `uname -n`; what other options print is of the kernel."""
        is_it = re.search(r"\s(?:-n|--nodename)(?:\s|$)", self.text.command) is not None
        if is_it:
            self.facts.say(MACHINE, "machine", self.place, hostname=match[1].partition(".")[0])
        return is_it


class Hostname(Reading):
    """What hostname prints, and /etc/hostname."""

    tool = "hostname"
    tells = ("machine",)
    nothing = (r"#.*",)

    @line(r"([\w.-]{1,253})\s*")
    def name(self, match: re.Match[str]) -> None:
        """Take the name; what `hostname -f` prints of a machine without an address is none."""
        name = match[1].partition(".")[0]
        if name != LOCAL:
            self.facts.say(MACHINE, "machine", self.place, hostname=name)
