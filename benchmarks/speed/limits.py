"""Says what limits a promise that a measurement does not keep: operations and bytes at the measured ceilings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Found = Mapping[str, Any]


def training(found: Found) -> list[str]:
    """Return a sentence for each promise of a step that is not kept."""
    steps = [_step(one) for one in found["steps"] if one["promised"] is not None and one["ratio"] < one["promised"]]
    shares = [
        _share(one) for one in found["steps"]
        if one["network"] == "wide" and one["share_of_peak"] < found["promised_share"]
    ]  # fmt: skip
    threads = [_threads(one, found["machine"]["peak"]) for one in found["threads"] if one["ratio"] < one["promised"]]
    return steps + shares + threads


def prediction(found: Found) -> list[str]:
    """Return a sentence for each promise of a prediction that is not kept."""
    wide, row = found["wide"], found["one_row"]
    share = [_share(wide)] if wide["share_of_peak"] < wide["promised"] else []
    trees = [_rows(one) for one in found["trees"] if one["ratio"] < one["promised"]]
    one_row = [_one_row(row)] if row["us"]["engine.predict"] > row["promised_us"] else []
    return share + trees + one_row


def _step(one: Found) -> str:
    rest = one["engine_us"] - one["us_at_peak"] - one["optimiser_us_at_least"]
    return (
        f"{one['network']}, {one['members']} members: {one['ratio']}x of {one['promised']}x. Of {one['engine_us']} us "
        f"its {one['multiply_adds']:,} multiply-adds take {one['us_at_peak']} us at the measured peak, and "
        f"{one['optimiser_bytes']:,} bytes of Adam's {one['optimiser_us_at_least']} us from the first-level cache; "
        f"{rest:.2f} us go to neither."
    )


def _share(one: Found) -> str:
    return (
        f"Width 64, batch 256: {one['multiply_adds']:,} multiply-adds take {one['us_at_peak']} us at the measured "
        f"peak, which is {one['share_of_peak']:.0%} of what was measured."
    )


def _threads(one: Found, peak: Found) -> str:
    return (
        f"{one['network']}, two threads: {one['ratio']}x of {one['promised']}x. Two copies of the loop that measures "
        f"the peak, which share nothing, reach {peak['gain_of_two_threads']}x."
    )


def _rows(one: Found) -> str:
    return (
        f"{one['network']}: {one['ratio']}x of {one['promised']}x. Of {one['engine_ms']} ms its "
        f"{one['multiply_adds']:,} multiply-adds take {one['ms_at_peak']} ms at the measured peak of two threads, and "
        f"reading {one['bytes']:,} bytes {one['ms_at_bandwidth']} ms at the measured bandwidth of one."
    )


def _one_row(row: Found) -> str:
    taken, ready = row["us"]["engine.predict"], row["us"]["engine.Compiled.predict"]
    return (
        f"One row: {taken} us of {row['promised_us']:g} us. Its multiply-adds, with one lane of each vector in use, "
        f"take {row['us_at_peak']} us at the measured rate of instructions; finding the network by its parameters "
        f"takes {taken - ready:.2f} us."
    )
