"""Whose texts they are: outputs of several hosts are never united.

A prompt names its host, and so do ssh before a command, uname and hostname in what they print, and what
people and tools that ask many hosts write above an output or before each of its lines.  A host counts until
another is named, for a whole file if only one is, and for the files of a directory, or with the same word in
their names, if these name one host.  What may be a host or not, such as a word above an output, is one if
the same form of heading has several words: of a series, as `lnx1` and `lnx2`, or before outputs of the same
commands.

Sources: pdsh, dshbak(1); pssh(1); ansible, plugins/callback/minimal.py; salt, output/nested.py.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.plain_text import did_you_mean
from zmon.collected.reading import BETWEEN, Reading
from zmon.collected.times import earlier_outputs, of_other_times, outputs_of_earlier_boots, rank
from zmon.collected.tools import TOOLS
from zmon.kernel.capture_text import NoSuchHost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.kernel.capture_text import CollectedText

CALLER: Final = "?"
"""Stands for the host from which a text calls others by ssh, where nothing names it."""
_ANY: Final = "??"
"""Stands for a host that may be any of several."""
NO_HOST: Final = frozenset({"", "localhost", "linux"})
"""Names that many machines have."""
_NAME: Final = r"[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,62})*"
_PRINTED: Final = (
    (r"uname\b.*", r"Linux ([A-Za-z][\w.-]{0,62})\s"),
    (r"uname -n|uname --nodename|hostname(?: -s| --short)?|etc/hostname", rf"\s*({_NAME})\s*$"),
    (r"hostnamectl\b.*", rf"(?:.*\n)*?\s*Static hostname: ({_NAME})\s*\n"),
)
"""Commands and files that name the host, and where."""

_TAGGED: Final = (
    re.compile(rf"(?P<host>{_NAME}):(?: (?P<row>.*))?"),
    re.compile(rf"\[(?:[\w.-]+@)?(?P<host>{_NAME})\](?: (?:out|err))?:?(?: (?P<row>.*))?"),
    re.compile(rf"(?P<host>{_NAME}) ?[|>](?: (?P<row>.*))?"),
    re.compile(rf"(?P<host>{_NAME}) (?!kernel\b)[\w./-]{{1,40}}(?:\[\d+\])?:(?: (?P<row>.*))?"),
)
"""What pdsh, fabric, clush and the like, and logs behind the time, write before each line."""
_OF_CALLER: Final = re.compile(
    r"pdsh@\S+: (?:(?P<host>[A-Za-z][\w.-]*): (?P<row>.*)|.*)"
    r"|(?:\[?[\w.-]+@[\w.-]+[: ].{0,80}|[\w.-]+:[~/]\S{0,80} ?)?[#$>%](?: .*)?"
)
"""Prompts of who asks many hosts, and what pdsh says itself, also of a host, between the lines of these."""
_ASKS: Final = re.compile(
    r".*[#$>%] (?:sudo )?(?:pdsh|dsh|clush|pssh|parallel-ssh)\b"
    r"(?:[^'\"]*(?P<quote>['\"])(?P<command>.+)(?P=quote)"
    rf"|[^'\"]*?\s(?P<plain>(?:{'|'.join(sorted(TOOLS))})(?![\w.-])[^'\"|]*))[^'\"|]*(?P<filter>\|.*)?"
)
"""A command of who asks many hosts, with what each of them runs, and through what all answers go."""
_ASKS_MANY: Final = re.compile(r".*[#$>%] (?:sudo )?(?:pdsh|dsh|clush|pssh|parallel-ssh|salt|salt-ssh)\b.*")
_TAGGED_PART: Final = 0.9
"""The part of the lines that have it, from which on it is no part of them."""
_SEEN: Final = 20
"""Lines by which it is seen whether they can have it."""
_MAX_TAGS: Final = 1_000
"""Maximum number of hosts of one text."""

_LABELLED: Final = re.compile(
    r"\W*(?i:host(?: ?name)?|server(?: ?name)?|node(?: ?name)?|machine|rechner|system|guest)\s*[:=]\s*"
    rf"(?!host[0-9]+\b)(?P<host>{_NAME})\W*"
)
"""What names a machine; `host0` is an adapter of SCSI."""
_OF_TOOLS: Final = re.compile(
    rf"(?P<ansible>{_NAME}) \| [A-Z]+!?(?: \|.*| =>.*)"
    rf"|(?:ok|changed|failed|fatal): \[(?:{_NAME} -> )?(?P<play>{_NAME})\].* =>.*"
    rf"|\[\d+\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] (?:\S+@)?(?P<pssh>{_NAME})(?::\d+)?(?:\s.*)?"
)
RULED: Final = re.compile(r"-{15,16}")
"""What dshbak and clush draw above and below the hosts of an output."""
_GATHERED: Final = re.compile(rf"(?P<host>{_NAME}[\w\[\],-]*)(?: \(\d+\))?")
CLOSED: Final = re.compile(r"(?:Shared connection|Connection) to (?P<host>[\w.-]+) closed\.?\s*")
"""What ssh says at its end."""
_BARE: Final = re.compile(rf"(?P<before>\W*)(?P<host>{_NAME})(?P<behind>\W*)")
_SENTENCE: Final = re.compile(
    r"(?:.{0,80}\s)?(?i:on|auf|from|von|of|for|für|at|in|host|server|system|machine|guest|rechner)\s+"
    rf"(?:(?i:host|server|system|machine|guest|rechner)\s+)?(?P<host>{_NAME})\s*"
    r"(?:[:.,]|(?:is|are|ist|sind)\b.{0,40}[:.])?\s*"
)
SAID: Final = re.compile(
    r"[ \t>]*(?:\[(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )?\d\d?:\d\d(?::\d\d)?(?: [AP]M)?\] ?"
    r"|(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )?\d\d?:\d\d(?::\d\d)?(?: [AP]M)? (?:- |(?=<)))"
    r"(?:<[^<>]{1,40}>|[^\W\d_][\w .-]{0,40}:) ?"
    r"|[ \t>]*(?:\*\*[^\W\d_][\w .-]{0,40}\*\* {1,2}\d\d?:\d\d(?: [AP]M)?"
    r"|[^\W\d_][\w .-]{0,40} \d\d?:\d\d [AP]M)[ \t]*$"
)
"""What chats write before what somebody says: `[10:05] Eva: `, `02.03.26, 10:05 - Eva: `, `10:05 <eva> `.

