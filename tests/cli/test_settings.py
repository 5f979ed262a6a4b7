"""Settings are defaults of options: of the machine, of the user, and weaker than the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.goldens import compare
from zmon.cli import settings
from zmon.cli.full_parser import parse
from zmon.cli.main import main
from zmon.cli.plain_parser import parse_plain
from zmon.cli.settings import SETTINGS, SettingsError, config_files, defaults_of, options_of, own_keys_of
from zmon.cli.subcommands import SUBCOMMANDS, live

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's file of settings, which is not written yet; the machine's is `etc.toml` beside it."""
    monkeypatch.delenv("ZMON_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(settings, "SYSTEM", str(tmp_path / "etc.toml"))
    (tmp_path / "zmon").mkdir()
    return tmp_path / "zmon" / "zmon.toml"


def parsed(name: str, *words: str) -> dict[str, Any]:
    """Return the options of a command line, which both parsers read alike."""
    defaults = defaults_of(name, os.environ)
    declare = SUBCOMMANDS[name][1] if name else live
    found = []
    for args in (
        parse_plain(declare, words, defaults.declare),
        parse(name, [name, *words] if name else words, defaults.declare),
    ):
        assert args is not None
        defaults.complete(args)
        found.append(vars(args))
    assert found[0] == found[1]
    return found[0]


def wrong(file: Path, text: str) -> str:
    """Return what is said of a file of settings, without its place."""
    file.write_text(text)
    with pytest.raises(SettingsError) as found:
        defaults_of("", os.environ)
    return str(found.value).removeprefix(f"{file}:")


def test_each_setting_is_an_option_of_its_subcommand() -> None:
    """A name in the list of settings that no option has would be one that does nothing."""
    for table, names in SETTINGS.items():
        assert set(names) <= set(options_of(table))


def test_without_files_nothing_changes(own: Path) -> None:
    """The options have the defaults that they were declared with."""
    assert not own.exists()
    assert parsed("") == vars(parse_plain(live, []) or object())


def test_the_users_file_is_stronger_than_the_machines_and_the_command_line_than_both(own: Path) -> None:
    """Each setting by itself."""
    (own.parent.parent / "etc.toml").write_text('interval = 5\ncache = true\nsite = "/etc/zmon/a.toml"\n')
    own.write_text("interval = 10\n")
    found = parsed("")
    assert (found["interval"], found["cache"], found["site"]) == (10.0, True, "/etc/zmon/a.toml")
    assert parsed("", "--interval", "3")["interval"] == 3.0


def test_a_setting_of_a_subcommand_is_for_it_alone(own: Path) -> None:
    """What stands at the top is for the others too, except the interval, which is another one there."""
    own.write_text("interval = 10\nexact = true\n[record]\nkeep = '2d'\ncache = true\n")
    record = parsed("record")
    assert (record["interval"], record["keep"], record["cache"], record["exact"]) == (
        1.0, 2 * 86_400 * 10**9, True, True
    )  # fmt: skip
    assert parsed("show", "DEVICE")["cache"] is False
    assert parsed("show", "DEVICE")["interval"] == 10.0


def test_the_interval_at_the_top_is_none_of_a_capture(own: Path) -> None:
    """Its passes are further apart than samples of screens."""
    own.write_text("interval = 3\n")
    assert parsed("capture", "x.tar.gz")["interval"] == 10.0


def test_a_list_on_the_command_line_replaces_that_of_the_settings(own: Path) -> None:
    """It is not added to it; one text is a list of one."""
    own.write_text('listing = "/db/a.csv"\n')
    assert parsed("")["listing"] == ["/db/a.csv"]
    assert parsed("", "-l", "b.csv", "-l", "c.csv")["listing"] == ["b.csv", "c.csv"]
    assert parsed("spread")["listing"] == ["/db/a.csv"]
    assert parsed("spread", "b.csv")["listing"] == ["b.csv"]


def test_what_is_about_this_machine_is_not_used_for_another(own: Path) -> None:
    """A listing of this machine would place its files on the disks of the other; a site rule names itself."""
    own.write_text('listing = ["/db/a.csv"]\ncp = true\ncp-user = "LNX1"\nsite = "/s.toml"\n')
    there = parsed("", "--from", "other.zmon")
    assert (there["listing"], there["cp"], there["cp_user"], there["site"]) == ([], False, "", "/s.toml")
    here = parsed("")
    assert (here["listing"], here["cp"], here["cp_user"]) == (["/db/a.csv"], True, "LNX1")
    assert parsed("", "--from", "other.zmon", "--cp")["cp"] is True


def test_keys_are_a_map_or_a_table_with_the_map_and_own_keys(own: Path) -> None:
    """The option on the command line is stronger than the map; the machine's and the user's keys add up."""
    own.write_text('keys = "vi"\n')
    assert (parsed("")["keys"], parsed("demo")["keys"], parsed("", "--keys", "less")["keys"]) == (
        "vi",
        "vi",
        "less",
    )
    (own.parent.parent / "etc.toml").write_text('[keys]\nmap = "less"\nmenu = "ctrl+g"\nhelp = ""\n')
    assert parsed("")["keys"] == "vi"
    own.write_text('[keys]\nsort = "f9,x"\n')
    assert parsed("")["keys"] == "less"
    found = own_keys_of(os.environ)
    assert {name: keys.keys for name, keys in found.items()} == {"menu": "ctrl+g", "sort": "f9,x"}
    assert found["sort"].place == f"{own}:2"


def test_an_empty_text_is_no_setting(own: Path) -> None:
    """So that what `zmon config` prints can be uncommented as it is."""
    own.write_text('theme = ""\n[record]\nkeep = ""\ndirectory = ""\n')
    record = parsed("record")
    assert (record["keep"], record["directory"]) == (0, None)


MISTAKES = (
    'keys = "vim"\n', '[keys]\nmap = "x"\n', '[keys]\nmneu = "f4"\n', '[keys]\nmenu = "f99"\n',
    'keys = "vi"\n[keys]\nmenu = "f4"\n', "intervall = 5\n", "\nkeep = '5d'\n", "colour = 'red'\n",
    "[record]\nkeep = 5\n", "[recrod]\nkeep = '5d'\n", "record = 5\n", "cache = 'yes'\n", "interval = 0\n",
    "interval = true\n", "site = 'site.toml'\n", "listing = [5]\n", "[record]\nonly = 'disk'\n",
    "listing = 'listing.csv'\n", "listing = ['/a.csv', '-']\n", "[record]\nlisting = ['u:secret@host/db']\n",
    "base-dir = 'db'\n", "\ntheme = 'drak'\n", "theme = 'dracul'\n", 'theme = "\\u001b[31m"\n',
)  # fmt: skip


def test_a_mistake_is_named_with_its_line_and_what_is_allowed(own: Path) -> None:
    """And the nearest name, for one that is misspelt."""
    compare("said/settings", [line for text in MISTAKES for line in (repr(text), f"  {wrong(own, text)}")])


def test_listings_are_files_and_servers_wherever_zmon_is_started(own: Path) -> None:
    """From the root or the home on; of what is neither nothing is told, because it may hold a password."""
    own.write_text(
        'listing = ["~/a.csv", "postgresql://host/db", "service=prod", "/b.csv"]\nbase-dir = "~/db"\n'
    )
    there = parsed("")
    home = os.path.expanduser("~")
    assert there["listing"] == [f"{home}/a.csv", "postgresql://host/db", "service=prod", "/b.csv"]
    assert there["base_dir"] == f"{home}/db"
    assert "secret" not in wrong(own, 'listing = ["u:secret@host/db"]\n')


def test_a_file_that_is_no_toml_is_named(own: Path) -> None:
    """With the line that the parser stumbled over."""
    own.write_text("interval =\n")
    with pytest.raises(SettingsError, match=r"zmon\.toml:1: Invalid value \(column 11\)"):
        defaults_of("", os.environ)
    assert wrong(own, "site = '/a'\nsite = '/b'").startswith("2: ")


def test_a_mistake_ends_a_command_but_not_its_help(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how to go on without settings, and has the status of Nagios where that is asked for."""
    own.write_text("intervall = 5\n")
    assert main(["show", "DEVICE"]) == 2
    assert "ZMON_CONFIG= " in capsys.readouterr().err
    assert main(["show", "EXCEPT", "--status"]) == 3
    assert capsys.readouterr().out.startswith("ZMON UNKNOWN - ")
    with pytest.raises(SystemExit) as ended:
        main(["show", "--help"])
    assert ended.value.code == 0


def test_one_file_may_be_named_in_the_environment(own: Path, tmp_path: Path) -> None:
    """It replaces both; an empty name is none."""
    own.write_text("interval = 10\n")
    (tmp_path / "other.toml").touch()
    other = str(tmp_path / "other.toml")
    assert config_files({"ZMON_CONFIG": other}) == [other]
    assert config_files({"ZMON_CONFIG": ""}) == []
    assert config_files({"HOME": "/home/eve"}) == [settings.SYSTEM, "/home/eve/.config/zmon/zmon.toml"]


def test_a_file_that_is_named_must_exist(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a misspelt name would silently be no settings at all."""
    own.touch()
    monkeypatch.setenv("ZMON_CONFIG", "/nope")
    assert main(["config"]) == 2
    assert "/nope: " in capsys.readouterr().err


def test_the_theme_of_the_environment_is_stronger(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ZMON_THEME is for one terminal, the setting for all."""
    own.write_text("theme = 'contrast'\n")
    assert parsed("")["theme"] == "contrast"
    monkeypatch.setenv("ZMON_THEME", "light")
    assert parsed("")["theme"] == ""
    assert parsed("", "--theme", "dark")["theme"] == "dark"
