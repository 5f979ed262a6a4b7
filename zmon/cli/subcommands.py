"""The subcommands: what each is called, its help, its options and the types of their values.

The module of a subcommand is loaded only to run it.
"""

from __future__ import annotations

import math
import re

from zmon.base.clock import SECOND
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.cli.output import OK, WHOLE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from zmon.sample import Kind

RECORD_SECONDS: Final = 1.0
"""Default interval of the recorder: it shows a stall of two seconds.  What was not sampled is lost; the
forecast of `--dry-run` shows what a longer interval saves."""
MIN_KEY_BYTES: Final = 16
"""Bytes of the shortest secret that `zmon cut --key` accepts."""
MIN_SECONDS: Final = 0.1
MAX_SECONDS: Final = 86_400.0
"""Bounds of an interval between samples."""

KEY_MAPS: Final = ("fcon", "vi", "less")
"""The maps of keys in `zmon.ui.keys`."""

METRICS_PORT: Final = 10_390
"""Where metrics are served; 9100 to 9999, where exporters usually listen, is full."""
METRICS_SECONDS: Final = 10.0
"""Default interval between samples of metrics: monitors ask every 15 seconds or less often."""
MAX_SOCKET_PATH: Final = 107
"""Bytes of the path of a Unix socket, unix(7)."""

LISTING_HELP: Final = """\
LISTING describes the tablespaces of a database; zmon recognises the format:
  Db2                  db2look -l, LIST TABLESPACE CONTAINERS,
                       MON_GET_CONTAINER, db2pd
  Oracle               DBA_DATA_FILES and its like, DDL, ASM disks
  PostgreSQL, MariaDB  the server: postgresql://HOST/DATABASE,
                       mariadb://USER@HOST; its data directory; catalogues
  any                  CSV with tablespace,path
- is standard input.  A password belongs in ~/.pgpass, PGPASSWORD, ~/.my.cnf
or MYSQL_PWD, because everybody can see a command line.
"""
"""What a listing is, for the help of a subcommand."""

TIMES: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
SIZES: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


# types


def _wrong(message: str) -> argparse.ArgumentTypeError:
    """Return the error about a value, which argparse prints."""
    from argparse import ArgumentTypeError  # noqa: PLC0415 - most values are right

    return ArgumentTypeError(message)


def seconds(text: str) -> float:
    """Read an interval in seconds."""
    value = _number(text)
    if not MIN_SECONDS <= value <= MAX_SECONDS:
        raise _wrong(f"{text!r} is no interval: write seconds from {MIN_SECONDS:g} to {MAX_SECONDS:g}")
    return value


def theme(text: str) -> str:
    """Read the name of a theme."""
    from zmon.ui.theme_names import unknown_theme  # noqa: PLC0415 - most command lines name none

    if text and (problem := unknown_theme(text)):
        raise _wrong(problem)
    return text


def pause(text: str) -> float:
    """Read the seconds between two passes of a capture, which may be none."""
    value = _number(text)
    if not 0 <= value <= 86400:
        raise _wrong(f"{text!r} is no number of seconds from 0 to 86400")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


MAX_NUMBER: Final = 1_000_000_000
"""The largest number of things."""


def at_least_zero(text: str) -> float:
    """Read a rate."""
    value = _number(text)
    if not 0 <= value <= MAX_NUMBER:
        raise _wrong(f"{text[:40]!r} is no number from 0 to {MAX_NUMBER:,}")
    return value


def more_than_zero(text: str) -> float:
    """Read a rate or a penalty, which is not zero."""
    value = at_least_zero(text)
    if value < 0.001:
        raise _wrong(f"{text[:40]!r} is less than 0.001")
    return value


def share(text: str) -> float:
    """Read a percentage."""
    value = _number(text)
    if not 0 <= value <= 100:
        raise _wrong(f"{text[:40]!r} is no percentage from 0 to 100")
    return value


def positive(text: str) -> int:
    """Read a number of things, at least one."""
    if not text.isdecimal() or not text.strip("0"):
        raise _wrong(f"{text!r} is no number of 1 or more")
    if len(text) > 10 or int(text) > MAX_NUMBER:
        raise _wrong(f"{text[:40]!r} is more than {MAX_NUMBER:,}")
    return int(text)


def passes(text: str) -> int:
    """Read the number of passes of a capture."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 9999 and len(text) < 9):
        raise _wrong(f"{text!r} is no number from 1 to 9999")
    return int(text)


def seeds(text: str) -> range:
    """Convert an argument to a range of seeds: `1-200`."""
    match = re.fullmatch(r"(\d{1,9})-(\d{1,9})", text, re.ASCII)
    if match is None or int(match[1]) > int(match[2]):
        raise _wrong(f"{text!r} is no range of seeds: 1-200")
    return range(int(match[1]), int(match[2]) + 1)


def partitions(text: str) -> tuple[int, ...]:
    """Read numbers of Db2's partitions: `0-3,8`."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or len(part) > 9:
            raise _wrong(f"{text!r} are no numbers of partitions: write 0-3,8")
        low, high = int(first), int(last or first)
        if not low <= high <= 999:
            raise _wrong(f"{part!r} is no range of partitions, which have numbers to 999")
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def length(text: str) -> int:
    """Read a length of time such as `10m`; returns ns."""
    return round(_amount(text, TIMES, "a length of time: write 90s, 10m, 12h, 30d or 4w") * SECOND)


def size(text: str) -> int:
    """Read a number of bytes such as `2G`."""
    return round(_amount(text.upper().removesuffix("B").removesuffix("I"), SIZES, "a size: write 500M or 2G"))


def _amount(text: str, units: dict[str, int], wanted: str) -> float:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([A-Za-z])", text, re.ASCII)
    if match is None or match[2] not in units or not float(match[1]):
        raise _wrong(f"{text!r} is not {wanted}")
    return float(match[1]) * units[match[2]]


def textfile(text: str) -> str:
    """Read the name of a file for node_exporter, which reads no others."""
    if not text.endswith(".prom"):
        raise _wrong(f"{text!r} does not end in .prom: node_exporter would not read it")
    return text


