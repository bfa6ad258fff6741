"""Neural networks that keep order, exactly.

>>> import isotone
>>> list(isotone.Signs.parse({"bmi": 1}, ["age", "bmi"]))
[<Direction.FREE: 0>, <Direction.INCREASING: 1>]
"""

from importlib import import_module
from typing import TYPE_CHECKING

from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.constraints import Direction, Signs

if TYPE_CHECKING:
    from isotone.estimators import (
        MonotoneClassifier,
        MonotoneOrdinalClassifier,
        MonotoneQuantileRegressor,
        MonotoneRegressor,
    )
    from isotone.files import load, save
    from isotone.losses import Loss

__version__ = "0.1.0"
__all__ = ["Architecture", "Categorical", "Direction", "Loss", "Numeric", "Parameters", "Signs", "load", "save"]
__all__ += ["MonotoneClassifier", "MonotoneOrdinalClassifier", "MonotoneQuantileRegressor", "MonotoneRegressor"]

# What `import isotone` can do without is loaded when it is first asked for.
_ON_FIRST_USE = {"Loss": "losses", "load": "files", "save": "files"} | dict.fromkeys(__all__[-4:], "estimators")


def __getattr__(name: str) -> object:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'isotone' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"isotone.{_ON_FIRST_USE[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE})
