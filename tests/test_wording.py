from __future__ import annotations

import ast
from typing import Final

import pytest

from tests.syntax import modules
from tests.wording import wording


@pytest.mark.parametrize(
    "code",
    [
        'missing.reason.startswith("no ")',
        "OF_ALL in why",
        'found.claim == "full"',
        'note.text.startswith("no heading")',
        "ABSENT.fullmatch(diagnosis.action)",
        "SHORT.get(reason, reason)",
        "SHORT[lcu.why]",
        "missing.reason != NO_DISK.reason",
    ],
)
def test_a_sentence_that_is_compared_matched_or_looked_up_is_a_decision(code: str) -> None:
    """Who rewords the sentence changes what the code does."""
    assert wording(ast.parse(code)) == ([f"1: {ast.unparse(ast.parse(code))}"], [])


@pytest.mark.parametrize(
    "code",
    [
        "claim.partition('. ')[0]",
        "re.split('[:;] ', diagnosis.claim)",
        "gain.removeprefix(LITTLE)",
        "said.removesuffix(diagnosis.claim)",
        "event.text.replace(event.thing, name)",
        "why.reason[:20]",
    ],
)
def test_a_sentence_of_which_a_part_is_taken_is_cut(code: str) -> None:
    """Nobody cuts a sentence: it is told as a whole."""
    decisions, (_,) = wording(ast.parse(code))
    assert decisions == []


def test_a_variable_that_is_made_of_a_sentence_is_one() -> None:
    """What is assigned, walked through or put together from a sentence is followed."""
    code = """
def door(place, reasons):
    head, _, rest = place.claim.split(maxsplit=1)
    for line in reasons:
        if line.startswith("no ") or rest == "full":
            return head
def other(head):
    return head == "full"
"""
    assert wording(ast.parse(code)) == (["5: line.startswith('no ')", "5: rest == 'full'"], [])


@pytest.mark.parametrize(
    "code",
    [
        "claim[:1].upper() + claim[1:]",
        "claim.removesuffix('.')",
        "why == ''",
        "found.reason == other.reason",
        "token.text.startswith('--')",
        "table.notes[:3]",
        "missing is NO_DISK",
    ],
)
def test_what_only_writes_a_sentence_is_neither(code: str) -> None:
    """A capital, a full stop and a shorter list are presentation."""
    assert wording(ast.parse(code)) == ([], [])


MOST: Final = 2 * 79
"""Characters of a message: two lines of a terminal."""
FIELD: Final = 12
"""Those of a name or number in it."""
TELLING: Final = frozenset({"absent", "complain", "misused", "no_answer", "say"})
"""Functions that tell somebody what is wrong, besides errors."""


def length_of(node: ast.AST) -> int:
    """Return how many characters the text of an expression has, about."""
    if isinstance(node, ast.Constant):
        return len(node.value) if isinstance(node.value, str) else 0
    if isinstance(node, ast.JoinedStr):
        return sum(length_of(part) if isinstance(part, ast.Constant) else FIELD for part in node.values)
    if isinstance(node, ast.BinOp):
        return length_of(node.left) + length_of(node.right)
    return 0


def test_no_message_is_longer_than_two_lines() -> None:
    """What is read once, in a hurry, is short: an error, why a value is missing, a line of the glass."""
    long = []
    for module, tree in modules().items():
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in TELLING or name.endswith(("Error", "Unreadable")):
                long += [f"{module}:{call.lineno}" for told in call.args if length_of(told) > MOST]
    assert long == []