def listening_address(text: str) -> str:
    """Read an address to listen on: `127.0.0.1:PORT`, `[::1]:PORT`, `localhost:PORT`, `unix:PATH`."""
    if text.startswith("unix:"):
        if not 0 < len(text.encode()) - 5 <= MAX_SOCKET_PATH:
            raise _wrong(f"{text[:60]!r}: a Unix socket has a path of 1 to {MAX_SOCKET_PATH} bytes")
        return text
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65_536):
        raise _wrong(f"{text[:60]!r} is no address: write 127.0.0.1:{METRICS_PORT} or unix:/run/zmon.sock")
    if host not in {"localhost", "[::1]"} and not re.fullmatch(r"127(\.\d{1,3}){3}", host, re.ASCII):
        raise _wrong(
            f"{host[:60]!r} is not this machine: metrics are served on 127.0.0.1, [::1] or a Unix socket; "
            "access from elsewhere belongs to a proxy that knows who asks"
        )
    return text


def label(text: str) -> tuple[str, str]:
    """Read a label of metrics: `instance=LNX01`."""
    name, sign, value = text.partition("=")
    if not (sign and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,60}", name, re.ASCII)) or len(value) > 200:
        raise _wrong(f"{text[:60]!r} is no label: write instance=LNX01")
    return name, value


def kinds(text: str) -> list[Kind]:
    """Read names of kinds, separated by commas."""
    from zmon.kinds import KINDS  # noqa: PLC0415 - other commands start without the list of all fields

    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise _wrong(f"{unknown[0]!r} is none of {', '.join(KINDS)}")
    return [KINDS[name] for name in names]


def archive(text: str) -> str:
    """Read the name of a capture that will be written."""
    if not text.endswith((".tar.gz", ".tgz")):
        raise _wrong(f"{text!r} does not end in .tar.gz, which is what will be written")
    return text


def source(text: str) -> str:
    """Read the name of a source; an empty one never means this machine.

    `lab:` alone asks which scenarios there are: they are listed as help is, and zmon ends.
    """
    if not text:
        raise _wrong("'' names no recording and no capture; without --from this machine is shown")
    if text == "lab:":
        from zmon.cli.lab import print_scenarios  # noqa: PLC0415 - loads the simulator

        print_scenarios()
        raise SystemExit(OK)
    if is_web_address(text):
        raise _wrong(f"{text!r} is a server, which only a fleet is asked of: zmon fleet --from {text}")
    return text


def is_web_address(text: str) -> bool:
    """Tell whether words are the address of a server that is asked by HTTP, as Prometheus is."""
    return text.startswith(("http://", "https://"))


# options that several subcommands share


def _option(
    parser: argparse.ArgumentParser, spec: str, text: str | None, *, several: bool = False, **more: Any
) -> None:
    """Add an option: its names, and that of its value if it is to be shown, as in `-n --count N`.

    Without a value and `more` it is a flag; with `several` it may be repeated.
    """
    names = [word for word in spec.split() if word.startswith("-")]
    value = spec.split()[len(names) :]
    if value:
        more["metavar"] = value[0]
        if several:
            more |= {"action": "append", "default": []}
    elif not more:
        more["action"] = "store_true"
    parser.add_argument(*names, help=text, **more)


def _format(parser: argparse.ArgumentParser, *formats: str, text: str | None = None) -> None:
    """Add `--format`, the first one being the default, `--json`, and `--csv-safe` if one is CSV."""
    _option(parser, "-f --format", text, choices=formats, default=formats[0])
    of_json = "json" if "json" in formats else "jsonl"
    _option(
        parser,
        "--json",
        f"the same as --format {of_json}",
        dest="format",
        action="store_const",
        const=of_json,
    )
    if "csv" in formats:
        text = "in CSV, put ' before a name that a spreadsheet would take for a formula"
        _option(parser, "--csv-safe", text)


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add `--from`, `--interval` and what switches expensive sources."""
    text = (
        "a recording (file or directory), a capture (archive or directory) or a simulated machine"
        " (lab:NAME) instead of this machine; lab: lists the scenarios"
    )
    _option(parser, "--from SOURCE", text, dest="source", type=source)
    _host(parser)
    _option(parser, "-i --interval S", "seconds between samples (default 2)", type=seconds, default=2.0)
    add_choice(parser)


def _host(parser: argparse.ArgumentParser) -> None:
    """Add `--host`."""
    _option(parser, "--host NAME", "of collected texts of several hosts, that which is meant", default="")


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Add what switches expensive sources on or off."""
    text = "read cache statistics of the storage controllers: one I/O per volume a minute"
    _option(parser, "--cache", text)
    _option(parser, "--exact", "read exact channel measurement of each DASD; may wait for its I/O")
    _option(parser, "--cp", "ask CP for the disks of this guest every 10 minutes (needs root and z/VM)")
    _option(parser, "--processes", "read processes with each sample, not only while a screen of them is open")
    _option(parser, "--no-hypervisor", "do not read data of partitions and guests from the hypervisor")


def _surface(parser: argparse.ArgumentParser) -> None:
    """Add `--line`, `--theme`, `--keys` and `--read-only`."""
    _option(parser, "--line", "line mode instead of the full screen")
    text = "colours: 3270 (default), light, dark, contrast, ansi (16 colours), or another theme of Textual"
    _option(parser, "--theme NAME", text, type=theme, default="")
    text = "keys: fcon (those of the Toolkit, default), vi or less; : opens the command line in the last two"
    _option(parser, "--keys MAP", text, choices=KEY_MAPS, default=KEY_MAPS[0])
    _option(parser, "--read-only", "write no file and no note, and ask CP nothing: for others to look on")


def _recording(parser: argparse.ArgumentParser) -> None:
    """Add SOURCE, the recording that is described or copied."""
    parser.add_argument(
        "source", metavar="SOURCE", type=source, help="a recording, or a directory of them, one per day"
    )


