"""A tiny world and policies whose every number can be worked out by hand."""

from __future__ import annotations

import numpy as np

from cocs.core import Observation, Selection, Setting, Truth


class ToyWorld:
    """Clients at edges in reach of all, drawn by (seed, t); keeps `Truth`'s promise that arrived = in time."""

    def __init__(self, n_clients=6, n_edges=2, seed=0, knows_context=True, **setting):
        self.setting = Setting(n_clients, n_edges, 100, ("quality",), **setting)
        self.seed = seed
        self.knows_context = knows_context

    def round(self, t):
        draw = np.random.default_rng((self.seed, t))
        n, m = self.setting.n_clients, self.setting.n_edges
        client, edge = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
        probability = draw.random(n * m)
        latency_s = np.where(
            draw.random(n * m) < probability, draw.uniform(0.5, 3.0, n * m), draw.uniform(3.1, 9, n * m)
        )
        observation = Observation(
            t, client, edge, probability[:, None], draw.uniform(0.5, 1.5, n * m), np.full(m, 2.0), np.full(m, 3.0), n
        )
        return observation, Truth(probability, latency_s, latency_s <= 3.0)

    def context_probability(self, observation):
        return observation.context[:, 0] if self.knows_context else None


class Scripted:
    """Plays what a function of the observation returns, and remembers what it was told."""

    def __init__(self, choose):
        self.choose = choose
        self.told = []

    def select(self, observation):
        return self.choose(observation)

    def update(self, observation, selection, feedback):
        self.told.append((observation.round, selection, feedback))

    def state(self):
        return {}

    def restore(self, state):
        pass


def first_affordable(observation):
    """Each edge's first client it can pay, the clients in turn."""
    edges = min(observation.n_edges, observation.n_clients)
    return Selection(np.array([e * observation.n_edges + e for e in range(edges)]), "toy")


def nobody(observation):
    return Selection(np.array([], dtype=np.int64))
