"""A session with a person: where it stands in time, which screen it shows, and what a command changes."""