def _window(parser: argparse.ArgumentParser) -> None:
    """Add SOURCE, `--from` and `--to`; both options are times here."""
    _recording(parser)
    text = "from this time on: 14:32, yesterday 14:30, -10m (before the end)"
    _option(parser, "--from T0", text, dest="begin")
    _option(parser, "--to T1", "up to this time; +5m is counted from T0", dest="end")


def add_lookup(parser: argparse.ArgumentParser) -> None:
    """Add what a lookup needs: `--site`, `--at`, and the options of CP and of sources."""
    _option(parser, "--site FILE", "site file, see docs/site.md", default="")
    _option(parser, "--at TIME", "time in a recording: 14:32, -10m")
    add_cp(parser)
    add_source(parser)


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add `--site`, `--cp-file` and `--listing`, each with the options that belong to it."""
    _option(parser, "--site FILE", "site file, see docs/site.md", default="")
    add_cp(parser)
    _listings(parser, "tablespaces and their files")


def add_cp(parser: argparse.ArgumentParser) -> None:
    """Add `--cp-file`, `--cp-user` and `--cp-member`; `--cp` is among the expensive sources."""
    text = (
        "saved answers of CP (QUERY VIRTUAL DASD, QUERY DASD ...) or user directory entries; - is "
        "standard input, and the option may stand several times"
    )
    _option(parser, "--cp-file FILE", text, several=True)
    _option(parser, "--cp-user USERID", "whose disks of a user directory these are", default="")
    _option(parser, "--cp-member SYSTEM", "on which member of a single system image it runs", default="")


def _listings(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--listing`, and what helps to read one."""
    text = f"{what}: a file or a server's address, see zmon spread --help; may be repeated"
    _option(parser, "-l --listing LISTING", text, several=True)
    add_listing_details(parser)


def add_listing_details(parser: argparse.ArgumentParser) -> None:
    """Add what helps to read a listing: `--database`, `--base-dir`, `--terminator`, `--partitions`."""
    _option(parser, "--database NAME", "name of the database; of a server: only this one", default="")
    _option(parser, "--base-dir DIR", "directory in which relative paths start", default="")
    _option(parser, "--terminator C", "character that ends a DDL statement, as after db2 -td", default="")
    _option(parser, "--partitions N,N-N", "Db2's database partitions", type=partitions, default=())
    text = "fail if part of a listing is not understood; else warn, with exit status 3"
    _option(parser, "--strict", text)


# subcommands; the docstring is the help


def live(parser: argparse.ArgumentParser) -> None:
    """The live screens."""
    parser.add_argument("command", nargs="*", help="the first screen, as on the command line: DEVICE 7000")
    add_source(parser)
    _option(
        parser, "--record FILE", "record the samples into FILE; else only the last ones are kept, in memory"
    )
    _option(parser, "--at TIME", "where to begin in a recording: 14:32, -10m, begin")
    _surface(parser)
    add_inputs(parser)
    parser.set_defaults(replay=False)


def demo(parser: argparse.ArgumentParser) -> None:
    """Show zmon on a simulated machine, with a guided tour: zmon demo.

    A data warehouse with four slow queries, before and after its tablespaces were spread over more logical
    control units (LCUs).  Nothing in it is real, and every screen says so.  Ctrl+T performs the next step, Ctrl+X
    closes the tour; zmon demo --no-tour shows only the screens.
    """  # noqa: E501 - the help as it is printed
    _option(parser, "--no-tour", "no tour at the start; TOUR opens it")
    _surface(parser)


def show(parser: argparse.ArgumentParser) -> None:
    """Print a screen: zmon show DEVICE, zmon show DEVICE 7000, zmon show CTLUNIT --format json.

    Live, it takes two samples `--interval` seconds apart and prints the interval between them, `--count` times.
    From a recording or capture it prints the last interval, the one that ends `--at` a time, or the last
    `--count` up to there; with `--since` the time from then to `--at` as one interval.  `--compare` compares it
    with another time, `--with` with another recording.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument(
        "screen", help="command, menu number or FCX number of a screen; zmon show MENU lists them"
    )
    parser.add_argument(
        "operand", nargs="*", default=[], help="the thing to show, such as a device; or conditions"
    )
    add_source(parser)
    _option(parser, "--at TIME", "end of the interval in a recording: 14:32, -10m")
    _option(parser, "--since TIME", "begin of the interval; -5m is 5 minutes before its end")
    _option(parser, "--until TIME", "end of the interval, the same as --at")
    _option(parser, "--compare TIME", "compare it with the interval that ends then, row by row")
    _option(parser, "--compare-since TIME", "begin of that interval (default: same length)")
    text = "compare it with another recording or capture: its last interval, or --compare"
    _option(parser, "--with SOURCE", text, dest="other", type=source)
    _option(
        parser,
        "-n --count",
        "number of intervals (default 1; of a screen by time all that it shows)",
        type=positive,
        default=0,
    )
    _option(parser, "-s --sort COL", "column to sort on; --sort=-COL reverses the order")
    _option(parser, "-t --top N", "only the first N rows", type=positive)
    _option(parser, "-w --where COND", "only rows with this condition: resp>10", several=True)
    text = (
        "of EXCEPT, OVERVIEW, DIAGNOSE and CHECK: exit status and first line as Nagios has them:"
        " 0 nothing, 1 worth a look, 2 bad, 3 not known; exceptions that are over count, too: --since says"
        " from when on"
    )
    _option(parser, "--status", text)
    text = (
        "text (default), csv, json; html or svg: the whole screen as on the glass, in one file to be mailed"
    )
    _format(parser, "text", "csv", "json", *WHOLE, text=text)
    text = "columns of html and svg (default: as many as a list has, at least 132)"
    _option(parser, "--width N", text, type=positive, default=0)
    add_inputs(parser)


def where(parser: argparse.ArgumentParser) -> None:
    """Show where a file is, or what is on a disk: zmon where /db/file, zmon where 7201, zmon where dasdb.

    A file, directory, mount point or tablespace is followed down: volume, disk, virtual and real device, label,
    logical control unit (LCU), channel paths.  A disk, partition, logical volume, device number, label or LCU is
    followed up: file systems, swap, files, tablespaces.  A THING with several meanings is answered for each.

    Every answer says how certain it is: exact (byte by byte), shares (how much on which disk), set (on one or
    more of these), assumed (from the path alone, or a rule of the site), unknown.  Exit status 1: not found.
    """  # noqa: E501 - the help as it is printed
    text = "a path, disk, UUID=, bus id, device number, label, logical volume, LCU, tablespace or database"
    parser.add_argument("thing", nargs="+", metavar="THING", help=text)
    _option(parser, "-r --recursive", "look at each file in a directory and below")
    _option(parser, "-e --evidence", "print the source of each step: file and line, ioctl, answer of CP")
    text = "text for people (default), csv: a record per part of a file on a disk, json: everything"
    _format(parser, "text", "csv", "json", "html", text=text)
    _listings(parser, "tablespaces and their files")
    add_lookup(parser)
    parser.epilog = LISTING_HELP


def spread(parser: argparse.ArgumentParser) -> None:
    """Show how evenly tablespaces are spread over LCUs: zmon spread LISTING, zmon spread postgresql://host/db.

    Prints tablespaces by LCU (logical control unit), how even each is, what an even spread would give, and with
    --moves N which files to move.  It counts bytes, or with --traffic what is read and written, and prints the
    assumptions.  With a recording or capture (--from) that contains files, LISTING may be left out.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument(
        "listing", nargs="*", metavar="LISTING", help="a file, a server's address, or - for standard input"
    )
    _option(parser, "-l --listing LISTING", "the same, as zmon where takes it", several=True, dest="given")
    add_listing_details(parser)
    parser.add_argument(
        "--by", choices=("lcu", "disk", "side"), default="lcu", help="units to spread over (default lcu)"
    )
    text = "count what is read and written: live between two samples, or in the last interval of --from"
    _option(parser, "--traffic", text)
    text = "LCUs for the data, separated by commas: 1,2,LSS 0* (default: see docs/spread.md)"
    _option(parser, "--lcus NAMES", text, several=True)
    _option(
        parser,
        "--moves N",
        "propose the best N moves, of which an exchange is one; zmon moves nothing itself",
        type=positive,
        default=0,
    )
    _option(parser, "--how", "print the statements for the moves, for one file of each tablespace")
    _option(parser, "--anyway", "propose moves by --traffic even if no request waits")
    text = "files or tablespaces that must not be moved: '/db/log*'"
    _option(parser, "--pin PATTERN", text, several=True)
    add_lookup(parser)
    _format(parser, "text", "csv", "json", "html")
    parser.epilog = LISTING_HELP


