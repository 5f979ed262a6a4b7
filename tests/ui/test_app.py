from __future__ import annotations

import asyncio
import io
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from textual.geometry import Region

from zmon.base.absent import absent
from zmon.screen.definition import load_screens
from zmon.screen.sheet import Order
from zmon.session.session import Session
from zmon.tables import filled
from zmon.tables.device import CP_ONLY
from zmon.tables.table import Table
from zmon.ui.app import WorkDone, Zmon
from zmon.ui.grid import Grid
from zmon.ui.history import CommandHistory
from zmon.ui.keys import KeyMap
from zmon.ui.threads import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from textual.pilot import Pilot

    from zmon.machine.view import View
    from zmon.sample import Sample

    Seen = Callable[[Zmon], list[str]]
    Run = Callable[..., None]
    Settle = Callable[[Zmon, Pilot[Any]], Coroutine[Any, Any, None]]


def grid(app: Zmon) -> Grid:
    """Return the list that is shown."""
    assert isinstance(app.glass.pane, Grid)
    return app.glass.pane


def is_choosing(app: Zmon) -> bool:
    """Tell whether the menu of columns is open."""
    return app.glass.choice is not None


def command(app: Zmon) -> str:
    """Return the command of the screen that is shown."""
    return app.glass.session.page.screen.command


def test_channel_leads_to_its_devices_to_the_device_and_back(
    on_terminal: Run, seen: Seen, settle: Settle
) -> None:
    """ENTER goes deeper, F12 comes back to the same place."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("down", "enter", "down", "down", "enter")
        assert any("Device 7009" in line for line in seen(app)[1:4])
        await pilot.press("f12")
        assert any(line.startswith(">7009") for line in seen(app))
        assert "CHPIDs~41  3 of 24" in seen(app)[-3]
        await pilot.press("f12")
        assert any(line.startswith(">41") for line in seen(app))
        await pilot.press("f3")
        assert command(app) == "MENU"

    on_terminal(walk)


def test_control_unit_leads_to_its_devices(on_terminal: Run, seen: Seen) -> None:
    """ENTER on an LCU lists its devices and no others."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"12", "enter", "enter")
        assert command(app) == "DEVICE"
        assert seen(app)[-3].endswith("1 of 12")

    on_terminal(walk)


def test_what_is_typed_comes_in_its_order(on_terminal: Run) -> None:
    """Characters and ENTER typed fast are one command."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"lpar", "enter", *"13", "enter")
        assert command(app) == "DEVICE"

    on_terminal(walk)


def test_sort_where_and_locate(on_terminal: Run, seen: Seen) -> None:
    """Commands change what is shown of a screen."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter")
        await pilot.press(*"sort addr", "enter")
        assert [line[1:5] for line in seen(app) if line.startswith((">70", " 70"))][:2] == ["7000", "7001"]
        await pilot.press(*"where resp<9", "enter")
        assert seen(app)[-3].endswith("Resp<9  1 of 14")
        await pilot.press(*"/pay107", "enter")
        assert any(line.startswith(">7107") for line in seen(app))
        await pilot.press(*"where", "enter")
        assert seen(app)[-3].endswith(" 20 of 24")

    on_terminal(walk)


def test_f9_sorts_on_the_chosen_column(on_terminal: Run) -> None:
    """TAB chooses a column, F9 sorts on it, F9 again turns the order round."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"12", "enter", "tab", "f9")
        first = app.glass.session.page.order
        await pilot.press("f9")
        second = app.glass.session.page.order
        assert first is not None
        assert second is not None
        assert (first.column, first.descending, second.descending) == ("ssid", False, True)

    on_terminal(walk)


def test_a_click_on_a_heading_sorts(on_terminal: Run) -> None:
    """The mouse does what commands do."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter")
        await pilot.click(offset=(34, 4))
        assert app.glass.session.page.order is not None
        assert app.glass.session.page.order.column == "io"

    on_terminal(walk)


