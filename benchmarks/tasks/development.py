"""The sixteen tables on which defaults are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.peers.interface import Kind
from benchmarks.tasks.task import Task


def _up(*names: str) -> dict[str, int]:
    return dict.fromkeys(names, 1)


def _down(*names: str) -> dict[str, int]:
    return dict.fromkeys(names, -1)


def _regression(name: str, signs: dict[str, int], terms: str, **ordered: Sequence[str]) -> Task:
    return Task(name, signs, Kind.REGRESSION, "rmse", terms, ordered=ordered)


def _binary(name: str, signs: dict[str, int], terms: str) -> Task:
    return Task(name, signs, Kind.BINARY, "log_loss", terms)


def _ordinal(name: str, signs: dict[str, int], terms: str) -> Task:
    return Task(name, signs, Kind.ORDINAL, "rmse", terms)


CONCRETE = _regression(
    "concrete", _up("cement", "slag", "superplasticizer", "age") | _down("water"), "UCI 165, CC BY 4.0"
)
CCPP = _regression("ccpp", _down("AT", "V") | _up("AP"), "UCI 294, CC BY 4.0")
WINE_QUALITY = _regression("wine_quality", _up("alcohol") | _down("volatile acidity"), "UCI 186, CC BY 4.0")
CPU_PERFORMANCE = _regression(
    "cpu_performance", _up("MMIN", "MMAX", "CACH", "CHMIN", "CHMAX") | _down("MYCT"), "UCI 29, CC BY 4.0"
)
CALIFORNIA_HOUSING = _regression("california_housing", _up("MedInc") | _down("AveOccup"), "StatLib, public")
MEDICAL_COST = _regression("medical_cost", _up("age", "bmi", "children", "smoker"), "Lantz, ODbL")
CARSEATS = _regression(
    "carseats",
    _up("CompPrice", "Advertising", "Income", "ShelveLoc") | _down("Price"),
    "ISLP, GPL-2; simulated",
    ShelveLoc=("Bad", "Medium", "Good"),
)

PIMA = _binary("pima", _up("Plas", "Mass", "Pedi", "Age"), "NIDDK, CC0")
MAMMOGRAPHIC = _binary("mammographic", _up("BI-RADS", "Age", "Shape", "Margin"), "UCI 161, CC BY 4.0")
WISCONSIN = _binary(
    "wisconsin",
    _up(
        "ClumpThickness",
        "CellSize",
        "CellShape",
        "MarginalAdhesion",
        "EpithelialSize",
        "BareNuclei",
        "BlandChromatin",
        "NormalNucleoli",
        "Mitoses",
    ),
    "UCI 15, CC BY 4.0",
)
ADMISSIONS = _binary(
    "admissions",
    _up(
        "physics",
        "biology",
        "history",
        "language",
        "geography",
        "literature",
        "essay",
        "math",
        "chemistry",
    ),
    "UFRGS entrance exam, public research data",
)
DEFAULT = _binary("default", _up("balance"), "ISLP, GPL-2; simulated")
OJ = _binary("oj", _up("PriceMM", "DiscCH", "LoyalCH") | _down("PriceCH", "DiscMM"), "ISLP, GPL-2")
GERMAN = _binary("german", _up("month", "credit-amount"), "UCI 144, CC BY 4.0")

SWD = _ordinal("swd", _up("In1", "In2", "In3", "In5", "In7", "In9", "In10"), "Weka/Ben-David, public on OpenML")
NURSERY = _ordinal(
    "nursery",
    _up("Parents", "Has_nurs", "Form", "Children", "Housing", "Finance", "Social", "Health"),
    "UCI 76, CC BY 4.0",
)

DEVELOPMENT = (
    SWD,
    CONCRETE,
    CCPP,
    PIMA,
    MAMMOGRAPHIC,
    WINE_QUALITY,
    CPU_PERFORMANCE,
    CALIFORNIA_HOUSING,
    MEDICAL_COST,
    WISCONSIN,
    ADMISSIONS,
    DEFAULT,
    CARSEATS,
    OJ,
    NURSERY,
    GERMAN,
)
