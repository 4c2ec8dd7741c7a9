"""Scripts that make and lint use."""
