from __future__ import annotations

import errno
import re
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.vmcp import (
    A_MINUTE,
    EVERYBODY,
    GAP,
    MAX_ANSWER,
    ROOM,
    WHITELIST,
    Cp,
    CpAnswer,
    CpError,
    VmcpDevice,
    command_of,
    refused,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Fake(VmcpDevice):
    """A device that answers as the kernel's does."""

    def __init__(self, answer: bytes = b"LINDB01  AT ZVMPRD1\n", code: int = 0) -> None:
        self.answer = answer
        self._code = code
        self.calls: list[str] = []
        self.room = 4096
        self.written: list[bytes] = []
        self.fails: OSError | None = None
        self.gate: threading.Event | None = None

    def open(self) -> Fake:
        """Open it, or fail."""
        if self.fails:
            raise self.fails
        self.calls.append("open")
        return self

    def resize(self, size: int) -> None:
        """Make room, as much as the kernel gives."""
        if not 1 <= size <= MAX_ANSWER:
            raise OSError(errno.EINVAL, "Invalid argument")
        self.calls.append("resize")
        self.room = size

    def write(self, command: bytes) -> None:
        """Run a command; hang if a gate is shut."""
        self.calls.append("write")
        self.written.append(command)
        if self.gate:
            self.gate.wait(10)

    def code(self) -> int:
        """Return the code."""
        return self._code

    def size(self) -> int:
        """Return the size of the whole answer."""
        return len(self.answer)

    def read(self) -> bytes:
        """Return what there was room for."""
        return self.answer[: self.room]

    def close(self) -> None:
        """Note that it was closed."""
        self.calls.append("close")


class Clock:
    """Time that only sleeping lets pass."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def fake() -> Fake:
    """Return a device."""
    return Fake()


@pytest.fixture
def clock() -> Clock:
    """Return a clock."""
    return Clock()


@pytest.fixture
def cp(fake: Fake, clock: Clock) -> Cp:
    """Return who asks it."""
    return Cp(fake.open, 5.0, clock, clock.sleep)


# --- what can be asked ------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(WHITELIST))
def test_the_whitelist_only_asks(name: str) -> None:
    """QUERY and INDICATE change nothing, and the longest fits."""
    query = WHITELIST[name]
    assert query.command.split()[0] in {"QUERY", "INDICATE"}
    assert len(query.command) + 6 <= 240  # bytes that the kernel takes
    assert re.fullmatch(r"any|[A-G]( [A-G])*", query.privilege)
    assert query.description


@pytest.mark.parametrize(
    ("name", "operand", "command"),
    [
        ("userid", "", "QUERY USERID"),
        ("virtual", "19f", "QUERY VIRTUAL 19F"),
        ("details", "17203", "QUERY DASD DETAILS 17203"),
        ("chpid", "4e", "QUERY CHPID 4E"),
    ],
)
def test_a_command_is_a_fixed_text_and_a_number(name: str, operand: str, command: str) -> None:
    """In capitals."""
    assert command_of(name, operand) == command


@pytest.mark.parametrize(
    ("name", "operand", "message"),
    [
        ("logoff", "", "logoff"),
        ("userid", "7000", "takes no operand"),
        ("details", "", "QUERY DASD DETAILS needs .* 7000, "),
        ("details", "700", "QUERY DASD DETAILS needs .* 7000, "),
        ("virtual", "19F\n", "QUERY VIRTUAL needs .* 191, "),
        ("virtual", "191 FOR LINUX2", "QUERY VIRTUAL needs .* 191, "),
        ("chpid", "٤٢", "QUERY CHPID needs .* 4F, "),
    ],
)
def test_nothing_else_can_be_asked(fake: Fake, cp: Cp, name: str, operand: str, message: str) -> None:
    """It never comes to the device."""
    with pytest.raises(CpError, match=message):
        cp.ask(name, operand)
    assert not fake.calls


@given(st.sampled_from([*WHITELIST, "q"]), st.text(max_size=8))
def test_no_text_reaches_cp(name: str, operand: str) -> None:
    """A command is of the whitelist, with hex digits behind it at the most."""
    try:
        command = command_of(name, operand)
    except CpError:
        return
    assert re.fullmatch(re.escape(WHITELIST[name].command) + r"( [0-9A-F]{1,5})?", command)


def test_every_guest_may_ask_without_naming_anything() -> None:
    """Those are what a capture takes along."""
    assert "virtual-dasd" in EVERYBODY
    assert not {"virtual", "dasd", "processors"} & set(EVERYBODY)


# --- one command ------------------------------------------------------------------------------


def test_room_is_made_before_the_command(fake: Fake) -> None:
    """And the device is closed behind it."""
    answer = run("QUERY USERID", fake.open)
    assert answer.text == "LINDB01  AT ZVMPRD1\n"
    assert fake.calls == ["open", "resize", "write", "close"]
    assert fake.written == [b"QUERY USERID"]


def test_a_long_answer_is_asked_for_once_more() -> None:
    """With room for what the kernel said it has."""
    fake = Fake(b"x" * (ROOM + 1))
    answer = run("QUERY VIRTUAL ALL", fake.open)
    assert len(answer.text) == ROOM + 1
    assert answer.whole
    assert len(fake.written) == 2


def test_an_answer_that_fits_is_asked_for_once() -> None:
    """To the last byte."""
    fake = Fake(b"x" * ROOM)
    assert run("QUERY VIRTUAL ALL", fake.open).whole
    assert len(fake.written) == 1


def test_an_answer_beyond_all_room_is_cut_and_says_so() -> None:
    """It is not asked for a third time."""
    fake = Fake(b"x" * (MAX_ANSWER + 1))
    answer = run("QUERY VIRTUAL ALL", fake.open)
    assert (len(answer.text), answer.whole, len(fake.written)) == (MAX_ANSWER, False, 2)
    assert "was cut off" in answer.problem


def test_an_answer_that_grows_meanwhile_is_not_chased() -> None:
    """Two commands are enough."""
    fake = Fake(b"x" * (ROOM + 1))
    write = fake.write

    def grow(command: bytes) -> None:
        write(command)
        fake.answer += b"y" * ROOM

    fake.write = grow  # type: ignore[method-assign]
    assert not run("QUERY VIRTUAL ALL", fake.open).whole
    assert len(fake.written) == 2


def test_the_device_is_closed_when_it_fails(fake: Fake) -> None:
    """Whatever happens in between."""

    def fail(command: bytes) -> None:  # noqa: ARG001 - it is never run
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    fake.write = fail  # type: ignore[method-assign]
    with pytest.raises(OSError, match="Cannot allocate"):
        run("QUERY USERID", fake.open)
    assert fake.calls[-1] == "close"


def test_bytes_that_are_no_text_become_characters() -> None:
    """And binary zeros blanks, so that columns stay."""
    assert run("QUERY VIRTUAL DASD", Fake(b"DASD \0\0\0 \xa7\n").open).text == "DASD     \ufffd\n"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (CpAnswer("QUERY USERID", ""), ""),
        (
            CpAnswer("QUERY DASD ALL", "HCPCQU003E Invalid option - DASD", 3),
            "QUERY DASD ALL: not available",
        ),
        (
            CpAnswer("QUERY X", "", 1),
            "QUERY X: not available",
        ),
        (
            CpAnswer("QUERY VIRTUAL 0600", "HCPQVD040E Device 0600 does not exist\n", 40),
            "QUERY VIRTUAL 0600: HCPQVD040E Device 0600 does not exist",
        ),
        (CpAnswer("QUERY X", "odd\n", 17), "QUERY X: CP ended"),
    ],
)
def test_return_codes_have_a_meaning(answer: CpAnswer, problem: str) -> None:
    """In words a person can act on."""
    assert answer.problem.startswith(problem)
    assert bool(answer.problem) == bool(problem) == bool(answer.code)
    assert answer.code != 17 or answer.problem.endswith(" 17")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOENT, "modprobe vmcp"),
        (errno.ENODEV, "no z/VM guest"),
        (errno.EACCES, "CAP_SYS_ADMIN"),
        (errno.EPERM, "needs root"),
        (errno.ENOMEM, "no memory"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_refusals_of_the_kernel_have_a_reason(fake: Fake, cp: Cp, number: int, words: str) -> None:
    """They come as one sentence."""
    fake.fails = OSError(number, "Input/output error")
    with pytest.raises(CpError, match=re.escape(words)):
        cp.ask("userid")
    assert words in refused(fake.fails)


# --- how often, how long ----------------------------------------------------------------------


def test_answers_are_kept(fake: Fake, cp: Cp, clock: Clock) -> None:
    """As long as they are not older than they may be."""
    first = cp.ask("userid", age=60)
    clock.now += 60
    assert cp.ask("userid", age=60) is first
    clock.now += 1
    assert cp.ask("userid", age=60) is not first
    assert len(fake.written) == 2


def test_other_commands_have_other_answers(fake: Fake, cp: Cp) -> None:
    """An operand counts."""
    cp.ask("details", "7000")
    cp.ask("details", "7001")
    assert fake.written == [b"QUERY DASD DETAILS 7000", b"QUERY DASD DETAILS 7001"]


def test_commands_keep_a_distance(cp: Cp, clock: Clock) -> None:
    """The first does not wait."""
    cp.ask("userid")
    assert not clock.slept
    cp.ask("privclass")
    assert clock.slept == [pytest.approx(GAP)]
    clock.now += 1
    cp.ask("cplevel")
    assert len(clock.slept) == 1


def test_commands_are_counted_by_the_minute(fake: Fake, cp: Cp, clock: Clock) -> None:
    """One too many is not asked until some time has passed."""
    for number in range(A_MINUTE):
        cp.ask("details", f"{number:04X}")
    with pytest.raises(CpError, match="within a minute"):
        cp.ask("userid")
    assert len(fake.written) == A_MINUTE
    cp.ask("details", "0000")  # which is kept
    clock.now += 61
    cp.ask("userid")


@pytest.fixture
def hanging(fake: Fake, clock: Clock) -> Callable[[], Cp]:
    """Let CP hang, until the device's gate is opened."""
    fake.gate = threading.Event()
    return lambda: Cp(fake.open, 0.01, clock, clock.sleep)


def test_a_cp_that_hangs_is_left_behind(fake: Fake, hanging: Callable[[], Cp]) -> None:
    """Later questions do not wait for it, and none is asked."""
    cp = hanging()
    with pytest.raises(CpError, match=r" 0\.01 seconds"):
        cp.ask("userid")
    with pytest.raises(CpError, match="has not answered QUERY USERID yet"):
        cp.ask("privclass")
    assert fake.written in ([], [b"QUERY USERID"])
    assert fake.gate
    fake.gate.set()


def test_a_late_answer_counts(fake: Fake, hanging: Callable[[], Cp]) -> None:
    """It is kept for the next time."""
    cp = hanging()
    with pytest.raises(CpError):
        cp.ask("userid")
    assert fake.gate
    fake.gate.set()
    cp._deadline = 10.0
    cp._receive(10.0)
    assert cp.ask("userid").text == "LINDB01  AT ZVMPRD1\n"
    assert len(fake.written) == 1


def test_a_mistake_is_no_silence(clock: Clock) -> None:
    """What no kernel would raise reaches whoever asked, at once."""

    def broken() -> VmcpDevice:
        raise RuntimeError("no such thing")

    with pytest.raises(RuntimeError, match="no such thing"):
        Cp(broken, 10.0, clock, clock.sleep).ask("userid")


def test_the_thread_does_not_keep_zmon_from_ending(fake: Fake, hanging: Callable[[], Cp]) -> None:
    """It is a daemon."""
    with pytest.raises(CpError):
        hanging().ask("userid")
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "vmcp")
    assert fake.gate
    fake.gate.set()


