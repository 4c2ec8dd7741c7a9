"""Tests of the whole: the command line, the stack, and the page in a real browser."""
