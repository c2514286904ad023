"""The command line, one file per command: reads options, calls the library, prints.

May import everything, but inside the functions that need it, so that `cocs --help` loads little more than typer.
"""

import sys


def main() -> None:
    """Run the `cocs` command; modules in the present folder can be named, but hide none that are installed."""
    from cocs.cli.app import app

    sys.path.append("")
    app()


__all__ = ["main"]
