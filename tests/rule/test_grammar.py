"""Rules are read from TOML, checked, and changed by files of the user's own."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.base.toml import PROFILES
from zmon.rule.grammar import (
    Hours,
    Precondition,
    chosen_profile,
    load_rules,
    parse_rules,
    usable_rules,
)
from zmon.rule.known_columns import columns_of, unknown_columns
from zmon.rule.rules_file import RuleError
from zmon.screen.definition import load_screens
from zmon.tables import TABLES
from zmon.topology.site_file import read_site

if TYPE_CHECKING:
    from pathlib import Path

RULE = '[[rule]]\nname = "slow"\non = "device.resp"\nlook = 10\nbad = 60\nsay = "DASD {where}: {resp} ms"\n'


def test_a_rule_has_what_its_table_says() -> None:
    """Each key of a rule is read into its field, and times become seconds."""
    (rule,) = parse_rules(
        RULE + 'when = ["io >= 30", "resp >= 2 * serv", "all.io > count"]\nfor = "2m"\nkeep = "90s"\n'
        'window = "1h"\nrows = { lcu = "80*", role = "!HPAV" }\nhours = "Fri-Mon 22:00-06:30"\n'
        'siblings = { times = 3, of = "least", within = "lcu" }\n'
    )  # fmt: skip
    assert rule.table == "device"
    assert (rule.look, rule.bad, rule.lasting, rule.keep, rule.window) == (10, 60, 120, 90, 3600)
    assert rule.when[1] == Precondition("resp", ">=", 2.0, "serv")
    assert list(map(str, rule.when)) == ["io >= 30", "resp >= 2 * serv", "all.io > count"]
    assert rule.rows == (("lcu", "80*", True), ("role", "HPAV", False))
    assert rule.hours == Hours(frozenset({4, 5, 6, 0}), 22 * 60, 6 * 60 + 30)
    assert set(rule.terms) == {"resp", "io", "serv", "all.io", "lcu", "role"}


LINES = (
    'on = "device"',
    'on = "devize.resp"',
    'when = ["io => 30"]',
    'for = "2 minutes"',
    'of = "5/4"',
    'hours = "Fry 10:00-12:00"',
    'hours = "25:00-28:00"',
    'hours = "22:00-24:30"',
    'hours = "24:00-06:00"',
    'hours = "10:00-10:00"',
    'say = "{resp.__class__}"',
    'say = "{0}"',
    "bad = 5",
    "clear = 0",
    "look = true",
    'wen = ["io >= 3"]',
    "name = 'Slow Disk'",
    'siblings = { times = 3, of = "best" }',
    "rows = { all = false }",
)


def test_what_is_no_rule_is_refused_with_its_place() -> None:
    """A wrong value is an error that names the file, the key and what is allowed: said/rules.txt."""

    def parse(line: str) -> object:
        key = line.partition(" ")[0]
        kept = (one for one in RULE.splitlines() if not one.startswith(f"{key} "))
        return parse_rules("\n".join(kept) + f"\n{line}\n")

    compare("said/rules", refusals(RuleError, parse, LINES))


def test_a_file_of_the_user_changes_only_what_it_says(tmp_path: Path) -> None:
    """A rule of the same name overrides the keys it gives, another is added, and `off` takes one away."""
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / "a.toml").write_text(RULE + RULE.replace("slow", "other"))
    own = tmp_path / "own.toml"
    own.write_text(
        '[[rule]]\nname = "slow"\nbad = 99\n[[rule]]\nname = "other"\noff = true\n'
        + RULE.replace("slow", "mine")
    )
    rules = load_rules([str(own)], shipped=str(tmp_path / "shipped"))
    assert [rule.name for rule in rules] == ["slow", "mine"]
    assert (rules[0].look, rules[0].bad) == (10, 99)
    assert rules[0].digest != rules[1].digest


def test_an_error_in_a_changed_key_names_the_file_of_the_change(tmp_path: Path) -> None:
    """What a user writes wrong is looked for in the user's file."""
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / "a.toml").write_text(RULE)
    own = tmp_path / "own.toml"
    own.write_text('[[rule]]\nname = "slow"\nfor = "soon"\n')
    with pytest.raises(RuleError, match=r"own\.toml:3"):
        load_rules([str(own)], shipped=str(tmp_path / "shipped"))


def test_the_shipped_rules_are_rules() -> None:
    """Every shipped rule has a limit, a sentence, a reason, a table that exists, and a possible cause."""
    rules = load_rules()
    assert len({rule.name for rule in rules}) == len(rules) >= 10
    for rule in rules:
        assert rule.table in TABLES
        assert rule.say
        assert rule.why
        # where the service time is not measured, nobody knows the cause
        assert bool(rule.cause) is (rule.name != "volume-crowd")


@given(st.text(max_size=200))
def test_any_text_is_rules_or_an_error(text: str) -> None:
    """Reading rules raises nothing but RuleError."""
    with suppress(RuleError):
        parse_rules(text)


KEYS = ("when", "for", "of", "keep", "hours", "say", "per", "rows", "siblings", "sense", "group")
WORDS = st.text(alphabet="io>= 30*.%{}:/-amMon", max_size=20)


@given(st.dictionaries(st.sampled_from(KEYS), WORDS.map(repr) | st.sampled_from(["[]", "{ a = 1 }"])))
def test_any_value_is_read_or_refused(keys: dict[str, str]) -> None:
    """A rule with any values is a rule or a RuleError."""
    text = "\n".join(one for one in RULE.splitlines() if one.partition(" ")[0] not in keys)
    with suppress(RuleError):
        parse_rules(text + "".join(f"\n{key} = {value}" for key, value in keys.items()))


