from __future__ import annotations

from zmon.ui.command_line import CommandLine


def typed(words: str) -> CommandLine:
    """Return a command line into which words were typed."""
    entry = CommandLine()
    entry.type(words)
    return entry


def test_characters_go_in_at_the_caret() -> None:
    """What is typed stands where the caret is."""
    entry = typed("DVICE")
    entry.move(-4)
    entry.type("E")

    assert (entry.text, entry.caret) == ("DEVICE", 2)


def test_erasing_takes_the_character_before() -> None:
    """Backspace deletes to the left, and nothing at the begin."""
    entry = typed("AB")
    entry.erase()
    entry.move(-9)
    entry.erase()

    assert entry.text == "A"


def test_a_word_is_erased_with_the_blanks_behind_it() -> None:
    """Ctrl+W takes the last word."""
    entry = typed("SORT resp ")
    entry.erase_word()

    assert entry.text == "SORT "


def test_a_command_is_taken_once() -> None:
    """Taking the command empties the line."""
    entry = typed(" DEVICE ")

    assert (entry.take(), entry.text) == ("DEVICE", "")


def test_commands_come_back_newest_first() -> None:
    """Retrieve goes back through what was given, and round again."""
    entry = CommandLine()
    for line in ("DEVICE", "LPAR"):
        entry.type(line)
        entry.take()
    found = []
    for _ in range(3):
        entry.retrieve()
        found.append(entry.text)

    assert found == ["LPAR", "DEVICE", "LPAR"]


def test_nothing_comes_back_before_the_first_command() -> None:
    """Without a command there is nothing to retrieve."""
    assert not CommandLine().retrieve()


def test_a_long_command_is_seen_at_its_caret() -> None:
    """Of a command that is too long the part before the caret is seen."""
    assert typed("0123456789").seen(5) == ("6789", 4)
