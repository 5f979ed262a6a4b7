from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import absent
from zmon.kernel.dasd_ioctl import (
    BIODASDINFO2,
    BIODASDPSRD,
    BIODASDREADALLCMB,
    NEEDS_GROUP,
    NEEDS_ONLINE,
    NO_ANSWER,
    NOT_OFFERED,
    Question,
    ask,
    unanswered,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree


def test_a_captured_tree_answers_from_its_file(make_tree: Callable[..., Tree]) -> None:
    """Nothing is opened but ioctl/<disk>/<name>.bin."""
    tree = make_tree({"ioctl/dasda/BIODASDPSRD.bin": bytes(192)})
    assert ask(tree, "dasda", BIODASDPSRD) == bytes(192)


def test_a_captured_answer_of_another_length_is_rejected(make_tree: Callable[..., Tree]) -> None:
    """A cut answer is no answer."""
    with pytest.raises(ValueError, match=r"\b192\b.*\b191\b"):
        ask(make_tree({"ioctl/dasda/BIODASDPSRD.bin": bytes(191)}), "dasda", BIODASDPSRD)


def test_the_running_kernel_is_asked(make_tree: Callable[..., Tree], monkeypatch: pytest.MonkeyPatch) -> None:
    """The node is opened, asked with room for the answer, and closed again."""
    did: list[object] = []

    def opened(path: str, _flags: int) -> int:
        did.append(path)
        return 99

    def asked(_node: int, number: int, room: bytearray, _mutate: bool) -> int:
        did.append(number)
        room[0] = 7
        return 0

    monkeypatch.setattr("os.open", opened)
    monkeypatch.setattr("os.close", did.append)
    monkeypatch.setattr("fcntl.ioctl", asked)
    answer = ask(make_tree(live=True), "dasda", BIODASDPSRD)
    assert (answer, did) == (b"\7" + bytes(191), ["/dev/dasda", 0x80C04404, 99])


@pytest.mark.parametrize("question", [BIODASDINFO2, BIODASDPSRD, BIODASDREADALLCMB])
def test_the_number_carries_the_size(question: Question) -> None:
    """An ioctl's number has the length of its data in bits 16 to 29."""
    assert question.number >> 16 & 0x3FFF == question.size


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EACCES, NEEDS_GROUP),
        (errno.ENOENT, NO_ANSWER),
        (errno.ENOTTY, NOT_OFFERED),
        (errno.ENODEV, NEEDS_ONLINE),
    ],
)
def test_a_refusal_says_what_to_do(number: int, reason: str) -> None:
    """The reason is one a person can act on, or else what the kernel said."""
    assert unanswered(BIODASDINFO2, OSError(number, "no luck")) is absent(reason.format("BIODASDINFO2"))
    assert unanswered(BIODASDINFO2, OSError(errno.EIO, "no luck")).reason.endswith(": no luck")


def test_refusals_are_kept_once() -> None:
    """The same refusal is the same absence."""
