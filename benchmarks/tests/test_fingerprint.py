import io

import numpy as np
import pandas as pd
import pytest

from benchmarks.tasks import fingerprint as module
from benchmarks.tasks.fingerprint import check_fingerprint, fingerprint


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    return pd.DataFrame({"a": random.normal(size=2000), "b": random.normal(size=2000) * 1e5, "c": ["x", "y"] * 1000})


def test_content_survives_another_printing_of_floats(frame):
    printed = pd.read_csv(io.StringIO(frame.to_csv(index=False, float_format="%.16g")))
    assert fingerprint(printed).agrees(fingerprint(frame))


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.assign(a=frame["a"].where(frame.index != 1000, frame["a"] + 0.01)),
        lambda frame: frame.assign(c=frame["c"].where(frame.index != 1000, "y")),
        lambda frame: frame.iloc[::-1],
        lambda frame: frame.rename(columns={"a": "A"}),
        lambda frame: frame[["b", "a", "c"]],
        lambda frame: frame.iloc[1:],
    ],
    ids=["a cell", "a word", "order of rows", "a name", "order of columns", "a row"],
)
def test_a_change_of_content_is_seen(frame, change):
    assert not fingerprint(change(frame)).agrees(fingerprint(frame))


def test_a_table_with_other_content_is_refused(frame, monkeypatch):
    monkeypatch.setattr(module, "committed", lambda: {"train_x": fingerprint(frame)})
    check_fingerprint("train_x", frame)
    with pytest.raises(ValueError, match=r"train_x\.csv has other content"):
        check_fingerprint("train_x", frame.iloc[1:])