def sizing(parser: argparse.ArgumentParser) -> None:
    """Compute how many disks a workload needs: zmon size --io 10000 --read 50 --raid 10.

    A write costs the disks more requests than a read: 2 with RAID 1 or 10 and Oracle's normal redundancy, 3 with
    high redundancy, 4 with RAID 5, 6 with RAID 6.  With --from it takes the rates of a recording, LCU by LCU: of
    the last interval, the one that ends --at a time, or all from --since to then.  It prints the assumptions.
    """  # noqa: E501 - the help as it is printed
    from zmon.placement.disk_count import DISK_IO, PENALTIES  # noqa: PLC0415 - other commands need none

    _option(parser, "--io N", "reads and writes a second, together; with --read", type=at_least_zero)
    _option(parser, "--read PERCENT", "how many of these are reads", type=share)
    _option(parser, "--reads N", "reads a second", type=at_least_zero)
    _option(parser, "--writes N", "writes a second", type=at_least_zero)
    text = f"RAID level or Oracle's redundancy: {', '.join(PENALTIES)} (default 10)"
    _option(parser, "--raid LEVEL", text, choices=tuple(PENALTIES), default="10")
    _option(
        parser, "--penalty N", "requests of the disks for each write, instead of --raid", type=more_than_zero
    )
    text = f"requests a second of one disk (default {DISK_IO:g})"
    _option(parser, "--disk-io N", text, type=more_than_zero, default=DISK_IO)
    _option(parser, "--cell N", "count cells too, with so many disks each", type=positive, default=0)
    _option(parser, "--hits PERCENT", "reads that the cache answers (default 0)", type=share, default=0.0)
    _option(parser, "--site FILE", "site file, see docs/site.md", default="")
    _option(parser, "--from SOURCE", "take the rates of a recording or capture", dest="source", type=source)
    _option(parser, "--at TIME", "end of the interval in a recording: 14:32, -10m")
    _option(parser, "--since TIME", "begin of the interval; -5m is 5 minutes before its end")
    _format(parser, "text", "csv", "json", "html")
    parser.set_defaults(
        cache=False, exact=False, cp=False, processes=False, no_hypervisor=False, interval=2.0, count=1
    )
    parser.set_defaults(cp_file=[], cp_user="", cp_member="", listing=[])


def rules(parser: argparse.ArgumentParser) -> None:
    """List the rules, or the exceptions they find: zmon rules, zmon rules --from DIR --since yesterday 9:00.

    A rule says when a value is an exception: its limits, preconditions, how long it must hold.  Those of a file of
    your own (--rules, and ~/.config/zmon/rules.toml) are added; one with the name of a shipped rule changes only
    what it says.  So --from shows what changed rules would have reported yesterday.  See docs/rules.md.

    --try runs the commands that a file declares for a rule, once, as if an exception of it had begun.

    --format prometheus writes alerts for Prometheus, one for each level of each rule; --format grafana a dashboard
    that shows the metrics and these exceptions: docs/metrics.md.
    """  # noqa: E501 - the help as it is printed
    text = "a recording, a capture of several passes or a simulated machine; without it rules are listed"
    _option(parser, "--from SOURCE", text, dest="source", type=source)
    _option(parser, "--since TIME", "begin: 14:00, -10m, yesterday 9:00 (default: all)")
    _option(parser, "--until TIME", "end: 15:00, -5m (default: the end)")
    _option(parser, "--rules FILE", "a file of rules; may be repeated", several=True)
    _option(
        parser, "--try RULE", "run the commands of this rule with sample values", dest="tried", default=""
    )
    text = "site file, which may choose a profile and name LCUs, see docs/site.md"
    _option(parser, "--site FILE", text, default="")
    add_cp(parser)
    _format(parser, "text", "csv", "json", "html", "prometheus", "grafana")
    parser.set_defaults(
        listing=(), cache=False, exact=False, cp=False, processes=False, no_hypervisor=False, interval=2.0
    )


