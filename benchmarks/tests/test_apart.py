import io
import signal
import subprocess
import time

import numpy as np
import pytest

from benchmarks import peers, results
from benchmarks.apart import messages, workshop
from benchmarks.tests.opposing import SIGNS, fitted

NAME = "pytorch_lattice"


def test_a_message_arrives_as_it_was_sent():
    stream = io.BytesIO()
    sent = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "y": np.array([0.5])}
    messages.send(stream, {"act": "fit", "rank": 3}, sent)
    messages.send(stream, {"act": "end"}, {})
    stream.seek(0)
    settings, arrays = messages.receive(stream)
    assert settings == {"act": "fit", "rank": 3}
    assert {name: (array.dtype, array.tolist()) for name, array in arrays.items()} == {
        name: (array.dtype, array.tolist()) for name, array in sent.items()
    }
    assert messages.receive(stream) == ({"act": "end"}, {})
    assert messages.receive(stream) is None


def test_half_a_message_is_none():
    stream = io.BytesIO()
    messages.send(stream, {"act": "fit"}, {})
    assert messages.receive(io.BytesIO(stream.getvalue()[:-1])) is None


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """The commands that would make an environment, which do nothing but succeed."""
    asked = []

    def run(command, check):
        asked.append([str(word) for word in command])
        (tmp_path / ".venv-some").mkdir(exist_ok=True)
        return subprocess.CompletedProcess(command, returncode=0)

    monkeypatch.setattr(workshop, "HERE", tmp_path)
    monkeypatch.setattr(workshop, "BENCHMARKS", tmp_path)
    monkeypatch.setattr(workshop.subprocess, "run", run)
    (tmp_path / "some.txt").write_text("numpy==1.26.4\n")
    return asked


def test_an_environment_is_made_once_and_again_when_its_list_changes(commands, tmp_path):
    python = workshop.environment("some")
    assert python == tmp_path / ".venv-some" / "bin" / "python"
    assert [command[1:3] for command in commands] == [["-m", "venv"], ["-m", "pip"]]
    workshop.environment("some")
    assert len(commands) == 2
    (tmp_path / "some.txt").write_text("numpy==1.26.3\n")
    workshop.environment("some")
    assert len(commands) == 4


def test_an_environment_that_cannot_be_made_is_named_and_not_taken_for_complete(commands, monkeypatch):
    failing = lambda command, check: subprocess.CompletedProcess(command, returncode=1)  # noqa: E731
    monkeypatch.setattr(workshop.subprocess, "run", failing)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="environment of some could not be made; leave some out"):
            workshop.environment("some")


def test_a_command_prepares_the_peers_it_runs(monkeypatch, tmp_path):
    from benchmarks import run

    prepared = []
    monkeypatch.setattr("benchmarks.peers.linear.Linear.prepare", classmethod(lambda cls: prepared.append(cls.name)))
    monkeypatch.setattr(run, "run_cells", lambda *arguments: prepared.append("run"))
    run.main(["honest", "--tasks", "heart", "--peers", "linear", "--results", str(tmp_path)])
    assert prepared == ["linear", "run"]


def test_a_line_has_the_versions_of_the_environment_of_its_own():
    versions = results.provenance((), 1, NAME)["versions"]
    assert versions["pytorch_lattice"] == "0.2.0"
    assert versions["numpy"] == np.__version__


@pytest.mark.peers
def test_what_another_process_works_counts():
    before, own = workshop.processor_seconds(), time.process_time()
    fitted(peers.find(NAME)(), "regression", SIGNS)
    assert workshop.processor_seconds() - before > time.process_time() - own


@pytest.mark.peers
def test_fitted_peers_of_one_process_do_not_mix():
    first, frame = fitted(peers.find(NAME)(knots=5), "regression", SIGNS)
    before = first.predict(frame)
    fitted(peers.find(NAME)(knots=20), "regression", SIGNS)
    assert np.array_equal(first.predict(frame), before)


@pytest.mark.peers
def test_an_error_over_there_is_one_here():
    with pytest.raises(RuntimeError, match="environment of pytorch_lattice ended with code 1"):
        workshop.Workshop(NAME).ask({"act": "dance"}, {})


@pytest.mark.peers
def test_a_limit_over_there_is_that_of_this_process(monkeypatch):
    ours = []
    monkeypatch.setattr(workshop.signal, "raise_signal", ours.append)
    shop = workshop.Workshop(NAME)
    shop._process.send_signal(signal.SIGXCPU)
    with pytest.raises(RuntimeError, match="ended with code"):
        shop.ask({"act": "fit"}, {})
    assert ours == [signal.SIGXCPU]
