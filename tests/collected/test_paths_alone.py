"""Paths of multipath without what usually stands above them: a command, or the line of their map."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.collected.test_mapper_texts import SHOWN_PATHS
from tests.collected.texts import MULTIPATH, TWO_PATHS, facts_in
from zmon.cli.main import main
from zmon.collected.collection import facts_of
from zmon.collected.transcript import begins_output, outputs
from zmon.kinds import LUN, PATH
from zmon.topology.stack import REMOVED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask

LOST: Final = "| `- 1:0:0:1 sdb 8:16  failed faulty offline\n  `- 1:0:1:2 sdg 8:96  failed faulty running\n"


def _path(name: str, number: str, state: str) -> dict[str, object]:
    checker = "ready" if state == "active" else "faulty"
    return {"dev": name, "dev_t": number, "dm_st": state, "dev_st": "running", "chk_st": checker, "pri": 50}


def _map(*paths: dict[str, object]) -> dict[str, Any]:
    group = {"selector": "service-time 0", "pri": 50, "dm_st": "active", "group": 1, "paths": [*paths]}
    of_map = {"name": "mpatha", "uuid": "36005076309ffc5630000000000000200", "sysfs": "dm-2"}
    return {**of_map, "path_groups": [group]}


MAP: Final = _map(_path("sda", "8:0", "active"), _path("sdb", "8:16", "failed"))


@pytest.mark.parametrize("indent", [None, 3])
@pytest.mark.parametrize("margin", ["", "    "])
@pytest.mark.parametrize("key", ["maps", "map"])
def test_maps_in_json_are_known_by_their_own_form(key: str, margin: str, indent: int | None) -> None:
    """No command has to stand above them, as in a file that holds nothing else."""
    document = {"major_version": 0, "minor_version": 1, key: [MAP] if key == "maps" else MAP}
    text = "".join(f"{margin}{row}\n" for row in json.dumps(document, indent=indent).split("\n"))
    assert begins_output(text)
    facts, reads = facts_of([*outputs("maps.json", text.encode(), 7)])
    assert [read.strange for read in reads] == [()]
    assert {key: facts.value(PATH, key, "state") for key in facts.keys(PATH)} == {
        "8:0": "active", "8:16": "failed",
    }  # fmt: skip


def test_a_path_in_json_whose_disk_was_removed_has_no_name() -> None:
    """The daemon prints a hyphen for it."""
    document = {"major_version": 0, "maps": [_map(_path("-", "8:16", "failed"))]}
    facts = facts_in(json.dumps(document), "multipathd show maps json")
    assert facts.value(PATH, "8:16", "device") == REMOVED
    assert "-" not in {facts.value(PATH, "8:16", "name"), facts.value(PATH, "8:16", "map")}


@pytest.mark.parametrize("margin", range(9))
def test_maps_may_be_indented(margin: int) -> None:
    """As in a mail."""
    text = "".join(f"{' ' * margin}{row}\n" for row in MULTIPATH.splitlines())
    facts, reads = facts_of([*outputs("mail.txt", f"See below:\n\n{text}\nThanks\n".encode(), 7)])
    assert [read.strange for read in reads if read.form] == [()]
    assert {*facts.keys(PATH)} == {"8:0", "8:16", "8:32"}


@pytest.mark.parametrize(
    "command",
    ["box1:~ # multipath -ll | grep -i fail\n", "box1:~ # multipath -ll | grep fault\n", "", "Lost:\n\n"],
)
def test_a_failed_path_without_its_map_is_a_lost_one(command: str, where: Ask, show: Ask) -> None:
    """Of which map it is another text tells, else it is not known."""
    for disk in ("sdb", "sdg"):
        assert where(disk, command + LOST)["disks"][0]["not_used"] == "LUN failed"
    told = show("MPATH", command + LOST + TWO_PATHS)
    assert {key: entry["state"] for key, entry in told.items()} == {"8:0": None, "8:16": "offline"}
    facts, reads = facts_of([*outputs("a.txt", (command + LOST + TWO_PATHS).encode(), 7)])
    assert not any(read.strange for read in reads)
    assert facts.value(LUN, "1:0:1:2", "state") == "failed"
    assert not any("show paths" in str(fact.value) for path in facts.keys(PATH)
                   for fact in facts.rows["path"][path].get("via", ()))  # fmt: skip


def test_a_row_of_a_path_that_was_cut_is_not_understood() -> None:
    """The beginning of a state is none."""
    (read,) = facts_of(
        [*outputs("a.txt", b"# multipath -ll | grep -i fail\n `- 1:0:0:1 sdb 8:16  fail\n", 7)]
    )[1]
    assert len(read.strange) == 1


def test_no_map_is_an_answer() -> None:
    """Of a daemon that has none."""
    (read,) = facts_of([*outputs("a.json", b'{\n   "major_version": 0,\n   "maps": []\n}\n', 7)])[1]
    assert read.strange == ()


def test_what_the_daemon_is_asked_behind_its_own_prompt_is_a_command() -> None:
    """As of `multipathd -k`."""
    rows = SHOWN_PATHS.partition("\n")[2]
    text = (
        f"box1:~ # multipathd -k\nmultipathd> show paths\n{rows}multipathd> show maps json\n"
        f"{json.dumps({'major_version': 0, 'maps': [MAP]}, indent=3)}\nmultipathd> quit\nbox1:~ # \n"
    )
    _facts, reads = facts_of([*outputs("a.txt", text.encode(), 7)])
    assert not any(read.strange for read in reads)
    assert [read.text.command for read in reads if read.form] == [
        "multipathd show paths",
        "multipathd show maps json",
    ]


@pytest.mark.parametrize(("more", "state"), [("", "unknown"), ("# multipath -ll\n", "bad")])
def test_paths_are_not_called_apart_where_no_text_could_show_that(
    more: str, state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list of LUNs has no multipath devices; what lists these and has none says so."""
    (tmp_path / "a.txt").write_text(
        "# lszfcp -D\n0.0.1800/0x500507630313c1ae/0x4022400000000000 0:0:21:1073758242\n"
        f"0.0.1840/0x500507630308c1ae/0x4022400000000000 1:0:10:1073758242\n{more}"
    )
    main(["check", "--from", str(tmp_path), "-f", "json"])
    (found,) = (found for found in json.loads(capsys.readouterr().out)["checks"] if found["id"] == "B8")
    assert found["state"] == state
