"""The kernel's interfaces: one module for each, `parse_x` pure and `read_x(tree)` thin."""
