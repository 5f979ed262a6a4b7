"""Which texts are of another time of the same host: two times of a machine are never united.

Directories and words in the names of files tell: `before` and `after`, dates, numbers of the same outputs.
The newest is read: as the outputs of date say, else the names, else the times of the files.

In one text the last output of a command is read: as dates and words above them say, else their places, if
one person typed all in one place.  Where the order is not known all are read, and may contradict each other.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from zmon.collected.reading import BETWEEN, MAX_ROW, Reading
from zmon.collected.tools import BTRFS_CHANGES, LVM_CHANGES, MDADM_CHANGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.kernel.capture_text import CollectedText

_ORDERED: Final = (
    {"before", "old", "pre", "vorher", "vor", "alt", "avant", "yesterday", "gestern"},
    {"during", "now"},
    {"after", "new", "post", "nachher", "nach", "neu", "apres", "après", "today", "heute"},
)
"""Words for times, in their order."""
_ALONE: Final = frozenset({"old", "new", "pre", "post", "alt", "neu"})
"""Those that are in sentences about other things."""
_MARKS: Final = " \t>|#=*_~+:.()[]`'\"-"
"""What people draw around a heading."""
_LONGEST: Final = 8
"""Words of a heading."""
_WIDEST: Final = 120
"""Characters of its line."""
_ELSEWHERE: Final = re.compile(
    r"(?:chroot|nsenter|unshare|docker|podman|crictl|kubectl|oc|lxc\S*|machinectl|systemd-nspawn|bwrap|exit|logout)\b"
)
"""Commands behind which others may see another machine."""
_WORD: Final = re.compile(r"(?<!\S)[^\W\d_]{2,}[,.:!?]?(?!\S)")
_REMARK: Final = 3
"""Words of a remark of a person; tools print lines of so many below an empty one, too."""
_DATED: Final = re.compile(r"(?:19|20)\d\d-?[01]\d-?[0-3]\d(?:[T_-]?\d\d[h.:-]?\d\d(?:[m.:-]?\d\d)?)?")
_DATED_WORD: Final = re.compile(rf"{_DATED.pattern}[_. -](?P<word>[^\W\d_]+)")
"""A date with a word for the time behind it: `2025-03-01_before`."""
_COUNTED: Final = re.compile(r"\d{1,3}")
_DATE: Final = re.compile(
    r"\S{2,4} +([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) +(?:\S+ +)?(\d{4})\s*|"
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)\S*(?: \S+)?\s*"
)
"""What date prints, in the C locale or as ISO 8601."""
_OF_BOOT: Final = tuple(
    (tellers, re.compile(rf"\s*{printed}(?:\s|$)"))
    for tellers, printed in (
        (r"uname\b.*|proc/version", r"(?:Linux (?P<host>\S+) )?(?P<boot>\d+\.\d+\.\d+\S*)"),
        ("who (?:-[a-z]*b|--boot)", r"\S.*?(?P<boot>\d{4}-\d\d-\d\d \d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d)"),
        ("uptime (?:-s|--since)", r"(?P<boot>\d{4}-\d\d-\d\d \d\d:\d\d):\d\d"),
        (".*/random/boot_id", r"(?P<boot>[0-9a-f]{8}-[0-9a-f-]{27})"),
    )
)
"""What tells of which boot outputs are: commands or files, and what they print."""
REBOOT: Final = re.compile(r"(?:reboot|shutdown +-r|init +6|systemctl +(?:-\S+ +)*reboot|telinit +6)\b.*")
"""Commands with which a host is booted."""
REBOOTED: Final = re.compile(r"(?i)\W*(?:after |nach )?(?:the |dem )?(?:re-?boot(?:ed)?|re-?ipl|neustart)\W*")
"""What people write between outputs of two boots."""
_REBOOTED_NOW: Final = re.compile(r"(?i)\bre-?(?:boot|ipl)e?d\b[^.!?]*\bnow\b")
"""What they say in a sentence, and mean what follows."""
_CHANGE: Final = re.compile(rf"(?<![\w./-])(?:{LVM_CHANGES}|{MDADM_CHANGES}|{BTRFS_CHANGES})\s")
_SPOKEN_MONTHS: Final = (
    "jan|ene|gen|sty", "feb|fév|fev", "mar|mär|mrz|maa", "apr|avr|abr", "may|mai|mag|mei|maj", "jun|juin|giu",
    "jul|juil|lug", "aug|aoû|aou|ago", "sep|set", "oct|okt|ott|out", "nov", "dec|dez|déc|dic",
)  # fmt: skip
"""How the names of months begin in the languages of mail programs."""
_NAME: Final = r"(?P<name>[^\W\d_]{3,10})\.?"
_SPOKEN_DATES: Final = tuple(
    re.compile(rf"(?<![\d.:/-]){pattern}(?![\d/-])")
    for pattern in (
        r"(?P<year>\d{4})[-/.年](?P<month>\d{1,2})[-/.月](?P<day>\d{1,2})日?",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?[ /-](?:de )?{_NAME},?[ /-](?:de )?(?P<year>\d{{4}}|\d\d)",
        rf"{_NAME} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?(?: [\d:]{{8}}(?: [A-Z]{{3,5}})?)? (?P<year>\d{{4}})",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4}|\d\d)",
        r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4}|\d\d)",
    )
)
_CLOCK: Final = re.compile(
    r"(?<![\d.+-])(\d{1,2})[:h](\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?: ?([AaPp])\.?[Mm]\b\.?)?"
)
_ZONE: Final = re.compile(r"\s(?:[+-]\d{4}|[A-Z]{3,4})\b|(?<=\d)Z\b|[+-]\d\d:\d\d\b")
_FIELD: Final = re.compile(
    r"\W*(?:Date|Sent|Datum|Gesendet|Envoyé|Enviad[ao](?: el)?|Fecha|Data|Inviato|Verzonden|Skickat|Sendt"
    r"|Wysłano|日時|送信日時|发送时间|日期)\W{0,3}[:\uff1a].*"
)
_OF_MAIL: Final = re.compile(
    r"\W*(?:From|To|Cc|Subject|Von|An|Betreff|De|À|Objet|Para|Asunto|Assunto|Da|A|Oggetto|Van|Aan|Onderwerp"
    r"|Från|Till|Ämne|Fra|Til|Emne|Od|Do|Temat|Message-ID)\W{0,3}[:\uff1a]\s.*"
)
_WROTE: Final = re.compile(
    r".*\w\W+(?:wrote|writes|schrieb(?:en)?|a écrit|escribió|escreveu|ha scritto|skrev|schreef)\b"
    r"[^:]{0,80}:\s*"
)
_MAY_DATE: Final = re.compile(r"(?:19|20)\d\d|\d[./]\d{1,2}[./]\d\d|\d/[^\W\d]+/\d\d|[^\W\d]:\s*$")
_WORD_OF_NOTE: Final = re.compile(r"\W*[^\W\d_][^\s/=]*|\W*|#?\d{1,5}\W*")
"""A word of the heading of a note in a ticket beside its date: of names, and of what was done."""
_LONGEST_NOTE: Final = 10
"""Words of such a heading."""
_BEFORE_DATE: Final = re.compile(
    r"(?i)\W*(?:[^\W\d_]+[.,]* )?|.*(?:[-\u2013\u2014|,(:>]|\b(?:added|posted|updated|commented|comment\b.*)"
    r"(?: on| at)?) *"
)
"""What may stand in that before a date."""


def rank(word: str) -> tuple[int, str]:
    """Return where a word for a time stands among others of its sort; -1 if it is none."""
    for place, alike in enumerate(_ORDERED):
        if word.casefold() in alike:
            return place, ""
    match = _DATED_WORD.fullmatch(word)
    if _DATED.fullmatch(word) or (match and rank(match["word"])[0] >= 0):
        return len(_ORDERED), re.sub(r"\D", "", word).ljust(14, "0")
    return (len(_ORDERED) + 1, word.zfill(3)) if _COUNTED.fullmatch(word) else (-1, "")


def of_other_times(
    texts: Sequence[CollectedText], named: Mapping[tuple[str, str], Mapping[str, str]], wanted: str
) -> Iterator[tuple[CollectedText, str]]:
    """Yield the texts of other times than the newest, or the `wanted` one, each with what it is.

    `named` has the words in the paths of files by where they stand, for each path.
    """
    left: set[int] = set()
    for by_origin in named.values():
        groups: dict[str, list[CollectedText]] = {}
        for text in texts:
            word = by_origin.get(text.origin, "")
            if word and rank(word)[0] >= 0 and id(text) not in left:
                groups.setdefault(word, []).append(text)
        if len(groups) > 1 and (not any(map(_COUNTED.fullmatch, groups)) or _share_outputs(groups.values())):
            newest = wanted if wanted in groups else max(groups, key=_order_of(groups))
            for word in groups.keys() - {newest}:
                for text in groups[word]:
                    left.add(id(text))
                    why = (
                        f"outputs of another time, {word}: those of {newest} are read; --host {word} chooses"
                    )
                    yield text, why if text.form or text.file or text.command else ""


def moment_of(line: str, *, is_apart: bool, is_underlined: bool = False) -> tuple[str, str]:
    """Return the digits of the date and the word for a time in a heading; both empty if it is none.

    `is_apart` says that an empty line is before it, `is_underlined` that a drawn one is behind it.
    """
    text = line.strip(_MARKS) if len(line) <= _WIDEST else ""
    if match := _DATE.match(text):
        return (_digits(match), "") if match.end() == len(text) else ("", "")
    if "-" in text and _DATED.fullmatch(text.replace(" ", "T")):
        return rank(text.replace(" ", "T"))[1], ""
    spoken = re.findall(r"[^\W\d_]+", text)
    is_underlined = is_underlined and len(spoken) > 1  # others are columns
    is_heading = len(spoken) <= _LONGEST and (text != line.strip() or is_apart or is_underlined)
    is_marked = is_underlined or len(spoken) == 1 or line.rstrip().endswith((":", "=", "-", "#"))
    if not spoken or not is_heading or not is_marked:
        return "", ""
    ranked = [(rank(word)[0], word.casefold()) for word in spoken]
    told = {place: word for place, word in ranked if 0 <= place < len(_ORDERED)}
    is_other = len(spoken) > 1 and _ALONE.issuperset(told.values())
    if len(told) != 1 or is_other or told.keys().isdisjoint((ranked[0][0], ranked[-1][0])):
        return "", ""
    return "", *told.values()


def moment_of_mail(rows: Sequence[str], number: int, *, is_apart: bool) -> str | None:
    """Return the digits of the date in the heading of a mail, a quotation or a note; None if a line is none.

    `is_apart` says that an empty line is before it.  Empty are those of a date that can be read in two ways;
    of one with a zone those of the day alone, as others may be without.
    """
    row = rows[number]
    if len(row) > _WIDEST or not _MAY_DATE.search(row):
        return None
    if _FIELD.fullmatch(row):
        around = [*rows[max(number - 4, 0) : number], *rows[number + 1 : number + 5]]
        return _spoken_date(row)[0] if any(map(_OF_MAIL.fullmatch, around)) else None
    digits, before, rest = _spoken_date(row)
    folded = f"{row} {''.join(rows[number + 1 : number + 2]).lstrip(_MARKS)}"
    if _WROTE.fullmatch(row) or (digits and not row.rstrip().endswith(":") and _WROTE.fullmatch(folded)):
        return digits
    parts = rest.split()
    is_note = (
        is_apart
        and len(digits) > len("20260317")
        and len(parts) <= _LONGEST_NOTE
        and re.search(r"[^\W\d_]", rest) is not None
        and _BEFORE_DATE.fullmatch(before) is not None
    )
    return digits if is_note and all(map(_WORD_OF_NOTE.fullmatch, parts)) else None


def _spoken_date(row: str) -> tuple[str, str, str]:
    """Return the digits of the first date in a line with its time, what is before, and all the rest."""
    for pattern in _SPOKEN_DATES:
        for date in pattern.finditer(row):
            told = date.groupdict()
            month, day = _month(told.get("name") or "") or told.get("month"), told.get("day")
            if first := told.get("first"):
                month, day = _unambiguous(int(first), int(told["second"] or 0), row)
            if not (month and day and 1 <= int(month) <= len(_SPOKEN_MONTHS)):
                continue
            rest = f"{row[: date.start()]} {row[date.end() :]}"
            digits = f"20{told['year'] or ''}"[-4:] + f"{int(month):02}{int(day):02}"
            if clock := _CLOCK.search(date[0]) or _CLOCK.search(rest):
                rest = rest.replace(clock[0], " ", 1)
                hour = int(clock[1]) % 12 + 12 * (clock[4] in "Pp") if clock[4] else int(clock[1])
                digits += "" if re.search(r" [+-]\d{4}\b", rest) else f"{hour:02}{clock[2]}{clock[3] or '00'}"
            return digits, row[: date.start()], _ZONE.sub(" ", rest)
    return "", "", row


def _month(name: str) -> int:
    """Return the number of a month by its name; 0 if it is none."""
    months = enumerate(_SPOKEN_MONTHS, 1)
    return max((number for number, begins in months if re.match(begins, name.casefold())), default=0)


def _unambiguous(first: int, second: int, row: str) -> tuple[int, int]:
    """Return the month and the day of `3/10/2026`; zeros if each of both may be the month."""
    if first == second or second > len(_SPOKEN_MONTHS) or re.search(r"\d ?[AaPp]\.?[Mm]\b", row):
        return first, second
    return (second, first) if first > len(_SPOKEN_MONTHS) else (0, 0)


def earlier_outputs(texts: Sequence[CollectedText], wanted: str) -> Iterator[tuple[CollectedText, str]]:
    """Yield the outputs of which a text has a later one, of the same host and command, each with what it is.

    What somebody says between two of them may be of another machine, but for a prompt that names the same one
    before and behind a command that changes what they list.  One that failed, holds lines that are not its
    tool's, or is much shorter makes none before it untrue.
    """
    repeated: dict[tuple[str, ...], list[tuple[int, CollectedText]]] = {}
    places = dict[str, int]()
    changed = [text for text in texts if text.host and _CHANGE.search(text.command)]
    for text in texts:
        place = places.setdefault(text.origin, 0)
        if (text.form or text.file) and text.text.strip():
            repeated.setdefault((text.origin, text.host, *_asked(text)), []).append((place, text))
        elif is_break(text):
            places[text.origin] += 1
    for own in repeated.values():
        if len({" ".join(text.text.split()) for _place, text in own}) < 2:
            continue
        for place, text in own:
            lines = [made.line for made in changed if (made.origin, made.host) == (text.origin, text.host)]
            behind = [
                other
                for at, other in own
                if _is_later(
                    other, text, at == place or any(text.line < line < other.line for line in lines), wanted
                )
            ]
            later = [other for other in behind if _is_whole(other, text)]
            if later:
                what = text.command or f"/{text.file}" * bool(text.file) or text.form
                yield text, f"outputs of {what} at an earlier time: that of {later[-1].place()} is read"


def outputs_of_earlier_boots(texts: Sequence[CollectedText]) -> Iterator[tuple[CollectedText, str]]:
    """Yield the outputs of a text before the last one that tells of another boot, likewise.

    Two kernels tell it, or times or ids of boots; and what somebody typed, or wrote between outputs.  Devices
    may have other names since.  Where no output is behind that one, it says nothing of those before it.
    """
    last: dict[tuple[str, ...], tuple[str, CollectedText]] = {}
    booted: dict[str, CollectedText] = {}
    for text in texts:
        is_said = not (text.command or text.file or text.form) and _REBOOTED_NOW.search(text.text)
        if REBOOT.fullmatch(text.command) or is_said:
            booted[text.origin] = text
        for pattern, what in _OF_BOOT:
            match = what.match(text.text) if re.fullmatch(pattern, text.command or text.file) else None
            if match:
                of_host = text.origin, match.groupdict().get("host") or "", pattern
                boot, before = last.setdefault(of_host, (match["boot"], text))
                if boot != match["boot"] and _is_later(text, before, is_same_place=True, wanted=""):
                    booted[text.origin], last[of_host] = text, (match["boot"], text)
    for origin, teller in booted.items():
        own = [text for text in texts if text.origin == origin and text is not teller]
        if any(text.form and text.line > teller.line and text.text.strip() for text in own):
            for text in own:
                if text.line < teller.line:
                    why = f"outputs of another boot: those from {teller.place()} on are read"
                    yield text, why if text.form or text.file or text.command else ""


def is_break(text: CollectedText) -> bool:
    """Return whether outputs behind a text, which zmon does not read, may be of another time or machine."""
    is_heading = not text.command and moment_of_mail(text.text.split("\n"), 0, is_apart=True) is not None
    return is_heading or _ELSEWHERE.match(text.command) is not None or _has_remark(text)


def _has_remark(text: CollectedText) -> bool:
    """Return whether a person says something in what is no output, or below one that zmon does not read."""
    for before, row in pairwise((text.command, *text.text.split("\n"))):
        spoken = len(_WORD.findall(row[:MAX_ROW]))
        is_said = not before.strip() and (spoken > _REMARK + 1 or row.rstrip().endswith((":", ".", "!", "?")))
        if spoken >= _REMARK and (is_said or not text.command):
            return True
    return False


def _asked(text: CollectedText) -> tuple[str, ...]:
    """Return what was asked: the words of a command, a file, or the form and heading of what is printed."""
    if text.command or text.file:
        return text.file, *sorted(text.command.split())
    heading = text.text.lstrip("\n").partition("\n")[0]
    return text.form, *("" if re.search("[0-9/]", heading) else heading).split()


def is_later_by_date(date: str, other: str) -> bool | None:
    """Return whether the digits of a date are later than those of another; None if they do not tell.

    One may lack the time of the day, or be missing.
    """
    common = min(len(date), len(other))
    return None if date[:common] == other[:common] else date > other


def _is_later(text: CollectedText, other: CollectedText, is_same_place: bool, wanted: str) -> bool:
    """Return whether an output is later than another, or of the wanted time."""
    (date, word), (other_date, other_word) = text.moment, other.moment
    if wanted and wanted.casefold() in {word, other_word} and word != other_word:
        return word == wanted.casefold()
    by_dates = is_later_by_date(date, other_date)
    if by_dates is not None:
        return by_dates
    place, other_place = rank(word)[0], rank(other_word)[0]
    if word and other_word and place != other_place:
        return place > other_place
    is_against = place == 0 or other_place == len(_ORDERED) - 1
    is_typed = bool(text.command or text.file) and is_same_place
    return is_typed and text.line > other.line and (place == other_place or not is_against)


def _is_whole(text: CollectedText, other: CollectedText) -> bool:
    """Return whether an output is not cut beside another, and its first lines are all its tool's."""
    from zmon.collected.forms import FORMS  # noqa: PLC0415 - few texts have a command twice

    rows = text.text.replace(f"{BETWEEN}\n", "").strip("\n").split("\n\n")[0].split("\n")
    readings = [form.reading for form in FORMS if form.name == text.form]
    failed = [re.compile(pattern) for pattern in Reading.failed]
    subject = next((reading.subject for reading in readings if reading.subject), r".*")
    lengths = [len(re.findall(rf"(?m)^(?:{subject})$", printed.text)) for printed in (text, other)]
    is_cut = 2 * lengths[0] < lengths[1]
    return (
        not is_cut
        and not any(pattern.fullmatch(row) for row in rows for pattern in failed)
        and all(reading.knows(row) for reading in readings for row in rows)
    )


def _share_outputs(groups: Iterable[Sequence[CollectedText]]) -> bool:
    outputs = [{text.command or text.form for text in texts} - {""} for texts in groups]
    return len(set().union(*outputs)) < sum(map(len, outputs))


def _order_of(groups: Mapping[str, Sequence[CollectedText]]) -> Callable[[str], Any]:
    """Return what orders times: what date printed, names, or the times of files."""
    printed = {word: max(map(_printed, texts)) for word, texts in groups.items()}
    if all(printed.values()):
        return printed.__getitem__
    if not any(map(_COUNTED.fullmatch, groups)):
        return rank
    return lambda word: (max(text.time for text in groups[word]), rank(word))


def _printed(text: CollectedText) -> str:
    match = _DATE.match(text.text) if text.tool == "date" else None
    return "" if match is None else _digits(match)


def _digits(match: re.Match[str]) -> str:
    day = match[5] or f"{match[4]}{_month(match[1]):02}{match[2]:0>2}"
    return re.sub(r"\D", "", f"{day}{match[6] or match[3]}")
