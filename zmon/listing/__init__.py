"""Listings: readers of the texts in which databases list the files of their tablespaces."""
