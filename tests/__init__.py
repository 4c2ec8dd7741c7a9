"""Sourcebook's tests: real components, the outside faked over real HTTP."""
