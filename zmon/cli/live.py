"""The screens, live or of a recording: full screen, or line by line where the cursor cannot be addressed."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from zmon.cli.inputs import inputs_and_files
from zmon.cli.output import LINE_TERMINALS, WHOLE, complain, misused, opening, progress
from zmon.cli.settings import SettingsError, own_keys_of
from zmon.cli.source_options import open_source, seek, source_instead
from zmon.cli.subcommands import SUBCOMMANDS, command_instead, misspelt
from zmon.kernel.tree import LiveTree, lacking
from zmon.recorder.lock import own_directory, recorder_here
from zmon.screen.definition import NoScreen, ScreenError, load_screens
from zmon.session.session import Session
from zmon.session.when import WhenError

if TYPE_CHECKING:
    from zmon.screen.definition import Screens


def run(args: argparse.Namespace) -> int:
    """Open the screens and stay until the user leaves; returns the exit status."""
    try:
        if (status := closed_stream()) is not None:
            return status
        if args.replay and args.source is None:
            recorder = recorder_here(os.environ)
            args.source = recorder.directory if recorder is not None else own_directory(os.environ)
        _check(args)
        args.cp = args.cp and not args.read_only
        screens = load_screens(whole=False)
        screens.check_own()
        if args.command:
            _check_screen(screens, args.command[0])
        if not is_line_mode(args) and not is_terminal():
            return complain("the screens need a terminal; print one with zmon show, or use --line")
        with progress(opening(args.source)):
            session = opened(screens, args)
            load_surface(args)
        return show_screens(args, session, " ".join(args.command) or "OVERVIEW")
    except NoScreen:
        more = "; zmon --help lists the subcommands, zmon show MENU the screens"
        word = args.command[0]
        instead = "" if word in SUBCOMMANDS else source_instead([word]) or command_instead(word, args.source)
        return misused(instead or misspelt(word, screens.commands, unsure=more))
    except (ScreenError, WhenError, argparse.ArgumentTypeError) as error:
        return misused(str(error))
    except ValueError as error:
        return complain(str(error))


def closed_stream() -> int | None:
    """Complain if standard input or output is closed; returns the exit status then."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if stream is None:
            return complain(f"standard {name} is closed")
    return None


def is_line_mode(args: argparse.Namespace) -> bool:
    """Tell whether the screens are to be shown line by line."""
    return args.line or (not is_in_browser() and os.environ.get("TERM", "") in LINE_TERMINALS)


def is_terminal() -> bool:
    """Tell whether a person sits before the screens."""
    return is_in_browser() or (sys.stdin.isatty() and sys.stdout.isatty())


def is_in_browser() -> bool:
    """Tell whether the screens go to a browser, which textual-serve says by the driver for Textual."""
    return bool(os.environ.get("TEXTUAL_DRIVER"))


def load_surface(args: argparse.Namespace) -> None:
    """Load the modules of the surface, which takes a while; Textual comes after the first pictures."""
    if is_line_mode(args):
        import zmon.cli.line  # noqa: PLC0415 - the other surface is not needed
    else:
        import zmon.ui.opening  # noqa: F401, PLC0415 - line mode has no glass


def show_screens(args: argparse.Namespace, session: Session, first: str) -> int:
    """Show the screens until the user leaves, and close the source; returns the exit status."""
    seconds = getattr(args, "interval", 2.0)
    session.drawn = {form: partial(_drawn, session, form) for form in WHOLE}
    try:
        if is_line_mode(args):
            from zmon.cli.line import run_line_mode  # noqa: PLC0415 - the other surface is not needed

            return run_line_mode(session, first, sys.stdin, sys.stdout, seconds=seconds)
        return _full_screen(args, session, first, seconds)
    finally:
        session.timeline.close()


def _drawn(session: Session, form: str) -> str:
    from zmon.ui import web_page  # noqa: PLC0415 - loads Textual

    return web_page.page_in(form, session)


def _full_screen(args: argparse.Namespace, session: Session, first: str, seconds: float) -> int:
    from zmon.ui.history import CommandHistory, history_file  # noqa: PLC0415 - line mode has no glass
    from zmon.ui.keys import KeyMap, KeysError  # noqa: PLC0415 - likewise
    from zmon.ui.opening import first_pictures  # noqa: PLC0415 - likewise

    try:
        keymap = KeyMap(args.keys, own_keys_of(os.environ))
    except (KeysError, SettingsError) as error:
        return misused(str(error))
    history = CommandHistory("" if session.read_only else history_file(os.environ))
    pictures = first_pictures(session, first, keymap, history)
    with nullcontext() if is_in_browser() else pictures as early:
        from zmon.ui import app  # noqa: PLC0415 - line mode needs no textual

        return app.run(session, seconds, first, args.theme, keymap=keymap, history=history, early=early)


def is_recorded(session: Session) -> bool:
    """Tell whether a recording is looked at."""
    span = None if session.live else session.timeline.span()
    return span is not None and bool(session.timeline.recordings(*span))


def _check(args: argparse.Namespace) -> None:
    """See that the options fit one another.

    Raises:
        ArgumentTypeError: they do not.
    """
    if args.record and args.source:
        raise argparse.ArgumentTypeError(
            "--record records this machine; what --from names is recorded already: zmon cut copies it"
        )
    if args.read_only and args.record:
        raise argparse.ArgumentTypeError("--read-only writes nothing: leave out --record")
    if "-" in (*args.cp_file, *args.listing):
        raise argparse.ArgumentTypeError("- is standard input, where commands come from: name a file")
    if args.at and not args.source:
        raise argparse.ArgumentTypeError("--at is a time in a recording: name one with --from")


def _check_screen(screens: Screens, word: str) -> None:
    """See that a word is a screen and no part of a subcommand: `diagnos` is no short form of DIAGNOSE.

    Raises:
        NoScreen, ScreenError, ArgumentTypeError: it is not.
    """
    meant = screens.find(word).command.lower()
    if meant in SUBCOMMANDS and word.islower() and word != meant:
        raise argparse.ArgumentTypeError(f"{word!r} is no subcommand: did you mean {meant}?")


def opened(screens: Screens, args: argparse.Namespace) -> Session:
    """Return the session at the end of the source or where `--at` says."""
    inputs, containers = inputs_and_files(args)
    timeline = open_source(args, follow=not is_line_mode(args), keep=True, containers=containers)
    try:
        session = Session(timeline, screens, inputs=inputs)
        session.read_only = args.read_only
        if args.at:
            session.message = seek(session, args.at) or session.cursor.onset()
        elif is_line_mode(args):
            session.end()
            if is_recorded(session):
                session.log.complete()
                session.seek_worst()
        else:
            if not timeline.previews:  # else the glass has it made, and answers keys meanwhile
                session.preview()
            if is_recorded(session) and session.log.is_stored():
                session.seek_worst()
            else:
                session.opens_at_worst = is_recorded(session)
            if session.live:
                session.message = lacking(LiveTree())  # the terminal is not seen that has the warning
    except BaseException:
        timeline.close()
        raise
    return session
