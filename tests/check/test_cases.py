"""Checks as records: the first case that is meant and says something is what a check finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.check.machines import GONE, given
from tests.house import documents
from zmon.check import cases
from zmon.check.practice import Finding, State
from zmon.check.practices import FACTS
from zmon.kinds import SETTING
from zmon.words import records

if TYPE_CHECKING:
    from pathlib import Path

HEAD: Final = 'id = "X1"\ntitle = "t"\nreads = "r"\ngood = "g"\nadvice = "a"\nsource = "s"\n'
FILES: Final = documents("rules/checks")
PLACES: Final[dict[str, Any]] = {
    place["name"]: place["case"] for file in FILES for place in file.get("place", ())
}
CHECKS: Final = [check for file in FILES for check in file.get("check", ())]


def found(record: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **facts: Any) -> Finding:
    """Return what a check finds that is written down."""
    (tmp_path / "x.toml").write_text(f"[[check]]\n{HEAD}{record}")
    monkeypatch.setattr(records, "shipped", lambda _folder: str(tmp_path))
    (check,) = cases.checks({"X1": lambda _given: facts})
    return check.run(given({SETTING: {"vm.swappiness": facts.get("swappiness", GONE)}}))


def ends(case: dict[str, Any]) -> bool:
    """Whether a case always finds something."""
    always = "when" not in case and "of" not in case
    return always and ("say" in case or any(ends(PLACES[place][-1]) for place in case["on"]))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check["id"])
def test_a_check_finds_something_whatever_is_there(check: dict[str, Any]) -> None:
    """Its last case is always meant, and no case before it is."""
    assert ends(check["case"][-1])
    assert not any(ends(case) for case in check["case"][:-1] if "say" in case)


def test_each_place_is_one_that_is_described_and_asked_for() -> None:
    """And what Python finds is of a check that there is."""
    named = {place for check in CHECKS for case in (check, *check["case"]) for place in case.get("on", ())}
    assert named == PLACES.keys()
    assert FACTS.keys() <= {check["id"] for check in CHECKS}


def test_what_is_not_known_ends_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason; a case before that may find something without it."""
    record = """numbers = { value = "vm.swappiness" }
    case = [
      { when = ["plenty"], state = "ok", say = "plenty" },
      { needs = ["value"], when = ["value < 5"], state = "bad", say = "{value}" },
      { needs = ["value"], state = "skip", say = "{value} is enough" },
    ]"""
    args = (record, tmp_path, monkeypatch)
    assert found(*args, plenty=True) == (State.OK, "plenty", "")
    assert found(*args, plenty=False) == (State.UNKNOWN, "gone", "")
    assert found(*args, plenty=False, swappiness="3") == (State.BAD, "3", "")
    assert found(*args, plenty=False, swappiness="30") == (State.NOT_APPLICABLE, "30 is enough", "")


def test_a_case_names_the_things_for_which_it_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each once; without such a thing it is not meant. Its advice stands before a full stop."""
    record = """
    [[check.case]]
    of = "disks"
    when = ["use > 0.5"]
    title = "{name} ({use:%})"
    state = "look"
    say = "{these:many disk}: {titles}"
    advice = "Do it."
    [[check.case]]
    state = "ok"
    say = "none"
    """
    disks = [{"name": "a", "use": 0.7}, {"name": "b", "use": 0.1}, {"name": "a", "use": 0.7}]
    args = (record, tmp_path, monkeypatch)
    assert found(*args, disks=disks) == (State.LOOK, "2 disks: a (70 %)", "do it")
    assert found(*args, disks=disks[1:2]) == (State.OK, "none", "")


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ('case = [{ state = "ok", says = "x" }]', "says"),
        ('case = []\nlimit = "x"', "limit"),
        ("", "case"),
    ],
)
def test_a_wrong_record_is_refused(
    record: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its file and what is wrong."""
    with pytest.raises(ValueError, match=rf"x\.toml.*{problem}"):
        found(record, tmp_path, monkeypatch)
