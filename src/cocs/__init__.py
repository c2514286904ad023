"""Choose the clients of hierarchical federated learning online: learned, affordable, on time.

Names load on first use, so that `import cocs` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cocs.core import ContextScaler as ContextScaler
    from cocs.core import Feedback as Feedback
    from cocs.core import Observation as Observation
    from cocs.core import Policy as Policy
    from cocs.core import Selection as Selection
    from cocs.core import SelectionProblem as SelectionProblem
    from cocs.core import Setting as Setting
    from cocs.core import Solution as Solution
    from cocs.core import Solver as Solver
    from cocs.core import Truth as Truth
    from cocs.core import World as World
    from cocs.core import check_feasible as check_feasible
    from cocs.errors import CocsError as CocsError
    from cocs.errors import ContractError as ContractError
    from cocs.errors import InvalidFileError as InvalidFileError
    from cocs.errors import InvalidInputError as InvalidInputError
    from cocs.errors import InvalidSelectionError as InvalidSelectionError
    from cocs.errors import InvalidSettingError as InvalidSettingError
    from cocs.errors import InvalidStateError as InvalidStateError
    from cocs.errors import MissingDependencyError as MissingDependencyError
    from cocs.errors import PolicyError as PolicyError
    from cocs.errors import UnknownNameError as UnknownNameError
    from cocs.experiments.compare import compare as compare
    from cocs.registry import list_policies as list_policies
    from cocs.registry import list_solvers as list_solvers
    from cocs.registry import list_worlds as list_worlds
    from cocs.registry import make_policy as make_policy
    from cocs.registry import make_world as make_world
    from cocs.registry import solve as solve
    from cocs.simulation import Records as Records
    from cocs.simulation import simulate as simulate

    __version__: str

_MODULES = {
    "cocs.core": (
        "ContextScaler Feedback Observation Policy Selection SelectionProblem Setting Solution Solver Truth World "
        "check_feasible"
    ),
    "cocs.errors": (
        "CocsError ContractError InvalidFileError InvalidInputError InvalidSelectionError InvalidSettingError "
        "InvalidStateError MissingDependencyError PolicyError UnknownNameError"
    ),
    "cocs.experiments.compare": "compare",
    "cocs.registry": "list_policies list_solvers list_worlds make_policy make_world solve",
    "cocs.simulation": "Records simulate",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("cocs")
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'cocs' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
