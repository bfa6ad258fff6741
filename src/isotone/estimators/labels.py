"""The classes of a target, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

Array = NDArray[np.float64]


def known_classes(target: NDArray[Any], classes: Any) -> NDArray[Any]:
    """Return the sorted classes of a target, or those that were announced; at least two.

    >>> known_classes(np.array(["b", "a", "b"]), None).tolist()
    ['a', 'b']
    """
    check_classification_targets(target)
    found = np.unique(target if classes is None else np.asarray(classes))
    if len(found) < 2:
        raise ValueError(f"a classifier needs at least 2 classes; the data has one class, {found.tolist()}.")
    return found


def positions(target: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each label in the sorted classes.

    >>> positions(np.array(["b", "a"]), np.array(["a", "b"]))
    array([1, 0])
    """
    places = np.minimum(np.searchsorted(classes, target), len(classes) - 1)
    unknown = target[classes[places] != target]
    if len(unknown):
        raise ValueError(f"y has the unknown classes {np.unique(unknown)[:5].tolist()}; known are {classes.tolist()}.")
    return np.asarray(places, dtype=np.intp)


def class_weights(spec: Any, classes: NDArray[Any], mass: Array) -> Array:
    """Return the weight of each class, given how much the rows of each weigh together. Shape: ``(k,)``.

    ``spec`` is None, ``"balanced"``, or a mapping from class to weight in which absent classes weigh 1.

    >>> class_weights("balanced", np.array(["a", "b"]), np.array([1.0, 3.0]))
    array([2.        , 0.66666667])
    """
    if spec is None:
        return np.ones(len(classes))
    if isinstance(spec, str) and spec == "balanced":
        return np.asarray(mass.sum() / (np.count_nonzero(mass) * np.where(mass > 0, mass, 1.0)))
    if not isinstance(spec, Mapping):
        raise ValueError(f"class_weight is None, 'balanced' or a mapping from class to weight; got {spec!r}.")
    return _mapped(spec, classes)


def _mapped(spec: Mapping[Any, Any], classes: NDArray[Any]) -> Array:
    unknown = [label for label in spec if label not in classes.tolist()]
    weights = np.array([spec.get(label, 1.0) for label in classes.tolist()], dtype=np.float64)
    if unknown or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            f"class_weight gives classes among {classes.tolist()} finite numbers, none negative and some positive; "
            f"got {dict(spec)}."
        )
    return weights


def ranked(classes: NDArray[Any], order: Sequence[Any] | None) -> tuple[int, ...]:
    """Return the position in the sorted classes of each rank, from lowest to highest.

    >>> ranked(np.array(["high", "low", "mid"]), ["low", "mid", "high"])
    (1, 2, 0)
    """
    if order is None:
        return tuple(range(len(classes)))
    if isinstance(order, str) or not hasattr(order, "__len__"):
        raise TypeError(f"class_order is a sequence of classes, from lowest to highest; got {order!r}.")
    places = {label: place for place, label in enumerate(classes.tolist())}
    unranked = [label for label in places if label not in list(order)]
    if unranked or len(set(order)) < len(order):
        raise ValueError(
            f"class_order lists every class once, from lowest to highest; the classes are {classes.tolist()}, "
            f"and it is {list(order)}."
        )
    return tuple(places[label] for label in order if label in places)
