from __future__ import annotations

import ast
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Final

from tests import house
from tests.syntax import ZMON, modules

if TYPE_CHECKING:
    import pytest


def test_a_variable_with_a_vague_name_counts_each_time_it_is_bound() -> None:
    """Assignments, loops, comprehensions, arguments, `with` and walruses bind; uses and docstrings do not."""
    tree = ast.parse('''
"""Find one of the words."""
def lcus(words, *, lcu=one):
    one = lcu
    for each, (known, volume) in one:
        with open(volume) as found, open(known):
            if (one := [words for words in found]) or one.known:
                return found
''')
    assert sorted(house.vague_names(tree)) == ["each", "found", "known", "one", "one", "words", "words"]


def test_a_list_counts_if_its_members_name_screens() -> None:
    """All do, or half and three; `user` and `system` are parts of processor time."""
    tree = ast.parse("""
DRAWN: Final = frozenset({"plot", "cpu"})
DOORS: Final = {"cpu": 1, **dict.fromkeys(("device", "plot")), "x": 2, "y": 3}
FIGURES: Final = (Figure("cpu", 1), Figure("device", 2))
BY_NAME: Final = {log.name: log for log in (Log("plot"), Log("cpu"))}
TABLES: Final = {"plot": 1, "cpu": 2}
PARTS: Final = {"user", "cpu", "plot", "steal", "idle"}
WHOLE: Final = {"user": 1, "system": 2}
ALONE: Final = {"cpu"}
""")
    ids = {"cpu", "device", "plot", "system", "user"}
    assert house.lists_by_id(tree, ids) == ["DRAWN", "DOORS", "FIGURES", "BY_NAME"]


def test_a_column_repeats_another_one_that_states_name_head_and_unit_alike() -> None:
    """Another head or unit is another figure; without a head nothing is stated."""
    columns = tomllib.loads("""
column = [
  {name = "io", head = "I/O", unit = "1/s"}, {name = "io", head = "I/O", unit = "1/s", help = "Of a path."},
  {name = "io", head = "I/O"}, {name = "io", head = "Requests", unit = "1/s"}, {name = "io"}, {name = "io"},
]""")["column"]
    assert house.repeated(columns) == ["io"]


def test_a_variable_says_the_thing() -> None:
    """Who reads `one`, `each`, `found`, `known` or `words` has to find out what it is."""
    assert {module: names for module, tree in modules().items() if (names := house.vague_names(tree))} == {}


READ: Final = {
    "check/test_multipath_checks.py", "cli/test_cut.py", "collected/test_crypt_texts.py",
    "collected/test_file_texts.py", "collected/test_nsd_texts.py",
    "collected/test_kernel_log_texts.py", "collected/test_lvm_display_texts.py",
    "collected/test_lvm_texts.py", "collected/test_mapper_texts.py",
    "collected/test_other_names.py", "collected/test_signature_texts.py", "collected/test_unused.py",
    "collected/test_zdev_texts.py",
    "cp/test_answers_real.py", "cp/test_answers_system.py",
    "kernel/test_sampler.py", "kernel/test_setting.py", "listing/test_asm.py", "listing/test_mariadb.py",
    "listing/test_postgresql.py", "store/test_hostile.py", "store/test_open.py", "test_house.py",
    "witness/kernel_files.py", "witness/machines.py", "witness/neighbours.py",
}  # fmt: skip
"""What repeats words of zmon because it is read: paths, SQL, outputs, code, truths about machines."""


def test_a_sentence_stands_in_its_golden_alone() -> None:
    """Who rewords it changes that golden and pages; a test asks ids, fields, figures and names."""
    assert {*house.asserting_sentences()} <= READ


def test_no_threshold_stands_twice() -> None:
    """A constant and the rule about the same figure name one limit, which stands in rules/limits.toml."""
    assert house.twice() == []


def test_each_shared_limit_is_shared() -> None:
    """A limit that only one rule, module or column has stands there."""
    (limits,) = (document["limit"] for document in house.documents("rules") if "limit" in document)
    taken = {house.limit_of(constant) for constant in house.SHARED}
    rules = [rule for document in house.documents("rules") for rule in document.get("rule", ())]
    columns = [column for document in house.documents("screens") for column in house.columns_of(document)]
    named = [name for column in columns for name in (column.get("look"), column.get("bad"))]
    uses = Counter(
        [*house.limits_beside_rules(), *named, *(name for rule in rules for name in house.named_limits(rule))]
    )
    assert {limit["name"] for limit in limits if uses[limit["name"]] >= 2} == {
        limit["name"] for limit in limits
    }
    assert taken <= set().union(*map(house.named_limits, rules))


def test_the_lines_of_packages_are_those_of_all_modules() -> None:
    """Each module counts once, and each package has its ceiling."""
    files = [path for path in ZMON.rglob("*.py") if path.read_text()]
    assert house.packages().total() == sum(path.read_text().count("\n") for path in files)
    assert set(house.packages()) == set(house.CEILINGS)


def test_the_table_is_aligned_and_has_each_package(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each measure, with its number of today."""
    house.main()
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["what", "|", "now"]
    assert {row.index(" | ") for row in rows} == {heading.index(" | ")}
    assert len(rows) == len(list(house.measures())) + len(house.CEILINGS)
