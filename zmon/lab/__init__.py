"""The laboratory: a simulated machine whose counters are counted as the kernel counts them."""
