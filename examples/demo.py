"""Diabetes progression from ten measurements: it may only rise with bmi, blood pressure and the serum marker s5.

Scores the network across validation folds beside its unconstrained twin and gradient boosted trees with the same
signs, draws what it says of one person as bmi grows, and counts violations of the order among a million pairs of
neighbouring numbers: there are none.
"""

from __future__ import annotations

from importlib.util import find_spec
from itertools import cycle
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold, cross_val_score
from threadpoolctl import threadpool_limits

from isotone import MonotoneRegressor

INCREASING = ("bmi", "bp", "s5")
PAIRS = 1_000_000
BATCHES = (1, 7, 8, 255, 256, 257, 4096, 65536)


def compare(x: np.ndarray, y: np.ndarray, signs: list[int]) -> None:
    """Print cross-validated errors."""
    models = {
        "isotone, with signs": MonotoneRegressor(monotonic_cst=signs, random_state=0),
        "isotone, without": MonotoneRegressor(random_state=0),
        "boosted trees, with signs": HistGradientBoostingRegressor(monotonic_cst=signs, random_state=0),
        "boosted trees, without": HistGradientBoostingRegressor(random_state=0),
    }
    folds = KFold(5, shuffle=True, random_state=0)
    print("Root mean squared error, mean of five folds (smaller is better):")
    for name, model in models.items():
        # the trees' loops are too short to share: on a busy machine their threads wait for each other for minutes
        with threadpool_limits(limits=1):
            errors = -cross_val_score(model, x, y, cv=folds, scoring="neg_root_mean_squared_error")
        print(f"  {name:27} {errors.mean():6.2f}  +- {errors.std():.2f} over the folds")


def draw(model: MonotoneRegressor, person: np.ndarray, values: np.ndarray, column: int) -> None:
    """Draw what the model says of one person as one column grows."""
    rows = np.tile(person, (len(values), 1))
    rows[:, column] = values
    answers = model.predict(rows)
    print("\nOne person's predicted progression as bmi grows, all else equal:")
    for value, answer in zip(values[::5], answers[::5], strict=True):
        print(f"  {value:+.3f} {'#' * round(answer / 5)} {answer:.1f}")
    if find_spec("matplotlib"):
        save_picture(values, answers)


def save_picture(values: np.ndarray, answers: np.ndarray) -> None:
    """Draw the same curve into a file."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    plt.plot(values, answers)
    plt.title("One person's predicted progression as bmi grows")
    plt.xlabel("bmi (standardised)")
    plt.ylabel("predicted progression")
    path = Path("demo.png")
    plt.savefig(path)
    print(f"  (drawn in {path})")


def violations(model: MonotoneRegressor, x: np.ndarray, columns: list[int]) -> int:
    """Count pairs of rows, one number apart by the smallest step there is, whose answers stand the wrong way round.

    The two rows of a pair are scored in different batches, at different places.
    """
    rng = np.random.default_rng(0)
    lower = rng.choice(x, PAIRS).astype(np.float32) + rng.normal(scale=0.02, size=(PAIRS, x.shape[1])).astype("f4")
    chosen = (np.arange(PAIRS), rng.choice(columns, PAIRS))
    upper = lower.copy()
    upper[chosen] = np.nextafter(lower[chosen], np.float32(np.inf))
    return int((in_batches(model, lower, 0) > in_batches(model, upper, 3)).sum())


def in_batches(model: MonotoneRegressor, rows: np.ndarray, first: int) -> np.ndarray:
    """Score the rows in batches of varying size."""
    sizes = cycle(BATCHES[first:] + BATCHES[:first])
    answers, start = [], 0
    while start < len(rows):
        stop = start + next(sizes)
        answers.append(model.predict(rows[start:stop]))
        start = stop
    return np.concatenate(answers)


def main() -> None:
    """Run the demonstration."""
    x, y = load_diabetes(return_X_y=True)
    names = load_diabetes().feature_names
    signs = [int(name in INCREASING) for name in names]
    print(f"{len(x)} people, {len(names)} measurements; increasing in {', '.join(INCREASING)}.\n")
    compare(x, y, signs)
    model = MonotoneRegressor(monotonic_cst=signs, random_state=0).fit(x, y)
    draw(model, x[0], np.linspace(-0.1, 0.2, 61), names.index("bmi"))
    found = violations(model, x, [names.index(name) for name in INCREASING])
    print(f"\nOrder violations among {PAIRS:,} pairs of neighbouring numbers, scored in varying batches: {found}")


if __name__ == "__main__":
    main()
