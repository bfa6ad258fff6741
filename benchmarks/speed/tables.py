"""Renders what was timed: ``python -m benchmarks.speed.tables`` writes a table beside each file of results/speed.

``docs/speed.md`` shows these tables. What has not been measured says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.report import markdown
from benchmarks.speed import limits
from benchmarks.speed.sixteen import PROMISED

FOLDER = results.FOLDER / "speed"
ABSENT = "Not measured yet: `make -C benchmarks speed`."

Found = Mapping[str, Any]


def training(found: Found) -> str:
    """Render a step of the engine against PyTorch's, and two threads against one."""
    steps = [
        [one["network"], f"{one['parameters']}", f"{one['batch']}", f"{one['members']}", f"{one['torch_us']}",
         f"{one['engine_us']}", f"{one['ratio']}", _promise(one["promised"]), f"{one['share_of_peak']:.0%}"]
        for one in found["steps"]
    ]  # fmt: skip
    threads = [
        [one["network"], f"{one['one_us']}", f"{one['two_us']}", f"{one['ratio']}", _promise(one["promised"])]
        for one in found["threads"]
    ]
    header = ("network", "parameters", "batch", "members", "PyTorch, us", "engine, us", "ratio", "promised", "of peak")
    parts = [markdown(header, steps)]
    if threads:
        parts.append(markdown(("16 members", "one thread, us", "two, us", "ratio", "promised"), threads))
    return _parts(*parts, *limits.training(found), _about_peak(found))


def _about_peak(found: Found) -> str:
    peak = found["machine"]["peak"]
    shares = [
        f"Width 64, batch 256: {one['share_of_peak']:.0%} of the peak, promised {found['promised_share']:.0%}. "
        for one in found["steps"]
        if one["network"] == "wide"
    ]
    return (
        f"{''.join(shares)}Measured peak of one thread: {peak['peak'] / 1e9:.0f} billion operations a second; "
        f"clock x lanes x 4 is {peak['clock_lanes_4'] / 1e9:.0f} billion. {_where(found)}"
    )


def prediction(found: Found) -> str:
    """Render many rows against trees, and one row by all who give one."""
    trees = [
        [one["network"], f"{one['trees_ms']}", f"{one['engine_ms']}", f"{one['ratio']}", _promise(one["promised"])]
        for one in found["trees"]
    ]
    rows = f"{found['trees'][0]['rows']:,} rows, two threads"
    wide, one_row = found["wide"], found["one_row"]
    calls = [[name, f"{micros}"] for name, micros in one_row["us"].items()]
    peak = (
        f"Width 64, {wide['rows']} rows a call: {wide['share_of_peak']:.0%} of the peak, "
        f"promised {wide['promised']:.0%}. One row of {one_row['parameters']} parameters, promised: "
        f"{one_row['promised_us']:g} us. {_where(found)}"
    )
    return _parts(
        markdown((rows, "200 trees of XGBoost, ms", "engine, ms", "ratio", "promised"), trees),
        markdown(("one row", "us"), calls),
        *limits.prediction(found),
        peak,
    )


def estimators(found: Found) -> str:
    """Render fits and predictions of the estimators with their defaults."""
    names = {"fit_s": "fit, s", "extra_mb": "memory beyond an array, MB",
             "frame_mb": "memory beyond a frame, MB", "predict_s": "predict all, s",
             "row_us": "one row, us", "row_by_predictor_us": "one row by a loaded file, us",
             "cold_s": "first answer of a new process, s"}  # fmt: skip
    header = ["", *(f"{one['rows']:,} x {one['columns']}" for one in found["records"]), "promised at most"]
    lines = [
        [name, *(f"{one[key]:g}" for one in found["records"]), f"{found['promised'][key]:g}"]
        for key, name in names.items()
    ]
    return _parts(markdown(header, lines), f"The promises are for the larger table. {_where(found)}")


