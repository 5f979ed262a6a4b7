"""The case study of `recordings/casestudy`, and the three ways to learn where its volumes lie."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER: Final = Path("recordings/casestudy")
"""From the root of the sources, where tests are run, so that no test prints where these are."""


def _options(machine: str, *told: str) -> list[str]:
    words = ["--from", str(FOLDER / machine), "--listing", str(FOLDER / "tablespaces.ddl")]
    return words + [word if word.startswith("-") else str(FOLDER / word) for word in told]


WAYS: Final = {
    "cp": _options("machine.tar.gz", "--cp-file", "cp.txt", "--site", "site.toml"),
    "directory": _options(
        "machine.tar.gz", "--cp-file", "directory.txt", "--cp-file", "qdasd.txt", "--site", "site.toml"
    ),
    "uid": _options("machine-uid.tar.gz"),
}
"""Options by what tells the control units: answers of CP, a user directory entry, the unique ids alone."""

VOLUMES: Final = {"1": 4, "2": 8, "5": 3, "6": 13}
"""How many volumes of the data base are on each control unit; the root file system is alone on another."""


def unit(lcu: str) -> str:
    """Return the number of a control unit, be it called `LCU 6` or `SSID 7600`."""
    word = lcu.rsplit(maxsplit=1)[-1]
    return word[1] if len(word) == 4 else word


def counted(lcus: Iterable[str]) -> dict[str, int]:
    """Return how often each control unit comes."""
    return dict(sorted(Counter(map(unit, lcus)).items()))
