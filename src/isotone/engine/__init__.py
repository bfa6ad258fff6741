"""The Python face of the native engine: training, prediction, and gradients on NumPy arrays."""

from isotone.engine.settings import History, Interrupted, Settings, State
from isotone.engine.training import batch_order, train, value_and_grad

__all__ = ["History", "Interrupted", "Settings", "State", "batch_order", "train", "value_and_grad"]
