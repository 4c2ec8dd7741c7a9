"""All SQL: one module per table, one function per statement."""
