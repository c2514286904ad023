"""Names → factories: the one place that knows every policy, solver and world.

A spec is a name, with parameters where wanted: `name`, `name:key=value,key=value`, `package.module:Factory` or
`package.module:Factory:key=value`. Values are numbers, true, false, none, words, or a list of those in brackets
(`[rate,compute]`), quoted where a word would be read as something else.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Literal, TypeAlias

from cocs.core import Policy, SelectionProblem, Setting, Solution, Solver, World
from cocs.errors import CocsError, InvalidInputError, InvalidSettingError, UnknownNameError
from cocs.network import PRESETS, NetworkWorld, Preset
from cocs.policies import COCS, Cardinality, Clairvoyant, Oracle, OracleContext, Random
from cocs.solvers import Auto, Density, Enumeration, Exact, Milp

Factory: TypeAlias = Callable[..., Any]
Parameters: TypeAlias = Mapping[str, object]

POLICIES: dict[str, Callable[..., Policy]] = {
    "cocs": COCS,
    "oracle": Oracle,
    "oracle-context": OracleContext,
    "clairvoyant": Clairvoyant,
    "cardinality": Cardinality,
    "random": Random,
}
SOLVERS: dict[str, Callable[..., Solver]] = {
    "auto": Auto,
    "exact": Exact,
    "enumeration": Enumeration,
    "milp": Milp,
    "density": Density,
}
ENTRY_POINTS = "cocs.policies"
_WORDS: dict[str, object] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True, slots=True)
class Spec:
    """A name and its parameters, as read from text; `str` writes them again, as the label of what they name."""

    name: str
    parameters: Parameters

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read a spec; refuses what has no name, and a parameter without a value or given twice."""
        head, colon, rest = text.strip().partition(":")
        if colon and "=" not in rest.partition(":")[0]:
            factory, colon, rest = rest.partition(":")
            head = f"{head}:{factory}"
        if not head.strip(": ") or "=" in head or (colon and not rest.strip()):
            raise InvalidInputError(
                repr(text), "must read name, name:key=value,… or package.module:Factory:key=value,…"
            )
        parameters: dict[str, object] = {}
        for item in split(rest) if colon else ():
            key, value = assignment(item)
            if key in parameters:
                raise InvalidInputError(repr(text), f"gives {key!r} twice")
            parameters[key] = value
        return cls(head.strip(), parameters)

    def __str__(self) -> str:
        listed = ",".join(f"{key}={_written(value)}" for key, value in self.parameters.items())
        return f"{self.name}:{listed}" if listed else self.name


def make_world(world: str | Spec | Preset = "paper-mnist", *, seed: int = 0, **settings: object) -> World:
    """Return the world of that name, or of that preset, with any of its fields replaced.

    `package.module:Factory` names a world of one's own; it is called as `factory(seed=seed, **settings)`.
    """
    spec = world_spec(world, settings)
    if spec.name in PRESETS:
        return NetworkWorld(_replaced(PRESETS[spec.name], spec.parameters), seed)
    made: World = _call(f"world {spec.name}", _imported("world", spec.name, PRESETS), spec.parameters, seed=seed)
    return made


def world_spec(world: str | Spec | Preset, settings: Parameters) -> Spec:
    """Name a world and those of its settings that differ from the preset of that name, each in its normal form."""
    if isinstance(world, Preset):
        preset = _replaced(world, settings)
        differences = {name: _difference(preset, base) for name, base in PRESETS.items()}
        nearest = min(differences, key=lambda name: len(differences[name]))
        return Spec(nearest, differences[nearest])
    spec = Spec.parse(world) if isinstance(world, str) else world
    settings = {**spec.parameters, **settings}
    if spec.name not in PRESETS:
        return Spec(spec.name, settings)
    return Spec(spec.name, _difference(_replaced(PRESETS[spec.name], settings), PRESETS[spec.name]))


def make_policy(spec: str | Spec, world: World | Setting, *, seed: int = 0, **parameters: object) -> Policy:
    """Return a fresh policy for that world, or for a setting written by hand.

    `solver=` names the policy's solver, `auto` if not given. Policies that read the truth need a world.
    """
    parsed = Spec.parse(spec) if isinstance(spec, str) else spec
    chosen = {**parsed.parameters, **parameters}
    factory = _policy_factory(parsed.name)
    setting = world if isinstance(world, Setting) else world.setting
    given: dict[str, object] = {"solve": make_solver(chosen.pop("solver", "auto")), "seed": seed}
    if getattr(factory, "reads_truth", False):
        if isinstance(world, Setting):
            raise InvalidInputError(
                f"policy {parsed.name!r}", "reads the truth of its world: give a world, not a Setting"
            )
        given["world"] = world
    policy: Policy = _call(f"policy {parsed.name}", factory, chosen, setting, known=("solver",), **given)
    return policy


def make_solver(solver: object) -> Solver:
    """Return the solver of that name (`density`, `exact:node_limit=1000`), or the object itself if it is callable."""
    if isinstance(solver, str):
        return _named_solver(solver)
    if not callable(solver):
        raise InvalidSettingError("solver", solver, "must be a name or a callable problem -> Solution")
    return solver


def solve(problem: SelectionProblem, solver: str | Solver = "auto") -> Solution:
    """Solve one round: a feasible selection, its value, and how far it can be from the best one."""
    return make_solver(solver)(problem)


def list_policies() -> list[str]:
    """Return the names of all policies, those of installed packages included."""
    return [*POLICIES, *(name for name in _installed() if name not in POLICIES)]


