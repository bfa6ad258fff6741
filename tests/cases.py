"""Every public layer, network and estimator, listed once; the contract tests run over all of it.

A case is one line: the public name it stands for, a label, and how to build it. `build(seed)` returns a `Subject`:
a function from rows to outputs, the direction of each column, and how much two outputs of one call may fall against
it. A new layer, network or estimator without a case fails `tests/contract/test_cases.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from isotone import reference, theory
from isotone.activations import TABLE, activation
from isotone.architecture import Architecture, Categorical, Numeric
from isotone.encoding import Encoder, Field
from isotone.files import Predictor
from isotone.weights import WEIGHT_MAPS
from tests.estimators.subjects import KINDS
from tests.nn.modules import MODULES, ModuleCase
from tests.theory.data import drawn, monotone_values

# sums of a few hundred float64 terms in numpy's own order, through at most four layers
REFERENCE_SLACK = 512 * np.finfo(np.float64).eps

PRECISIONS = {"half": torch.float16, "brain": torch.bfloat16, "single": torch.float32, "double": torch.float64}


@dataclass(frozen=True)
class Subject:
    """Something that maps rows ``(n, d)`` to outputs ``(n, m)`` and promises an order.

    ``draw(rng, n)`` gives rows it accepts. ``slack`` is relative to the largest output; 0 promises order bit for bit.
    """

    outputs: Callable[[np.ndarray], np.ndarray]
    signs: tuple[int, ...]
    draw: Callable[[np.random.Generator, int], np.ndarray]
    slack: float = 0.0


@dataclass(frozen=True)
class Case:
    """One way to build something public."""

    public: str
    label: str
    build: Callable[[int], Subject]

    def __str__(self) -> str:
        return f"{self.public.rpartition('.')[2]}-{self.label}"


def normal_rows(columns: int) -> Callable[[np.random.Generator, int], np.ndarray]:
    """Return a drawer of standard normal rows."""
    return lambda rng, n: rng.normal(size=(n, columns))


MIXED = (
    Numeric((-1.0, 0.0, 0.5, 1.5), direction=1),
    Numeric((-1.0, 1.0)),
    Categorical(3),
    Numeric((-1.0, 0.0, 1.0), direction=-1, levels=(-2.0, 0.5, 1.0)),
    Numeric(direction=1),
)


def mixed_rows(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw rows for MIXED: normal numbers, and codes in column 2."""
    rows = 1.5 * rng.normal(size=(n, len(MIXED)))
    rows[:, 2] = rng.integers(0, 3, n)
    return rows


def defined(**settings: object) -> Callable[[int], Subject]:
    """Return a builder of the reference definition of a mixed network with random weights."""
    network = Architecture(**{"columns": MIXED, "hidden": (6, 5, 4), "free_hidden": (4, 3)} | settings)
    directions = tuple(int(column.direction) for column in network.columns)

    def build(seed: int) -> Subject:
        parameters = network.initial(seed, np.float64)
        return Subject(
            lambda rows: reference.predict(network, parameters, rows), directions, mixed_rows, REFERENCE_SLACK
        )

    return build


def _reference_cases() -> list[Case]:
    """Return one case per form, activation, weight map, sign and link of the definition."""
    monotone = [name for name, row in TABLE.items() if not row.decreases and not row.learnable]
    choices = {f"{form}-{name}": {"form": form, "activation": activation(name)}
               for form in ("post", "pre", "constrained") for name in monotone}  # fmt: skip
    choices |= {f"{g}{sign:+d}": {"form": "constrained", "constraint": g, "weight_sign": sign}
                for g in WEIGHT_MAPS for sign in (1, -1)}  # fmt: skip
    choices |= {"non-positive-odd": {"form": "constrained", "weight_sign": -1, "hidden": (5, 4)}}
    choices |= {"reflected": {"activation": activation("celu").reflection}}
    choices |= {f"link-{link}": {"link": link} for link in ("identity", "exp", "sigmoid")}
    choices |= {"sorted": {"link": "sorted", "outputs": 3}, "members": {"members": 3}}
    return [
        Case("isotone.architecture.Architecture", label, defined(**settings)) for label, settings in choices.items()
    ]


