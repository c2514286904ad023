"""What every policy must hold, as plain functions.

Each check takes a way to make the policy, fresh, for a world, and the world to play in; it returns nothing or raises
`ContractError`. A check is as strong as the world lets it be: play in more than one.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from cocs.contracts.reference import greedy
from cocs.contracts.rounds import HARD_ROUNDS
from cocs.contracts.synthetic import Altered, SyntheticWorld
from cocs.contracts.trial import Trial, same_selection, same_state
from cocs.core import Observation, Policy, Selection, Setting, Solver, Truth, World
from cocs.core.arrays import Array, FloatArray
from cocs.errors import ContractError

Make: TypeAlias = Callable[[World], Policy]
Check: TypeAlias = Callable[[Make, World], None]

ROUNDS = 40  # enough for a policy to have learned something in


def feasible(make: Make, world: World) -> None:
    """Every selection keeps the rules of its round."""
    Trial("selections are feasible", make(world)).play(world, range(1, 3 * ROUNDS + 1))


def reads_no_truth(make: Make, world: World) -> None:
    """What a policy chooses depends on what it is shown, not on what will happen; those that say `reads_truth` may.

    It is made for a world in which just the other updates will arrive, and must choose as it does for the real one. A
    policy that makes itself a world of its own is not found out.
    """
    promise = "a policy reads no truth"
    honest, tempted = Trial(promise, make(world)), Trial(promise, make(_OtherTruth(world)))
    if getattr(honest.policy, "reads_truth", False):
        return
    for t in range(1, ROUNDS + 1):
        observation, truth = world.round(t)
        selection, other = honest.select(observation), tempted.select(observation)
        if not same_selection(selection, other):
            rule = f"round {t}: shown the same, told the same, it chose otherwise where other updates will arrive"
            raise ContractError(promise, rule)
        for trial in (honest, tempted):
            trial.update(observation, selection, truth.reveal(selection))


def repeatable(make: Make, world: World) -> None:
    """Two policies of one seed choose the same and learn the same."""
    promise = "the same seed makes the same choices"
    first, second = Trial(promise, make(world)), Trial(promise, make(world))
    chosen = first.play(world, range(1, ROUNDS + 1)), second.play(world, range(1, ROUNDS + 1))
    _expect_same(promise, *chosen)
    if not same_state(first.state(), second.state()):
        raise ContractError(promise, f"after {ROUNDS} equal rounds the states differ")


def select_changes_nothing(make: Make, world: World) -> None:
    """Asking twice, or about another round between, gives the same answer and leaves the state as it was."""
    promise = "select changes no state"
    asked, undisturbed = Trial(promise, make(world)), Trial(promise, make(world))
    for t in range(1, ROUNDS + 1):
        observation, truth = world.round(t)
        before = _copy(asked.state())
        first = asked.select(observation)
        asked.select(world.round(t + ROUNDS)[0])
        if not same_selection(first, asked.select(observation)):
            raise ContractError(promise, f"round {t}: asked twice, it chose {first.pairs.tolist()}, then others")
        if not same_state(before, asked.state()):
            raise ContractError(promise, f"round {t}: the state after select is not the one before")
        if not same_selection(first, undisturbed.select(observation)):
            raise ContractError(promise, f"round {t}: asked about other rounds before, it chooses otherwise")
        for trial in (asked, undisturbed):
            trial.update(observation, first, truth.reveal(first))


def state_is_arrays(make: Make, world: World) -> None:
    """A state is a dict of arrays that can be written to a file without pickle, before round 1 and later."""
    trial = Trial("a state holds arrays only", make(world))
    _through_a_file(trial.promise, trial.state())
    trial.play(world, range(1, ROUNDS + 1))
    _through_a_file(trial.promise, trial.state())


def state_stays(make: Make, world: World) -> None:
    """No later round changes a state that was taken or restored from, and writing into it does not reach the policy."""
    promise = "a state that was taken is never changed"
    trial, other = Trial(promise, make(world)), Trial(promise, make(world))
    trial.play(world, range(1, ROUNDS + 1))
    taken = trial.state()
    kept = _copy(taken)
    other.restore(taken)
    for player, what in ((trial, "whose state it is"), (other, "that was restored from it")):
        player.play(world, range(ROUNDS + 1, 2 * ROUNDS + 1))
        if not same_state(taken, kept):
            raise ContractError(promise, f"the arrays were overwritten by later rounds of the policy {what}")
    now = trial.state()
    kept = _copy(now)
    for array in now.values():
        if array.flags.writeable and array.dtype.kind in "biuf":
            array[...] = 0
    if not same_state(trial.state(), kept):
        raise ContractError(promise, "writing into a state that was taken changes the policy")


def restore_continues(make: Make, world: World) -> None:
    """A restored policy goes on bit for bit: a fresh one, one that had learned something else, one read from a file."""
    promise = "restore goes on bit for bit"
    original = Trial(promise, make(world))
    original.play(world, range(1, ROUNDS + 1))
    saved = _copy(original.state())
    fresh, used, filed = (Trial(promise, make(world)) for _ in range(3))
    used.play(world, range(2 * ROUNDS, 3 * ROUNDS))
    fresh.restore(saved)
    used.restore(saved)
    filed.restore(_through_a_file(promise, saved))
    rounds = range(ROUNDS + 1, 2 * ROUNDS + 1)
    expected = original.play(world, rounds)
    for trial, which in ((fresh, "a fresh policy"), (used, "a used policy"), (filed, "a policy read from a file")):
        _expect_same(f"{promise}: {which}", expected, trial.play(world, rounds))
        if not same_state(original.state(), trial.state()):
            raise ContractError(promise, f"{which} restored chooses the same but has learned something else")


def outcomes_come_as_they_may(make: Make, world: World) -> None:
    """Outcomes may come late, in parts, out of order or never; or be none at all."""
    trial = Trial("outcomes may be late, partial or missing", make(world))
    generator = np.random.default_rng(0)
    waiting: list[tuple[Observation, Selection, Truth, Selection]] = []
    for t in range(1, 2 * ROUNDS + 1):
        observation, truth = world.round(t)
        selection = trial.select(observation)
        told = generator.random(len(selection.pairs)) < 0.5  # half now, the rest later or never
        trial.update(observation, selection, truth.reveal(Selection(selection.pairs[told])))
        waiting.append((observation, selection, truth, Selection(selection.pairs[~told])))
        while len(waiting) > 7:
            late, chosen, its_truth, rest = waiting.pop(int(generator.integers(len(waiting))))
            if generator.random() < 0.7:
                trial.update(late, chosen, its_truth.reveal(rest))
    observation, truth = world.round(2 * ROUNDS + 1)
    nothing = Selection(np.zeros(0, np.int64))
    trial.update(observation, nothing, truth.reveal(nothing))
    trial.play(world, range(2 * ROUNDS + 1, 3 * ROUNDS))


def survives(hard: str, make: Make, world: World) -> None:
    """A policy meets these rounds from the first on, and again after ordinary ones, and stays feasible."""
    altered = Altered(world, HARD_ROUNDS[hard])
    trial = Trial(f"a policy copes with {hard}", make(altered))
    trial.play(altered, range(1, ROUNDS + 1))
    trial.restore(trial.state())
    if not getattr(trial.policy, "reads_truth", False):  # an oracle knows its own world only
        trial.play(world, range(ROUNDS + 1, 2 * ROUNDS + 1))
        trial.play(altered, range(2 * ROUNDS + 1, 3 * ROUNDS + 1))


POLICY_CHECKS: MappingProxyType[str, Check] = MappingProxyType(
    {
        "feasible": feasible,
        "reads no truth": reads_no_truth,
        "repeatable": repeatable,
        "select changes nothing": select_changes_nothing,
        "state is arrays": state_is_arrays,
        "state stays": state_stays,
        "restore continues": restore_continues,
        "outcomes come as they may": outcomes_come_as_they_may,
        **{hard: partial(survives, hard) for hard in HARD_ROUNDS},
    }
)


def maker(factory: Callable[..., Policy], solve: Solver = greedy, seed: int = 0, **parameters: Any) -> Make:
    """Return the way to make this factory's policy for a world; one that says `reads_truth` is handed the world too."""

    def make(world: World) -> Policy:
        knows = {"world": world} if getattr(factory, "reads_truth", False) else {}
        return factory(world.setting, solve=solve, seed=seed, **knows, **parameters)

    return make


