"""Charts as lines of text: the same on the glass, in print, and on a terminal that knows only ASCII."""
