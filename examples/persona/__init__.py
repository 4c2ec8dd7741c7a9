"""The example of the profile `persona`."""
