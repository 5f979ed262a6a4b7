"""Tapes hand out samples by time: this machine live, a capture of another."""
