import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import tasks
from benchmarks.peers.interface import Kind
from benchmarks.tasks import packages, storage, upstream
from benchmarks.tasks.fingerprint import check_fingerprint, committed

# protocol of the paper: rows of train and test, columns, share of the more frequent class in test
SHAPES = {
    "auto": (314, 78, 7),
    "heart": (242, 61, 13),
    "compas": (4937, 1235, 13),
    "blog": (47302, 6968, 276),
    "blog_as_published": (47302, 6968, 276),
    "loan0711": (8515, 2129, 28),
}
AT_HAND = [name for name in tasks.TASKS if name != "loan"]


@pytest.mark.data
@pytest.mark.parametrize("name", AT_HAND)
def test_a_table_has_its_signed_columns_and_its_target(tables, name):
    task = tables[name]
    train, test = task.load()
    assert list(train) == list(test)
    assert set(task.signs) < set(train)
    assert not train.isna().any().any()
    if task.kind is Kind.BINARY:
        assert set(train[task.target]) == set(test[task.target]) == {0, 1}


@pytest.mark.data
@pytest.mark.parametrize("name", SHAPES)
def test_a_table_of_the_paper_has_the_papers_shape(tables, name):
    train, test = tables[name].load()
    assert (len(train), len(test), train.shape[1] - 1) == SHAPES[name]


@pytest.mark.data
def test_the_majority_class_scores_48_of_61_on_heart(tables):
    assert (tables["heart"].test()["ground_truth"] == 0).sum() == 48


@pytest.mark.data
def test_both_blogs_read_one_table_and_sign_other_columns(tables):
    true, published = tables["blog"], tables["blog_as_published"]
    assert set(true.signs).isdisjoint(published.signs)
    pd.testing.assert_frame_equal(true.test(), published.test())


@pytest.mark.data
def test_ordered_levels_are_read_in_their_order(tables):
    shelves = tables["carseats"].train()["ShelveLoc"]
    assert list(shelves.cat.categories) == ["Bad", "Medium", "Good"]
    assert shelves.cat.ordered
    assert not shelves.isna().any()


def _development_folder() -> Path:
    root = Path(os.environ["ISOTONE_DATA"])
    return next(folder for folder in (root / "dev", root.parent / "dev") if folder.is_dir())


@pytest.mark.data
def test_signs_are_those_that_came_with_the_development_tables(tables):
    described = json.loads((_development_folder() / "meta.json").read_text())
    mine = {task.name: dict(task.signs) for task in tasks.GROUPS["development"]}
    # the note of carseats allows this sign and its table of signs omits it
    described["carseats"]["monotone"]["ShelveLoc"] = 1
    assert mine == {name: entry["monotone"] for name, entry in described.items()}


@pytest.mark.data
@pytest.mark.parametrize(("name", "file"), [("compas", "compas_scores_two_years.csv"), ("blog", "BlogFeedback.zip")])
def test_a_build_from_upstream_has_the_published_content(tables, name, file):
    builder, _ = upstream.BUILDERS[name]
    built = builder(_development_folder().parent / "raw" / file)
    for part, table in zip(("train", "test"), built, strict=True):
        check_fingerprint(f"{part}_{name}", table)
        pd.testing.assert_frame_equal(table, storage.read(f"{part}_{name}"), check_dtype=False, rtol=1e-12)


