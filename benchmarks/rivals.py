"""The same screen as zmon's DEVICE, drawn in two other ways, to compare with.

    python -m benchmarks.rivals ansi | datatable | zmon | bare | empty

`ansi` is written by hand for this one screen: it knows no widgets, and sends the lines that are seen with
every key and every sample.  `datatable` puts the same texts into Textual's DataTable, with fixed widths, and
updates each cell that has changed - the kindest way there is.  `bare` fills the tables and draws nothing.
`empty` is a Textual app without anything in it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import select
import sys
import termios
import time
import tty
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from benchmarks.machine import Reel, samples
from zmon.screen.definition import load_screens
from zmon.screen.header import header
from zmon.screen.sheet import text
from zmon.session.session import Session
from zmon.ui.frame import keys_line

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS: Final = 1.0
KEYS: Final = {b"\x1b[A": -1, b"\x1b[B": 1, b"\x1b[5~": -24, b"\x1b[6~": 24}


def reel() -> Reel:
    """Return the tape, kept out of the garbage collector's sight: a real one holds two samples, not all."""
    made = Reel(samples())
    gc.freeze()
    return made


def opened() -> Session:
    """Return a session on DEVICE, in the order of addresses, with a first interval."""
    session = Session(reel(), load_screens(), "DEVICE")
    session.next()
    session.next()
    session.sort("addr")
    return session


def ansi() -> None:
    """Draw by hand."""
    session = opened()
    width, height = os.get_terminal_size()
    place = top = 0
    saved = termios.tcgetattr(0)
    tty.setcbreak(0)
    due = time.monotonic() + SECONDS
    sheet = session.sheet()
    try:
        while True:
            head = [*sheet.headings, sheet.summary or ""]
            room = height - 5 - len(head)
            top = min(max(top, place - room + 1), place)
            interval = session.interval
            assert interval is not None  # noqa: S101 - there is one from the beginning
            lines = [header(sheet.screen, interval, live=True), "", *head]
            for row in range(top, top + room):
                line = sheet.line(row)[:width]
                lines.append(f"\x1b[1;44m>{line[1:]}\x1b[0m" if row == place else line)
            guidance = f" {sheet.screen.guidance}".ljust(width - 20)
            lines += [
                f"{guidance}{place + 1} of {len(sheet):,}",
                " Command ===>",
                keys_line(sheet.screen, width).text,
            ]
            drawn = "\x1b[K\r\n".join(line[:width] if "\x1b" not in line else line for line in lines)
            os.write(1, f"\x1b[H\x1b[32m{drawn}\x1b[K".encode())
            if select.select([0], [], [], max(0.0, due - time.monotonic()))[0]:
                key = os.read(0, 64)
                if key == b"q":
                    return
                place = max(0, min(place + KEYS.get(key, 0), len(sheet) - 1))
            if time.monotonic() >= due:
                due += SECONDS
                session.next()
                sheet = session.sheet()
    finally:
        termios.tcsetattr(0, termios.TCSANOW, saved)


def datatable() -> None:
    """Draw with Textual's DataTable."""
    from textual.app import App, ComposeResult  # noqa: PLC0415 - the others shall not load it
    from textual.widgets import DataTable, Static  # noqa: PLC0415

    class Rival(App[None]):
        CSS = "DataTable { height: 1fr; } Static { height: 1; }"
        ENABLE_COMMAND_PALETTE = False

        def compose(self) -> ComposeResult:
            yield Static("", id="head")
            yield DataTable(cursor_type="row", zebra_stripes=False)
            yield Static("", id="guidance")

        def on_mount(self) -> None:
            self.animation_level = "none"
            self.session = opened()
            self.sheet = self.session.sheet()
            self.table = self.query_one(DataTable)
            for column in self.sheet.screen.columns:
                self.table.add_column(" ".join(column.head), key=column.name, width=column.width)
            values = [self.sheet.table.column(c.name) for c in self.sheet.screen.columns]
            for row, key in enumerate(self.sheet.table.keys):
                cells = zip(self.sheet.screen.columns, values, strict=True)
                self.table.add_row(*(text(c, v[row]) for c, v in cells), key=key)
            self.set_interval(SECONDS, self.renew)

        async def renew(self) -> None:
            before = self.sheet.table
            self.session.next()
            filling = self.session.task()
            self.session.accept(filling, await asyncio.to_thread(filling.table))
            self.sheet = self.session.sheet()
            keys = self.sheet.table.keys
            for column in self.sheet.screen.columns:
                old, new = before.column(column.name), self.sheet.table.column(column.name)
                for row, (was, value) in enumerate(zip(old, new, strict=True)):
                    if was != value:
                        self.table.update_cell(keys[row], column.name, text(column, value))
            interval = self.session.interval
            assert interval is not None  # noqa: S101 - there is one from the beginning
            self.query_one("#head", Static).update(header(self.sheet.screen, interval, live=True))

        def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
            words = f" {event.cursor_row + 1} of {self.table.row_count:,}"
            self.query_one("#guidance", Static).update(words)

    Rival().run()


def zmon() -> None:
    """Draw with zmon's own glass."""
    from zmon.ui.app import run  # noqa: PLC0415 - the others shall not load it

    run(Session(reel(), load_screens()), SECONDS, "DEVICE")


def bare() -> None:
    """Draw nothing, but fill the table each second."""
    session = opened()
    print(f"1 of {len(session.sheet()):,}", flush=True)
    with suppress(StopIteration):
        while session.next() is not None:
            session.sheet()
            time.sleep(SECONDS)


def empty() -> None:
    """Put up nothing, with Textual."""
    from textual.app import App  # noqa: PLC0415 - the others shall not load it

    App[None]().run()


if __name__ == "__main__":
    programs: dict[str, Callable[[], None]] = {
        "ansi": ansi, "datatable": datatable, "zmon": zmon, "bare": bare, "empty": empty,
    }  # fmt: skip
    programs[sys.argv[1]]()
