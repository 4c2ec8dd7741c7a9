"""The example of the profile `notebook`."""