Some write it in a line of its own: `**Eva** 10:05`, `Eva Meier  10:05 AM`.
"""
_UNANSWERED: Final = re.compile(
    r"ssh: .*|Minion did not return\b.*|(?:Permission denied|Connection (?:refused|timed out))\b.*"
    rf"|ssh exited with exit code .*|{'|'.join(Reading.failed)}"
)
"""What stands for an output that a host did not give."""
_APART: Final = re.compile(r"\W*|[ \t>]*(?:```|~~~)\w*\s*|\{(?:noformat|code)[^}]*\}\s*|\[/?code\]\s*")
"""What may stand between a heading and its output."""
_OF_GUESTS: Final = "virsh domblklist, dumpxml"
"""The form whose outputs are of guests of one host: the words above them are these."""
_LONGEST: Final = 200
"""Characters of a heading."""
_FOLDER: Final = "folder"
_SOS: Final = "sos_commands"
"""The directory of sos, below which no name is a host's."""
_MAX_APART: Final = 8
"""Lines between them."""
_DEVICE: Final = re.compile(
    r"(?:dasd|sd|hd|vd|xvd|mpath)[a-z]{1,4}[0-9]*|(?:md|dm-|loop|sr|nvme|mpath|zram|eth|enc|lo|vg|lv|pv)[\w-]*[0-9]\w*"
)
_NO_SERIES: Final = frozenset({
    "case", "chpid", "day", "disk", "dump", "example", "file", "group", "lcu", "list", "log", "out", "output",
    "page", "part", "pass", "path", "phase", "pool", "putty", "run", "screen", "section", "session", "step",
    "table", "teil", "test", "text", "vol", "volume",
})  # fmt: skip
"""What people number that is no host."""
_SILENT: Final = frozenset({
    "bash", "cd", "clear", "date", "exit", "history", "id", "ksh", "ll", "logout", "pwd", "reboot", "reset",
    "screen", "script", "sh", "su", "sudo", "sync", "tmux", "true", "w", "whoami", "zsh",
})  # fmt: skip
"""Commands of one word that people type between others."""
_LEAST_OF_SERIES: Final = 3
"""Letters that the names of a series have in common."""
_SHARED_BY_FILES: Final = 2
"""Outputs of the same commands that files have whose names name hosts."""


