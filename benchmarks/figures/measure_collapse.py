"""Train a hundred seeds of the paper's networks and look into them: how many collapse, and what stands still in them.

    python -m benchmarks.figures.measure_collapse [cases]

Collapsed: after the last epoch less than a tenth of the variance of the training targets is explained. A weight of a
switch is asleep if no training row has a slope above a thousandth on the side that the weight's sign picks: then its
gradient is nothing too, or nearly. A network is cut if no path of waking weights leads through all switches: then it
is a constant, and no step can open a path again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import reduce
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import records
from benchmarks.paper.native import Rows, described
from benchmarks.paper.protocol import RECIPES
from benchmarks.tasks import TASKS
from isotone import engine
from isotone.architecture import Architecture, Parameters
from isotone.losses import Loss
from isotone.reference import encode, post_switch

Array = NDArray[np.float64]
SEEDS = 100
COLLAPSED = 0.1
ASLEEP = 1e-3


@dataclass(frozen=True)
class Case:
    """A table and, where it is not the paper's, the width of the trunk's layers and their activation."""

    task: str
    width: int | None = None
    activation: str | None = None


CASES = {
    "auto": Case("auto"),
    "heart": Case("heart"),
    "auto, 3 wide": Case("auto", 3),
    "auto, 3 wide, ReLU": Case("auto", 3, "relu"),
}
# the initialisation, and whether the network's output is shifted and scaled to the targets: tried where seeds collapse
STARTS = {
    "uniform": ("uniform", False),
    "balanced": ("balanced", False),
    "uniform, targets standardised": ("uniform", True),
    "balanced, targets standardised": ("balanced", True),
}


def trained(case: Case, scheme: str, standardised: bool) -> tuple[Architecture, Rows, Parameters, Parameters]:
    """Return network, training rows, and the parameters before and after the paper's epochs."""
    task, recipe = TASKS[case.task], RECIPES[case.task]
    frame = task.load()[0]
    features = frame.drop(columns=task.target)
    rows = features.to_numpy(np.float32), frame[task.target].to_numpy(np.float32)
    network = described([task.signs.get(name, 0) for name in features], recipe, SEEDS)
    if case.width:
        network = replace(network, hidden=(case.width,) * 3, activation=case.activation or network.activation)
    if standardised:
        network = replace(network, center=float(rows[1].mean()), scale=float(rows[1].std()))
    settings = engine.Settings(
        epochs=recipe.epochs, batch_size=recipe.batch, drop_last=True, learning_rate=recipe.learning_rate
    )
    start = network.initial(0, np.float32, scheme)
    end = engine.train(network, *rows, Loss("squared_error"), settings, threads=1, start=start)[0]
    return network, rows, start, end


def explained(network: Architecture, parameters: Parameters, rows: Rows) -> Array:
    """Return each member's share of the training targets' variance that it explains."""
    x, y = rows[0], rows[1].astype(np.float64)
    latent = engine.Compiled(network, parameters).member_scores(x, threads=1)[:, :, 0].astype(np.float64)
    scores = network.center + network.scale * latent
    return 1.0 - ((scores - y) ** 2).mean(axis=1) / y.var()


def free_output(network: Architecture, parameters: Parameters, member: int, free: Array) -> Array:
    for layer in range(len(network.free_hidden)):
        weight, bias = (parameters[f"free.{layer}.{part}"][member] for part in ("weight", "bias"))
        free = network.free_activation.value(free @ weight.T + bias)
    return free


def awake(network: Architecture, parameters: Parameters, member: int, x: Array) -> list[NDArray[np.bool_]]:
    """Return, for each switch layer of a member, which of its weights some row moves. Shapes: ``(out, in)``."""
    free, constrained = encode(network, x)
    sums = np.hstack([constrained, free_output(network, parameters, member, free)])
    found = []
    for layer in range(len(network.hidden) + 1):
        weight, bias = (parameters[f"trunk.{layer}.{part}"][member].astype(np.float64) for part in ("weight", "bias"))
        if layer == 0:
            sums = sums @ np.abs(weight).T + bias
            continue
        s = network.activation
        rising, falling = (s.derivative(side).max(axis=0) > ASLEEP for side in (sums, -sums))
        found.append(np.where(weight > 0, rising, falling))
        sums = post_switch(weight, bias, sums, s)
    return found


def state(network: Architecture, parameters: Parameters, x: Array) -> tuple[list[float], list[bool]]:
    """Return each member's share of sleeping weights, and whether it is cut."""
    layers = [awake(network, parameters, member, x) for member in range(network.members)]
    asleep = [1.0 - float(np.mean(np.concatenate([layer.ravel() for layer in own]))) for own in layers]
    return asleep, [is_cut(own) for own in layers]


def is_cut(layers: list[NDArray[np.bool_]]) -> bool:
    """Say whether no path leads from the first layer's inputs to the last one's outputs."""
    return not reduce(lambda inner, outer: outer @ inner, layers).any()


def turned(start: Parameters, end: Parameters) -> float:
    """Return the share of the switches' weights that have changed their signs."""
    names = [name for name in start.names if name.startswith("trunk") and name.endswith("weight")][1:]
    return float(np.mean(np.concatenate([((start[name] > 0) != (end[name] > 0)).ravel() for name in names])))


def looked_at(case: Case, begun: str) -> records.Record:
    """Return how many seeds collapsed, and what sleeps in them before and after training."""
    network, rows, start, end = trained(case, *STARTS[begun])
    x, shares = rows[0].astype(np.float64), explained(network, end, rows)
    fallen = shares < COLLAPSED
    (asleep_before, cut_before), (asleep_after, cut_after) = (state(network, each, x) for each in (start, end))
    found: records.Record = {
        "collapsed": int(fallen.sum()),
        "explained": dict(zip(("least", "low", "median"), np.quantile(shares, [0.0, 0.05, 0.5]).tolist(), strict=True)),
        "asleep": {"start": median(asleep_before), "end": median(asleep_after)},
        "turned": turned(start, end),
        "cut": {"start": int(sum(cut_before)), "end": int(sum(cut_after))},
        "collapsed_and_cut": {"start": int((fallen & cut_before).sum()), "end": int((fallen & cut_after).sum())},
    }
    print(case, begun, records.shortened(found), flush=True)
    return found


def main() -> None:
    kept = records.load("collapse")["found"] if (records.FOLDER / "collapse.json").exists() else {}
    for name in sys.argv[1:] or CASES:
        begun = [each for each, (_, standardised) in STARTS.items() if CASES[name].width or not standardised]
        kept[name] = {each: looked_at(CASES[name], each) for each in begun}
        settings = {"seeds": SEEDS, "collapsed_below": COLLAPSED, "asleep_below": ASLEEP}
        records.store("collapse", settings | {"found": kept})


if __name__ == "__main__":
    main()
