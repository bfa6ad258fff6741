"""The theorems as programs: networks with exact weights and their bounds, equivalences, limits. Needs no torch."""

from isotone.theory.composition import compose, composed_direction, negated
from isotone.theory.convexity import convex_floor, network_shape
from isotone.theory.equivalences import (
    absorb_affine,
    as_post_switch,
    as_pre_switch,
    change_activation,
    flip_signs,
    point_reflection,
)
from isotone.theory.growth import growth
from isotone.theory.heaviside import both_orders, heaviside, naive_relu
from isotone.theory.interpolation import Interpolation, interpolate, interpolate_by_unions
from isotone.theory.leaky import derivative_bounds, leaky_floor, one_layer_floor, steepness_ratio
from isotone.theory.network import Network
from isotone.theory.saturation import dead_layers, input_gradients, without_biases

__all__ = ["Interpolation", "Network"]
__all__ += ["absorb_affine", "as_post_switch", "as_pre_switch", "both_orders", "change_activation", "compose"]
__all__ += ["composed_direction", "convex_floor", "dead_layers", "derivative_bounds", "flip_signs", "growth"]
__all__ += ["heaviside", "input_gradients", "interpolate", "interpolate_by_unions", "leaky_floor", "naive_relu"]
__all__ += ["negated", "network_shape", "one_layer_floor", "point_reflection", "steepness_ratio", "without_biases"]
