"""`python -m cocs`: the command line."""

from cocs.cli import main

main()
