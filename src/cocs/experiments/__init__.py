"""Whole experiments: which world, policies and seeds, what they come to, and what is written of it.

One file per kind of experiment. Imports the registry, the simulation and core; draws nothing and prints nothing.
"""

DEFAULT_POLICIES = "clairvoyant,oracle-context,cocs,cocs:sharing=all,scale=0.1,cardinality,random"
