"""Waiting: where requests wait in an interval, and throughput and response after a change."""
