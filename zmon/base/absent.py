"""Missing values and their reasons.

A missing value is never zero.  It is an `Absent` that carries its reason, and it stays
absent through arithmetic: whatever is computed from it is absent for the same reason.  So a
formula is written once, for values that are present, and the reason still reaches the screen.

    >>> needs_lpar = absent("needs an LPAR")
    >>> (needs_lpar - 5) / 2
    Absent('needs an LPAR')
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from zmon.base.light_typing import Final, final


@final
class Absent:
    """The absence of one value, with a reason that a person can act on.

    Comparisons are false, as with NaN, so an absent value never exceeds a limit.
    It is true in a condition: `frame.missing or otherwise` is the reason if there is one.
    Two absences are the same object when their reasons are the same.
    """

    __slots__ = ("__weakref__", "reason")
    reason: str

    def __init__(self, reason: str) -> None:
        """Use `absent`, which hands out one object per reason."""
        self.reason = reason

    def __repr__(self) -> str:
        return f"Absent({self.reason!r})"

    def _same(self, _other: object) -> Absent:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = _same
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _same

    def _itself(self) -> Absent:
        return self

    __neg__ = __pos__ = __abs__ = _itself

    def _never(self, _other: object) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _never


Number = int | float | Absent
"""A measured number, or the reason why there is none."""

Value = int | float | str | Absent
"""One cell of a sample, an interval or a table."""

_known: Final[WeakValueDictionary[str, Absent]] = WeakValueDictionary()
# weak references: a reason may quote the content of a file, which changes with every sample


def absent(reason: str) -> Absent:
    """Return the one `Absent` for this reason, as long as anything holds it."""
    value = _known.get(reason)
    if value is None:
        value = _known[reason] = Absent(reason)
    return value


def text_of(value: Value) -> str:
    """Return a text that may be absent; empty if it is."""
    return "" if isinstance(value, Absent) else str(value)


def ratio(part: Number, whole: Number, otherwise: str = "nothing happened in the interval") -> Number:
    """Return part / whole; absent, with the reason `otherwise`, when the whole is zero."""
    if isinstance(part, Absent):
        return part
    if isinstance(whole, Absent):
        return whole
    return part / whole if whole else absent(otherwise)