def test_a_second_click_goes_deeper_and_a_pf_key_back(on_terminal: Run, seen: Seen) -> None:
    """A click chooses a row, the next one opens it; the line of PF keys can be clicked."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter")
        await pilot.click(offset=(3, 9))
        await pilot.click(offset=(3, 9))
        assert command(app) == "DETAILS"
        await pilot.click(offset=(seen(app)[-1].index("F12"), 23))
        assert command(app) == "DEVICE"

    on_terminal(walk)


def test_a_tiny_terminal_says_so_and_a_larger_one_shows_all_again(on_terminal: Run, seen: Seen) -> None:
    """Resizing to 10x3 and back loses nothing."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter", "down")
        before = seen(app)
        await pilot.resize_terminal(10, 3)
        await pilot.pause()
        assert seen(app) == ["10x3 is", "too small:", "40x9 are"]
        await pilot.press("down", "up", "f11", "f10")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert [line for line in seen(app) if line[:1] == ">"] == [line for line in before if line[:1] == ">"]

    on_terminal(walk)


def test_help_says_why_a_cell_is_not_there(on_terminal: Run, seen: Seen) -> None:
    """F1 on a column gives the reason in the cursor's row."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter", "tab", "tab", "tab", "tab", "f1")
        shown = "\n".join(seen(app))
        assert "links - Mdisk Links" in shown
        assert f"0.0.700b: {CP_ONLY.reason}" in " ".join(shown.split())
        assert ">700B" in shown
        await pilot.press("f12")
        assert "Mdisk Links" not in "\n".join(seen(app))

    on_terminal(walk)


def test_help_on_a_column_has_the_limits_of_the_site(
    tmp_path: Path, session: Session, seen: Seen, settle: Settle
) -> None:
    """F1 says from where on it is marked with the profile that the site file chooses."""
    site = tmp_path / "site.toml"
    site.write_text('profile = "flash"\n', encoding="utf-8")
    session.timeline.site = str(site)
    session.open("DEVICE")
    app = Zmon(session, 1.0)

    async def walk() -> None:
        async with app.run_test(size=(110, 40)) as pilot:
            await settle(app, pilot)
            pane = app.glass.pane
            assert isinstance(pane, Grid)
            while pane.column != "resp":
                await pilot.press("tab")
            await pilot.press("f1")
            assert "volume-response: resp is marked" in "\n".join(seen(app))

    asyncio.run(walk())


def test_the_words_that_one_tries_first(on_terminal: Run, seen: Seen) -> None:
    """`?` lists the keys, HELP explains any screen, a typo is answered in one line, and `q` leaves."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press("question_mark")
        assert " Keys" in seen(app)
        assert app.glass.entry.text == ""
        await pilot.press(*"help", "space", *"device", "enter")
        assert any(line.startswith(" FCX108 DEVice - ") for line in seen(app))
        await pilot.press("f12")
        before = seen(app)
        await pilot.press(*"devcie", "enter")
        changed = [now for then, now in zip(before, seen(app), strict=True) if then != now]
        (answer,) = changed
        assert answer.endswith(": did you mean DEVICE?")
        await pilot.press(*"dev", "enter")
        assert seen(app)[0].startswith(" FCX108")
        await pilot.press(*"q", "enter")
        assert app.glass.ended

    on_terminal(walk)


