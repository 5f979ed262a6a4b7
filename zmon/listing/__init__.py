"""What databases list of their tablespaces: readers of all the forms in which they do."""
