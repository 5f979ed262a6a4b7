"""Rules are read from TOML, checked, and changed by files of the user's own."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.rule.grammar import Hours, Precondition, RuleError, load_rules, parse_rules
from zmon.tables import TABLES

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


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('on = "device"', "TABLE.COLUMN"),
        ('on = "devize.resp"', "no table 'devize'"),
        ('when = ["io => 30"]', "no comparison"),
        ('for = "2 minutes"', "length of time"),
        ('of = "5/4"', "4/5"),
        ('hours = "Fry 10:00-12:00"', "time of day"),
        ('say = "{resp.__class__}"', "no table 'resp'"),
        ('say = "{0}"', "braces"),
        ("bad = 5", "reached before"),
        ("clear = 0", "number from"),
        ("look = true", "is a number"),
        ('wen = ["io >= 3"]', "not known here"),
        ("name = 'Slow Disk'", "small letters"),
        ('siblings = { times = 3, of = "best" }', "least, mean, median"),
        ("rows = { all = false }", "all = true"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(line: str, part: str) -> None:
    """A wrong value is an error that names the file, the key and what is allowed."""
    key = line.partition(" ")[0]
    text = "\n".join(one for one in RULE.splitlines() if not one.startswith(f"{key} ")) + f"\n{line}\n"
    with pytest.raises(RuleError, match=r"^rules") as error:
        parse_rules(text)
    assert part in str(error.value)


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
    """Every shipped rule has a limit, a sentence, a reason, a cause and a table that exists."""
    rules = load_rules()
    assert len({rule.name for rule in rules}) == len(rules) >= 10
    for rule in rules:
        assert rule.table in TABLES
        assert rule.say
        assert rule.why
        assert rule.cause


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
