"""The recording: samples in a file of SQLite, raw counters and never rates (docs/recording-format.md)."""
