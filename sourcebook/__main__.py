"""`python -m sourcebook`."""

from sourcebook.cli import main

main()
