"""The torch formulas say what the NumPy definition says, and refuse what does not fit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as torch_functional
from torch import nn

from isotone import reference
from isotone.activations import TABLE, Activation, activation, logistic
from isotone.nn import ConstrainedLinear, Pointwise, PReLU, Reflect, SwitchLinear
from isotone.nn import functional as F
from isotone.weights import WEIGHT_MAPS

EPS = np.finfo(np.float64).eps
MONOTONE = [name for name, row in TABLE.items() if not row.decreases]


def distance(one: torch.Tensor, other: np.ndarray) -> float:
    """Return the largest difference, relative to the largest entry."""
    return float(np.abs(one.detach().numpy() - other).max() / np.abs(other).max())


def slope(f: Callable[[torch.Tensor], torch.Tensor], x: np.ndarray) -> torch.Tensor:
    """Return the derivative of an elementwise function that autograd finds."""
    point = torch.tensor(x, requires_grad=True)
    value = f(point)
    return torch.autograd.grad(value.sum(), point)[0] if value.requires_grad else torch.zeros_like(point)


# every row with its defaults, and those with parameters with others
CHOSEN = [activation(name) for name in TABLE] + [
    Activation("leaky_relu", (0.3,)),
    Activation("leaky_relu", (3.0,)),
    Activation("elu", (2.5,)),
    Activation("celu", (0.2,)),
    Activation("srelu", (-2.0, 0.5, 0.75, 0.125)),
    Activation("srelu", (1.0, 3.0, 2.0, 0.0)),
]


@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("given", CHOSEN, ids=str)
def test_activations_agree_with_the_table(given: Activation, reflected: bool, rng: np.random.Generator) -> None:
    chosen = given.reflection if reflected else given
    x = 6.0 * rng.normal(size=500)
    # exp multiplies the rounding of its argument, here below 20
    eps = 64 * EPS
    assert distance(F.activate(torch.tensor(x), chosen), chosen.value(x)) <= eps
    assert distance(slope(lambda t: F.activate(t, chosen), x) + 1.0, chosen.derivative(x) + 1.0) <= eps


def test_the_derivative_of_celu_is_exact_where_that_of_torch_is_not(rng: np.random.Generator) -> None:
    """Control: torch's own rounds the parameter to float32, so it would fail the comparison above."""
    celu, x = Activation("celu", (0.2,)), 6.0 * rng.normal(size=500)
    assert distance(slope(lambda t: F.activate(t, celu), x), celu.derivative(x)) <= 64 * EPS
    assert distance(slope(lambda t: torch_functional.celu(t, 0.2), x), celu.derivative(x)) > 1000 * EPS


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_no_activation_makes_a_finite_number_infinite(name: str, dtype: torch.dtype) -> None:
    largest = torch.finfo(dtype).max / 4
    outputs = F.activate(torch.tensor([-largest, -100.0, 0.0, 100.0, largest], dtype=dtype), name)
    assert bool(outputs.isfinite().all())


def test_softplus_is_exact_where_that_of_torch_is_not() -> None:
    """Control: the threshold of torch's own softplus would fail the comparison above."""
    x = np.linspace(20.1, 30.0, 50)
    assert distance(F.softplus(torch.tensor(x)), activation("softplus").value(x)) <= 4 * EPS
    assert distance(torch_functional.softplus(torch.tensor(x)), activation("softplus").value(x)) > 1000 * EPS


@pytest.mark.parametrize("name", WEIGHT_MAPS)
@pytest.mark.parametrize("sign", [1, -1])
def test_weight_maps_agree_with_the_table(name: str, sign: int, rng: np.random.Generator) -> None:
    weight = np.concatenate([3.0 * rng.normal(size=200), [0.0, -0.0, 12.0, -30.0]])
    found = F.signed(torch.tensor(weight), name, sign)
    assert distance(found, sign * WEIGHT_MAPS[name].value(weight)) <= 8 * EPS
    assert (
        distance(slope(lambda t: F.signed(t, name, sign), weight), sign * WEIGHT_MAPS[name].derivative(weight))
        <= 8 * EPS
    )
    assert bool((sign * found >= 0).all())


@pytest.mark.parametrize("name", MONOTONE)
@pytest.mark.parametrize(("form", "definition"), [("post", reference.post_switch), ("pre", reference.pre_switch)])
def test_a_switch_agrees_with_the_definition(
    name: str, form: str, definition: Callable[..., np.ndarray], rng: np.random.Generator
) -> None:
    weight, bias, x = rng.normal(size=(5, 4)), rng.normal(size=5), rng.normal(size=(30, 4))
    found = F.switch_linear(*map(torch.tensor, (x, weight, bias)), name, form)
    # sums of nine terms, and exp multiplies the rounding of a sum by its size, up to eight
    assert distance(found, definition(weight, bias, x, activation(name))) <= 64 * EPS


