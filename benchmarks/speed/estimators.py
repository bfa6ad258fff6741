"""Times and weighs the estimators with their defaults: ``python -m benchmarks.speed.estimators``.

A fit of many rows, its memory beyond an array and beyond a frame, the prediction of as many, and of one row by the
estimator and by the ``Predictor`` of its file, warm and in a process that begins with it. Runs only if the tests of the
engine are green. Every part runs in a process of its own, so that the memory of one is not that of another; Linux only.
Writes ``benchmarks/results/speed/estimators.json`` with ``--output``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed.green import check_green
from benchmarks.speed.turns import in_turns, machine, medians, repeat, write
from isotone import MonotoneRegressor, load, save

SIZES = ((8_000, 10), (400_000, 28))
PROMISED = {
    "fit_s": 30.0, "predict_s": 2.0, "extra_mb": 200.0, "frame_mb": 200.0, "row_us": 150.0, "row_by_predictor_us": 20.0,
    "cold_s": 0.4,
}  # fmt: skip
# from before NumPy is imported to the first prediction
COLD = """
import time
begin = time.perf_counter()
import sys, numpy as np, isotone
isotone.load(sys.argv[1]).predict(np.zeros((1, int(sys.argv[2]))))
print(time.perf_counter() - begin)
"""


def table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose first three columns push the target up, and noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, columns))
    return x, np.tanh(x[:, :3]).sum(axis=1) + x[:, 4] * x[:, 5] + rng.normal(size=rows)


def memory() -> float:
    """Return the largest memory that the process has had since its peak was forgotten, in MB."""
    # not getrusage: there a process begins with the peak of the one that started it
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def forget_peak() -> None:
    """Let the peak begin at what the process has now: making the data took more than they hold."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def one_row(model: MonotoneRegressor, x: np.ndarray) -> dict[str, float]:
    """Return the time of one row: by the estimator, by the predictor of its file, and by one in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.isotone"
        save(model, path)
        predictor, cold = load(path), statistics.median(cold_start(path, x.shape[1]) for _ in range(5))
    if predictor.predict(x[:9]).tobytes() != model.predict(x[:9]).tobytes():
        raise ValueError("the predictor's answers are not the estimator's, so their times do not compare.")
    row = x[:1]
    runs = {"row_us": repeat(lambda: model.predict(row)), "row_by_predictor_us": repeat(lambda: predictor.predict(row))}
    return {**medians(in_turns(runs, 9, 0.1), 1), "cold_s": round(cold, 3)}


def cold_start(path: Path, columns: int) -> float:
    """Return the seconds from the first import of a new process to its first prediction."""
    command = [sys.executable, "-c", COLD, str(path), str(columns)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def begun(columns: int) -> MonotoneRegressor:
    """Return an estimator that was fitted once: what a first fit loads is no part of the next."""
    small, _ = table(200, columns)
    return MonotoneRegressor(monotonic_cst=[1, 1, 1] + [0] * (columns - 3)).fit(small, small[:, 0])


def weigh(model: MonotoneRegressor, x: np.ndarray | pd.DataFrame, y: np.ndarray) -> tuple[float, float]:
    """Return the seconds of a fit and the MB that it took."""
    forget_peak()
    before, begin = memory(), time.perf_counter()
    model.fit(x, y)
    return time.perf_counter() - begin, memory() - before


def measure(rows: int, columns: int) -> dict[str, object]:
    """Return the times and the memory of a fit and of what follows it."""
    x, y = table(rows, columns)
    model = begun(columns)
    fit, extra = weigh(model, x, y)
    taken = medians(in_turns({"predict_s": repeat(lambda: model.predict(np.array(x)))}, 3, 0.0), 0)["predict_s"] / 1e6
    return {"rows": rows, "columns": columns, "fit_s": round(fit, 2), "data_mb": round(x.nbytes / 2**20, 1),
            "extra_mb": round(extra, 1), "predict_s": round(taken, 4), **one_row(model, x)}  # fmt: skip


def measure_frame(rows: int, columns: int) -> dict[str, object]:
    """Return the memory of a fit from a frame whose columns stand apart."""
    x, y = table(rows, columns)
    model, frame = begun(columns), pd.DataFrame({f"x{i}": column.copy() for i, column in enumerate(x.T)})
    del x
    return {"frame_mb": round(weigh(model, frame, y)[1], 1)}


PARTS = {"array": measure, "frame": measure_frame}


def in_own_process(part: str, rows: int, columns: int) -> dict[str, object]:
    """Return what a process of its own measures."""
    command = [sys.executable, "-m", "benchmarks.speed.estimators", "--only", f"{part},{rows},{columns}"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, object] = json.loads(printed.splitlines()[-1])
    return found


def read_options() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="part,rows,columns: measure in this process and print JSON")
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


def main() -> None:
    """Run the tests, measure, print, and write the records."""
    options = read_options()
    if options.only:
        part, rows, columns = options.only.split(",")
        print(json.dumps(PARTS[part](int(rows), int(columns))))
        return
    check_green()
    records = [in_own_process("array", *size) | in_own_process("frame", *size) for size in SIZES]
    for record in records:
        print(record)
    print(f"promised for {SIZES[-1]}, at most: {PROMISED}")
    write(options.output, {"machine": machine(), "note": options.note, "promised": PROMISED, "records": records})


if __name__ == "__main__":
    main()
