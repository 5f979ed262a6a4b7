"""Messages for programs: with `--json-errors` each line on standard error is a JSON object.

    {"error": "/etc/zmon/zmon.toml:3: intervall: is no setting: did you mean interval?",
     "status": 2, "where": "/etc/zmon/zmon.toml:3", "what": "intervall: is no setting",
     "do": "did you mean interval?"}

`error`, `warning` or `note` has the whole sentence, as people read it.  An error has the exit status that it
leads to, and the parts of the sentence: `where` is the file, line or option that it begins with, `do` what is
said behind the first semicolon, or the word that may be meant.  A part that a sentence does not have is null.
"""

from __future__ import annotations

import json
import re
from typing import Final

WHERE: Final = re.compile(
    r"(?P<where>[/~.][^\s:;']*(?::\d+)?|(?:--[a-z-]+|[^\s:;']+[/.][^\s:;']*(?::\d+)?)(?=: )):? (?P<rest>.*)",
    re.DOTALL,
)
"""A path that begins as one; before a colon also an option, or what looks like the name of a file."""
DO: Final = re.compile(r"(?P<what>.*?)(?:; |: (?=did you mean ))(?P<do>.+)", re.DOTALL)
MOST: Final = 10_000
"""Characters of a sentence that are written and taken apart."""


def json_message(kind: str, message: str, status: int | None = None) -> str:
    """Return a message of a kind (`error`, `warning`, `note`) as a line of JSON."""
    sentence = message[:MOST]
    data: dict[str, object] = {kind: sentence}
    if status is not None:
        data["status"] = status
        where = WHERE.fullmatch(sentence)
        rest = where["rest"] if where else sentence
        do = DO.fullmatch(rest)
        data |= {
            "where": where["where"] if where else None,
            "what": do["what"] if do else rest,
            "do": do["do"] if do else None,
        }
    return json.dumps(data)
