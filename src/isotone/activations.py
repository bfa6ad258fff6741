"""Every activation of the paper's table: formula, derivative, reflection, limits, and whether it may be used.

Each claim of a row (monotone, limits, derivative, convexity) is checked numerically by ``tests/test_activations.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import erfc, inf, isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Function = Callable[..., Array]

# exp may not overflow: an argument beyond this is read as this
EXP_CEILING = 64.0
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


@dataclass(frozen=True)
class Row:
    """One line of the table: what the activation is and what holds for it.

    ``limits(*parameters)`` gives the values at both infinities; ``shape`` is convex, concave, affine or neither.

    >>> TABLE["relu"].limits()
    (0.0, inf)
    """

    name: str
    formula: str
    gradient: str
    value: Function
    derivative: Function
    limits: Callable[..., tuple[float, float]]
    shape: Callable[..., str]
    parameters: tuple[tuple[str, float], ...] = ()
    decreases: str = ""
    in_paper: bool = True
    learnable: bool = False


@dataclass(frozen=True)
class Activation:
    """An activation with its parameters bound, or the point reflection ``-s(-x)`` of one.

    >>> celu = Activation("celu", (1.0,))
    >>> celu.reflection.saturates_right, celu.saturates_right
    (True, False)
    """

    name: str
    parameters: tuple[float, ...] = ()
    reflected: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.parameters, Iterable):
            raise TypeError(f"the parameters of {self.name} are a sequence of numbers; got {self.parameters!r}.")
        object.__setattr__(self, "parameters", tuple(self.parameters))
        _check(self)

    @property
    def row(self) -> Row:
        """The line of the table that defines this activation.

        >>> Activation("relu").row.in_paper
        True
        """
        return TABLE[self.name]

    def value(self, x: ArrayLike) -> Array:
        """Return the activation at every entry of ``x``, in float64. Shape: ``(*)`` -> ``(*)``.

        >>> Activation("relu", reflected=True).value([-2.0, 3.0])
        array([-2.,  0.])
        """
        points = np.asarray(x, dtype=np.float64)
        if self.reflected:
            return np.asarray(0.0 - self.row.value(-points, *self.parameters))
        return np.asarray(self.row.value(points, *self.parameters))

    def derivative(self, x: ArrayLike) -> Array:
        """Return the derivative at every entry of ``x``; at a kink, the one from the right of the unreflected form.

        >>> Activation("tanh").derivative([0.0])
        array([1.])
        """
        points = np.asarray(x, dtype=np.float64)
        return np.asarray(self.row.derivative(-points if self.reflected else points, *self.parameters))

    @property
    def reflection(self) -> Activation:
        """The point reflection ``s'(x) = -s(-x)``: same monotonicity, opposite saturation.

        >>> Activation("relu").reflection.value(5.0)
        array(0.)
        """
        return replace(self, reflected=not self.reflected)

    @property
    def limits(self) -> tuple[float, float]:
        """The values at minus and plus infinity.

        >>> Activation("logsigmoid").limits
        (-inf, 0.0)
        """
        left, right = self.row.limits(*self.parameters)
        return (0.0 - right, 0.0 - left) if self.reflected else (left, right)

    @property
    def saturates_left(self) -> bool:
        """Whether the limit at minus infinity is finite.

        >>> Activation("softplus").saturates_left
        True
        """
        return isfinite(self.limits[0])

    @property
    def saturates_right(self) -> bool:
        """Whether the limit at plus infinity is finite.

        >>> Activation("softplus").saturates_right
        False
        """
        return isfinite(self.limits[1])

    @property
    def monotone(self) -> bool:
        """Whether the activation never decreases.

        >>> Activation("silu").monotone
        False
        """
        return not self.row.decreases

    @property
    def shape(self) -> str:
        """Convex, concave, affine or neither.

        >>> Activation("relu").reflection.shape
        'concave'
        """
        own = self.row.shape(*self.parameters)
        return {"convex": "concave", "concave": "convex"}.get(own, own) if self.reflected else own

    @property
    def usable(self) -> bool:
        """Whether the universal approximation theorem covers it: never decreasing and saturating on a side.

        >>> Activation("leaky_relu", (0.01,)).usable
        False
        """
        return not self.why_not

    @property
    def why_not(self) -> str:
        """The reason why the theorem does not cover it; empty if it does.

        >>> Activation("identity").why_not
        'saturates on neither side, so the theorem does not cover it (it keeps order)'
        """
        if not self.monotone:
            return self.row.decreases
        if self.saturates_left or self.saturates_right:
            return ""
        return "saturates on neither side, so the theorem does not cover it (it keeps order)"


def activation(spec: str | Activation) -> Activation:
    """Return the activation called ``spec``, with the table's default parameters; an Activation passes through.

    >>> activation("leaky_relu").parameters
    (0.01,)
    """
    if isinstance(spec, Activation):
        return spec
    if not isinstance(spec, str) or spec not in TABLE:
        raise ValueError(f"activation is one of {sorted(TABLE)}; got {spec!r}.")
    return Activation(spec, tuple(default for _, default in TABLE[spec].parameters))


def check_monotone(chosen: Activation) -> Activation:
    """Return the activation, or raise if it decreases somewhere.

    >>> check_monotone(activation("relu")).name
    'relu'
    """
    if not chosen.monotone:
        raise ValueError(f"{chosen.name} cannot keep order: it {chosen.row.decreases}; use one of {monotone_names()}.")
    return chosen


def monotone_names() -> list[str]:
    """Return the names of all activations that never decrease.

    >>> "gelu" in monotone_names()
    False
    """
    return sorted(name for name, row in TABLE.items() if not row.decreases)


def _check(chosen: Activation) -> None:
    """Raise unless name and parameters fit the table."""
    if chosen.name not in TABLE:
        raise ValueError(f"activation is one of {sorted(TABLE)}; got {chosen.name!r}.")
    names = [name for name, _ in chosen.row.parameters]
    if len(names) != len(chosen.parameters):
        raise ValueError(f"{chosen.name} takes the parameters {names}; got {chosen.parameters}.")
    if not all(isfinite(value) for value in chosen.parameters):
        raise ValueError(f"{chosen.name} takes finite parameters {names}; got {chosen.parameters}.")
    _check_range(chosen, dict(zip(names, chosen.parameters, strict=True)))


def _check_range(chosen: Activation, given: dict[str, float]) -> None:
    """Raise unless slopes are non-negative and thresholds in order."""
    slopes = {name: value for name, value in given.items() if name.startswith(("alpha", "slope"))}
    if any(value < 0 for value in slopes.values()):
        raise ValueError(f"{chosen.name} keeps order only with parameters >= 0; got {slopes}.")
    if chosen.name in ("celu", "elu") and given["alpha"] == 0:
        raise ValueError(f"{chosen.name} needs alpha > 0 (alpha = 0 is relu); got {given}.")
    if given.get("left", 0.0) > given.get("right", 0.0):
        raise ValueError(f"{chosen.name} needs left <= right; got {given}.")


def _leaky(x: Array, alpha: float) -> Array:
    return np.where(x >= 0, x, alpha * x)


def _leaky_slope(x: Array, alpha: float) -> Array:
    return np.where(x >= 0, 1.0, alpha)


def _leaky_limits(alpha: float) -> tuple[float, float]:
    return (-inf if alpha > 0 else 0.0, inf)


def _leaky_shape(alpha: float) -> str:
    return "affine" if alpha == 1 else "convex" if alpha < 1 else "concave"


def _elu(x: Array, alpha: float) -> Array:
    return np.where(x >= 0, x, alpha * np.expm1(np.minimum(x, 0.0)))


def _elu_slope(x: Array, alpha: float) -> Array:
    return np.where(x >= 0, 1.0, alpha * np.exp(np.minimum(x, 0.0)))


def _elu_shape(alpha: float) -> str:
    return "convex" if alpha <= 1 else "neither"


def _celu(x: Array, alpha: float) -> Array:
    # NOTE[PAPER]: the table prints alpha * (exp(x) / alpha - 1), with the gradient exp(x) / alpha; both divide x itself
    return np.where(x >= 0, x, alpha * np.expm1(np.minimum(x, 0.0) / alpha))


def _celu_slope(x: Array, alpha: float) -> Array:
    return np.where(x >= 0, 1.0, np.exp(np.minimum(x, 0.0) / alpha))


def _srelu(x: Array, left: float, slope_left: float, right: float, slope_right: float) -> Array:
    below, above = np.minimum(x - left, 0.0), np.maximum(x - right, 0.0)
    value: Array = slope_left * below + np.clip(x, left, right) + slope_right * above
    return value


def _srelu_slope(x: Array, left: float, slope_left: float, right: float, slope_right: float) -> Array:
    return np.where(x < left, slope_left, np.where(x < right, 1.0, slope_right))


def _srelu_limits(left: float, slope_left: float, right: float, slope_right: float) -> tuple[float, float]:
    return (-inf if slope_left > 0 else left, inf if slope_right > 0 else right)


def _srelu_shape(left: float, slope_left: float, right: float, slope_right: float) -> str:
    slopes = (slope_left, 1.0, slope_right) if left < right else (slope_left, slope_right)
    rising = all(a <= b for a, b in pairwise(slopes))
    falling = all(a >= b for a, b in pairwise(slopes))
    return "affine" if rising and falling else "convex" if rising else "concave" if falling else "neither"


def _exp(x: Array) -> Array:
    value: Array = np.exp(np.minimum(x, EXP_CEILING))
    return value


def _density(x: Array) -> Array:
    value: Array = np.exp(-0.5 * np.square(x)) / np.sqrt(2.0 * np.pi)
    return value


def logistic(x: Array) -> Array:
    """Return ``1 / (1 + exp(-x))`` without overflow.

    >>> float(logistic(np.array(-1000.0)))
    0.0
    """
    value: Array = np.exp(log_logistic(x))
    return value


def log_logistic(x: Array) -> Array:
    """Return ``-log(1 + exp(-x))`` without overflow.

    >>> float(log_logistic(np.array(-1000.0)))
    -1000.0
    """
    value: Array = -np.logaddexp(0.0, -x)
    return value


def log_softmax(scores: Array) -> Array:
    """Return the logarithm of the softmax of each row. Shape: ``(n, m)`` -> ``(n, m)``.

    >>> np.exp(log_softmax(np.zeros((1, 2))))
    array([[0.5, 0.5]])
    """
    shifted: Array = scores - scores.max(axis=1, keepdims=True)
    value: Array = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return value


def _normal(x: Array) -> Array:
    value: Array = 0.5 * np.vectorize(erfc, otypes=[np.float64])(-x / np.sqrt(2.0))
    return value


def _always(shape: str) -> Callable[..., str]:
    return lambda *_: shape


def _between(left: float, right: float) -> Callable[..., tuple[float, float]]:
    return lambda *_: (left, right)


_TWO_SLOPES = r"x \text{ if } x \ge 0,\ \alpha x \text{ otherwise}"
_TWO_SLOPES_GRADIENT = r"1 \text{ if } x \ge 0,\ \alpha \text{ otherwise}"

_ROWS = (
    Row("relu", r"\max(x, 0)", r"1_{x \ge 0}", lambda x: np.maximum(x, 0.0), lambda x: (x >= 0) * 1.0,
        _between(0.0, inf), _always("convex")),
    Row("leaky_relu", _TWO_SLOPES, _TWO_SLOPES_GRADIENT, _leaky, _leaky_slope, _leaky_limits, _leaky_shape,
        (("alpha", 0.01),)),
    # NOTE[PAPER]: the table says PReLU saturates; it does so only for alpha = 0
    Row("prelu", _TWO_SLOPES, _TWO_SLOPES_GRADIENT, _leaky, _leaky_slope, _leaky_limits, _leaky_shape,
        (("alpha", 0.25),), learnable=True),
    Row("relu6", r"\min(\max(x, 0), 6)", r"1_{0 \le x < 6}", lambda x: np.clip(x, 0.0, 6.0),
        lambda x: ((x >= 0) & (x < 6)) * 1.0, _between(0.0, 6.0), _always("neither")),
    Row("elu", r"x \text{ if } x \ge 0,\ \alpha (e^x - 1) \text{ otherwise}",
        r"1 \text{ if } x \ge 0,\ \alpha e^x \text{ otherwise}", _elu, _elu_slope,
        lambda alpha: (-alpha, inf), _elu_shape, (("alpha", 1.0),)),
    Row("selu", r"\lambda\, \mathrm{ELU}_\alpha(x)", r"\lambda\, \mathrm{ELU}'_\alpha(x)",
        lambda x: SELU_SCALE * _elu(x, SELU_ALPHA), lambda x: SELU_SCALE * _elu_slope(x, SELU_ALPHA),
        _between(-SELU_SCALE * SELU_ALPHA, inf), _always("neither")),
    Row("celu", r"x \text{ if } x \ge 0,\ \alpha (e^{x/\alpha} - 1) \text{ otherwise}",
        r"1 \text{ if } x \ge 0,\ e^{x/\alpha} \text{ otherwise}", _celu, _celu_slope,
        lambda alpha: (-alpha, inf), _always("convex"), (("alpha", 1.0),)),
    # NOTE[PAPER]: the table's gradient of GELU misses a plus sign: it is Phi(x) + x phi(x)
    Row("gelu", r"x\, \Phi(x)", r"\Phi(x) + x\, \varphi(x)", lambda x: x * _normal(x),
        lambda x: _normal(x) + x * _density(x),
        _between(0.0, inf), _always("neither"), decreases="decreases for x < -0.7518"),
    Row("silu", r"x\, \sigma(x)", r"\sigma(x) (1 + x\, \sigma(-x))", lambda x: x * logistic(x),
        lambda x: logistic(x) * (1.0 + x * logistic(-x)), _between(0.0, inf), _always("neither"),
        decreases="decreases for x < -1.2785"),
    Row("sigmoid", r"1 / (1 + e^{-x})", r"\sigma(x)\, \sigma(-x)", logistic, lambda x: logistic(x) * logistic(-x),
        _between(0.0, 1.0), _always("neither")),
    Row("tanh", r"\tanh x", r"1 - \tanh^2 x", np.tanh, lambda x: 4.0 * logistic(2.0 * x) * logistic(-2.0 * x),
        _between(-1.0, 1.0), _always("neither")),
    # the ceiling keeps float32 finite, so beyond it our exp is constant and its right limit finite
    Row("exp", r"e^{\min(x, 64)}", r"e^x 1_{x < 64}", _exp, lambda x: _exp(x) * (x < EXP_CEILING),
        _between(0.0, float(np.exp(EXP_CEILING))), _always("neither")),
    Row("softsign", r"x / (1 + |x|)", r"1 / (1 + |x|)^2", lambda x: x / (1.0 + np.abs(x)),
        lambda x: 1.0 / np.square(1.0 + np.abs(x)), _between(-1.0, 1.0), _always("neither")),
    Row("softplus", r"\log(1 + e^x)", r"\sigma(x)", lambda x: -log_logistic(-x), logistic,
        _between(0.0, inf), _always("convex")),
    Row("logsigmoid", r"-\log(1 + e^{-x})", r"\sigma(-x)", log_logistic, lambda x: logistic(-x),
        _between(-inf, 0.0), _always("concave")),
    Row("srelu", r"s_l \min(x - l, 0) + \min(\max(x, l), r) + s_r \max(x - r, 0)",
        r"s_l\, 1_{x < l} + 1_{l \le x < r} + s_r\, 1_{x \ge r}", _srelu, _srelu_slope, _srelu_limits, _srelu_shape,
        (("left", -1.0), ("slope_left", 0.0), ("right", 1.0), ("slope_right", 0.25)), in_paper=False),
    Row("threshold", r"1_{x \ge 0}", "0", lambda x: (x >= 0) * 1.0, np.zeros_like,
        _between(0.0, 1.0), _always("neither"), in_paper=False),
    Row("identity", "x", "1", lambda x: x + 0.0, np.ones_like,
        _between(-inf, inf), _always("affine"), in_paper=False),
)  # fmt: skip

TABLE: dict[str, Row] = {row.name: row for row in _ROWS}
