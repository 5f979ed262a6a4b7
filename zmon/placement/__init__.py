"""The placement of tablespaces: how evenly they are spread over units, and the effect of moves."""
