"""The figures that break most often, compared with those that are kept of this kind of machine.

    python -m benchmarks.quick            three minutes; 1 if a ratio is 15 % worse than what is kept
    python -m benchmarks.quick --keep     keep the figures of this run: on two cores that rest

Ratios to a rival in the same run depend on the kind of machine: where system calls are fast, Python is slow
beside C.  So `benchmarks/kept.toml` has a table for each kind; of another one it is said that none is kept.
What seems worse is measured once more, and the better of both counts: other work on the machine only adds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

from benchmarks.figures import FILE

MEASURED: Final = {
    "sampling": ("sampling.all", "sampling.some"),
    "units": ("units.all",),
    "processes": ("processes",),
    "recording": ("recording.taken",),
    "startup": ("startup.overview.live", "startup.overview.recording", "startup.overview.day"),
    "where": ("where.file",),
    "glass": ("glass.drawn",),
    "judging": ("judging.rules",),
}
"""The benchmarks that are run, and the figures that they note."""
WORSE: Final = 1.15
KEPT: Final = Path(__file__).with_name("kept.toml")


def kind() -> str:
    """Return what kind of machine this is: processor, number of them, Python."""
    model = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.machine(),
    )
    return f"{model}, {os.cpu_count()} processors, Python {platform.python_version()}"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def measured(benchmark: str) -> dict[str, float]:
    """Run a benchmark and return its figures."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        command = [sys.executable, "-m", f"benchmarks.{benchmark}"]
        subprocess.run(command, check=False, capture_output=True, env={**os.environ, FILE: file.name})
        return dict(json.loads(line) for line in file)


def kept_figures() -> dict[str, float]:
    """Return the figures that are kept of this kind of machine; none of another."""
    if not KEPT.exists():
        return {}
    kinds: dict[str, dict[str, float]] = tomllib.loads(KEPT.read_text(encoding="utf-8"))
    return kinds.get(kind(), {})


def keep(figures: dict[str, float]) -> None:
    """Write the figures of this kind of machine, beside those of others."""
    kinds = tomllib.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kinds[kind()] = figures
    tables = (
        "\n".join((f'["{name}"]', *(f'"{key}" = {value:.3g}' for key, value in of_kind.items())))
        for name, of_kind in sorted(kinds.items())
    )
    KEPT.write_text("\n\n".join(tables) + "\n", encoding="utf-8")


def main() -> int:
    """Measure and compare; 1 if a figure is worse than what is kept, or was not measured."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quick", description="Compare what zmon costs."
    )
    parser.add_argument("--keep", action="store_true", help="keep the figures of this run")
    keeps, kept, worse = parser.parse_args().keep, kept_figures(), []
    figures: dict[str, float] = {}
    if not kept and not keeps:
        print(f"nothing is kept of this kind of machine: {kind()}; --keep keeps this run")
    for benchmark, names in MEASURED.items():
        found = measured(benchmark)
        limits = {name: WORSE * kept[name] for name in names if name in kept}
        if any(found.get(name, limit) > limit for name, limit in limits.items()):
            again = measured(benchmark)
            found = {name: min(ratio, again.get(name, ratio)) for name, ratio in found.items()}
        for name in names:
            ratio, limit = found.get(name), limits.get(name)
            was = f"kept {kept[name]:.3g}" if name in kept else "not kept"
            is_worse = ratio is None or (limit is not None and ratio > limit)
            print(
                f"{name:28} {'lacking' if ratio is None else f'{ratio:7.3g}'}  {was}{'  WORSE' * is_worse}",
                flush=True,
            )
            worse += [name] * is_worse
        figures |= found
    if keeps:
        keep({name: figures[name] for names in MEASURED.values() for name in names if name in figures})
    return int(bool(worse) and not keeps)


if __name__ == "__main__":
    sys.exit(main())
