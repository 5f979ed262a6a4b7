"""The subcommands: what each is called, its help, and its options.

The docstring of each function is the help of the subcommand.  None of them loads what carries it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.cli.options import (
    LISTING_HELP,
    add_choice,
    add_format,
    add_inputs,
    add_listing_details,
    add_listings,
    add_lookup,
    add_recording,
    add_source,
    add_window,
    archive,
    kinds,
    length,
    passes,
    pause,
    positive,
    seconds,
    size,
    source,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

RECORD_SECONDS: Final = 1.0
"""Default interval of the recorder: it shows a stall of two seconds.  What was not sampled is lost; the
forecast of `--dry-run` shows what a longer interval saves."""
MIN_KEY_BYTES: Final = 16
"""Length of the shortest secret of `zmon cut --key` that nobody guesses."""


def live(parser: argparse.ArgumentParser) -> None:
    """The live screens."""
    parser.add_argument("command", nargs="*", help="the first screen, as on the command line: DEVICE 7000")
    add_source(parser)
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="record the samples into FILE; else only the last ones are kept, in memory",
    )
    parser.add_argument("--at", metavar="TIME", help="where to begin in a recording: 14:32, -10m, begin")
    parser.add_argument("--line", action="store_true", help="line mode instead of the full screen")
    add_inputs(parser)


def demo(parser: argparse.ArgumentParser) -> None:
    """Show zmon on a simulated machine, with a guided tour: zmon demo.

    A data warehouse with four slow queries, before and after its tablespaces were spread over more logical
    control units (LCUs).  Nothing in it is real, and every screen says so.  Ctrl+T performs the next step, Ctrl+X
    closes the tour; zmon demo --no-tour shows only the screens.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument("--no-tour", action="store_true", help="no tour at the start; TOUR opens it")
    parser.add_argument("--line", action="store_true", help="line mode instead of the full screen")


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
    for option, text in (
        ("--at", "end of the interval in a recording: 14:32, -10m"),
        ("--since", "begin of the interval; -5m is 5 minutes before its end"),
        ("--compare", "compare it with the interval that ends then, row by row"),
        ("--compare-since", "begin of that interval (default: same length)"),
    ):
        parser.add_argument(option, metavar="TIME", help=text)
    parser.add_argument(
        "--with",
        dest="other",
        type=source,
        metavar="SOURCE",
        help="compare it with another recording or capture: its last interval, or --compare",
    )
    parser.add_argument("-n", "--count", type=positive, default=1, help="number of intervals (default 1)")
    parser.add_argument(
        "-s", "--sort", metavar="COL", help="column to sort on; --sort=-COL reverses the order"
    )
    parser.add_argument("-t", "--top", type=positive, metavar="N", help="only the first N rows")
    parser.add_argument(
        "-w",
        "--where",
        action="append",
        default=[],
        metavar="COND",
        help="only rows with this condition: resp>10",
    )
    add_format(parser, "text", "csv", "json")
    add_inputs(parser)


