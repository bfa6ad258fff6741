"""Gradients of fresh networks on the places of cos(x) + x: their mean by depth, their spread by layer, dead ReLU6.

    python -m benchmarks.figures.measure_gradients

The paper does not say of what the mean is taken. Here: of the sizes of the derivatives of the mean output by all
parameters; beside it, of the derivatives of the mean squared error, and of the output's on places nearer to zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean, pstdev

import torch
from torch import Tensor, nn

from benchmarks.figures import records
from benchmarks.figures.networks import NETWORKS
from benchmarks.figures.wave import data

MODELS = ("sigmoid", "relu", "switch", "relu6")
NORMALISED = ("sigmoid normalised", "relu normalised", "switch normalised", "relu6 normalised")
# four affine maps have three hidden layers: both readings of the paper's "4 layers" are measured
DEPTHS = (3, 4, 5, 6, 7, 8, 9, 10)
LAYERS = 6
WIDTH = 128
DRAWS = 20
# ends of what the paper may call 4 to 10 layers, and two depths whose ReLU gradients grow as much as it prints
SPANS = ((4, 10), (3, 9), (5, 9))
# the share of [-10, 10] that the nearer places take up
NEAR = 0.2
# decades of a gradient's size, two bins each; a size of zero is counted apart
EDGES = torch.linspace(-12.0, 6.0, 37)


def networks(name: str, depth: int) -> Iterator[nn.Sequential]:
    for seed in range(DRAWS):
        torch.manual_seed(seed)
        yield NETWORKS[name]((WIDTH,) * depth)


def gradients(network: nn.Sequential, of_loss: bool = False, reach: float = 1.0) -> list[Tensor]:
    """Return the sizes of the derivatives by every parameter, one vector per linear layer from the input on."""
    x, y = data()
    x = x * reach
    network.zero_grad()
    (((network(x) - y) ** 2).mean() if of_loss else network(x).mean()).backward()
    linear = [module for module in network if hasattr(module, "in_features")]
    return [torch.cat([part.grad.flatten() for part in (layer.weight, layer.bias)]).abs() for layer in linear]


def mean_and_spread(values: list[float]) -> records.Record:
    return {"mean": fmean(values), "deviation": pstdev(values)}


def by_depth(name: str) -> records.Record:
    """Return mean sizes over all parameters, and how far the first hidden layer's are from the last's."""
    found: records.Record = {"output": [], "loss": [], "zero": [], "ratio": [], "near": []}
    for depth in DEPTHS:
        sizes = [gradients(network) for network in networks(name, depth)]
        whole = [torch.cat(layers) for layers in sizes]
        of_loss = [gradients(network, of_loss=True) for network in networks(name, depth)]
        near = [torch.cat(gradients(network, reach=NEAR)) for network in networks(name, depth)]
        for part, drawn in (("output", whole), ("loss", list(map(torch.cat, of_loss))), ("near", near)):
            found[part].append(mean_and_spread([float(each.mean()) for each in drawn]))
        found["zero"].append(fmean(float((each == 0).double().mean()) for each in whole))
        # of the loss: a batch's normalisation takes the mean output away from all but the last layer
        found["ratio"].append(fmean(float(layers[1].mean() / layers[-2].mean().clamp_min(1e-38)) for layers in of_loss))
    means = {depth: each["mean"] for depth, each in zip(DEPTHS, found["output"], strict=True)}
    found["growth"] = {f"{low} to {high}": means[high] / means[low] for low, high in SPANS}
    print(name, found["growth"], [round(share, 4) for share in found["zero"]], flush=True)
    return found


def by_layer(name: str) -> list[records.Record]:
    """Return, per linear layer of a network of six hidden ones, a histogram of the sizes over all draws."""
    draws = [gradients(network) for network in networks(name, LAYERS)]
    found = []
    for layer in range(LAYERS + 1):
        sizes = torch.cat([draw[layer] for draw in draws])
        counts = torch.histogram(sizes[sizes > 0].log10().clamp(-11.9, 5.9), EDGES).hist
        found.append(
            {
                "shares": (counts / len(sizes)).tolist(),
                "zero": float((sizes == 0).double().mean()),
                "median": float(sizes.median()),
            }
        )
    return found


def saturated(name: str) -> list[records.Record]:
    """Return, per hidden layer, the shares of units and points whose activation has the slope zero at 0 and at 6."""
    found: list[records.Record] = [{"low": 0.0, "high": 0.0} for _ in range(LAYERS)]
    for network in networks(name, LAYERS):
        hidden, layer = data()[0], 0
        for module in network:
            hidden = module(hidden)
            if not hasattr(module, "in_features"):
                found[layer]["low"] += float((hidden <= 0).double().mean()) / DRAWS
                found[layer]["high"] += float((hidden >= 6).double().mean()) / DRAWS
                layer += 1
    return found


def main() -> None:
    torch.set_num_threads(1)
    settings = {
        "depths": DEPTHS,
        "near": NEAR,
        "layers": LAYERS,
        "width": WIDTH,
        "draws": DRAWS,
        "edges": EDGES.tolist(),
    }
    depth = {name: by_depth(name) for name in (*MODELS, *NORMALISED)}
    records.store("gradient-depth", settings | {"found": depth})
    records.store("gradient-layers", settings | {"found": {name: by_layer(name) for name in MODELS}})
    records.store("dead-relu6", settings | {"units": saturated("relu6")})


if __name__ == "__main__":
    main()
