"""What was tried: settings of the estimators, and rules in place of those of ``isotone.estimators.defaults``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isotone.estimators import defaults
from isotone.estimators.defaults import Size


@dataclass(frozen=True)
class Candidate:
    """One set of defaults: what differs from the library's own.

    ``settings`` are those of the peer `Isotone`; ``rules`` replace functions of the library's defaults by a value or a
    function. Without ``signed`` no column has a sign.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    rules: Mapping[str, Any] = field(default_factory=dict)
    signed: bool = True


def alone(decay: float, steps: int, **settings: Any) -> Candidate:
    """Return the candidate that tries nothing but these settings."""

    def recipes(size: Size) -> tuple[dict[str, Any], ...]:
        return ({"weight_decay": decay, "max_iter": defaults.passes(size, defaults.batch_size(size), steps)},)

    return Candidate(settings, {"recipes": recipes})


def only(recipe: Callable[[Size], dict[str, Any]]) -> Candidate:
    """Return the candidate that tries nothing but one of the library's recipes."""
    return Candidate(rules={"recipes": lambda size: (recipe(size),)})


def varied(rules: Mapping[str, Any] | None = None, **settings: Any) -> Candidate:
    """Return the plain candidate with something else than the library's."""
    plain = alone(0.01, 3_000)
    return Candidate(settings, {**plain.rules, **(rules or {})})


CANDIDATES = {
    "library": Candidate(),
    # each of its trials by itself
    "patient": only(defaults.patient),
    "bold": only(defaults.bold),
    "cautious": only(defaults.cautious),
    "straight": only(defaults.straight),
    # one set of settings for all tables, and one thing at a time changed in it
    "plain": varied(),
    "decay-1": alone(1.0, 3_000),
    "steps-10000": alone(0.01, 10_000),
    "width-16": varied(width=16, free_width=16),
    "width-64": varied(width=64, free_width=64),
    "depth-1": varied(depth=1),
    "depth-3": varied(depth=3),
    "rate-0.003": varied(learning_rate_init=0.003),
    "rate-0.03": varied(learning_rate_init=0.03),
    "members-16": varied(n_estimators=16),
    "segments-8": varied(n_segments=8),
    "standardised": varied(encoding="standard"),
    "normal-scores": varied(encoding="quantile"),
    "celu": varied(activation="celu"),
    "pre-switch": varied(form="pre"),
    "uniform-start": varied({"initialisation": "uniform"}),
    "no-early-stopping": varied({"holds_out": False, "cautious": lambda size: {"weight_decay": 0.01}}),
    # what the promises cost
    "one-member": Candidate({"n_estimators": 1}),
    "no-signs": Candidate(signed=False),
}
