"""`NamedTuple` as in `typing`, made in a tenth of the time: for modules that every lookup loads.

`typing.NamedTuple` compiles each annotation and the constructor when a class is made, which is most of the
time that it takes to import a module of records.  Here annotations stay text, and the constructor is
compiled once a class has more than a few objects.
"""

from __future__ import annotations

import sys

from zmon.base.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - for others to import
else:
    from collections import _tuplegetter

    FEW = 16
    """Objects of a class that are made without its constructor being compiled."""

    def _compile(cls: type) -> None:
        """Give a class its constructor."""
        names = ", ".join(cls._fields)
        code = f"lambda _cls, {names}: _new(_cls, ({names},))"
        new = eval(code, {"_new": tuple.__new__, "__builtins__": {}})  # noqa: S307 - names of fields alone
        new.__name__ = "__new__"
        new.__defaults__ = tuple(cls._field_defaults.values())
        cls.__new__ = new

    class _Record(type):
        """Makes a class of named tuples from its annotations."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> type:
            fields = tuple(namespace.get("__annotations__", ()))
            if not fields:
                return super().__new__(cls, name, bases, namespace)
            defaults = {field: namespace[field] for field in fields if field in namespace}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default comes after one with a default")
            namespace |= {
                field: _tuplegetter(at, sys.intern(f"Alias for field number {at}"))
                for at, field in enumerate(fields)
            }
            namespace |= {"__slots__": (), "_fields": fields, "__match_args__": fields}
            namespace |= {"_field_defaults": defaults, "_uncompiled": FEW}
            return super().__new__(cls, name, bases, namespace)

    class NamedTuple(tuple, metaclass=_Record):
        """A tuple whose fields have names."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}  # noqa: RUF012 - as in typing
        _uncompiled = 1

        def __new__(cls, *args: object, **kwargs: object) -> NamedTuple:  # noqa: D102, PYI034 - as in typing
            names = cls._fields
            cls._uncompiled -= 1
            if (
                cls._uncompiled > 0
                and len(args) <= len(names)
                and kwargs.keys().isdisjoint(names[: len(args)])
            ):
                cells = {**cls._field_defaults, **dict(zip(names, args, strict=False)), **kwargs}
                if cells.keys() == set(names):
                    return tuple.__new__(cls, map(cells.__getitem__, names))
            _compile(cls)  # it also reports wrong arguments
            return cls(*args, **kwargs)

        @classmethod
        def _make(cls, iterable: object) -> NamedTuple:
            record = tuple.__new__(cls, iterable)
            if len(record) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(record)}")
            return record

        def _replace(self, /, **kwargs: object) -> NamedTuple:
            record = self._make(map(kwargs.pop, self._fields, self))
            if kwargs:
                raise TypeError(f"Got unexpected field names: {list(kwargs)!r}")
            return record

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({shown})"

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)
