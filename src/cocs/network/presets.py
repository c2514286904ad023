"""The paper's two worlds as frozen presets; every reading of the paper is a field of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from cocs.core.problem import Objective
from cocs.network import rules

Column: TypeAlias = Literal["rate", "compute", "bandwidth", "distance"]
ContextScale: TypeAlias = Literal["fixed", "seen"]
GeometryName: TypeAlias = Literal["literal", "discs"]
Fading: TypeAlias = Literal["independent", "reciprocal"]
PriceDraw: TypeAlias = Literal["round", "client"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A simulated network, whole; checked when built, so `dataclasses.replace` cannot make an impossible one.

    Table I and the sections named beside the fields are those of Qu et al.; a "reading" is this project's answer where
    the paper is silent or contradicts itself. The fields without a default are those in which the two worlds differ.
    """

    # The federation
    n_clients: int = 50  # N, Table I
    n_edges: int = 3  # M, Table I
    budget: float | tuple[float, ...]  # B, Table I: of each edge, or one for every edge (reading 23)
    deadline_s: float | tuple[float, ...]  # τ_dead, Table I: of each edge, or one for every edge (III.C)
    horizon: int  # T, rounds of Fig. 3 (MNIST) and Fig. 5 (CIFAR-10)
    objective: Objective  # P2, Σ arrivals (strongly convex, IV), or P3, √(Σ / M) (non-convex, V); readings 6, 12

    # What a policy sees
    context: tuple[Column, ...] = ("rate", "compute")  # IV; Table I's D = 4: all the columns (reading 1)
    context_scale: ContextScale = (
        "fixed"  # min-max over public ranges, or over what rounds 1 … t showed (IV, reading 1)
    )
    rate_span: float = 8.0  # bit/s/Hz: rate_span × the largest bandwidth scales to 1, higher rates too (reading 1)

    # Where clients are
    geometry: GeometryName = "literal"  # distances from U[0, reach], or clients in overlapping discs (VI.A, reading 14)
    reach_km: float = 2.0  # radius of an edge's coverage, VI.A
    edge_circle_km: float = 1.2  # discs: the edges stand evenly on a circle of this radius (reading 14)

    # The radio
    power_dbm: float = 23.0  # P_n, Table I
    downlink_power_dbm: float | None = None  # None: as power_dbm, Eq. 4 has P_n in the downlink too (reading 3)
    noise_dbm: float = -114.0  # N₀, never given: −174 dBm/Hz over 1 MHz (reading 2)
    noise_dbm_per_hz: float | None = None  # instead of noise_dbm: a density over each client's own band (reading 2)
    path_loss_db_at_1km: float = 128.1  # VI.A, printed as a gain, meant as a loss (reading 3)
    path_loss_db_per_decade: float = 37.6  # VI.A: 37.6·log₁₀ of the distance in km (reading 3)
    min_distance_km: float = 0.01  # nearer clients have the path loss of this distance (reading 3)
    shadowing_db: float = 8.0  # VI.A, no number there: one draw a pair and round for both directions (readings 3, 26)
    fading: Fading = "independent"  # VI.A: h² ~ Exp(1), a draw for each direction, or one for both (readings 3, 26)
    bandwidth_hz: tuple[float, float]  # b_n ~ U, VI.A: one draw a client and round (reading 14)

    # The work
    update_bit: float  # s, Table I: a_UT of Eq. 5 (reading 28)
    model_bit: float | None = None  # a_DT of Eq. 5, never given; None: as update_bit (reading 28)
    workload: float  # q in Mbyte, Table I: local computation takes q / y seconds (reading 4)
    compute: tuple[float, float]  # y_n ~ U in MHz, VI.A: one draw a client and round (reading 14)
    edge_compute_s: float = 0.0  # q_m / y_m of III.C, no numbers there (reading 27)
    backhaul_s: float = 0.0  # between edges and cloud, no numbers either (reading 27)

    # The price
    price_range: tuple[float, float] = (0.5, 2.0)  # U per MHz, Table I: cost = price × compute
    price: PriceDraw = "round"  # a price drawn each round, or once for each client (reading 5)

    # When too few arrive
    min_updates: int = 1  # Z of Eq. 6 (reading 13)
    max_wait_s: float = math.inf  # for the Z-th fastest, past the deadline; the paper sets no end (reading 13)

    def __post_init__(self) -> None:
        for field, rule in RULES.items():
            object.__setattr__(self, field, rule(field, getattr(self, field)))
        for field, zero in (("budget", True), ("deadline_s", False)):
            object.__setattr__(self, field, rules.per_edge(field, getattr(self, field), self.n_edges, zero=zero))

    @property
    def download_bit(self) -> float:
        """Size of the downloaded model: `model_bit`, or where that is None the update's."""
        return self.update_bit if self.model_bit is None else self.model_bit

    @property
    def download_power_dbm(self) -> float:
        """Power of an edge's transmissions: `downlink_power_dbm`, or where that is None the clients'."""
        return self.power_dbm if self.downlink_power_dbm is None else self.downlink_power_dbm

    @property
    def rate_cap(self) -> float:
        """Download rate in bit/s that scales to 1 under fixed ranges."""
        return self.rate_span * self.bandwidth_hz[1]


