"""The solvers' inner loops, compiled by numba: plain functions of arrays, imported when a solver is first called."""
