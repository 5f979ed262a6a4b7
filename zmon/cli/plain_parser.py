"""Parses command lines that are written in full and without a mistake, which most are.

Loading argparse takes a tenth of the time of a lookup.  It parses the other command lines: help, wrong
options, words between options, and values that begin with a minus.
"""

from __future__ import annotations

from types import SimpleNamespace

from zmon.base.light_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence


class UnusualError(Exception):
    """A command line or a declaration that is left to argparse."""


class PlainParser:
    """The part of `argparse.ArgumentParser` that declarations use, and that gives the same values."""

    epilog = ""

    def __init__(self) -> None:
        """Know no option yet."""
        self.values: dict[str, Any] = {}
        self._options: dict[str, tuple[str, dict[str, Any]]] = {}
        self._words: list[tuple[str, dict[str, Any]]] = []

    def add_argument(self, *names: str, **more: Any) -> None:
        """Declare an option, or a word that is none."""
        first = next((name for name in names if name.startswith("--")), names[0])
        dest = more.get("dest") or first.lstrip("-").replace("-", "_")
        if not names[0].startswith("-"):
            self._words.append((dest, more))
            return
        if more.get("action") != "store_const":  # another option of the same value has the default
            self.values[dest] = more.get("default", False if more.get("action") == "store_true" else None)
        self._options |= dict.fromkeys(names, (dest, more))

    def set_defaults(self, **values: Any) -> None:
        """Declare values that no option gives."""
        self.values |= values

    def get_default(self, dest: str) -> Any:
        """Return the default of an option; None of a word."""
        return self.values.get(dest)

    def declared(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return options and words by name, without dashes: their attribute, and how they were declared."""
        options = {word[2:]: declared for word, declared in self._options.items() if word.startswith("--")}
        return options | {dest: (dest, more) for dest, more in self._words}

    def add_subparsers(self, **_more: Any) -> Any:
        """Refuse what declares words that have options of their own."""
        raise UnusualError

    def parse(self, arguments: Sequence[str]) -> dict[str, Any]:
        """Return the values of a command line.

        Raises:
            UnusualError: it is one for argparse.
        """
        rest = list(arguments)
        plain: list[str] = []
        ended = False
        while rest:
            word = rest.pop(0)
            if word[:1] != "-" or word == "-":
                if ended:
                    raise UnusualError
                plain.append(word)
                continue
            ended = bool(plain)
            self._option(word, rest)
        for dest, more in self._words:
            self._take(dest, more, plain)
        if plain:
            raise UnusualError
        return self.values

    def _option(self, word: str, rest: list[str]) -> None:
        """Take an option and its value."""
        if word not in self._options:
            raise UnusualError
        dest, more = self._options[word]
        if more.get("action") in {"store_true", "store_const"}:
            self.values[dest] = more.get("const", True)
            return
        if not rest or (rest[0][:1] == "-" and rest[0] != "-"):
            raise UnusualError
        value = _value(rest.pop(0), more)
        self.values[dest] = [*(self.values[dest] or []), value] if more.get("action") == "append" else value

    def _take(self, dest: str, more: dict[str, Any], plain: list[str]) -> None:
        """Take as many words as are declared."""
        number = more.get("nargs")
        if not plain and number not in {"*", "?"}:
            raise UnusualError
        if number in {"*", "+"}:
            values = [_value(word, more) for word in plain]
            plain.clear()
            self.values[dest] = values or more.get("default") or []
        else:
            self.values[dest] = _value(plain.pop(0), more) if plain else more.get("default")


def _value(word: str, more: dict[str, Any]) -> Any:
    """Return the value that a word means.

    Raises:
        UnusualError: it means none; argparse says why.
    """
    try:
        value = more["type"](word) if "type" in more else word
    except Exception as error:
        raise UnusualError from error
    if "choices" in more and value not in more["choices"]:
        raise UnusualError
    return value


def parse_plain(
    declare: Callable[[argparse.ArgumentParser], None],
    arguments: Sequence[str],
    change: Callable[[argparse.ArgumentParser], None] | None = None,
) -> argparse.Namespace | None:
    """Return the options of a command line as argparse would; None for an unusual one.

    `change` changes what was declared, such as the defaults.
    """
    parser: Any = PlainParser()
    try:
        declare(parser)
        if change is not None:
            change(parser)
        namespace: Any = SimpleNamespace(**parser.parse(arguments))
    except UnusualError:
        return None
    return namespace  # type: ignore[no-any-return]  # it has the same attributes
