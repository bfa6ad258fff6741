"""Data that oppose their signs, and the measure of how far a fitted peer falls against them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.peers.interface import Budget, Kind, Peer

SIGNS = {"rises": 1, "falls": -1}
ROWS = 240
CURVES = 25
STEPS = 41


def table(kind: Kind, seed: int = 0) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return a frame and a target that falls where the sign says +1 and rises where it says -1."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "rises": random.normal(size=ROWS),
            "free": random.normal(size=ROWS),
            "falls": random.integers(0, 6, ROWS).astype(float),
            "name": random.choice(["a", "b", "c"], ROWS),
        }
    )
    latent = -2 * frame["rises"] + frame["falls"] / 2 + np.sin(3 * frame["free"]) + (frame["name"] == "b")
    latent = (latent + 0.3 * random.normal(size=ROWS)).to_numpy()
    if kind is Kind.BINARY:
        return frame, (latent > np.median(latent)).astype(float)
    if kind is Kind.ORDINAL:
        return frame, np.searchsorted(np.quantile(latent, [0.25, 0.5, 0.75]), latent).astype(float)
    return frame, latent


def worst_fall(peer: Peer, frame: pd.DataFrame, signs: Mapping[str, int]) -> float:
    """Return the largest step against a sign over ceteris-paribus curves, beyond the data too; 0 if there is none."""
    return max(0.0, *(-float((sign * np.diff(_curves(peer, frame, name))).min()) for name, sign in signs.items()))


def spread(peer: Peer, frame: pd.DataFrame) -> float:
    """Return how much predictions vary: a constant keeps every sign and shows nothing."""
    return float(np.std(peer.predict(frame)))


def fitted(peer: Peer, kind: Kind, signs: Mapping[str, int]) -> tuple[Peer, pd.DataFrame]:
    """Return the peer fitted on the opposing table, and its frame."""
    frame, target = table(kind)
    return peer.fit(frame, target, signs, kind=kind, seed=0, budget=Budget()), frame


def _curves(peer: Peer, frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    low, high = frame[name].min(), frame[name].max()
    margin = (high - low) / 4
    grid = np.linspace(low - margin, high + margin, STEPS)
    rows = frame.iloc[:CURVES].loc[lambda some: some.index.repeat(STEPS)].reset_index(drop=True)
    rows[name] = np.tile(grid, CURVES)
    return peer.predict(rows).reshape(CURVES, STEPS)
