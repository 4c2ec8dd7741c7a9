"""The example of the profile `docs`."""