def whatif(parser: argparse.ArgumentParser) -> None:
    """Predict throughput and response after a change: zmon whatif --from DIR double the paths of LCU 6.

    CHANGE is one of these; several are joined by "and", or are lines of a file: changes = ["...", "..."].
    zmon fits a model of queues to the interval: the last one, the one that ends --at a time, or the time from
    --since to then.  It prints throughput and response now and then, the range, and what limits next.
    """
    from zmon.queueing.change_words import FORMS  # noqa: PLC0415 - other commands need none

    text = "words, quoted or not, or a file that ends in .toml"
    parser.add_argument("change", nargs="*", metavar="CHANGE", help=text)
    add_source(parser)
    _option(parser, "--at TIME", "end of the interval in a recording: 14:32, -10m")
    _option(parser, "--since TIME", "begin of the interval; -5m is 5 minutes before its end")
    _option(parser, "-n --count", "number of intervals (default 1)", type=positive, default=1)
    _format(parser, "text", "csv", "json", "html")
    add_inputs(parser)
    parser.epilog = "Changes:\n" + "".join(f"  {form}\n" for form in FORMS)


def diagnose(parser: argparse.ArgumentParser) -> None:
    """Say what is wrong, how zmon knows, and what to do: zmon diagnose --from DIR --at 14:32.

    It looks at the last interval, the one that ends --at a time, or the time from --since to --until as one.
    Each diagnosis has its evidence, what it is not, what to do, and what that gains.  The exit status is 0;
    with --status, as Nagios expects: 0 nothing is short, 2 it is certain that something is short and a
    request or more waits for it, or that something is lost or hangs, 1 any other diagnosis, 3 it is not
    known.
    """
    add_source(parser)
    _option(parser, "--at TIME", "end of the interval in a recording: 14:32, -10m")
    _option(parser, "--since TIME", "begin of the interval; -5m is 5 minutes before its end")
    _option(parser, "--until TIME", "end of the interval, the same as --at")
    _option(parser, "-n --count", "number of intervals (default 1)", type=positive, default=1)
    _option(parser, "--status", "exit status and first line as Nagios has them: whether something is short")
    _format(parser, "text", "csv", "json", "html")
    add_inputs(parser)


def check(parser: argparse.ArgumentParser) -> None:
    """Compare settings with what is advised: zmon check, zmon check --from DIR B17 H10.

    Each check is bad, look, unknown, ok, or does not apply.  Those that are bad or deserve a look come with the
    value, what to do, the files that were read, and where the advice is from; docs/check.md lists them all.
    Nothing is changed.  The exit status is 0; with --status, as Nagios expects: 0 all is as advised, 1 something
    deserves a look, 2 something is bad, 3 nothing is known.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these checks: B17 H10")
    add_source(parser)
    _option(parser, "--at TIME", "a time in a recording: 14:32, -10m (default: the end)")
    _option(
        parser, "--since TIME", "begin of the interval whose load counts; -5m is 5 minutes before its end"
    )
    _option(parser, "--until TIME", "end of that interval, the same as --at")
    _option(parser, "--all", "list also what is as advised and what does not apply")
    _option(parser, "--status", "exit status and first line as Nagios has them: whether something is bad")
    _format(parser, "text", "csv", "json", "html")
    add_inputs(parser)
    parser.set_defaults(count=1)


def plot(parser: argparse.ArgumentParser) -> None:
    """Draw figures of a screen by time: zmon plot DEVICE.resp 7000 --from DIR --since 14:00 --until 15:00.

    Several columns (DEVICE.resp,await) or rows (7000 7001) are several lines.  Without a column it draws the sort
    column of the screen, without a row the first row at the end of the time.  Live it needs a running recorder,
    or --for with the seconds to take samples.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument(
        "screen", metavar="SCREEN[.COLUMN]", help="screen and columns: DEVICE.resp, REDISP.busy,io"
    )
    parser.add_argument("row", nargs="*", help="rows: 7000 7001; or another SCREEN.COLUMN")
    add_source(parser)
    _option(parser, "--since TIME", "begin: 14:00, -10m, yesterday 9:00 (default: all)")
    _option(parser, "--until TIME", "end: 15:00, -5m (default: the end)")
    _option(parser, "--for S", "live: take samples for this many seconds", dest="length", type=seconds)
    _option(parser, "--width N", "characters of a line", type=positive)
    _option(parser, "--height N", "lines", type=positive)
    text = "characters to draw with (default: ZMON_PLOT, or as the terminal allows)"
    _option(parser, "--style", text, choices=("braille", "blocks", "ascii"))
    _format(parser, "text", "csv", "json", "html")
    add_inputs(parser)


