"""Whether any text or bytes make a parser raise what nobody expects, guided by coverage.

    pip install atheris; python -m benchmarks.fuzz [CALLS] [NAME ...]

Every function of zmon that is called `parse_...` and takes a text or bytes is given inputs that reach new
lines of it, from those that the tests keep on.  What it may raise is a ValueError, or an error of zmon's
own; anything else, and a call that takes seconds, is a mistake.  Ten million calls take a quarter of an hour
on two cores.
"""

from __future__ import annotations

import inspect
import os
import pkgutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import zmon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALLS: Final = 10_000_000
LONGEST: Final = 600
"""Bytes of an input."""
SECONDS: Final = 5
"""For one call."""
GIVEN: Final = {
    "origin": "x.txt", "file": "x.toml", "group": 2, "count": 3, "now": 1_800_000_000 * 10**9, "logical": 0,
}  # fmt: skip
"""What parsers are given besides, by the names of their parameters."""
FIXTURES: Final = Path(__file__).parents[1] / "tests" / "fixtures"
MAX_SEED: Final = 100_000


def targets() -> Iterator[str]:
    """Yield the parsers by their places: `zmon.kernel.cgroup.parse_stalls`."""
    for module in pkgutil.walk_packages(zmon.__path__, "zmon."):
        if module.name.endswith("__main__"):
            continue
        for name, function in vars(import_module(module.name)).items():
            if (
                name.startswith("parse_")
                and inspect.isfunction(function)
                and function.__module__ == module.name
            ):
                first, *rest = inspect.signature(function).parameters.values()
                if str(first.annotation).partition(" ")[0] in {"str", "bytes"} and all(
                    one.default is not one.empty or one.name in GIVEN for one in rest
                ):
                    yield f"{module.name}.{name}"


def _call(place: str) -> Callable[[bytes], None]:
    """Return what calls a parser with bytes."""
    module, _, name = place.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(module), name)
    first, *rest = inspect.signature(function).parameters.values()
    given = {one.name: GIVEN[one.name] for one in rest if one.name in GIVEN and one.default is one.empty}
    is_text = str(first.annotation).startswith("str")

    def call(data: bytes) -> None:
        try:
            function(data.decode("utf-8", "surrogateescape") if is_text else data, **given)
        except ValueError:
            pass
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "zmon":
                raise

    return call


def _fuzz(place: str, calls: int) -> None:
    """Call one parser so often; the process ends with another status at the first mistake."""
    atheris: Any = import_module("atheris")  # whoever runs this has it

    with atheris.instrument_imports(include=["zmon"]):
        call = _call(place)
    with tempfile.TemporaryDirectory() as corpus:
        for number, path in enumerate(sorted(FIXTURES.rglob("*"))):
            if path.is_file() and path.stat().st_size < MAX_SEED:
                (Path(corpus) / str(number)).write_bytes(path.read_bytes()[:LONGEST])
        options = [f"-runs={calls}", f"-max_len={LONGEST}", f"-timeout={SECONDS}", "-artifact_prefix=/tmp/"]
        atheris.Setup([sys.argv[0], *options, corpus], call)
        atheris.Fuzz()


def _run(place: str, calls: int) -> tuple[str, int, float, str]:
    """Fuzz a parser in a process of its own: place, status, seconds, the last lines that it said."""
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz", "--one", place, str(calls)],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    return place, done.returncode, time.monotonic() - begin, done.stderr[-1500:]


def main() -> int:
    """Fuzz all parsers, or those that are named; 1 if one made a mistake."""
    words = sys.argv[1:]
    if words[:1] == ["--one"]:
        _fuzz(words[1], int(words[2]))
        return 0
    calls = int(words.pop(0)) if words and words[0].isdigit() else CALLS
    chosen = [place for place in targets() if not words or any(word in place for word in words)]
    each = calls // len(chosen)
    mistakes = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for place, status, seconds, said in pool.map(lambda place: _run(place, each), chosen):
            mistakes += status != 0
            print(f"{place:60} {'ok' if not status else 'MISTAKE'} {seconds:6.1f} s", flush=True)
            if status:
                print(said)
    print(f"{each * len(chosen):,} calls of {len(chosen)} parsers: {mistakes} mistakes; wanted: none")
    return int(bool(mistakes))


if __name__ == "__main__":
    sys.exit(main())