def run_module(case: ModuleCase, dtype: torch.dtype) -> Callable[[int], Subject]:
    """Return a builder of a torch module with the numbers of a seed, in evaluation mode."""

    def build(seed: int) -> Subject:
        module = case.build(seed, dtype)

        def outputs(rows: np.ndarray) -> np.ndarray:
            with torch.no_grad():
                return module(torch.tensor(rows, dtype=dtype)).double().numpy()

        # rows of one call are summed alike; eight roundings of the largest output are what another order may cost
        return Subject(outputs, case.signs, case.rows, 8 * torch.finfo(dtype).eps)

    return build


def _torch_cases() -> list[Case]:
    """Return every module of isotone.nn in every precision."""
    return [
        Case(f"isotone.nn.{case.public}", f"{case.label}-{precision}", run_module(case, dtype))
        for case in MODULES
        for precision, dtype in PRECISIONS.items()
    ]


def interpolating(form: str, s: str) -> Callable[[int], Subject]:
    """Return a builder of the network that goes through random monotone data."""

    def build(seed: int) -> Subject:
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(12, 3))
        fitted = theory.interpolate(points, monotone_values(points, rng.normal(size=12)), s, form=form)
        return Subject(fitted, (1, 1, 1), normal_rows(3), REFERENCE_SLACK)

    return build


def rewritten(rewrite: Callable[[theory.Network], theory.Network]) -> Callable[[int], Subject]:
    """Return a builder of a random constrained network of increasing and decreasing columns under a rewriting."""
    return lambda seed: Subject(rewrite(drawn(seed=seed)), (1, -1, 1), normal_rows(3), REFERENCE_SLACK)


def _theory_cases() -> list[Case]:
    """Return an interpolating network of each form, and each way to write one network as another."""
    kinds = {"non_negative": "relu", "non_positive": "relu", "post": "softsign", "pre": "tanh"}
    rewritings = {f.__name__: f for f in (theory.flip_signs, theory.as_post_switch, theory.as_pre_switch)}
    return [Case("isotone.theory.Interpolation", form, interpolating(form, s)) for form, s in kinds.items()] + [
        Case("isotone.theory.Network", label, rewritten(rewrite)) for label, rewrite in rewritings.items()
    ]


def predicting(**settings: object) -> Callable[[int], Subject]:
    """Return a builder of what a saved model becomes, here with a fresh network."""
    columns = tuple(Numeric(direction=sign) for sign in (1, -1, 0))
    network = Architecture(**({"columns": columns, "hidden": (6, 5), "free_hidden": (4,)} | settings))
    fields = Encoder(tuple(Field(f"x{place}", column) for place, column in enumerate(columns)))

    def build(seed: int) -> Subject:
        # no slack: predictions keep order bit for bit
        return Subject(Predictor(network, network.initial(seed), fields).outputs, (1, -1, 0), normal_rows(3))

    return build


def _predictor_cases() -> list[Case]:
    """Return a predictor under each link that keeps order."""
    heads = {"identity": {}, "exp": {}, "sigmoid": {}, "cumulative": {"cuts": 2}, "sorted": {"outputs": 3}}
    return [Case("isotone.files.Predictor", link, predicting(link=link, **own)) for link, own in heads.items()]


def run_estimator(kind: str) -> Callable[[int], Subject]:
    """Return a builder of an estimator fitted on data that mostly agree with its signs."""

    def build(seed: int) -> Subject:
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(80, 3))
        answer = rows @ [1.0, -1.0, 0.5] + 0.5 * rng.normal(size=80)
        model = KINDS[kind].make(monotonic_cst=[1, -1, 0], n_estimators=2, max_iter=20, random_state=seed)
        model.fit(rows, KINDS[kind].target(answer))
        outputs = KINDS[kind].outputs[-1]
        # no slack: predictions keep order bit for bit
        return Subject(lambda x: outputs(model, x), (1, -1, 0), normal_rows(3))

    return build


def _estimator_cases() -> list[Case]:
    """Return every estimator under every loss."""
    made = {kind: type(KINDS[kind].make()).__name__ for kind in KINDS}
    return [Case(f"isotone.estimators.{name}", kind, run_estimator(kind)) for kind, name in made.items()]


CASES: list[Case] = [
    *_reference_cases(), *_torch_cases(), *_theory_cases(), *_predictor_cases(), *_estimator_cases()
]  # fmt: skip
