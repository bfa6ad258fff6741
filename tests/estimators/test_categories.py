"""Which columns are categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from isotone.estimators.categories import parse_categories

NAMES = ["grade", "town", "age"]


@pytest.mark.parametrize("spec", [["town"], [1], np.array([1]), [False, True, False], np.array([0, 1, 0], dtype=bool)])
def test_a_column_can_be_given_by_name_position_or_mask(spec: Any) -> None:
    assert parse_categories(spec, NAMES) == {"town": None}


@pytest.mark.parametrize("spec", [None, "from_dtype", [], [False] * 3])
def test_nothing_beyond_the_types_is_the_default(spec: Any) -> None:
    assert parse_categories(spec, NAMES) == {}


def test_a_mapping_gives_orders() -> None:
    given = {"grade": ["low", "high"], 1: "nominal", "age": np.array([3, 1])}
    assert parse_categories(given, NAMES) == {"grade": ("low", "high"), "town": None, "age": (3, 1)}


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        (["city"], ValueError, "unknown column 'city'; the data has"),
        ([3], ValueError, "unknown column 3"),
        ([True, False], ValueError, "2 entries for the 3 columns"),
        ("grade", TypeError, "categorical_features is 'from_dtype', a sequence of columns"),
        (7, TypeError, "got 7"),
        ({"grade": "low"}, ValueError, "column 'grade' 'low'; right is 'nominal', or its categories"),
        ({"grade": []}, ValueError, r"column 'grade' \[\]"),
    ],
)
def test_a_wrong_word_is_repeated(spec: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parse_categories(spec, NAMES)
