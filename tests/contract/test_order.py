"""Order holds for every public layer, network and estimator, column by column, and a broken one is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.cases import CASES, Subject, normal_rows
from tests.contract.order import ladders, largest_fall


def worst_fall(subject: Subject, rng: np.random.Generator) -> float:
    """Return the largest fall over all columns that have a direction."""
    constrained = [column for column, sign in enumerate(subject.signs) if sign]
    return max(largest_fall(subject, ladders(rng, subject, column), column) for column in constrained)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_outputs_keep_order_in_every_constrained_column(case, rng):
    for seed in range(2):
        subject = case.build(seed)
        assert worst_fall(subject, rng) <= subject.slack


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_order_check_can_fail(case, rng):
    """Negative control: claiming the opposite signs must be refuted, or the outputs are constant."""
    falls = []
    for seed in range(4):
        subject = case.build(seed)
        opposite = replace(subject, signs=tuple(-sign for sign in subject.signs))
        falls.append(worst_fall(opposite, rng))
    assert max(falls) > 1e6 * np.finfo(np.float64).eps


def flaws(subject: Subject, rng: np.random.Generator) -> list[str]:
    """Return what is wrong with the outputs for seven rows, apart from their order."""
    outputs = np.asarray(subject.outputs(subject.draw(rng, 7)))
    found = {"rows": outputs.ndim != 2 or outputs.shape[0] != 7, "numbers": not np.isfinite(outputs).all()}
    return [flaw for flaw, is_so in found.items() if is_so]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_outputs_are_finite_and_one_row_per_row(case, rng):
    assert flaws(case.build(0), rng) == []


@pytest.mark.parametrize(
    ("outputs", "flaw"),
    [
        (lambda rows: rows[1:, :1], "rows"),
        (lambda rows: rows[:, 0], "rows"),
        (lambda rows: np.where(rows[:, :1] > 0, np.inf, 0.0), "numbers"),
        (lambda rows: np.where(rows[:, :1] > 0, np.nan, 0.0), "numbers"),
    ],
)
def test_outputs_that_are_too_few_or_no_numbers_are_caught(outputs, flaw, rng):
    assert flaws(Subject(outputs, (1,), normal_rows(1)), rng) == [flaw]


def test_an_unconstrained_network_is_caught(rng):
    weight = rng.normal(size=(8, 3))
    plain = Subject(
        lambda rows: np.maximum(rows @ weight.T, 0.0) @ rng.normal(size=8)[:, None] * 1.0, (1, 1, 1), normal_rows(3)
    )
    assert worst_fall(plain, rng) > 1e-3
