from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cocs.contracts.reference import enumerate_best
from cocs.contracts.synthetic import SyntheticWorld
from cocs.core import SelectionProblem, check_feasible
from cocs.errors import InvalidInputError, InvalidSettingError, InvalidStateError
from cocs.policies import COCS, Cardinality, Clairvoyant, Oracle, OracleContext, Random

WORLD = SyntheticWorld(n_clients=6, n_edges=2, growth=0)
KNOWS = {
    Oracle: lambda world, observation, truth: truth.probability,
    OracleContext: lambda world, observation, truth: world.context_probability(observation),
    Clairvoyant: lambda world, observation, truth: truth.arrived.astype(float),
}


class Unknown:
    """A world in which nobody knows E[p | context]."""

    setting = WORLD.setting
    round = staticmethod(WORLD.round)

    def context_probability(self, observation):
        return None


@pytest.mark.parametrize("kind", KNOWS)
def test_each_oracle_is_best_by_what_it_knows(kind):
    """No feasible set is worth more by its own values, in any round, in any order of rounds."""
    oracle = kind(WORLD.setting, solve=enumerate_best, world=WORLD)
    for t in (5, 1, *range(10, 60)):
        observation, truth = WORLD.round(t)
        selection = oracle.select(observation)
        check_feasible(observation, selection)
        value = KNOWS[kind](WORLD, observation, truth)
        best = enumerate_best(SelectionProblem.of(observation, value)).value
        assert value[selection.pairs].sum() == pytest.approx(best, abs=1e-9)


def test_who_knows_more_gets_more():
    """Arrivals over 400 rounds: clairvoyant above oracle above oracle-context above cardinality."""
    policies = [kind(WORLD.setting, solve=enumerate_best, world=WORLD) for kind in (Clairvoyant, Oracle, OracleContext)]
    policies.append(Cardinality(WORLD.setting, solve=enumerate_best))
    probabilities = np.zeros(4)
    arrivals = np.zeros(4)
    for t in range(1, 401):
        observation, truth = WORLD.round(t)
        chosen = [policy.select(observation).pairs for policy in policies]
        probabilities += [truth.probability[pairs].sum() for pairs in chosen]
        arrivals += [truth.arrived[pairs].sum() for pairs in chosen]
    assert arrivals[0] > arrivals[1:].max()
    assert probabilities[1] > probabilities[2] > probabilities[3]


def test_only_the_oracles_say_that_they_read_the_truth():
    """The flag is on the class: who makes a policy needs it before there is one."""
    assert all(kind.reads_truth for kind in KNOWS)
    assert not any(getattr(kind, "reads_truth", False) for kind in (COCS, Cardinality, Random))


def test_a_world_without_expectations_is_refused_by_oracle_context():
    """The error says what to compare with instead."""
    oracle = OracleContext(WORLD.setting, solve=enumerate_best, world=Unknown())
    with pytest.raises(InvalidSettingError, match="clairvoyant"):
        oracle.select(WORLD.round(1)[0])


@pytest.mark.parametrize("kind", [Oracle, Clairvoyant])
def test_another_worlds_round_is_refused(kind):
    """The truth is that of the oracle's own world; of another round it would be noise."""
    oracle = kind(WORLD.setting, solve=enumerate_best, world=WORLD)
    own, _ = WORLD.round(3)
    other, _ = SyntheticWorld(seed=1, n_clients=6, n_edges=2, growth=0).round(3)
    for observation in (other, replace(own, edge=1 - own.edge), replace(own, client=5 - own.client)):
        with pytest.raises(InvalidInputError, match="round 3"):
            oracle.select(observation)


@pytest.mark.parametrize("kind", KNOWS)
def test_there_is_nothing_to_restore(kind):
    """An empty state is accepted, another policy's is not."""
    oracle = kind(WORLD.setting, solve=enumerate_best, world=WORLD)
    oracle.restore(oracle.state())
    with pytest.raises(InvalidStateError):
        oracle.restore(COCS(WORLD.setting, solve=enumerate_best).state())
