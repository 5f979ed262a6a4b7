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
