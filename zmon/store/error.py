"""What can be wrong with a recording."""


class RecordingError(ValueError):
    """A recording that cannot be read or written; the message says what, where, and what to do."""


class Damaged(RecordingError):  # noqa: N818 - it says what it is
    """A part of a recording is damaged; the rest can be read."""
