"""What every Sourcebook service shares."""
