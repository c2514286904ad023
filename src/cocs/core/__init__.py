"""The problem itself: what is seen, what is chosen, what comes back, and the interfaces around it.

Plain types and checks over NumPy; imports nothing of cocs but its errors.
"""

from cocs.core.observation import Feedback, Observation, Selection, Truth
from cocs.core.problem import SelectionProblem, Solution, check_feasible, spending, utility
from cocs.core.protocols import Policy, Solver, World
from cocs.core.scaling import ContextScaler
from cocs.core.seeding import RoundStreams
from cocs.core.setting import Setting

__all__ = [
    "ContextScaler",
    "Feedback",
    "Observation",
    "Policy",
    "RoundStreams",
    "Selection",
    "SelectionProblem",
    "Setting",
    "Solution",
    "Solver",
    "Truth",
    "World",
    "check_feasible",
    "spending",
    "utility",
]
