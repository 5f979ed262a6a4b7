"""What records of TOML say and ask: sentences with fields, and comparisons of figures."""
