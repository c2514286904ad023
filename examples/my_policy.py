"""A policy of your own, in 20 lines: `cocs compare --policies cocs,random,examples.my_policy:Mine:width=0.5`."""

import numpy as np

from cocs.core import RoundStreams, SelectionProblem


class Mine:
    """Values a pair by an upper confidence bound on its client's arrival rate; knows nothing of contexts and edges."""

    def __init__(self, setting, *, solve, seed, width=1.0):
        self.setting, self.solve, self.width = setting, solve, width
        self.ties = RoundStreams(seed, ["mine.ties"])
        self.seen = np.zeros((0, 2))  # of each client: how often it was tried, how many updates arrived

    def _seen(self, n_clients):
        return np.pad(self.seen, ((0, max(0, n_clients - len(self.seen))), (0, 0)))

    def select(self, obs):
        tries, arrivals = self._seen(obs.n_clients)[obs.client].T
        tries = np.maximum(tries, 1)
        value = np.minimum(arrivals / tries + self.width * np.sqrt(np.log(obs.round + 1) / tries), 1.0)
        ties = self.ties.number("mine.ties", obs.round)
        return self.solve(SelectionProblem.of(obs, value, self.setting.objective, ties)).selection

    def update(self, obs, selection, feedback):
        self.seen = self._seen(obs.n_clients)
        np.add.at(self.seen, obs.client[feedback.pairs], np.stack([feedback.arrived >= 0, feedback.arrived], axis=1))

    def state(self):
        return {"seen": self.seen.copy()}

    def restore(self, state):
        self.seen = state["seen"].copy()
