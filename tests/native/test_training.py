"""Training: it follows torch, resumes to the bit, and depends on nothing but its inputs."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch

from isotone import _native, engine
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.engine import History, Settings, State
from tests.native import autograd
from tests.native.trainings import SQUARED, largest_gap, same, subject, train


def clip(leaves, longest):
    """Shorten the gradient to the longest one; torch's own clipping adds 1e-6 to the norm."""
    norm = torch.sqrt(sum(leaf.grad.square().sum() for leaf in leaves))
    for leaf in leaves:
        leaf.grad *= min(1.0, float(longest / norm))


def in_torch(case, settings, seed, make, schedule=None):
    """Train one member in plain torch from the same weights and batches; return losses per epoch and parameters."""
    architecture, x, y = case
    dtype = getattr(torch, settings.dtype)
    leaves = autograd.tensors(architecture.initial(seed, settings.dtype), dtype)
    optimizer = make(list(leaves.values()))
    scheduler = schedule(optimizer) if schedule else None
    losses = []
    for epoch in range(settings.epochs):
        order, seen = engine.batch_order(seed, 0, epoch, np.arange(len(y))), []
        for batch in np.split(order, range(settings.batch_size, len(y), settings.batch_size)):
            optimizer.zero_grad()
            rows = autograd.losses(architecture, leaves, x[batch], y[batch], SQUARED)[0]
            rows.mean().backward()
            if settings.clip_norm is not None:
                clip(leaves.values(), settings.clip_norm)
            optimizer.step()
            if scheduler:
                scheduler.step()
            seen.extend(rows.tolist())
        losses.append(np.mean(seen))
    return np.array(losses), Parameters({name: leaf.detach().numpy() for name, leaf in leaves.items()})


# 200 steps multiply the rounding of one by a few thousand; a wrong step size shows in the first digits
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-3)])
def test_two_hundred_steps_follow_torch(dtype, tolerance):
    case, settings = subject(), Settings(epochs=40, batch_size=8, learning_rate=1e-2, dtype=dtype)
    parameters, state, history = train(case, settings=settings, seed=5)
    losses, expected = in_torch(case, settings, 5, lambda p: torch.optim.Adam(p, lr=1e-2))
    assert state.arrays["progress"][0, 1] == 200
    assert np.abs(history.loss[:, 0] / losses - 1.0).max() < tolerance
    assert largest_gap(parameters, expected) < tolerance * 10


def test_the_comparison_with_torch_sees_other_batches():
    case, settings = subject(), Settings(epochs=40, batch_size=8, learning_rate=1e-2, shuffle=False)
    _, _, history = train(case, settings=settings, seed=5)
    losses, _ = in_torch(case, settings, 5, lambda p: torch.optim.Adam(p, lr=1e-2))
    assert np.abs(history.loss[:, 0] / losses - 1.0).max() > 1e-3


OPTIMIZERS = {
    "weight decay in the gradient": ({"weight_decay": 0.1}, lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.1)),
    "weight decay apart": (
        {"optimizer": "adamw", "weight_decay": 0.1},
        lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.1),
    ),
    "betas and epsilon": (
        {"betas": (0.5, 0.9), "epsilon": 1e-3},
        lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.5, 0.9), eps=1e-3),
    ),
    "clipping": ({"clip_norm": 0.3}, lambda p: torch.optim.Adam(p, lr=0.01)),
}


@pytest.mark.parametrize("which", OPTIMIZERS)
def test_the_optimiser_is_torchs(which):
    options, make = OPTIMIZERS[which]
    settings = Settings(epochs=4, batch_size=8, learning_rate=0.01, dtype="float64", **options)
    parameters, _, _ = train(subject(), settings=settings)
    _, expected = in_torch(subject(), settings, 0, make)
    assert largest_gap(parameters, expected) < 1e-10
    plain, _, _ = train(subject(), settings=Settings(epochs=4, batch_size=8, learning_rate=0.01, dtype="float64"))
    assert largest_gap(plain, expected) > 1e-4