def _or_none(rule: Callable[[str, Any], object]) -> Callable[[str, Any], object]:
    return lambda field, value: None if value is None else rule(field, value)


# Wide enough for any radio, narrow enough to catch a power in watts or a distance in metres.
_decibels = partial(rules.between, low=-300.0, high=300.0, unit="dB")

RULES: Mapping[str, Callable[[str, Any], object]] = MappingProxyType(
    {
        "n_clients": rules.whole,
        "n_edges": rules.whole,
        "horizon": rules.whole,
        "objective": partial(rules.choice, known=get_args(Objective)),
        "context": partial(rules.columns, known=get_args(Column)),
        "context_scale": partial(rules.choice, known=get_args(ContextScale)),
        "rate_span": rules.positive,
        "geometry": partial(rules.choice, known=get_args(GeometryName)),
        "reach_km": rules.positive,
        "edge_circle_km": rules.not_negative,
        "power_dbm": _decibels,
        "downlink_power_dbm": _or_none(_decibels),
        "noise_dbm": _decibels,
        "noise_dbm_per_hz": _or_none(_decibels),
        "path_loss_db_at_1km": _decibels,
        "path_loss_db_per_decade": partial(rules.between, low=0.0, high=200.0, unit="dB"),
        "min_distance_km": rules.positive,
        "shadowing_db": partial(rules.between, low=0.0, high=40.0, unit="dB"),
        "fading": partial(rules.choice, known=get_args(Fading)),
        "bandwidth_hz": rules.interval,
        "update_bit": rules.positive,
        "model_bit": _or_none(rules.not_negative),
        "workload": rules.not_negative,
        "compute": rules.interval,
        "edge_compute_s": rules.not_negative,
        "backhaul_s": rules.not_negative,
        "price_range": partial(rules.interval, zero=True),
        "price": partial(rules.choice, known=get_args(PriceDraw)),
        "min_updates": rules.whole,
        "max_wait_s": rules.waiting_time,
    }
)

PAPER_MNIST = Preset(
    budget=3.5,
    deadline_s=3.0,
    horizon=1000,
    objective="sum",
    bandwidth_hz=(0.3e6, 1e6),
    update_bit=0.18e6,
    workload=2.41,
    compute=(2.0, 4.0),
)
PAPER_CIFAR10 = replace(
    PAPER_MNIST,
    budget=40.0,
    deadline_s=20.0,
    horizon=1880,
    objective="sqrt",
    bandwidth_hz=(2e6, 4e6),
    update_bit=18.7e6,
    workload=28.3,
    compute=(8.0, 15.0),
)
PRESETS: Mapping[str, Preset] = MappingProxyType({"paper-mnist": PAPER_MNIST, "paper-cifar10": PAPER_CIFAR10})
