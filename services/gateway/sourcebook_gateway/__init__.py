"""The HTTP face of Sourcebook."""

VERSION = "0.1.0"
