"""A predictor as plain JSON values, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.activations import Activation
from isotone.architecture import Architecture, Categorical, Column, Numeric, Parameters
from isotone.constraints import Direction, Signs
from isotone.encoding import Encoder, Field
from isotone.files.origin import Origin
from isotone.files.predictor import Predictor

PLAIN = (str, int, float, bool, type(None))
SIZES = ("hidden", "free_hidden")
WORDS: dict[str, type] = {
    "outputs": int, "members": int, "form": str, "constraint": str, "weight_sign": int, "link": str, "cuts": int,
    "center": float, "scale": float,
}  # fmt: skip
CURVES = ("loss_curve", "validation_curve")
# the kinds that labels may have; texts take the width they need
LABEL_KINDS = "iufb"


def describe(predictor: Predictor) -> dict[str, Any]:
    """Return all of a predictor but its parameters.

    >>> network = Architecture((Numeric(direction=1),), hidden=())
    >>> fields = Encoder((Field("age", network.columns[0]),))
    >>> describe(Predictor(network, network.initial(0), fields))["fields"]
    [{'name': 'age', 'categories': None, 'fill': None}]
    """
    origin = predictor.origin
    return {
        "kind": origin.kind,
        "architecture": describe_architecture(predictor.architecture),
        "fields": [_describe_field(field) for field in predictor.encoder.fields],
        "named": predictor.named,
        "classes": _describe_labels(predictor.classes),
        "ranks": list(predictor.ranks),
        "levels": list(predictor.levels),
        "settings": {name: tagged(value) for name, value in origin.settings.items()},
        "history": tagged(_told(origin.history)),
    }


def parse_predictor(given: Mapping[str, Any]) -> Predictor:
    """Return the predictor that ``describe`` described, without parameters.

    >>> network = Architecture((Numeric(direction=1),), hidden=())
    >>> fields = Encoder((Field("age", network.columns[0]),))
    >>> parse_predictor(describe(Predictor(network, network.initial(0), fields))).architecture == network
    True
    """
    architecture = parse_architecture(given["architecture"])
    pairs = zip(given["fields"], architecture.columns, strict=True)
    encoder = Encoder(tuple(_parse_field(field, column) for field, column in pairs))
    settings = {name: untagged(value) for name, value in given["settings"].items()}
    classes, ranks, levels = (
        _parse_labels(given["classes"]),
        _tuple(given, "ranks", int),
        _tuple(given, "levels", float),
    )
    _check_heading(architecture, classes, ranks, levels)
    origin = Origin(_taken(given, "kind", str), settings, _parse_history(given["history"]))
    named = _taken(given, "named", bool)
    return Predictor(architecture, Parameters({}), encoder, named, classes, ranks, levels, origin)


def describe_architecture(architecture: Architecture) -> dict[str, Any]:
    """Return an architecture as plain values.

    >>> describe_architecture(Architecture((Numeric(direction=1),), hidden=(4,)))["hidden"]
    [4]
    """
    described: dict[str, Any] = {"columns": [_describe_column(column) for column in architecture.columns]}
    described |= {name: [int(size) for size in getattr(architecture, name)] for name in SIZES}
    described |= {name: kind(getattr(architecture, name)) for name, kind in WORDS.items()}
    described["activation"] = _describe_activation(architecture.activation)
    described["free_activation"] = _describe_activation(architecture.free_activation)
    described["reflect"] = None if architecture.reflect is None else list(architecture.reflect)
    return described


def parse_architecture(given: Mapping[str, Any]) -> Architecture:
    """Return the architecture that was described.

    >>> network = Architecture((Categorical(3),), free_hidden=(2,))
    >>> parse_architecture(describe_architecture(network)) == network
    True
    """
    words: dict[str, Any] = {name: _taken(given, name, kind) for name, kind in WORDS.items()}
    words |= {name: _tuple(given, name, int) for name in SIZES}
    return Architecture(
        columns=tuple(map(_parse_column, given["columns"])),
        activation=_parse_activation(given["activation"]),
        free_activation=_parse_activation(given["free_activation"]),
        reflect=None if given["reflect"] is None else _tuple(given, "reflect", bool),
        **words,
    )


def _taken(given: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a value that has exactly this kind."""
    if type(given[name]) is not kind:
        raise ValueError(f"{name!r} should be of kind {kind.__name__}; got {given[name]!r}")
    return given[name]


def _tuple(given: Mapping[str, Any], name: str, kind: type) -> tuple[Any, ...]:
    """Return a list of values that all have exactly this kind, as a tuple."""
    if any(type(value) is not kind for value in _taken(given, name, list)):
        raise ValueError(f"{name!r} should be a list of kind {kind.__name__}; got {given[name]!r}")
    return tuple(given[name])


def tagged(value: Any) -> Any:
    """Return a setting as JSON that tells tuples, lists and mappings apart.

    >>> tagged((1, {"a": 2}))
    {'tuple': [1, {'mapping': [['a', 2]]}]}
    """
    if hasattr(value, "tolist"):
        # a number, array, index or series
        value = value.tolist()
    if isinstance(value, IntEnum):
        value = int(value)
    if isinstance(value, Signs):
        value = value.by_name()
    if isinstance(value, list):
        return [tagged(item) for item in value]
    return value if isinstance(value, PLAIN) else _tagged_kind(value)


def _tagged_kind(value: Any) -> dict[str, Any]:
    if isinstance(value, tuple):
        return {"tuple": [tagged(item) for item in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[tagged(key), tagged(item)] for key, item in value.items()]}
    if isinstance(value, Activation):
        return {"activation": _describe_activation(value)}
    raise TypeError(f"a file can hold numbers, text, lists, tuples and mappings as settings; got {value!r}.")


