from __future__ import annotations

from typing import TYPE_CHECKING

from tests.placement.guest import FILES, machine
from zmon.base.listed_file import ListedFile
from zmon.kinds import MACHINE
from zmon.sample import empty_frame
from zmon.topology.claims import Claim
from zmon.topology.machine import Machine, UserClaims, UserInputs

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = machine().sample


def test_a_file_goes_all_the_way_down() -> None:
    """From the sample alone: mount, volume, disk, claim of CP."""
    found = machine().locations["/db/a"]
    ((volume, _bytes, _copies),) = found.disks
    assert ([step.title for step in found.steps], volume.disk, volume.rdev) == (
        ["/db", "vg/lv", "dasda2", "dasda", "dasdb1", "dasdb"],
        "dasda",
        "7201",
    )


def test_claims_of_people_stand_beside_those_of_the_sample() -> None:
    """None replaces another."""
    said = Claim(vdev="0201", volser="OTHER1", via="MDISK", origin="dir.txt", line=1)
    found = Machine(SAMPLE, UserInputs(claims_of=lambda _guest: UserClaims((said,))))
    assert found.claims[-1] == said
    assert found.volumes["94:0"].conflicts


def test_bytes_that_several_files_have_are_counted_once() -> None:
    """The other names of a file have the same location, and nothing that is added up."""
    path = "/db/sub/hard"
    found = machine(FILES | {path: FILES["/db/a"]})
    assert (found.locations[path].disks, found.locations[path].same_as) == (
        found.locations["/db/a"].disks,
        "/db/a",
    )
    assert found.counted["/db/a"] is found.locations["/db/a"]
    assert (found.counted[path].disks, found.counted[path].size) == ((), 0)
    assert f"{path} " in found.counted[path].lacking[0]


def test_an_lcu_has_one_name_everywhere() -> None:
    """What the site calls it: on its volumes, and by its key, which is all that an event has of it."""
    found = machine()
    volume = found.volumes["94:0"]
    assert found.lcus[volume.key].name == volume.lcu_name == "LCU 72"


def remember(asked: list[str]) -> Callable[[str], UserClaims]:
    def hear(guest: str) -> UserClaims:
        asked.append(guest)
        return UserClaims()

    return hear


def test_people_are_told_who_this_guest_is() -> None:
    """A user directory has the disks of many."""
    asked: list[str] = []
    assert Machine(SAMPLE, UserInputs(claims_of=remember(asked))).claims
    assert asked == ["LINDB01"]


def test_a_person_may_say_which_guest_this_is() -> None:
    """Then claims about the guest that this machine says it is are those of another."""
    said = [Claim("043A", "767E", user="LINDB01"), Claim("043A", "7000", user="OTHER")]
    found = Machine(SAMPLE, UserInputs(claims_of=lambda _guest: UserClaims(said, guest="OTHER")))
    assert found.volumes.platform.guest == "OTHER"  # type: ignore[attr-defined]
    assert found.host.guest == "LINDB01"


def test_nobody_is_asked_before_it_matters() -> None:
    """What needs no claim costs none."""
    asked: list[str] = []
    assert Machine(SAMPLE, UserInputs(claims_of=remember(asked))).mounts
    assert not asked


def test_with_a_listing_the_files_are_those_alone() -> None:
    """Whether the sample has looked at them or not."""
    found = Machine(SAMPLE, UserInputs(listed=[ListedFile("/db/a", "", "X"), ListedFile("/db/new", "", "X")]))
    assert [(file.path, file.tablespace) for file in found.files] == [("/db/a", "X"), ("/db/new", "X")]


def test_a_listing_may_add_to_what_the_sample_has() -> None:
    """Of a file that both have, the listing names the tablespace."""
    first, *others = [file.path for file in Machine(SAMPLE).files]
    more = [ListedFile("/db/new", "", "X")]
    found = Machine(SAMPLE, UserInputs(listed=more, adds=True))
    assert [file.path for file in found.files] == ["/db/new", first, *others]
    found = Machine(SAMPLE, UserInputs(listed=[*more, ListedFile(first, "", "X")], adds=True))
    assert [file.path for file in found.files] == ["/db/new", first, *others]
    assert [file.tablespace for file in found.files[:2]] == ["X", "X"]


def test_a_machine_that_does_not_say_what_it_is() -> None:
    """It has no guest."""
    frames = {**SAMPLE.frames, MACHINE.name: empty_frame(MACHINE, "not read")}
    host = Machine(SAMPLE._replace(frames=frames)).host
    assert (host.environment, host.guest) == ("", "")


def test_a_sample_with_nothing_in_it() -> None:
    """There are no files and no disks then, and no error."""
    found = Machine(SAMPLE._replace(frames={}))
    assert (found.files, dict(found.locations), list(found.volumes), list(found.mounts)) == ([], {}, [], [])
