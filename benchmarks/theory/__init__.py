"""What the theorems say, measured. Each module prints its figures and writes them to benchmarks/results."""
