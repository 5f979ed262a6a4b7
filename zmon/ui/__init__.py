"""The glass: zmon's screens on a terminal.  The only package that imports Textual.

Most of it knows no terminal either.  A `Glass` holds the state of the whole screen and gives its lines;
a pane fills the part between header and guidance line; the `Painter` alone turns lines into what Textual
sends, and sends only the lines that changed.
"""