def test_a_wrong_command_is_answered_until_the_next_key(on_terminal: Run, seen: Seen) -> None:
    """A message takes the place of the guidance, until a key is pressed."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"foo", "enter")
        assert "'foo' is no screen" in "\n".join(seen(app))
        await pilot.press("down")
        assert "'foo'" not in "\n".join(seen(app))
        assert "Select performance screen" in seen(app)[-3]

    on_terminal(walk)


@pytest.mark.parametrize(
    ("keys", "there"),
    [
        (["less_than_sign"], "12:01:00 - 12:02:00"),
        (["less_than_sign", "less_than_sign", "greater_than_sign"], "12:01:00 - 12:02:00"),
        (["shift+left"], "12:01:00 - 12:02:00"),
        (["ctrl+left", "ctrl+right"], "12:02:00 - 12:03:00"),
        (["shift+home"], "--:--:-- - 12:00:00"),
        (["shift+home", "shift+end"], "12:02:00 - 12:03:00"),
        (["left_square_bracket"], "12:00:00 - 12:01:00"),
        (["shift+home", "right_square_bracket"], "12:00:00 - 12:01:00"),
    ],
)
def test_keys_lead_along_a_recording(
    keys: list[str], there: str, on_terminal: Run, seen: Seen, settle: Settle
) -> None:
    """Each by its own; what they read is read beside the glass."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter")
        for key in keys:
            await pilot.press(key)
            await settle(app, pilot)
        assert there in seen(app)[0]

    on_terminal(walk)


@pytest.mark.parametrize(
    ("keys", "speeds"),
    [(["space", "space"], [1, 0]), (["plus", "plus"], [1, 2]), (["minus", "plus"], [-1, 1])],
)
def test_keys_play_and_pause(keys: list[str], speeds: list[int], on_terminal: Run, settle: Settle) -> None:
    """As long as the command line is empty; from where there is something to play on both sides."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        for key in ("shift+home", "greater_than_sign"):
            await pilot.press(key)
            await settle(app, pilot)
        found = []
        for key in keys:
            await pilot.press(key)
            found.append(app.glass.playback.state.speed)
        assert found == speeds

    on_terminal(walk)


def test_f2_shows_the_last_samples_by_time(on_terminal: Run, seen: Seen, settle: Settle) -> None:
    """The samples before are read beside the glass."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await settle(app, pilot)
        await pilot.press("f2")
        await settle(app, pilot)
        assert command(app) == "REDISP"
        assert "12:02:00" in "\n".join(seen(app)[3:])

    on_terminal(walk)


@pytest.mark.parametrize("sign", ["<", ">", "[", "]", "+", "-", " "])
def test_in_a_command_signs_are_characters(sign: str, on_terminal: Run) -> None:
    """WHERE needs some of them."""
    names = {
        "<": "less_than_sign", ">": "greater_than_sign", "[": "left_square_bracket",
        "]": "right_square_bracket", "+": "plus", "-": "minus", " ": "space",
    }  # fmt: skip

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press("w", names[sign], "x")
        assert app.glass.entry.text == f"w{sign}x"

    on_terminal(walk)


