"""What every policy, solver and world must hold, as functions that raise `ContractError`: for the tests and for users.

One file per contract, the hard rounds and cases they try, a small world and two plain solvers to try them in. May
import the registry and below; needs `cocs.core` and NumPy alone, and no test library.
"""

from cocs.contracts.cases import solver_cases
from cocs.contracts.policy import POLICY_CHECKS, check_policy, maker
from cocs.contracts.reference import enumerate_best, greedy
from cocs.contracts.solver import EXACT_CHECKS, SOLVER_CHECKS, check_solver
from cocs.contracts.synthetic import Altered, SyntheticWorld
from cocs.contracts.world import WORLD_CHECKS, check_world
from cocs.errors import ContractError

__all__ = [
    "EXACT_CHECKS",
    "POLICY_CHECKS",
    "SOLVER_CHECKS",
    "WORLD_CHECKS",
    "Altered",
    "ContractError",
    "SyntheticWorld",
    "check_policy",
    "check_solver",
    "check_world",
    "enumerate_best",
    "greedy",
    "maker",
    "solver_cases",
]
