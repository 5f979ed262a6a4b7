"""What all of zmon stands on, and what knows nothing of machines: absence, clocks, texts, files."""
