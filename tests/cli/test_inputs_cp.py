from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import Absent
from zmon.cli.inputs import claims_with_cp
from zmon.cli.subcommands import add_choice, add_cp
from zmon.cp import claim_sources
from zmon.kinds import CLAIM
from zmon.sample import empty_frame
from zmon.topology.claims import Claim, ClaimIndex, claims_frame
from zmon.topology.site import NO_SITE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

DISKS = b"DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"
ENTRIES = b"USER A X 1G\nMDISK 191 3390 1 5 LNX001 MR\nUSER B X 1G\nMDISK 191 3390 1 5 LNX002 MR\n"


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    """Write files, and return the options that name them."""

    def write(*contents: bytes) -> list[str]:
        words = []
        for number, content in enumerate(contents):
            path = tmp_path / f"{number}.txt"
            path.write_bytes(content)
            words += ["--cp-file", str(path)]
        return words

    return write


def options(*words: str) -> argparse.Namespace:
    """Parse options."""
    parser = argparse.ArgumentParser()
    add_cp(parser)
    add_choice(parser)
    return parser.parse_args(words)


def claims(args: argparse.Namespace, guest: str = "") -> Sequence[Claim]:
    return claims_with_cp(args)(guest).claims


def test_without_options_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are no claims then."""
    monkeypatch.setattr(claim_sources, "ask_claims", lambda *_all: pytest.fail("asked"))
    assert claims(options()) == []


def test_files_are_put_together(files: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is said when all is understood."""
    found = claims(options(*files(DISKS, ENTRIES), "--cp-user", "b"))
    assert [(claim.user, claim.vdev, claim.volser) for claim in found] == [
        ("", "0100", "LX4A01"),
        ("A", "0191", "LNX001"),
        ("", "0191", "LNX002"),
    ]
    assert not capsys.readouterr().err


def test_the_known_guest_is_meant_if_none_is_named(files: Callable[..., list[str]]) -> None:
    """Its name is in /proc/sysinfo."""
    found = claims(options(*files(ENTRIES)), guest="A")
    assert [claim.volser for claim in found if not claim.user] == ["LNX001"]


def test_a_guest_without_an_entry_is_told(
    files: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """With those that have one; the disks of the guest that this machine says it is are not taken."""
    found = claims_with_cp(options(*files(ENTRIES), "--cp-user", "nosuch"))("A")
    assert "NOSUCH, but A, B\n" in capsys.readouterr().err
    assert found.guest == "NOSUCH"
    device = ClaimIndex(found.claims, found.guest, NO_SITE).device("0191")
    assert isinstance(device.rdev, Absent)
    assert device.rdev.reason == "the answer about 0191 is for guest A; this guest is NOSUCH"


def test_what_is_odd_is_said(files: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """Lines that are not understood, and conflicts."""
    claims(options(*files(DISKS + b"what is this\n", DISKS.replace(b"4A01", b"4B07"))))
    said = capsys.readouterr().err
    assert "0.txt: answers of CP; lines not understood: 1" in said
    assert " 0100 " in said


def test_a_file_about_something_else_claims_nothing(files: Callable[..., list[str]]) -> None:
    """It has a user id only."""
    assert claims(options(*files(b"LINDB01  AT ZVMPRD1\n"))) == []


def test_cp_is_asked_when_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With --cp."""
    monkeypatch.setattr(claim_sources, "ask_claims", lambda _cp: claims_frame([Claim("0100", "4A01")], 1))
    assert [claim.rdev for claim in claims(options("--cp"))] == ["4A01"]


def test_without_cp_the_reason_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And everything else goes on."""
    monkeypatch.setattr(claim_sources, "ask_claims", lambda _cp: empty_frame(CLAIM, "/dev/vmcp needs root"))
    assert claims(options("--cp")) == []
    assert capsys.readouterr().err == "zmon: /dev/vmcp needs root\n"