def test_behind_the_last_sample_there_is_nothing(on_terminal: Run, seen: Seen, settle: Settle) -> None:
    """It is said, and how to go back."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter", "greater_than_sign")
        await settle(app, pilot)
        assert "the last sample" in seen(app)[-3]

    on_terminal(walk)


def test_a_tape_plays_by_itself(
    make_timeline: Callable[..., Any], make_sample: Callable[..., Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At x600 ten hours pass in a minute; the clock of this test is faster still."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    session = Session(make_timeline([make_sample(minute) for minute in range(60)]), load_screens())
    session.begin()
    app = Zmon(session, 1.0, "DEVICE")
    begin = time.monotonic()
    app.glass.playback.clock = lambda: begin + 100 * (time.monotonic() - begin)
    last = session.span[1] if session.span else 0

    async def walk() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            app.glass.type("PLAY 600")
            await pilot.press("enter")
            for _ in range(1000):
                await pilot.pause(0.01)
                if not app.glass.playback.state.playing:
                    break
            assert session.utc == last

    asyncio.run(walk())


@pytest.mark.usefixtures("utc")
def test_the_past_of_a_live_machine_is_seen_while_it_goes_on(
    make_timeline: Callable[..., Any],
    make_sample: Callable[..., Sample],
    settle: Settle,
    seen: Seen,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`<` leads back, what is sampled meanwhile is not seen, and NOW leads to it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    kept = make_timeline([make_sample(minute) for minute in range(4)])
    app = Zmon(Session(make_timeline([], live=True, kept=kept), load_screens()), 86_400.0, "DEVICE")

    async def walk() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            for minute in range(4):
                app.post_message(WorkDone(Result(sample=make_sample(minute))))
                await settled(app, pilot, f"12:0{minute}:00")
            await pilot.press("less_than_sign")
            await settle(app, pilot)
            assert "12:01:00 - 12:02:00" in seen(app)[0]
            app.post_message(WorkDone(Result(sample=make_sample(4))))
            await settle(app, pilot)
            assert "12:01:00 - 12:02:00" in seen(app)[0]
            await pilot.press(*"now", "enter")
            await settled(app, pilot, "12:03:00 - 12:04:00", "Perf. Monitor")

    asyncio.run(walk())


def test_a_reading_that_hangs_holds_up_no_key(
    make_timeline: Callable[..., Any], make_sample: Callable[..., Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen can be left while a sample is read."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    never = threading.Event()
    tape = make_timeline([make_sample(minute) for minute in range(3)])
    session = Session(tape, load_screens())
    session.end()

    def hangs(_position: object) -> None:
        never.wait()

    monkeypatch.setattr(tape, "previous", hangs)
    app = Zmon(session, 1.0, "DEVICE")

    async def walk() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("less_than_sign", "down", "f12")
            assert command(app) == "OVERVIEW"
            await pilot.press("ctrl+q")

    asyncio.run(walk())
    assert app.reading.is_alive()
    monkeypatch.undo()
    never.set()
    app.reading.stop()
    app.reading.join(10.0)


def test_a_failing_table_is_said_and_the_rest_goes_on(
    on_terminal: Run, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A screen that cannot be filled says so; one returns from it as from any other."""
    fill = filled.fill

    def broken(name: str, of: View) -> Table:
        if name == "lpar":
            raise ZeroDivisionError("division by zero")
        return fill(name, of)

    monkeypatch.setattr("zmon.session.page.fill", broken)

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"lpar", "enter")
        assert "LPAR cannot be shown: ZeroDivisionError" in seen(app)[2]
        await pilot.press("f12")
        assert command(app) == "MENU"

    on_terminal(walk)


def test_an_empty_list_says_why(on_terminal: Run, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason for an empty table stands below the headings."""
    empty = Table([], {}, missing=absent("needs an LPAR"))
    monkeypatch.setattr("zmon.session.page.fill", lambda _name, _view: empty)

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter")
        assert "needs an LPAR" in "\n".join(seen(app))

    on_terminal(walk)


def test_a_screen_is_printed_with_all_its_rows(on_terminal: Run, tmp_path: Path) -> None:
    """PRINT writes what the glass shows, and the rows below it; it overwrites nothing."""
    file = tmp_path / "device.txt"

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter")
        app.glass.type(f"PRINT {file}")
        await pilot.press("enter")
        assert len([line for line in file.read_text().splitlines() if line.startswith(" 7")]) == 24
        app.glass.type(f"PRINT {file}")
        await pilot.press("enter")
        assert "already exists" in " ".join(line.text.strip() for line in app.glass.lines())

    on_terminal(walk)


def test_only_changed_lines_are_painted(on_terminal: Run) -> None:
    """A step of the cursor paints the two rows and the line with the position; nothing changed is nothing."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter")
        app.glass.press("down")
        assert app.painter.show(app.glass.lines()) == 3
        assert app.painter.show(app.glass.lines()) == 0

    on_terminal(walk)