def torch_rates(make, steps):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.01)
    scheduler, rates = make(optimizer), []
    for _ in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return np.array(rates)


def test_schedules_are_torchs():
    schedulers = torch.optim.lr_scheduler
    made = {
        "one_cycle": lambda optimizer: schedulers.OneCycleLR(optimizer, 0.01, total_steps=201),
        "cosine": lambda optimizer: schedulers.CosineAnnealingLR(optimizer, 200),
        "constant": lambda optimizer: schedulers.ConstantLR(optimizer, 1.0),
    }
    for name, make in made.items():
        settings, total = Settings(schedule=name, learning_rate=0.01), 201 if name == "one_cycle" else 200
        rates = np.array([_native.learning_rate(settings.for_rows(8), step, total) for step in range(200)])
        assert np.abs(rates - torch_rates(make, 200)).max() < 1e-15, name
    warm = [
        _native.learning_rate(Settings(schedule="cosine", warm_up=0.1, batch_size=8), step, 100) for step in range(11)
    ]
    assert np.allclose(warm[:10], 1e-3 * np.arange(1, 11) / 10)
    assert warm[10] == 1e-3


@pytest.mark.parametrize(("warm_up", "steps"), [(0.0, 5), (0.25, 4), (0.5, 2), (0.9, 1), (0.3, 1)])
def test_a_rate_that_rises_for_one_step_or_none_begins_at_its_peak(warm_up, steps):
    settings = Settings(schedule="one_cycle", warm_up=warm_up, learning_rate=0.01, batch_size=8)
    rates = np.array([_native.learning_rate(settings, step, steps) for step in range(steps)])
    assert np.isfinite(rates).all()
    assert 0.0 < rates.max() <= 0.01
    assert (np.diff(rates) < 0).all()
    # a rise of two steps has its peak at the second
    two = Settings(schedule="one_cycle", warm_up=0.5, learning_rate=0.01, batch_size=8)
    assert _native.learning_rate(two, 1, 4) == 0.01


def test_training_uses_the_schedule():
    settings = Settings(epochs=4, batch_size=8, learning_rate=0.01, schedule="one_cycle", dtype="float64")
    parameters, _, history = train(subject(), settings=settings)
    losses, expected = in_torch(
        subject(),
        settings,
        0,
        lambda p: torch.optim.Adam(p, lr=0.01),
        lambda optimizer: torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=20, cycle_momentum=False),
    )
    assert largest_gap(parameters, expected) < 1e-10
    assert np.allclose(history.loss[:, 0], losses)
    assert history.learning_rate[-1, 0] == pytest.approx(0.01 / 25 / 1e4)


def saved_and_loaded(state: State) -> State:
    file = io.BytesIO()
    np.savez(file, **state.arrays)
    file.seek(0)
    return State(dict(np.load(file)))


@pytest.mark.parametrize("schedule", ["constant", "cosine", "one_cycle"])
def test_a_resumed_training_has_the_same_bits(schedule):
    settings, case = Settings(epochs=10, batch_size=8, schedule=schedule), subject(members=2)
    held = np.arange(40) % 4 == 0
    whole = train(case, settings=settings, validation=held, seed=3)
    _, state, early = train(case, settings=settings, validation=held, seed=3, callback=lambda epoch, _: epoch == 3)
    assert state.epoch == early.epochs == 4
    resumed = train(case, settings=settings, validation=held, start=saved_and_loaded(state))
    assert same(resumed[0], whole[0])
    assert all(np.array_equal(resumed[1].arrays[name], whole[1].arrays[name]) for name in whole[1].arrays)
    assert np.array_equal(np.concatenate([early.loss, resumed[2].loss]), whole[2].loss)


