"""What the regular expressions of zmon may use, so that every Python from 3.11.0 on matches them alike."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Final

import pytest

import zmon

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(zmon.__file__).parent
PARTLY_WRONG: Final = {_constants.POSSESSIVE_REPEAT, _constants.ATOMIC_GROUP}
"""What releases before 3.11.5 match wrongly: a possessive group gave back less than it took."""


def operations(parsed: object) -> Iterator[object]:
    """Yield every operation of a parsed pattern, those in groups too."""
    if isinstance(parsed, _parser.SubPattern | list | tuple):
        for part in parsed:
            yield from operations(part)
    elif isinstance(parsed, _constants._NamedIntConstant):
        yield parsed


def is_partly_wrong(pattern: str) -> bool:
    """Tell whether a pattern needs what early releases do wrongly; text that is no pattern does not."""
    try:
        with warnings.catch_warnings(action="ignore"):  # a part of a pattern may mean something else one day
            return not PARTLY_WRONG.isdisjoint(operations(_parser.parse(pattern)))
    except re.error:
        return False


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Yield the strings that may be patterns: raw ones, and all that are given to `re`; `x` for a value."""
    tree = ast.parse(source)
    lines = source.splitlines()
    given = {
        inner
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name) and call.func.value.id == "re"
        for inner in ast.walk(call)
    }  # fmt: skip
    documents = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        words = [part.value if isinstance(part, ast.Constant) else "x" for part in parts]
        if not isinstance(node, ast.Constant | ast.JoinedStr) or node in documents:
            continue
        is_raw = "r" in lines[node.lineno - 1][node.col_offset :].partition("'")[0].partition('"')[0].lower()
        if (node in given or is_raw) and all(isinstance(word, str) for word in words):
            yield node.lineno, "".join(map(str, words))


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_uses_nothing_that_early_releases_match_wrongly(path: Path) -> None:
    """No pattern has a possessive quantifier or an atomic group."""
    found = [line for line, text in literals(path.read_text("utf-8")) if is_partly_wrong(text)]
    assert not found, f"{path}: lines {found}"


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("re.compile(r'a++')", True),
        ("p = r'(?>a)b'", True),
        ("re.search(f'{x}(?:a|b)*+', text)", True),
        ("re.compile(r'[+]+' r'a+')", False),
        ("print('C++')", False),
        ('def f():\n    r"""a++"""', False),
    ],
)
def test_finds_such_patterns_in_source(source: str, is_found: bool) -> None:
    """A pattern is found in a call or as a raw string; prose and documents are none."""
    assert any(is_partly_wrong(text) for _, text in literals(source)) == is_found
