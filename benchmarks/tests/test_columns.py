import numpy as np
import pandas as pd

from benchmarks.peers.columns import Columns, Levels

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0],
        "grade": pd.Categorical(["low", "high", "low"], ["low", "high"], ordered=True),
        "name": ["b", "a", "b"],
    }
)


def test_a_matrix_has_ranks_for_levels_and_a_column_per_name():
    columns = Columns.learn(FRAME, {"grade": 1, "size": -1}, standardise=False)
    assert list(columns.names) == ["size", "grade", "name_a", "name_b"]
    assert columns.signs.tolist() == [-1, 1, 0, 0]
    assert columns.matrix(FRAME).tolist() == [[1, 0, 0, 1], [2, 1, 1, 0], [3, 0, 0, 1]]


def test_standardising_uses_the_rows_learnt_from():
    columns = Columns.learn(FRAME, {}, standardise=True)
    shifted = FRAME.assign(size=FRAME["size"] + 10)
    assert np.isclose(columns.matrix(FRAME)[:, 0].mean(), 0)
    assert columns.matrix(shifted)[:, 0].mean() > 10


def test_a_name_not_seen_in_training_is_no_name():
    columns = Columns.learn(FRAME, {}, standardise=False)
    unseen = FRAME.assign(name=["c", "a", "b"])
    assert columns.matrix(unseen)[0, 2:].tolist() == [0, 0]
    assert Levels.learn(FRAME).frame(unseen)["name"].isna().tolist() == [True, False, False]