def test_resuming_needs_all_of_the_state():
    settings, case = Settings(epochs=10, batch_size=8), subject()
    whole, _, _ = train(case, settings=settings)
    _, state, _ = train(case, settings=Settings(epochs=4, batch_size=8))
    for name in ("first.trunk.1.weight", "second.trunk.1.weight", "weights.trunk.1.weight"):
        damaged = State({**state.arrays, name: 1.001 * state.arrays[name]})
        assert not same(train(case, settings=settings, start=damaged)[0], whole), name
    assert same(train(case, settings=settings, start=state)[0], whole)


def test_a_state_goes_on_in_its_own_precision():
    _, state, _ = train(subject(), settings=Settings(epochs=2, batch_size=8, dtype="float64"))
    with pytest.raises(ValueError, match=r"the state holds \['float64'\], so it goes on with that dtype"):
        train(subject(), settings=Settings(epochs=4, batch_size=8), start=state)


# more than there are members or slabs, than a system starts, and than an int holds
@pytest.mark.parametrize("threads", [2, 3, 100_000, 2**40])
def test_threads_change_no_bit(threads):
    by_members = subject(members=5)
    assert same(train(by_members, threads=threads)[0], train(by_members)[0])
    wide = Settings(epochs=3, batch_size=300)
    by_rows = subject(n=700)
    assert same(train(by_rows, settings=wide, threads=threads)[0], train(by_rows, settings=wide)[0])


def test_a_member_does_not_depend_on_its_neighbours():
    three, _, history = train(subject(members=3), seed=7)
    five, _, _ = train(subject(members=5), seed=7)
    assert same(three, Parameters({name: array[:3] for name, array in five.items()}))
    assert not np.array_equal(three["trunk.1.weight"][0], three["trunk.1.weight"][1])
    assert len(set(history.loss[-1])) == 3


def test_the_seed_decides():
    assert not same(train(subject(), seed=1)[0], train(subject(), seed=2)[0])
    start = subject()[0].initial(0)
    assert not same(train(subject(), seed=1, start=start)[0], train(subject(), seed=2, start=start)[0])
    unshuffled = Settings(epochs=4, batch_size=8, shuffle=False)
    ordered = [train(subject(), settings=unshuffled, seed=seed, start=start)[0] for seed in (1, 2)]
    assert same(*ordered)


def test_every_level_trains_alike():
    found = []
    for level in _native.levels():
        _native.use_level(level)
        found.append(train(subject())[0])
    _native.use_level(_native.levels()[0])
    # twenty steps of float32 with and without fused multiply-add
    assert all(largest_gap(other, found[0]) < 1e-4 for other in found)


def test_rows_of_weight_zero_are_absent_and_a_common_factor_is_nothing():
    architecture, x, y = subject(n=60)
    weight = np.where(np.arange(60) % 3 == 0, 0.0, 2.5)
    kept = weight > 0
    weighed, _, _ = train((architecture, x, y), sample_weight=weight)
    assert same(weighed, train((architecture, x[kept], y[kept]))[0])
    assert not same(weighed, train((architecture, x, y))[0])


def test_a_full_batch_of_integer_weights_is_a_repetition():
    architecture, x, y = subject()
    counts = np.random.default_rng(1).integers(1, 4, 40)
    total = counts.sum()
    few, many = (Settings(epochs=10, batch_size=size, dtype="float64") for size in (40, total))
    weighed, _, _ = train((architecture, x, y), settings=few, sample_weight=counts)
    repeated, _, _ = train((architecture, x.repeat(counts, 0), y.repeat(counts)), settings=many)
    assert largest_gap(weighed, repeated) < 1e-10


def test_members_have_their_own_weights():
    case, weight = subject(members=2), np.random.default_rng(0).gamma(1.0, size=(2, 40))
    both, _, _ = train(case, sample_weight=weight)
    first, _, _ = train(case, sample_weight=weight[0])
    assert np.array_equal(both["trunk.1.weight"][0], first["trunk.1.weight"][0])
    assert not np.array_equal(both["trunk.1.weight"][1], first["trunk.1.weight"][1])


