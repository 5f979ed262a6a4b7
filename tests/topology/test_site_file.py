"""zmon.topology.site_file: what only the people of a site can know."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.base.absent import Absent
from zmon.topology.site import NO_SITE, Site, SiteError
from zmon.topology.site_file import parse_map, parse_site, read_site

SITE = """\
map = "volumes.csv"
vdev_is_rdev = true
pins = ["/db2/syscat*"]
logs = ["*/log/*"]

[[lcu_by_number]]
serial = "*"
pattern = "7nXX"

[[lcu_by_number]]
serial = "IBM.75000000092461"
mask = "0F00"

[[number_by_label]]
pattern = "AB####"

[capacity]
lcu = 40
"LCU 6" = 55.5

[[channels]]
name = "side 0"
lcus = ["0", "LCU 2"]
mb_s = 160
"""


def site(text: str) -> Site:
    """Return what a text tells of a site."""
    return parse_site(text, "site.toml")


def lcus(rule: str, *numbers: str, serial: str = "") -> list[list[str]]:
    """Return what a rule for all storage servers calls the LCUs of devices."""
    known = site(f'[[lcu_by_number]]\nserial = "*"\n{rule}\n')
    return [[name for name, _ in known.lcu_by_number(number, serial)] for number in numbers]


def test_without_a_rule_a_number_says_nothing() -> None:
    """No number has a meaning by default."""
    assert NO_SITE.lcu_by_number("7612") == []


def test_a_pattern_names_the_lcu_by_its_digits() -> None:
    """7nXX: the second digit is the LCU."""
    assert lcus('pattern = "7nXX"', "7612", "7000", "8612", "17612") == [["LCU 6"], ["LCU 0"], [], []]


def test_a_pattern_may_have_a_digit_for_the_subchannel_set() -> None:
    """Five digits stand for five."""
    assert lcus('pattern = "17nXX"', "17612", "7612") == [["LCU 6"], []]


def test_a_mask_is_shifted_to_its_lowest_bit() -> None:
    """0F00 makes 6 of 7612, as 0x0F00 does."""
    assert lcus('mask = "0F00"', "7612") + lcus('mask = "0x0F00"', "7612") == [["LCU 6"], ["LCU 6"]]


def test_a_mask_may_be_shifted_less() -> None:
    """What stays in front of the digit is part of the name."""
    assert lcus('mask = "0F00"\nshift = 4', "7612") == [["LCU 60"]]


def test_a_regular_expression_names_the_lcu_by_its_group() -> None:
    """It holds for a number as a whole."""
    assert lcus('regex = "7([67])[0-9A-F]+"', "7612", "7512") == [["LCU 6"], []]


def test_ranges_name_the_lcu_of_each() -> None:
    """Between them nothing is said."""
    assert lcus('ranges = { "E000-E0FF" = "E0", "E110" = "LSS 08" }', "E0FF", "E110", "E111") == [
        ["LCU E0"],
        ["LSS 08"],
        [],
    ]


def test_a_rule_holds_for_its_storage_server() -> None:
    """The rule of a server goes before that for all, and says nothing of another's volumes."""
    known = site(SITE)
    found = [[name for name, _ in known.lcu_by_number("8512", serial)] for serial in ("75000000092461", "1")]
    assert found == [["LCU 5"], []]


def test_rules_that_contradict_each_other_are_both_told() -> None:
    """Nobody chooses silently."""
    known = site(
        '[[lcu_by_number]]\nserial = "*"\npattern = "7nXX"\n'
        '[[lcu_by_number]]\nserial = "*"\npattern = "76nX"\n'
    )
    assert [name for name, _ in known.lcu_by_number("7612")] == ["LCU 6", "LCU 1"]


def test_a_label_gives_the_number_in_it() -> None:
    """AB#### reads 7612 in AB7612, and nothing in a label of another form."""
    known = site(SITE)
    found = [
        [number for number, _ in known.number_by_label(label)] for label in ("AB7612", "ab7612", "AB76G2")
    ]
    assert found == [["7612"], ["7612"], []]


def test_a_capacity_of_its_own_goes_before_that_of_all() -> None:
    """`lcu` is for the others; the names are tried in turn."""
    known = site(SITE)
    assert (known.capacity(["SSID 7600", "LCU 6"]), known.capacity(["LCU 2"])) == (55.5, 40.0)


def test_a_capacity_that_nobody_told_is_absent() -> None:
    """There is no honest default."""
    assert isinstance(NO_SITE.capacity(["LCU 6"]), Absent)


def test_channel_paths_are_found_by_any_of_their_lcus() -> None:
    """A bare number is an LCU here too."""
    known = site(SITE)
    found = known.channels_of(["LCU 0"])
    assert found is not None
    assert (found.name, found.capacity, known.channels_of(["LCU 1"])) == ("side 0", 160.0, None)


def test_pins_and_logs_are_patterns() -> None:
    """They are those of file names."""
    known = site(SITE)
    assert (known.pinned(["/db2/syscatspace"]), known.pinned(["/db2/ts1"]), known.is_log("/db2/log/S1")) == (
        True,
        False,
        True,
    )


def test_equal_numbers_are_told_with_their_place() -> None:
    """Whoever is told that vdev and rdev are the same is told who says so."""
    assert (site(SITE).vdev_is_rdev, site("vdev_is_rdev = false").vdev_is_rdev) == ("site.toml:2", "")


