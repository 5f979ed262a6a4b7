"""Roll-ups: the figures of minutes and quarters of an hour, kept beside the samples."""