def test_drop_last_leaves_out_what_does_not_fill_a_batch():
    steps = {drop: train(subject(n=20), settings=Settings(epochs=3, batch_size=8, drop_last=drop))[1]
             for drop in (False, True)}  # fmt: skip
    assert [steps[drop].arrays["progress"][0, 1] for drop in (False, True)] == [9, 6]


def overfitting(**options):
    """Train on noise, where the held-out loss soon rises, with another fold per member."""
    rng, architecture = (
        np.random.default_rng(0),
        Architecture((Numeric(),) * 4, free_hidden=(32,), hidden=(8,), members=2),
    )
    x, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    held = np.stack([np.arange(60) % 3 == member for member in range(2)])
    settings = Settings(**{"epochs": 200, "batch_size": 8, "learning_rate": 1e-2, "patience": 5, **options})
    return (architecture, x, y), held, engine.train(architecture, x, y, SQUARED, settings, validation=held, threads=1)


def test_early_stopping_keeps_the_best_weights_of_each_member():
    _, _, (parameters, _, history) = overfitting()
    assert history.stopped_early == (True, True)
    for member, best in enumerate(history.best_epoch):
        losses = history.validation_loss[:, member]
        ran = np.count_nonzero(~np.isnan(losses))
        assert best == np.nanargmin(losses) == ran - 6
        _, _, (until_best, _, _) = overfitting(epochs=best + 1, patience=None)
        assert all(np.array_equal(parameters[name][member], until_best[name][member]) for name in parameters)


def test_validation_losses_are_those_of_the_held_out_rows():
    (architecture, x, y), held, (parameters, _, history) = overfitting()
    for member, best in enumerate(history.best_epoch):
        rows = held[member]
        values, _ = engine.value_and_grad(architecture, parameters, x[rows], y[rows], SQUARED)
        assert values[member] == pytest.approx(history.validation_loss[best, member], rel=1e-6)


def test_a_validation_loss_that_is_no_number_is_never_the_best():
    architecture = Architecture((Numeric(),), hidden=(), free_hidden=(2, 1), free_activation="identity")
    start = architecture.initial(0)
    # halved in each epoch; of the rows that judge, both units are at first infinite
    start["free.0.weight"][:], start["free.0.bias"][:], start["free.1.weight"][:] = 3e38, 0.0, [[[1.0, -1.0]]]
    settings = Settings(epochs=40, optimizer="adamw", learning_rate=0.5, weight_decay=1.0, patience=40)
    x, y = np.zeros((8, 1)), np.zeros(8)
    judges = (np.full((8, 1), 1e5), np.ones(8))
    _, _, history = engine.train(architecture, x, y, SQUARED, settings, validation=judges, start=start)
    losses = history.validation_loss[:, 0]
    assert np.isnan(losses[0])
    assert history.best_epoch[0] == np.nanargmin(losses)


def test_held_out_rows_do_not_train():
    (architecture, x, y), held, (parameters, _, history) = overfitting(epochs=5, patience=None)
    other = y + 100.0 * held[0]
    settings = Settings(epochs=5, batch_size=8, learning_rate=1e-2)
    changed, _, told = engine.train(architecture, x, other, SQUARED, settings, validation=held)
    assert all(np.array_equal(changed[name][0], parameters[name][0]) for name in parameters)
    assert not any(np.array_equal(changed[name][1], parameters[name][1]) for name in parameters)
    assert (told.validation_loss[:, 0] > history.validation_loss[:, 0]).all()


def test_other_rows_can_judge():
    case, settings = subject(members=2), Settings(epochs=3, batch_size=8)
    architecture, x, y = case
    parameters, _, history = train(case, settings=settings, validation=(x[:10], y[:10]))
    values, _ = engine.value_and_grad(architecture, parameters, x[:10], y[:10], SQUARED)
    assert np.allclose(history.validation_loss[-1], values, rtol=1e-6)
    weighed = train(case, settings=settings, validation=(x[:10], y[:10], np.arange(10)))[2]
    values, _ = engine.value_and_grad(architecture, parameters, x[:10], y[:10], SQUARED, sample_weight=np.arange(10))
    assert np.allclose(weighed.validation_loss[-1], values, rtol=1e-6)