def capture(parser: argparse.ArgumentParser) -> None:
    """Copy the kernel's files into an archive, to look at them on another machine.

    Reads what zmon reads from the kernel, once or several times.  Use the archive with --from FILE.tar.gz.  Rates
    need at least two passes.

    zmon switches nothing on and writes only the archive.  Without root some files cannot be read; the summary
    names them.  The archive contains the names of your disks, partitions and mount points.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument("file", metavar="FILE.tar.gz", type=archive, help="the archive to write")
    _option(parser, "-n --passes PASSES", "how often to read (%(default)s)", type=passes, default=2)
    text = "from one pass to the next (%(default)g); below 10 the data of other partitions is left out"
    _option(parser, "-i --interval SECONDS", text, type=pause, default=10.0)
    _option(
        parser,
        "--all",
        "also what is costly: cache statistics (one I/O for each DASD), the exact channel "
        "measurement of each DASD (may wait for I/O), other partitions however short the interval",
    )
    text = "also what CP answers to every guest: its disks, devices, load (needs root and z/VM)"
    _option(parser, "--cp", text)
    _option(parser, "--processes", "also all processes: their names, states, times and bytes")
    _listings(parser, "tablespaces whose files are looked up")
    _option(parser, "--root DIR", "read below DIR instead of /", default="/")
    _option(parser, "--force", "overwrite FILE.tar.gz")


def replay(parser: argparse.ArgumentParser) -> None:
    """Look at a recording with the same screens and keys as live: zmon replay FILE, zmon replay DIRECTORY.

    It is the same as zmon --from.  Without a name the recordings of this machine's recorder are opened.
    """
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        type=source,
        help="a recording, a directory of them, or a capture",
    )
    parser.add_argument("command", nargs="*", help="the first screen, as on the command line: DEVICE 7000")
    _option(parser, "--at TIME", "where to begin: 14:32, -10m (before the end), begin")
    _surface(parser)
    add_inputs(parser)
    parser.set_defaults(replay=True, record=None, interval=2.0)
    parser.set_defaults(cache=False, exact=False, cp=False, processes=False, no_hypervisor=False)


def record(parser: argparse.ArgumentParser) -> None:
    """Record this machine: everything the screens need, one file per day, until it is stopped.

    The live screens start with what a running recorder has recorded; `zmon replay DIR` shows it again.  Days are
    days of UTC.  Nothing is deleted without --keep or --size; with them, whole days, the oldest first.

    SIGTERM and SIGINT finish the sample and close the file.  SIGHUP closes it, so that it can be copied, and
    starts another one for the rest of the day.  If the disk is full, recording goes on when there is space again.
    """  # noqa: E501 - the help as it is printed
    text = "where the day files go (default: systemd's state directory, else ~/.local/state/zmon)"
    parser.add_argument("directory", nargs="?", metavar="DIR", help=text)
    text = "seconds between samples (default %(default)g)"
    _option(parser, "-i --interval S", text, type=seconds, default=RECORD_SECONDS)
    add_choice(parser)
    _listings(parser, "tablespaces whose files are looked up every ten minutes, and recorded")
    _option(parser, "--only KINDS", "record only these kinds of things: block,cmf,device", type=kinds)
    _option(parser, "--keep TIME", "delete days older than this: 30d", type=length, default=0)
    _option(parser, "--size SIZE", "delete the oldest days beyond this total size: 2G", type=size, default=0)
    _option(parser, "-n --count", "end after this many samples", type=positive, default=0)
    _option(parser, "--for TIME", "end after this time: 10m", dest="length", type=length, default=0)
    text = (
        "keep metrics for node_exporter's textfile collector in FILE, which ends in .prom; it is removed at"
        " the end, lest old figures are read as those of now: docs/metrics.md"
    )
    _option(parser, "--metrics FILE", text, type=textfile)
    _option(parser, "--metrics-devices", "metrics of each DASD, too: 14 series for each")
    _option(parser, "--dry-run", "estimate the cost, write nothing")
    _option(parser, "--root DIR", "read below DIR instead of /", default="/")


def serve_metrics(parser: argparse.ArgumentParser) -> None:
    """Serve metrics for Prometheus on this machine: zmon serve-metrics, zmon serve-metrics --listen unix:/run/zmon.sock.

    Samples this machine, or follows the recordings of a running recorder (--from DIR), and answers requests for
    /metrics from the last sample; a request never makes it read more.  It listens on a loopback address or a Unix
    socket alone: access from elsewhere belongs to a proxy that knows who asks.  docs/metrics.md lists the metrics.
    zmon record --metrics keeps the same in a file, without a port, until it ends; then the file is removed.
    """  # noqa: E501 - the help as it is printed
    text = "HOST:PORT of a loopback address, or unix:PATH (default %(default)s)"
    _option(parser, "--listen ADDRESS", text, type=listening_address, default=f"127.0.0.1:{METRICS_PORT}")
    text = "follow the recordings of this directory, or play a simulated machine (lab:NAME)"
    _option(parser, "--from SOURCE", text, dest="source", type=source)
    _option(parser, "--at TIME", "where to begin on a simulated machine: 09:30, begin+30m (default: begin)")
    text = "seconds between samples (default %(default)g)"
    _option(parser, "-i --interval S", text, type=seconds, default=METRICS_SECONDS)
    add_choice(parser)
    _option(parser, "--devices", "metrics of each DASD, too: 14 series for each")
    _option(parser, "--root DIR", "read below DIR instead of /", default="/")


def fleet(parser: argparse.ArgumentParser) -> None:
    """Show many systems at once: zmon fleet DIR, zmon fleet DIR lcus.

    On a terminal it opens the screens of a fleet; ENTER on a system opens its recording, F3 comes back.  With
    --text, with a VIEW or into a pipe it prints.

    DIR holds the recordings of several systems, copied together: a directory of day files, or NAME.zmon, for each.
    Guests are joined by storage server and LCU: who fills an LCU, how even boxes are, how busy channel paths are, the
    exceptions of all.  The figures are of the last hour, or of the time from --since to --at.  See docs/fleet.md.

    --from http://HOST:9090 asks a server that has zmon's metrics (docs/metrics.md) instead of reading recordings.
    """  # noqa: E501 - the help as it is printed
    views = ("guests", "boxes", "lcus", "fillers", "channels", "chpids", "exceptions", "except")
    text = "the recordings, copied together"
    parser.add_argument("directory", nargs="?", metavar="DIR", help=text, default="")
    parser.add_argument("view", nargs="?", choices=views, help="only this view", metavar="VIEW")
    text = "ask a Prometheus-compatible server that has zmon's metrics; DIR then has recordings for ENTER"
    _option(parser, "--from URL", text, dest="source", default="")
    _option(parser, "--at TIME", "end of the time: 14:32, -10m (default: the last sample)")
    _option(parser, "--since TIME", "begin of the time; -5m is 5 minutes before its end (default: -1h)")
    _option(parser, "--text", "print the views, on a terminal, too")
    _surface(parser)
    _format(parser, "text", "csv", "json", "html")


def import_(parser: argparse.ArgumentParser) -> None:
    """Make a recording from a report of sar, a capture, or a simulated machine.

    SOURCE is the output of `sadf -j /var/log/sa/saDD -- -A` (`-` for standard input), a capture with several
    passes, an archive or a directory, or lab:NAME.  zmon recognises the format by itself.  Use the recording with
    --from OUT.

    sar records neither channel measurement nor the LCU of a disk, and does not separate reads from writes; what
    it did not record is absent, with the reason.  DASD that sadf names by number get their names back; other
    disks have the names that sadf prints, in older versions numbers (dev253-0) unless -p is given.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument(
        "source", metavar="SOURCE", help="a report of sadf -j (- for standard input), a capture, or lab:NAME"
    )
    parser.add_argument("out", metavar="OUT", help="the recording to write: NAME.zmon")
    _option(parser, "--force", "overwrite OUT")
    text = "leave out roll-ups: OUT is smaller, and plots of long times take longer"
    _option(parser, "--no-rollups", text)