def list_solvers() -> list[str]:
    """Return the names of all solvers."""
    return list(SOLVERS)


def list_worlds() -> list[str]:
    """Return the names of all worlds."""
    return list(PRESETS)


def describe(kind: Literal["policies", "solvers", "worlds"]) -> dict[str, str]:
    """Return one line of description for each name."""
    if kind == "worlds":
        return {name: _world_line(preset) for name, preset in PRESETS.items()}
    if kind == "solvers":
        return {name: _first_line(factory) for name, factory in SOLVERS.items()}
    return {name: _policy_line(name) for name in list_policies()}


def split_policies(text: str) -> list[str]:
    """Split a comma-separated list of policy specs; an item `key=value` belongs to the policy before it."""
    specs: list[str] = []
    for item in split(text):
        if "=" not in item.partition(":")[0]:
            specs.append(item)
        elif specs:
            specs[-1] += ("," if "=" in specs[-1] else ":") + item
        else:
            raise InvalidInputError(repr(item), "is a parameter with no policy before it")
    return specs


def split(text: str) -> list[str]:
    """Split at the commas outside brackets and quotes."""
    items, start, closing = [], 0, ""
    for at, sign in enumerate(text):
        if closing:
            closing = "" if sign == closing else closing
        elif sign in "['\"":
            closing = "]" if sign == "[" else sign
        elif sign == ",":
            items.append(text[start:at])
            start = at + 1
    return [item.strip() for item in [*items, text[start:]]]


def assignment(text: str) -> tuple[str, object]:
    """Read `key=value`."""
    key, sign, value = (part.strip() for part in text.partition("="))
    if not (sign and key and value):
        raise InvalidInputError(repr(text), "must read key=value")
    return key, _value(value)


def _value(text: str) -> object:
    if text[0] == "[" and text[-1] == "]":
        return tuple(_scalar(item) for item in split(text[1:-1]) if item)
    return _scalar(text)


def _scalar(text: str) -> object:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _written(value: object) -> str:
    """A short text that `_value` reads back."""
    if isinstance(value, (tuple, list)):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, str):
        return value if _scalar(value) == value and not set(value) & set(",[]") else repr(value)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value).removesuffix(".0")


@lru_cache(maxsize=32)
def _named_solver(text: str) -> Solver:
    spec = Spec.parse(text)
    if spec.name not in SOLVERS:
        raise UnknownNameError("solver", spec.name, SOLVERS)
    made: Solver = _call(f"solver {spec.name}", SOLVERS[spec.name], spec.parameters)
    return made


def _replaced(preset: Preset, settings: Parameters) -> Preset:
    known = [field.name for field in fields(preset) if field.init]
    for name in settings:
        if name not in known:
            raise UnknownNameError("setting", name, known)
    return replace(preset, **settings)  # type: ignore[arg-type]  # the preset checks its own fields


def _difference(preset: Preset, base: Preset) -> Parameters:
    pairs = {field.name: (getattr(preset, field.name), getattr(base, field.name)) for field in fields(preset)}
    return {name: value for name, (value, usual) in pairs.items() if value != usual}


def _first_line(factory: Factory) -> str:
    return (inspect.getdoc(factory) or "").partition("\n")[0]


def _policy_line(name: str) -> str:
    try:
        return _first_line(_policy_factory(name))
    except InvalidInputError as error:  # a list of names survives somebody's broken package
        return str(error)


def _world_line(preset: Preset) -> str:
    return (
        f"{preset.n_clients} clients, {preset.n_edges} edges, budget {preset.budget:g} each, "
        f"deadline {preset.deadline_s:g} s, {preset.horizon:,} rounds, objective {preset.objective}"
    )


def _policy_factory(name: str) -> Factory:
    if name in POLICIES:
        return POLICIES[name]
    if ":" in name:
        return _imported("policy", name, POLICIES)
    installed = _installed()
    if name not in installed:
        raise UnknownNameError("policy", name, [*POLICIES, *installed])
    try:
        loaded: Factory = installed[name].load()
    except Exception as error:
        raise InvalidInputError(f"policy {name}", f"its package cannot be imported ({error})") from error
    return loaded


def _installed() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _imported(kind: str, name: str, known: Mapping[str, object]) -> Factory:
    module, colon, attribute = name.partition(":")
    if not colon:
        raise UnknownNameError(kind, name, known)
    try:
        loaded: Factory = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # whatever a stranger's module raises when it is imported
        raise InvalidInputError(f"{kind} {name}", f"cannot be imported ({error})") from error
    if not callable(loaded):
        raise InvalidInputError(f"{kind} {name}", "is not callable")
    return loaded


def _call(
    what: str, factory: Factory, parameters: Parameters, *given: object, known: tuple[str, ...] = (), **named: object
) -> Any:
    """Call a factory; an unknown parameter, or one it cannot do without, is one clear sentence."""
    try:
        signature = inspect.signature(factory)
        own = [name for name in _settable(signature) if name not in named][len(given) :]
        if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
            for name in parameters:
                if name not in own:
                    raise UnknownNameError(f"parameter of {what}", name, [*own, *known])
        signature.bind(*given, **named, **parameters)
        return factory(*given, **named, **parameters)
    except CocsError:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidInputError(what, f"cannot be made: {error}") from error


def _settable(signature: inspect.Signature) -> Iterator[str]:
    return (name for name, p in signature.parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
