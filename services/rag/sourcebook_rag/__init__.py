"""Workers that search, answer and check."""
