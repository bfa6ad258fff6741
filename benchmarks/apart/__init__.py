"""Peers whose packages cannot share the environment of the benchmarks, each in one of its own.

``<name>.txt`` lists what the environment has, ``<name>.py`` is what runs there; `environment` makes it.
"""
