"""The simulated network: where clients are, how they are heard, what they cost, and what arrives in time.

Worlds live here, with their presets and physics; they import `cocs.core` and NumPy, no policy and no solver.
"""

from cocs.network.presets import PAPER_CIFAR10, PAPER_MNIST, PRESETS, Preset
from cocs.network.world import NetworkWorld

__all__ = ["PAPER_CIFAR10", "PAPER_MNIST", "PRESETS", "NetworkWorld", "Preset"]
