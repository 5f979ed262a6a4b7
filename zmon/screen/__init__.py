"""Screens: how tables look. Loads `screens/*.toml`, writes numbers the Toolkit's way, draws plain lines."""
