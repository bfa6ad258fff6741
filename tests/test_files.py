"""A model file is whole, its own, and harmless; whatever else is refused with one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file

import isotone
from isotone import Architecture, Categorical, Numeric, Parameters
from isotone.activations import Activation
from isotone.encoding import Encoder, Field
from isotone.files import FileError, Origin, Predictor
from isotone.files.bundle import encoded
from isotone.files.description import tagged, untagged
from isotone.files.tensors import LENGTH_BYTES, packed

COLUMNS = (Numeric((0.0, 0.5, 2.0), 1, missing=True), Numeric((0.0, 1.0), -1, (0.0, 2.0)), Categorical(4), Numeric())


def example(**changes: Any) -> Predictor:
    """Return a predictor with something of everything."""
    network = Architecture(COLUMNS, hidden=(3, 2), free_hidden=(2,), members=2, link="cumulative", cuts=2)
    fields = (
        Field("grade", COLUMNS[0], ("low", "mid", "high")),
        Field("price", COLUMNS[1]),
        Field("town", COLUMNS[2], ("a", "b")),
        Field("größe", COLUMNS[3], None, 0.25),
    )
    settings = {"monotonic_cst": {"grade": 1}, "hidden_layer_sizes": (3, 2), "activation": Activation("relu")}
    origin = Origin(
        "MonotoneOrdinalClassifier", settings, {"n_iter": 2, "loss_curve": [1.0, 0.5], "validation_curve": []}
    )
    heading = {"named": True, "classes": np.array(["x", "y", "z"], dtype=object), "ranks": (1, 0, 2)}
    whole = Predictor(network, network.initial(3), Encoder(fields), **heading, origin=origin)
    return replace(whole, **changes)


def metadata() -> dict[str, str]:
    """Return the description and the digest of the example."""
    content = encoded(example())
    length = int.from_bytes(content[:LENGTH_BYTES], "little")
    found: dict[str, str] = json.loads(content[LENGTH_BYTES : LENGTH_BYTES + length])["__metadata__"]
    return found


def rewritten(change: Callable[[dict[str, Any]], Any], forged: bool = False) -> bytes:
    """Return the file of the example with its description changed by hand, arrays as they were.

    The digest is as it was too, unless it is ``forged`` to fit.
    """
    description = json.loads(metadata()["isotone"])
    change(description)
    text = json.dumps(description, separators=(",", ":"))
    if not forged:
        return packed(metadata() | {"isotone": text}, example().parameters)
    digest = sha256(packed({"isotone": text, "sha256": "0" * 64}, example().parameters)).hexdigest()
    return packed({"isotone": text, "sha256": digest}, example().parameters)


def changed_anywhere(data: st.DataObject) -> Callable[[dict[str, Any]], None]:
    """Return a change of one value, somewhere, into any other."""

    def change(description: dict[str, Any]) -> None:
        (*above, last) = data.draw(st.sampled_from(places(description)[1:]))
        inner: Any = description
        for key in above:
            inner = inner[key]
        old = json.dumps(inner[last])
        inner[last] = data.draw(ANY_JSON.filter(lambda new: json.dumps(new) != old))

    return change


def refusal(given: bytes, folder: Path) -> str:
    """Return what loading these bytes says; it must be one FileError and nothing else."""
    path = folder / "model.isotone"
    path.write_bytes(given)
    with pytest.raises(FileError) as caught:
        isotone.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def loaded(given: bytes, folder: Path) -> Predictor:
    path = folder / "model.isotone"
    path.write_bytes(given)
    return isotone.load(path)


@pytest.fixture(scope="module")
def whole() -> bytes:
    return encoded(example())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    model = example()
    isotone.save(model, tmp_path / "model.isotone")
    again = isotone.load(tmp_path / "model.isotone")
    assert again.architecture == model.architecture
    assert again.encoder == model.encoder
    assert again.origin == model.origin
    assert (again.named, again.ranks, again.levels) == (model.named, model.ranks, model.levels)
    np.testing.assert_array_equal(again.classes, model.classes)
    assert {name: array.tobytes() for name, array in again.parameters.items()} == {
        name: array.tobytes() for name, array in model.parameters.items()
    }


def test_the_file_is_a_safetensors_file(tmp_path: Path) -> None:
    isotone.save(example(), tmp_path / "model.safetensors")
    arrays = load_file(tmp_path / "model.safetensors")
    assert set(arrays) == set(example().parameters)
    assert all((arrays[name] == array).all() for name, array in example().parameters.items())


def test_the_same_model_has_the_same_bytes(whole: bytes) -> None:
    assert encoded(example()) == whole
    assert encoded(example(parameters=example().architecture.initial(4))) != whole


@pytest.mark.parametrize("name", ["größe", "\ud800", 3, 0.5, ("net", 1), -7, ""])
def test_columns_keep_their_names(name: Any, tmp_path: Path) -> None:
    fields = (*example().encoder.fields[:3], replace(example().encoder.fields[3], name=name))
    again = loaded(encoded(example(encoder=Encoder(fields))), tmp_path).encoder.names[3]
    assert (again, type(again)) == (name, type(name))


def test_a_loss_that_was_infinite_once_is_saved(tmp_path: Path) -> None:
    told = {"n_iter": 2, "loss_curve": [1.0, 0.5], "validation_curve": [float("inf"), 0.75]}
    assert loaded(encoded(example(origin=replace(example().origin, history=told))), tmp_path).origin.history == told
    with pytest.raises(ValueError, match="finite numbers only"):
        encoded(example(origin=replace(example().origin, history=told | {"n_iter": float("inf")})))


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "model.isotone"
    isotone.save(example(), path)
    old = path.read_bytes()
    endless = replace(example().encoder.fields[3], fill=float("inf"))
    nameless = replace(example().encoder.fields[3], name=None)
    for field, error, words in [(endless, ValueError, "finite numbers only"), (nameless, ValueError, "has a name")]:
        with pytest.raises(error, match=words):
            isotone.save(example(encoder=Encoder((*example().encoder.fields[:3], field))), path)
    with pytest.raises(TypeError, match="save takes a fitted estimator of isotone, or a Predictor; got 3"):
        isotone.save(3, path)  # type: ignore[arg-type]
    assert path.read_bytes() == old


@pytest.mark.parametrize("dtype", [object, "U1", np.int64, np.int8, np.bool_, np.float64])
def test_classes_keep_their_kind(dtype: Any, tmp_path: Path) -> None:
    network = Architecture(COLUMNS, hidden=(2,), free_hidden=(2,), link="sigmoid")
    classes = np.array([0, 1]).astype(dtype)
    model = example(architecture=network, parameters=network.initial(0), classes=classes, ranks=())
    again = loaded(encoded(model), tmp_path).classes
    assert again is not None
    assert (again.dtype, again.tolist()) == (classes.dtype, classes.tolist())


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 0.1, "text", [1, [2]], (1, (2.5, "a")), {"a": {1: (2,)}}, {}, (), Activation("elu", (0.5,))],
)
def test_settings_come_back_as_they_were(value: Any) -> None:
    again = untagged(json.loads(json.dumps(tagged(value))))
    assert (again, type(again)) == (value, type(value))


@pytest.mark.parametrize("given", [np.array([1, 2]), pd.Index([1, 2]), pd.Series([1, 2])])
def test_what_holds_a_list_is_saved_as_one(given: Any) -> None:
    assert untagged(tagged(given)) == [1, 2]


def test_signs_are_saved_by_name() -> None:
    assert untagged(tagged(isotone.Signs.parse([1, 0], ["a", "b"]))) == {"a": 1, "b": 0}


def test_a_setting_without_a_text_is_refused() -> None:
    with pytest.raises(TypeError, match="a file can hold numbers, text"):
        encoded(example(origin=Origin("X", {"random_state": np.random.default_rng(0)})))


@given(data=st.data())
def test_a_flipped_bit_is_refused(data: st.DataObject, whole: bytes, folder: Path) -> None:
    place, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    altered = bytearray(whole)
    altered[place] ^= 1 << bit
    assert "is not an isotone model, or not a whole one" in refusal(bytes(altered), folder)


@given(data=st.data())
def test_a_truncated_file_is_refused(data: st.DataObject, whole: bytes, folder: Path) -> None:
    assert refusal(whole[: data.draw(st.integers(0, len(whole) - 1))], folder)


@given(tail=st.binary(min_size=1, max_size=64))
def test_trailing_bytes_are_refused(tail: bytes, whole: bytes, folder: Path) -> None:
    assert "follow the header" in refusal(whole + tail, folder)


@given(garbage=st.binary(max_size=400))
def test_garbage_is_refused(garbage: bytes, folder: Path) -> None:
    assert refusal(garbage, folder)


@given(text=st.text(max_size=60), length=st.integers(0, 2**64 - 1))
def test_a_header_that_is_no_header_is_refused(text: str, length: int, folder: Path) -> None:
    assert refusal(length.to_bytes(8, "little") + text.encode(), folder)
    assert refusal(len(text.encode()).to_bytes(8, "little") + text.encode(), folder)


LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
ANY_JSON = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path to every value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, below in inner for place in places(below, (*path, key)))]


@given(data=st.data())
def test_any_other_value_anywhere_in_the_description_is_refused(data: st.DataObject, folder: Path) -> None:
    assert refusal(rewritten(changed_anywhere(data)), folder)


@given(data=st.data())
def test_a_forged_description_is_refused_or_a_valid_model(data: st.DataObject, folder: Path) -> None:
    path = folder / "model.isotone"
    path.write_bytes(rewritten(changed_anywhere(data), forged=True))
    try:
        model = isotone.load(path)
    except FileError:
        return
    rows = pd.DataFrame([["low", 0.5, "a", 1.0]], columns=list(model.encoder.names))
    try:
        probability = model.predict_proba(rows)
    except (ValueError, TypeError):
        # a valid model, of other columns than these rows have
        return
    assert probability.shape == (1, 3)
    assert probability.sum() == 1.0


HUGE = 10**18
EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a sign turned round": lambda d: d["architecture"]["columns"][0].update(direction=-1),
    "a sign removed": lambda d: d["architecture"]["columns"][0].update(direction=0),
    "a sign of another kind": lambda d: d["architecture"]["columns"][1].update(direction=1.0),
    "a huge count of members": lambda d: d["architecture"].update(members=HUGE),
    "a huge layer": lambda d: d["architecture"].update(hidden=[HUGE, HUGE]),
    "a huge category": lambda d: d["architecture"]["columns"][2].update(size=HUGE),
    "a number too long to read": lambda d: d["architecture"].update(members=10**4000),
    "a negative count": lambda d: d["architecture"].update(members=-1),
    "wider labels": lambda d: d["classes"].update(dtype="<U1000000000"),
    "labels of any type": lambda d: d["classes"].update(dtype="O8"),
    "knots out of order": lambda d: d["architecture"]["columns"][0].update(knots=[1.0, 0.0, 2.0]),
    "knots that are text": lambda d: d["architecture"]["columns"][0].update(knots=["0", "1", "2"]),
    "an activation that decreases": lambda d: d["architecture"]["activation"].update(name="gelu"),
    "an activation that is code": lambda d: d["architecture"]["activation"].update(name="__import__('os')"),
    "another version": lambda d: d.update(version=2),
    "one word more": lambda d: d.update(extra=1),
    "one column less": lambda d: d["fields"].pop(),
    "another name": lambda d: d["fields"][0].update(name="rank"),
    "a deep setting": lambda d: d["settings"].update(deep=json.loads("[" * 900 + "]" * 900)),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_by_hand_is_refused_and_allocates_little(edit: str, tmp_path: Path) -> None:
    altered = rewritten(EDITS[edit])
    tracemalloc.start()
    try:
        said = refusal(altered, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**24
    assert "another version" not in edit or "format 2, and this isotone reads format 1" in said


def test_the_edits_are_refused_for_what_they_change(tmp_path: Path) -> None:
    assert loaded(rewritten(lambda description: None), tmp_path).encoder == example().encoder


@pytest.mark.parametrize(
    ("name", "change"),
    [("shape", lambda a: a.reshape(-1)), ("infinity", lambda a: a * np.inf), ("number", lambda a: a + np.nan)],
)
def test_arrays_that_do_not_fit_are_refused(name: str, change: Callable[[Any], Any], tmp_path: Path) -> None:
    arrays = dict(example().parameters)
    arrays["trunk.0.weight"] = change(np.ones_like(arrays["trunk.0.weight"]))
    assert refusal(packed(metadata(), arrays), tmp_path), name


def test_weights_whose_sums_could_overflow_are_refused(tmp_path: Path) -> None:
    arrays = {name: np.full_like(array, 3e38) for name, array in example().parameters.items()}
    content = encoded(example(parameters=Parameters(arrays)))
    assert "too large for exact arithmetic" in refusal(content, tmp_path)


def test_arrays_of_other_names_are_refused(tmp_path: Path) -> None:
    arrays = {f"other.{name}": array for name, array in example().parameters.items()}
    assert "its arrays are not those of its network" in refusal(packed(metadata(), arrays), tmp_path)


def test_a_deeply_nested_header_is_refused(tmp_path: Path) -> None:
    text = b"[" * 200_000
    assert refusal(len(text).to_bytes(8, "little") + text, tmp_path)


def test_a_file_of_zeros_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "model.isotone"
    with path.open("wb") as file:
        file.write((2**40).to_bytes(8, "little"))
        file.truncate(2**33)
    tracemalloc.start()
    with pytest.raises(FileError, match="should have 1099511627776 bytes"):
        isotone.load(path)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_an_unknown_estimator_is_named() -> None:
    with pytest.raises(ValueError, match=r"no estimator is called 'os\.system'; there are"):
        example(origin=Origin("os.system")).to_estimator()


def test_loading_needs_numpy_only(tmp_path: Path) -> None:
    isotone.save(example(), tmp_path / "model.isotone")
    code = "import sys, isotone; isotone.load(sys.argv[1]); print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model.isotone"], capture_output=True, text=True, check=True
    )
    heavy = {"sklearn", "scipy", "pandas", "polars", "pyarrow", "narwhals", "torch", "joblib", "safetensors"}
    assert heavy & set(done.stdout.split()) == set()
