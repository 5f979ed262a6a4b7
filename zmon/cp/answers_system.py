"""Answers about the system and its users, and how CP, CMS and vmcp report the result of a command.

QUERY USERID, CPLEVEL, PRIVCLASS, PROCESSORS, MDCACHE, SHARE; INDICATE LOAD, USER, QUEUES, whose figures are
CP's own smoothed averages or totals, not those of an interval of zmon; messages, return codes, failures, and
sentences that nothing exists.  CP has no message for a query that is not permitted: it reports that an
operand or the command is unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.cp.answer import MAX_PARTS, REMEMBERED, AnswerForm
from zmon.cp.console import hide_passwords

if TYPE_CHECKING:
    from zmon.cp.console import ConsoleLine

# results of commands

_TRUNCATED: Final = re.compile(r"output \(([0-9]{1,12}) bytes\) was truncated.*")


def _command(values: dict[str, Any]) -> dict[str, Any]:
    return {"command": hide_passwords(values["command"].upper()), "code": values["code"] or 0}


def _failure(values: dict[str, Any]) -> dict[str, Any]:
    text = hide_passwords(values["text"])
    needed, sort = None, "other"
    if match := _TRUNCATED.fullmatch(text):
        needed, sort = int(match[1]), "truncated"
    elif text.startswith("Could not open device"):
        sort = "forbidden" if text.endswith("Permission denied") else "absent"
    elif text.startswith(("Command too long", "Invalid buffersize")):
        sort = "too long"
    return {"text": text, "needed": needed, "sort": sort}


MESSAGES: Final = (
    AnswerForm(
        # A return code of a `command`, from CMS or vmcp; of a CP command it is the number of the message.  A
        # prompt that reports success is a code of zero.
        "return", "code:int command line weak", "code command",
        re.compile(r"Ready(?:\((?P<code>-?[0-9]{1,9})\))?;(?: T=.*)?"),
        re.compile(r"Error: non-zero CP response for command '(?P<command>.*)': #(?P<code>-?[0-9]{1,9})"),
        adjust=_command,
    ),
    AnswerForm(
        # A failure of the command itself, as vmcp reports it.  `sort`: `truncated`, `forbidden`,
        # `absent`, `too long`, `other`; `needed`: bytes of the whole answer that was truncated.
        "failure", "sort needed:int text line weak", "text", re.compile(r"Error: (?P<text>.*)"),
        adjust=_failure,
    ),
    AnswerForm(
        # A message of CP: `HCPQVD040E Device 0600 does not exist`.  `module`: three letters; QVD looks among
        # virtual devices, QDV among real ones; `command`: the command that it answers; empty when none
        # precedes it.
        "message", "number:int module severity text command line weak", "number module text command",
        re.compile(
            r"(?:.{0,80}?\s)?HCP(?P<module>[A-Z0-9]{3})(?P<number>[0-9]{3,4})(?P<severity>[ADEIRSTW])\b"
            r" ?(?P<text>.*)"
        ),
    ),
    AnswerForm(
        "nothing", "text line weak", "text",  # a sentence that says there is none: an answer, no error
        re.compile(
            r"(?P<text>(?:An?|No) .{1,60} (?:was|were|are) (?:not found|available)\.?|No users in .{1,40})"
        ),
    ),
)  # fmt: skip
"""Results of commands."""

# load

_QUEUE: Final = re.compile(r"\b(Q[0-3]|DORMANT)-([0-9]{1,9})")
_PROC: Final = re.compile(
    r"\bPROC ([0-9A-F]{4})-([0-9]{1,3})%(?: +(CP|IFL|ZIIP|ZAAP|ICF)\b)?(?: +(HZ|VH|VM|VL)\b)?"
)
_SECTION: Final = re.compile(r"CPU ([0-9A-F]{2}): ")
_PAIR: Final = re.compile(r"\b([A-Z]+)=(?:((?:DEV|USERID|NSS) \S+)|(\S+))")


def _below_load(row: Any, line: ConsoleLine) -> Any:
    """Take the lines of queues and of processors."""
    if re.match("Q[0-3]-[0-9]", line.text):
        return row._replace(**{match[1].lower(): int(match[2]) for match in _QUEUE.finditer(line.text)})
    if not line.text.startswith("PROC ") or len(row.procs) >= 8 * MAX_PARTS:
        return None
    procs = [(p[1], int(p[2]), p[3] or "", p[4] or "") for p in _PROC.finditer(line.text)]
    return row._replace(procs=(*row.procs, *procs)) if procs else None


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((match[1], (match[2] or match[3]).strip()) for match in _PAIR.finditer(text[:200]))


def _usage(values: dict[str, Any]) -> dict[str, Any]:
    return {"values": _pairs(hide_passwords(values["pairs"])), "cpus": ()}


def _below_usage(row: Any, line: ConsoleLine) -> Any:
    """Take a line of values: of the user, of a CPU that it begins, or of the last CPU."""
    text = hide_passwords(line.text)  # any line of NAME=VALUE fits here
    pairs = _pairs(text)
    if len(row.cpus) >= MAX_PARTS or len(row.values) >= MAX_PARTS:
        return None
    if match := _SECTION.match(text):
        return row._replace(cpus=(*row.cpus, (match[1], _pairs(text[match.end() :]))))
    if not pairs:
        return None
    if row.cpus and line.indent:
        number, values = row.cpus[-1]
        return row._replace(cpus=(*row.cpus[:-1], (number, (*values, *pairs)[:MAX_PARTS])))
    return row._replace(values=(*row.values, *pairs)[:MAX_PARTS])


SYSTEM: Final = (
    AnswerForm(
        # QUERY USERID, and IDENTIFY of CMS, which adds RSCS, date and time.
        "identity", "user system line node weak", "node user",
        re.compile(
            r"(?P<user>[A-Z0-9$#@_+:.-]{1,8})\s+AT\s+(?P<system>[A-Z0-9$#@_.-]{1,8})"
            r"(?:\s+VIA\s+\S{1,8}\s+\S{1,10}\s+\S{1,10}\s+\S{1,5}\s+[A-Z]{6,9})?"
        ),
    ),
    AnswerForm(
        # A real processor.  `state`: `master`, `alternate`, `parked` ...
        "processor", "number state:lower type core line weak", "number",
        re.compile(
            r"PROCESSOR (?P<number>[0-9A-F]{2,4}) (?P<state>[A-Z]+) +(?P<type>[A-Z]{2,4})"
            r"(?: +CORE (?P<core>[0-9A-F]{4}))?(?: .*)?"
        ),
    ),
    AnswerForm(
        # The release of z/VM; dates are as the installation writes them.
        "level", "version release service generated ipl line weak", "",
        re.compile(
            r"z/VM\s+Version (?P<version>\d+) Release (?P<release>[\d.]+), service level (?P<service>\d+).*",
            re.IGNORECASE,
        ),
        below=(re.compile(r"Generated at (?P<generated>\S.*)"), re.compile(r"IPL at (?P<ipl>\S.*)")),
    ),
    AnswerForm(
        "classes", "user current directory line node weak", "node user",  # which commands a user may give
        re.compile(r"Privilege classes for user (?P<user>\S{1,8})"),
        below=(
            re.compile(r"Currently:\s+(?P<current>\S{1,32})"),
            re.compile(r"Directory:\s+(?P<directory>\S{1,32})"),
        ),
    ),
    AnswerForm(
        # Minidisk cache of `system`, or of `user` and a name.
        "mdcache", "whose on:switch line weak", "whose",
        re.compile(r"Minidisk cache (?P<on>ON|OFF) for (?P<whose>system|user \S{1,8})"),
        weak=REMEMBERED, below=(re.compile(r"(?:Storage|Xstore|Ideal) MDC .*"),),
    ),
    AnswerForm(
        "share", "user sort:lower value limit line weak", "user",  # `relative` or `absolute`
        re.compile(r"USER (?P<user>\S{1,8})\s*: (?P<sort>RELATIVE|ABSOLUTE) SHARE =\s*(?P<value>[0-9.]+%?)"),
        weak=REMEMBERED, below=(re.compile(r"MAXIMUM SHARE =\s*(?P<limit>\S.*)"),),
    ),
    AnswerForm(
        # INDICATE LOAD, the long form or the short one of class G; values that a form does not show are
        # None.  `avg`: load of the processors in percent; `mdc_reads`, `mdc_writes`, `paging`: in a second;
        # `mdc_hit`: percent; `q0` to `q3`: users in the dispatch list by class; `procs`: processor, percent,
        # type, polarization (`HZ`, `VH`, `VM`, `VL`).
        "load",
        "avg:int cpus:int mdc_reads:int mdc_writes:int mdc_hit:int paging:int q0:int q1:int q2:int q3:int"
        " dormant:int limited:int procs:list line weak",
        "", re.compile(r"AVGPROC-(?P<avg>[0-9]{1,5})% (?P<cpus>[0-9]{2,4})"),
        grow=_below_load,
        below=(
            re.compile(
                r"MDC READS-(?P<mdc_reads>[0-9]{1,9})/SEC WRITES-(?P<mdc_writes>[0-9]{1,9})/SEC"
                r" HIT RATIO-(?P<mdc_hit>[0-9]{1,3})%.*"
            ),
            re.compile(r"PAGING-(?P<paging>[0-9]{1,9})/SEC.*"),
            re.compile(r"LIMITED-(?P<limited>[0-9]{1,9})"),
            re.compile(r"XSTORE-[0-9]+/SEC.*"),
        ),
    ),
    AnswerForm(
        # INDICATE USER: pages, I/O and CPU time of a guest, with the names CP gives them.  `cpus`: number of
        # the virtual CPU, and its values; times as CP writes them.
        "usage", "user values:list cpus:list line weak", "user",
        re.compile(r"USERID=(?P<user>\S{1,8})\s+(?P<pairs>MACH=\S+.*)"), adjust=_usage, grow=_below_usage,
    ),
    AnswerForm(
        "queued", "user cpu queue state line weak", "user cpu",  # a guest in a queue: INDICATE QUEUES
        re.compile(
            r"(?P<user>\S{1,8})\s+(?:(?P<cpu>MP[0-9A-F]{2})\s+)?(?P<queue>Q[0-3]|E[0-3]|L0)\s+(?P<state>\S{1,4})"
            r"\s+[0-9]{8}/[0-9]{8}\s+\S{4}\s+\S+\s+\S+"
        ),
        weak=REMEMBERED,
    ),
)  # fmt: skip
"""The system's name, its properties and its load."""
