"""What is raised when a contract is broken."""

from __future__ import annotations

from cocs.errors import CocsError


class ContractError(CocsError):
    """A policy, a solver or a world broke its contract; says which promise, and how."""

    def __init__(self, promise: str, rule: str) -> None:
        super().__init__(f"{promise}: {rule}")
        self.promise, self.rule = promise, rule