def test_without_the_device_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on every machine that is no guest of z/VM."""
    monkeypatch.setattr("zmon.cp.vmcp.DEVICE", "/dev/null/vmcp")
    with pytest.raises(CpError):
        Cp().ask("userid")


def test_the_real_device_takes_the_kernels_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests, sizes and the end of the answer are as drivers/s390/char/vmcp.c has them."""
    asked: list[tuple[int, bytes]] = []
    answers = [b"LINDB01  AT ZVMPRD1\n", b""]

    def ioctl(_fd: int, request: int, room: bytearray, _change: bool) -> int:
        asked.append((request, bytes(room)))
        if request == 0x80041003:
            room[:] = (20).to_bytes(4, sys.byteorder)
        return 0

    monkeypatch.setattr("zmon.cp.vmcp.os.open", lambda *_: 99)
    monkeypatch.setattr("zmon.cp.vmcp.os.close", lambda _fd: None)
    monkeypatch.setattr("zmon.cp.vmcp.os.write", lambda _fd, data: len(data))
    monkeypatch.setattr("zmon.cp.vmcp.os.read", lambda _fd, _size: answers.pop(0))
    monkeypatch.setattr("zmon.cp.vmcp.fcntl.ioctl", ioctl)
    assert run("QUERY USERID").text == "LINDB01  AT ZVMPRD1\n"
    assert [request for request, _room in asked] == [0x40041002, 0x80041003, 0x80041001]
