"""Screens: how tables look. Loads their files, writes numbers the Toolkit's way, draws plain lines."""
