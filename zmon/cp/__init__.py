"""CP, the control program of z/VM: its answers, its user directory, and the few queries that zmon sends."""

from typing import Final

ASK_INTERVAL: Final = 600.0
"""Seconds for which an answer about disks is good: they change when somebody links or attaches one."""
