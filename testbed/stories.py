#!/usr/bin/env python3
"""How soon zmon names what is wrong, in each way of asking it.

    stories.py seconds NAME --words 'LCU 7000 while' --out FILE [--options=...]        live, and recorded
    stories.py seconds NAME --words 'LCU 7600 is' --out FILE --from lab:shark-before   in what exists
    stories.py report FILE...                                                          docs/stories.md

What counts are the seconds from the start of the program to the first picture with a sentence in which the
words of `--words` occur.  The full screen runs in tmux, whose pane is read five times a second.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ZMON: Final = (sys.executable, "-m", "zmon")
PATIENCE: Final = 600.0
"""Seconds after which a way has failed."""
RECORDED: Final = 40
"""Seconds that are recorded."""
STEP: Final = 0.2
SAMPLES: Final = 10
"""Samples that line mode is asked for at most."""
WAYS: Final = {
    "live": "full screen",
    "line": "line mode",
    "diagnose": "zmon diagnose",
    "replay": "recording, full screen",
    "replay-line": "recording, line mode",
    "replay-diagnose": "zmon diagnose --from",
}


class Found(dict[str, Any]):
    """What one way gave: seconds to the first picture and to the words, and the sentence with them."""


def flat(text: str) -> str:
    """Return a text in one line, without the frame and the wraps of the terminal."""
    return " ".join(text.replace("│", " ").split())


def sentence(text: str, words: str) -> str:
    """Return the sentence of a picture in which the words occur; empty if they do not."""
    found = re.search(rf"((?:[^.]|\.(?=\S))*?{words}(?:[^.]|\.(?=\S))*\.)(?=\s|$)", flat(text))
    return found[1].strip() if found else ""


def on_screen(words: str, options: Sequence[str]) -> Found:
    """Open the full screen in tmux and read its pane until the words are there."""
    name = "stories"
    with tempfile.NamedTemporaryFile() as errors:
        start = time.monotonic()
        line = "exec " + shlex.join((*ZMON, *options)) + f" 2>{errors.name}"
        subprocess.run(["tmux", "new-session", "-d", "-s", name, "-x", "132", "-y", "43", line], check=True)
        found, picture = Found(), ""
        while time.monotonic() - start < PATIENCE and "words" not in found:
            time.sleep(STEP)
            pane = _captured("tmux", "capture-pane", "-p", "-t", name)
            if pane.returncode:
                found["error"] = Path(errors.name).read_text()[-500:]
                break
            picture = pane.stdout
            _note(found, picture, words, time.monotonic() - start)
            if "words" in found:
                found["cpu"] = _cpu(
                    int(_captured("tmux", "list-panes", "-t", name, "-F", "#{pane_pid}").stdout)
                )
        subprocess.run(["tmux", "kill-session", "-t", name], check=False, capture_output=True)
    return Found(found, picture=picture)


def _captured(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _cpu(process: int) -> float:
    """Return the seconds of processor time that a process has used."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _note(found: Found, picture: str, words: str, seconds: float) -> None:
    if "OVERVIEW" in picture:
        found.setdefault("picture_after", seconds)
    said = sentence(picture.partition(" OVERVIEW ")[2].partition("\n")[2].replace(">", " "), words)
    if said:
        found["words"], found["sentence"] = seconds, said


def in_lines(words: str, options: Sequence[str]) -> Found:
    """Open line mode, and ask for the next sample until the words are there."""
    start = time.monotonic()
    pipe = subprocess.PIPE
    with subprocess.Popen([*ZMON, "--line", *options], stdin=pipe, stdout=pipe, text=True) as program:
        found, picture = Found(), ""
        for _ in range(SAMPLES):
            picture = _until_prompt(program)
            _note(found, picture, words, time.monotonic() - start)
            found["cpu"] = _cpu(program.pid)
            if "words" in found or not picture:
                break
            program.stdin.write("NEXTSAMP\n")  # type: ignore[union-attr]  # it is a pipe
            program.stdin.flush()  # type: ignore[union-attr]
        program.kill()
    return Found(found, picture=picture)


def _until_prompt(program: subprocess.Popen[str]) -> str:
    picture = ""
    while not picture.endswith("Command ===>"):
        read = program.stdout.read(1)  # type: ignore[union-attr]  # it is a pipe
        if not read:
            break
        picture += read
    return picture


def diagnosed(words: str, options: Sequence[str]) -> Found:
    """Run `zmon diagnose`."""
    start = time.monotonic()
    before = os.times()
    run = _captured(*ZMON, "diagnose", *options)
    used, seconds = os.times(), time.monotonic() - start
    cpu = used.children_user + used.children_system - before.children_user - before.children_system
    found = Found(picture_after=seconds, cpu=cpu, picture=run.stdout, error=run.stderr[-500:])
    said = sentence(re.sub(r"^\d+\. ", "", run.stdout.partition("\n\n")[2]), words)
    if said:
        found["words"], found["sentence"] = found["picture_after"], said
    return found


