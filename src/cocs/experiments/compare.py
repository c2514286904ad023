"""Several policies on one world, over several seeds: every policy meets the same rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from cocs.errors import InvalidInputError, InvalidSettingError
from cocs.experiments import DEFAULT_POLICIES
from cocs.experiments.folder import open_folder, write_tables
from cocs.network import Preset
from cocs.registry import Spec, make_policy, make_world, split_policies, world_spec
from cocs.simulation.loop import play
from cocs.simulation.records import Line, Records


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of an experiment; carries the records of the seeds that were complete."""

    def __init__(self, records: Records | None, finished: int, asked: int) -> None:
        super().__init__(f"stopped: {finished} of {asked} seeds complete")
        self.records, self.finished, self.asked = records, finished, asked


def compare(
    world: str | Preset = "paper-mnist",
    policies: str | Iterable[str] = DEFAULT_POLICIES,
    *,
    settings: Mapping[str, object] | None = None,
    seeds: Iterable[int] = range(10),
    rounds: int = 1000,
    out: str | Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Records:
    """Play every policy on the same world, a fresh one of each for every seed, and return the records.

    `settings` replace fields of the world's preset. With `out` the tables are written there as Parquet, each whole or
    not at all; tables of an earlier run are replaced. `progress` is told the rounds done and those in all.
    Ctrl-C raises `Interrupted`, which holds the records of the seeds that are complete; they are written too.
    """
    place = world_spec(world, settings or {})
    specs = _parsed(policies)
    seeds = _checked(seeds)
    folder = None if out is None else open_folder(Path(out))
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(done, len(seeds) * rounds)

    parts: list[Records] = []
    try:
        for seed in seeds:
            lines = [Line(f"{place}/{spec}", place.name, str(spec), seed) for spec in specs]
            drawn = make_world(place, seed=seed)
            players = [make_policy(spec, drawn, seed=seed) for spec in specs]
            parts.append(play(drawn, players, lines, rounds, after_round=count))
    except KeyboardInterrupt:
        kept = Records.concat(parts) if parts else None
        if kept and folder:
            write_tables(kept, folder)
        raise Interrupted(kept, len(parts), len(seeds)) from None
    records = Records.concat(parts)
    if folder:
        write_tables(records, folder)
    return records


def _parsed(policies: str | Iterable[str]) -> list[Spec]:
    specs: list[Spec] = []
    for text in split_policies(policies) if isinstance(policies, str) else policies:
        if not isinstance(text, str):
            raise InvalidInputError("policies", f"must be names, got a {type(text).__name__}; simulate() plays objects")
        spec = Spec.parse(text)
        if spec in specs:
            raise InvalidInputError("policies", f"{str(spec)!r} stands twice")
        specs.append(spec)
    if not specs:
        raise InvalidInputError("policies", "must name at least one policy")
    return specs


def _checked(seeds: Iterable[int]) -> Sequence[int]:
    seeds = seeds if isinstance(seeds, range) else list(seeds)
    if not seeds:
        raise InvalidSettingError("seeds", seeds, "must hold at least one seed")
    for seed in (seeds[0], seeds[-1]) if isinstance(seeds, range) else seeds:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**62:
            raise InvalidSettingError("seeds", seed, "must be whole numbers from 0 to 2⁶² − 1")
    if isinstance(seeds, range):
        return seeds
    if len(set(seeds)) < len(seeds):
        raise InvalidSettingError("seeds", seeds, "must differ from each other")
    return [int(seed) for seed in seeds]