def own(tmp_path: Path, text: str) -> str:
    """Return a file of the user's own rules."""
    path = tmp_path / "own.toml"
    path.write_text(text)
    return str(path)


OWN = (
    RULE.replace("device.resp", "control_unit.respp"),
    RULE.replace("device.resp", "devise.resp"),
    RULE + 'when = ["iou >= 3"]',
    RULE + 'also = ["all.iox"]',
    RULE + 'when = ["memory.pagin >= 3"]',
    RULE.replace("{resp}", "{rsp}"),
    RULE.replace("device.resp", "files.mbs"),
    '[[rule]]\nname = "path-busi"\nlook = 4\n',
    '[[rule]]\nname = "path-busy"\nlok = 4\n',
    'profile = "tape"\n',
    '[[rule]]\nname = "path-busy"\nprofile.tape = { look = 1 }\n',
    '[[rule]]\nname = "path-busy"\nprofile.disk = { say = "x" }\n',
    '[[rule]]\nname = "path-busy"\nprofile = 3\n',
)


def test_a_rule_that_cannot_be_judged_is_refused(tmp_path: Path) -> None:
    """With file, line and what is called much like it, before it is judged: said/own-rules.txt."""

    def load(text: str) -> object:
        path = own(tmp_path, text)
        return load_rules([path], profile=chosen_profile([path])[0])

    said = refusals(RuleError, load, OWN)
    compare("said/own-rules", [line.replace(f"{tmp_path}/", "") for line in said])


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    """Of all rules and all keys; where there is little room the first three and their number."""
    path = own(
        tmp_path,
        '[[rule]]\nname = "lcu-queue"\nfor = "soon"\nweight = -1\nwhen = ["io => 1", "qued = 1"]\n'
        '[[rule]]\nname = "path-busi"\nlook = 4\n[[rule]]\nname = "path-busy"\nlok = 3\nlooks = 3\n',
    )
    with pytest.raises(RuleError) as error:
        load_rules([path])
    lines = [int(mistake.split(":")[1]) for mistake in error.value.args]
    assert sorted(lines) == [3, 4, 5, 5, 7, 11, 12]
    assert "; and 4 more " in str(error.value)


def test_the_tables_say_which_columns_there_are() -> None:
    """Every column that a shipped rule names is one; what is only a fact or a cell of the row of all, too."""
    for profile in ("", *PROFILES):
        for rule in load_rules(profile=profile):
            assert not unknown_columns(rule.columns)
    assert {"paging", "available"} <= columns_of("memory")
    assert {"running", "busy"} <= columns_of("cpu")
    assert not columns_of("files")


def test_a_profile_changes_numbers_alone(tmp_path: Path) -> None:
    """One that is chosen brings its limits; a rule with limits for profiles alone is not used without one."""
    plain, flash, disk = (
        {rule.name: rule for rule in load_rules(profile=one)} for one in ("", *reversed(PROFILES))
    )
    assert "volume-response" not in plain
    assert (flash["volume-response"].look, disk["volume-response"].look) == (1, 10)
    assert (plain["lcu-service"].look, flash["lcu-service"].look, disk["lcu-service"].look) == (5, 1, 5)
    assert plain["lcu-service"]._replace(look=1, bad=5) == flash["lcu-service"]
    path = own(tmp_path, 'profile = "flash"\n[[rule]]\nname = "lcu-service"\nlook = 3\n')
    assert chosen_profile([path]) == ("flash", f"{path}:1")
    changed = {rule.name: rule for rule in load_rules([path], profile="flash")}
    assert (changed["lcu-service"].look, changed["lcu-service"].bad) == (3, 5)


def test_a_day_of_hours_ends_at_midnight() -> None:
    """As 24:00 or as 00:00 of the next day; no clock has a later time."""
    ends = [parse_rules(RULE + f'hours = "22:00-{end}"')[0].hours for end in ("24:00", "00:00")]
    assert [one and one[1:] for one in ends] == [(1320, 1440), (1320, 0)]


def test_a_site_file_chooses_a_profile_and_own_rules_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of rules wins; the site file is one for everything else as well."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "zmon").mkdir()
    site = tmp_path / "zmon" / "site.toml"
    site.write_text('profile = "disk"\nlogs = ["*/log/*"]\n')
    assert chosen_profile([])[0] == read_site({"XDG_CONFIG_HOME": str(tmp_path)}).profile == "disk"
    assert "volume-response" in {rule.name for rule in usable_rules()[0]}
    assert chosen_profile([own(tmp_path, 'profile = "flash"\n')])[0] == "flash"
    site.write_text('profile = "tape"\n')
    assert "site.toml:1" in usable_rules()[1]


def test_a_shipped_rule_has_the_unit_of_its_column() -> None:
    """Or `times`, of a column divided by another, `of 1` where it is a part; requests are I/O here."""
    columns = {
        (screen.table, one.name): one.unit for screen in load_screens() for one in screen.columns if one.unit
    }
    for rule in usable_rules()[0]:
        known = columns.get((rule.table, rule.column), rule.unit).replace("requests", "I/O")
        assert rule.unit in ({"times", "of 1"} if rule.per else {known}), rule.name


def test_a_unit_changes_no_log() -> None:
    """A rule that only calls its unit otherwise is the same rule."""
    rule = usable_rules()[0][0]
    assert rule._replace(unit="other").digest == rule.digest
    assert rule._replace(why="other").digest != rule.digest


def test_a_mean_of_all_lcus_is_not_said_as_if_it_were_of_one_channel_path() -> None:
    """A figure of another table would be that of all its rows: a path has its own Pend."""
    said = [rule.say for rule in load_rules() if rule.table == "channel"]
    assert any("{pend" in words for words in said)
    assert not any("{control_unit." in words for words in said)