MISTAKES = (
    "colour = 1",
    "lcu_by_number = 1",
    '[[lcu_by_number]]\npattern = "7nXX"',
    '[[lcu_by_number]]\nserial = "*"',
    '[[lcu_by_number]]\nserial = "*"\npattern = "7XX"',
    '[[lcu_by_number]]\nserial = "*"\npattern = "7XXX"',
    '[[lcu_by_number]]\nserial = "*"\nregex = "7..."',
    '[[lcu_by_number]]\nserial = "*"\nregex = "7("',
    '[[lcu_by_number]]\nserial = "*"\nmask = "G"',
    '[[lcu_by_number]]\nserial = "*"\nmask = "0"',
    '[[lcu_by_number]]\nserial = "*"\nmask = "F0"\nshift = 5',
    '[[lcu_by_number]]\nserial = "*"\npattern = "7nXX"\nshift = 5',
    '[[lcu_by_number]]\nserial = "*"\nranges = {"E0-E1" = "1"}',
    '[[lcu_by_number]]\nserial = "*"\nranges = {"E000-E0FF" = "1", "E0F0-E1FF" = "2"}',
    '[[lcu_by_number]]\nserial="*"\nmask="F00"\n[[lcu_by_number]]\nserial="*"\nmask="x"',
    '[[number_by_label]]\npattern = "AB##"',
    "map = 1",
    'vdev_is_rdev = "yes"',
    "capacity = 40",
    "[capacity]\nlcu = -1",
    "[capacity]\nlcu = true",
    "[capacity]\nlcu = nan",
    '[[channels]]\nname = "a"',
    '[[channels]]\nlcus = ["0"]',
    "pins = [1]",
    '[[number_by_label]]\npattern = "AB####"\ncolour = 1',
)


def test_what_cannot_be_used_is_named_with_its_place() -> None:
    """A mistake is told with file, line and key, and what would be right."""
    compare("said/site", refusals(SiteError, site, MISTAKES))


def test_a_file_that_is_no_toml_is_named_with_its_line() -> None:
    """What the parser says of it comes behind that."""
    with pytest.raises(SiteError, match=r"^site\.toml:1: "):
        site("x = [")


def test_a_later_file_replaces_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    """Machine, user, command line: the last one that speaks of a thing holds."""
    system, extra = tmp_path / "system.toml", tmp_path / "extra.toml"
    settings = tmp_path / "config"
    (settings / "zmon").mkdir(parents=True)
    system.write_text('pins = ["a"]\nlogs = ["a"]\nvdev_is_rdev = true\n')
    (settings / "zmon" / "site.toml").write_text('logs = ["b"]\n')
    extra.write_text("vdev_is_rdev = false\n")
    found = read_site({"XDG_CONFIG_HOME": str(settings)}, str(extra), str(system))
    assert (found.pins, found.logs, found.vdev_is_rdev, len(found.origins)) == (("a",), ("b",), "", 3)


def test_without_a_file_there_is_no_site(tmp_path: Path) -> None:
    """Files of the machine and of the user need not exist."""
    assert read_site({"HOME": str(tmp_path)}, system=str(tmp_path / "none")).origins == ()


def test_the_file_on_the_command_line_must_exist(tmp_path: Path) -> None:
    """Whoever names a file means it."""
    with pytest.raises(FileNotFoundError):
        read_site({"HOME": str(tmp_path)}, str(tmp_path / "none"), str(tmp_path / "none"))


def test_a_map_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    """Its path is relative to the site file."""
    (tmp_path / "site.toml").write_text('map = "volumes.csv"\n')
    (tmp_path / "volumes.csv").write_text("7600,6\n")
    found = read_site({"HOME": str(tmp_path)}, str(tmp_path / "site.toml"), "")
    assert [row.lcu for row in found.map.about(None, "7600")] == ["LCU 6"]


def test_a_map_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """Without its map the answers would be others."""
    (tmp_path / "site.toml").write_text('map = "volumes.csv"\n')
    with pytest.raises(FileNotFoundError):
        read_site({"HOME": str(tmp_path)}, str(tmp_path / "site.toml"), "")


def test_a_file_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    """A byte that is not UTF-8 is a mistake as any other."""
    (tmp_path / "site.toml").write_bytes(b"pins = []\n\xff")
    with pytest.raises(SiteError, match=r"site\.toml:2: .*\bUTF-8\b"):
        read_site({"HOME": str(tmp_path)}, str(tmp_path / "site.toml"), "")


@given(st.text(max_size=80))
def test_any_text_is_a_site_or_a_named_mistake(text: str) -> None:
    """No text raises anything but a mistake."""
    with contextlib.suppress(SiteError):
        site(text)


@given(st.integers(0, len(SITE)), st.text(max_size=4), st.integers(0, 5))
def test_a_garbled_site_is_a_site_or_a_named_mistake(at: int, more: str, lost: int) -> None:
    """Nor does a file with a wrong place in it."""
    with contextlib.suppress(SiteError):
        known = site(SITE[:at] + more + SITE[at + lost :])
        known.lcu_by_number("7612", "75000000092461")


def test_the_example_of_the_manual_is_a_site() -> None:
    """What docs/site.md shows can be used as it stands, site file and map."""
    manual = (Path(__file__).parents[2] / "docs" / "site.md").read_text()
    text, volumes = re.findall(r"```(?:toml)?\n(.*?)```", manual, re.DOTALL)[:2]
    known = parse_site(text, "site.toml", lambda path: parse_map(volumes, path))
    assert (len(known.rules), known.map.about(None, "7612")[0].lcu) == (3, "LCU 5")