def peers(found: Found) -> str:
    """Render everyone's fits and predictions on the same rows, fastest fit first."""
    ordered = sorted(found["records"], key=lambda one: one["fit_s"]["median"])
    lines = [
        [one["peer"], *_times(one["fit_s"]), *_times(one["predict_1000_ms"]), f"{one['error']:.3f}"] for one in ordered
    ]
    header = ("peer", "fit, s", "spread", "times ours", "spread", "predict 1000 rows, ms", "spread", "times ours",
              "spread", "error")  # fmt: skip
    return _parts(markdown(header, lines), _about_peers(found, ordered))


def _about_peers(found: Found, records: Sequence[Found]) -> str:
    most = max(one["predicted_rows"] for one in records)
    few = [f"{one['peer']}: {one['predicted_rows']}" for one in records if one["predicted_rows"] < most]
    learnt = (
        f"{found['rows']:,} rows of {found['columns']} columns, {found['turns']} turns, one thread, processor time;"
    )
    predicted = f"predictions of {most:,} rows a call{''.join(f' ({one})' for one in few)}."
    failed = [f"{name} failed: {reason}" for name, reason in found["failed"].items()]
    return " ".join([learnt, predicted, *failed, _where(found)])


def sixteen(found: Found) -> str:
    """Render a fit of each development table by the library and by trees."""
    names = list(found["sums"])
    lines = [[one["table"], *(f"{one['fit_s'][name]:.3g}" for name in names)] for one in found["records"]]
    sums = ["**all tables**", *(f"{total:.3g}" for total in found["sums"].values())]
    share = found["sums"]["isotone"] / found["sums"][PROMISED]
    return _parts(
        markdown(("processor seconds of a fit", *names), [*lines, sums]),
        f"{share:.2f} of {PROMISED}'s time, promised: at most 1. {found['turns']} turns. {_where(found)}",
    )


def growth(found: Found) -> str:
    """Render the fitted exponents of the engine, and of whole fits."""
    header = ("", "grows", "from", "to", "time, ms", "to", "exponent", "at the end", "spread")
    base = found["base"]
    fixed = f"{base['rows']:,} rows of {base['columns']} columns, {base['depth']} layers {base['width']} wide"
    return _parts(
        markdown(("engine", *header[1:]), map(_grown, found["engine"])),
        markdown(("a whole fit", *header[1:]), map(_grown, found["fits"])),
        f"Whatever does not grow is as in {fixed} for the engine, and as in {found['fitted_rows']:,} rows of "
        f"{found['fitted_columns']} columns for a whole fit. {_where(found)}",
    )


TABLES: Mapping[str, Callable[[Found], str]] = {
    "training": training,
    "prediction": prediction,
    "estimators": estimators,
    "peers": peers,
    "growth": growth,
    "sixteen": sixteen,
}


def rendered(name: str, folder: Path = FOLDER) -> str:
    """Return the table of one file of results, or that there is none."""
    path = folder / f"{name}.json"
    return (TABLES[name](json.loads(path.read_text())) if path.is_file() else ABSENT) + "\n"


def _grown(line: Found) -> list[str]:
    sizes, times = line["sizes"], [micros / 1e3 for micros in line["us"]]
    return [line["what"], line["grows"], f"{sizes[0]:,}", f"{sizes[-1]:,}", f"{times[0]:.3g}", f"{times[-1]:.3g}",
            f"{line['exponent']:.2f}", f"{line['at_the_end']:.2f}", f"{line['spread']:.0%}"]  # fmt: skip


def _times(one: Mapping[str, float]) -> list[str]:
    return [f"{one['median']:g}", f"{one['spread']:.0%}", f"{one['ratio']:g}", f"{one['ratio_spread']:.0%}"]


def _promise(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _where(found: Found) -> str:
    about = found["machine"]
    note = f", {found['note']}" if found["note"] else ""
    return f"({about['cpus']} cores, {about['level']}, load {about['load']} at the end{note}.)"


def _parts(*parts: str) -> str:
    return "\n\n".join(parts)


def main() -> None:
    """Write a table beside each file of results."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        (FOLDER / f"{name}.md").write_text(rendered(name))


if __name__ == "__main__":
    main()
