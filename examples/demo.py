"""What stands so far, in one run: a network is described, drawn at random, and asked along one column.

It is not trained: the order that the table shows belongs to how the network is made, and holds for whatever weights.
"""

import numpy as np

from isotone import Architecture, Numeric, Signs, _native
from isotone.reference import predict

NAMES = ("age", "bmi", "price")


def describe(network: Architecture) -> None:
    """Print the parameters of a network and their shapes."""
    print(f"A network over {', '.join(NAMES)} with {sum(map(np.prod, network.shapes.values()))} parameters:")
    for name, shape in network.shapes.items():
        print(f"  {name:15} {' x '.join(map(str, shape))}")


def curve(network: Architecture, seed: int) -> np.ndarray:
    """Return what an untrained network says as bmi grows."""
    rows = np.tile([40.0, 0.0, 5.0], (9, 1))
    rows[:, 1] = np.linspace(15.0, 45.0, 9)
    return predict(network, network.initial(seed), rows)[:, 0]


def main() -> None:
    """Describe a network and show that three random ones keep order."""
    signs = Signs.parse({"bmi": "increasing", "price": "decreasing"}, NAMES)
    columns = tuple(Numeric((0.0, 50.0), direction) for direction in signs)
    network = Architecture(columns, hidden=(16, 16), free_hidden=(8,))
    describe(network)
    print("\nUntrained answers as bmi grows from 15 to 45, for three seeds:")
    for seed in range(3):
        answers = curve(network, seed)
        print(f"  seed {seed}: {np.array2string(answers, precision=3)}  falls: {np.sum(np.diff(answers) < 0)}")
    print(f"\nThe native extension is built: {_native.build_info()}; this CPU runs level {_native.cpu_level()!r}.")


if __name__ == "__main__":
    main()
