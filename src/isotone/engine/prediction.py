"""Prediction by the native engine: exact order, and the same bits for a row in any company."""

from __future__ import annotations

import os
import weakref
from functools import cache
from operator import is_

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone import _native
from isotone.activations import logistic
from isotone.architecture import Architecture, Parameters

Array = NDArray[np.float64]
# the link exp reads scores as at most this, so that it stays finite
_EXP_LINK_CEILING = 707.0
# what the extension reads as a number of threads; no work is divided into as many parts
_MOST_THREADS = 2**31 - 1
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Compiled:
    """A network made ready for prediction: weights mapped, tables summed, everything laid out for the kernels.

    Float32 parameters give exact order; float64 parameters serve tests and promise none.

    >>> from isotone.architecture import Architecture, Numeric
    >>> network = Architecture((Numeric(direction=1),), hidden=(4,))
    >>> ready = Compiled(network, network.initial(seed=0))
    >>> bool(np.diff(ready.predict([[0.0], [1.0], [2.0]])[:, 0]).min() >= 0.0)
    True
    """

    def __init__(self, architecture: Architecture, parameters: Parameters) -> None:
        check_kinds(architecture=(architecture, Architecture), parameters=(parameters, Parameters))
        parameters.check(architecture)
        self.architecture = architecture
        self._given = tuple(parameters.arrays.values())
        arrays = [np.require(parameters[name], None, ["C", "A"]) for name in architecture.shapes]
        kinds = {array.dtype for array in arrays}
        if kinds == {_FLOAT32}:
            self._native: _native.Compiled = _native.Compiled32(architecture, arrays)
        elif kinds == {_FLOAT64}:
            self._native = _native.Compiled64(architecture, arrays)
        else:
            raise TypeError(f"parameters are all float32 or all float64; got {sorted(map(str, kinds))}.")
        self._copied = any(
            array is not parameters[name] for name, array in zip(architecture.shapes, arrays, strict=True)
        )
        self._fixed = all(map(_is_fixed, self._given))

    def predict(self, x: ArrayLike, threads: int | None = None) -> Array:
        """Return the prediction after mean, target transform and link. Shape: ``(n, d)`` -> ``(n, m)``.

        Args:
            x: numbers and codes, NaN where a column may be missing.
            threads: how many at most; None for one per CPU. The result does not depend on it.

        >>> from isotone.architecture import Architecture, Numeric
        >>> network = Architecture((Numeric(direction=1),), hidden=(4,), link="sigmoid")
        >>> Compiled(network, network.initial(seed=0)).predict(np.zeros((3, 1))).shape
        (3, 1)
        """
        return self._native.predict(self._rows(x), thread_count(threads))

    def member_scores(self, x: ArrayLike, threads: int | None = None) -> NDArray[np.floating]:
        """Return every member's latent scores. Shape: ``(n, d)`` -> ``(members, n, m)``.

        >>> from isotone.architecture import Architecture, Numeric
        >>> network = Architecture((Numeric(direction=1),), hidden=(4,), members=2)
        >>> Compiled(network, network.initial(seed=0)).member_scores(np.zeros((3, 1))).shape
        (2, 3, 1)
        """
        return self._native.member_scores(self._rows(x), thread_count(threads))

    def input_gradient(self, x: ArrayLike, threads: int | None = None) -> Array:
        """Return the derivative of the prediction by each column. Shape: ``(n, d)`` -> ``(n, d)`` or ``(n, m, d)``.

        With one prediction per row the axis of predictions is left out. At a knot or a kink it is a one-sided
        derivative; where an input is missing, a code, or clamped, it is zero. On a column with a direction it never
        has the other sign.

        >>> from isotone.architecture import Architecture, Numeric
        >>> network = Architecture((Numeric(direction=-1), Numeric(direction=1)), hidden=(4,))
        >>> gradient = Compiled(network, network.initial(seed=0)).input_gradient(np.zeros((3, 2)))
        >>> bool((gradient * [-1.0, 1.0] >= 0.0).all())
        True
        """
        rows, count = self._rows(x), thread_count(threads)
        with np.errstate(over="ignore", invalid="ignore"):
            gradient = self._through_link(rows, count, self._native.input_gradient(rows, count))
        if not np.isfinite(gradient).all():
            raise FloatingPointError("a derivative of the prediction is beyond the range of float64.")
        return gradient[:, 0] if gradient.shape[1] == 1 else gradient

    def matches(self, architecture: Architecture, parameters: Parameters) -> bool:
        """Whether this is the network of these parameters, and no entry of theirs has changed since.

        >>> from isotone.architecture import Architecture, Numeric
        >>> network = Architecture((Numeric(direction=1),), hidden=(4,))
        >>> parameters = network.initial(seed=0)
        >>> ready = Compiled(network, parameters)
        >>> parameters["trunk.0.bias"][0, 0] += 1.0
        >>> ready.matches(network, parameters)
        False
        """
        given = parameters.arrays.values()
        return (
            not self._copied
            and (self.architecture is architecture or self.architecture == architecture)
            and len(self._given) == len(given)
            and all(map(is_, self._given, given))
            and (self._fixed or self._native.current())
        )

    def _rows(self, x: ArrayLike) -> NDArray[np.floating]:
        """Return x as contiguous float32 or float64 rows, or raise."""
        given = np.asarray(x)
        if given.ndim != 2 or given.shape[1] != len(self.architecture.columns) or not len(given):
            columns = len(self.architecture.columns)
            raise ValueError(f"x has shape (n, {columns}) with n at least 1; got {given.shape}.")
        if given.dtype not in {_FLOAT32, _FLOAT64}:
            given = _as_float64(given)
        flags = given.flags
        return given if flags.c_contiguous and flags.aligned else given.copy(order="C")

    def _through_link(self, rows: NDArray[np.floating], threads: int, gradient: Array) -> Array:
        """Chain the derivative of the latent scores through the link. Shape: ``(n, m, d)`` -> ``(n, m, d)``."""
        link = self.architecture.link
        if link == "identity":
            return gradient
        network = self.architecture
        mean = self._native.member_scores(rows, threads).mean(axis=0, dtype=np.float64)
        latent = network.center + network.scale * mean
        prediction = self._native.predict(rows, threads)
        if link == "exp":
            slope: Array = np.where(latent < _EXP_LINK_CEILING, prediction, 0.0)
            return slope[:, :, None] * gradient
        if link == "sorted":
            return np.take_along_axis(gradient, np.argsort(latent, axis=1, kind="stable")[:, :, None], axis=1)
        if link == "softmax":
            mean_gradient: Array = np.einsum("nm,nmd->nd", prediction, gradient)
            return prediction[:, :, None] * (gradient - mean_gradient[:, None])
        margins = latent - self._native.cuts() if link == "cumulative" else latent
        slope = logistic(margins) * logistic(-margins)
        return slope[:, :, None] * gradient


