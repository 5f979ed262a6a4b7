"""Keys of caches for what cannot be hashed, or takes long to hash."""

from __future__ import annotations

from zmon.base.light_typing import Generic, TypeVar

T = TypeVar("T")


class Same(Generic[T]):
    """A key that costs nothing: the very same object, `it`, is the same key."""

    __slots__ = ("it",)

    def __init__(self, it: T) -> None:
        """Take an object that nobody changes."""
        self.it = it

    def __hash__(self) -> int:
        """Return what is the same for this object alone."""
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        """Return whether another key is of this object."""
        return isinstance(other, Same) and self.it is other.it


class SameNames:
    """Names in their order as a key: as a rule they are the same, sample by sample."""

    __slots__ = ("names",)

    def __init__(self, names: list[str]) -> None:
        """Take names that nobody changes."""
        self.names = names

    def __hash__(self) -> int:
        """Return what is cheap to compute: how many there are, and the first."""
        return hash((len(self.names), *self.names[:1]))

    def __eq__(self, other: object) -> bool:
        """Return whether another key has these names."""
        return isinstance(other, SameNames) and self.names == other.names
