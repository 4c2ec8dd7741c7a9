"""Stand-ins for the outside world, spoken to over real HTTP."""
