"""`cocs list`: the names that the other commands take."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer


class Kind(StrEnum):
    """What there are names of."""

    policies = "policies"
    solvers = "solvers"
    worlds = "worlds"


def list_names(
    kind: Annotated[Kind, typer.Argument(help="What to list.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """List policies, solvers or worlds, a line of description each."""
    from cocs import registry

    described = registry.describe(kind.value)
    if as_json:
        typer.echo(json.dumps([{"name": name, "description": text} for name, text in described.items()], indent=2))
        return
    width = max(map(len, described))
    for name, text in described.items():
        typer.echo(f"{name:<{width}}  {text}")
