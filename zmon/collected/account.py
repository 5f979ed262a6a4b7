"""What became of the lines of texts: read, known to say nothing, or not understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.absent import text_of
from zmon.collected.dasd_texts import BUSID
from zmon.collected.facts import plain
from zmon.collected.fcp_texts import ADDRESS
from zmon.collected.hosts import SAID, host_of
from zmon.collected.kernel_log_texts import BOOTED, MENDED, TROUBLE
from zmon.collected.numbers import name_of_number
from zmon.collected.reading import BETWEEN, MAX_ROW
from zmon.collected.times import moment_of_mail
from zmon.kinds import CLAIM, DEVICE, LAYER, MOUNT, PART, TEXT
from zmon.sample import Frame, empty_frame, frame_of
from zmon.topology.read_texts import NOT_USED, OF_USES, TROUBLED
from zmon.topology.stack import tagged, volume_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.collected.reading import ReadText
    from zmon.kernel.capture_tree import CapturedTree

MAX_WHICH: Final = 5
"""Lines of an output that are kept by their numbers."""
MAX_WORDS: Final = 120
"""Characters of a line that are kept."""
MAX_COMMANDS: Final = 12
"""Commands that zmon does not read and that are named of a file."""
_MEANT: Final = re.compile(
    rf"(?<![\w.]){BUSID}(?![\w.])|\b(?:dasd|sd|vd)[a-z]{{1,3}}[0-9]{{0,2}}\b|\bdm-[0-9]|/dev/|\bnvme[0-9]"
    r"|(?<!\S)[0-9]{1,3}:[0-9]{1,5}(?!\S)|(?<![\w.])[0-9A-F]{4} +(?:33[89]0|9336|2105|2107)\b"
    r"|\b(?:PCHID|CHPID) +[0-9A-F]"
)
"""What names a device, or a path to one."""
_TOKEN: Final = re.compile(r"(?<![\w/.-])[\w/.+-]*[\w+-](?![\w/-])")
_TELLING: Final = re.compile(r"(?=.*[A-Za-z])(?:.*[\d/_-]|(?:mpath|dasd|sd|vd)[a-z]+$)")
"""A name that is no word of a language."""
_COUNTS: Final = re.compile(r"\d")
_DEVICE: Final = re.compile(
    rf"/dev/disk/by-path/ccw-({BUSID})[^\s,;\"']*|((?:PART)?(?:UUID|LABEL)=[^\s,;]+)|/dev/[\w/.:+=@-]+"
    rf"|(?<![\w./-])(?:{BUSID}|(?:dasd|sd|vd|xvd)[a-z]{{1,4}}[0-9]{{0,3}}|(?:dm-|md|nvme[0-9]+n)[0-9]+)(?![\w./])"
    r"|(?<![\w.])0x[0-9a-f]{16}(?!\w)|(?<=ing path )[0-9]{1,3}:[0-9]{1,5}"
)
"""A device by name, tag or bus id, which a path has, too."""
_AT: Final = re.compile(rf"\bsd ({ADDRESS}): ")
"""A SCSI disk by its address."""
_ADDRESSED: Final = re.compile(rf"{_AT.pattern}\[(sd[a-z]{{1,4}})\]")
"""The name that the same log has for it."""
_USES: Final = re.compile(
    r"mdadm|/proc/(?:mdstat|swaps|mounts|self)|pvs|pvdisplay|cryptsetup|losetup|mmlsnsd|asmcmd|v\$asm|raw|/etc/drbd"
    r"|virsh|ps,|btrfs|zpool|stratis|mount|findmnt|df$|disklayout"
)
"""How the names of forms begin whose lines tell what devices are used for; the others list devices."""
MAX_ROWS: Final = 20_000
"""Lines of an output that were read and are looked at for devices of which nothing was used."""
MAX_DEVICES: Final = 1000
"""Devices in lines that were not read that are kept of a text."""


def strange_lines(read: ReadText, names: Collection[str] = ()) -> Iterator[int]:
    """Yield the lines, from 0, that were not understood; of what is no output those that name a device.

    Lines with a number that have one of `names`, those of devices and mount points, say something of it.
    """
    yield from (number - read.text.line for number in read.strange)
    if not read.form and not read.text.command and not read.text.file:
        rows = read.text.text.split("\n")
        for number, row in enumerate(rows):
            is_heading = number == 0 and moment_of_mail(rows, 0, is_apart=True) is not None
            said = "" if is_heading else SAID.sub("", row[:MAX_ROW])
            named = [word for word in _TOKEN.findall(said) if word in names and _TELLING.search(word)]
            if _MEANT.search(said) or any(_COUNTS.search(said.replace(word, "")) for word in named):
                yield number


def known_names(frames: Mapping[str, Frame]) -> frozenset[str]:
    """Return the names by which devices of a sample are found, and where file systems are mounted."""
    names: set[str] = set()
    of_layers = ("name", "mapped", "links", "busid", "wwpn", "lun")
    for kind, fields in ((LAYER, of_layers), (DEVICE, ("block",)), (MOUNT, ("point",))):
        frame = frames.get(kind.name) or empty_frame(kind, "was not read")
        names.update(frame.keys if kind is DEVICE else ())
        for cells in map(frame.column, fields):
            names.update(word for cell in cells for word in text_of(cell).split())
    names |= {volume for name in names if (volume := volume_name(name))}
    return frozenset(names)


def _named(reads: Sequence[ReadText], devices: Collection[str]) -> str:
    """Return which devices lines name that were not read, each with its line; comments name none.

    Behind the line of one that was read, and of which nothing has become a known device, stands `NOT_USED`.
    Behind that of one of which the kernel says that it fails, and not that it works again, stands `TROUBLED`.
    Behind one of a list of uses that was read stands `OF_USES`.
    """
    named: dict[str, None] = {}
    troubles: dict[str, list[int]] = {}
    uses: dict[str, None] = {}
    for read in reads:
        rows, strange = read.text.text.split("\n"), set(strange_lines(read))
        is_of_kernel = read.form.startswith("dmesg")
        disks = dict(_ADDRESSED.findall(read.text.text)) if is_of_kernel else {}
        for number, row in (*enumerate(rows), (-1, read.text.command)):
            is_read = bool(read.form) and number not in strange
            line = max(1, read.text.number(number))
            if is_of_kernel and BOOTED.search(row):
                troubles.clear()
            at = _AT.search(row) if TROUBLE.search(row) else None
            said = f"{row[:MAX_ROW]} {disks.get(at[1], '')}" if at else row[:MAX_ROW]
            is_comment = row.lstrip().startswith("#") or (is_read and number >= MAX_ROWS)
            for word in () if is_comment else _DEVICE.finditer(said):
                name = plain(word[1] or tagged(word[2] or word[0]).removeprefix("/dev/"))
                name = name_of_number(name) or name
                if is_of_kernel and MENDED.search(row):
                    troubles.pop(name, None)
                elif is_of_kernel and TROUBLE.search(row):
                    troubles.setdefault(name, []).append(line)
                elif not (is_read and name in devices):
                    named[f"{name}={line}{NOT_USED * is_read}"] = None
                elif number >= 0 and _USES.match(read.form):
                    uses[f"{name}={line}{OF_USES}"] = None
    last = [f"{name}={line}{TROUBLED}" for name, lines in troubles.items() for line in lines[-MAX_WHICH:]]
    return " ".join([*last, *named, *uses][:MAX_DEVICES])


def answers_of_cp(tree: CapturedTree) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield for each text with answers of CP what became of its lines, by its name and first line."""
    from zmon.cp.claim_sources import ANSWERS, claims_of_texts  # noqa: PLC0415 - most texts have no answers

    try:
        names = [f"cp/{name}" for name in tree.entries("cp")]
    except OSError:
        return
    texts = [(name, tree.read(name)) for name in names]
    for report, (name, data) in zip(claims_of_texts(texts).reports, texts, strict=False):
        lines = data.decode("utf-8", "replace").split("\n")
        filled = [number for number, line in enumerate(lines, 1) if line.strip()]
        origin, begin, step = tree.shown.get(name, (name.removeprefix("cp/"), 1, 1))
        which = [line if step else begin for line in report.lines[:MAX_WHICH]]
        yield f"{origin}:{filled[0] if step and filled else begin}", {
            "command": "", "form": ANSWERS, "tells": CLAIM.name, "asked": "", "host": "",
            "which": " ".join(map(str, which)),
            "words": lines[report.lines[0] - 1].strip()[:MAX_WORDS] if report.lines else "", "named": "",
            "lines": len(filled), "read": len(filled) - report.unknown, "strange": report.unknown,
            "written": 0,
        }  # fmt: skip


