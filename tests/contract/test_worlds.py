"""Every registered world keeps the contract of worlds."""

from __future__ import annotations

import pytest

from cocs.contracts import WORLD_CHECKS
from cocs.registry import list_worlds, make_world


@pytest.mark.parametrize("check", WORLD_CHECKS)
@pytest.mark.parametrize("name", list_worlds())
def test_world_keeps_its_contract(name, check):
    """Each promise by itself."""
    WORLD_CHECKS[check](lambda seed: make_world(name, seed=seed))
