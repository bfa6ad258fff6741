"""Networks and monotone data sets for the tests of the theory, and their evaluation to fifty digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath
import numpy as np
from numpy.typing import NDArray

from isotone.activations import EXP_CEILING, SELU_ALPHA, SELU_SCALE, TABLE, Activation, activation
from isotone.architecture import Architecture, Numeric
from isotone.theory.network import Network

Array = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)

NAMED = [activation(name) for name in sorted(TABLE)]
# shapes at the edge of what is usable: steep, slow, far from zero, narrow, large
ODD = [
    Activation("celu", (1e-6,)),
    Activation("celu", (1e6,)),
    Activation("elu", (1e6,)),
    Activation("leaky_relu", (0.0,)),
    Activation("srelu", (5.0, 0.0, 7.999, 0.0)),
    Activation("srelu", (-1.0, 0.5, 1.0, 0.0)),
    Activation("srelu", (0.0, 0.0, 1e-6, 0.0)),
    Activation("srelu", (1e3, 0.0, 2e3, 1e3)),
]
USABLE = [s for one in (*NAMED, *ODD) if one.usable for s in (one, one.reflection)]


def monotone_values(points: Array, wishes: Array) -> Array:
    """Return the least monotone values above the wishes: at each row, the largest wish at or below it."""
    return np.array([wishes[(points <= row).all(axis=1)].max() for row in points])


def tangled(rows: int = 14, columns: int = 3, seed: int = 0) -> tuple[Array, Array]:
    """Return data with ties, duplicates, incomparable rows, neighbouring floats and a constant column."""
    stream = np.random.default_rng(seed)
    points = stream.integers(-2, 3, (rows, columns)).astype(np.float64)
    points[::4, 0] = np.nextafter(points[::4, 0], np.inf)
    points[-1] = points[0]
    points[:, -1] = 7.0
    return points, monotone_values(points, stream.integers(-4, 5, rows) * 1.25)


def drawn(hidden: Sequence[int] = (5, 4, 6), seed: int = 0, columns: int = 3, **settings: object) -> Network:
    """Return a random constrained network of increasing and decreasing columns in float64."""
    own = tuple(Numeric((-0.5, 1.0), direction=1 if place % 2 == 0 else -1) for place in range(columns))
    plan = Architecture(own, tuple(hidden), **({"form": "constrained"} | settings))  # type: ignore[arg-type]
    return Network(plan, plan.initial(seed, np.float64))


def to_fifty_digits(s: Activation) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """Return the activation in arithmetic of fifty digits."""
    exact: dict[str, Callable[..., mpmath.mpf]] = {
        "relu": lambda x: max(x, 0),
        "relu6": lambda x: min(max(x, 0), 6),
        "elu": lambda x, alpha: x if x >= 0 else alpha * mpmath.expm1(x),
        "celu": lambda x, alpha: x if x >= 0 else alpha * mpmath.expm1(x / alpha),
        "selu": lambda x: SELU_SCALE * (x if x >= 0 else SELU_ALPHA * mpmath.expm1(x)),
        "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
        "tanh": mpmath.tanh,
        "exp": lambda x: mpmath.exp(min(x, EXP_CEILING)),
        "softsign": lambda x: x / (1 + abs(x)),
        "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
        "logsigmoid": lambda x: -mpmath.log1p(mpmath.exp(-x)),
        "threshold": lambda x: mpmath.mpf(x >= 0),
    }
    value = exact[s.name]
    return (lambda x: -value(-x, *s.parameters)) if s.reflected else (lambda x: value(x, *s.parameters))


def scores_to_fifty_digits(
    layers: Sequence[tuple[Array, Array]], activations: Sequence[Activation], row: Array, subtracts: bool
) -> list[mpmath.mpf]:
    """Return the scores of one row in arithmetic of fifty digits. Shapes: ``(out, in)``, ``(out,)``, ``(d,)``."""
    with mpmath.workdps(50):
        inputs = [mpmath.mpf(float(x)) for x in row]
        for index, (weight, bias) in enumerate(layers):
            rows = zip(weight.tolist(), bias.tolist(), strict=True)
            inputs = [mpmath.fdot(w, inputs) + mpmath.mpf(b) for w, b in rows]
            if index < len(activations):
                s = to_fifty_digits(activations[index])
                offsets = [s(mpmath.mpf(b)) if subtracts else mpmath.mpf(0) for b in bias.tolist()]
                inputs = [s(z) - offset for z, offset in zip(inputs, offsets, strict=True)]
    return inputs
