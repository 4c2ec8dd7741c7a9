"""What `make bench` measures: one module per subject, each a generator of figures. Not part of `make test`."""