def check_policy(
    factory: Callable[..., Policy],
    world: World | None = None,
    *,
    solve: Solver = greedy,
    seed: int = 0,
    **parameters: Any,
) -> None:
    """Run every check, in a small synthetic world if none is given; raises the first `ContractError`."""
    for check in POLICY_CHECKS.values():
        check(maker(factory, solve, seed, **parameters), SyntheticWorld() if world is None else world)


@dataclass(frozen=True, slots=True, eq=False)
class _OtherTruth:
    """The same rounds to look at, in which just the other updates will arrive."""

    world: World

    @property
    def setting(self) -> Setting:
        return self.world.setting

    def round(self, t: int) -> tuple[Observation, Truth]:
        observation, truth = self.world.round(t)
        latency_s = np.where(truth.arrived, 2.0, 0.5) * observation.deadline_s[observation.edge]
        return observation, Truth(1 - truth.probability, latency_s, ~truth.arrived)

    def context_probability(self, observation: Observation) -> FloatArray | None:
        probability = self.world.context_probability(observation)
        return None if probability is None else 1 - probability


def _expect_same(promise: str, expected: list[Selection], got: list[Selection]) -> None:
    for place, (one, other) in enumerate(zip(expected, got, strict=True), start=1):
        if not same_selection(one, other):
            raise ContractError(promise, f"round {place} of {len(got)}: {one.pairs.tolist()} or {other.pairs.tolist()}")


def _copy(state: Mapping[str, Array]) -> dict[str, Array]:
    return {name: np.array(array) for name, array in state.items()}


def _through_a_file(promise: str, state: Mapping[str, Array]) -> dict[str, Array]:
    for name, array in state.items():
        if not isinstance(name, str) or not isinstance(array, np.ndarray):
            raise ContractError(promise, f"{name!r} is {type(array).__name__}, not an array")
        if array.dtype.hasobject:
            raise ContractError(promise, f"{name!r} holds Python objects ({array.dtype})")
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **state)
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return dict(read)
