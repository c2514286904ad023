"""One sound policy, and the ways to break it; each way is what somebody's policy will do one day."""

from __future__ import annotations

import numpy as np

from cocs.contracts import greedy
from cocs.core import RoundStreams, Selection, SelectionProblem, spending


class Sound:
    """Value a pair by its edge's rate of arrival and a little noise."""

    def __init__(self, world):
        self.world, self.setting = world, world.setting  # the honest ones do not look at the world
        self.tries, self.arrivals = np.zeros((2, self.setting.n_edges), np.int64)
        self.streams = RoundStreams(0, ["noise"])

    def noise(self, observation):
        return self.streams.at("noise", observation.round).random(len(observation.client))

    def value(self, observation):
        rate = (self.arrivals + 1) / (self.tries + 2)
        return rate[observation.edge] + 0.1 * self.noise(observation)

    def select(self, observation):
        return Selection(greedy(SelectionProblem.of(observation, self.value(observation))).selection.pairs)

    def update(self, observation, selection, feedback):
        edge = observation.edge[feedback.pairs]
        np.add.at(self.tries, edge, 1)
        np.add.at(self.arrivals, edge, feedback.arrived)

    def state(self):
        return {"tries": self.tries.copy(), "arrivals": self.arrivals.copy()}

    def restore(self, state):
        self.tries, self.arrivals = state["tries"].copy(), state["arrivals"].copy()


class TakesAll(Sound):
    def select(self, observation):
        return Selection(np.unique(observation.client, return_index=True)[1])


class Twice(Sound):
    def select(self, observation):
        return Selection(np.flatnonzero(observation.cost < observation.budget[observation.edge])[:2])


class AnswersList(Sound):
    def select(self, observation):
        return super().select(observation).pairs.tolist()


class Peeks(Sound):
    def value(self, observation):
        return self.world.round(observation.round)[1].probability


class PeeksSlightly(Sound):
    def value(self, observation):
        return super().value(observation) + 0.01 * self.world.round(observation.round)[1].arrived


class PeeksExpectation(Sound):
    def value(self, observation):
        return self.world.context_probability(observation)


class UnseededNoise(Sound):
    def __init__(self, world):
        super().__init__(world)
        self.seed = np.random.default_rng().integers(2**60)

    def noise(self, observation):
        return np.random.default_rng([self.seed, observation.round]).random(len(observation.client))


class UnseededPhase(Sound):
    def __init__(self, world):
        super().__init__(world)
        self.word = str(np.random.default_rng().random())

    def select(self, observation):
        return Selection(super().select(observation).pairs, phase=self.word)


class UnseededState(Sound):
    def state(self):
        return super().state() | {"id": np.array(id(self))}


class DrawsInSelect(Sound):
    def __init__(self, world):
        super().__init__(world)
        self.generator = np.random.default_rng(0)

    def noise(self, observation):
        return self.generator.random(len(observation.client))


class CountsInSelect(Sound):
    def select(self, observation):
        selection = super().select(observation)
        self.tries[observation.edge[selection.pairs]] += 1
        return selection


class RemembersRounds(Sound):
    """Answers a round twice alike, but what it answers depends on which rounds it was asked about."""

    def __init__(self, world):
        super().__init__(world)
        self.known = {}

    def noise(self, observation):
        self.known.setdefault(observation.round, len(self.known))
        return self.streams.at("noise", self.known[observation.round]).random(len(observation.client))


class ListState(Sound):
    def state(self):
        return {name: array.tolist() for name, array in super().state().items()}

    def restore(self, state):
        super().restore({name: np.array(array) for name, array in state.items()})


class ObjectState(Sound):
    def state(self):
        return super().state() | {"world": np.array([self.world], dtype=object)}


class TupleState(Sound):
    def state(self):
        return tuple(super().state().values())


class AliasedState(Sound):
    def state(self):
        return {"tries": self.tries, "arrivals": self.arrivals}


class AliasedRestore(Sound):
    def restore(self, state):
        self.tries, self.arrivals = state["tries"], state["arrivals"]


class SharedState(AliasedState):
    """Later rounds make new arrays, but whoever writes into a state writes into the policy."""

    def update(self, observation, selection, feedback):
        self.tries, self.arrivals = self.tries.copy(), self.arrivals.copy()
        super().update(observation, selection, feedback)


class ForgetsArrivals(Sound):
    def restore(self, state):
        self.tries = state["tries"].copy()


class AddsToWhatItHas(Sound):
    def restore(self, state):
        self.tries, self.arrivals = self.tries + state["tries"], self.arrivals + state["arrivals"]


