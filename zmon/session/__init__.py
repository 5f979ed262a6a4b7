"""What a person is doing: a timeline, a cursor on it, the pages and the commands; no terminal."""
