r"""Texts beside the kernel files of a capture: what tools printed, and what collectors of data leave behind.

A text is cut into sections, each the output of one command or the copy of one file:

* supportconfig writes `#==[ Command ]====#` and `# /usr/bin/lsblk -i`, or `#==[ Configuration File ]====#`
  and `# /proc/mounts`, before each; it drops empty lines and comments of copied files.
* dbginfo.sh writes a line of number signs and `host> lsblk` before each command.
* sos gives each command a file `sos_commands/PLUGIN/COMMAND`, where anything but letters, digits, `_`, `-`
  and `.` is `_`.
* The file of a person has prompts (`host:~ # lsdasd`), or only output, whose command is then unknown.

Sources: supportutils, bin/supportconfig.rc; s390-tools, scripts/dbginfo.sh; sos, report/plugins/__init__.py.
"""

from __future__ import annotations

import posixpath
import re

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS: Final = (
    "btrfs", "cat", "dasdview", "dmsetup", "findmnt", "hcp", "ls", "lsblk", "lschp", "lscpu", "lscss",
    "lsdasd", "lsscsi", "lszfcp", "lvs", "mount", "multipath", "multipathd", "pvs", "swapon", "udevadm",
    "uname", "vmcp",
)  # fmt: skip
"""The commands whose output zmon can use."""
MAX_SECTIONS: Final = 200_000
"""Maximum number of sections of all texts together; supportconfig of a large machine has some 20,000."""
MAX_HEAD: Final = 1 << 16
"""Bytes of a file that decide whether it is a text with something for zmon."""
MAX_TEXTS: Final = 10_000
"""Maximum number of files beside the passes that are looked at."""
ENDINGS: Final = frozenset({"", ".json", ".list", ".log", ".lst", ".out", ".text", ".txt"})
"""What the names of texts among other files end with."""
FIRST: Final = 8
"""Lines at the begin of a text among others that say whether it is the output of a command."""
MAX_ROW: Final = 4096
"""Longest line that tools print of a device; no longer one is matched with patterns."""
TEXT_BYTES: Final = 256 << 20
"""Maximum bytes of them together."""

UNREAD: Final = frozenset({"boot", "home", "lib", "lib64", "opt", "root", "tmp", "usr", "var", "src"})
"""Directories of a collection whose files are no outputs of commands."""


