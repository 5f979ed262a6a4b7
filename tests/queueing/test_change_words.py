"""A change is written in words; what is not understood is answered with what could be meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.queueing.change import (
    AliasNumber,
    Change,
    ChangeError,
    FileMove,
    PathNumber,
    PathsInUse,
    ProcessorNumber,
    StripedSpace,
)
from zmon.queueing.change_words import FORMS, KnownNames, parse_change

NAMES = KnownNames(
    {"/db/one.dat": frozenset({"/db/one.dat"}), "ts1": frozenset({"/db/one.dat", "/db/two words.dat"})},
    {"ts1": "PROD.TS1", "prod.ts1": "PROD.TS1"},
    {"lcu 5": "B.5", "5": "B.5", "7600": "B.6", "6": "B.6"},
    {"7201": "0.0.7201", "8000": "0.0.8000"},
)


@pytest.mark.parametrize("words", ["move TS2 to LCU 5", "stripe ts2 over LCU 5,6"])
def test_a_name_that_two_databases_have_is_to_be_said_with_one(words: str) -> None:
    """The message names both, as it cannot be known which is meant."""
    names = NAMES._replace(several={"ts2": ["PROD.TS2", "TEST.TS2"]})
    with pytest.raises(ChangeError, match=r"several databases .*: write PROD\.TS2 or TEST\.TS2"):
        parse_change(words, names)


def test_a_number_that_an_lcu_and_a_volume_have_is_to_be_said_with_its_kind() -> None:
    """It cannot be known which is meant."""
    names = NAMES._replace(volumes={**NAMES.volumes, "7600": "0.0.7600"})
    with pytest.raises(ChangeError, match="write LCU 7600 or volume 7600"):
        parse_change("move TS1 to 7600", names)


@pytest.mark.parametrize(
    ("words", "change"),
    [
        ("move TS1 to LCU 5", FileMove(frozenset({"/db/one.dat", "/db/two words.dat"}), "B.5")),
        ("move  /db/one.dat  to volume 7201", FileMove(frozenset({"/db/one.dat"}), "", "0.0.7201")),
        ("move TS1 to 7201", FileMove(frozenset({"/db/one.dat", "/db/two words.dat"}), "", "0.0.7201")),
        ("move TS1 to 7600", FileMove(frozenset({"/db/one.dat", "/db/two words.dat"}), "B.6")),
        ("stripe TS1 over 5, 6", StripedSpace("PROD.TS1", ("B.5", "B.6"))),
        ("paths 12 of 6", PathNumber(12, "B.6")),
        ("aliases 7 on 8000", AliasNumber(7, volume="0.0.8000")),
        ("stripe prod.ts1 over LCU 5, 6", StripedSpace("PROD.TS1", ("B.5", "B.6"))),
        ("stripe TS1 over LCUs 5,6,7600", StripedSpace("PROD.TS1", ("B.5", "B.6"))),
        ("stripe TS1 over volumes 7201 8000", StripedSpace("PROD.TS1", (), ("0.0.7201", "0.0.8000"))),
        ("paths 24", PathNumber(24)),
        ("Paths 12 of LCU 6", PathNumber(12, "B.6")),
        ("double the paths of LCU 7600", PathNumber(2.0, "B.6", times=True)),
        ("double the paths", PathNumber(2.0, "", times=True)),
        ("use all paths", PathsInUse()),
        ("use all paths of LCU 5", PathsInUse("B.5")),
        ("aliases 0", AliasNumber(0)),
        ("ALIASES 20 ON LCU 5", AliasNumber(20, "B.5")),
        ("aliases 7 on volume 8000", AliasNumber(7, volume="0.0.8000")),
        ("processors 8", ProcessorNumber(8.0)),
        ("24 paths", PathNumber(24)),
        ("20 aliases on LCU 5", AliasNumber(20, "B.5")),
        ("8 processors", ProcessorNumber(8.0)),
        ("double paths", PathNumber(2.0, "", times=True)),
        ("use all the paths", PathsInUse()),
    ],
)
def test_words_mean_a_change(words: str, change: Change) -> None:
    """Each form is read, whatever its capitals and blanks."""
    assert parse_change(words, NAMES) == change


MISTAKES = (
    "mvoe TS1 to LCU 5",
    "aliases many",
    "move TS1 at LCU 5",
    "move TS2 to LCU 5",
    "move TS1 to LCU 55",
    "move TS1 to volume 7301",
    "stripe TS9 over LCU 5",
    "paths 0",
    "processors 0",
    "processors 99999999999",
    "",
)


def test_a_mistake_is_answered_with_what_could_be_meant() -> None:
    """The message quotes the words and says what to write: tests/golden/said/changes.txt."""
    compare("said/changes", refusals(ChangeError, lambda words: parse_change(words, NAMES), MISTAKES))


@given(st.text(max_size=60) | st.sampled_from(FORMS).map(lambda form: form[:-1] + "\x00"))
def test_any_text_is_a_change_or_an_error(words: str) -> None:
    """Untrusted words never end in anything else."""
    try:
        assert parse_change(words, NAMES)
    except ChangeError as error:
        assert str(error)  # noqa: PT017 - any text may be right