def test_rows_named_by_position_train_as_their_copies(rng):
    case, settings = subject(members=2), Settings(epochs=3, batch_size=8)
    architecture, x, y = case
    rows, weight = rng.permutation(len(x))[:30], rng.uniform(1, 2, 30)
    shared, own = np.arange(30) % 5 == 0, np.arange(30) % 5 == [[0], [1]]
    for validation in (None, shared, own, (x[:9], y[:9])):
        options = {"settings": settings, "sample_weight": weight, "validation": validation}
        copied, _, told = train((architecture, x[rows], y[rows]), **options)
        named, _, heard = train((architecture, x, y[rows]), **options, rows=rows)
        assert same(copied, named)
        assert np.array_equal(told.validation_loss, heard.validation_loss, equal_nan=True)
    other = train((architecture, x, y[rows]), settings=settings, rows=np.sort(rows))[0]
    assert not same(train((architecture, x[rows], y[rows]), settings=settings)[0], other), "the control: order matters"


def test_a_mask_for_all_is_one_for_each():
    case, held = subject(members=2), np.arange(40) % 4 == 0
    settings = Settings(epochs=3, batch_size=8)
    parameters, _, history = train(case, settings=settings, validation=held, sample_weight=np.arange(40) + 1)
    each, _, told = train(case, settings=settings, validation=np.stack([held, held]), sample_weight=np.arange(40) + 1)
    assert same(parameters, each)
    assert np.array_equal(history.validation_loss, told.validation_loss)


def test_the_callback_hears_of_every_epoch_and_can_stop():
    heard: list[tuple[int, History]] = []
    train(subject(), callback=lambda epoch, history: heard.append((epoch, history)))
    assert [(epoch, history.epochs) for epoch, history in heard] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    whole, stopped = train(subject()), train(subject(), callback=lambda epoch, _: epoch == 1)
    assert stopped[2].epochs == 2
    assert np.array_equal(stopped[2].loss, whole[2].loss[:2])


def test_a_watch_sees_the_weights_that_each_epoch_ends_with_and_changes_none():
    seen: list[Parameters] = []
    watched = train(subject(members=2), watch=lambda _, parameters: seen.append(parameters))[0]
    for epochs, parameters in enumerate(seen, start=1):
        assert same(parameters, train(subject(members=2), settings=Settings(epochs=epochs, batch_size=8))[0])
    assert len(seen) == 4
    assert same(watched, seen[-1])
    assert not same(seen[-2], seen[-1])


def test_an_error_in_the_callback_reaches_the_caller():
    def fail(epoch, history):
        raise LookupError(f"epoch {epoch} after {history.epochs}")

    with pytest.raises(LookupError, match="epoch 0 after 1"):
        train(subject(), callback=fail)


def test_a_constraint_overrules_the_data():
    x = np.linspace(-1.0, 1.0, 200)[:, None]
    for form in ("post", "pre", "constrained"):
        architecture = Architecture((Numeric(direction=1),), hidden=(8, 8), form=form, activation="celu")
        settings = Settings(epochs=20, batch_size=16, learning_rate=1e-2)
        parameters, _, _ = engine.train(architecture, x, -x[:, 0], SQUARED, settings)
        assert (np.diff(engine.predict(architecture, parameters, x), axis=0) >= 0).all()


def test_training_lowers_the_loss():
    x = np.random.default_rng(0).uniform(-1, 1, size=(500, 2))
    y = np.tanh(3 * x[:, 0]) - x[:, 1] ** 3
    architecture = Architecture((Numeric(direction=1), Numeric(direction=-1)), hidden=(16, 16))
    _, _, history = engine.train(architecture, x, y, SQUARED, Settings(epochs=60, batch_size=16, learning_rate=1e-2))
    assert history.loss[-1, 0] < 0.01 * np.var(y)