class CollectedText(NamedTuple):
    """The output of a command, or the copy of a file, in a text of a collection."""

    origin: str
    """The path of the text in its collection: `fs-diskio.txt`."""
    line: int
    """The line where the content begins, counted from 1."""
    command: str
    """The command without its directory: `lsblk -i`; empty when it is not known, or for a file."""
    file: str
    """The path of a copied file without its first slash: `proc/mounts`; empty for a command."""
    text: str
    time: int
    """When the text was written, in ns since 1970."""

    @property
    def tool(self) -> str:
        """The first word of the command."""
        return self.command.partition(" ")[0]

    def rows(self, longest: int = MAX_ROW) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not longer than `longest`, numbered from 0."""
        for number, row in enumerate(self.text.split("\n")):
            if len(row) <= longest:
                yield number, row

    def place(self, line: int = 0) -> str:
        """Return where a line of the content is, counted from 0: `fs-diskio.txt:12`."""
        return f"{self.origin}:{self.line + line}"


# Patterns of the content of texts are compiled with the first text: most captures hold none.
_TOOLS: Final = "|".join(COMMANDS)
_SECTION: Final = r"(?m)^#==\[ ([A-Za-z ]{1,40}) \]=*#\n# ?([^\n]*)\n"
_ECHOED: Final = r"(?m)^#{20,200}\n([^\s>]{0,255})> ([^\n]*)\n"
_PROMPT: Final = (
    rf"(?m)^(?:\[[^\]\n]{{1,100}}\] ?)?(?:[\w.@-]{{1,64}}(?::[^\s#$>%]{{0,100}})?)? ?[#$>%] ?"
    rf"(?:sudo )?(?:/[\w./-]{{1,60}}/)?((?:{_TOOLS})(?: [^\n]*)?)\n"
)
_HEADINGS: Final = (
    rb"(?m)^(?:#==\[ |#{20,200}\n[^\s>]{0,255}> |Bus-ID +|Device +Subchan\.|CHPID +Vary"
    rb"|[^\n]{0,200}MAJ[:_]MIN|DASD [0-9A-Fa-f]{4} |\S+: [0-9]+ [0-9]+ [a-z-]+|\S[^\n]{0,200} dm-[0-9]{1,5}"
    rb" [^,\n]{1,16},|P: /devices/|Name: +\S+\nState: |Architecture: +s390x|0\.[0-3]\.[0-9a-f]{4}[/( ]"
    rb"|\S+ on / type |/dev/\S+ / \S+ "
    rb"| *[LP]V +VG +|NAME +TYPE +SIZE +USED +PRIO|major minor +#blocks +name|Name +Maj +Min +Stat "
    rb"|\S{1,128}[ \t]+\([0-9]{1,4}(?::|, ?)[0-9]{1,8}\)\s*$|/dev/(?:disk/by-[a-z]{1,16}|mapper)/?:\s*$"
    rb"|\[[0-9]{1,5}(?::[0-9]{1,20}){3}\] +disk |FCP +[0-9A-F]{4} ON FCP "
    rb"|--- general DASD information|Label: [^\n]{0,300}uuid: |Filename\s+Type\s+Size"
    rb"|TARGET +SOURCE|SOURCE +(?:TARGET|FSTYPE)"
    rb'|/dev/\S+ on /[^\n]{0,200} type |\{\s{0,20}"blockdevices"\s{0,20}:|Linux \S+ [0-9])'
)
_COLLECTORS: Final = rb"(?m)^(?:#==\[ [A-Za-z ]{1,40} \]=|#{20,200}\n[^\s>]{0,255}> )"
_NOT_THERE: Final = r" - (?:File not found|Last [0-9]+ Lines)\s*$"


def may_be_collected(path: str) -> bool:
    """Return whether a file, by its path alone, can be a text with something that zmon can use."""
    if match := _SOS.fullmatch(path):
        return match["tool"] in COMMANDS
    return UNREAD.isdisjoint(path.split("/")[:-1])


def is_collected(path: str, head: bytes) -> bool:
    """Return whether a file, by its path and first bytes, is a text with something that zmon can use."""
    if b"\0" in head or not may_be_collected(path):
        return False
    if _SOS.fullmatch(path) or re.search(_HEADINGS, head):
        return True
    return re.search(_PROMPT, head.decode("utf-8", "replace")) is not None


def is_collected_among(path: str, head: bytes, deepest: int) -> bool:
    """Return whether one of many files is such a text, as `is_collected` does for one that a person names.

    Program source and manuals quote outputs of commands, too, so its name has to end like a text's.  What
    collectors write is known by its form, wherever it is.  Any other text has to begin like the output of a
    command, at most `deepest` directories down.
    """
    if not is_collected(path, head):
        return False
    if _SOS.fullmatch(path):
        return True
    if posixpath.splitext(path)[1].lower() not in ENDINGS:
        return False
    if re.search(_COLLECTORS, head):
        return True
    return path.count("/") <= deepest and is_collected(path, b"".join(head.splitlines(keepends=True)[:FIRST]))


def is_of_cp(section: CollectedText) -> bool:
    """Return whether a section is an answer of CP, or a text that begins like one."""
    return section.tool in {"vmcp", "hcp"} or (
        not section.command and re.search(_ANSWER, section.text) is not None
    )


_ANSWER: Final = r"(?m)^(?:DASD [0-9A-F]{4} (?:[0-9A-Z]{4,5} |ON |CP |ATTACHED)|FCP +[0-9A-F]{4} ON FCP )"
_SOS: Final = re.compile(
    r"(?:.*/)?sos_commands/[^/]+/(?:[^/]+/)?(?P<command>(?P<tool>[a-z]+)(?![a-z])[^/]*)", re.DOTALL
)


def sections(origin: str, data: bytes, time: int) -> Iterator[CollectedText]:
    """Cut a text into its sections; those of commands that zmon does not know are left out."""
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    text = text if text.endswith("\n") else f"{text}\n"
    if match := _SOS.fullmatch(origin):
        command = match["command"].removesuffix(".txt").replace("_", " ")
        yield CollectedText(origin, 1, command, "", text, time)
    elif re.search(_SECTION, text):
        yield from _cut(origin, text, time, _SECTION)
    elif re.search(_ECHOED, text):
        yield from _cut(origin, text, time, _ECHOED)
    elif re.search(_PROMPT, text):
        yield from _cut(origin, text, time, _PROMPT)
    else:
        yield CollectedText(origin, 1, "", "", text, time)


def _cut(origin: str, text: str, time: int, heading: str) -> Iterator[CollectedText]:
    """Yield the sections behind headings of one form."""
    line, at = 1, 0
    last = None
    for match in re.finditer(heading, text):
        if last is not None:
            yield from _section(origin, line, last, text[at : match.start()], time)
        line += text.count("\n", at, match.end())
        at, last = match.end(), match
    if last is not None:
        yield from _section(origin, line, last, text[at:], time)


def _section(origin: str, line: int, heading: re.Match[str], text: str, time: int) -> Iterator[CollectedText]:
    title = heading[heading.re.groups].strip()
    if heading.re.pattern == _SECTION and heading[1] != "Command":
        if title.startswith("/") and not re.search(_NOT_THERE, title):
            yield CollectedText(origin, line, "", title[1:], f"{text.rstrip()}\n", time)
        return
    tool, _, rest = title.partition(" ")
    command = f"{tool.rpartition('/')[2]} {rest}".rstrip()
    copied = re.fullmatch(r"cat (/(?:proc|sys|etc)/[\w./-]+)", command)
    if copied:
        yield CollectedText(origin, line, "", copied[1][1:], f"{text.rstrip()}\n", time)
    elif command.partition(" ")[0] in COMMANDS:
        yield CollectedText(origin, line, command, "", text, time)
