"""One question has one number: every place that says what the moves of an interval give says the same."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.parametrize(
    "name", ["shark-before", pytest.param("shark-channels-only", marks=pytest.mark.whole_days)]
)
def test_moves_promise_the_same_everywhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`zmon spread`, MOVES, which the tour shows, and `zmon whatif moves`, with LCUs and paths that count."""
    spread = printed(["spread", "--traffic", "--moves", "40"], name, capsys)
    screen = printed(["show", "MOVES"], name, capsys)
    answer = printed(["whatif", "moves"], name, capsys)
    found = EFFECT.search(spread)
    assert found is not None
    assert found[0] in screen
    assert f"Throughput: {found['times']} times ({found['low']} to {found['high']}" in answer
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


COUNTED = re.compile(r"hese (\d+) moves: ")


def test_moves_are_counted_alike(capsys: pytest.CaptureFixture[str]) -> None:
    """Two files that change places are one move, and one line, wherever moves are told."""
    rows = printed(["spread", "--traffic", "--moves", "40", "--format", "csv"], "shark-channels-only", capsys)
    spread = printed(["spread", "--traffic", "--moves", "40"], "shark-channels-only", capsys)
    screen = printed(["show", "MOVES"], "shark-channels-only", capsys)
    answer = printed(["whatif", "moves"], "shark-channels-only", capsys)
    (count,) = COUNTED.findall(spread)
    assert "changes places with /db2/" in spread
    assert COUNTED.findall(screen) == [count]
    assert screen.count(" swaps ") == spread.count("changes places")
    assert f"the {count} moves of MOVES" in answer
    assert len(re.findall(r" \d+,DWPROD,", rows)) == int(count) + spread.count("changes places")


TIMES = re.compile(r"(?:Throughput:|moves:) (\S+) times")


def test_four_moves_give_more_than_a_table_on_another_lcu(capsys: pytest.CaptureFixture[str]) -> None:
    """TSFACT2 is four files, too: the best four moves are as good, and better than the first four of all."""
    few = printed(["spread", "--traffic", "--moves", "4"], "shark-before", capsys)
    (best,) = TIMES.findall(few)
    for lcu in ("7100", "7200", "7500"):
        (times,) = TIMES.findall(printed(["whatif", f"move TSFACT2 to LCU {lcu}"], "shark-before", capsys))
        assert float(best) >= float(times)
    first = re.search(r"its first 4 moves would give (\S+) times", few)
    assert first is not None
    assert float(best) > float(first[1])


def test_what_other_moves_give_has_no_number_within_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The first of the whole plan gives 1.08 times the throughput, and the error is 20 %."""
    longer = json.loads(
        printed(["spread", "--traffic", "--moves", "1", "-f", "json"], "shark-before", capsys)
    )
    assert (longer["plan"]["longer"]["first"], longer["plan"]["longer"]["first_times"]) == (1, None)


ONE_LCU = """
base = "shark-before"
title = "All tables on one LCU, and other file systems on three"
text = "As shark-before."
[tablespaces]
TSFACT1.pages = { 043A = 498750, 10A0 = 498750, 1533 = 498750, 1A9D = 498750 }
TSFACT3.pages = { 355B = 400000, 37B8 = 400000, 37CE = 400000, 38F3 = 400000 }
TSFACT4.pages = { 3A03 = 200000 }
TSDIM = false
TSINDEX = false
TSSTAGE = false
TEMPSPACE1 = false
"""
OFFER = re.compile(
    r"LCU 7100, LCU 7200 and LCU 7500 hold none of these files: an even spread over them, too, would give"
    r" (\S+ times the throughput \(\S+ to \S+\)); zmon spread --from \S+ --traffic --moves 9"
    r" --lcus 7100,7200,7500,7600 plans with them"
)


def test_lcus_without_files_are_offered_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One LCU is full beside idle ones: each place says what these would give, with one number."""
    name = "one.toml"
    (tmp_path / name).write_text(ONE_LCU, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    gains = [
        OFFER.findall(printed(words, name, capsys))
        for words in (["show", "SPREAD"], ["show", "MOVES"], ["spread", "--traffic"])
    ]
    (gain,) = gains[0]
    assert gains == [[gain]] * 3
    assert gain in printed(["diagnose"], name, capsys)
    assert main(["whatif", "moves", "--from", f"lab:{name}"]) == 2
    assert OFFER.findall(capsys.readouterr().err) == [gain]
    named = ["spread", "--traffic", "--lcus", "7100,7200,7500,7600"]
    assert f"even spread of the traffic over 4 LCUs: {gain}" in printed(named, name, capsys)


BOUND = re.compile(r"at most (\d\.\d\d)")
WITHOUT_CMF = ["--from", "recordings/casestudy/machine-uid.tar.gz"]
LISTING = "recordings/casestudy/tablespaces.ddl"


@pytest.mark.parametrize("site", [[], ["--site", "recordings/casestudy/site.toml"]])
def test_a_bound_is_the_same_everywhere(site: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without channel measurement the processor limits what moves, and any spread, can give."""
    source, listing = [*WITHOUT_CMF, *site], ["--listing", LISTING]
    found = [
        set(BOUND.findall(printed_of(words, capsys)))
        for words in (
            ["whatif", *source, *listing, "moves"],
            ["show", "MOVES", *source, *listing],
            ["show", "SPREAD", *source, *listing],
            ["spread", "--traffic", "--moves", "40", *source, LISTING],
        )
    ]
    assert found == [{"1.93"}] * 4


OFFERED = re.compile(r"; zmon (spread --from \S+.*) plans with")
TWO_FILES = ["--from", "recordings/hercules-two-hot-files-before.zmon"]


@pytest.mark.parametrize("at", [[], ["--at", "03:31:00"]])
@pytest.mark.parametrize("words", [["show", "SPREAD"], ["show", "MOVES"], ["spread", "--traffic"]])
def test_the_command_that_is_offered_asks_the_same(
    words: list[str], at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the same source and time: two files fill two of three LCUs, and no more is offered than it plans."""
    told = printed_of([*words, *TWO_FILES, *at], capsys)
    command = shlex.split(OFFERED.findall(told)[0])
    assert command[1:3] == TWO_FILES
    assert ("--at" in command) == bool(at)
    assert BOUND.findall(printed_of(command, capsys))[-1] == BOUND.findall(told)[0]


def test_a_command_names_the_listing(capsys: pytest.CaptureFixture[str]) -> None:
    """As `zmon spread` takes it, wherever the command is offered."""
    told = printed_of(["show", "MOVES", *WITHOUT_CMF, "--listing", LISTING], capsys)
    assert f"zmon spread {' '.join(WITHOUT_CMF)} {LISTING} --traffic --moves 40 --how prints" in told


def printed_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command prints, on one line."""
    assert main(words) in {0, 3}
    return " ".join(capsys.readouterr().out.split())
