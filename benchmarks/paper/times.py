"""How long a run of the authors' loop takes, from a few epochs: ``python -m benchmarks.paper.times --device cuda``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks import results
from benchmarks.paper import loop
from benchmarks.paper.protocol import RECIPES
from benchmarks.report import markdown

# enough that the first, which warms up, says nothing
TIMED_EPOCHS = {"auto": 6, "heart": 6, "compas": 2, "blog": 2, "blog_as_published": 2}


def loop_seconds(task: str, threads: int, device: str = "cpu") -> float:
    """Return what a whole run of the authors' loop would take, from a few epochs of one."""
    torch.set_num_threads(threads)
    loop.run(task, 0, 1, device)
    epochs = TIMED_EPOCHS[task]
    return float(loop.run(task, 0, epochs, device)["seconds"]) / epochs * RECIPES[task].epochs


def main(arguments: Sequence[str] | None = None) -> None:
    """Time every table, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--write", type=Path, help="a file of JSON for the seconds")
    options = parser.parse_args(arguments)
    name = torch.cuda.get_device_name() if options.device == "cuda" else options.device
    seconds = {task: loop_seconds(task, options.threads, options.device) for task in TIMED_EPOCHS}
    print(
        markdown(["table", f"loop on {name}, one run"], [[task, f"{value:.3g} s"] for task, value in seconds.items()])
    )
    if options.write:
        about = {"device": name} | results.provenance(["torch"], options.threads)
        options.write.write_text(json.dumps(about | {"seconds": seconds}, indent=1) + "\n")


if __name__ == "__main__":
    main()