def where(parser: argparse.ArgumentParser) -> None:
    """Show where a file is, or what is on a disk: zmon where /db/file, zmon where 7201, zmon where dasdb.

    A file, directory, mount point or tablespace is followed down: volume, disk, virtual and real device, label,
    logical control unit (LCU), channel paths.  A disk, partition, logical volume, device number, label or LCU is
    followed up: file systems, swap, files, tablespaces.  A THING with several meanings is answered for each.

    Every answer says how certain it is: exact (byte by byte), shares (how much on which disk), set (on one or
    more of these), assumed (from the path alone, or a rule of the site), unknown.  Exit status 1: not found.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument(
        "thing",
        nargs="+",
        metavar="THING",
        help="a path, disk, UUID=, bus id, device number, label, logical volume, LCU, tablespace or database",
    )
    parser.add_argument(
        "-r", "--recursive", action="store_true", help="look at each file in a directory and below"
    )
    parser.add_argument(
        "-e",
        "--evidence",
        action="store_true",
        help="print the source of each step: file and line, ioctl, answer of CP",
    )
    add_format(
        parser,
        "text",
        "csv",
        "json",
        text="text for people (default), csv: a record per part of a file on a disk, json: everything",
    )
    add_listings(parser)
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
    add_listing_details(parser)
    parser.add_argument(
        "--by", choices=("lcu", "disk", "side"), default="lcu", help="units to spread over (default lcu)"
    )
    parser.add_argument(
        "--traffic",
        action="store_true",
        help="count what is read and written: live between two samples, or in the last interval of --from",
    )
    parser.add_argument(
        "--lcus",
        action="append",
        default=[],
        metavar="NAMES",
        help="LCUs for the data, separated by commas: 1,2,LSS 0* (default: see docs/spread.md)",
    )
    parser.add_argument(
        "--moves",
        type=positive,
        default=0,
        metavar="N",
        help="propose up to N moves; zmon moves nothing itself",
    )
    parser.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="PATTERN",
        help="files or tablespaces that must not be moved: '/db/log*'",
    )
    add_lookup(parser)
    add_format(parser, "text", "csv", "json")
    parser.epilog = LISTING_HELP


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
    parser.add_argument("--since", metavar="TIME", help="begin: 14:00, -10m, yesterday 9:00 (default: all)")
    parser.add_argument("--until", metavar="TIME", help="end: 15:00, -5m (default: the end)")
    parser.add_argument(
        "--for", dest="length", type=seconds, metavar="S", help="live: take samples for this many seconds"
    )
    parser.add_argument("--width", type=positive, metavar="N", help="characters of a line")
    parser.add_argument("--height", type=positive, metavar="N", help="lines")
    parser.add_argument(
        "--style",
        choices=("braille", "blocks", "ascii"),
        help="characters to draw with (default: ZMON_PLOT, or as the terminal allows)",
    )
    add_format(parser, "text", "csv", "json")


def capture(parser: argparse.ArgumentParser) -> None:
    """Copy the kernel's files into an archive, to look at them on another machine.

    Reads what zmon reads from the kernel, once or several times.  Use the archive with --from FILE.tar.gz.  Rates
    need at least two passes.

    zmon switches nothing on and writes only the archive.  Without root some files cannot be read; the summary
    names them.  The archive contains the names of your disks, partitions and mount points.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument("file", metavar="FILE.tar.gz", type=archive, help="the archive to write")
    parser.add_argument(
        "-n", "--passes", metavar="PASSES", type=passes, default=2, help="how often to read (%(default)s)"
    )
    parser.add_argument(
        "-i",
        "--interval",
        metavar="SECONDS",
        type=pause,
        default=10.0,
        help="from one pass to the next (%(default)g); below 10 the data of other partitions is left out",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also what is costly: cache statistics (one I/O for each DASD), the exact channel "
        "measurement of each DASD (may wait for I/O), other partitions however short the interval",
    )
    parser.add_argument(
        "--cp",
        action="store_true",
        help="also what CP answers to every guest: its disks, devices, load (needs root and z/VM)",
    )
    add_listings(parser, "tablespaces whose files are looked up")
    parser.add_argument("--root", metavar="DIR", default="/", help="read below DIR instead of /")
    parser.add_argument("--force", action="store_true", help="overwrite FILE.tar.gz")


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
    parser.add_argument("--at", metavar="TIME", help="where to begin: 14:32, -10m (before the end), begin")
    parser.add_argument("--line", action="store_true", help="line mode instead of the full screen")
    add_inputs(parser)
    parser.set_defaults(record=None, interval=2.0, cache=False, exact=False, cp=False, no_hypervisor=False)


