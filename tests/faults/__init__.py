"""Fault tests: real processes are killed, stopped and cut off, and nothing may be lost or doubled."""
