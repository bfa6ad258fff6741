"""What runs in the environment of `pytorch_lattice`: calibrators, an ensemble of lattices and a sum, of its layers."""

from __future__ import annotations

import math

import numpy as np
import torch
from pytorch_lattice.enums import Monotonicity
from pytorch_lattice.layers import RTL, Linear, NumericalCalibrator
from torch import Tensor, nn

from benchmarks.apart.messages import Arrays, Settings, serve
from benchmarks.peers.interface import Kind
from benchmarks.peers.training import Schedule, Split, Target, train


class Ensemble(nn.Module):
    """Calibrated columns, lattices over a few of them each, and their sum. Shape: ``(n, d)`` -> ``(n,)``."""

    def __init__(self, x: Tensor, increasing: int, knots: int, lattices: int, rank: int, seed: int) -> None:
        super().__init__()
        columns = x.shape[1]
        directions = [Monotonicity.INCREASING] * increasing + [None] * (columns - increasing)
        self.calibrators = nn.ModuleList(
            NumericalCalibrator(_keypoints(x[:, k].numpy(), knots), output_min=0.0, output_max=1.0, monotonicity=way)
            for k, way in enumerate(directions)
        )
        rank = min(rank, columns)
        # every column must be in some lattice
        lattices = max(lattices, math.ceil(columns / rank))
        self.ensemble = RTL(directions, lattices, rank, output_min=0.0, output_max=1.0, random_seed=seed)
        # NOTE[PAPER]: the package keeps the lattices in a plain dict, where no optimiser finds their weights
        self.lattices = nn.ModuleList(lattice for lattice, _ in self.ensemble._lattice_layers.values())
        self.sum = Linear(lattices, self.ensemble.output_monotonicities())

    def forward(self, x: Tensor) -> Tensor:
        calibrated = [calibrator(x[:, k : k + 1]) for k, calibrator in enumerate(self.calibrators)]
        return self.sum(self.ensemble(torch.cat(calibrated, dim=1))).squeeze(1).float()

    def project(self) -> None:
        """Make the weights feasible again after a step."""
        for layer in (*self.calibrators, self.ensemble, self.sum):
            layer.apply_constraints()


def _keypoints(column: np.ndarray, count: int) -> np.ndarray:
    found = np.unique(np.quantile(column.astype(float), np.linspace(0, 1, count)))
    return found if len(found) > 1 else found[0] + np.array([0.0, 1.0])


models: list[nn.Module] = []


def fit(settings: Settings, arrays: Arrays) -> tuple[Settings, Arrays]:
    """Train a network on encoded rows and keep it under a number."""
    torch.set_num_threads(settings["threads"])
    torch.manual_seed(settings["seed"])
    x, y = torch.from_numpy(arrays["x"]), torch.from_numpy(arrays["y"])
    kind = Kind(settings["kind"])
    shape = {name: settings[name] for name in ("increasing", "knots", "lattices", "rank", "seed")}
    model = Ensemble(x, **shape)
    schedule = Schedule(settings["learning_rate"], settings["batch_size"])
    train(model, Split.draw(x, y, kind, settings["seed"]), Target(kind, 0.0, 1.0), schedule, project=model.project)
    models.append(model)
    return {"model": len(models) - 1}, {}


@torch.no_grad()
def predict(settings: Settings, arrays: Arrays) -> tuple[Settings, Arrays]:
    """Return the outputs of a network at encoded rows."""
    return {}, {"output": models[settings["model"]](torch.from_numpy(arrays["x"])).double().numpy()}


if __name__ == "__main__":
    serve({"fit": fit, "predict": predict})
