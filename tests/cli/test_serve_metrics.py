"""`zmon serve-metrics` serves what it samples, on this machine alone, until a signal ends it."""

from __future__ import annotations

import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.cli.serve_metrics import played
from zmon.sample import Instant, Sample

ROOT = Path(__file__).parents[2]
PATIENCE = 60
"""Seconds after which a process that says nothing hangs."""


def ask(path: Path) -> str:
    """Return the metrics that a socket serves."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(PATIENCE)
        client.connect(str(path))
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        head, _, body = client.makefile("rb").read().partition(b"\r\n\r\n")
    return body.decode() if b" 200 " in head.splitlines()[0] else ""


@pytest.mark.parametrize(
    "source", [("--from", "lab:shark-before"), ("--from", "recordings/lab-shark-before.zmon"), ()]
)
def test_a_machine_is_served_until_a_signal(tmp_path: Path, source: tuple[str, ...]) -> None:
    """This one, a simulated one and a recorded one; the socket goes with it."""
    path = tmp_path / "metrics.sock"
    words = [sys.executable, "-m", "zmon", "serve-metrics", "--listen", f"unix:{path}", "-i", "0.1", *source]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        assert process.stderr is not None
        assert select.select([process.stderr], [], [], PATIENCE)[0]
        assert process.stderr.readline() == (
            f"zmon serve-metrics: serving metrics on unix:{path}, a sample every 0.1 s\n"
        )
        end = time.monotonic() + PATIENCE
        text = ""
        while not text and time.monotonic() < end:
            text = ask(path)
        assert "\nzmon_sample_timestamp_seconds " in text
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == OK
    assert not path.exists()


def test_an_address_in_use_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert (
            main(["serve-metrics", "--listen", f"127.0.0.1:{port}", "--from", "lab:shark-before"]) == FAILED
        )
    assert capsys.readouterr().err == f"zmon: 127.0.0.1:{port}: Address already in use\n"


def test_a_source_that_is_none_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """As everywhere."""
    assert main(["serve-metrics", "--from", "/nowhere/at/all"]) == FAILED
    assert "/nowhere/at/all" in capsys.readouterr().err


def test_a_simulated_machine_is_played_as_of_now() -> None:
    """At its own pace, so that rates are right; with its own dates an alert on the age would be raised."""
    second = 1_000_000_000
    now = 1_000_000 * second
    old = [Sample(Instant(at * second, at * second, "b"), {}, "lab") for at in (100, 160, 220)]
    due = played(iter(old), lambda: now)
    assert [(one.at.utc - now) // second for one in due()] == [-60, 0]
    assert due() == []
    now += 61 * second
    assert [(one.at.utc - now) // second for one in due()] == [-1]
    now += 900 * second
    assert due() == []


def test_a_simulated_machine_is_played_from_a_time_on() -> None:
    """What was before is known at once, so that an exception that was open then is."""
    second = 1_000_000_000
    now = 1_000_000 * second
    old = [Sample(Instant(at * second, at * second, "b"), {}, "lab") for at in (100, 160, 220, 280, 340)]
    due = played(iter(old), lambda: now, 230 * second)
    assert [(sample.at.utc - now) // second for sample in due()] == [-130, -70, -10]
    now += 60 * second
    assert [(sample.at.utc - now) // second for sample in due()] == [-10]


def test_exceptions_are_served_from_the_time_that_is_asked_for(tmp_path: Path) -> None:
    """Half an hour after its begin the LCU of shark-before takes long."""
    path = tmp_path / "metrics.sock"
    source = ["--from", "lab:shark-before", "--at", "begin+30m"]
    words = [sys.executable, "-m", "zmon", "serve-metrics", "--listen", f"unix:{path}", *source]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        assert process.stderr is not None
        assert select.select([process.stderr], [], [], PATIENCE)[0]
        end = time.monotonic() + PATIENCE
        text = ""
        while '\nzmon_exception{rule="lcu-service"' not in text and time.monotonic() < end:
            text = ask(path)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == OK
    assert '\nzmon_exception{rule="lcu-service"' in text


def test_a_time_of_no_simulated_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A recording is followed at its end, this machine now; words that are no time are said."""
    assert main(["serve-metrics", "--at", "09:30"]) == USAGE
    assert "--from lab:NAME" in capsys.readouterr().err
    assert main(["serve-metrics", "--from", "lab:shark-before", "--at", "soon"]) == USAGE
    assert "'soon'" in capsys.readouterr().err