def untagged(value: Any) -> Any:
    """Return the setting that was tagged.

    >>> untagged(tagged((1, {"a": [2]})))
    (1, {'a': [2]})
    """
    if isinstance(value, list):
        return [untagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == "activation":
        return _parse_activation(content)
    if tag == "tuple":
        return tuple(untagged(item) for item in content)
    if tag == "mapping":
        return {untagged(key): untagged(item) for key, item in content}
    raise ValueError(f"{tag!r} is no kind of setting")


def _check_heading(
    architecture: Architecture, classes: NDArray[Any] | None, ranks: tuple[int, ...], levels: tuple[float, ...]
) -> None:
    """Raise unless there is a name for each output: a class, a rank, a level."""
    outputs = {"sigmoid": 2, "softmax": architecture.outputs, "cumulative": architecture.cuts + 1}
    counts = (
        outputs.get(architecture.link, 0),
        architecture.cuts + 1 if architecture.link == "cumulative" else 0,
        architecture.outputs if architecture.link == "sorted" else 0,
    )
    found = (0 if classes is None else len(classes), len(ranks), len(levels))
    if found != counts or sorted(ranks) != list(range(len(ranks))) or not all(0 < level < 1 for level in levels):
        raise ValueError(f"classes, ranks and levels should be {counts} many; they are {found}")


def _told(history: Mapping[str, Any]) -> dict[str, Any]:
    """Return a history whose infinite losses, which JSON cannot hold, are None."""
    told = dict(history)
    for curve in CURVES:
        if curve in told:
            told[curve] = [loss if isfinite(loss) else None for loss in told[curve]]
    return told


def _parse_history(given: Any) -> dict[str, Any]:
    history: dict[str, Any] = untagged(given)
    if history == {}:
        return history
    curves = [history[curve] for curve in CURVES]
    numbers = [history["n_iter"], *(loss for curve in curves for loss in curve if loss is not None)]
    numbers += [number for trial in history.get("trials", []) for number in _numbers_of(trial)]
    if set(history) - {"trials"} != {"n_iter", *CURVES} or not all(map(isfinite, numbers)):
        raise ValueError("its history should hold n_iter, loss_curve and validation_curve, all numbers")
    return history | {name: [inf if loss is None else loss for loss in history[name]] for name in CURVES}


def _numbers_of(trial: Mapping[str, Any]) -> Iterator[float]:
    """Yield what the settings of a trial, and its loss, are made of."""
    for value in trial.values():
        if value is not None:
            yield from value if isinstance(value, tuple) else (value,)


def _describe_column(column: Column) -> dict[str, Any]:
    if isinstance(column, Categorical):
        return {"size": column.size}
    levels = None if column.levels is None else [float(level) for level in column.levels]
    return {
        "knots": [float(knot) for knot in column.knots],
        "direction": int(column.direction),
        "levels": levels,
        "missing": column.missing,
    }


def _parse_column(given: Mapping[str, Any]) -> Column:
    if "size" in given:
        return Categorical(_taken(given, "size", int))
    levels = None if given["levels"] is None else _tuple(given, "levels", float)
    direction = Direction(_taken(given, "direction", int))
    return Numeric(_tuple(given, "knots", float), direction, levels, _taken(given, "missing", bool))


def _describe_field(field: Field) -> dict[str, Any]:
    categories = None if field.categories is None else list(field.categories)
    return {"name": tagged(field.name), "categories": categories, "fill": field.fill}


def _parse_field(given: Mapping[str, Any], column: Column) -> Field:
    categories = None if given["categories"] is None else tuple(given["categories"])
    fill = given["fill"]
    name: Any = untagged(given["name"])
    if not isinstance(name, str | int | float | tuple) or not (fill is None or isinstance(fill, float)):
        raise ValueError(f"a column has a name and a number to fill in, or none; got {name!r} and {fill!r}")
    wanted = column.size - 2 if isinstance(column, Categorical) else None
    if wanted is not None and (categories is None or len(categories) != wanted):
        raise ValueError(f"column {name!r} has the categories {categories}, but its network reads {wanted}")
    return Field(name, column, categories, fill)


def _describe_activation(activation: Activation) -> dict[str, Any]:
    return {
        "name": activation.name,
        "parameters": [float(value) for value in activation.parameters],
        "reflected": activation.reflected,
    }


def _parse_activation(given: Mapping[str, Any]) -> Activation:
    return Activation(_taken(given, "name", str), _tuple(given, "parameters", float), _taken(given, "reflected", bool))


def _describe_labels(classes: NDArray[Any] | None) -> dict[str, Any] | None:
    if classes is None:
        return None
    kind = classes.dtype.name if classes.dtype.kind in LABEL_KINDS else "object" if classes.dtype == object else "str"
    return {"dtype": kind, "values": [tagged(value) for value in classes.tolist()]}


def _parse_labels(given: Mapping[str, Any] | None) -> NDArray[Any] | None:
    if given is None:
        return None
    kind, values = given["dtype"], given["values"]
    if not all(isinstance(value, str | int | float) for value in values):
        raise ValueError(f"classes are texts or numbers; got {values[:5]}")
    if kind in {"object", "str"}:
        return np.array(values, dtype=kind)
    dtype = np.dtype(kind)
    if dtype.kind not in LABEL_KINDS:
        raise ValueError(f"classes have no dtype {kind!r}")
    return np.array(values, dtype=dtype)
