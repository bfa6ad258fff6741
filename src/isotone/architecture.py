"""The frozen description of a network: columns, branches, trunk, members, head, and the shapes of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import isfinite

import numpy as np
from numpy.typing import DTypeLike, NDArray

from isotone.activations import Activation, activation, check_monotone
from isotone.columns import Categorical, Column, Numeric, entries, is_size, plain
from isotone.initialisation import Draw, Group, free_draws, free_outputs, stored_weight, trunk_draws
from isotone.weights import weight_map

__all__ = ["FORMS", "LINKS", "SCHEMES", "Architecture", "Categorical", "Column", "Numeric", "Parameters"]

FORMS = ("post", "pre", "constrained")
SCHEMES = ("uniform", "balanced")
LINKS = ("identity", "exp", "sigmoid", "softmax", "cumulative", "sorted")


@dataclass(frozen=True)
class Architecture:
    """Everything about a network except its numbers.

    Free columns, and the missing slots of all columns, go through the free branch; its outputs join the components
    of the constrained columns (times their direction) as inputs of the monotone trunk. The mean of the members'
    latent scores, ``center + scale * score``, goes through the link.

    >>> network = Architecture((Numeric(direction=1), Numeric()), hidden=(4,), free_hidden=(3,))
    >>> network.shapes["trunk.0.weight"]
    (1, 4, 4)
    """

    columns: tuple[Column, ...]
    hidden: tuple[int, ...] = (16, 16)
    free_hidden: tuple[int, ...] = ()
    outputs: int = 1
    members: int = 1
    form: str = "post"
    activation: Activation = field(default_factory=lambda: activation("relu"))
    free_activation: Activation = field(default_factory=lambda: activation("relu"))
    constraint: str = "abs"
    weight_sign: int = 1
    reflect: tuple[bool, ...] | None = None
    link: str = "identity"
    cuts: int = 0
    center: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        for name in ("columns", "hidden", "free_hidden", *(["reflect"] if self.reflect is not None else [])):
            object.__setattr__(self, name, entries(name, getattr(self, name)))
        for name in ("outputs", "members", "weight_sign", "cuts"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        object.__setattr__(self, "activation", activation(self.activation))
        object.__setattr__(self, "free_activation", activation(self.free_activation))
        if self.form == "constrained" and self.reflect is None:
            object.__setattr__(self, "reflect", self._alternation())
        _check_sizes(self)
        _check_trunk(self)
        _check_head(self)

    def _alternation(self) -> tuple[bool, ...]:
        """Return s, s', s, ... under non-negative weights; under non-positive ones s alone already alternates."""
        return tuple(self.weight_sign == 1 and bool(layer % 2) for layer in range(len(self.hidden)))

    @cached_property
    def free_components(self) -> int:
        """Width of the free branch's input: components of free columns, and one missing slot per column that has one.

        >>> Architecture((Numeric(missing=True, direction=1), Categorical(3)), free_hidden=(2,)).free_components
        4
        """
        free = sum(column.components for column in self.columns if not column.direction)
        return free + sum(isinstance(column, Numeric) and column.missing for column in self.columns)

    @cached_property
    def constrained_components(self) -> int:
        """How many of the trunk's inputs come from constrained columns.

        >>> Architecture((Numeric((0.0, 1.0, 2.0), direction=1),)).constrained_components
        2
        """
        return sum(column.components for column in self.columns if column.direction)

    @cached_property
    def layer_activations(self) -> tuple[Activation, ...]:
        """The activation of each hidden layer of the trunk, reflections applied.

        >>> [s.reflected for s in Architecture((Numeric(direction=1),), form="constrained").layer_activations]
        [False, True]
        """
        flags = self.reflect if self.reflect is not None else (False,) * len(self.hidden)
        return tuple(self.activation.reflection if flag else self.activation for flag in flags)

    @property
    def trunk_direction(self) -> int:
        """1 if the trunk increases in its inputs; -1 for an odd number of non-positive layers.

        >>> Architecture((Numeric(direction=1),), form="constrained", weight_sign=-1).trunk_direction
        -1
        """
        return -1 if self.weight_sign == -1 and len(self.hidden) % 2 == 0 else 1

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each parameter; members first, then outputs, then inputs of a layer.

        >>> list(Architecture((Numeric(direction=1),), hidden=(4,)).shapes)
        ['trunk.0.weight', 'trunk.0.bias', 'trunk.1.weight', 'trunk.1.bias']
        """
        joined = self.constrained_components + (self.free_hidden[-1] if self.free_components else 0)
        shapes = (
            _layer_shapes("free", self.members, (self.free_components, *self.free_hidden))
            if self.free_components
            else {}
        )
        shapes |= _layer_shapes("trunk", self.members, (joined, *self.hidden, self.outputs))
        return shapes | ({"cuts": (self.members, self.cuts)} if self.cuts else {})

    def initial(self, seed: int, dtype: DTypeLike = np.float32, scheme: str = "uniform") -> Parameters:
        """Return random parameters; member ``i`` depends on the seed and ``i`` only.

        The scheme uniform draws weights and biases within ``1 / sqrt(inputs)`` (PyTorch's default for linear layers).
        The scheme balanced keeps the variance from layer to layer and gives the middle row pre-activations around 0.

        >>> Architecture((Numeric(direction=1),), hidden=(4,)).initial(seed=0)["trunk.0.weight"].shape
        (1, 4, 1)
        """
        _check_choice("scheme", scheme, SCHEMES)
        if np.dtype(dtype).kind != "f":
            raise ValueError(f"dtype is a floating-point one; got {dtype!r}.")
        draw = self._uniform if scheme == "uniform" else self._balanced
        members = [draw(np.random.default_rng((seed, member))) for member in range(self.members)]
        return Parameters({name: np.stack([one[name] for one in members]).astype(dtype) for name in self.shapes})

    def _uniform(self, stream: np.random.Generator) -> dict[str, NDArray[np.float64]]:
        """Draw one member's parameters in the order of their names."""
        drawn: dict[str, NDArray[np.float64]] = {}
        for name, (_, *shape) in self.shapes.items():
            if name.endswith("weight"):
                bound = 1.0 / np.sqrt(max(shape[1], 1))
            drawn[name] = np.zeros(shape) if name == "cuts" else stream.uniform(-bound, bound, shape)
        return drawn

    @cached_property
    def _draws(self) -> dict[str, list[Draw]]:
        """How each layer of a branch is drawn under the balanced scheme."""
        free = [_group(column, 1) for column in self.columns if not column.direction]
        slots = [Group() for column in self.columns if isinstance(column, Numeric) and column.missing]
        joined = [_group(c, c.direction * self.trunk_direction) for c in self.columns if c.direction]
        draws = {}
        if self.free_components:
            joined += free_outputs(self.free_hidden[-1], self.free_activation.value)
            draws["free"] = free_draws(free + slots, self.free_hidden, self.free_activation.value)
        draws["trunk"] = trunk_draws(self.form, joined, self.hidden, [s.value for s in self.layer_activations])
        return draws

    def _balanced(self, stream: np.random.Generator) -> dict[str, NDArray[np.float64]]:
        """Draw one member's parameters so that the variance stays; ``g`` gets what it maps to the weights drawn."""
        drawn = {"cuts": np.zeros(self.cuts)} if self.cuts else {}
        for name, (_, *shape) in self.shapes.items():
            branch, layer, part = (*name.split("."), "", "")[:3]
            if part == "weight":
                weight, bias = self._draws[branch][int(layer)].numbers(stream, shape[0])
                drawn[name] = stored_weight(self.constraint, weight) if branch == "trunk" else weight
            elif part == "bias":
                drawn[name] = bias * (self.weight_sign if branch == "trunk" else 1)
        return drawn


@dataclass(frozen=True)
class Parameters(Mapping[str, NDArray[np.floating]]):
    """Named plain arrays: the common currency of training, prediction, PyTorch, files and proofs.

    >>> Parameters({"trunk.0.bias": np.zeros((1, 2))}).names
    ('trunk.0.bias',)
    """

    arrays: Mapping[str, NDArray[np.floating]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays, in order.

        >>> Parameters({}).names
        ()
        """
        return tuple(self.arrays)

    def check(self, architecture: Architecture) -> Parameters:
        """Return these parameters, or raise if they do not fit the architecture.

        >>> network = Architecture((Numeric(direction=1),), hidden=(2,))
        >>> network.initial(0).check(network).names == tuple(network.shapes)
        True
        """
        found = {name: tuple(array.shape) for name, array in self.arrays.items()}
        wrong = {name: shape for name, shape in found.items() if architecture.shapes.get(name) != shape}
        absent = [name for name in architecture.shapes if name not in found]
        if wrong or absent:
            raise ValueError(
                f"parameters do not fit the architecture: wrong or unknown {wrong}, absent {absent}; "
                f"expected {architecture.shapes}."
            )
        kinds = {name: str(array.dtype) for name, array in self.arrays.items() if array.dtype.kind != "f"}
        if kinds:
            raise TypeError(f"parameters are arrays of a floating-point dtype; got {kinds}.")
        infinite = [name for name, array in self.arrays.items() if not np.isfinite(array).all()]
        if infinite:
            raise ValueError(f"parameters must be finite, but {infinite} hold NaN or infinity.")
        return self

    def astype(self, dtype: DTypeLike) -> Parameters:
        """Return the same parameters in another precision.

        >>> Parameters({"b": np.zeros(1)}).astype(np.float32)["b"].dtype
        dtype('float32')
        """
        return Parameters({name: array.astype(dtype) for name, array in self.arrays.items()})

    def __getitem__(self, name: str) -> NDArray[np.floating]:
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)


def _group(column: Column, sign: int) -> Group:
    """Return how the column's components, times a sign, stray from their middle."""
    if isinstance(column, Categorical):
        return Group.indicators(column.size)
    if column.levels is not None:
        return Group.levels(column.levels).times(sign)
    # two knots are a shift and scale: the middle is at the first knot, one deviation away the second
    return Group.segments(column.components).times(sign) if column.components > 1 else Group()


def _layer_shapes(branch: str, members: int, widths: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return weight and bias shapes of each layer between consecutive widths."""
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, (inputs, outputs) in enumerate(pairwise(widths)):
        shapes[f"{branch}.{layer}.weight"] = (members, outputs, inputs)
        shapes[f"{branch}.{layer}.bias"] = (members, outputs)
    return shapes


def _check_choice(what: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise unless the value is one of the choices."""
    if isinstance(value, bool) or not isinstance(value, type(choices[0])) or value not in choices:
        raise ValueError(f"{what} is one of {list(choices)}; got {value!r}.")


def _check_sizes(network: Architecture) -> None:
    """Raise unless there are columns and every size is a positive integer."""
    if not network.columns or not all(isinstance(column, Column) for column in network.columns):
        raise ValueError(f"columns are Numeric or Categorical, at least one; got {network.columns}.")
    sizes = {"outputs": network.outputs, "members": network.members} | ({"cuts": network.cuts} if network.cuts else {})
    sizes |= {
        f"{what}[{i}]": size for what in ("hidden", "free_hidden") for i, size in enumerate(getattr(network, what))
    }
    wrong = {name: size for name, size in sizes.items() if not is_size(size)}
    if wrong:
        raise ValueError(f"sizes are integers of at least 1; got {wrong}.")
    if bool(network.free_components) != bool(network.free_hidden):
        raise ValueError(
            f"free_hidden is given exactly if there are free columns or missing slots; got {network.free_hidden} "
            f"with {network.free_components} free components."
        )


def _check_trunk(network: Architecture) -> None:
    """Raise unless form, activation, constraint and reflections belong together."""
    _check_choice("form", network.form, FORMS)
    check_monotone(network.activation)
    for chosen in (network.activation, network.free_activation):
        if chosen.row.learnable:
            raise ValueError(
                f"{chosen.name} learns its slope, which isotone.nn does; here use leaky_relu, which fixes it."
            )
    weight_map(network.constraint)
    _check_choice("weight_sign", network.weight_sign, (1, -1))
    if network.form == "constrained":
        flags = network.reflect or ()
        if len(flags) != len(network.hidden) or not all(isinstance(flag, bool) for flag in flags):
            raise ValueError(
                f"reflect has True or False for each hidden layer; got {network.reflect} for {network.hidden}."
            )
    elif (network.constraint, network.weight_sign, network.reflect) != ("abs", 1, None):
        raise ValueError(
            "constraint, weight_sign and reflect belong to form='constrained'; "
            f"got {network.constraint!r}, {network.weight_sign}, {network.reflect} with form={network.form!r}."
        )


def _check_head(network: Architecture) -> None:
    """Raise unless link, cut points, outputs and target transform belong together."""
    _check_choice("link", network.link, LINKS)
    if not (isfinite(network.center) and isfinite(network.scale) and network.scale > 0):
        raise ValueError(f"center is finite and scale positive; got {network.center} and {network.scale}.")
    if network.link not in ("identity", "sorted") and (network.center, network.scale) != (0.0, 1.0):
        raise ValueError(f"center and scale belong to the links identity and sorted; got link {network.link!r}.")
    if (network.link == "cumulative") != (network.cuts > 0) or (network.cuts and network.outputs != 1):
        raise ValueError(
            "the link cumulative has one output and at least one cut, other links none; "
            f"got link {network.link!r}, cuts {network.cuts}, outputs {network.outputs}."
        )
    if network.link == "softmax" and network.constrained_components:
        raise ValueError("softmax cannot keep order: raising one class's score lowers the others; use cumulative.")