def _own_key(place: str, rows: Mapping[str, object]) -> str:
    """Return the key of an output that begins there: `a.txt:12`; of a second one there `a.txt:12.2`."""
    keys = (f"{place}.{number}" for number in range(2, len(rows) + 2))
    return place if place not in rows else next(key for key in keys if key not in rows)


def _filled(read: ReadText) -> int:
    """Return how many lines an output has that are not empty, without those of other hosts between them."""
    return sum(bool(row.strip()) and row != BETWEEN for row in read.text.text.split("\n"))


def _loose_row(reads: Sequence[ReadText], devices: Collection[str]) -> dict[str, Value]:
    """Return the row of the lines of a file that are no output, with the `first` of these."""
    lines = [(read.text.number(number), row) for read in reads
             for number, row in enumerate(read.text.text.split("\n")) if row.strip()]  # fmt: skip
    which = [read.text.number(number) for read in reads for number in strange_lines(read, devices)]
    shown = next((row for number, row in lines if number == which[0]), "") if which else lines[0][1]
    return {
        "command": "", "form": "", "tells": "", "asked": "", "host": "", "first": lines[0][0],
        "which": " ".join(map(str, which[:MAX_WHICH])), "words": shown.strip()[:MAX_WORDS],
        "named": _named(reads, devices), "lines": len(lines), "read": 0, "strange": len(which),
        "written": reads[0].text.time,
    }  # fmt: skip


