"""Which texts are of another time of the same host: two times of a machine are never united.

Directories and words in the names of files tell: `before` and `after`, dates, numbers of the same outputs.
The newest is read: as the outputs of date say, else the names, else the times of the files.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.kernel.capture_text import CollectedText

_ORDERED: Final = (
    {"before", "old", "pre", "vorher", "alt", "avant", "yesterday"},
    {"during", "now"},
    {"after", "new", "post", "nachher", "neu", "apres", "today"},
)
"""Words for times, in their order."""
_DATED: Final = re.compile(r"(?:19|20)\d\d-?[01]\d-?[0-3]\d(?:[T_-]?\d\d[h.:-]?\d\d(?:[m.:-]?\d\d)?)?")
_COUNTED: Final = re.compile(r"\d{1,3}")
_DATE: Final = re.compile(
    r"\S{2,4} +([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) +(?:\S+ +)?(\d{4})\s*|"
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)\S*(?: \S+)?\s*"
)
"""What date prints, in the C locale or as ISO 8601."""
_MONTHS: Final = "JanFebMarAprMayJunJulAugSepOctNovDec"


def rank(word: str) -> tuple[int, str]:
    """Return where a word for a time stands among others of its sort; -1 if it is none."""
    for place, alike in enumerate(_ORDERED):
        if word.casefold() in alike:
            return place, ""
    if _DATED.fullmatch(word):
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
    if match is None:
        return ""
    if match[5]:
        return f"{match[5]} {match[6]}"
    month = _MONTHS.find(match[1]) // 3 + 1
    return f"{match[4]}-{month:02}-{int(match[2]):02} {match[3]}"
