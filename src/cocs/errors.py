"""Every error this package raises on purpose, under one base class.

A message says what was wrong, with the numbers, the rule, and where useful the next step; the facts are attributes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CocsError(Exception):
    """The base of every deliberate error: catch this one to catch them all."""


class InvalidSettingError(CocsError, ValueError):
    """A field of a setting, a preset, a policy or a solver holds what it may not."""

    def __init__(self, field: str, value: object, rule: str) -> None:
        super().__init__(f"{field} = {value!r}: {rule}")
        self.field, self.value, self.rule = field, value, rule


class InvalidInputError(CocsError, ValueError):
    """Arrays that cross a border (an observation, a problem, a feedback) do not fit their rule."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field, self.rule = field, rule


class InvalidSelectionError(CocsError, ValueError):
    """A selection breaks a rule of the problem: a budget, one edge per client, sorted row numbers."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class InvalidFileError(CocsError, ValueError):
    """A file cannot be used: missing, empty, damaged, or with the wrong columns or numbers."""

    def __init__(self, path: str, rule: str) -> None:
        super().__init__(f"{path}: {rule}")
        self.path, self.rule = path, rule


class InvalidStateError(CocsError, ValueError):
    """A saved state does not belong to the object that is asked to restore it."""


class PolicyError(CocsError):
    """A policy broke a rule in a round; says which policy, which round and which rule."""

    def __init__(self, policy: str, round: int, rule: str) -> None:
        super().__init__(f"policy {policy!r}, round {round}: {rule}")
        self.policy, self.round, self.rule = policy, round, rule


class ContractError(CocsError):
    """A policy, a solver or a world broke its contract; says which promise, and how."""

    def __init__(self, promise: str, rule: str) -> None:
        super().__init__(f"{promise}: {rule}")
        self.promise, self.rule = promise, rule


class UnknownNameError(CocsError, KeyError):
    """A name that nobody registered; offers the nearest that somebody did."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.4)
        self.nearest = near[0] if near else None
        hint = f"did you mean {self.nearest!r}?" if near else f"known: {', '.join(self.known)}"
        super().__init__(f"unknown {kind} {name!r}: {hint}")

    def __str__(self) -> str:
        return str(self.args[0])


class MissingDependencyError(CocsError, ImportError):
    """An optional library is needed for what was asked; says how to install it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}: pip install 'cocs[{extra}]'")
        self.package, self.extra = package, extra
