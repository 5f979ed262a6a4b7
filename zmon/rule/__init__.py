"""Rules say which values are exceptions: limits with preconditions, a duration and a sentence."""
