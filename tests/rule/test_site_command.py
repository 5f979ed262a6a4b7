"""A site's commands are declared in its file of rules, which nobody else can write."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.base.clock import SECOND
from zmon.base.event import BAD, LOOK, ExceptionEntry
from zmon.rule.grammar import load_rules
from zmon.rule.rules_file import RuleError, own_rules
from zmon.rule.site_command import (
    BEGIN,
    END,
    FIELDS,
    SiteCommand,
    commands_in,
    environment_of,
    fields_of,
    own_commands,
    trusted_commands,
)

LOGGER = 'run = ["logger", "-t", "zmon", "--", "{level} {rule} {where}: {text}"]\n'
ENTRY = ExceptionEntry(
    "lcu-service", "digest", "control_unit", "7600", "7600", SECOND, 61 * SECOND, BAD, 38.7, SECOND,
    2 * SECOND, 20.0, 30.0, 60, "LCU 7600 takes 38.7 ms", "D1",
)  # fmt: skip


def site(folder: Path, text: str) -> str:
    """Write the file of rules of a site, which only its owner can write."""
    path = folder / "zmon" / "rules.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.parent.chmod(0o755)
    path.chmod(0o644)
    return str(path)


def test_a_command_is_what_its_table_says(tmp_path: Path) -> None:
    """With its defaults: all rules, both levels, begin and end, ten seconds."""
    path = site(
        tmp_path,
        f'[[command]]\n{LOGGER}[[command]]\n{LOGGER}rules = ["lcu-*"]\nlevel = "bad"\nwhen = ["end"]\n'
        'seconds = 3\napart = "1h"\n',
    )
    plain, narrow = commands_in([path])
    assert plain == SiteCommand(plain.run, f"{path}:2", ("*",), LOOK, (BEGIN, END), 10, 0.0)
    assert narrow == SiteCommand(plain.run, f"{path}:4", ("lcu-*",), BAD, ("end",), 3, 3600.0)


def test_a_command_is_for_its_rules_from_its_level_on() -> None:
    """A pattern names several rules."""
    command = SiteCommand(("true",), "", ("lcu-*", "path-busy"), BAD)
    assert command.concerns(ENTRY)
    assert not command.concerns(ENTRY._replace(level=LOOK))
    assert not command.concerns(ENTRY._replace(rule="path-full"))


def test_fields_say_what_an_exception_is() -> None:
    """An open one has no end; one object has them all."""
    begin, end = (fields_of(ENTRY, state) for state in (BEGIN, END))
    assert {*begin} == {*FIELDS, "json"}
    assert (begin["begin"], begin["end"]) == ("1970-01-01T00:00:01.000+00:00", "")
    assert (end["state"], end["end"]) == ("end", "1970-01-01T00:01:01.000+00:00")
    assert json.loads(end["json"]) == {name: end[name] for name in FIELDS}
    assert environment_of(begin)["ZMON_TEXT"] == "LCU 7600 takes 38.7 ms"
    assert {*environment_of(begin)} == {f"ZMON_{name.upper()}" for name in begin}


@given(st.text(), st.text())
def test_a_value_stays_within_its_word(text: str, where: str) -> None:
    """Blanks, quotes and braces in it are no other words and no other fields."""
    command = SiteCommand(("logger", "-t", "zmon", "{where}: {text}", "{text}"), "")
    fields = {"text": text, "where": where}
    assert command.filled(fields) == ["logger", "-t", "zmon", f"{where}: {text}", text]


def test_the_examples_of_the_document_are_commands(tmp_path: Path) -> None:
    """A mail, a line in syslog, a web hook, for rules that there are."""
    text = (Path(__file__).parents[2] / "docs/rules.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(\[\[command\]\]\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    path = site(tmp_path, example)
    assert load_rules([path])
    assert [command.run[0] for command in trusted_commands([path])] == ["mail", "logger", "curl"]


LINES = (
    "run = []",
    'run = "logger {text}"',
    "run = [3]",
    'run = ["logger", "{txet}"]',
    'run = ["logger", "{host}"]',
    'run = ["logger", "{text"]',
    'run = ["logger", "{0}"]',
    'run = ["curl", "-d", "{\\"text\\": \\"{text}\\"}"]',
    'run = ["{text}"]',
    'run = ["./notify"]',
    'level = "good"',
    "when = []",
    'when = ["begin", "middle"]',
    'rules = ["lcu-servise"]',
    'rules = ["lpu-*"]',
    "seconds = 0",
    "seconds = 60",
    'apart = "soon"',
    'shell = "logger"',
)


def test_what_is_no_command_is_refused_with_its_place(tmp_path: Path) -> None:
    """When the file is read, as rules are: said/site-commands.txt."""

    def load(line: str) -> object:
        run = "" if line.startswith("run") else LOGGER
        try:
            return load_rules([site(tmp_path, f"[[command]]\n{run}{line}\n")])
        except RuleError as error:
            raise RuleError(*(mistake.replace(str(tmp_path), "") for mistake in error.args)) from error

    compare("said/site-commands", refusals(RuleError, load, LINES))


def test_a_rule_of_the_same_file_is_one_that_a_command_may_name(tmp_path: Path) -> None:
    """Also one that is switched off."""
    text = '[[rule]]\nname = "path-busy"\noff = true\n[[rule]]\nname = "mine"\non = "device.resp"\nlook = 1\n'
    path = site(tmp_path, f'{text}say = "x"\n[[command]]\n{LOGGER}rules = ["mine", "path-busy"]\n')
    assert load_rules([path])
    assert len(commands_in([path])) == 1


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_a_file_that_others_may_write_has_no_commands(tmp_path: Path, mode: int) -> None:
    """The reason says what ends that."""
    path = site(tmp_path, f"[[command]]\n{LOGGER}")
    assert trusted_commands([path])
    os.chmod(path, mode)
    with pytest.raises(RuleError, match=f"others may write {path}; chmod go-w"):
        trusted_commands([path])


def test_a_directory_in_which_others_may_write_is_as_bad(tmp_path: Path) -> None:
    """They could put another file there, or another link; with the sticky bit they cannot."""
    path = site(tmp_path, f"[[command]]\n{LOGGER}")
    for mode, is_trusted in ((0o777, False), (0o1777, True)):
        (tmp_path / "zmon").chmod(mode)
        if is_trusted:
            assert trusted_commands([path])
        else:
            with pytest.raises(RuleError, match="others may write"):
                trusted_commands([path])
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    link = tmp_path / "open" / "rules.toml"
    link.symlink_to(path)
    with pytest.raises(RuleError, match="open"):
        trusted_commands([str(link)])


def test_a_file_of_another_user_has_no_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless that is root."""
    path = site(tmp_path, f"[[command]]\n{LOGGER}")
    owner = os.stat(path).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    if owner:
        with pytest.raises(RuleError, match="belongs to another user"):
            trusted_commands([path])
    else:
        assert trusted_commands([path])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_runs_no_command_of_a_user(tmp_path: Path) -> None:
    """With the HOME of that user, as sudo may leave it."""
    path = site(tmp_path, f"[[command]]\n{LOGGER}")
    os.chown(path, 1000, 1000)
    with pytest.raises(RuleError, match="belongs to another user"):
        trusted_commands([path])


def test_only_the_users_own_file_of_rules_declares_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one there are none; rules alone may come from a file that others write."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert own_commands() == []
    path = site(tmp_path, '[[rule]]\nname = "path-busy"\nlook = 60\n')
    (tmp_path / "zmon/rules.toml").chmod(0o666)
    assert own_rules() == [path]
    assert own_commands() == []
