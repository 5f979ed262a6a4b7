"""Diagnosis: which resource is short, how that is known, what it is not, and what to do."""