def info(parser: argparse.ArgumentParser) -> None:
    """Describe a recording, a capture or collected texts: zmon info FILE, zmon info DIRECTORY.

    Prints begin and end, the number of samples, gaps and restarts, the machine, the number of things of each
    kind, the size of each part, and the process that is writing to it.  For a damaged file, or one written by a
    newer zmon, it prints what it can read.

    Of collected texts it prints what each was taken for, how many of its lines were read and which were not
    understood, and which uses of disks nothing tells.

    --check reads the whole file and compares the checksums; the exit status is 1 if something is damaged.
    """  # noqa: E501 - the help as it is printed
    _recording(parser)
    _option(parser, "--check", "read all of it, and say what is damaged")
    _option(parser, "--strict", "fail if a line of collected texts is not understood")
    _host(parser)
    _format(parser, "text", "csv", "json", "html")


def cut(parser: argparse.ArgumentParser) -> None:
    """Copy part of a recording: zmon cut /var/lib/zmon --from 14:20 --to +30m incident.zmon.

    OUT gets the samples from T0 to T1, the one before them (the first interval needs it), the events and notes
    of that time, and roll-ups.  SOURCE is not changed, and may be in use.

    --anonymise replaces everything that identifies the machine: serial numbers, volume labels, names of hosts,
    partitions, guests, sysplexes and device-mapper disks.  Notes lose their text.  The same name always gets the
    same replacement in OUT, and in other cuts with the same --key.  docs/share.md lists what is kept.
    """  # noqa: E501 - the help as it is printed
    _window(parser)
    parser.add_argument("out", metavar="OUT", help="the recording to write: NAME.zmon")
    _option(parser, "--anonymise", "replace everything that identifies the machine")
    _option(
        parser,
        "--key FILE",
        "with --anonymise: the same replacements in all cuts with this secret file, "
        f"{MIN_KEY_BYTES} bytes or more (head -c 32 /dev/urandom > FILE)",
    )
    _option(parser, "--force", "overwrite OUT")


def export(parser: argparse.ArgumentParser) -> None:
    """Write the raw counters of a recording: zmon export FILE --kind cmf --key 7000 > cmf.csv.

    One row for each thing and reading.  Sources that are read less often than samples are taken have fewer rows.
    Counters start at arbitrary values; only differences have a meaning.  For rates and times use zmon show.

    CSV holds one kind of thing, with units in the heading.  JSON lines hold any number; a line before the first
    row of each kind describes it.  Times are UTC.  Absent values are empty, or null; --reasons adds the reasons.
    The exit status is 1 if a part of the recording is damaged.

    --rollups writes the figures of screens for each minute or quarter of an hour instead: mean, lowest, highest,
    number of intervals: zmon export FILE --rollups minutes --kind device.

    --format openmetrics writes the metrics of docs/metrics.md with the times of the samples, one value each --step,
    for import into Prometheus by promtool.  --label instance=NAME tells the guests of a fleet apart.
    """  # noqa: E501 - the help as it is printed
    _window(parser)
    _option(parser, "-k --kind KINDS", "only these kinds: cmf,block", several=True)
    _option(parser, "--key KEYS", "only these things: 7000,0.0.7001,dasda", several=True)
    _option(parser, "--fields FIELDS", "only these fields: ssch,connect", several=True)
    _format(parser, "csv", "jsonl", "openmetrics")
    _option(
        parser, "--step TIME", "openmetrics: from one value to the next (default 1m)", type=length, default=0
    )
    _option(
        parser, "--label NAME=VALUE", "openmetrics: a label that all series get", several=True, type=label
    )
    _option(parser, "--devices", "openmetrics: metrics of each DASD, too")
    _option(parser, "--rollups", "figures of screens instead of counters", choices=("minutes", "quarters"))
    _option(parser, "--reasons", "add the reasons of absent values")


def cp(parser: argparse.ArgumentParser) -> None:
    """Read answers of CP, the control program of z/VM, or send it a query.

    zmon cp parse FILE... prints what zmon understands of saved answers and user directory entries, and counts
    other lines; the exit status is 1 if nothing is understood.
    zmon cp query virtual-dasd sends a query to CP and prints the answer: needs root in a guest of z/VM.
    zmon cp list prints the queries.  zmon sends no others, and none of them changes anything.
    """
    verbs = parser.add_subparsers(dest="word", required=True, metavar="WORD")
    parse = verbs.add_parser("parse", help="print what is understood of answers and directory entries")
    parse.add_argument("files", nargs="+", metavar="FILE", help="any text, - for standard input")
    _format(parse, "text", "json", "csv", "html")
    _option(parse, "--unknown", "list the lines that are not understood too")
    query = verbs.add_parser("query", help="send one of the queries to CP")
    query.add_argument("name", help="its name; zmon cp list names them all")
    query.add_argument("operand", nargs="?", default="", help="the number it is about, in hex: 7000")
    _format(query, "raw", "text", "json", text="raw as CP answers, or what zmon understands of it")
    listed = verbs.add_parser("list", help="list the queries and the privilege class of each")
    _format(listed, "text", "json")


