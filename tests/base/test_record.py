"""zmon.base.record: tuples with named fields, as `typing` has them."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from zmon.base.record import NamedTuple

pytestmark = pytest.mark.interpreter


class Ours(NamedTuple):
    """A record."""

    name: str
    size: int = 0
    """Bytes."""
    parts: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Name and size."""
        return f"{self.name} {self.size}"


class Theirs(typing.NamedTuple):
    """The same by `typing`."""

    name: str
    size: int = 0
    parts: tuple[str, ...] = ()


class Named(Ours):
    """A record with one more method."""

    def shout(self) -> str:
        """Return the name in capitals."""
        return self.name.upper()


def test_both_are_alike() -> None:
    """Values, order, names of fields, defaults."""
    ours, theirs = Ours("a", parts=("b",)), Theirs("a", parts=("b",))
    assert tuple(ours) == tuple(theirs) == ("a", 0, ("b",))
    assert (hash(ours), ours == ("a", 0, ("b",))) == (hash(theirs), True)
    assert (ours._fields, ours._field_defaults) == (theirs._fields, theirs._field_defaults)
    assert ours._asdict() == theirs._asdict()
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert ours._replace(size=3) == Ours._make(["a", 3, ("b",)])
    assert (ours.title, Named("x").shout(), Ours.size.__doc__) == ("a 0", "X", Theirs.size.__doc__)


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_wrong_fields_are_refused(kind: type[Ours]) -> None:
    """In the same cases."""
    for args, kwargs in (((), {}), (("a", 1, (), 2), {}), (("a",), {"name": "b"}), (("a",), {"none": 1})):
        with pytest.raises(TypeError):
            kind(*args, **kwargs)
    with pytest.raises(TypeError):
        kind._make(["a"])
    with pytest.raises((TypeError, ValueError), match="unexpected field names"):
        kind("a")._replace(none=1)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        kind("a").name = "b"  # type: ignore[misc]


def test_the_compiled_constructor_does_the_same() -> None:
    """After a few objects."""
    made = [Ours(str(number), parts=("b",)) for number in range(3 * 16)]
    assert made == [(str(number), 0, ("b",)) for number in range(3 * 16)]
    test_both_are_alike()
    test_wrong_fields_are_refused(Ours)


def test_it_is_matched_copied_and_pickled() -> None:
    """By its fields."""
    match Ours("a", 5):
        case Ours(name, size):
            assert (name, size) == ("a", 5)
    record = Ours("a", 5)
    assert copy.copy(record) == pickle.loads(pickle.dumps(record)) == record  # noqa: S301 - our own
    assert type(copy.deepcopy(record)) is Ours
    assert not hasattr(record, "__dict__")


def test_a_field_without_a_default_comes_first() -> None:
    """As `typing` has it."""
    with pytest.raises(TypeError, match="default"):
        exec(  # noqa: S102 - a class that cannot be
            "class Wrong(NamedTuple):\n    a: int = 1\n    b: int",
            {"NamedTuple": NamedTuple, "__name__": "x"},
        )
