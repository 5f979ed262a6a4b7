"""An app of Textual with one word on it: what zmon's start is compared with."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Empty(App[None]):
    """One word."""

    def compose(self) -> ComposeResult:
        """Put up the word."""
        yield Static("empty")


Empty().run()
