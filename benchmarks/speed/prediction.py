"""Times the engine's prediction: its share of the peak, against XGBoost on many rows, and of one row.

``python -m benchmarks.speed.prediction --output benchmarks/results/speed/prediction.json``. Runs only if the tests of
the engine are green. What is compared runs in one process, in turns; medians are kept. Many rows are a fresh array at
each turn; XGBoost reads them by ``inplace_predict``, which copies nothing. One row is a NumPy array of shape (1, d),
and every rival is called as its users call it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xgboost

from benchmarks.speed import limits, onnx_graph
from benchmarks.speed.green import check_green
from benchmarks.speed.peak import peak
from benchmarks.speed.training import SHAPES, Shape
from benchmarks.speed.turns import Run, in_turns, machine, medians, repeat, write
from isotone import engine
from isotone.architecture import Architecture

ROWS, COLUMNS = 400_000, 28
# the networks that are put beside 200 trees: the one that the promise names, and the paper's for a table of 28 columns
AGAINST_TREES = {"1873 parameters": ("heart", 13), "2113 parameters": ("loan", COLUMNS)}
PROMISED = {"share of peak": 0.60, "against trees": 12.0, "one row": 6.0}


def share_of_peak(shape: Shape, options: argparse.Namespace) -> dict[str, object]:
    """Return which part of the measured peak prediction reaches at 256 rows a call."""
    architecture = shape.architecture(1)
    ready = engine.Compiled(architecture, architecture.initial(0))
    batch = np.random.default_rng(0).normal(size=(shape.batch, len(architecture.columns))).astype(np.float32)
    runs: dict[str, Run] = {"step": repeat(lambda: ready.predict(batch, 1))}
    micros = medians(in_turns(runs, options.turns, options.seconds, time.process_time))["step"]
    operations = multiply_adds(architecture) * shape.batch
    at_peak = operations / (options.peak["peak"] / 2) * 1e6
    return {"rows": shape.batch, "multiply_adds": operations, "us": micros, "us_at_peak": round(at_peak, 2),
            "share_of_peak": round(at_peak / micros, 3), "promised": PROMISED["share of peak"]}  # fmt: skip


def forest(columns: int, threads: int) -> xgboost.XGBRegressor:
    """Return 200 trees of depth 4, grown on noise and a trend, that predict on as many threads."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20_000, columns)).astype(np.float32)
    y = x[:, :5].sum(axis=1) + rng.normal(size=len(x))
    return xgboost.XGBRegressor(n_estimators=200, max_depth=4, n_jobs=threads).fit(x, y)


def against_trees(options: argparse.Namespace) -> list[dict[str, object]]:
    """Return the milliseconds of many rows by trees and by networks, two threads each."""
    booster = forest(COLUMNS, 2).get_booster()
    rows = np.random.default_rng(2).normal(size=(ROWS, COLUMNS)).astype(np.float32)
    found = []
    for label, (name, columns) in AGAINST_TREES.items():
        architecture = SHAPES[name].architecture(1)
        ready = engine.Compiled(architecture, architecture.initial(0))
        calls = {"trees": booster.inplace_predict, "engine": lambda x, ready=ready: ready.predict(x, 2)}
        micros = fresh(calls, {"trees": rows, "engine": rows[:, :columns]}, options.turns)
        times = {f"{name}_ms": round(time / 1e3, 2) for name, time in micros.items()}
        ratio = round(micros["trees"] / micros["engine"], 1)
        found.append({"network": label, "columns": columns, "rows": ROWS, **times, "ratio": ratio,
                      "promised": PROMISED["against trees"],
                      **ceilings(multiply_adds(architecture) * ROWS, 4 * columns * ROWS, options.peak)})  # fmt: skip
    return found


def multiply_adds(architecture: Architecture) -> int:
    """Return how many a row takes: one for each weight."""
    return sum(int(np.prod(shape)) for name, shape in architecture.shapes.items() if "weight" in name)


def ceilings(operations: int, size: int, found: dict[str, float]) -> dict[str, float]:
    """Return what so many multiply-adds and bytes take at least, on two threads and on one."""
    at_peak = operations / (found["peak"] / 2 * found["gain_of_two_threads"])
    return {"multiply_adds": operations, "ms_at_peak": round(at_peak * 1e3, 2),
            "bytes": size, "ms_at_bandwidth": round(size / found["bandwidth"] * 1e3, 2)}  # fmt: skip


def fresh(
    calls: dict[str, Callable[[np.ndarray], object]], rows: dict[str, np.ndarray], turns: int
) -> dict[str, float]:
    """Return the median microseconds of each call on an array that it has not seen; the first turn warms up."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns + 1):
        for name, call in calls.items():
            x = np.array(rows[name], order="C")
            begin = time.perf_counter()
            call(x)
            taken[name].append((time.perf_counter() - begin) * 1e6)
    return medians({name: found[1:] for name, found in taken.items()})


def one_row(options: argparse.Namespace) -> dict[str, object]:
    """Return the microseconds of one row: by the engine, by trees as they are called and at their fastest, by ONNX."""
    shape = SHAPES["heart"]
    architecture = shape.architecture(1)
    parameters, x = architecture.initial(0), np.random.default_rng(3).normal(size=(1, 13))
    trees, narrow = forest(13, 1), x.astype(np.float32)
    booster, session = trees.get_booster(), onnx_graph.session(shape, parameters)
    apart = abs(float(session.run(None, {"x": narrow})[0][0, 0] - engine.predict(architecture, parameters, x)[0, 0]))
    if apart > 1e-4:
        raise ValueError(f"the network in ONNX is {apart} apart from the engine's, so their times do not compare.")
    ready = engine.Compiled(architecture, parameters)
    runs = {
        "engine.predict": repeat(lambda: engine.predict(architecture, parameters, x, 1)),
        "engine.Compiled.predict": repeat(lambda: ready.predict(x, 1)),
        "XGBRegressor.predict": repeat(lambda: trees.predict(narrow)),
        "Booster.inplace_predict": repeat(lambda: booster.inplace_predict(narrow)),
        "ONNX Runtime": repeat(lambda: session.run(None, {"x": narrow})),
    }
    micros = medians(in_turns(runs, options.turns, options.seconds))
    at_peak = multiply_adds(architecture) / options.peak["instructions"] * 1e6
    return {"parameters": shape.parameters, "us": micros, "us_at_peak": round(at_peak, 2),
            "promised_us": PROMISED["one row"]}  # fmt: skip


def read_options() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.2, help="length of a turn")
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


def main() -> None:
    """Run the tests, measure, print, and write the records."""
    options = read_options()
    check_green()
    options.peak = peak()
    wide, trees, one = share_of_peak(SHAPES["wide"], options), against_trees(options), one_row(options)
    print(f"width 64, batch 256: {wide['share_of_peak']:.0%} of the measured peak, promised {wide['promised']:.0%}")
    for record in trees:
        print(f"{record['network']}, {ROWS} rows: {record['ratio']}x the speed of 200 trees, promised 12x; {record}")
    print(f"one row: {one}")
    found = {"machine": machine() | {"peak": options.peak}, "note": options.note, "wide": wide, "trees": trees,
             "one_row": one}  # fmt: skip
    print(*limits.prediction(found), sep="\n")
    write(options.output, found)


if __name__ == "__main__":
    main()
