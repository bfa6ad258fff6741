"""Times a switch layer as two matrix products and as one over concatenated halves, against a linear layer.

``python -m benchmarks.speed.switch_gemm --output benchmarks/results/speed/switch_gemm.json``, with ``--device cuda`` on
a GPU, where ``PYTHONPATH=src`` stands in for an installed package: nothing of the compiled engine is read. Each variant
of a size runs in turns with the others, so that what slows the machine slows all of them; a turn's time is the mean
over its steps, and the median and the least over the turns are kept. One thread of a CPU is timed by the time the
process had on it, which other programs disturb less than the clock on the wall. A linear layer here includes its
activation: it is what the same network without a constraint would run.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import linear

from isotone.nn import functional

Layer = Callable[[Tensor, Tensor, Tensor], Tensor]
Step = Callable[[], object]

SIZES = ((8, 8, 8), (8, 16, 16), (256, 16, 16), (256, 64, 64), (1024, 256, 256), (256, 1024, 1024))
SIZES_ON_A_GPU = (*SIZES, (8192, 1024, 1024), (8192, 4096, 4096), (8192, 8192, 8192))


def post_linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return linear(torch.relu(x), weight, bias)


def post_two(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    positive, negative = functional.split_signs(weight)
    return linear(torch.relu(x), positive, bias) + linear(torch.relu(-x), negative)


def post_one(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    halves = torch.cat([torch.relu(x), torch.relu(-x)], dim=-1)
    return linear(halves, torch.cat(functional.split_signs(weight), dim=1), bias)


def pre_linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.relu(linear(x, weight, bias))


def pre_two(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    positive, negative = functional.split_signs(weight)
    return torch.relu(linear(x, positive, bias)) - torch.relu(linear(x, negative, bias))


def pre_one(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    stacked = torch.cat(functional.split_signs(weight), dim=0)
    above, below = torch.relu(linear(x, stacked, torch.cat([bias, bias]))).chunk(2, dim=-1)
    return above - below


VARIANTS: dict[str, dict[str, Layer]] = {
    "post": {
        "linear": post_linear,
        "two": post_two,
        "one": post_one,
        "isotone": lambda x, weight, bias: functional.switch_linear(x, weight, bias, "relu", "post"),
    },
    "pre": {
        "linear": pre_linear,
        "two": pre_two,
        "one": pre_one,
        "isotone": lambda x, weight, bias: functional.switch_linear(x, weight, bias, "relu", "pre"),
    },
}


@torch.no_grad()
def disagreement(form: str, leaves: tuple[Tensor, Tensor, Tensor]) -> float:
    """Return how far the switches of a form are apart, relative to the largest sum of the sizes of their terms."""
    outputs = [layer(*leaves) for name, layer in VARIANTS[form].items() if name != "linear"]
    size = linear(*(leaf.abs() for leaf in leaves)).max()
    return max(float((one - outputs[0]).abs().max() / size) for one in outputs)


def allowed(inputs: int, dtype: torch.dtype) -> float:
    """Return how far two orders of one sum may be apart: its roundings wander like the root of their number."""
    return 2 * math.sqrt(inputs) * torch.finfo(dtype).eps


def steps(form: str, leaves: tuple[Tensor, Tensor, Tensor], backward: bool) -> dict[str, Step]:
    """Return one step of each variant: forward, or forward and the gradients of input, weight and bias."""
    cotangent = torch.randn_like(VARIANTS[form]["linear"](*leaves))

    def step(layer: Layer) -> Step:
        if backward:
            return lambda: torch.autograd.grad(layer(*leaves), leaves, cotangent)
        still = tuple(leaf.detach() for leaf in leaves)
        return lambda: layer(*still)

    return {name: step(layer) for name, layer in VARIANTS[form].items()}


def turn(step: Step, repeats: int, device: str) -> float:
    """Return the mean microseconds of a step."""
    finish = torch.cuda.synchronize if device == "cuda" else lambda: None
    clock = time.process_time if clock_name(device, torch.get_num_threads()) == "process" else time.perf_counter
    finish()
    begin = clock()
    for _ in range(repeats):
        step()
    finish()
    return (clock() - begin) / repeats * 1e6


def clock_name(device: str, threads: int) -> str:
    """Return which clock tells the time of a step: that of the process only if it does all the work on one thread."""
    return "process" if device == "cpu" and threads == 1 else "wall"


def timed(variants: dict[str, Step], turns: int, seconds: float, device: str) -> dict[str, dict[str, float]]:
    """Return the median and the least microseconds of each variant over turns taken one after another."""
    once = {name: turn(step, 3, device) for name, step in variants.items()}
    repeats = {name: max(1, int(seconds * 1e6 / micros)) for name, micros in once.items()}
    taken: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(turns):
        for name, step in variants.items():
            taken[name].append(turn(step, repeats[name], device))
    return {
        name: {"median_us": round(statistics.median(found), 2), "least_us": round(min(found), 2)}
        for name, found in taken.items()
    }


def measure(size: tuple[int, int, int], form: str, options: argparse.Namespace) -> list[dict[str, object]]:
    """Return one record for the forward pass and one with the backward pass."""
    n, d, m = size
    dtype = getattr(torch, options.dtype)
    shapes = ((n, d), (m, d), (m,))
    leaves = tuple(torch.randn(shape, device=options.device, dtype=dtype).requires_grad_() for shape in shapes)
    apart = disagreement(form, leaves)
    if apart > allowed(d, dtype):
        raise ValueError(f"the variants of {form} at {size} are {apart} apart, so their times do not compare.")
    records = []
    for backward in (False, True):
        found = timed(steps(form, leaves, backward), options.turns, options.seconds, options.device)
        base = found["linear"]["least_us"]
        ratios = {name: round(times["least_us"] / base, 3) for name, times in found.items()}
        records.append({"form": form, "rows": n, "inputs": d, "outputs": m, "backward": backward, "times": found,
                        "least_against_linear": ratios})  # fmt: skip
    return records


def summary(records: list[dict[str, object]]) -> dict[str, dict[str, float]]:
    """Return, per form, the geometric mean over the sizes of each variant's ratio to linear, backward included."""
    means: dict[str, dict[str, float]] = {}
    for form, variants in VARIANTS.items():
        ratios = [r["least_against_linear"] for r in records if r["form"] == form and r["backward"]]
        means[form] = {name: round(statistics.geometric_mean(r[name] for r in ratios), 3) for name in variants}
    return means


def read_options() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--dtype", default="float32", choices=["float32", "bfloat16", "float16"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.05, help="length of a turn")
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


def main() -> None:
    """Measure every size, print a line each, and write the records."""
    options = read_options()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    records = []
    for size in SIZES_ON_A_GPU if options.device == "cuda" else SIZES:
        for form in VARIANTS:
            found = measure(size, form, options)
            records += found
            for record in found:
                print(size, form, "backward" if record["backward"] else "forward", record["least_against_linear"])
    name = torch.cuda.get_device_name() if options.device == "cuda" else platform.processor() or platform.machine()
    machine = {"device": name, "dtype": options.dtype, "threads": options.threads, "torch": torch.__version__}
    machine["clock"] = clock_name(options.device, options.threads)
    result = {"machine": machine, "note": options.note, "summary": summary(records), "records": records}
    print(result["summary"])
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
