"""Where a site's knowledge is written, if it is: whether there is any is known without reading it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SYSTEM: Final = "/etc/zmon/site.toml"
"""Where the site of a machine is written; a user's own is `zmon/site.toml` in the directory of settings."""


def site_files(environ: Mapping[str, str], system: str = SYSTEM) -> list[str]:
    """Return the site files that there are, the machine's before the user's."""
    settings = environ.get("XDG_CONFIG_HOME") or os.path.join(environ.get("HOME") or "/", ".config")
    return [path for path in (system, os.path.join(settings, "zmon", "site.toml")) if os.path.exists(path)]
