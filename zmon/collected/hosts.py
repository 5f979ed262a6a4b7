"""Whose texts they are: outputs of several hosts are never united.

A prompt names its host, dbginfo.sh names it before each command, and uname and hostname print it.  A text
that names none is taken to be of the host of the others, unless it stands among outputs of several.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.kernel.capture_text import CollectedText

_NO_HOST: Final = frozenset({"", "localhost", "linux"})
"""Names that many machines have."""
_PRINTED: Final = {
    "uname -a": r"Linux ([A-Za-z][\w-]{0,62})[\s.]",
    "hostname": r"([A-Za-z][\w-]{0,62})(?:\.[\w.-]+)?\s*$",
}
"""What names the host in an output, by the name of its form."""


def host_of(text: CollectedText) -> str:
    """Return the host that an output is of; empty if nothing names it."""
    named = text.host
    if not named and text.form in _PRINTED and (match := re.match(_PRINTED[text.form], text.text)):
        named = match[1].casefold()
    return "" if named in _NO_HOST else named


def strangers(texts: Sequence[CollectedText]) -> Iterator[tuple[CollectedText, str]]:
    """Yield the outputs that are not of the host of most of them, each with what it is."""
    hosts = {id(text): host_of(text) for text in texts}
    counted = Counter(hosts[id(text)] for text in texts if text.form or text.file)
    del counted[""]
    if len(counted) < 2:
        return
    own = counted.most_common(1)[0][0]
    of_file: dict[str, set[str]] = {}
    for text in texts:
        of_file.setdefault(text.origin, set()).add(hosts[id(text)] or "")
    for text in texts:
        named = of_file[text.origin] - {""}
        host = hosts[id(text)] or (next(iter(named)) if len(named) == 1 else own if not named else "?")
        if host != own:
            whose = "a host that is not named" if host == "?" else f"the host {host}"
            yield text, f"outputs of {whose}, as the others are of {own}: give each host's texts alone"
