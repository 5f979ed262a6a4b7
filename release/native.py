"""The packages for Debian and for RPM: zmon with its private packages, unit, user, manual pages, completions.

Neither has an architecture.  They need a Python of the distribution, 3.11 or newer, and no other package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from parts import ROOT
from tree import date

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY: Final = "/usr/lib/zmon"
SUMMARY: Final = "performance monitor for databases on Linux on IBM Z"
DESCRIPTION: Final = """\
The z/VM Performance Toolkit's screens from what Linux knows: channels, control
units, devices, cache and partitions, with what is wrong and what to do.
It maps files of databases to volumes and logical control units, records, and
shows recordings with the same screens."""
WRAPPER: Final = f"""\
#!/bin/sh
# the newest Python of the distribution that zmon is tested with
for minor in 14 13 12 11; do
    [ -x /usr/bin/python3.$minor ] && exec /usr/bin/python3.$minor -sP {LIBRARY}/run "$@"
done
echo "zmon: Python 3.11 or newer is needed in /usr/bin" >&2
exit 1
"""
RUN: Final = f"""\
import sys

sys.path.insert(0, "{LIBRARY}")
from zmon.cli.main import run_process

sys.exit(run_process())
"""
AFTER: Final = f"""\
for minor in 14 13 12 11; do
    [ -x /usr/bin/python3.$minor ] || continue
    /usr/bin/python3.$minor -m compileall -q -j 0 {LIBRARY} || true
    break
done
if command -v systemd-sysusers >/dev/null; then systemd-sysusers zmon.conf; fi
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    systemctl try-restart zmon-record.service || true
fi
"""
"""Carried out after the files are in place: compiles, makes the user, restarts a recorder that runs."""
BEFORE_REMOVAL: Final = """\
if [ -d /run/systemd/system ]; then systemctl disable --now zmon-record.service || true; fi
"""
FORGET: Final = f"""\
find {LIBRARY} -name __pycache__ -type d -prune -exec rm -rf {{}} + 2>/dev/null || true
"""
"""What was compiled belongs to no package."""
FORGET_EMPTY: Final = f"""\
find {LIBRARY} -depth -type d -empty -delete 2>/dev/null || true
"""
"""An upgrade leaves a directory that the newer version no longer has, if something in it was compiled."""
RECORDINGS: Final = "zmon: recordings in /var/lib/zmon are kept; remove them by hand if nobody needs them"

SPEC: Final = f"""\
Name: zmon
Version: @VERSION@
Release: 1
Summary: {SUMMARY}
License: Apache-2.0
BuildArch: noarch
AutoReqProv: no
Requires: (python3 >= 3.11 or python3.14 or python3.13 or python3.12 or python3.11 or python311)

%description
{DESCRIPTION}

%install
mkdir -p %{{buildroot}}
cp -a @ROOT@/. %{{buildroot}}

%post
{AFTER}
%preun
if [ $1 -eq 0 ]; then
{BEFORE_REMOVAL}{FORGET}fi

%postun
if [ $1 -eq 0 ]; then
{FORGET_EMPTY}fi

