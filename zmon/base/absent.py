"""Missing values and their reasons.

A missing value is never zero.  It is an `Absent` that carries its reason, and it stays
absent through arithmetic: whatever is computed from it is absent for the same reason.  So a
formula is written once, for values that are present, and the reason still reaches the screen.

    >>> needs_lpar = absent("needs an LPAR")
    >>> (needs_lpar - 5) / 2
    Absent('needs an LPAR')

The reason is for people; programs ask for its code and its facts.  Recordings and captures have the reason
alone, so code and facts are found by it, and only here: by the whole text, or by how it begins.

    >>> not_asked = Reasons("not-asked", "not asked: {}", "nobody asked: {}")
    >>> not_asked.about("DASD"), absent("nobody asked: DASD").code, absent("nobody asked: DASD").facts
    (Absent('not asked: DASD'), 'not-asked', ('DASD',))
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from zmon.base.light_typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from collections.abc import Iterable


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

    @property
    def short(self) -> str:
        """The reason where there is little room: without what follows its colon, such as the file."""
        return self.reason.partition(":")[0]

    @property
    def code(self) -> str:
        """A short word that programs ask for; empty where none does."""
        return _meaning(self.reason)[0]

    @property
    def facts(self) -> tuple[str, ...]:
        """What stands in the reason beside what is the same in all with this code."""
        return _meaning(self.reason)[1]

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


_meanings: Final[dict[str, tuple[str, tuple[str, ...]]]] = {}
"""Code and facts of each reason that is declared as a whole."""
_beginnings: Final[dict[str, str]] = {}
"""The code of reasons that end with their fact, by how they begin."""


def _meaning(reason: str) -> tuple[str, tuple[str, ...]]:
    meaning = _meanings.get(reason)
    if meaning is not None:
        return meaning
    for beginning, code in _beginnings.items():
        if reason.startswith(beginning):
            return code, (reason[len(beginning) :],)
    return "", ()


def declared(code: str, reason: str, *facts: str, former: Iterable[str] = ()) -> Absent:
    """Return the absence for a reason with a code; `former` is what older recordings say instead."""
    for text in (reason, *former):
        _meanings[text] = code, facts
    return absent(reason)


@final
class Reasons:
    """Reasons that have a code in common and end with a fact; `{}` in a text is the fact.

    `former` are the texts of older recordings, `{}` at their end, too.
    """

    __slots__ = ("code", "text")
    code: str
    text: str

    def __init__(self, code: str, text: str, *former: str) -> None:
        """Declare them."""
        self.code, self.text = code, text
        _beginnings.update((form.removesuffix("{}"), code) for form in (text, *former))

    def about(self, fact: str) -> Absent:
        """Return the absence for this fact."""
        return absent(self.text.format(fact))


def code_of(value: object) -> str:
    """Return the code of why a value is missing; empty if it is not."""
    return value.code if isinstance(value, Absent) else ""


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
