"""Monotone layers and networks for PyTorch; needs the extra ``isotone[torch]``."""

try:
    import torch as _torch  # noqa: F401 - asked for here, so that its absence has one clear message
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ImportError("isotone.nn needs PyTorch; install it with `pip install 'isotone[torch]'`.") from error

from isotone.nn import functional
from isotone.nn.layers import ConstrainedLinear, MonotoneBatchNorm1d, Pointwise, PReLU, Reflect, SReLU, SwitchLinear
from isotone.nn.networks import MonotoneMLP, Network, PartialMonotoneMLP, from_parameters, to_parameters

__all__ = [
    "ConstrainedLinear",
    "MonotoneBatchNorm1d",
    "MonotoneMLP",
    "Network",
    "PReLU",
    "PartialMonotoneMLP",
    "Pointwise",
    "Reflect",
    "SReLU",
    "SwitchLinear",
    "from_parameters",
    "functional",
    "to_parameters",
]