@pytest.fixture
def live(make_timeline: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Zmon:
    """Return the program on a live tape that has nothing to tell by itself."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    return Zmon(Session(make_timeline([], live=True), load_screens()), 86_400.0, "DEVICE")


async def settled(app: Zmon, pilot: Pilot[Any], *words: str) -> str:
    """Wait until these words are on the glass; return all of it."""
    for _ in range(200):
        await pilot.pause()
        shown = "\n".join(line.text for line in app.glass.lines())
        if all(word in shown for word in words):
            return shown
    raise AssertionError(f"{words} did not come; there is\n{shown}")


@pytest.mark.usefixtures("utc")
def test_live_samples_appear(live: Zmon, make_sample: Callable[..., Sample]) -> None:
    """The glass stands before the first sample, then shows each as it comes."""

    async def walk() -> None:
        async with live.run_test(size=(80, 24)) as pilot:
            await settled(live, pilot, "Waiting for ")
            for minute in range(3):
                live.post_message(WorkDone(Result(sample=make_sample(minute))))
                await settled(live, pilot, "FCX108", f"12:0{minute}:00")

    asyncio.run(walk())


def test_tab_completes_a_command_and_lists_candidates(on_terminal: Run, seen: Seen) -> None:
    """TAB again goes through them, ESC takes the list away and leaves the word; then ESC deletes the word."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"dev", "tab")
        assert app.glass.entry.text == "DEV"
        assert "DEVICE" in seen(app)[-3]
        await pilot.press("tab", "tab")
        assert app.glass.entry.text == "DEVLOG"
        await pilot.press("shift+tab")
        assert app.glass.entry.text == "DEVICE"
        await pilot.press("escape")
        assert (app.glass.entry.text, "DEVLOG" in seen(app)[-3]) == ("DEVICE", False)
        await pilot.press("space", *"pay10", "tab")
        assert "PAY100" in seen(app)[-4]
        await pilot.press("tab", "enter")
        assert "PAY100" in "\n".join(seen(app))
        assert app.glass.session.page.argument == "PAY100"
        await pilot.press(*"xyz", "tab")
        assert "begins with 'xyz'" in seen(app)[-3]
        await pilot.press("escape")
        assert app.glass.entry.text == ""

    on_terminal(walk)


def test_tab_still_goes_to_the_next_column_while_nothing_is_typed(on_terminal: Run) -> None:
    """Completion is for the command line alone."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter", "tab")
        assert grid(app).column == "addr"

    on_terminal(walk)


def test_a_text_is_looked_for_while_it_is_typed(on_terminal: Run, seen: Seen) -> None:
    """The row with it has the cursor; ESC goes back, ENTER stays; Ctrl+N and Ctrl+B go on and back."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter", "down")
        before = grid(app).place
        await pilot.press(*"/0100")
        assert grid(app).first > 1
        await pilot.press("escape")
        assert (grid(app).place, grid(app).first) == (before, 1)
        await pilot.press(*"/pay1")
        row = grid(app).place
        assert grid(app).sheet.keys[row] == "0.0.7100"
        line = grid(app).row(row)
        assert [line.text[p.start : p.end] for p in line.parts if p.kind == "cell"] == ["PAY1"]
        await pilot.press(*"03")
        assert grid(app).sheet.keys[grid(app).place] == "0.0.7103"
        await pilot.press("backspace", "backspace")
        assert grid(app).place == row
        await pilot.press("z")
        assert "'pay1z'" in seen(app)[-3]
        await pilot.press("escape")
        assert (grid(app).place, grid(app).sought) == (before, "")
        await pilot.press(*"/pay1", "enter")
        assert (grid(app).place, grid(app).sought) == (row, "")
        await pilot.press("ctrl+n", "ctrl+n")
        assert grid(app).place == row + 2
        await pilot.press("ctrl+b")
        assert grid(app).place == row + 1

    on_terminal(walk)