def fixed(parameters: Parameters) -> Parameters:
    """Return the same numbers where nobody can change them, so that no prediction has to look whether somebody did.

    >>> network = Parameters({"trunk.0.bias": np.zeros((1, 2))})
    >>> fixed(network)["trunk.0.bias"].flags.writeable
    False
    """
    return Parameters(
        {name: np.ndarray(array.shape, array.dtype, buffer=array.tobytes()) for name, array in parameters.items()}
    )


def compiled(architecture: Architecture, parameters: Parameters) -> Compiled:
    """Return the network ready for prediction; the same object for the same, unchanged parameters.

    >>> from isotone.architecture import Architecture, Numeric
    >>> network = Architecture((Numeric(direction=1),), hidden=(4,))
    >>> parameters = network.initial(seed=0)
    >>> compiled(network, parameters) is compiled(network, parameters)
    True
    """
    key = id(parameters)
    held = _HELD.get(key)
    if held is not None and held[0]() is parameters and held[1].matches(architecture, parameters):
        return held[1]
    ready = Compiled(architecture, parameters)
    _HELD[key] = weakref.ref(parameters, lambda _: _HELD.pop(key, None)), ready
    return ready


def predict(architecture: Architecture, parameters: Parameters, x: ArrayLike, threads: int | None = None) -> Array:
    """Return the prediction after mean, target transform and link. Shape: ``(n, d)`` -> ``(n, m)``.

    With float32 parameters it keeps order bit for bit along every constrained column, and a row's bits depend
    neither on the batch, its place in it, the number of threads, nor the machine.

    Args:
        architecture: the network.
        parameters: its numbers.
        x: numbers and codes, NaN where a column may be missing. Shape ``(n, d)``.
        threads: how many at most; None for one per CPU.

    >>> from isotone.architecture import Architecture, Numeric
    >>> network = Architecture((Numeric(direction=1),), hidden=(4,))
    >>> low, high = predict(network, network.initial(seed=0), np.float32([[0.5], [np.nextafter(np.float32(0.5), 1)]]))
    >>> bool(low <= high)
    True
    """
    return compiled(architecture, parameters).predict(x, threads)


def member_scores(
    architecture: Architecture, parameters: Parameters, x: ArrayLike, threads: int | None = None
) -> NDArray[np.floating]:
    """Return every member's latent scores, before mean, target transform and link. Shape: ``(members, n, m)``.

    >>> from isotone.architecture import Architecture, Numeric
    >>> network = Architecture((Numeric(direction=1),), hidden=(4,), members=2)
    >>> member_scores(network, network.initial(seed=0), [[0.5]]).shape
    (2, 1, 1)
    """
    return compiled(architecture, parameters).member_scores(x, threads)


def input_gradient(
    architecture: Architecture, parameters: Parameters, x: ArrayLike, threads: int | None = None
) -> Array:
    """Return the derivative of the prediction by each column: see ``Compiled.input_gradient``.

    >>> from isotone.architecture import Architecture, Numeric
    >>> network = Architecture((Numeric(direction=-1),), hidden=(4,))
    >>> bool(input_gradient(network, network.initial(seed=0), [[0.5]])[0, 0] <= 0.0)
    True
    """
    return compiled(architecture, parameters).input_gradient(x, threads)


# Compiled networks by the identity of their parameters; an entry goes when its parameters do.
_HELD: dict[int, tuple[weakref.ref[Parameters], Compiled]] = {}


def _is_fixed(array: NDArray[np.floating]) -> bool:
    """Return whether the numbers stand in bytes, which nobody can change, whatever the flags say."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, bytes)


def _as_float64(given: NDArray[np.generic]) -> Array:
    """Return numbers of another kind as float64, or raise if they are none."""
    if given.dtype.kind not in "fiub":
        raise TypeError(f"x holds numbers; got dtype {given.dtype}.")
    return given.astype(np.float64)


def check_kinds(**given: tuple[object, type]) -> None:
    """Raise unless each argument is of its kind.

    >>> check_kinds(architecture=(Parameters({}), Parameters))
    """
    for name, (value, kind) in given.items():
        if not isinstance(value, kind):
            raise TypeError(f"{name} is of the class {kind.__name__}; got {value!r}.")


def thread_count(threads: int | None) -> int:
    """Return how many threads may be used; None is one per CPU.

    >>> thread_count(2)
    2
    """
    if threads is None:
        return _available_threads()
    if not isinstance(threads, (int, np.integer)) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads is an integer of at least 1 or None; got {threads!r}.")
    return min(int(threads), _MOST_THREADS)


@cache
def _available_threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
