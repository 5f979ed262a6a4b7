"""One question has one number: every place that says what the moves of an interval give says the same."""

from __future__ import annotations

import re

import pytest

from zmon.cli.main import main

pytestmark = pytest.mark.usefixtures("short_scenarios")

EFFECT = re.compile(
    r"moves: (?P<times>\S+) times the throughput \((?P<low>\S+) to (?P<high>\S+)\), "
    r"(?P<then>\S+ ms) instead of (?P<now>\S+ ms) for a request, over (?P<lcus>\d+) LCUs and (?P<paths>\d+) "
)
EVEN = re.compile(
    r"n even spread of the traffic over \d+ LCUs: (\S+ times the throughput \(\S+ to \S+\), .*?paths)\."
)

LEVEL = re.compile(r"over \d+ LCUs, Max/mean is 1\.0\d: an even spread")


def printed(words: list[str], name: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command prints of a scenario, on one line."""
    assert main([*words, "--from", f"lab:{name}"]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["shark-before", "shark-channels-only"])
def test_moves_promise_the_same_everywhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`zmon spread`, MOVES, which the tour shows, and `zmon whatif moves`, with LCUs and paths that count."""
    spread = printed(["spread", "--traffic", "--moves", "40"], name, capsys)
    screen = printed(["show", "MOVES"], name, capsys)
    answer = printed(["whatif", "moves"], name, capsys)
    found = EFFECT.search(spread)
    assert found is not None
    assert found[0] in screen
    assert f"Throughput: {found['times']} times ({found['low']} to {found['high']}, at most" in answer
    assert f"Response: {found['then']} instead of {found['now']} (" in answer
    assert f"Counted: {found['lcus']} LCUs with I/O, {found['paths']} channel paths in use." in answer


@pytest.mark.parametrize("name", ["shark-before", "hyperpav-0"])
def test_an_even_spread_promises_the_same_everywhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`zmon spread` and SPREAD; no number where the data are spread evenly."""
    printed_once, screen = (
        printed(words, name, capsys) for words in (["spread", "--traffic"], ["show", "SPREAD"])
    )
    said = EVEN.search(printed_once)
    if name == "hyperpav-0":
        assert said is None
        (level,) = LEVEL.findall(printed_once)
        assert level in screen
    else:
        assert said is not None
        assert said[1] in screen
