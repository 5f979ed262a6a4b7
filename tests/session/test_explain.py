"""Help: what words name, what is said of it, and how it is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from tests.session.test_session import SCREENS, session
from zmon.session.commands import COMMANDS
from zmon.session.explain import HelpPart, explain, rows
from zmon.session.navigator import CommandError

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.session.session import Session

DEVICE = SCREENS.find("DEVICE")
KEYS = (("F1", "help"), ("F3", "return"))


def titles(words: str, screen: str = "DEVICE") -> list[str]:
    """Return the titles of what is explained on a screen."""
    return [part.words for part in explain(session(screen), words, KEYS) if part.kind == "strong"]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("", f"FCX108 DEVice - {DEVICE.title}"), ("resp", "resp - Time (msec) Resp, ms"),
        ("Req. Qued", "qued - Req. Qued, requests"), ("MB/s", "mbs - Linux MB/s, MB/s"),
        ("CTLUNIT", "FCX176 CTlunit - Control Units"), ("ct", "FCX176 CTlunit - Control Units"),
        ("12", "FCX176 CTlunit - Control Units"), ("fcx176", "FCX176 CTlunit - Control Units"),
        ("sort", "SOrt column [ASC|DESC]"), ("refr", "REFresh"), ("exit", "QUIT"),
        ("CTLUNIT.Share", "share - Share %, %"), ("ctlunit I/O", "io - I/O /s, 1/s"),
        ("KEYS", "Keys"), ("keys", "Keys"), ("commands", "Commands, "),
    ],
)  # fmt: skip
def test_help_takes_columns_screens_commands_and_keys(words: str, title: str) -> None:
    """From any screen; a column of the present one by its heading, of others behind their name."""
    assert titles(words)[0].startswith(title)


@pytest.mark.parametrize("command", [each.word for each in COMMANDS])
def test_every_command_is_explained(command: str) -> None:
    """Though a screen is called the same: then both are."""
    found = titles(command, "MENU")
    assert found[0].upper().startswith(command)
    assert (len(found) > 1) == (command in SCREENS.commands)


@pytest.mark.parametrize("screen", SCREENS.commands)
def test_every_screen_is_explained_from_every_screen(screen: str) -> None:
    """Also where a column has its name in the heading."""
    for present in ("MENU", "DEVICE", "SYSSUMLG"):
        assert any(f" {screen} -" in f" {title.upper()}" for title in titles(screen, present))


def test_a_name_that_is_also_the_id_of_a_screen_is_said_once() -> None:
    """Screens of the Toolkit have a number and a command, those of zmon a name."""
    assert titles("UPROC", "MENU")[0].startswith(f"UPROC - {SCREENS.find('UPROC').title}")


def test_a_column_and_a_screen_of_one_name_are_both_explained() -> None:
    """The column first, because it is shorter."""
    found = titles("cpu", "REDISP")
    assert found[0].startswith("cpu - Busiest CPU")
    assert "FCX100 CPU - General CPU Load" in found


def test_keys_are_followed_by_commands_and_screens() -> None:
    """All there is, from one word."""
    said = explain(session(), "KEYS", KEYS)
    assert [part.name for part in said[1:3]] == ["F1", "F3"]
    assert {"SOrt column [ASC|DESC]", "DEVice (13)", "REDisp"} <= {part.name for part in said}


def test_what_is_not_known_is_said_with_what_is() -> None:
    """Choices, what is called much like it, or where a column is: tests/golden/said/help.txt."""
    asked = [
        ("foo", "DEVICE"),
        ("rsp", "DEVICE"),
        ("devcie", "MENU"),
        ("Time", "DEVICE"),
        ("fair", "MENU"),
        ("DEVICE.foo", "MENU"),
    ]
    compare("said/help", refusals(CommandError, lambda one: explain(session(one[1]), one[0], KEYS), asked))


def test_a_cell_that_is_not_there_has_its_reason() -> None:
    """In the row that the cursor is on, or else in the last."""
    said = explain(session("DEVICE"), "links", KEYS, 99)
    assert [part.kind for part in said if part.name == "Not there"] == ["look"]
    last = session("DEVICE").sheet().keys[-1]
    assert any(part.words.startswith(f"{last}: ") for part in said)


@given(st.text())
def test_whatever_is_asked_is_explained_or_refused_with_words(words: str) -> None:
    """And never another exception."""
    to = session("DEVICE")
    said: object = ""
    try:
        said = explain(to, words, KEYS)
    except CommandError as error:
        said = str(error)
    assert said


# as lines


@given(
    st.lists(
        st.builds(HelpPart, st.text(), name=st.text(max_size=40), indent=st.sampled_from([0, 13, 20, 26]))
    ),
    st.integers(40, 120),
)
def test_no_line_reaches_the_edge_and_no_word_is_lost(said: list[HelpPart], width: int) -> None:
    """Whatever the words are."""
    found = list(rows(said, width))
    assert all(len(row.text) < width for row in found)
    words = "".join("".join((part.name + part.words).split()) for part in said)
    assert "".join("".join(row.text.split()) for row in found) == words


def test_an_entry_stands_beside_its_name_if_there_is_room() -> None:
    """Else below it."""
    short, long = HelpPart("what it does", name="F1"), HelpPart("what it does", name="a name that is long")
    assert [(row.text, row.label) for row in rows([short], 40)] == [(" F1          what it does", 13)]
    assert [row.text for row in rows([long], 40)] == [" a name that is long", "    what it does"]


@pytest.fixture
def flash(tmp_path: Path) -> Session:
    """A session with a site file that chooses the limits of flash."""
    site = tmp_path / "site.toml"
    site.write_text('profile = "flash"\n', encoding="utf-8")
    found = session("DEVICE")
    found.timeline.site = str(site)
    return found


def test_help_has_the_limits_that_mark_the_screen(flash: Session) -> None:
    """Those of the profile that the site file chooses; the shipped ones have no rule volume-response."""
    words = [f"{part.name} {part.words}" for part in explain(flash, "resp", KEYS)]
    rule = next(rule for rule in flash.rules if rule.name == "volume-response")
    assert any(f"volume-response: resp is marked * from {rule.look:g} on" in each for each in words)
    assert explain(flash, "volume-response", KEYS)[0].words.startswith("volume-response - ")


def test_a_diagnosis_names_the_rules_that_point_to_its_number() -> None:
    """D4 stands for D4b as well, so that HELP D4b has the rules of D4."""
    rules = {
        id_: next(part.words for part in explain(session(), id_, KEYS) if part.name == "Rules")
        for id_ in ("D4", "D4b")
    }
    assert rules["D4"] == rules["D4b"]