%files
%defattr(-,root,root,-)
%dir /etc/zmon
%doc /usr/share/doc/zmon
{LIBRARY}
/usr/bin/zmon
/usr/lib/systemd/system/zmon-record.service
/usr/lib/sysusers.d/zmon.conf
/usr/share/bash-completion/completions/zmon
/usr/share/fish/vendor_completions.d/zmon.fish
/usr/share/man/man1/zmon*
/usr/share/zsh/site-functions/_zmon
"""
"""How rpmbuild makes the package; `python3.12` and `python311` are what RHEL and SLES call a newer Python."""


def stage(root: Path, tree: Path, share: Path, seconds: int) -> None:
    """Lay out what a package installs, below `root`.

    Args:
        root: an empty directory.
        tree: what `tree.fill` made.
        share: manual pages and completions.
        seconds: since 1970: the time of each file.
    """
    library = root / LIBRARY.lstrip("/")
    shutil.copytree(tree, library)
    (library / "run").write_text(RUN)
    shutil.copytree(share, root / "usr/share")
    document = root / "usr/share/doc/zmon"
    document.mkdir(parents=True)
    for name in ("README.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(ROOT / name, document)
    shutil.copytree(ROOT / "docs", document / "docs", ignore=shutil.ignore_patterns("*.py", "pictures"))
    (root / "etc/zmon").mkdir(parents=True)
    unit = (ROOT / "release/zmon-record.service").read_text()
    _write(root / "usr/lib/systemd/system/zmon-record.service", unit.replace("/opt/zmon/bin/", "/usr/bin/")
           .replace("/opt/zmon/share/doc/zmon/", "/usr/share/doc/zmon/docs/"))  # fmt: skip
    _write(root / "usr/lib/sysusers.d/zmon.conf", (ROOT / "release/zmon.sysusers").read_text())
    program = root / "usr/bin/zmon"
    _write(program, WRAPPER)
    program.chmod(0o755)
    date(root, seconds)


def debian(target: Path, root: Path, version: str, seconds: int) -> None:
    """Write the package for Debian and its relatives with dpkg-deb.

    Raises:
        CalledProcessError, FileNotFoundError: dpkg-deb failed, or is not here.
    """
    control = root / "DEBIAN"
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) >> 10
    about = DESCRIPTION.replace("\n", "\n ")
    _write(
        control / "control",
        f"Package: zmon\nVersion: {version}\nArchitecture: all\nMaintainer: zmon <zmon@localhost>\n"
        f"Section: admin\nPriority: optional\nInstalled-Size: {size}\n"
        f"Depends: python3 (>= 3.11) | {' | '.join(f'python3.{minor}' for minor in range(14, 10, -1))}\n"
        f"Recommends: systemd\nDescription: {SUMMARY}\n {about}\n",
    )
    scripts = {
        "postinst": f'if [ "$1" = configure ]; then\n{AFTER}fi\n',
        "prerm": f'if [ "$1" = remove ]; then\n{BEFORE_REMOVAL}fi\n{FORGET}',
        "postrm": f'if [ "$1" = purge ] && [ -d /var/lib/zmon ]; then echo "{RECORDINGS}"; fi\n',
    }
    for name, script in scripts.items():
        _write(control / name, f"#!/bin/sh\nset -e\n{script}")
        (control / name).chmod(0o755)
    date(root, seconds)
    _run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(target)], seconds)
    shutil.rmtree(control)


def rpm(target: Path, root: Path, version: str, seconds: int) -> None:
    """Write the package for RPM with rpmbuild.

    Raises:
        CalledProcessError, FileNotFoundError: rpmbuild failed, or is not here.
    """
    work = root.parent / "rpmbuild"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    spec = work / "zmon.spec"
    spec.write_text(SPEC.replace("@VERSION@", version).replace("@ROOT@", str(root)))
    defines = {
        "_topdir": str(work), "_rpmdir": str(work / "out"), "_binary_payload": "w6.xzdio",
        "_buildhost": "reproducible", "use_source_date_epoch_as_buildtime": "1",
        "clamp_mtime_to_source_date_epoch": "1", "__os_install_post": "%{nil}", "_build_id_links": "none",
        "__brp_compress": "%{nil}", "debug_package": "%{nil}",
    }  # fmt: skip
    options = [word for name, value in defines.items() for word in ("--define", f"{name} {value}")]
    _run(["rpmbuild", "-bb", "--quiet", "--nodeps", *options, str(spec)], seconds)
    (built,) = (work / "out").rglob("*.rpm")
    shutil.move(str(built), target)
    shutil.rmtree(work)


def _run(command: list[str], seconds: int) -> None:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds), "LC_ALL": "C"}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