def test_a_switch_with_exchanged_signs_is_caught(rng: np.random.Generator) -> None:
    """Negative control: the other half of the weights on the other side is far from the definition."""
    weight, bias, x = rng.normal(size=(5, 4)), rng.normal(size=5), rng.normal(size=(30, 4))
    wrong = F.switch_linear(*map(torch.tensor, (-x, weight, bias)))
    assert distance(wrong, reference.post_switch(weight, bias, x, activation("relu"))) > 0.1


def test_a_name_an_activation_and_a_function_are_the_same(rng: np.random.Generator) -> None:
    x, weight = torch.tensor(rng.normal(size=(3, 4))), torch.tensor(rng.normal(size=(5, 4)))
    outputs = [F.switch_linear(x, weight, None, s) for s in ("tanh", Activation("tanh"), torch.tanh)]
    assert torch.equal(outputs[0], outputs[1])
    assert torch.equal(outputs[0], outputs[2])


@pytest.mark.parametrize(
    "spec",
    [
        "gelu", "silu", Activation("silu"), torch_functional.gelu, torch_functional.silu,
        nn.GELU("tanh"), nn.SiLU(), Pointwise("gelu"), Reflect("silu"), Reflect(Reflect("gelu")),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("layer", [F.switch_linear, F.constrained_linear])
def test_an_activation_that_decreases_is_refused_with_the_reason(
    layer: Callable[..., torch.Tensor], spec: str | Activation | F.Function
) -> None:
    with pytest.raises(ValueError, match=r"cannot keep order: it decreases for x < -"):
        layer(torch.ones(1, 2), torch.ones(3, 2), None, spec)


@pytest.mark.parametrize("form", ["post", "pre"])
def test_weights_of_zero_leave_the_bias_or_nothing(form: str) -> None:
    x, bias = torch.randn(4, 3), torch.randn(2)
    outputs = F.switch_linear(x, torch.zeros(2, 3), bias, "softplus", form)
    assert torch.equal(outputs, (bias if form == "post" else 0 * bias).expand(4, 2))


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_weight_of_zero_learns_from_the_right(zero: float) -> None:
    weight = torch.full((1, 1), zero, requires_grad=True)
    x = torch.tensor([[0.7]])
    (post,) = torch.autograd.grad(F.switch_linear(x, weight, None, "tanh").sum(), weight)
    assert math.isclose(float(post), math.tanh(0.7), rel_tol=8 * torch.finfo(torch.float32).eps)
    (pre,) = torch.autograd.grad(F.switch_linear(x, weight, torch.tensor([0.3]), "tanh", "pre").sum(), weight)
    assert math.isclose(float(pre), 0.7 / math.cosh(0.3) ** 2, rel_tol=8 * torch.finfo(torch.float32).eps)


def test_the_parts_of_a_weight_add_up_to_the_bit(rng: np.random.Generator) -> None:
    weight = torch.tensor(rng.normal(size=1000) * 10.0 ** rng.integers(-300, 300, 1000))
    positive, negative = F.split_signs(weight)
    assert bool((positive >= 0).all() and (negative <= 0).all())
    assert torch.equal(positive + negative, weight)
    assert bool((positive * negative == 0).all())


def test_cut_points_agree_with_the_definition(rng: np.random.Generator) -> None:
    cuts = 3.0 * rng.normal(size=(3, 4))
    assert distance(F.cut_points(torch.tensor(cuts)), reference.cut_points({"cuts": cuts})) <= 8 * EPS


@pytest.mark.parametrize("name", reference.LINKS)
def test_links_agree_with_the_definition(name: str, rng: np.random.Generator) -> None:
    latent = 2.0 * rng.normal(size=(20, 3))
    assert distance(F.link(torch.tensor(latent), name), reference.LINKS[name](latent)) <= 16 * EPS


def test_the_cumulative_link_falls_from_cut_to_cut(rng: np.random.Generator) -> None:
    latent, cuts = rng.normal(size=(20, 1)), rng.normal(size=(2, 3))
    exceeding = F.link(torch.tensor(latent), "cumulative", torch.tensor(cuts))
    assert distance(exceeding, logistic(latent - reference.cut_points({"cuts": cuts}))) <= 16 * EPS
    assert bool((exceeding.diff(dim=1) < 0).all())


def test_a_saturated_exponential_times_nothing_is_nothing() -> None:
    outputs = F.switch_linear(torch.tensor([[1e4]]), torch.tensor([[-1.0]]), torch.zeros(1), "exp")
    assert outputs.tolist() == [[0.0]]


def test_an_inner_knot_has_one_slope() -> None:
    """A value on a knot takes the derivative of the segment on its right, not the sum of both."""
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    start, width = torch.tensor([0.0, 1.0]), torch.tensor([1.0, 4.0])
    shares = F.progress(x.expand(2), start, width, torch.tensor([-9.0, 0.0]), torch.tensor([1.0, 9.0]))
    assert shares.tolist() == [1.0, 0.0]
    assert torch.autograd.grad(shares.sum(), x)[0].item() == 0.25


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (5, 4), (5,)), r"x of shape \(\*, 4\) for a weight \(5, 4\); got \(2, 3\)"),
        (((2, 4), (5, 4), (4,)), r"bias of shape \(5,\) for a weight \(5, 4\); got \(4,\)"),
        (((2, 4), (4,), (4,)), r"weight of shape \(m, d\); got \(4,\)"),
        (((), (5, 4), (5,)), r"x of shape \(\*, 4\) for a weight \(5, 4\); got \(\)"),
    ],
)
@pytest.mark.parametrize("layer", [F.switch_linear, F.constrained_linear])
def test_shapes_that_do_not_fit_are_named(
    layer: Callable[..., torch.Tensor], shapes: tuple[tuple[int, ...], ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        layer(*(torch.ones(shape) for shape in shapes))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x, w: F.switch_linear(x, w, form="middle"),
            r"form of a switch is one of \['post', 'pre'\]; got 'middle'",
        ),
        (lambda x, w: F.switch_linear(x, w, activation="rely"), r"activation is one of .*; got 'rely'"),
        (lambda x, w: F.constrained_linear(x, w, constraint="cube"), r"constraint is one of .*; got 'cube'"),
        (lambda x, w: F.constrained_linear(x, w, weight_sign=0), r"weight_sign is 1 or -1; got 0"),
        (lambda x, w: F.link(x, "logit"), r"link is one of .*; got 'logit'"),
        (
            lambda x, w: F.monotone_batch_norm(x, *torch.ones(4, 2)),
            r"2 features needs x of shape \(\*, 2\); got \(1, 1\)",
        ),
    ],
)
def test_unknown_words_are_named(call: Callable[..., torch.Tensor], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(torch.ones(1, 1), torch.ones(1, 1))


@pytest.mark.parametrize("spec", [None, 3, ["relu"]])
def test_what_is_no_activation_is_refused_by_kind(spec: object) -> None:
    with pytest.raises(TypeError, match="activation is a name of the table, an Activation or a function; got"):
        F.switch_linear(torch.ones(1, 2), torch.ones(3, 2), None, spec)  # type: ignore[arg-type]


def test_a_map_that_is_no_name_is_refused_as_an_unknown_one() -> None:
    with pytest.raises(ValueError, match=r"constraint is one of .*; got \['abs'\]"):
        F.signed(torch.ones(2), ["abs"])  # type: ignore[arg-type]


def test_slopes_belong_to_features() -> None:
    x, slopes = -torch.ones(2, 3), torch.tensor([0.0, 0.5, 1.0])
    assert F.leaky_relu(x, slopes).tolist() == [[0.0, -0.5, -1.0]] * 2
    with pytest.raises(ValueError, match=r"3 slopes need x of shape \(\*, 3\); got \(3, 1\)"):
        F.leaky_relu(torch.ones(3, 1), slopes)


@pytest.mark.parametrize("size", [-1, 2.5, True, "3", None])
def test_sizes_of_a_layer_are_whole_numbers(size: object) -> None:
    for make in (SwitchLinear, ConstrainedLinear):
        with pytest.raises(ValueError, match=r"sizes of a layer are whole numbers, none of them negative; got {'in_"):
            make(size, 3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"got {'out_features': "):
            make(3, size)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"got {'features': "):
        PReLU(size)  # type: ignore[arg-type]


def test_functions_compile_with_the_name_of_an_activation() -> None:
    torch.compiler.reset()
    run = torch.compile(lambda x, w: F.switch_linear(x, w, None, "celu", "pre"), fullgraph=True, backend="aot_eager")
    x, weight = torch.randn(3, 2), torch.randn(4, 2)
    assert torch.equal(run(x, weight), F.switch_linear(x, weight, None, "celu", "pre"))
