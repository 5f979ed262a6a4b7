"""Builds every form in which zmon is delivered, into `dist/`: `make dist`.

zmon-VERSION.tar.gz, zmon-VERSION-py3-none-any.whl  source archive and wheel
zmon.pyz                                            one file for any Linux
zmon_VERSION_all.deb, zmon-VERSION-1.noarch.rpm     packages
zmon.cdx.json                                       bill of materials
SHA256SUMS                                          of all of them

The same commit gives the same bytes.  Fetching packages needs an index, once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import manual
import native
import onefile
import sbom
import tree
from parts import ROOT, parts

from zmon import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def main() -> int:
    """Build all; returns 0, or 1 if a tool is missing, after building the rest."""
    os.environ["COLUMNS"] = "80"  # usage lines are wrapped at the width of a terminal
    seconds = tree.epoch()
    os.environ["SOURCE_DATE_EPOCH"] = str(seconds)
    out, work = ROOT / "dist", ROOT / "build"
    for directory in (out, work):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
    print("building the source archive and the wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = out.glob("*.whl")
    print(f"fetching {len(parts())} packages")
    site, share, root = work / "tree", work / "share", work / "root"
    tree.fill(site, wheel)
    manual.write_pages(share, seconds)
    manual.write_completions(share)
    print("building zmon.pyz")
    onefile.write(out / "zmon.pyz", site, share, __version__, seconds)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    (out / "zmon.cdx.json").write_text(sbom.bill(parts(), __version__, stamp))
    native.stage(root, site, share, seconds)
    packages: dict[Path, Callable[[Path, Path, str, int], None]] = {
        out / f"zmon_{__version__}_all.deb": native.debian,
        out / f"zmon-{__version__}-1.noarch.rpm": native.rpm,
    }
    missing = 0
    for target, write in packages.items():
        print(f"building {target.name}")
        try:
            write(target, root, __version__, seconds)
        except FileNotFoundError as error:
            print(f"{target.name} is not built: there is no {error.filename} here", file=sys.stderr)
            missing = 1
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(out.iterdir())
    ]
    (out / "SHA256SUMS").write_text("".join(sums))
    for file in sorted(out.iterdir()):
        print(f"{file.stat().st_size:>12,} {file.relative_to(ROOT)}")
    return missing


if __name__ == "__main__":
    sys.exit(main())
