"""The Python face of the native engine: training, prediction, and gradients on NumPy arrays."""

from isotone.engine.prediction import Compiled, compiled, fixed, input_gradient, member_scores, predict
from isotone.engine.settings import History, Interrupted, Settings, State
from isotone.engine.training import batch_order, train, value_and_grad

__all__ = [
    "Compiled",
    "History",
    "Interrupted",
    "Settings",
    "State",
    "batch_order",
    "compiled",
    "fixed",
    "input_gradient",
    "member_scores",
    "predict",
    "train",
    "value_and_grad",
]
