"""Keys of caches for what cannot be hashed, or takes long to hash."""

from __future__ import annotations

from zmon.base.light_typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class SameColumns(Generic[T]):
    """An object as a key by some of what it has: as a rule that says the same, sample by sample."""

    __slots__ = ("columns", "it")

    def __init__(self, it: T, *columns: Sequence[object]) -> None:
        """Take an object and lists of what counts of it, which nobody changes."""
        self.it, self.columns = it, columns

    def __hash__(self) -> int:
        """Return what is cheap to compute: how long each list is."""
        return hash(tuple(map(len, self.columns)))

    def __eq__(self, other: object) -> bool:
        """Return whether the lists of another key say the same."""
        return isinstance(other, SameColumns) and self.columns == other.columns


class SameNames(SameColumns[list[str]]):
    """Names in their order as a key."""

    __slots__ = ()

    def __init__(self, names: list[str]) -> None:
        """Take names that nobody changes."""
        super().__init__(names, names)

    @property
    def names(self) -> list[str]:
        """The names."""
        return self.it
