"""Reading TOML with bounds: screens, site files, key maps, scenarios and tours."""

from __future__ import annotations

from typing import Any, Final

LARGEST: Final = 256 << 10
"""Most characters of a file."""
DOTS: Final = 256
"""Most dots of a line.  `tomllib` takes the square of the parts of a dotted key in time and memory."""


class TomlError(ValueError):
    """What is wrong with a TOML document, and in which line."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML document.

    Raises:
        TomlError: it is no TOML, or larger than any file that is written by hand.
    """
    import tomllib  # noqa: PLC0415 - most lookups read none

    if len(text) > LARGEST:
        raise TomlError(f"more than {LARGEST >> 10} KiB")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > DOTS:
            raise TomlError(f"more than {DOTS} dots in a line (at line {number}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits is a plain ValueError
        raise TomlError(str(error)) from error
