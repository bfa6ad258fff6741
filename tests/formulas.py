"""What a printed formula of an activation says, as a function: the TeX is translated to Python and computed."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from scipy.special import expit, ndtr

from isotone.activations import SELU_ALPHA, SELU_SCALE, Activation

Function = Callable[[np.ndarray], np.ndarray]
# what the tables call the parameters
LETTERS = {"alpha": "alpha", "left": "l", "slope_left": "s_l", "right": "r", "slope_right": "s_r"}
# in this order: each pattern of TeX, and what it is in Python
RULES = (
    (r"\\[, ]", " "),
    (r"^(.*?) \\text\{ if \} (.*?), (.*?) \\text\{ otherwise\}$", r"where(\2, \1, \3)"),
    (r"\b1_\{(\w+) \\le x < (\w+)\}", r"both(\1 <= x, x < \2)"),
    (r"\b1_\{([^}]*)\}", r"one(\1)"),
    (r"\\(ge|le)\b", lambda found: {"ge": ">=", "le": "<="}[found[1]]),
    (r"\\mathrm\{ELU\}('?)_\\alpha", lambda found: "elu_slope" if found[1] else "elu"),
    (r"\be\^\{([^}]*)\}", r"exp(\1)"),
    (r"\be\^x", "exp(x)"),
    (r"\\tanh\^2 x", "tanh(x)**2"),
    (r"\\tanh x", "tanh(x)"),
    (r"\|x\|", "abs(x)"),
    (r"\)\^2", ")**2"),
    (r"\\(\w+)", r"\1"),
    # what stands side by side is multiplied
    (r"(?<=[\w)]) +(?=[\w(])", " * "),
)


def elu(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 0, x, SELU_ALPHA * (np.exp(x) - 1.0))


NAMES = {
    "where": np.where, "both": lambda one, other: one & other, "one": lambda is_so: is_so * 1.0,
    "exp": np.exp, "tanh": np.tanh, "abs": np.abs, "log": np.log, "max": np.maximum, "min": np.minimum,
    "sigma": expit, "Phi": ndtr, "varphi": lambda x: np.exp(-x * x / 2.0) / np.sqrt(2.0 * np.pi),
    "lambda_": SELU_SCALE, "elu": elu, "elu_slope": lambda x: np.where(x >= 0, 1.0, SELU_ALPHA * np.exp(x)),
}  # fmt: skip


def python(tex: str) -> str:
    """Return an expression of Python for a formula."""
    for pattern, replacement in RULES:
        tex = re.sub(pattern, replacement, tex)
    return re.sub(r"\blambda\b", "lambda_", tex)


def computed(tex: str, chosen: Activation) -> Function:
    """Return the function that a formula states, with the parameters of an activation."""
    given = {LETTERS[name]: value for (name, _), value in zip(chosen.row.parameters, chosen.parameters, strict=True)}
    expression = compile(python(tex), tex, "eval")
    return lambda x: eval(expression, NAMES | given | {"x": x}) + 0.0 * x
