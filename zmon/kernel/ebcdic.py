"""Names as hypervisors write them: EBCDIC, padded on the right."""

from __future__ import annotations


def name(raw: bytes) -> str:
    """Return the text of an EBCDIC name without its padding; empty when it is all padding.

    Code page 500 and 1047 agree on everything a name may contain.
    """
    return raw.decode("cp500").strip(" \0")
