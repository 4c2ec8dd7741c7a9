"""A corpus: the documents an assistant reads, built from files by `sourcebook corpus build` and put in use at once."""
