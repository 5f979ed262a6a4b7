"""How seldom CP is asked."""

from typing import Final

EVERY: Final = 600.0
"""Seconds for which an answer about disks is good: they change when somebody links or attaches one."""
