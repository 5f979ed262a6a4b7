"""Figures for other monitors: accumulators over a machine's samples, as families of metrics, as text."""
