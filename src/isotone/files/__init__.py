"""Models in files: safetensors arrays and strict JSON, and a predictor that needs numpy only."""

from isotone.files.bundle import VERSION, load, save
from isotone.files.origin import Origin, register
from isotone.files.predictor import Predictor
from isotone.files.tensors import FileError

__all__ = ["VERSION", "FileError", "Origin", "Predictor", "load", "register", "save"]
