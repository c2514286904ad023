"""The commands put together, and what becomes of their errors: one line on standard error, never a traceback."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any, NoReturn

import click
import typer
from typer.core import TyperCommand, TyperGroup

from cocs.cli.compare import compare
from cocs.cli.list import list_names
from cocs.cli.solve import solve
from cocs.errors import CocsError

INTERRUPTED = 130


class Command(TyperCommand):
    """A command whose help is plain text."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help; typer escapes brackets for rich even where rich does not print them."""
        return super().get_help(ctx).replace("\\[", "[")


class OneLineErrors(TyperGroup):
    """A group of commands that ends with exit code 2 and one sentence where the input is at fault."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal without "±" shows "?" instead of failing
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            code = error.exit_code
        except (click.ClickException, CocsError) as error:
            message = error.format_message() if isinstance(error, click.ClickException) else str(error)
            print("cocs:", " ".join(message.split()), file=sys.stderr)
            code = 2
        except OSError as error:  # a full disk behind standard output, say
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (what is still buffered must not fail again at exit)
            print("cocs:", error.strerror or error, file=sys.stderr)
            code = 2
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C ends with a word about what was kept, where there is one."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            print("cocs:", str(stop) or "stopped", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=OneLineErrors,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, command in (("compare", compare), ("solve", solve), ("list", list_names)):
    app.command(name, cls=Command)(command)


def _version(asked: bool) -> None:
    if asked:
        import cocs

        typer.echo(f"cocs {cocs.__version__}")
        raise typer.Exit


@app.callback()
def cocs(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Choose the clients of hierarchical federated learning online: learned, affordable, on time."""
