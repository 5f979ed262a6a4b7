"""Replaces names in samples and events that identify a machine; figures and structure stay.

`zmon.kinds` declares for every text that zmon records whether it is kept, or what it names.  Other texts are
left out.  A pseudonym follows from the name and a secret key, so the same name has the same one everywhere,
and without the key it can neither be reversed nor found by trying names.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.event import Event, What
from zmon.kinds import (
    BUSID_FORM,
    DISK,
    DISK_FORM,
    EXACT,
    INTERFACE_NAME,
    KEEP,
    KINDS,
    SERIAL,
    TASK_NAME,
    UID,
    UNIT_NAME,
    WORDS,
)
from zmon.sample import DAMAGED, Frame, Meaning
from zmon.values.uid import parse_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.base.absent import Value
    from zmon.sample import Field, Kind, Sample

PREFIX: Final[Mapping[str, str]] = {
    "lpar": "LP", "guest": "GU", "system": "SY", "sysplex": "PX", "group": "GR", "volume": "V",
    "host": "HOST", "label": "LABEL", "model": "MODEL", DISK: "DISK", "thing": "THING",
    "path": "PATH", UNIT_NAME: "UNIT", TASK_NAME: "TASK", "database": "DB", "tablespace": "TS",
    INTERFACE_NAME: "IF", UID: "UID", SERIAL: "SERIAL", "source": "SOURCE", "boot": "BOOT",
}  # fmt: skip
"""How pseudonyms begin: partitions and guests have eight characters at most, volumes six."""

_KINDS: Final = {kind.name: kind for kind in (*KINDS.values(), EXACT)}

LEFT_OUT: Final = absent("left out: the recording was made anonymous")

SAID: Final[Mapping[What, str]] = {
    What.GAP: "No samples",
    What.RESTART: "The machine was started anew",
    What.CLOCK: "The clock was set",
    What.CAME: "A thing is there now",
    What.WENT: "A thing is gone",
    What.CHANGE: "The configuration changed",
    What.LIMIT: "A limit was exceeded",
    What.HOLE: "A part of the recording could not be read",
    What.NOTE: "A note, whose text was left out",
}
"""Replaces the texts of events, which may name anything."""

_LETTERS: Final = "0123456789BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no pseudonym is a word."""
_DIGITS: Final = 5
_ALPHABETS: Final = ("0123456789", "ABCDEF", "abcdef", "GHIJKLMNOPQRSTUVWXYZ", "ghijklmnopqrstuvwxyz")
_TRIES: Final = 1000
_NUMBERS: Final = frozenset({int, float, bool})
_NEVER: Final[tuple[None, list[Value]]] = (None, [])

_QUOTED: Final = re.compile(r"""(?<![A-Za-z0-9])[bru]?['"].*""", re.DOTALL)
_DAMAGED: Final = re.compile(rf"({DAMAGED.reason}).*", re.DOTALL)
_OF: Final = re.compile(r"\b(CPU of) (?!a whole system).*", re.DOTALL)
_WORD: Final = re.compile(r"[\w/.*#@$%+~-]+")
_OWN: Final = re.compile(
    r"(?:--)?[a-z_*]+(?:[.*_-][a-z_*]+)*\.?"
    r"|/?(?:proc|sys|debugfs|cmf|queue|hyp|s390_hypfs|sa)/[a-z_*0/.-]*(?:diag_204|diag_2fc)?|/proc|/sys"
    r"|[-+]?[0-9][0-9.,]*[.%]?"
    r"|(?:BIODASD[A-Z]+2?|CPUs?|LPARs?|DASD|HMC|FBA|DIAG|PAV|HyperPAV|FCP|SCSI|I/O|CP|KVM|NVMe|z/VM|IBM|DPU"
    r"|CMF|CHPID|OSA|HiperSockets|PCI|FMB|ECKD|ID_SERIAL|Z|SSID|UID|ID|JSON|KiB|MiB|FILE|ALL|DISK|A|I|IFL|OK|Linux|Global|Capability|s390_sthyi|s390x"
    r"|Cache|Start|QUERY|VIRTUAL|DETAILS|MDISK|DEDICATE|LINK|V-DISK|T-DISK|s390_hypfs|diag_204|diag_2fc|2fc|0c|udev|-[A-Za-z]|--"
    r"|USTAT|UPROC|UDETAIL|BLOCKED|CONFIG_DASD_PROFILE|CONFIG_SCHED_INFO|CONFIG_PSI|psi=1|(?:Default)?IOAccounting|CAP_SYS_ADMIN|XFS|FS_IOC_FIEMAP|BTRFS_IOC_[A-Z_]+[0-9]?)\.?"
)
"""Words that zmon itself uses in its reasons."""


