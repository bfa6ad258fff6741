"""Networks: stacks of the layers, by hand or from an ``Architecture``."""

from isotone.nn.networks.branches import Branches
from isotone.nn.networks.described import Network
from isotone.nn.networks.exchange import from_parameters, to_parameters
from isotone.nn.networks.monotone import MonotoneMLP
from isotone.nn.networks.partial import PartialMonotoneMLP

__all__ = ["Branches", "MonotoneMLP", "Network", "PartialMonotoneMLP", "from_parameters", "to_parameters"]
