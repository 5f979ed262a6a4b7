"""The directories of a user's own files."""

from __future__ import annotations

import os
import pwd
from typing import Final

import pytest

from zmon.base.own_files import config, state
from zmon.base.toml import site_files
from zmon.cli.settings import config_files
from zmon.recorder.lock import own_directory
from zmon.rule.rules_file import own_rules
from zmon.screen.definition import own_screens
from zmon.ui.history import history_file
from zmon.ui.keys import own_keys

pytestmark = pytest.mark.interpreter

USUAL: Final = {"HOME": "/h"}


@pytest.mark.parametrize(
    ("environ", "settings", "kept"),
    [
        (USUAL | {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}, "/c/zmon", "/s/zmon"),
        (USUAL, "/h/.config/zmon", "/h/.local/state/zmon"),
        (USUAL | {"XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""}, "/h/.config/zmon", "/h/.local/state/zmon"),
        (
            USUAL | {"XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "./s"},
            "/h/.config/zmon",
            "/h/.local/state/zmon",
        ),
    ],
)
def test_own_files_are_where_the_specification_says(
    environ: dict[str, str], settings: str, kept: str
) -> None:
    """It says that a relative path is ignored."""
    assert (config(environ), state(environ)) == (settings, kept)


def test_without_home_they_are_in_that_of_the_users_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a user without an entry, as in a container, they are below the root."""
    monkeypatch.delenv("HOME")
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert config({}) == os.path.join(home, ".config/zmon")

    def no_entry(_uid: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", no_entry)
    assert (config({}), state({})) == ("/.config/zmon", "/.local/state/zmon")


@pytest.mark.parametrize(
    "environ",
    [
        {"XDG_CONFIG_HOME": "{tmp}/c", "XDG_STATE_HOME": "{tmp}/s"},
        {"HOME": "{tmp}"},
        {"XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "s", "HOME": "{tmp}"},
    ],
)
def test_all_of_a_users_files_are_in_these_two_directories(
    environ: dict[str, str], tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings, sites, rules, keys and screens in one, recordings and commands in the other."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "STATE_DIRECTORY", "ZMON_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value.format(tmp=os.fspath(tmp_path)))
    settings = config(os.environ)
    os.makedirs(settings)
    for name in ("rules.toml", "site.toml"):
        with open(os.path.join(settings, name), "x", encoding="utf-8"):
            pass
    found = [
        own_keys(),
        own_screens(),
        *own_rules(),
        config_files(os.environ)[-1],
        site_files(os.environ)[-1],
    ]
    names = ("keys.toml", "screens", "rules.toml", "zmon.toml", "site.toml")
    assert found == [os.path.join(settings, name) for name in names]
    assert own_directory(os.environ) == state(os.environ)
    assert history_file(os.environ) == os.path.join(state(os.environ), "history")
