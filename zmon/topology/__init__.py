"""What hangs on what: devices, logical control units, channel paths."""