class Anonymity:
    """The pseudonyms of one key."""

    def __init__(self, key: bytes) -> None:
        """Begin with a secret key."""
        self._key = key
        self._known: dict[tuple[str, str], str] = {}
        self._used: dict[tuple[str, str], str] = {}
        """The name that has a pseudonym, by what is named and the pseudonym."""
        self._keys: dict[str, str] = {}
        """Keys of rows that were replaced."""
        self._names: dict[str, str] = {}
        """All names that were replaced, to find them in sentences."""
        self._reasons: dict[str, Absent] = {}
        self._frames: dict[str, tuple[Frame, Frame]] = {}
        self._rows: dict[str, tuple[list[str], list[str]]] = {}
        """The keys of each kind in the last frame, with and without names."""
        self._columns: dict[tuple[str, str], tuple[list[Value], list[Value]]] = {}
        """Each column in the last frame, with and without names."""
        self._ways: dict[str, Callable[[str], Value]] = {
            KEEP: lambda text: text,
            UID: self._uid,
            DISK: self._disk,
            INTERFACE_NAME: self._interfaces,
            WORDS: self._words,
        }

    # pseudonyms

    def name(self, what: str, text: str) -> str:
        """Return the pseudonym of a name; an empty name stays."""
        new_name = self._known.get((what, text))
        if new_name is None:
            new_name = self._known[what, text] = self._new(what, text)
            if text and what not in {"source", "boot"}:
                self._names[text] = new_name
        return new_name

    def _new(self, what: str, text: str) -> str:
        if not text:
            return text
        for turn in range(_TRIES):
            seed = self._seed(what, text, turn)
            name = _alike(text, seed) if what == SERIAL and turn < _TRIES // 2 else _numbered(what, seed)
            if name.lstrip("0") != text.lstrip("0") and self._used.setdefault((what, name), text) == text:
                return name
        raise ValueError(f"more names of the sort {what!r} than there are stand-ins")

    def _seed(self, what: str, text: str, turn: int) -> int:
        text_ = f"{what}\0{turn}\0{text}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hmac.digest(self._key, text_, hashlib.sha256), "big")

    def _uid(self, text: str) -> str:
        try:
            uid = parse_uid(text)
        except ValueError:
            return self.name(UID, text)
        token = self.name(SERIAL, uid.token) if uid.token else ""
        return str(uid._replace(serial=self.name(SERIAL, uid.serial), token=token))

    def _disk(self, text: str) -> str:
        return text if re.fullmatch(DISK_FORM, text, re.ASCII) else self.name(DISK, text)

    def _interfaces(self, text: str) -> str:
        """Return names of network interfaces, with blanks between, as the keys of their rows are replaced."""
        return " ".join(self.key("interface", name) for name in text.split())

    def _words(self, text: str) -> str:
        """Return a sentence with zmon's own words, and without names."""
        said = _QUOTED.sub("...", text)
        said = _OF.sub(r"\1 ...", _DAMAGED.sub(r"\1", said))
        return _WORD.sub(self._word, said)

    def _word(self, match: re.Match[str]) -> str:
        word = match[0]
        bare = word.rstrip(".")
        if bare in self._names:
            return self._names[bare]
        return word if _OWN.fullmatch(word) or re.fullmatch(BUSID_FORM, bare) else "..."

    def reason(self, why: Absent) -> Absent:
        """Return a reason without names in it."""
        reason = self._reasons.get(why.reason)
        if reason is None:
            reason = self._reasons[why.reason] = absent(self._words(why.reason))
        return reason

    def key(self, kind: str, key: str) -> str:
        """Return the replacement of a row's key."""
        kind_form = _KINDS.get(kind)
        form, what = (kind_form.key_form, kind_form.key_privacy) if kind_form else ("", "thing")
        if form and re.fullmatch(form, key, re.ASCII):
            return key
        if kind == "lpar_cpu":
            name, slash, cpu = key.rpartition("/")
            key_made = f"{self.key('lpar', name)}{slash}{cpu if cpu.isdigit() else self.name('thing', cpu)}"
        else:
            key_made = self.name(what, key)
        self._keys[key] = key_made
        return key_made

    # samples

    def sample(self, sample: Sample) -> Sample:
        """Return a sample without names; frames that were the same are the same again."""
        for frame in sample.frames.values():
            self._learn(frame)
        at = sample.at._replace(boot=self.name("boot", sample.at.boot))
        frames = {name: self._frame(name, frame) for name, frame in sample.frames.items()}
        for name in self._frames.keys() - frames:
            del self._frames[name]
        return sample._replace(at=at, frames=frames, source=self.name("source", sample.source))

    def _learn(self, frame: Frame) -> None:
        """Collect the names of a frame, before sentences are replaced in which they may occur."""
        frame_seen = self._frames.get(frame.kind.name)
        if frame_seen is not None and frame_seen[0] is frame:
            return
        self._keys_of(frame)
        for name in frame.columns:
            what = privacy_of(frame.kind.name, name)
            if what in {"", KEEP, WORDS}:
                continue
            values = frame.columns[name]
            if values != self._columns.get((frame.kind.name, name), _NEVER)[0]:
                for value in set(values):
                    if not isinstance(value, Absent):
                        self._label(what, value)

    def _frame(self, name: str, frame: Frame) -> Frame:
        pair = self._frames.get(name)
        if pair is None or pair[0] is not frame:
            pair = self._frames[name] = (frame, self._without(frame))
        return pair[1]

    def _without(self, frame: Frame) -> Frame:
        """Return a frame without names."""
        kind = frame.kind
        columns = {
            name: self._column(kind, kind.by_name[name], frame.columns[name]) for name in frame.columns
        }
        return Frame(
            kind,
            self._keys_of(frame),
            columns,
            frame.times,
            None if frame.missing is None else self.reason(frame.missing),
            None if frame.prior is None else self._without(frame.prior),
        )

    def _keys_of(self, frame: Frame) -> list[str]:
        """Return the replacements of a frame's keys; those of the last frame are reused."""
        name = frame.kind.name
        pair = self._rows.get(name)
        if pair is None or pair[0] != frame.keys:
            pair = self._rows[name] = frame.keys, [self.key(name, key) for key in frame.keys]
        return pair[1]

    def _column(self, kind: Kind, field: Field, values: list[Value]) -> list[Value]:
        """Return a column without names; that of the last frame is reused if it is the same."""
        place = kind.name, field.name
        column = self._columns.get(place, _NEVER)
        if values == column[0]:
            return column[1]
        if field.meaning not in {Meaning.LABEL, Meaning.IDENTITY}:
            if _NUMBERS.issuperset(map(type, values)):
                return values
            values_kept = [value if isinstance(value, int | float) else self._odd(value) for value in values]
        else:
            what = privacy_of(*place)
            values_kept = [self._label(what, value) if what else LEFT_OUT for value in values]
        self._columns[place] = (values, values_kept)
        return values_kept

    def _odd(self, value: Value) -> Value:
        """Return the replacement of a value among numbers that is none."""
        return self.reason(value) if isinstance(value, Absent) else LEFT_OUT

    def _label(self, what: str, value: Value) -> Value:
        if isinstance(value, Absent):
            return self.reason(value)
        if what == KEEP:
            return value
        text = str(value)
        way = self._ways.get(what)
        return way(text) if way is not None else self.name(what, text)

    # events

    def event(self, event: Event) -> Event:
        """Return an event without names; its thing is kept if it is no name, or was replaced before."""
        screen = event.screen if event.screen.isalnum() and event.screen.isupper() else ""
        return event._replace(thing=self._thing(event.thing), text=SAID[event.what], screen=screen)

    def _thing(self, thing: str) -> str:
        if re.fullmatch(f"{BUSID_FORM}|{DISK_FORM}|[0-9a-f]\\.[0-9a-f]{{1,2}}|[0-9]{{1,5}}", thing, re.ASCII):
            return thing
        try:
            parse_uid(f"{thing}.00")
        except ValueError:
            return self._keys.get(thing, "")
        return self._uid(f"{thing}.00").removesuffix(".00")  # a logical control unit


def privacy_of(kind: str, field: str) -> str:
    """Return the privacy that `zmon.kinds` declares for a field; empty if none."""
    declared = _KINDS[kind].by_name.get(field) if kind in _KINDS else None
    return declared.privacy if declared else ""


def _numbered(what: str, seed: int) -> str:
    letters = []
    for _ in range(_DIGITS):
        seed, place = divmod(seed, len(_LETTERS))
        letters.append(_LETTERS[place])
    return PREFIX[what] + "".join(letters)


def _alike(text: str, seed: int) -> str:
    """Return other letters and digits in the place of those of a text; zeros in front stay."""
    bare = text.lstrip("0")
    parts = [text[: len(text) - len(bare)]]
    for letter in bare:
        alphabet = next((alphabet for alphabet in _ALPHABETS if letter in alphabet), None)
        if alphabet is None:
            alphabet = letter if letter in "-_." else "X"
        seed, place = divmod(seed, len(alphabet))
        parts.append(alphabet[place])
    return "".join(parts)