def short(name: str) -> str:
    """Return the name of a host without its domain, as names are compared; an address stays whole."""
    return (name if re.fullmatch(r"[0-9.]+", name) else name.partition(".")[0]).casefold()


def host_of(text: CollectedText) -> str:
    """Return the host that an output is of; empty if nothing names it."""
    named = text.host or printed_host(text.command or text.file, text.text)
    return "" if named in NO_HOST else named


def printed_host(command: str, text: str) -> str:
    """Return the host that an output of a command, or the copy of a file, names; empty if it names none."""
    for pattern, printed in _PRINTED:
        if re.fullmatch(pattern, command or "uname -a") and (match := re.match(printed, text)):
            named = short(match[1])
            return "" if named in NO_HOST else named
    return ""


class HostPart(NamedTuple):
    """What a text has of one host."""

    host: str
    """Empty where nothing names it."""
    line: int
    """Its first line in the text, counted from 1."""
    text: str
    step: int = 1
    """Lines of the text that each of its lines takes; see `CollectedText`."""
    command: str = ""
    """Whose output it is; empty if it says so itself."""


def by_host(text: str, count: Callable[[str], int]) -> list[HostPart]:
    """Return the texts of hosts that stand before each line of a text, or of a part of it, and the rest.

    Lines of others between those of a host are `BETWEEN`.  `count` says how many outputs begin in a text:
    what stands before each line of a tool's output is no host.
    """
    if parts := _tagged(text, count):
        return parts
    rows = text.removesuffix("\n").split("\n")
    for begin, end in [*_sections(rows)]:
        own = _tagged("".join(f"{row}\n" for row in rows[begin:end]), count)
        is_asked = _ASKS_MANY.fullmatch(rows[begin]) is not None
        if own and (is_asked or (len(own) > 1 and all(count(part.text) for part in own))):
            parts += [part._replace(line=begin + part.line) for part in own]
            rows[begin + is_asked : end] = [""] * (end - begin - is_asked)
    return (
        [*parts, HostPart("", 1, "".join(f"{row}\n" for row in rows))] if parts else [HostPart("", 1, text)]
    )


