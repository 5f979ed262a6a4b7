"""Commands run beside recording: without a shell, one at a time, with a deadline; nothing is left of them."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.recorder.command_runner import MAX_OUTPUT, CommandRun, CommandRunner, run_to_end
from zmon.rule.site_command import SiteCommand

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 30
"""Seconds after which a thread that does nothing hangs."""


def run_of(*words: str, seconds: int = PATIENCE, **fields: str) -> CommandRun:
    """Return a command with the values of its fields."""
    return CommandRun(SiteCommand(words, "rules.toml:1", seconds=seconds), fields)


def shell(script: str, *words: str, seconds: int = PATIENCE) -> CommandRun:
    """Return a program of a few lines, with its arguments."""
    return run_of("sh", "-c", script, "sh", *words, seconds=seconds)


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    """Make a named pipe: who opens it waits for the other side."""
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


@given(st.text())
def test_a_text_arrives_whole_or_not_at_all(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """As one argument and as a variable, with all quotes, lines and braces; none can hold a NUL."""
    folder = tmp_path_factory.mktemp("run")
    script = 'printf "%s" "$#$1" > argument; printf "%s" "$ZMON_TEXT" > variable'
    outcome = run_to_end(run_of("sh", "-c", f"cd {folder}; {script}", "sh", "<{text}>", text=text))
    if "\0" in text:
        assert "null" in outcome.failure
        assert not os.listdir(folder)
    else:
        assert outcome.failure == ""
        assert (folder / "argument").read_bytes() == os.fsencode(f"1<{text}>")
        assert (folder / "variable").read_bytes() == os.fsencode(text)


def test_a_command_reads_nothing_and_cannot_speak_for_the_recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its standard input is empty, and systemd's socket is not in its environment."""
    monkeypatch.setenv("NOTIFY_SOCKET", "@socket")
    outcome = run_to_end(shell('cat; echo "${NOTIFY_SOCKET-none} in $PWD"'))
    assert (outcome.failure, outcome.output) == ("", "none in /\n")


def test_what_goes_wrong_is_said() -> None:
    """The status, the signal or why it cannot start, with the first line that it wrote."""
    assert run_to_end(shell("echo no route >&2; echo more; exit 3")).reason == "ended with status 3: no route"
    assert run_to_end(shell("kill -9 $$")).reason == "was ended by signal 9"
    assert run_to_end(run_of("/no/such/program")).reason == "cannot be started: No such file or directory"
    assert run_to_end(run_of("/")).reason == "cannot be started: Permission denied"


def test_of_what_a_command_writes_the_beginning_is_kept() -> None:
    """However much it is, the command is not held up."""
    outcome = run_to_end(shell("yes | head -c 1000000"))
    assert (outcome.failure, len(outcome.output)) == ("", MAX_OUTPUT)


def test_at_the_deadline_the_whole_group_is_killed(pipe: str) -> None:
    """The command, which hears no signal, and what it started: nobody has the pipe open any more."""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    script = 'trap "" TERM HUP INT; exec 3> "$1"; echo x >&3; sleep 600 & wait'
    outcome = run_to_end(shell(script, pipe, seconds=2))
    assert outcome.reason == "was killed after 2 s"
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    assert poll.poll(1000 * PATIENCE)
    assert os.read(reader, 9) == b"x\n"
    assert poll.poll(1000 * PATIENCE)
    assert os.read(reader, 9) == b""
    os.close(reader)


def test_what_a_command_leaves_behind_has_until_the_deadline(tmp_path: Path) -> None:
    """As a mail that is delivered in the background: the command has ended well."""
    script = '(sleep 0.2; echo delivered > "$1") > /dev/null 2>&1 &'
    assert run_to_end(shell(script, str(tmp_path / "mail"))).failure == ""
    assert (tmp_path / "mail").read_text() == "delivered\n"


def test_commands_run_one_after_the_other_and_few_wait(pipe: str) -> None:
    """What comes when too many wait is refused; who adds one does not wait."""
    runner = CommandRunner(waiting=1)
    assert runner.add(run_of("cat", pipe))
    writer = os.open(pipe, os.O_WRONLY)  # the first runs
    assert runner.add(run_of("echo", "second"))
    assert not runner.add(run_of("echo", "third"))
    assert runner.outcomes.empty()
    os.close(writer)
    assert [runner.outcomes.get(timeout=PATIENCE).output for _ in range(2)] == ["", "second\n"]
    assert runner.stop() == 0


def test_at_the_end_the_command_that_runs_has_its_deadline(pipe: str) -> None:
    """Those that wait are left out, and counted."""
    runner = CommandRunner()
    runner.add(shell('exec cat "$1"', pipe, seconds=1))
    writer = os.open(pipe, os.O_WRONLY)
    for _ in range(3):
        runner.add(run_of("echo"))
    assert runner.stop() == 3
    assert runner.outcomes.get(timeout=PATIENCE).reason == "was killed after 1 s"
    assert runner.outcomes.empty()
    with pytest.raises(BrokenPipeError):
        os.write(writer, b"x")
    os.close(writer)
