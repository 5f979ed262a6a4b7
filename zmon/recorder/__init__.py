"""The recorder: samples day and night into day files, one recorder per directory (docs/record.md)."""
