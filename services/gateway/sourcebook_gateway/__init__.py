"""The HTTP face of Sourcebook."""