def record(parser: argparse.ArgumentParser) -> None:
    """Record this machine: everything the screens need, one file per day, until it is stopped.

    The live screens start with what a running recorder has recorded; `zmon replay DIR` shows it again.  Days are
    days of UTC.  Nothing is deleted without --keep or --size; with them, whole days, the oldest first.

    SIGTERM and SIGINT finish the sample and close the file.  SIGHUP closes it, so that it can be copied, and
    starts another one for the rest of the day.  If the disk is full, recording goes on when there is space again.
    """  # noqa: E501 - the help as it is printed
    parser.add_argument(
        "directory",
        nargs="?",
        metavar="DIR",
        help="where the day files go (default: systemd's state directory, else ~/.local/state/zmon)",
    )
    parser.add_argument(
        "-i",
        "--interval",
        type=seconds,
        default=RECORD_SECONDS,
        metavar="S",
        help="seconds between samples (default %(default)g)",
    )
    add_choice(parser)
    add_listings(parser, "tablespaces whose files are looked up every ten minutes, and recorded")
    parser.add_argument(
        "--only", type=kinds, metavar="KINDS", help="record only these kinds of things: block,cmf,device"
    )
    parser.add_argument(
        "--keep", type=length, default=0, metavar="TIME", help="delete days older than this: 30d"
    )
    parser.add_argument(
        "--size",
        type=size,
        default=0,
        metavar="SIZE",
        help="delete the oldest days beyond this total size: 2G",
    )
    parser.add_argument("-n", "--count", type=positive, default=0, help="end after this many samples")
    parser.add_argument(
        "--for", dest="length", type=length, default=0, metavar="TIME", help="end after this time: 10m"
    )
    parser.add_argument("--dry-run", action="store_true", help="estimate the cost, write nothing")
    parser.add_argument("--root", metavar="DIR", default="/", help="read below DIR instead of /")


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
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    parser.add_argument(
        "--no-rollups",
        action="store_true",
        help="leave out roll-ups: OUT is smaller, and plots of long times take longer",
    )


def info(parser: argparse.ArgumentParser) -> None:
    """Describe a recording: zmon info FILE, zmon info DIRECTORY.

    Prints begin and end, the number of samples, gaps and restarts, the machine, the number of things of each
    kind, the size of each part, and the process that is writing to it.  For a damaged file, or one written by a
    newer zmon, it prints what it can read.

    --check reads the whole file and compares the checksums; the exit status is 1 if something is damaged.
    """  # noqa: E501 - the help as it is printed
    add_recording(parser)
    parser.add_argument("--check", action="store_true", help="read all of it, and say what is damaged")
    add_format(parser, "text", "json")


def cut(parser: argparse.ArgumentParser) -> None:
    """Copy part of a recording: zmon cut /var/lib/zmon --from 14:20 --to +30m incident.zmon.

    OUT gets the samples from T0 to T1, the one before them (the first interval needs it), the events and notes
    of that time, and roll-ups.  SOURCE is not changed, and may be in use.

    --anonymise replaces everything that identifies the machine: serial numbers, volume labels, names of hosts,
    partitions, guests, sysplexes and device-mapper disks.  Notes lose their text.  The same name always gets the
    same replacement in OUT, and in other cuts with the same --key.  docs/share.md lists what is kept.
    """  # noqa: E501 - the help as it is printed
    add_window(parser)
    parser.add_argument("out", metavar="OUT", help="the recording to write: NAME.zmon")
    parser.add_argument(
        "--anonymise", action="store_true", help="replace everything that identifies the machine"
    )
    parser.add_argument(
        "--key",
        metavar="FILE",
        help="with --anonymise: the same replacements in all cuts with this secret file, "
        f"{MIN_KEY_BYTES} bytes or more (head -c 32 /dev/urandom > FILE)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite OUT")


def export(parser: argparse.ArgumentParser) -> None:
    """Write the raw counters of a recording: zmon export FILE --kind cmf --key 7000 > cmf.csv.

    One row for each thing and reading.  Sources that are read less often than samples are taken have fewer rows.
    Counters start at arbitrary values; only differences have a meaning.  For rates and times use zmon show.

    CSV holds one kind of thing, with units in the heading.  JSON lines hold any number; a line before the first
    row of each kind describes it.  Times are UTC.  Absent values are empty, or null; --reasons adds the reasons.
    The exit status is 1 if a part of the recording is damaged.

    --rollups writes the figures of screens for each minute or quarter of an hour instead: mean, lowest, highest,
    number of intervals: zmon export FILE --rollups minutes --kind device.
    """  # noqa: E501 - the help as it is printed
    add_window(parser)
    for option, name, text in (
        ("--kind", "KINDS", "only these kinds: cmf,block"),
        ("--key", "KEYS", "only these things: 7000,0.0.7001,dasda"),
        ("--fields", "FIELDS", "only these fields: ssch,connect"),
    ):
        options = ("-k", option) if option == "--kind" else (option,)
        parser.add_argument(*options, action="append", default=[], metavar=name, help=text)
    add_format(parser, "csv", "jsonl")
    parser.add_argument(
        "--rollups", choices=("minutes", "quarters"), help="figures of screens instead of counters"
    )
    parser.add_argument("--reasons", action="store_true", help="add the reasons of absent values")


