from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from zmon.cp.source import captured, read_claims
from zmon.cp.vmcp import EVERYBODY, Cp
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DISKS = b"DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"


class Node:
    """A device that answers by a table."""

    def __init__(self, answers: Mapping[bytes, bytes], code: int = 0) -> None:
        self.answers = answers
        self._code = code
        self.written: list[bytes] = []

    def resize(self, size: int) -> None:
        """Take any size."""

    def write(self, command: bytes) -> None:
        """Note the command."""
        self.written.append(command)

    def code(self) -> int:
        """Return the same code always."""
        return self._code

    def size(self) -> int:
        """Return the size."""
        return len(self.read())

    def read(self) -> bytes:
        """Return the answer to the last command."""
        return self.answers.get(self.written[-1], b"")

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def asking() -> Callable[[Node], Cp]:
    """Ask a node, without waiting."""
    return lambda node: Cp(lambda: node, sleep=lambda _seconds: None)


def test_the_own_disks_are_claimed(asking: Callable[[Node], Cp]) -> None:
    """As /dev/vmcp says."""
    node = Node({b"QUERY USERID": b"LINDB01  AT ZVMPRD1\n", b"QUERY VIRTUAL DASD": DISKS})
    frame = read_claims(asking(node), 7)
    (claim,) = claims_in(frame)
    assert (claim.vdev, claim.rdev, claim.volser, claim.user) == ("0100", "4A01", "LX4A01", "")
    assert claim.origin == "/dev/vmcp"
    assert frame.times == [7]


def test_they_are_not_asked_for_at_every_sample(asking: Callable[[Node], Cp]) -> None:
    """Disks change seldom, and CP is not free."""
    node = Node({b"QUERY VIRTUAL DASD": DISKS})
    cp = asking(node)
    read_claims(cp)
    read_claims(cp)
    assert node.written == [b"QUERY USERID", b"QUERY VIRTUAL DASD"]


@pytest.mark.parametrize(
    ("code", "words"), [(0, "CP knows of no disk of this guest"), (3, "not available for this guest")]
)
def test_without_disks_there_is_a_reason(asking: Callable[[Node], Cp], code: int, words: str) -> None:
    """CP's own, or that there are none."""
    missing = read_claims(asking(Node({}, code))).missing
    assert missing is not None
    assert words in missing.reason


def refuse() -> Node:
    """Have no device."""
    raise OSError(errno.ENOENT, "No such file or directory")


def test_without_cp_there_is_a_reason() -> None:
    """What to do stands in it."""
    missing = read_claims(Cp(refuse)).missing
    assert missing is not None
    assert "modprobe vmcp" in missing.reason


def test_a_capture_takes_what_every_guest_may_ask(asking: Callable[[Node], Cp]) -> None:
    """Once for all its passes."""
    node = Node({b"QUERY VIRTUAL DASD": DISKS})
    cp = asking(node)
    assert captured(cp)["cp/virtual-dasd.txt"] == DISKS
    assert captured(cp).keys() == {f"cp/{name}.txt" for name in EVERYBODY}
    assert len(node.written) == len(EVERYBODY)


def test_a_capture_without_cp_says_why() -> None:
    """For each file that is not there, having tried once."""
    tried: list[int] = []

    def refuse_once() -> Node:
        tried.append(1)
        return refuse()

    found = captured(Cp(refuse_once, sleep=lambda _seconds: None))
    assert {str(error) for error in found.values()} == {
        "[Errno 5] no /dev/vmcp: this is no z/VM guest, or the module is not loaded (modprobe vmcp)"
    }
    assert len(found) == len(EVERYBODY)
    assert len(tried) == 1
