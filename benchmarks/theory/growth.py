"""Fresh networks: mean and variance of the output as derived and as drawn, and what the balanced scheme changes.

python -m benchmarks.theory.growth
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from isotone.activations import activation
from isotone.architecture import Architecture, Numeric
from isotone.reference import member_scores
from isotone.theory import growth

RESULTS = Path(__file__).parents[1] / "results" / "theory-growth.json"
ROW = [1.0, -0.5, 2.0, 0.3]
DRAWS = 1000
DEPTH = 4
WIDTHS = (8, 16, 64)
FORMS = ("unconstrained", "constrained", "post", "pre")


def unconstrained(width: int) -> np.ndarray:
    """Return the output of fresh unconstrained networks. Shape: ``(draws,)``."""
    stream = np.random.default_rng(0)
    hidden = np.broadcast_to(np.array(ROW), (DRAWS, len(ROW)))
    for units in (*(width,) * DEPTH, 1):
        bound = 1.0 / np.sqrt(hidden.shape[1])
        weight = stream.uniform(-bound, bound, (DRAWS, units, hidden.shape[1]))
        sums = np.einsum("noi,ni->no", weight, hidden) + stream.uniform(-bound, bound, (DRAWS, units))
        hidden = np.maximum(sums, 0.0)
    return sums[:, 0]


def network(form: str, width: int, columns: int) -> Architecture:
    own = Architecture(tuple(Numeric(direction=1) for _ in range(columns)), (width,) * DEPTH, form=form, members=DRAWS)
    return replace(own, reflect=(False,) * DEPTH) if form == "constrained" else own


def drawn(form: str, width: int) -> np.ndarray:
    if form == "unconstrained":
        return unconstrained(width)
    plan = network(form, width, len(ROW))
    return member_scores(plan, plan.initial(0, np.float64), [ROW])[:, 0, 0]


def spreads(form: str, name: str, width: int, scheme: str) -> dict[str, float]:
    """Return what the standard deviation over rows is, from one fresh network to another."""
    plan = replace(network(form, width, 6), activation=activation(name), members=200)
    rows = np.random.default_rng(0).normal(size=(100, 6))
    deviations = member_scores(plan, plan.initial(0, np.float64, scheme), rows)[:, :, 0].std(axis=1)
    quantiles = np.quantile(deviations, [0.05, 0.5, 0.95])
    return dict(zip(("low", "middle", "high"), quantiles.tolist(), strict=True))


def main() -> None:
    moments, schemes = {}, {}
    for form in FORMS:
        for width in WIDTHS:
            derived, sample = growth(form, "relu", (width,) * DEPTH, ROW)[-1], drawn(form, width)
            own = {"mean": derived.mean, "deviation": derived.variance**0.5}
            seen = {"drawn_mean": float(sample.mean()), "drawn_deviation": float(sample.std())}
            moments[f"{form}-{width}"] = own | seen
            print(form, width, {key: round(value, 4) for key, value in (own | seen).items()}, flush=True)
    for form in ("post", "pre"):
        for name in ("relu", "celu", "tanh"):
            for width in (8, 64):
                for scheme in ("uniform", "balanced"):
                    key = f"{form}-{name}-{width}-{scheme}"
                    schemes[key] = spreads(form, name, width, scheme)
                    print(key, {part: round(value, 4) for part, value in schemes[key].items()}, flush=True)
    record = {"row": ROW, "draws": DRAWS, "depth": DEPTH, "moments": moments, "schemes": schemes}
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
