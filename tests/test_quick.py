from __future__ import annotations

import pytest

from tests import quick


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("zmon/screen/menu_items.py", {"tests/screen/test_menu_items.py"}),
        ("zmon/tables/cpu.py", {"tests/tables/test_cpu.py"}),
        ("zmon/values/uid.py", {"tests/values/test_uid.py"}),
        ("release/twice.py", {"tests/release/test_twice.py"}),
        ("testbed/casestudy.py", {"tests/test_casestudy.py"}),
        ("tests/base/test_toml.py", {"tests/base/test_toml.py"}),
        ("screens/new.toml", {"tests/screen/test_screens.py", "tests/test_manual.py"}),
        ("figures/device.toml", {"tests/screen/test_screens.py", "tests/test_manual.py"}),
        ("rules/paths.toml", {"tests/rule/test_grammar.py", "tests/rule/test_path_rules.py"}),
        ("docs/screens.py", {"tests/test_manual.py"}),
    ],
)
def test_a_changed_file_is_tested_by_those_who_bear_its_name_or_read_it(file: str, tests: set[str]) -> None:
    """And by the rules of the house, always."""
    assert set(quick.chosen([file])) >= tests | set(quick.HOUSE)


@pytest.mark.parametrize("file", ["README.md", "tests/frames.py", "tests/test_gone.py", "zmon/gone.py"])
def test_a_file_without_tests_of_its_name_is_left_to_the_house(file: str) -> None:
    """A test module that was deleted is not run either."""
    assert quick.chosen([file]) == sorted(quick.HOUSE)


def test_too_many_changes_are_tested_by_their_very_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those about a part of a module, such as `test_where_dead.py`, are left out."""
    monkeypatch.setattr(quick, "MOST", 1)
    assert quick.patterns("zmon/cli/where.py") == ["tests/cli/test_where.py", "tests/cli/test_where_*.py"]
    assert quick.chosen(["zmon/cli/where.py"]) == sorted(["tests/cli/test_where.py", *quick.HOUSE])
