"""One round's selection, solved: each solver is a frozen dataclass of parameters that is called with a problem.

Imports `core` and `errors` alone. numba and HiGHS load when a solver is first called, never on import.
"""

from cocs.solvers.auto import Auto
from cocs.solvers.density import Density
from cocs.solvers.enumeration import Enumeration
from cocs.solvers.exact import Exact
from cocs.solvers.milp import Milp

__all__ = ["Auto", "Density", "Enumeration", "Exact", "Milp"]
