"""Every method under comparison, by name; a module loads only when its peer is asked for."""

from __future__ import annotations

from importlib import import_module

from benchmarks.peers.interface import Peer

# name: (module in this folder, class)
REGISTRY = {
    "isotone": ("isotone", "Isotone"),
    "xgboost": ("xgboost", "XGBoost"),
    "lightgbm": ("lightgbm", "LightGBM"),
    "catboost": ("catboost", "CatBoost"),
    "hist_gradient_boosting": ("hist_gradient_boosting", "HistGradientBoosting"),
    "ebm": ("ebm", "EBM"),
    "linear": ("linear", "Linear"),
    "certified": ("certified", "Certified"),
    "non_negative": ("non_negative", "NonNegative"),
    "lattice": ("lattice", "Lattice"),
    "pytorch_lattice": ("pytorch_lattice", "PytorchLattice"),
    "min_max": ("min_max", "MinMax"),
    "constrained_mnn": ("constrained_mnn", "ConstrainedMNN"),
    "mononet_switch": ("mononet_switch", "MononetSwitch"),
    "scalable": ("scalable", "Scalable"),
    "expressive": ("expressive", "Expressive"),
    "comet": ("comet", "Comet"),
    "unconstrained": ("unconstrained", "Unconstrained"),
}


def find(name: str) -> type[Peer]:
    """Return the class of a peer, or say which names there are."""
    if name not in REGISTRY:
        raise ValueError(f"There is no peer {name!r}; the peers are {sorted(REGISTRY)}.")
    module, class_name = REGISTRY[name]
    peer: type[Peer] = getattr(import_module(f"{__name__}.{module}"), class_name)
    return peer
