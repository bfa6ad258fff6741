"""A training that is stopped from outside leaves a valid model to go on from; a forked worker trains."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

from isotone import engine
from isotone.architecture import Architecture, Numeric
from isotone.engine import Interrupted, Settings, State
from tests.native.trainings import SQUARED, same, subject, train


@pytest.fixture(autouse=True)
def _listening():
    """Answer Ctrl-C even where a shell started the suite in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(case, settings, **options):
    """Return what a training had reached when Ctrl-C came."""
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(Interrupted) as caught:
        train(case, settings=settings, **options)
    return caught.value


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_leaves_a_valid_model_to_go_on_from(threads):
    case, settings = subject(members=3), Settings(epochs=10**6, batch_size=8)
    reached = interrupted(case, settings, threads=threads)
    assert 0 < reached.history.epochs < settings.epochs
    assert same(reached.parameters.check(case[0]), reached.state.parameters)
    target = Settings(epochs=reached.state.epoch + 2, batch_size=8)
    assert same(train(case, settings=target, start=reached.state)[0], train(case, settings=target)[0])


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_in_the_middle_of_a_long_step_drops_that_step(threads):
    # three steps an epoch and a validation, each of many slabs
    case, settings = subject(n=30_000), Settings(epochs=10**6, batch_size=8_000)
    held = np.arange(30_000) % 4 == 0
    reached = interrupted(case, settings, threads=threads, validation=held)
    target = Settings(epochs=reached.state.epoch + 1, batch_size=8_000)
    resumed = train(case, settings=target, start=reached.state, validation=held)
    assert same(resumed[0], train(case, settings=target, validation=held)[0])


# how long a running training may take to stop
PATIENCE = 0.1
LONG = {
    "short steps": (subject(members=3), {"settings": Settings(epochs=10**7, batch_size=8)}),
    "long steps": (subject(n=60_000), {"settings": Settings(epochs=10**6, batch_size=60_000)}),
    "two threads by members": (subject(members=3), {"settings": Settings(epochs=10**7, batch_size=8), "threads": 2}),
    "two threads by rows": (subject(n=60_000), {"settings": Settings(epochs=10**6, batch_size=60_000), "threads": 2}),
    "a validation": (
        subject(n=60_000),
        {"settings": Settings(epochs=10**6, batch_size=64), "validation": np.arange(60_000) >= 64},
    ),
    "a callback": (
        subject(members=3),
        {"settings": Settings(epochs=10**7, batch_size=8), "callback": lambda epoch, history: False},
    ),
}


def seconds_to_stop(case, after: float = 0.2, **options) -> float:
    """Return how long a training goes on after Ctrl-C."""
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(after, press).start()
    with pytest.raises(KeyboardInterrupt):
        train(case, **options)
    return time.perf_counter() - pressed[0]


@pytest.mark.parametrize("which", LONG)
def test_ctrl_c_stops_within_a_tenth_of_a_second(which):
    case, options = LONG[which]
    # the best of three, for a machine that does something else may take any time
    assert min(seconds_to_stop(case, **options) for _ in range(3)) < PATIENCE


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_a_wide_network_before_many_slabs_of_rows(threads):
    rng, architecture = np.random.default_rng(0), Architecture((Numeric(direction=1),) * 2, hidden=(1500, 1500))
    x, y = rng.normal(size=(8192, 2)), rng.normal(size=8192)
    parameters = architecture.initial(0)
    began = time.perf_counter()
    engine.value_and_grad(architecture, parameters, x[:32], y[:32], SQUARED)
    slab = time.perf_counter() - began
    options = {"settings": Settings(epochs=1000, batch_size=8192), "start": parameters, "threads": threads}
    # where a slab takes a tenth of a second, as under the sanitizers, it is what there is to wait for
    allowed = max(PATIENCE, 3 * slab)
    assert min(seconds_to_stop((architecture, x, y), **options) for _ in range(3)) < allowed


def test_a_training_that_does_not_listen_is_caught():
    """Negative control: between a callback's first line and its last nobody asks for Ctrl-C."""

    def deaf(epoch, history):
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        time.sleep(0.5)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    settings = Settings(epochs=10**7, batch_size=8)
    assert seconds_to_stop(subject(), settings=settings, callback=deaf) > PATIENCE


def test_other_threads_of_python_run_while_a_training_does():
    beats, done = [], threading.Event()

    def beat():
        while not done.wait(0.001):
            beats.append(time.perf_counter())

    heart = threading.Thread(target=beat)
    heart.start()
    started = time.perf_counter()
    # one call of the engine from end to end, with nobody to call back
    train(subject(n=2_000), settings=Settings(epochs=300, batch_size=8))
    ended = time.perf_counter()
    done.set()
    heart.join()
    inside = [moment for moment in beats if started < moment < ended]
    assert len(inside) > 10 * (ended - started)


def before_judging(case, settings, held):
    """Return a state whose first epoch has taken its steps and waits for its validation, where Ctrl-C may leave it."""
    _, state, history = train(case, settings=settings, sample_weight=~held)
    names, table = engine.settings.PROGRESS, state.arrays["progress"].copy()
    kept = float((~held).sum())
    values = {
        "epoch": 0,
        "batch": table[0, names.index("step")],
        "loss_sum": history.loss[0, 0] * kept,
        "weight_sum": kept,
    }
    for name, value in values.items():
        table[:, names.index(name)] = value
    return State(state.arrays | {"progress": table})


@pytest.mark.parametrize("threads", [1, 2])
def test_a_state_between_the_last_step_of_an_epoch_and_its_validation_goes_on(threads):
    case, settings = subject(n=2_000), Settings(epochs=1, batch_size=500)
    held = np.arange(2_000) % 2 == 0
    state = before_judging(case, settings, held)
    resumed = train(case, settings=settings, start=state, validation=held, threads=threads)
    whole = train(case, settings=settings, validation=held)
    assert same(resumed[0], whole[0])
    assert np.array_equal(resumed[2].validation_loss, whole[2].validation_loss)


def _child(connection):
    connection.send({name: array.tobytes() for name, array in train(subject(members=3), threads=2)[0].items()})


def test_a_forked_worker_trains():
    parent, _, _ = train(subject(members=3), threads=2)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    worker = context.Process(target=_child, args=(there,))
    worker.start()
    assert here.poll(60)
    found = here.recv()
    worker.join()
    assert worker.exitcode == 0
    assert found == {name: array.tobytes() for name, array in parent.items()}