class DrawsInUpdate(Sound):
    """Its generator moves on with each update, and is not in the state."""

    def __init__(self, world):
        super().__init__(world)
        self.updates = 0

    def update(self, *told):
        super().update(*told)
        self.updates += 1

    def noise(self, observation):
        return np.random.default_rng(self.updates).random(len(observation.client))


class LearnsSilently(Sound):
    """What it loses in a restore never decides anything; the states still drift apart."""

    lost = 0

    def update(self, *told):
        super().update(*told)
        self.lost += 1

    def state(self):
        return super().state() | {"lost": np.array(self.lost)}


class WantsAllOutcomes(Sound):
    def update(self, observation, selection, feedback):
        np.broadcast_shapes(selection.pairs.shape, feedback.pairs.shape)
        if len(feedback.pairs) != len(selection.pairs):
            raise ValueError("some outcomes are missing")
        super().update(observation, selection, feedback)


class WantsOrder(Sound):
    last = 0

    def update(self, observation, selection, feedback):
        assert observation.round >= self.last
        self.last = observation.round
        super().update(observation, selection, feedback)


class NeedsCandidate(Sound):
    def value(self, observation):
        return super().value(observation) * (1 + observation.cost.min())


class KnowsClients(Sound):
    """An array per client of the first day, with some to spare."""

    def __init__(self, world):
        super().__init__(world)
        self.seen = np.zeros(self.setting.n_clients + 100)

    def value(self, observation):
        return super().value(observation) + self.seen[observation.client]


class CountsEdges(Sound):
    """As many edges as the candidates show."""

    def value(self, observation):
        shares = np.bincount(observation.edge) / len(observation.edge)
        return super().value(observation) + 0.1 * (shares + np.zeros(self.setting.n_edges))[observation.edge]


class Standardises(Sound):
    def value(self, observation):
        with np.errstate(all="ignore"):
            spread = observation.context[:, 0] / np.ptp(observation.client)
        return super().value(observation) + 0.1 * spread


class DividesByBudget(Sound):
    def value(self, observation):
        with np.errstate(all="ignore"):
            return super().value(observation) / observation.budget[observation.edge]


class DividesByCost(Sound):
    def value(self, observation):
        with np.errstate(all="ignore"):
            return super().value(observation) / observation.cost


class AtLeastOne(Sound):
    def select(self, observation):
        selection = super().select(observation)
        if len(selection.pairs) == 0 and len(observation.cost):
            return Selection([int(observation.cost.argmin())])
        return selection


class SpendsLeftovers(Sound):
    """A second pass over what is left of the budgets, which rounding can bring below 0."""

    def select(self, observation):
        first = super().select(observation)
        left = observation.budget - spending(observation, first)
        SelectionProblem(observation.client, observation.edge, observation.cost, observation.cost, left, 10**9)
        return first


class OpenCells(Sound):
    """A context of exactly 1 falls out of its cells."""

    def value(self, observation):
        cell = (observation.context[:, 0] * 5).astype(int)
        return super().value(observation) + 0.01 * np.arange(5)[cell]


class RelativeRates(Sound):
    def value(self, observation):
        with np.errstate(all="ignore"):
            share = self.arrivals / self.arrivals.sum() if self.tries.sum() > 20 else np.ones(len(self.tries))
        return share[observation.edge] + 0.1 * self.noise(observation)


BROKEN = {
    "feasible": [TakesAll, Twice, AnswersList],
    "reads no truth": [Peeks, PeeksSlightly, PeeksExpectation],
    "repeatable": [UnseededNoise, UnseededPhase, UnseededState],
    "select changes nothing": [DrawsInSelect, CountsInSelect, RemembersRounds],
    "state is arrays": [ListState, ObjectState, TupleState],
    "state stays": [AliasedState, AliasedRestore, SharedState],
    "restore continues": [ForgetsArrivals, AddsToWhatItHas, DrawsInUpdate, LearnsSilently],
    "outcomes come as they may": [WantsAllOutcomes, WantsOrder],
    "rounds without a candidate": [NeedsCandidate],
    "clients never seen before": [KnowsClients],
    "edges that vanish": [CountsEdges],
    "one client": [Standardises],
    "budgets of 0": [DividesByBudget],
    "costs of 0": [DividesByCost],
    "costs above every budget": [AtLeastOne],
    "costs that fit exactly": [SpendsLeftovers],
    "contexts of 0 and 1 only": [OpenCells],
    "nothing that arrives": [RelativeRates],
}
