"""Many systems at once: recordings that were copied together, joined by storage server and LCU."""
