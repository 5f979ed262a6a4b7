"""What people tell of a machine, beside what it says itself: the site, answers of CP, tablespaces."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.topology.site import NO_SITE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.topology.claim import Claim
    from zmon.topology.file import Listed
    from zmon.topology.scattered import Scattered
    from zmon.topology.site import Site


class Heard(NamedTuple):
    """What files of answers of CP come to."""

    claims: Sequence[Claim] = ()
    remarks: tuple[str, ...] = ()
    """What a person should know of them: what is not understood, what contradicts."""


class People:
    """What people tell; it equals itself alone, for it is told once."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing that is told
        self,
        site: Site = NO_SITE,
        hear: Callable[[str], Heard] | None = None,
        listed: Sequence[Listed] | None = None,
        notes: tuple[str, ...] = (),
        scattered: Sequence[Scattered] = (),
        wrong: tuple[str, ...] = (),
    ) -> None:
        """Take down what was told; `hear` tells of CP, to whom names this guest (empty: not known)."""
        self.site = site
        self.listed = listed
        """The files of tablespaces; None when nobody lists any."""
        self.scattered = scattered
        """Those of their files that are in disk groups."""
        self.notes = notes
        """What a person should know of the listing."""
        self.wrong = wrong
        """What could not be used, and why."""
        self.hear: Callable[[str], Heard] = lru_cache(maxsize=2)(hear) if hear is not None else _silent
        self.told = site != NO_SITE or hear is not None or listed is not None
        """Whether anybody has told anything."""


def _silent(_guest: str) -> Heard:
    return Heard()


NOBODY: Final = People()
"""Nobody has told anything."""