def cp(parser: argparse.ArgumentParser) -> None:
    """Read answers of CP, the control program of z/VM, or send it a query.

    zmon cp parse FILE... prints what zmon understands of saved answers and user directory entries, and counts
    other lines; the exit status is 1 if nothing is understood.
    zmon cp query virtual-dasd sends a query to CP and prints the answer: needs root in a guest of z/VM.
    zmon cp list prints the queries.  zmon sends no others, and none of them changes anything.
    """
    words = parser.add_subparsers(dest="word", required=True, metavar="WORD")
    parse = words.add_parser("parse", help="print what is understood of answers and directory entries")
    parse.add_argument("files", nargs="+", metavar="FILE", help="any text, - for standard input")
    add_format(parse, "text", "json", "csv")
    parse.add_argument("--unknown", action="store_true", help="list the lines that are not understood too")
    query = words.add_parser("query", help="send one of the queries to CP")
    query.add_argument("name", help="its name; zmon cp list names them all")
    query.add_argument("operand", nargs="?", default="", help="the number it is about, in hex: 7000")
    add_format(query, "raw", "text", "json", text="raw as CP answers, or what zmon understands of it")
    listed = words.add_parser("list", help="list the queries and the privilege class of each")
    add_format(listed, "text", "json")


def lab(parser: argparse.ArgumentParser) -> None:
    """The scenarios of the simulated machine: zmon lab list, report, show NAME.

    list prints the scenarios.  show prints the file of one, to copy and change.  report simulates them and
    compares the results with the studies they are based on; the exit status is 1 if a figure is out of bounds.
    NAME is a scenario that comes with zmon, or a file of your own that ends in .toml.  See docs/lab.md.
    """  # noqa: E501 - the help as it is printed
    words = parser.add_subparsers(dest="word", required=True, metavar="list | report | show")
    words.add_parser("list", help="list the scenarios")
    report = words.add_parser("report", help="compare the model with the studies")
    report.add_argument("names", nargs="*", metavar="NAME", help="only these; by default all")
    report.add_argument(
        "--seed", type=int, metavar="N", help="another random seed than that of the scenarios"
    )
    report.add_argument("-f", "--format", choices=("text", "csv", "json"), default="text")
    show = words.add_parser("show", help="print the file of a scenario")
    show.add_argument("name", metavar="NAME")


SUBCOMMANDS: Final[dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]] = {
    "demo": ("look at a simulated machine, with a guided tour", demo),
    "show": ("print a screen as text, CSV or JSON", show),
    "where": ("show which disks and LCUs a file is on, or what is on a disk or LCU", where),
    "spread": ("show how evenly tablespaces are spread over LCUs, and what to move", spread),
    "plot": ("draw figures of a screen by time, as text, CSV or JSON", plot),
    "capture": ("copy what zmon reads into an archive, to look at elsewhere", capture),
    "replay": ("show a recording with the screens of the live machine", replay),
    "record": ("record this machine day and night, one file per day", record),
    "import": ("make a recording from a report of sar, a capture or a simulated machine", import_),
    "info": ("describe a recording, and check it for damage", info),
    "cut": ("copy part of a recording, with or without names", cut),
    "export": ("write the counters of a recording as CSV or JSON lines", export),
    "cp": ("read answers of CP (z/VM), or send it a query", cp),
    "lab": ("list and check the scenarios of the simulated machine", lab),
}
"""What each does, in a line, and the function that declares its options; the module `zmon.cli.NAME` carries
it out."""


def misspelt(word: str, screens: Iterable[str] = (), *, unsure: str = "") -> str:
    """Return that a word is no subcommand and no screen, and which one is spelled much like it.

    If there is none, the sentence ends with `unsure`; without that it is empty.
    """
    from zmon.screen.guess import did_you_mean  # noqa: PLC0415 - only a mistake needs it

    instead = did_you_mean(word, (*SUBCOMMANDS, *screens)) or unsure
    return f"{word!r} is no subcommand and no screen{instead}" if instead else ""