def _sections(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield which lines may be of several hosts: behind a command that asks these, else a paragraph."""
    begin = 0
    for number, row in enumerate([*rows, ""]):
        is_prompt = _OF_CALLER.fullmatch(row) is not None and not row.startswith("pdsh@")
        is_asked = begin < len(rows) and _ASKS_MANY.fullmatch(rows[begin]) is not None
        if number == len(rows) or is_prompt or (not row.strip() and not is_asked):
            if number > begin:
                yield begin, number
            begin = number + (not is_prompt)


def _tagged(text: str, count: Callable[[str], int]) -> list[HostPart]:
    """Return the texts of hosts that stand before nearly all lines of a text; none if these name none."""
    rows = text.removesuffix("\n").split("\n")
    filled = [row for row in rows if row.strip() and not _OF_CALLER.fullmatch(row)]
    for tag in _TAGGED:
        if 2 * sum(1 for row in filled[:_SEEN] if tag.fullmatch(row)) <= len(filled[:_SEEN]):
            continue
        matches = [tag.fullmatch(row) for row in rows]
        if sum(map(bool, matches)) <= _TAGGED_PART * len(filled):
            continue
        own: dict[str, list[tuple[int, str]]] = {}
        for number, match in enumerate(matches):
            if match:
                own.setdefault(short(match["host"]), []).append((number, match["row"] or ""))
        for number, row in enumerate(rows):
            if (said := _OF_CALLER.fullmatch(row)) and said["host"]:
                own.setdefault(short(said["host"]), [(number, said["row"])])
        if len(own) > _MAX_TAGS or all(len(host) == 1 for host in own):  # udevadm has `P: `, `N: `, `E: `
            continue
        parts = [part for host, lines in own.items() for part in _answers(host, lines, rows)]
        if (begun := sum(count(part.text) for part in parts)) and begun >= count(text):
            return parts
    return []


def _answers(host: str, lines: Sequence[tuple[int, str]], rows: Sequence[str]) -> Iterator[HostPart]:
    """Yield what a host has answered to each command of who asks many."""
    asked = [
        (number, f"{(match['command'] or match['plain']).strip()} {match['filter'] or ''}".strip())
        for number, row in enumerate(rows)
        if (match := _ASKS.fullmatch(row))
    ]
    begins = [(-1, ""), *asked, (len(rows), "")]
    for (begin, command), (end, _command) in pairwise(begins):
        if own := [(number, row) for number, row in lines if begin < number < end]:
            asked_of = command * is_answer(row for _number, row in own)
            yield HostPart(host, own[0][0] + 1, _with_gaps(own), command=asked_of)


def is_answer(rows: Iterable[str]) -> bool:
    """Return whether lines are what a command printed, and not what stands for it; no line may be, too."""
    filled = [row.strip() for row in rows if row.strip()]
    return not filled or not all(map(_UNANSWERED.fullmatch, filled))


def _with_gaps(lines: Sequence[tuple[int, str]]) -> str:
    begin = lines[0][0]
    rows = [BETWEEN] * (lines[-1][0] - begin + 1)
    for number, row in lines:
        rows[number - begin] = row
    return "".join(f"{row}\n" for row in rows)


def headings(rows: Sequence[str], begins: Callable[[int], str], *, is_prompted: bool) -> dict[int, str]:
    """Return the hosts that lines name for what follows, by the numbers of the lines, counted from 0.

    `begins` returns the command or form of the output that begins with a line, empty if none does;
    `is_prompted` says that there are prompts, so that a word alone may be what a command printed.
    """
    named: dict[int, str] = {}
    bare: dict[str, list[tuple[int, str]]] = {}
    for number, row in enumerate(rows):
        text = SAID.sub("", row.strip())
        if not text or len(text) > _LONGEST or (number and rows[number - 1].startswith("==> ")):
            continue
        if host := _host_above(rows, number, begins, is_prompted=is_prompted):
            named[number] = host
        elif match := _BARE.fullmatch(text):
            marks = f"{match['before']} {match['behind']}"
            if marks.strip() or not is_prompted:
                bare.setdefault(marks, []).append((number, match["host"]))
        elif match := _SENTENCE.fullmatch(text):
            bare.setdefault("sentence", []).append((number, match["host"]))
    for marks, lines in bare.items():
        hosts = _hosts_of_shape(lines, rows, begins)
        if marks.strip() or len(hosts) == len(lines):  # lines of words alone are rows of outputs, too
            named |= hosts
    return named


def _host_above(rows: Sequence[str], number: int, begins: Callable[[int], str], *, is_prompted: bool) -> str:
    """Return the host that a line names whatever others are there; empty if it names none."""
    text = SAID.sub("", rows[number].strip())
    if match := _OF_TOOLS.fullmatch(text):
        return short(match["ansible"] or match["play"] or match["pssh"])
    if (match := _GATHERED.fullmatch(text)) and _is_ruled(rows, number):
        return "" if match["host"] in TOOLS else short(match["host"])
    if (match := _LABELLED.fullmatch(text)) and (not is_prompted or _output_below(rows, number, begins)):
        return short(match["host"])
    return ""


def _hosts_of_shape(
    lines: Sequence[tuple[int, str]], rows: Sequence[str], begins: Callable[[int], str]
) -> dict[int, str]:
    """Return the hosts among words that stand in headings of the same form, by the numbers of their lines."""
    is_remote = any(re.search(r"\bssh\b.*\bvirsh\b", row) for row in rows)
    own = [
        (number, word)
        for number, word in lines
        if not _DEVICE.fullmatch(word)
        and word not in TOOLS
        and "_" not in word
        and rank(word)[0] < 0
        and (begun := _output_below(rows, number, begins))
        and (begun != _OF_GUESTS or is_remote)
    ]
    if len({short(word) for _number, word in own}) <= 1:
        return {}
    ends = [*(number for number, _word in own[1:]), len(rows)]
    sections = [
        (short(word), _below(rows, number, end, word, begins))
        for (number, word), end in zip(own, ends, strict=True)
    ]
    if all(keys is None for _word, keys in sections):
        return {}
    hosts = _hosts_among([(word, keys or frozenset()) for word, keys in sections])
    if any(begins(number) for number, _word in own):  # it is a prompt, too, and behind it are commands
        hosts -= _SILENT
    return {number: short(word) for number, word in own if short(word) in hosts}


def _is_ruled(rows: Sequence[str], number: int) -> bool:
    beside = (*rows[number - 1 : number], *rows[number + 1 : number + 2])
    return len(beside) == 2 and all(RULED.fullmatch(row.strip()) for row in beside)


def _output_below(rows: Sequence[str], number: int, begins: Callable[[int], str]) -> str:
    """Return what output begins below a line, or below further headings there, and not left of it.

    It may begin with what stands for one that could not be had, or be no more than that.
    """
    failed = ""
    for below in range(number + 1, min(number + 1 + _MAX_APART, len(rows))):
        text = rows[below].strip()
        if begun := begins(below):
            return begun if _indentation(rows[number]) <= _indentation(rows[below]) else ""
        if _UNANSWERED.fullmatch(text):
            failed = text
        elif not _APART.fullmatch(text) and not _BARE.fullmatch(text):
            return failed
    return failed


def _indentation(row: str) -> int:
    return len(row) - len(row.lstrip(" \t>|"))


def _below(
    rows: Sequence[str], number: int, end: int, word: str, begins: Callable[[int], str]
) -> frozenset[str] | None:
    """Return what outputs stand below a heading; None if the word above them is what they are about."""
    keys = set()
    about = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
    for below in range(number + 1, end):
        key = begins(below)
        if key:
            keys.add(key)
        is_name = rows[below].strip().casefold() == word.casefold() or re.match(r"\s*Linux ", rows[below])
        if not is_name and not key and about.search(rows[below]):
            return None
    return frozenset(keys)


def _hosts_among(headed: Sequence[tuple[str, frozenset[str]]]) -> set[str]:
    """Return the words of headings that are hosts.

    Where some are, the others are, too, unless they stand there several times, as `disks` below each host.
    """
    keys: dict[str, frozenset[str]] = {}
    for word, below in headed:
        keys[word] = keys.get(word, frozenset()) | below
    hosts = _alike([*keys.items()], 1)
    counted = Counter(word for word, _below in headed)
    return hosts | {word for word in keys if counted[word] == 1} if hosts else set()


def _alike(named: Sequence[tuple[str, frozenset[str]]], least: int) -> set[str]:
    """Return the words that are of a series, or have at least so many outputs in common with another."""
    series: dict[tuple[str, str], set[str]] = {}
    for word, _keys in named:
        for sort, base in (("number", re.sub(r"[0-9]+", "", word)), ("letter", word[:-1])):
            if base != word and len(base) >= _LEAST_OF_SERIES and base not in {*_NO_SERIES, *TOOLS}:
                series.setdefault((sort, base), set()).add(word)
    alike = {word for members in series.values() if len(members) > 1 for word in members}
    for at, (word, keys) in enumerate(named[:_MAX_TAGS]):
        for other, others in named[at + 1 : _MAX_TAGS]:
            if len(keys & others) >= least:
                alike |= {word, other}
    return alike


def strangers(
    texts: Sequence[CollectedText], pass_host: str = "", wanted: str = ""
) -> Iterator[tuple[CollectedText, str]]:
    """Yield what is not of the `wanted` host or time, else that of most outputs, or the newest.

    Each is with what it is, which is empty of remarks.  Where the kernel's files beside the texts name their
    host, it is that.

    Raises:
        NoSuchHost: no output is of the wanted host, or the kernel's files are of another.
    """
    named: dict[tuple[str, str], dict[str, str]] = {}
    for text in texts:
        for shape, word in _words_in(text.origin):
            named.setdefault(shape, {})[text.origin] = word
    told = {word for text in texts for word in text.moment}
    is_time = rank(wanted)[0] >= 0 and any(
        wanted in named_times for named_times in (told, *(by_origin.values() for by_origin in named.values()))
    )
    others = [*_of_other_hosts(texts, pass_host, "" if is_time else wanted)]
    yield from others
    own = _but(texts, others)
    of_others = [*of_other_times(own, named, wanted)]
    yield from of_others
    own = _but(own, of_others)
    of_boots = [*outputs_of_earlier_boots(own)]
    yield from of_boots
    yield from earlier_outputs(_but(own, of_boots), wanted if is_time else "")


def _but(
    texts: Sequence[CollectedText], others: Sequence[tuple[CollectedText, str]]
) -> Sequence[CollectedText]:
    left = {id(text) for text, _why in others}
    return [text for text in texts if id(text) not in left]


def _of_other_hosts(
    texts: Sequence[CollectedText], pass_host: str, wanted: str
) -> Iterator[tuple[CollectedText, str]]:
    hosts = _whose(texts)
    counted = Counter(host for text, host in zip(texts, hosts, strict=True) if text.form or text.file)
    del counted[""]
    kernel = short(pass_host)
    if kernel and kernel not in NO_HOST:
        counted[kernel] += len(texts) + 1
    silent = {host for text, host in zip(texts, hosts, strict=True) if text.text.strip()}
    silent -= {*counted, "", _ANY}
    own = short(wanted)
    if wanted:
        named = {own} if any(_is_of_series(own, host) for host in counted) else set[str]()
        _see_host(wanted, ({*counted} | named) - {_ANY}, kernel if kernel in counted else "", silent)
    for text, host in zip(texts, hosts, strict=True):
        if host in silent and not host.startswith(CALLER):
            rows = map(str.strip, text.text.split("\n"))
            said = next(filter(_UNANSWERED.fullmatch, rows), "")
            why = f"it gave no answer ({said})" if said else "no output of this host was read"
            yield text, f"texts of {_words(host)}: {why}"
    if len(counted) < 2:
        return
    del counted[_ANY]
    own = own or max(counted, key=lambda host: sum(counted[named] for named in _with_series(host, counted)))
    kept = {*_with_series(own, counted), *silent}
    for text, host in zip(texts, hosts, strict=True):
        is_output = bool(text.form or text.file or text.command)
        if host in kept or (host in {"", _ANY} and not is_output) or (not host and own == kernel):
            continue
        whose = "whose host no text names" if host in {"", _ANY} else f"of {_words(host)}"
        why = f"outputs {whose}: others are of {_words(own)}; --host NAME chooses another host"
        yield text, why if is_output else ""


def _with_series(host: str, named: Iterable[str]) -> list[str]:
    """Return of some names a host's own and those of the series that it is of."""
    return [name for name in named if name == host or _is_of_series(host, name)]


def _is_of_series(host: str, series: str) -> bool:
    """Return whether a host is one of those that dshbak calls `n[01-03,07],m`: their outputs are the same."""
    for name in re.split(r",(?![^\[]*\])", series) if re.search(r"[\[,]", series) else ():
        match = re.fullmatch(r"(.*)\[([0-9,-]+)\](.*)", name)
        own = re.fullmatch(f"{re.escape(match[1])}([0-9]+){re.escape(match[3])}", host) if match else None
        spans = (part.partition("-") for part in match[2].split(",")) if match and own else ()
        if name == host or any(first <= own[1] <= (last or first) for first, _dash, last in spans if own):
            return True
    return False


def _see_host(wanted: str, hosts: set[str], kernel: str, silent: set[str]) -> None:
    if short(wanted) in silent:
        raise NoSuchHost(f"--host {wanted}: no output of this host was read")
    if short(wanted) not in hosts or kernel not in {"", short(wanted)}:
        those = (
            f"the kernel's files are of {kernel}"
            if kernel
            else f"these are of {', '.join(sorted(hosts)[:9])}"
        )
        there = those if hosts else "none names a host"
        raise NoSuchHost(f"--host {wanted}: no text is of this host, {there}{did_you_mean(wanted, hosts)}")


def _words(host: str) -> str:
    return "the host that calls others by ssh" if host.startswith(CALLER) else f"the host {host}"


def _whose(texts: Sequence[CollectedText]) -> list[str]:
    """Return the host of each output: its own, that of its file, or that of the files around it."""
    own = [f"{host} {text.origin}" if (host := host_of(text)) == CALLER else host for text in texts]
    named: dict[str, set[str]] = {}
    for text, host in zip(texts, own, strict=True):
        named.setdefault(text.origin, set()).update({host} - {""})
    groups = _groups(texts)
    of_file = {
        origin: next(iter(hosts)) if len(hosts) == 1 else _ANY if hosts else ""
        for origin, hosts in named.items()
    }
    for origin in [origin for origin, hosts in named.items() if not hosts]:
        of_file[origin] = _of_others(origin, named, groups)
    return [host or of_file[text.origin] for text, host in zip(texts, own, strict=True)]


def _of_others(origin: str, named: Mapping[str, set[str]], groups: Mapping[str, str]) -> str:
    """Return the host of a file without a name of one, by those of files in its group or directory."""
    if word := groups.get(origin):
        told = set[str]().union(*(hosts for other, hosts in named.items() if groups.get(other) == word))
        return next(iter(told)) if len(told) == 1 else _ANY if told else word
    directory = posixpath.dirname(origin)
    while True:
        below = f"{directory}/" if directory else ""
        told = set[str]().union(*(hosts for other, hosts in named.items() if other.startswith(below)))
        if told:
            return next(iter(told)) if len(told) == 1 else _ANY
        if not directory:
            return ""
        directory = posixpath.dirname(directory)


def _groups(texts: Sequence[CollectedText]) -> dict[str, str]:
    """Return the words in the paths of files that name hosts: directories, or how files' names begin or end.

    `lnx1/lsdasd.txt` and `lnx2/mount.txt` are of two hosts, as are `lnx1_lsdasd.txt` and `lnx2_mount.txt`.
    """
    keys: dict[str, set[str]] = {}
    for text in texts:
        keys.setdefault(text.origin, set()).update({text.command or text.form} - {""})
    shapes: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for origin in keys:
        for shape, word in _words_in(origin):
            is_name = re.fullmatch(_NAME, word) and word not in TOOLS and not _DEVICE.fullmatch(word)
            if is_name and rank(word)[0] < 0:
                shapes.setdefault(shape, []).append((word.casefold(), origin))
    groups: dict[str, str] = {}
    for _shape, files in sorted(shapes.items(), key=lambda pair: pair[0][0] != _FOLDER):
        below: dict[str, set[str]] = {}
        for word, origin in files:
            below.setdefault(word, set()).update(keys[origin])
        hosts = _alike([(word, frozenset(outputs)) for word, outputs in below.items()], _SHARED_BY_FILES)
        for word, origin in files:
            if word in hosts:
                groups.setdefault(origin, word)
    return groups


def _words_in(origin: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the words of a path that may be a host, each with where it stands."""
    *folders, name = origin.split("/")
    if _SOS in folders:
        folders, name = folders[: folders.index(_SOS)], ""
    for depth, word in enumerate(folders):
        yield (_FOLDER, "/".join(folders[:depth])), word
    parts = re.split(r"[_. ]", posixpath.splitext(name)[0])
    parts = parts if len(parts) > 1 else parts[0].split("-")
    yield ("first", "/".join(folders)), parts[0]
    yield ("last", "/".join(folders)), parts[-1]
