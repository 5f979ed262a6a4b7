"""Tables: one module per family of screens, each table a pure function from an interval to rows."""

from zmon.base.light_typing import Final

TABLES: Final = {
    **{name: name for name in (
        "blocked", "cache", "channel", "control_unit", "correlation", "cpu",
        "dasdstat", "details", "device", "exceptions", "fcp", "fcp_port", "io_changes", "io_configuration",
        "itself", "lpar", "multipath", "pci", "system_counters",
        "overview", "plot", "pressure", "stacked", "storage", "system",
    )},
    **dict.fromkeys(
        (
            "alias_log", "channel_log", "control_unit_log", "cpu_log", "device_log", "lpar_log", "paging_log",
        ),
        "key_figures",
    ),
    **dict.fromkeys(("files", "moves", "spread"), "tablespaces"),
    "check": "checked",
    "diagnosis": "diagnosed",
    **dict.fromkeys(
        ("fleet", "fleet_boxes", "fleet_fillers", "fleet_guests", "fleet_lcus", "fleet_paths"), "fleet"
    ),
    "focus": "system",
    "memory": "cpu",
    "menu": "itself",
    "network": "network_cards",
    "processes": "wait_states",
    "user": "user",
    "user_details": "user_details",
    "user_disk": "user",
    "user_paging": "user_paging",
    "wait_states": "wait_states",
}  # fmt: skip
"""The module here that fills each table; a screen file names a table."""

DRAWN: Final = frozenset({"plot", "correlation"})
"""Those about figures of other screens; theirs are not by time again."""

UNDRAWN: Final = frozenset(
    {
        "check", "diagnosis", "exceptions", "files", "fleet", "fleet_boxes", "fleet_fillers", "fleet_guests",
        "fleet_lcus", "fleet_paths", "io_changes", "io_configuration", "moves", "overview", "user_details",
    }
)  # fmt: skip
"""Those whose rows cannot be followed in time: checks, conclusions, events, files, fleets, proposals."""

CONCLUDED: Final = frozenset({"channel", "control_unit", "details", "device"})
"""Those whose screens have a conclusion from the verdict: see `zmon.diagnosis.conclusion`."""

SCREENS: Final = {
    "channel": "CHANNEL",
    "control_unit": "CTLUNIT",
    "cpu": "CPU",
    "device": "DEVICE",
    "lpar": "LPAR",
    "memory": "PAGELOG",
    "multipath": "MPATH",
    "pressure": "PRESSURE",
    "stacked": "STACKED",
}
"""The command of the screen that shows a table with exceptions; of others DEVICE."""