def test_the_sort_menu_lists_the_columns(on_terminal: Run, seen: Seen) -> None:
    """F9 opens it where no column was chosen, on the one that the list is sorted on; ENTER sorts."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"13", "enter", "f9")
        text = seen(app)
        assert text[0].startswith(" SORT")
        assert text[3 if "Sort DEVICE on" in text[3] else 2].strip() == "Sort DEVICE on"
        assert any(line.startswith(" >resp") and "now descending" in line for line in text)
        await pilot.press("f12")
        assert not is_choosing(app)
        await pilot.press("ctrl+o", "home", "enter")
        assert app.glass.session.page.order == Order("addr", descending=False)
        await pilot.press("f9", "enter")
        assert app.glass.session.page.order == Order("addr", descending=True)
        await pilot.press("f9", *"sort io", "enter")
        assert app.glass.session.page.order == Order("io", descending=True)
        assert not is_choosing(app)
        await pilot.press("f9")
        place = next(number for number, line in enumerate(seen(app)) if line.startswith("  pend "))
        await pilot.click(offset=(30, place))
        assert app.glass.session.page.order == Order("pend", descending=True)
        await pilot.press("f4", "f9")
        assert "MENU has no rows" in seen(app)[-3]

    on_terminal(walk)


def test_the_arrows_bring_back_commands_of_this_and_earlier_runs(session: Session, tmp_path: Path) -> None:
    """While a command is typed; with an empty command line they move the cursor."""
    file = tmp_path / "history"
    file.write_text("LPAR\nCHANNEL\n")
    app = Zmon(session, 1.0, history=CommandHistory(str(file)))

    async def walk() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("x", "up")
            assert app.glass.entry.text == "CHANNEL"
            await pilot.press("up", "up")
            assert app.glass.entry.text == "LPAR"
            await pilot.press("down", "down")
            assert app.glass.entry.text == "x"
            await pilot.press("escape", *"device", "enter", "f6")
            assert app.glass.entry.text == "device"

    asyncio.run(walk())
    assert file.read_text() == "LPAR\nCHANNEL\ndevice\n"


@pytest.mark.parametrize("name", ["vi", "less"])
def test_letters_move_in_the_maps_that_have_them(session: Session, name: str) -> None:
    """A colon opens the command line, where they are typed; digits begin a command as ever."""
    app = Zmon(session, 1.0, keymap=KeyMap(name))

    async def walk() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(*"13", "enter", "j", "j", "k")
            assert grid(app).place == 1
            await pilot.press("G")
            assert grid(app).place == len(grid(app).sheet) - 1
            await pilot.press("g")
            assert grid(app).place == 0
            await pilot.press("slash", *"pay1", "enter", "n", "N", "n")
            assert grid(app).sheet.keys[grid(app).place] == "0.0.7101"
            await pilot.press("s")
            assert is_choosing(app)
            await pilot.press("j", "j", "k")
            assert (app.glass.choice and app.glass.choice.command) == "SORT cuwt"
            await pilot.press("escape")
            assert not is_choosing(app)
            await pilot.press("colon", "backspace", "colon", *"sort", "space", *"io", "enter")
            assert app.glass.session.page.order == Order("io", descending=True)
            await pilot.press("colon", "enter")
            assert app.glass.session.page.screen.command == "DEVICE"

    asyncio.run(walk())


@pytest.mark.usefixtures("utc")
def test_own_keys_take_the_place_of_the_shipped_ones(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user's keys.toml binds functions anew, and help says so."""
    (tmp_path / "zmon").mkdir()
    (tmp_path / "zmon" / "keys.toml").write_text('help = "ctrl+g"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    app = Zmon(session, 1.0)

    async def walk() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("f1")
            assert "FCX124 MENU" not in "\n".join(line.text for line in app.glass.lines())
            await pilot.press("ctrl+g", "ctrl+g")
            assert " Ctrl+G " in "\n".join(line.text for line in app.glass.lines())

    asyncio.run(walk())


@pytest.mark.parametrize(("theme", "alarm"), [("3270", "#ff5050"), ("ansi-dark", "color(9)")])
def test_limits_are_red_in_every_theme(
    theme: str, alarm: str, session: Session, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A 3270 has colours of its own; other themes use those of the terminal."""
    monkeypatch.setenv("ZMON_THEME", theme)
    app = Zmon(session, 1.0, "CTLUNIT")

    async def walk() -> None:
        async with app.run_test(size=(132, 43)) as pilot:
            await settle(app, pilot)
            strips = app.painter.render_lines(Region(0, 0, 132, 43))
            marked = next(s for strip in strips for s in strip if "26.0!" in s.text)
            assert marked.style is not None
            assert marked.style.color is not None
            assert marked.style.color.name == alarm

    asyncio.run(walk())


@pytest.mark.usefixtures("utc")
def test_an_unknown_theme_is_told(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """With those that there are."""
    monkeypatch.setenv("ZMON_THEME", "beige")
    app = Zmon(session, 1.0)
    shown = "\n".join(line.text for line in app.glass.lines())
    assert "'beige'; zmon's own are 3270, light, " in shown


@pytest.mark.parametrize(("named", "found"), [("light", "textual-light"), ("contrast", "contrast")])
def test_a_theme_on_the_command_line_is_stronger_than_that_of_the_environment(
    named: str, found: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The latter is for all of a terminal."""
    monkeypatch.setenv("ZMON_THEME", "dark")
    assert Zmon(session, 1.0).theme == "textual-dark"
    assert Zmon(session, 1.0, theme=named).theme == found


@pytest.mark.parametrize(("locale", "plain", "chart"), [("C", True, "ascii"), ("C.UTF-8", False, "blocks")])
def test_the_locale_says_what_is_drawn_with(
    locale: str, plain: bool, chart: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time line and charts have only what it has."""
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("sys.__stdout__", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    glass = Zmon(session, 1.0).glass
    assert (glass.plain, glass.chart) == (plain, chart)


@pytest.mark.usefixtures("utc")
def test_no_color_means_no_color(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR the terminal's own two colours are left, and marks and intensities still tell."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = Zmon(session, 1.0, "DEVICE")

    async def walk() -> None:
        async with app.run_test(size=(80, 24)):
            styles = [s.style for strip in app.painter.render_lines(Region(0, 0, 80, 24)) for s in strip]
            colors = {str(color.name) for s in styles if s for color in (s.color, s.bgcolor) if color}
            assert colors == {"default"}
            assert any(s.bold for s in styles if s)

    asyncio.run(walk())


def test_a_hanging_read_does_not_keep_the_program(
    make_timeline: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quitting does not wait for a kernel file that never answers."""
    never = threading.Event()
    tape = make_timeline([], live=True)
    monkeypatch.setattr(tape, "take", never.wait)
    app = Zmon(Session(tape, load_screens()), 1.0)

    async def walk() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("ctrl+q")

    asyncio.run(walk())

    assert app.return_code == 0
    assert app.sampling is not None
    assert app.sampling.is_alive()

    never.set()
    app.sampling.join(10.0)


def test_a_wide_terminal_has_bars_and_curves(on_terminal: Run, seen: Seen, settle: Settle) -> None:
    """They come with the first screen or a moment later; ENTER typed meanwhile goes deeper; none on 80x24."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press(*"12", "enter", "enter")
        await settle(app, pilot)
        assert command(app) == "DEVICE"
        assert any("Recent Resp" in line for line in seen(app))
        await pilot.press("f12")
        await settle(app, pilot)
        assert any("Share      Recent Resp" in line for line in seen(app))
        await pilot.resize_terminal(80, 24)
        await settle(app, pilot)
        assert not any("Recent Resp" in line for line in seen(app))
        await pilot.resize_terminal(200, 50)
        await settle(app, pilot)
        assert any("Recent Resp" in line for line in seen(app))

    on_terminal(walk, size=(200, 50))
