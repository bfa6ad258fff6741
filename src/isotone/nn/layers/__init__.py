"""Layers: parameters, initialisation and repr; the mathematics is one call of ``functional``."""

from isotone.nn.layers.activation import Pointwise, PReLU, Reflect, SReLU, activation_module, table_activation
from isotone.nn.layers.batch_norm import MonotoneBatchNorm1d
from isotone.nn.layers.constrained import ConstrainedLinear
from isotone.nn.layers.input_stage import InputStage
from isotone.nn.layers.orient import Orient
from isotone.nn.layers.switch import SwitchLinear

__all__ = [
    "ConstrainedLinear",
    "InputStage",
    "MonotoneBatchNorm1d",
    "Orient",
    "PReLU",
    "Pointwise",
    "Reflect",
    "SReLU",
    "SwitchLinear",
    "activation_module",
    "table_activation",
]
