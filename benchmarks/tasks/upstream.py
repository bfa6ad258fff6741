"""Tables of the paper built from the files they were made of: COMPAS from ProPublica's, Blog from UCI's."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.tasks.download import fetch

COMPAS_ADDRESS = "https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv"
BLOG_ADDRESS = "https://archive.ics.uci.edu/static/public/304/blogfeedback.zip"

# found by matching the published rows with the upstream ones: the seed that COMPAS was shuffled with
COMPAS_SEED = 78712
COMPAS_TRAIN_SHARE = 0.8
COUNTS = ("priors_count", "juv_fel_count", "juv_misd_count", "juv_other_count", "age")
RACES = ("African-American", "Hispanic", "Asian", "Caucasian", "Native American", "Other")
SEXES = ("Male", "Female")

# UCI 51-54 and 56-59, counted from 0: comments and links of the blog page, in total and around the post
BLOG_MONOTONE = (50, 51, 52, 53, 55, 56, 57, 58)
BLOG_LARGEST = 8  # comments at the 90th percentile of the training rows


def build_compas(upstream: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return train and test of COMPAS as published, from ``compas-scores-two-years.csv``."""
    rows = _as_propublica_cleans(pd.read_csv(upstream))
    rows = rows.iloc[np.random.RandomState(COMPAS_SEED).permutation(len(rows))]
    # NOTE[PAPER]: the published files scale by the extremes of train and test together
    counts = rows[list(COUNTS)].astype(float)
    scaled = (counts - counts.min()) / (counts.max() - counts.min())
    race, sex = _one_hot(rows["race"], RACES, "race"), _one_hot(rows["sex"], SEXES, "sex")
    table = pd.concat([scaled, race, sex], axis=1).assign(ground_truth=rows["two_year_recid"])
    cut = int(len(table) * COMPAS_TRAIN_SHARE)
    return table.iloc[:cut].reset_index(drop=True), table.iloc[cut:].reset_index(drop=True)


def build_blog(upstream: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return train and test of Blog as published, from ``BlogFeedback.zip``."""
    with zipfile.ZipFile(upstream) as archive:
        tests = sorted(name for name in archive.namelist() if name.startswith("blogData_test"))
        parts = [_few_comments(_rows(archive, names)) for names in (["blogData_train.csv"], tests)]
    both = np.concatenate(parts)[:, :-1]
    low, high = both.min(axis=0), both.max(axis=0)
    varying = np.flatnonzero(high > low)
    order = [*BLOG_MONOTONE, *(column for column in varying if column not in BLOG_MONOTONE)]
    # NOTE[PAPER]: the published files scale by the extremes of train and test together
    train, test = (_blog_table((part[:, :-1] - low)[:, order] / (high - low)[order], part[:, -1]) for part in parts)
    return train, test


BUILDERS = {"compas": (build_compas, COMPAS_ADDRESS), "blog": (build_blog, BLOG_ADDRESS)}


def build(name: str, folder: Path) -> Sequence[pd.DataFrame]:
    """Return train and test of a table, its upstream file downloaded into `folder`."""
    builder, address = BUILDERS[name]
    upstream = folder / Path(address).name
    return builder(upstream if upstream.exists() else fetch(address, upstream))


def _as_propublica_cleans(rows: pd.DataFrame) -> pd.DataFrame:
    charged_in_time = rows["days_b_screening_arrest"].between(-30, 30)
    known = (rows["is_recid"] != -1) & (rows["c_charge_degree"] != "O") & (rows["score_text"] != "N/A")
    return rows[charged_in_time & known]


def _one_hot(column: pd.Series, levels: Sequence[str], name: str) -> pd.DataFrame:
    return pd.DataFrame({f"{name}_{i}": (column == level).astype(float) for i, level in enumerate(levels)})


def _rows(archive: zipfile.ZipFile, names: Sequence[str]) -> NDArray[np.float64]:
    # NOTE[PAPER]: the files have no header, yet were read as if: the first row of each is lost
    return np.concatenate([pd.read_csv(archive.open(name)).to_numpy(dtype=float) for name in names])


def _few_comments(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    # NOTE[PAPER]: targets went through uint8, so 256 comments count as none and stay below the cut
    comments = rows[:, -1].astype(np.uint8)
    return np.column_stack([rows[:, :-1], comments])[comments <= BLOG_LARGEST]


def _blog_table(features: NDArray[np.float64], comments: NDArray[np.float64]) -> pd.DataFrame:
    table = pd.DataFrame(features, columns=[f"feature_{i}" for i in range(features.shape[1])])
    return table.assign(ground_truth=comments / BLOG_LARGEST)