ASKED: Final[dict[str, Callable[[str, Sequence[str]], Found]]] = {
    "live": on_screen,
    "line": in_lines,
    "diagnose": diagnosed,
}


def measure(words: str, source: str, options: Sequence[str]) -> Iterator[tuple[str, Found]]:
    """Yield what each way gives: live and in a recording made beside it, or in a source that exists."""
    ways = tuple(ASKED.items())
    if not source:
        for way, ask in ways:
            yield way, ask(words, options)
        source = f"/job/out/days-{time.time():.0f}"
        listing = dict(pairwise(options)).get("--listing")
        listed = ("--listing", listing) if listing else ()
        command = [*ZMON, "record", source, "--interval", "2", "--for", f"{RECORDED}s", *listed]
        subprocess.run(command, check=False)
    for way, ask in ways:
        yield "replay" if way == "live" else f"replay-{way}", ask(words, ["--from", source, *options])


TITLE: Final = """# How soon zmon names what is wrong

The seconds from the start of the program until a sentence on the screen names the trouble, by the way of
asking: in the laboratory and in recordings three at most, on QEMU ten, on Hercules two minutes.

It is a page of its own because it is measured elsewhere: one run of each story in `testbed/stories-kvm.sh`
and `testbed/stories-lcu-kvm.sh` (QEMU), `testbed/stories.sh` (Hercules) and `testbed/stories-lab.sh` (the
laboratory, on the host); `testbed/stories.py report` writes it.

The kernels of the emulated machines are real, the loads are fio's. The processors are emulated, on a busy
host with two cores: QEMU translates s390x, Hercules interprets it and is ten times slower. Most of the time
is that of loading Python and zmon there (`import zmon.ui.app`). Rates need a second sample: line mode takes
it after half a second, the full screen after one, zmon diagnose after two.

QEMU has no DASD, so a site file says which virtio disks are on which LCU, and two virtual SCSI adapters
stand for FCP. Hercules measures no channel times (CMF) and has no aliases, so sentences are *likely* or
*possible*. The laboratory simulates all of this.

An empty cell was not measured; "not": nothing named it within ten minutes.
"""
WAYS_SHOWN: Final = "| story | import | " + " | ".join(WAYS.values()) + " |"


def report(files: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of docs/stories.md: the seconds of all stories, then load and sentence of each."""
    stories = [json.loads(path.read_text()) for path in files]
    yield TITLE
    yield WAYS_SHOWN
    yield "| --- |" + " --- |" * (len(WAYS) + 1)
    for story in stories:
        ways = story["ways"]
        seconds = (
            f"{ways[way]['words']:.1f}" if "words" in ways.get(way, ()) else "not" if way in ways else ""
            for way in WAYS
        )
        yield f"| {titled(story['name'])} | {story['start']:.1f} | {' | '.join(seconds)} |"
    yield ""
    for story in stories:
        said = next((found["sentence"] for found in story["ways"].values() if "sentence" in found), "")
        yield f'* **{titled(story["name"])}** ({story["measured"]}). {titled(story["load"])}: "{said}"'


def titled(text: str) -> str:
    """Return a text with a capital at its begin."""
    return f"{text[:1].upper()}{text[1:]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure a story, or write the report; return 1 when a way did not give the words."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tasks = parser.add_subparsers(dest="task", required=True)
    measured = tasks.add_parser("seconds")
    measured.add_argument("name")
    measured.add_argument("--load", default="")
    measured.add_argument("--words", required=True, help="regular expression")
    measured.add_argument("--from", dest="source", default="")
    measured.add_argument("--out", type=Path, required=True)
    measured.add_argument("--options", default="", help="of zmon: --options='--listing FILE'")
    tasks.add_parser("report").add_argument("file", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    if options.task == "report":
        print("\n".join(report(options.file)))
        return 0
    start = time.monotonic()
    _captured(sys.executable, "-c", "import zmon.ui.app")
    story = {
        "name": options.name,
        "load": options.load,
        "measured": time.strftime("%Y-%m-%d", time.gmtime()),
        "start": time.monotonic() - start,
        "ways": {},
    }
    for way, found in measure(options.words, options.source, shlex.split(options.options)):
        story["ways"][way] = found
        print(
            f"{options.name}, {way}: {found.get('words', 'not named')} {found.get('sentence', '')}",
            flush=True,
        )
        options.out.write_text(json.dumps(story, indent=1))
    return 0 if all("words" in found for found in story["ways"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
