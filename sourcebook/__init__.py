"""Sourcebook on one machine: the command line and the stack it starts."""

__version__ = "0.1.0"
