"""One round of your own data: the pairs that are worth their price."""

from pathlib import Path

import cocs
from cocs.experiments.pairs import read_pairs

here = Path(__file__).parent
problem, clients, edges = read_pairs(here / "pairs.csv", budgets=here / "budgets.csv")
solution = cocs.solve(problem)
for k in solution.selection.pairs:
    print(f"{clients[problem.client[k]]} → {edges[problem.edge[k]]}")
print(f"expected updates {solution.value:.2f} of at most {solution.bound:.2f}")
