"""A reader finds the one place for a thing by its name: names stand once, and packages have no circles."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from typing import TYPE_CHECKING, Final

import pytest

from tests import house, syntax
from tests.syntax import ROOT, ZMON, nodes
from tests.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES: Final = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ZMON.rglob("*.py"))
}
"""Each module of zmon by its name."""


def parsed(name: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return syntax.parsed(FILES[name])


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a module imports anywhere: for its types and inside of functions too."""
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def neighbours(name: str) -> set[str]:
    """Return the modules of the same package that a module imports."""
    package = name.rpartition(".")[0]
    found = {other for other in imported(parsed(name)) if other in FILES and other != name}
    return {other for other in found if other.rpartition(".")[0] == package}


def test_no_public_class_name_stands_for_two_things() -> None:
    """Who searches for a class finds one."""
    homes = defaultdict(list)
    for name in FILES:
        for node in parsed(name).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_what_a_second_and_a_megabyte_are_stands_once() -> None:
    """Who reads `SECOND` or `MB` finds one value: lengths of time are in `clock`, sizes in `sizes`."""
    homes = {"zmon.base.clock": ("MILLISECOND", "SECOND", "END_OF_TIME"),
             "zmon.base.sizes": ("SECTOR", "KIB", "MIB", "GIB", "MB")}  # fmt: skip
    others = {"NS", "KILOBYTE", "KB", "MEGABYTE", "GIGABYTE", "GIBIBYTE", "GB"}
    known = {name: home for home, names in homes.items() for name in names}
    found = {
        f"{module}.{node.target.id}"
        for module in FILES
        for node in parsed(module).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if node.target.id.strip("_") in others or known.get(node.target.id.strip("_"), module) != module
    }
    assert found == set()


def test_a_reason_that_users_read_stands_once() -> None:
    """Who rewords why a value is missing does so for all who give that reason, or compare with it."""
    homes = defaultdict(list)
    for name in FILES:
        for node in nodes(parsed(name)):
            match node:
                case (
                    ast.Call(func=ast.Name(id="absent"), args=[ast.Constant(value=str(reason))])
                    | ast.Call(func=ast.Name(id="declared"), args=[_, ast.Constant(value=str(reason)), *_])
                ):
                    homes[reason].append(f"{name}:{node.lineno}")
    assert {reason: where for reason, where in homes.items() if len(where) > 1} == {}


def test_a_code_stands_once() -> None:
    """Who asks for a code means one sort of reason."""
    codes = [
        node.args[0].value
        for name in FILES
        for node in nodes(parsed(name))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"declared", "Reasons"}
        if isinstance(node.args[0], ast.Constant)
    ]
    assert len(set(codes)) == len(codes)


WORDED: Final = {
    "what a file has is text: code and facts are found by it, and here alone": {
        "base.absent: self.reason.partition(':')",
        "base.absent: reason[len(beginning):]",
    },
    "tomllib says in words alone where a mistake is": {
        "base.toml: problem.endswith(END)",
        "base.toml: problem.removesuffix(END)",
        r"base.toml: re.fullmatch('(?s)(.*) \\(at line (\\d+), column (\\d+)\\)', problem)",
    },
    "SQLite says in words alone that pages are damaged": {"cli.info: MALFORMED in rows.missing"},
    "a message is one sentence, whose form docs/programs.md promises to programs": {
        "cli.json_message: WHERE.fullmatch(sentence)",
        "cli.json_message: DO.fullmatch(rest)",
    },
    "a capture names refused files as text": {
        "kernel.capture_tree: reason == 'write-only'",
        "kernel.capture_tree: _NUMBERS.get(reason, errno.EIO)",
    },
    "the help of a column begins with what it is, a sentence of hundreds in screens/*.toml": {
        "ui.sort_menu: ' '.join(column.help.split()).partition('. ')"
    },
}
"""Why code reads sentences, and where: nowhere else it may."""


def test_no_program_decides_by_wording_and_no_sentence_is_cut_apart() -> None:
    """Who rewords a sentence changes that sentence: programs ask for codes, fields and members of an enum."""
    places = {
        f"{name.removeprefix('zmon.')}: {place.partition(': ')[2]}"
        for name in FILES
        for places in wording(parsed(name))
        for place in places
    }
    assert places == set().union(*WORDED.values())


def test_what_the_uuid_of_a_multipath_device_begins_with_stands_once() -> None:
    """`kinds.MPATH` is what all compare with."""
    found = {
        name
        for name in FILES
        for node in nodes(parsed(name))
        if isinstance(node, ast.Constant) and str(node.value).startswith("mpath-")
    }
    assert found == {"zmon.kinds"}


def test_no_module_name_stands_for_two_rooms() -> None:
    """Who searches for a module finds one; a command in `zmon.cli` may be named as what carries it out."""
    homes = defaultdict(list)
    for name in FILES:
        package, _, own = name.rpartition(".")
        if package.count(".") and not package.startswith("zmon.cli"):
            homes[own].append(name)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


@pytest.mark.parametrize("package", sorted({name.rpartition(".")[0] for name in FILES} - {""}))
def test_no_module_imports_itself_through_its_neighbours(package: str) -> None:
    """Inside of a package data flow one way too, which the layers of the import contract cannot see."""
    left = {name: neighbours(name) for name in FILES if name.rpartition(".")[0] == package}
    while free := {name for name, others in left.items() if not others & set(left)}:
        left = {name: others for name, others in left.items() if name not in free}
    while outer := {name for name in left if not any(name in others for others in left.values())}:
        left = {name: others for name, others in left.items() if name not in outer}
    assert sorted(left) == []


def test_no_package_grows_beyond_its_ceiling() -> None:
    """The house grows no further: what one package gains another gives."""
    beyond = {
        package: f"{lines:,} lines, {house.CEILINGS.get(package, 0):,} allowed"
        for package, lines in house.packages().items()
        if lines > house.CEILINGS.get(package, 0)
    }
    assert beyond == {}, (
        "give something up there, or raise the ceiling in tests/house.py, lower that of the package"
        " which gives the lines, and say why in the commit"
    )


RETIRED: Final = {
    "accumulator", "ceased", "deck", "descent", "dialogue", "happening", "heard", "lane", "lodger",
    "patience", "people", "player", "provenance", "seat", "stand", "suggestion", "suppressed", "sureness",
    "tape", "testimony", "traveller", "unattributed",
}  # fmt: skip
"""Words that the glossary has replaced and that have no other meaning in the code."""


def test_no_name_is_a_word_that_the_glossary_has_replaced() -> None:
    """One word for one thing; all of these are in the glossary, behind "Not"."""
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    replaced = {word for words in re.findall(r"\. Not: (.+)", glossary) for word in words.split(", ")}
    assert replaced >= RETIRED
    used = defaultdict(set)
    for name, path in FILES.items():
        source = path.read_text()
        if RETIRED.isdisjoint(word.strip("_") for word in re.findall(r"\w+", source.lower())):
            continue  # not in a comment or a text either
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME and (word := token.string.strip("_").lower()) in RETIRED:
                used[word].add(name)
    assert used == {}
