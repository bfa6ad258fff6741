"""The Python face of the native engine: training, prediction, and gradients on NumPy arrays."""