def config(parser: argparse.ArgumentParser) -> None:
    """Print the settings: zmon config > ~/.config/zmon/zmon.toml.

    A setting is the default of an option.  Each is printed with what it means, its value, and the file and line
    that it comes from; those that no file gives are comments.  So the output is a file of settings, too.

    Settings are read from /etc/zmon/zmon.toml, then from ~/.config/zmon/zmon.toml, which is stronger; options on the
    command line are stronger than both.  ZMON_CONFIG=FILE in the environment names one file instead; empty, none.
    The exit status is 2 if a file has a mistake.
    """  # noqa: E501 - the help as it is printed
    _format(parser, "text", "json")


def help_(parser: argparse.ArgumentParser) -> None:
    """Explain a topic: zmon help, zmon help exit-codes, zmon help DEVICE.

    TOPIC is commands, screens, keys, rules, new, service, exit-codes, environment or files, or the name of a
    subcommand, a screen, a command of the screens, a column (DEVICE.resp) or a rule.  Without it the topics are
    listed.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help="what to explain; without: list the topics")


def lab(parser: argparse.ArgumentParser) -> None:
    """The scenarios of the simulated machine: zmon lab list, report, show NAME.

    list prints the scenarios.  show prints the file of one, to copy and change.  report simulates them and
    compares the results with the studies they are based on; the exit status is 1 if a figure is out of bounds.
    NAME is a scenario that comes with zmon, or a file of your own that ends in .toml.  See docs/lab.md.
    """  # noqa: E501 - the help as it is printed
    verbs = parser.add_subparsers(dest="word", required=True, metavar="list | report | show | fleet")
    verbs.add_parser("list", help="list the scenarios")
    report = verbs.add_parser("report", help="compare the model with the studies")
    report.add_argument("names", nargs="*", metavar="NAME", help="only these; by default all")
    _option(report, "--seed N", "another random seed than that of the scenarios", type=int)
    _option(
        report,
        "--seeds N-N",
        "with how many of these seeds each figure holds, in several processes",
        type=seeds,
    )
    _format(report, "text", "csv", "json")
    show = verbs.add_parser("show", help="print the file of a scenario")
    show.add_argument("name", metavar="NAME")
    many = verbs.add_parser("fleet", help="write recordings of many simulated guests, for zmon fleet")
    many.add_argument("directory", metavar="DIR", help="where to write them")
    _option(many, "--guests N", "how many guests (default 30)", type=positive, default=30)
    _option(many, "--for TIME", "how long they are (default 2h)", dest="length", type=length,
            default=7_200_000_000_000)  # fmt: skip


SUBCOMMANDS: Final[dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]] = {
    "demo": ("look at a simulated machine, with a guided tour", demo),
    "show": ("print a screen as text, CSV, JSON, HTML or SVG", show),
    "where": ("show which disks and LCUs a file is on, or what is on a disk or LCU", where),
    "spread": ("show how evenly tablespaces are spread over LCUs, and what to move", spread),
    "diagnose": ("say what is wrong, how zmon knows, and what to do", diagnose),
    "whatif": ("predict throughput and response after a change", whatif),
    "size": ("compute how many disks a workload needs at a RAID level", sizing),
    "rules": ("list the rules for exceptions, or the exceptions in a recording", rules),
    "check": ("compare settings with what is advised", check),
    "plot": ("draw figures of a screen by time, as text, CSV or JSON", plot),
    "capture": ("copy what zmon reads into an archive, to look at elsewhere", capture),
    "replay": ("show a recording with the screens of the live machine", replay),
    "record": ("record this machine day and night, one file per day", record),
    "serve-metrics": ("serve metrics for Prometheus on this machine", serve_metrics),
    "import": ("make a recording from a report of sar, a capture or a simulated machine", import_),
    "fleet": ("show many systems at once, from recordings or Prometheus", fleet),
    "info": ("describe a recording, and check it for damage", info),
    "cut": ("copy part of a recording, with or without names", cut),
    "export": ("write the counters of a recording as CSV, JSON lines or OpenMetrics", export),
    "cp": ("read answers of CP (z/VM), or send it a query", cp),
    "config": ("print the settings, and where each comes from", config),
    "help": ("explain commands, screens, keys, rules, exit codes, environment or files", help_),
    "lab": ("list, show and compare the scenarios of the simulated machine", lab),
}
"""What each does, in a line, and the function that declares its options; the module `zmon.cli.NAME` carries
it out, `zmon.cli.live` also replay."""


def misspelt(word: str, screens: Iterable[str] = (), *, unsure: str = "") -> str:
    """Return that a word is no subcommand and no screen, and which one is spelled much like it.

    If there is none, the sentence ends with `unsure`; without that it is empty.
    """
    from zmon.base.plain_text import did_you_mean  # noqa: PLC0415 - only a mistake needs it

    if word in SUBCOMMANDS:
        return f"write the subcommand before its options: zmon {word} ..."
    instead = did_you_mean(word, (*SUBCOMMANDS, *screens)) or unsure
    return f"{word!r} is no subcommand and no screen{instead}" if instead else ""


def is_events(word: str) -> bool:
    """Return whether a word that is no screen is the command EVENTS, or its beginning."""
    from zmon.session.commands import find_command  # noqa: PLC0415 - only a word that is no screen needs it

    command = find_command(word)
    return command is not None and command.word == "EVENTS"


def command_instead(word: str, source: str | None) -> str:
    """Return where a command such as PLAY is typed that was taken for a screen; empty for other words."""
    from zmon.session.commands import find_command  # noqa: PLC0415 - only a mistake needs it

    command = find_command(word)
    if command is None:
        return ""
    if command.word in {"FLEET", "OPEN"}:
        return f"{command.word} is of a fleet: zmon fleet {source or 'DIR'} shows one"
    start = f"zmon --from {source}" if source else "zmon"
    return f"{command.word} is a command, no screen: start {start} and type {command.word} there"
