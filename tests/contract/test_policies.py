"""Every registered policy keeps the contract of policies, and so do the readings of those that have some."""

from __future__ import annotations

import pytest

from cocs.contracts import POLICY_CHECKS, SyntheticWorld, enumerate_best, maker
from cocs.registry import POLICIES

READINGS = {
    "cocs:sharing=all": ("cocs", {"sharing": "all", "cells": 2, "scale": 0.3}),
    "cocs:sharing=client": ("cocs", {"sharing": "client", "cells": 1, "scale": 0.1}),
    "cocs:sharing=edge": ("cocs", {"sharing": "edge", "cells": 2, "scale": 0.3}),
    "cocs:ties=estimate": ("cocs", {"ties": "estimate", "cells": 2, "scale": 0.3}),
    "cocs:under_explored=edge": ("cocs", {"under_explored": "edge", "cells": 2, "scale": 0.3}),
    "cocs:explore=under-explored": ("cocs", {"explore": "under-explored", "cells": 2, "scale": 0.3}),
    "cocs:cells=none": ("cocs", {"cells": None}),
    "random:draw=edge": ("random", {"draw": "edge"}),
}
LINES = {name: (name, {}) for name in POLICIES} | READINGS


@pytest.mark.parametrize("check", POLICY_CHECKS)
@pytest.mark.parametrize("line", LINES)
def test_policy_keeps_its_contract(line, check):
    """Each promise by itself, in the contract's own small world."""
    name, parameters = LINES[line]
    POLICY_CHECKS[check](maker(POLICIES[name], **parameters), SyntheticWorld())


@pytest.mark.parametrize("check", ["feasible", "restore continues", "costs that fit exactly"])
@pytest.mark.parametrize("line", LINES)
def test_policy_keeps_its_contract_with_an_exact_solver_and_one_edge(line, check):
    """Another world and another solver: one column, one edge, room for all but a few."""
    name, parameters = LINES[line]
    world = SyntheticWorld(seed=1, n_clients=5, n_edges=1, dimension=1, growth=0, budget=4)
    POLICY_CHECKS[check](maker(POLICIES[name], solve=enumerate_best, seed=7, **parameters), world)
