"""Signs are read once, in every spelling, and every misreading is named."""

import numpy as np
import pytest

from isotone.constraints import Direction, Signs

NAMES = ["age", "bmi", "bp"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"bmi": 1, "bp": "decreasing"}, (0, 1, -1)),
        ({}, (0, 0, 0)),
        (None, (0, 0, 0)),
        ([1, 0, -1], (1, 0, -1)),
        (np.array([1, 0, -1]), (1, 0, -1)),
        (("free", "INCREASING", -1.0), (0, 1, -1)),
        (1, (1, 1, 1)),
        ("decreasing", (-1, -1, -1)),
        (np.int64(-1), (-1, -1, -1)),
        (Direction.INCREASING, (1, 1, 1)),
        (Signs.parse([-1, 0, 1], ["bp", "age", "bmi"]), (0, 1, -1)),
        (Signs.parse([1], ["bmi"]), (0, 1, 0)),
    ],
)
def test_every_spelling_gives_the_same_signs(spec, expected):
    assert tuple(Signs.parse(spec, NAMES)) == expected


@pytest.mark.parametrize(
    ("spec", "kind", "said"),
    [
        ({"bmx": 1, "agee": 1}, ValueError, r"unknown columns \['bmx', 'agee'\]; the data has \['age', 'bmi', 'bp'\]"),
        (Signs.parse(1, ["bmx"]), ValueError, r"unknown columns \['bmx'\]"),
        ([1, 0], ValueError, r"2 directions \[1, 0\] for 3 columns"),
        ({"bmi": 2}, ValueError, "monotonic_cst has 2 for column 'bmi'; a direction is -1, 0, 1, 'decreasing', 'free'"),
        ({"bmi": True}, ValueError, "True"),
        ({"bmi": 0.5}, ValueError, "0.5"),
        ({"bmi": "up"}, ValueError, "'up' for column 'bmi'"),
        ([1, 0, 3], ValueError, "3 for column 'bp'"),
        ("rising", ValueError, "'rising' for column 'age'"),
        (True, ValueError, "True for column 'age'"),
        (2, ValueError, "2 for column 'age'"),
        ([[1], [0], [1]], ValueError, r"\[1\] for column 'age'"),
        ({"bmi": np.array([1, 0])}, ValueError, r"array\(\[1, 0\]\) for column 'bmi'"),
        ({"bmi": float("nan")}, ValueError, "nan"),
        ({"bmi": None}, ValueError, "None"),
        ({1, 2}, TypeError, "set"),
        (object(), TypeError, "object"),
        (b"100", TypeError, "bytes"),
        (np.array(1), TypeError, "ndarray"),
        (np.array([[1, 0, -1]]), TypeError, "ndarray"),
    ],
)
def test_a_misreading_repeats_what_was_given(spec, kind, said):
    with pytest.raises(kind, match=said):
        Signs.parse(spec, NAMES)


def test_duplicate_names_are_refused_by_name():
    with pytest.raises(ValueError, match=r"\['a'\] occur more than once"):
        Signs.parse({"a": 1}, ["a", "b", "a"])


def test_signs_answer_by_name_and_list_the_constrained():
    signs = Signs.parse({"bp": -1}, NAMES)
    assert (signs["bp"], signs["age"], signs.constrained, len(signs)) == (-1, 0, ("bp",), 3)


def test_names_are_several():
    with pytest.raises(TypeError, match="names is a sequence of column names; got the one text 'age'"):
        Signs.parse(1, "age")


def test_an_absent_column_is_named_with_those_that_exist():
    with pytest.raises(KeyError, match=r"no column 'bmx'; there are \['age', 'bmi', 'bp'\]"):
        Signs.parse(1, NAMES)["bmx"]


def test_signs_made_by_hand_are_checked_too():
    assert Signs(("a", "b"), (1, "free")) == Signs.parse({"a": 1}, ["a", "b"])
    for names, directions, said in (
        (("a", "a"), (1, 1), "occur more than once"),
        (("a",), (1, 1), "2 directions"),
        (("a",), (3,), "3 for column 'a'"),
    ):
        with pytest.raises(ValueError, match=said):
            Signs(names, directions)


def test_of_very_many_columns_an_error_shows_the_first():
    names = [f"c{position}" for position in range(100_000)]
    with pytest.raises(ValueError, match=r"unknown columns \['d'\]; the data has \['c0', .*'c19' and 99980 more\]"):
        Signs.parse({"d": 1}, names)
