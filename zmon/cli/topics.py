"""What `zmon help`, the manual pages and the documents say of exit status, environment and files."""

from __future__ import annotations

from zmon.base.light_typing import Final
from zmon.cli.output import FAILED, INTERRUPTED, OK, PARTLY, READER_LEFT, USAGE

EXIT_STATUS: Final = (
    (OK, "it was done"),
    (
        FAILED,
        (
            "it could not be done, was not found, or was checked and is not right (info --check, lab report);"
            " or it was done without what is damaged in a recording"
        ),
    ),
    (USAGE, "the command line or a file of settings is wrong"),
    (PARTLY, "it was answered, but part of a listing was not understood, so files may be missing"),
    (INTERRUPTED, "it was interrupted (Ctrl+C)"),
    (READER_LEFT, "what read the output has ended (zmon ... | head)"),
)
"""The exit status of every subcommand, unless it has `--status`."""

SERVICE_STATUS: Final = (
    (0, "OK: nothing"),
    (1, "WARNING: worth a look"),
    (2, "CRITICAL: bad"),
    (3, "UNKNOWN: not known, which is also so of whatever fails"),
)
"""With `--status`, as Nagios has it."""

SERVICE: Final = (
    (
        "./zmon.pyz install --prefix /opt/zmon",
        "installs the program; a package has done this and the next two",
    ),
    ("systemd-sysusers /opt/zmon/share/zmon/zmon.sysusers", "makes the user and the group zmon"),
    ("cp /opt/zmon/share/zmon/zmon-record.service /etc/systemd/system/", "installs the unit"),
    ("systemctl enable --now zmon-record", "starts the recorder, now and after each IPL"),
    ("systemctl status zmon-record", "says whether it runs, and what recording costs"),
    ("journalctl -u zmon-record", "has its messages"),
    (
        "zmon replay /var/lib/zmon",
        "shows what was recorded; /opt/zmon/bin/zmon where no package put it into PATH",
    ),
    ("usermod -aG zmon anna", "lets anna read the recordings"),
    (
        "systemctl edit zmon-record",
        (
            "changes the unit's options: how many days are kept (--keep 30d), at most how much (--size 4G),"
            " how often it samples (--interval 5); comments in the unit show how"
        ),
    ),
)
"""How the recorder runs as a service, in the order in which one goes on."""

ENVIRONMENT: Final = (
    ("ZMON_CONFIG", "this file of settings instead of the machine's and the user's; empty: none"),
    ("ZMON_THEME", "colours of the screens, as --theme"),
    ("ZMON_PLOT", "braille, blocks or ascii: how charts are drawn"),
    ("ZMON_TRACE", "1 shows where a mistake in zmon itself is"),
    ("NO_COLOR", "if set, the screens use no colours"),
    ("TERM", "dumb, unknown or none: line mode; linux: only ASCII is drawn"),
    ("LC_ALL, LC_CTYPE, LANG", "the first one set decides: if it does not name UTF-8, only ASCII is drawn"),
    ("COLUMNS", "width of text output"),
    (
        "XDG_CONFIG_HOME",
        "settings, own screens, keys, rules and sites are in its directory zmon (default ~/.config)",
    ),
    (
        "XDG_STATE_HOME",
        "commands given before and own recordings are in its directory zmon (default ~/.local/state)",
    ),
    ("STATE_DIRECTORY", "where zmon record writes as a service"),
    ("PGHOST, PGPORT, PGUSER, PGPASSWORD, MYSQL_PWD", "database servers"),
)
"""The variables that zmon reads."""

FILES: Final = (
    ("/etc/zmon/zmon.toml", "settings of the machine; zmon config explains them"),
    ("/etc/zmon/site.toml", "names of devices and LCUs of the machine"),
    ("~/.config/zmon/zmon.toml", "a user's own settings, which are stronger"),
    ("~/.config/zmon/site.toml", "a user's own names of devices and LCUs"),
    ("~/.config/zmon/rules.toml", "own rules for exceptions"),
    ("~/.config/zmon/keys.toml", "own keys, also in a table [keys] of zmon.toml"),
    ("~/.config/zmon/screens/", "own screens"),
    ("~/.local/state/zmon/history", "commands given on the screens"),
    ("/var/lib/zmon/", "recordings of the service zmon-record, a file for each day of UTC"),
)
"""The files that zmon reads and writes unless it is told others."""
