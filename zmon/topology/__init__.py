"""The topology of storage: files, block devices, disks, logical control units and channel paths."""
