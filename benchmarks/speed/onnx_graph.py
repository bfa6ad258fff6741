"""A ReLU network of the paper's kind as ONNX Runtime runs it: two matrix products for each switch."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from benchmarks.speed.training import Shape
from isotone.architecture import Parameters


class Graph:
    """Nodes and constants, added one by one; each addition returns the name of what it gives."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: np.ndarray) -> str:
        """Add a constant."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, *inputs: str, outputs: int = 1, **options: object) -> list[str]:
        """Add a node."""
        names = [f"n{len(self.nodes)}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **options))
        return names

    def linear(self, x: str, weight: np.ndarray, *bias: np.ndarray) -> str:
        """Add a matrix product."""
        return self.node("Gemm", x, self.constant(weight), *map(self.constant, bias), transB=1)[0]

    def relu(self, x: str) -> str:
        """Add a ReLU."""
        return self.node("Relu", x)[0]

    def session(self, columns: int, output: str) -> onnxruntime.InferenceSession:
        """Return what runs the graph, on one thread."""
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, columns])
        found = helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, 1])
        graph = helper.make_graph(self.nodes, "network", [given], [found], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        onnx.checker.check_model(model)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def session(shape: Shape, parameters: Parameters) -> onnxruntime.InferenceSession:
    """Return what runs the network."""
    graph = Graph()

    def numbers(branch: str, layer: int) -> tuple[np.ndarray, np.ndarray]:
        return parameters[f"{branch}.{layer}.weight"][0], parameters[f"{branch}.{layer}.bias"][0]

    sizes = graph.constant(np.array([shape.constrained, shape.free]))
    constrained, hidden = graph.node("Split", "x", sizes, outputs=2, axis=1)
    for layer in range(3):
        hidden = graph.relu(graph.linear(hidden, *numbers("free", layer)))
    joined = graph.node("Concat", constrained, hidden, axis=1)[0]
    weight, bias = numbers("trunk", 0)
    out = graph.linear(joined, np.abs(weight), bias)
    for layer in range(1, 5):
        weight, bias = numbers("trunk", layer)
        above = graph.linear(graph.relu(out), np.maximum(weight, 0), bias)
        below = graph.linear(graph.relu(graph.node("Neg", out)[0]), np.minimum(weight, 0))
        out = graph.node("Add", above, below)[0]
    return graph.session(shape.free + shape.constrained, out)
