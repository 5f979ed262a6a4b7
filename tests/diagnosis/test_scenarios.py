"""Each machine of the laboratory has its diagnosis first, and no wrong one; goldens hold all verdicts."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from tests.goldens import GOLDEN
from zmon.cli.main import main
from zmon.lab.scenario import names

VERDICTS: Final = GOLDEN / "verdicts"
FIRST: Final = {
    "dm-queue": "D11",
    "dm-suspended": "D21",
    "fcp-eckd": "",
    "fcp-failover": "D14b",
    "fcp-failover-full": "",
    "fcp-multibus-1": "D15",
    "fcp-multibus-10": "D15",
    "fcp-multibus-100": "D15",
    "fcp-multibus-1000": "D15",
    "fcp-multibus-500": "D15",
    "fcp-multibus-5000": "",
    "fcp-multibus-8-cpus": "",
    "fcp-multibus-full": "D15",
    "fcp-one-adapter": "D13",
    "fcp-path-slow": "D14",
    "fcp-writes-failover": "D14b",
    "fcp-writes-multibus": "",
    "fleet-4096": "",
    "guest-enough-memory": "",
    "guest-swapping": "D16",
    "healthy-day": "",
    "hyperpav-0": "D4b",
    "hyperpav-10": "",
    "hyperpav-20": "",
    "hyperpav-40": "D4c",
    "idle-day": "",
    "iozone-hpf": "D4",
    "iozone-hyperpav": "D2",
    "iozone-plain": "D4b",
    "logs-apart": "D4b",
    "logs-mixed": "D12",
    "path-lost": "D13",
    "path-slow": "D5",
    "pav-3": "D4",
    "pav-7": "D4",
    "pav-turn-1": "",
    "pav-turn-1000": "D4d",
    "raid-limit": "D9",
    "raid-penalty": "",
    "remote-mirror": "D8",
    "shark-after": "",
    "shark-before": "D3",
    "shark-channels-only": "D3",
    "shark-respread-only": "D2",
    "small-stripes": "D10b",
    "stripe-1mb": "D9",
    "stripe-4mb": "D9",
    "stripe-extended": "D4b",
    "swap-begins": "D16",
    "uniform-day": "",
    "volume-hangs": "D21",
    "who-loads": "D23",
    "write-cache-full": "D23",
    "zvm-2-cpus": "D15",
    "zvm-4-cpus": "D15",
    "zvm-8-cpus": "D15",
    "zvm-overcommitted": "D15",
    "zvm-resident": "",
    "zvm-steal": "D15",
}
"""What is said first of the last phase; empty: nothing is short."""
EARLIER: Final = {"healthy-day": {"D23"}, "stripe-extended": {"D20"}}
"""What is said first of phases before, where that is something else."""


def written(name: str) -> list[list[str]]:
    """Return the cells of the rows that are held of a scenario."""
    return [line.split(" | ") for line in (VERDICTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", names())
def test_the_last_phase_has_its_diagnosis_first(name: str) -> None:
    """Or none, where nothing is short."""
    shown = written(name)[-1][1]
    assert shown.startswith(f"**{FIRST[name]}**" if FIRST[name] else "none")


def test_nothing_else_is_said_to_be_certain_or_likely() -> None:
    """In no phase of any scenario; what another diagnosis explains is not counted."""
    assert set(FIRST) == set(names()) == {file.stem for file in VERDICTS.iterdir()}
    for name in names():
        for _phases, shown, _words in written(name):
            sure = set(re.findall(r"\*\*(\w+)\*\* (?:certain|likely)", shown))
            assert sure <= {FIRST[name], *EARLIER.get(name, ())}, name


@pytest.mark.whole_days
@pytest.mark.parametrize("day", ["idle-day", "uniform-day"])
def test_a_day_without_an_incident_has_no_diagnosis(
    day: str,
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """None in any minute of 24 hours, of an idle machine and of one that always has the same load."""
    words = ["diagnose", "--from", f"lab:{day}", "--since", "00:00", "--until", "23:59", "-f", "json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["diagnoses"] == []
    assert found["verdict"].startswith("Nothing is short")
    assert (found["from"][11:16], found["to"][11:13]) == ("00:00", "23")


def test_the_healthy_day_has_its_one_incident_and_an_extension_its_volumes() -> None:
    """A new reader at 14:30 is named and no move; data on two of six volumes are named in the first phase.

    The goldens say so, and in whole days these are what zmon says.
    """
    day, extended = written("healthy-day"), written("stripe-extended")
    assert [row[1].split()[0] for row in day] == ["none", "**D23**", "none"]
    assert "reader" in day[1][2]
    assert "It is mostly user 1000, session 7 (98 %): move that work" in day[1][2]
    assert extended[0][1].startswith("**D20**")


def test_a_recording_has_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """What was recorded of a machine leads to the same diagnoses as the machine, to the number.

    The recording is from before the kernel's counts of blocked tasks were recorded: more is not known of it.
    """

    def answer(source: str) -> Any:
        assert main(["diagnose", "--from", source, "--at", "09:55", "-f", "json"]) == 0
        return json.loads(capsys.readouterr().out) | {"unknown": None}

    assert answer("recordings/lab-shark-before.zmon") == answer("lab:shark-before")


def test_who_fills_an_lcu_since_when_follows_from_the_calm_minutes_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Twenty are recorded, no hour: the reader is new; the full LCU and its aliases follow from it."""
    assert main(["diagnose", "--from", "lab:who-loads", "-f", "json"]) == 0
    first, *others = json.loads(capsys.readouterr().out)["diagnoses"]
    assert (first["id"], first["confidence"]) == ("D23", "likely")
    assert "in 20 calm minutes" in first["evidence"][0]["words"]
    assert {one["id"]: one["explained_by"] for one in others} == {"D1": "D23", "D4": "D23"}
