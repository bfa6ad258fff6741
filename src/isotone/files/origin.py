"""Where a predictor comes from, and the way back to its estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Origin:
    """The kind of estimator that was fitted, its settings, and how its training went.

    >>> Origin("MonotoneRegressor").settings
    {}
    """

    kind: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    history: Mapping[str, Any] = field(default_factory=dict)


_RESTORERS: dict[str, Callable[[Any], Any]] = {}


def register(kind: str, restore: Callable[[Any], Any]) -> None:
    """Tell how to make an estimator of a kind from its predictor.

    >>> register("Example", lambda predictor: "an estimator")
    """
    _RESTORERS[kind] = restore


def restorer(kind: str) -> Callable[[Any], Any]:
    """Return what makes an estimator of a kind from its predictor.

    >>> register("Example", lambda predictor: "an estimator")
    >>> restorer("Example")(None)
    'an estimator'
    """
    # the estimators register themselves when they are loaded; nothing here knows what they are
    import_module("isotone.estimators")
    if kind not in _RESTORERS:
        raise ValueError(f"no estimator is called {kind!r}; there are {sorted(_RESTORERS)}.")
    return _RESTORERS[kind]
