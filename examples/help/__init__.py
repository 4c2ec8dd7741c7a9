"""The example of the profile `help`."""
