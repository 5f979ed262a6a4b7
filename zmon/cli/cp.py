"""Read answers of CP, the control program of z/VM, or send it a query.

zmon cp parse FILE... prints what zmon understands of saved answers and user directory entries, and counts
other lines; the exit status is 1 if nothing is understood.
zmon cp query virtual-dasd sends a query to CP and prints the answer: needs root in a guest of z/VM.
zmon cp list prints the queries.  zmon sends no others, and none of them changes anything.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zmon.cli.csv_output import add_csv_safe_argument
from zmon.cli.status import FAILED, OK, USAGE, complain

if TYPE_CHECKING:
    import argparse

    from zmon.cp.claim_sources import CpText


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `zmon cp`."""
    words = parser.add_subparsers(dest="word", required=True, metavar="WORD")
    parse = words.add_parser("parse", help="print what is understood of answers and directory entries")
    parse.add_argument("files", nargs="+", metavar="FILE", help="any text, - for standard input")
    parse.add_argument("-f", "--format", choices=("text", "json", "csv"), default="text")
    add_csv_safe_argument(parse)
    parse.add_argument("--unknown", action="store_true", help="list the lines that are not understood too")
    parse.set_defaults(run=_parse)
    query = words.add_parser("query", help="send one of the queries to CP")
    query.add_argument("name", help="its name; zmon cp list names them all")
    query.add_argument("operand", nargs="?", default="", help="the number it is about, in hex: 7000")
    query.add_argument(
        "-f",
        "--format",
        choices=("raw", "text", "json"),
        default="raw",
        help="raw as CP answers, or what zmon understands of it",
    )
    query.set_defaults(run=_query)
    listed = words.add_parser("list", help="list the queries and the privilege class of each")
    listed.add_argument("-f", "--format", choices=("text", "json"), default="text")
    listed.set_defaults(run=_list)


def run(args: argparse.Namespace) -> int:
    """Do what the word says; returns the exit status."""
    status: int = args.run(args)
    return status


def _parse(args: argparse.Namespace) -> int:
    from zmon.cli.understood import anything, lines, pages, records  # noqa: PLC0415 - --help reads nothing
    from zmon.cp.claim_sources import join_texts  # noqa: PLC0415 - likewise

    found = [_text(path) for path in args.files]
    if args.format == "text":
        printed = lines(found, unknown=args.unknown)
    else:
        printed = pages(found) if args.format == "json" else records(found, safe=args.csv_safe)
    for line in printed:
        print(line)
    for words in join_texts(list(zip(args.files, found, strict=True))).conflicts:
        complain(words)
    return OK if any(map(anything, found)) else FAILED


def _text(path: str) -> CpText:
    """Read a file; one that is too long to be a directory is read piece by piece, as answers."""
    from zmon.cp import answer_reader  # noqa: PLC0415 - --help reads nothing
    from zmon.cp.claim_sources import MAX_FILE, CpText, parse_text, read_file  # noqa: PLC0415 - likewise
    from zmon.cp.user_directory import UserDirectory  # noqa: PLC0415 - likewise

    if os.path.isfile(path) and os.path.getsize(path) > MAX_FILE:
        with open(path, "rb") as stream:
            return CpText(answer_reader.parse(stream, path), UserDirectory(path))
    return parse_text(read_file(path), path)


def _query(args: argparse.Namespace) -> int:
    from zmon.cp.vmcp import Cp, CpError, command_of  # noqa: PLC0415 - --help asks nobody

    try:
        command_of(args.name, args.operand)
    except CpError as error:
        complain(str(error))
        return USAGE
    try:
        answer = Cp().ask(args.name, args.operand)
    except CpError as error:
        return complain(str(error))
    if args.format == "raw":
        from zmon.screen.number import harmless  # noqa: PLC0415 - the others write no line as it came

        for line in answer.text.splitlines():
            print(harmless(line))
    else:
        from zmon.cli.understood import lines, pages  # noqa: PLC0415 - raw needs no parser
        from zmon.cp import answer_reader  # noqa: PLC0415 - likewise
        from zmon.cp.claim_sources import CpText  # noqa: PLC0415 - likewise
        from zmon.cp.user_directory import UserDirectory  # noqa: PLC0415 - likewise

        found = [CpText(answer_reader.parse(answer.text.encode(), answer.command), UserDirectory())]
        for line in pages(found) if args.format == "json" else lines(found):
            print(line)
    if answer.problem:
        complain(answer.problem)
    return FAILED if answer.problem else OK


def _list(args: argparse.Namespace) -> int:
    from zmon.cp.vmcp import WHITELIST  # noqa: PLC0415 - --help asks nobody

    if args.format == "json":
        import json  # noqa: PLC0415 - text needs none

        print(json.dumps([{"name": name, **query._asdict()} for name, query in WHITELIST.items()], indent=2))
        return OK
    print(f"{'name':<19}{'class':<9}{'command':<27}tells")
    for name, query in WHITELIST.items():
        called = f"{name} {query.operand.upper()}".strip()
        command = f"{query.command} {query.operand}".strip()
        print(f"{called:<19}{query.privilege:<9}{command:<27}{query.tells}")
    return OK