@pytest.mark.peers
@pytest.mark.parametrize("name", ["carseats", "oj", "default"])
def test_a_development_table_built_from_its_package_has_its_content(name, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "packages"
    for part, table in zip(("train", "test"), packages.build(name, folder), strict=True):
        check_fingerprint(f"{part}_{name}", table)


@pytest.mark.peers
def test_a_table_is_built_into_the_cache_once(monkeypatch, tmp_path):
    monkeypatch.delenv("ISOTONE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    train = tasks.TASKS["carseats"].train()
    monkeypatch.setattr(packages, "build", lambda *arguments: pytest.fail("built twice"))
    assert len(train) + len(tasks.TASKS["carseats"].test()) == 400


def test_every_development_table_but_one_has_a_builder():
    assert {task.name for task in tasks.GROUPS["development"]} - set(packages.BUILDERS) == {"swd"}


def test_another_seed_parts_a_table_differently(monkeypatch):
    rows = pd.DataFrame({"row": range(100)})
    train, test = packages.part(rows)
    assert (len(train), len(test)) == (80, 20)
    assert sorted([*train["row"], *test["row"]]) == list(range(100))
    monkeypatch.setattr(packages, "SEED", 1)
    assert list(packages.part(rows)[1]["row"]) != list(test["row"])


@pytest.mark.data
def test_a_compas_shuffled_by_another_seed_is_refused(tables, monkeypatch):
    monkeypatch.setattr(upstream, "COMPAS_SEED", 1)
    train, _ = upstream.build_compas(_development_folder().parent / "raw" / "compas_scores_two_years.csv")
    with pytest.raises(ValueError, match="other content"):
        check_fingerprint("train_compas", train)


@pytest.mark.data
def test_training_rows_are_read_where_no_test_file_exists(tables, monkeypatch, tmp_path):
    shutil.copy(storage.find("train_heart"), tmp_path)
    monkeypatch.setenv("ISOTONE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(storage, "PUBLISHED", frozenset())
    assert len(tables["heart"].train()) == 242
    with pytest.raises(FileNotFoundError, match=r"test_heart\.csv is in neither"):
        tables["heart"].test()


@pytest.mark.data
def test_a_sign_for_a_missing_column_names_both(tables):
    with pytest.raises(ValueError, match=r"'heart' signs the columns \['weight'\]; its table has \['age'"):
        replace(tables["heart"], signs={"weight": 1}).train()


def test_tasks_are_found_by_name_and_by_group():
    assert [task.name for task in tasks.find("heart,auto")] == ["heart", "auto"]
    assert len(tasks.find("development")) == 16
    with pytest.raises(ValueError, match=r"no tasks \['hart'\]"):
        tasks.find("hart")


def test_every_table_but_loan_has_a_committed_fingerprint():
    stems = {f"{part}_{task.file or task.name}" for task in tasks.TASKS.values() for part in ("train", "test")}
    # loan cannot be had offline; its first download fixes nothing, so its content is not vouched for
    assert stems - set(committed()) == {"train_loan", "test_loan"}


@pytest.mark.parametrize("name", ["auto", "compas", "blog"])
def test_offline_the_error_names_the_table_and_what_to_set(name, monkeypatch, tmp_path):
    monkeypatch.delenv("ISOTONE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    nowhere = "http://127.0.0.1:1"
    monkeypatch.setattr(storage, "RECORD", nowhere)
    builders = {known: (build, f"{nowhere}/file.zip") for known, (build, _) in upstream.BUILDERS.items()}
    monkeypatch.setattr(upstream, "BUILDERS", builders)
    with pytest.raises(ConnectionError, match=rf"set ISOTONE_DATA to a folder that has train_{name}\.csv"):
        storage.find(f"train_{name}")
    assert not list(tmp_path.rglob("*.csv"))


def test_a_file_with_other_content_is_named(monkeypatch, tmp_path):
    (tmp_path / "train_heart.csv").write_text("age,ground_truth\n1,0\n")
    monkeypatch.setenv("ISOTONE_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"train_heart\.csv cannot be used: train_heart\.csv has other content"):
        storage.read("train_heart")


def test_a_folder_of_data_that_does_not_exist_is_named(monkeypatch, tmp_path):
    # not a reason to download in silence what the caller has elsewhere
    monkeypatch.setenv("ISOTONE_DATA", str(tmp_path / "dta"))
    with pytest.raises(NotADirectoryError, match=r"ISOTONE_DATA names .*dta, which is no folder.*train_heart\.csv"):
        storage.find("train_heart")


def test_the_folder_of_data_comes_before_the_cache_and_the_cache_before_the_record(monkeypatch, tmp_path):
    given, cache = tmp_path / "given", tmp_path / "cache" / "isotone-benchmarks"
    monkeypatch.setenv("ISOTONE_DATA", str(given))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    monkeypatch.setattr(storage, "_download", lambda stem: Path("from the record"))
    given.mkdir()
    found = [storage.find("train_heart")]
    for folder in (cache, given):
        folder.mkdir(exist_ok=True, parents=True)
        (folder / "train_heart.csv").touch()
        found.append(storage.find("train_heart"))
    assert found == [Path("from the record"), cache / "train_heart.csv", given / "train_heart.csv"]


@pytest.mark.parametrize(
    ("content", "why"), [("<html>\n<p>\nsign, in, please", "Error tokenizing"), ("age\n1\n", "other content")]
)
def test_a_download_of_something_else_is_not_kept(content, why, monkeypatch, tmp_path):
    monkeypatch.delenv("ISOTONE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fetched(address, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    monkeypatch.setattr(storage, "fetch", fetched)
    with pytest.raises(ValueError, match=rf"train_heart\.csv\?download=1 gave something else .* {why}"):
        storage.read("train_heart")
    assert not list(tmp_path.rglob("*.csv"))


@pytest.mark.parametrize("layout", [".", "table1", "dev/heart", "../dev/heart"])
def test_a_folder_of_data_may_have_any_of_its_layouts(layout, monkeypatch, tmp_path):
    given = tmp_path / "data" / "table1"
    folder = (given / layout).resolve()
    folder.mkdir(parents=True)
    given.mkdir(parents=True, exist_ok=True)
    (folder / "train_heart.csv.gz").touch()
    monkeypatch.setenv("ISOTONE_DATA", str(given))
    assert storage.find("train_heart").resolve() == folder / "train_heart.csv.gz"
