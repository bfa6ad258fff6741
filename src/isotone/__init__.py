"""Neural networks that keep order, exactly."""

__version__ = "0.1.0"
__all__ = ["__version__"]
