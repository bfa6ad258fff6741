"""What every module promises as a citizen of PyTorch: shapes, precisions, transforms, copies, derivatives, order."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.gradcheck import GradcheckError

from tests.nn.modules import FEW, MODULES, ModuleCase

every = pytest.mark.parametrize("case", MODULES, ids=str)
some = pytest.mark.parametrize("case", FEW, ids=str)
# what takes long runs for one case of each kind in the suite, and for the rest with `-m slow`
in_turn = pytest.mark.parametrize(
    "case", [pytest.param(case, id=str(case), marks=[] if case in FEW else pytest.mark.slow) for case in MODULES]
)
PRECISIONS = (torch.float16, torch.bfloat16, torch.float32)


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """Return the largest difference, relative to the largest entry."""
    if not one.numel():
        return 0.0
    return float((one.detach().double() - other.detach().double()).abs().max() / other.detach().double().abs().max())


@every
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,), (2, 0)], ids=str)
def test_any_leading_shape_gives_the_rows_of_the_flat_one(case: ModuleCase, shape: tuple[int, ...]) -> None:
    module, rows = case.build(), case.draw(6)[: int(np.prod(shape))]
    flat = module(rows)
    shaped = module(rows.reshape(*shape, len(case.signs)))
    assert shaped.shape == (*shape, flat.shape[-1])
    # another shape may be summed in another order: a few roundings of float64
    assert distance(shaped.reshape(flat.shape), flat) <= 64 * torch.finfo(torch.float64).eps


@every
@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
def test_every_precision_computes_in_itself_and_comes_near_float64(case: ModuleCase, dtype: torch.dtype) -> None:
    exact, module, rows = case.build(), case.build(dtype=dtype), case.draw(6).to(dtype)
    outputs = module(rows)
    assert outputs.dtype == dtype
    # some ten roundings of inputs, weights and sums through at most four layers, doubled by each that cancels
    assert distance(outputs, exact(rows.double())) <= 32 * torch.finfo(dtype).eps


def test_outputs_of_zeros_are_not_near(rng: np.random.Generator) -> None:
    """Negative control: the widest tolerance above is below the distance of nothing."""
    outputs = torch.tensor(rng.normal(size=5))
    assert distance(torch.zeros(5), outputs) > 32 * torch.finfo(torch.bfloat16).eps


def gradients(case: ModuleCase, dtype: torch.dtype, kept: torch.dtype) -> list[torch.Tensor]:
    """Return derivatives by inputs and parameters in a precision, at numbers that ``kept`` can hold."""
    module, rows = case.build(dtype=dtype), case.draw(6).to(kept).to(dtype).requires_grad_()
    with torch.no_grad():
        for number in module.parameters():
            number.copy_(number.to(kept))
    outputs = module(rows)
    if not outputs.requires_grad:
        return []
    cotangent = torch.randn(outputs.shape, generator=torch.Generator().manual_seed(1)).to(kept)
    held = [rows, *module.parameters()]
    found = torch.autograd.grad(outputs, held, cotangent.to(dtype), allow_unused=True, materialize_grads=True)
    return list(found)


@every
@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
def test_derivatives_in_every_precision_come_near_those_of_float64(case: ModuleCase, dtype: torch.dtype) -> None:
    found, exact = gradients(case, dtype, dtype), gradients(case, torch.float64, dtype)
    assert [one.dtype for one in found] == [dtype] * len(exact)
    # as for the values: some ten roundings, doubled by each sum that cancels
    for one, other in zip(found, exact, strict=True):
        assert float((one - other).abs().max()) <= 32 * torch.finfo(dtype).eps * float(other.abs().max())


@every
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_autocast_comes_near_float32(case: ModuleCase, dtype: torch.dtype) -> None:
    module, rows = case.build(dtype=torch.float32), case.draw(6).float().requires_grad_()
    plain = module(rows)
    with torch.autocast("cpu", dtype=dtype):
        cast = module(rows)
    # inputs, weights and each layer's outputs are rounded once; four layers at most, doubled by a sum that cancels
    assert distance(cast, plain) <= 8 * torch.finfo(dtype).eps
    if plain.requires_grad:
        found = torch.autograd.grad(cast.float().sum(), [rows, *module.parameters()], allow_unused=True)
        assert all(one is None or one.dtype == torch.float32 for one in found)


def test_autocast_runs_the_matrix_products_in_bfloat16() -> None:
    """Negative control: without the cast, the test above would compare a thing with itself."""
    case = next(case for case in MODULES if str(case) == "SwitchLinear-post-relu")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert case.build(dtype=torch.float32)(case.draw(2).float()).dtype == torch.bfloat16


@every
def test_vmap_gives_the_rows_of_the_batch(case: ModuleCase) -> None:
    module, rows = case.build(), case.draw(6)
    assert distance(torch.func.vmap(module)(rows), module(rows)) <= 64 * torch.finfo(torch.float64).eps


@some
def test_vmap_runs_an_ensemble(case: ModuleCase) -> None:
    modules, rows = [case.build(seed) for seed in range(3)], case.draw(4)
    numbers, buffers = torch.func.stack_module_state(modules)

    def run(own: dict[str, torch.Tensor], still: dict[str, torch.Tensor]) -> torch.Tensor:
        return torch.func.functional_call(modules[0], (own, still), (rows,))

    alone = torch.stack([module(rows) for module in modules])
    assert distance(torch.func.vmap(run)(numbers, buffers), alone) <= 64 * torch.finfo(torch.float64).eps


@in_turn
def test_compile_takes_the_whole_graph(case: ModuleCase) -> None:
    torch.compiler.reset()
    module, rows = case.build(), case.draw(6)
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    assert distance(compiled(rows), module(rows)) <= 64 * torch.finfo(torch.float64).eps


# inductor itself uses what this version of PyTorch deprecates
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
def test_compiled_code_has_the_same_values_and_gradients() -> None:
    torch.compiler.reset()
    case = next(case for case in MODULES if str(case) == "PartialMonotoneMLP-post")
    module, rows = case.build(dtype=torch.float32), case.draw(6).float()
    compiled = torch.compile(module, fullgraph=True)
    cotangent = torch.randn(6, 1, generator=torch.Generator().manual_seed(1))
    own, other = (torch.autograd.grad(run(rows), list(module.parameters()), cotangent) for run in (module, compiled))
    assert distance(compiled(rows), module(rows)) <= 64 * torch.finfo(torch.float32).eps
    assert max(distance(two, one) for one, two in zip(own, other, strict=True)) <= 64 * torch.finfo(torch.float32).eps


def test_a_broken_graph_is_caught() -> None:
    """Negative control: a module that falls back to Python in the middle does not pass as one graph."""

    class Breaking(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.relu(x)
            torch._dynamo.graph_break()
            return torch.relu(-y)

    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(Breaking(), fullgraph=True, backend="aot_eager")(torch.ones(2))


@in_turn
def test_export_takes_any_number_of_rows(case: ModuleCase) -> None:
    module, rows = case.build(), case.draw(6)
    exported = torch.export.export(module, (rows,), dynamic_shapes=({0: torch.export.Dim("n")},))
    more = case.draw(9, seed=1)
    assert distance(exported.module()(more), module(more)) <= 64 * torch.finfo(torch.float64).eps


@every
def test_copies_are_the_same_to_the_bit(case: ModuleCase) -> None:
    module, rows = case.build(), case.draw(6)
    stored = io.BytesIO()
    torch.save(module.state_dict(), stored)
    stored.seek(0)
    loaded = case.build(seed=1)
    loaded.load_state_dict(torch.load(stored, weights_only=True))
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), loaded):
        assert torch.equal(copied(rows), module(rows))
        assert repr(copied) == repr(module)


@every
def test_another_seed_is_another_module(case: ModuleCase) -> None:
    """Negative control of the copies: loading numbers must matter where there are random ones."""
    rows, one, other = case.draw(6), case.build(0), case.build(1)
    fixed = case.public in {"Pointwise", "Reflect", "SReLU", "PReLU", "layers.Orient", "layers.InputStage"}
    assert torch.equal(one(rows), other(rows)) == fixed


def leaves(case: ModuleCase, rows: int = 2) -> tuple[torch.Tensor, ...]:
    """Return inputs and parameters in float64, each asking for its derivative."""
    held = (case.draw(rows), *case.build().parameters())
    return tuple(tensor.detach().clone().requires_grad_() for tensor in held)


def pure(case: ModuleCase) -> Callable[..., torch.Tensor]:
    """Return the module as a function of inputs and parameters."""
    module = case.build()
    names = [name for name, _ in module.named_parameters()]

    def run(x: torch.Tensor, *numbers: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(module, dict(zip(names, numbers, strict=True)), (x,))

    return run


# the drawn rows lie no nearer to a kink than the 1e-6 that gradcheck walks
@every
def test_first_derivatives_by_inputs_and_parameters_are_right(case: ModuleCase) -> None:
    assert torch.autograd.gradcheck(pure(case), leaves(case))


@pytest.mark.parametrize("case", [case for case in MODULES if str(case) != "SwitchLinear-pre-threshold"], ids=str)
def test_second_derivatives_by_inputs_and_parameters_are_right(case: ModuleCase) -> None:
    # it draws the cotangents of the first derivatives, and derives by them too
    assert torch.autograd.gradgradcheck(pure(case), leaves(case))


def test_a_difference_of_steps_has_no_derivative() -> None:
    """The case left out above: its first derivatives are zero, so that there is nothing to derive again."""
    case = next(case for case in MODULES if str(case) == "SwitchLinear-pre-threshold")
    assert not pure(case)(*leaves(case)).requires_grad


@pytest.mark.parametrize("check", [torch.autograd.gradcheck, torch.autograd.gradgradcheck])
def test_a_wrong_derivative_is_caught(check: Callable[..., bool]) -> None:
    """Negative control: a switch that forgets the gradient of its negative half."""
    x, weight = torch.randn(2, 3, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)

    def forgetful(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x) @ weight.clamp(min=0).T + torch.sigmoid(-x) @ weight.clamp(max=0).detach().T

    with pytest.raises(GradcheckError):
        check(forgetful, (x.requires_grad_(), weight.requires_grad_()))


@every
def test_negative_zero_is_zero(case: ModuleCase) -> None:
    module, rows = case.build(), case.draw(4)
    rows[:, 0] = 0.0
    signed = rows.clone()
    signed[:, 0] = -0.0
    assert torch.equal(module(signed), module(rows))
