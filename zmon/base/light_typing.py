"""Names of `typing` for annotations, without `typing`: for modules that every lookup loads.

Annotations stay text, so a type checker alone needs to know what these names mean.  Importing `typing` takes
a fifth of the interpreter's start-up time.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any as Any  # noqa: PLC0414 - for others to import
    from typing import Final as Final  # noqa: PLC0414 - likewise
    from typing import Generic as Generic  # noqa: PLC0414 - likewise
    from typing import Protocol as Protocol  # noqa: PLC0414 - likewise
    from typing import TypeVar as TypeVar  # noqa: PLC0414 - likewise
    from typing import final as final  # noqa: PLC0414 - likewise
else:
    Any = Final = None

    class Generic:
        """The base of a class whose parameters are annotations alone."""

        def __class_getitem__(cls, _parameters):  # noqa: ANN001, ANN204 - as in typing
            """Return the class."""
            return cls

    class Protocol:
        """The base of a class that is an annotation alone."""

    def TypeVar(name, **_more):  # noqa: ANN001, ANN003, ANN201, N802 - as in typing
        """Return the name of a type variable."""
        return name

    def final(cls):  # noqa: ANN001, ANN201 - as in typing
        """Return the class."""
        return cls