def text_frame(
    texts: Sequence[ReadText],
    when: int,
    answers: Iterable[tuple[str, dict[str, Value]]] = (),
    devices: Collection[str] = (),
) -> Frame:
    """Return the frame of the outputs in texts.

    Of each file all outputs of commands that are not read are one row, and all lines that are no output.
    `devices` are the names of those that the sample has, and where they are mounted.
    """
    rows: dict[str, dict[str, Value]] = {}
    others: dict[str, list[ReadText]] = {}
    loose: dict[str, list[ReadText]] = {}
    for read in texts:
        strange = [*strange_lines(read, devices)]
        if read.form:
            lines = read.text.text.split("\n")
            first = lines[strange[0]] if strange else ""
            rows[_own_key(read.text.place(), rows)] = {
                "command": read.text.command or (f"cat /{read.text.file}" if read.text.file else ""),
                "form": read.called or read.form,
                "tells": " ".join(read.tells),
                "asked": PART if read.is_part else "",
                "host": host_of(read.text),
                "which": " ".join(str(read.text.number(line)) for line in strange[:MAX_WHICH]),
                "words": first.strip()[:MAX_WORDS],
                "named": _named([read], devices),
                "lines": _filled(read),
                "read": read.read,
                "strange": len(strange),
                "written": read.text.time,
            }
        elif read.text.command or read.text.file:
            others.setdefault(read.text.origin, []).append(read)
        elif read.text.text.strip():
            loose.setdefault(read.text.origin, []).append(read)
    for reads in loose.values():
        row = _loose_row(reads, devices)
        rows[_own_key(f"{reads[0].text.origin}:{row.pop('first')}", rows)] = row
    for origin, reads in others.items():
        names = dict.fromkeys(read.text.tool or f"cat /{read.text.file}" for read in reads)
        more = f" and {len(names) - MAX_COMMANDS} more" * (len(names) > MAX_COMMANDS)
        rows[f"{origin}:0"] = {
            "command": ", ".join([*names][:MAX_COMMANDS]) + more,
            "form": "", "tells": "", "asked": "", "host": "", "which": "", "words": "",
            "named": _named(reads, devices), "lines": sum(map(_filled, reads)),
            "read": 0, "strange": 0, "written": reads[0].text.time,
        }  # fmt: skip
    for place, row in answers:
        rows[_own_key(place, rows)] = row
    return frame_of(TEXT, rows, when) if rows else empty_frame(TEXT, "no text was collected")
