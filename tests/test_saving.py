"""A model file is written whole or not at all, whatever happens to the process that writes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import isotone
from isotone.files import FileError
from isotone.files.bundle import encoded
from tests.test_files import example


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.isotone"
    isotone.save(example(), path)
    old = path.read_bytes()

    def fail(_: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        isotone.save(example(parameters=example().architecture.initial(4)), path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*absent' to save 'model.isotone' in"):
        isotone.save(example(), tmp_path / "absent" / "model.isotone")


SAVING = """
import sys, numpy as np, isotone
from isotone.encoding import Encoder, Field
from isotone.files import Predictor
column = isotone.Numeric(direction=1)
network = isotone.Architecture((column,), hidden=(700, 700))
fields = Encoder((Field("x", column),))
models = [Predictor(network, network.initial(seed), fields) for seed in range(2)]
isotone.save(models[0], sys.argv[1])
print("saved", flush=True)
while True:
    for model in models:
        isotone.save(model, sys.argv[1])
"""


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.011, 0.017, 0.03])
def test_a_process_killed_while_saving_leaves_a_whole_file(delay: float, tmp_path: Path) -> None:
    path = tmp_path / "model.isotone"
    process = subprocess.Popen([sys.executable, "-c", SAVING, path], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"saved\n"
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert isotone.load(path).architecture.hidden == (700, 700)


# a process that dies at one point of a save, as if by kill -9
DYING = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
import isotone
from isotone.files import bundle

path, point = sys.argv[1:]
model = isotone.load(path)
other = replace(model, parameters=model.architecture.initial(4))

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def write_half(file, content):
    file.write(content[: len(content) // 2])
    file.flush()
    die()

class Half:
    def __init__(self, descriptor, mode):
        self.file = open(descriptor, mode)
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass
    def write(self, content):
        write_half(self.file, content)

def plainly(path, content):
    with path.open("wb") as file:
        write_half(file, content)

points = {
    "created": (os, "fdopen", die),
    "half written": (os, "fdopen", Half),
    "written": (os, "fsync", die),
    "on the disk": (Path, "chmod", die),
    "about to take its place": (Path, "replace", die),
    "in its place": (bundle, "_sync_folder", die),
    "no such care": (bundle, "_write_atomically", plainly),
}
setattr(*points[point])
isotone.save(other, path)
"""


def after_death(point: str, folder: Path) -> Path:
    """Return what a process that died at this point of a save over the example leaves."""
    path = folder / "model.isotone"
    isotone.save(example(), path)
    done = subprocess.run([sys.executable, "-c", DYING, path, point], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return path


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has SIGKILL")
@pytest.mark.parametrize("point", ["created", "half written", "written", "on the disk", "about to take its place"])
def test_a_death_before_the_last_step_leaves_the_old_file(point: str, tmp_path: Path) -> None:
    assert after_death(point, tmp_path).read_bytes() == encoded(example())


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has SIGKILL")
def test_a_death_after_the_last_step_leaves_the_new_file(tmp_path: Path) -> None:
    new = example(parameters=example().architecture.initial(4))
    assert after_death("in its place", tmp_path).read_bytes() == encoded(new)


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has SIGKILL")
def test_a_death_in_a_plain_write_leaves_neither(tmp_path: Path) -> None:
    """Negative control: the steps of a save are what keeps the old file."""
    with pytest.raises(FileError):
        isotone.load(after_death("no such care", tmp_path))


def test_a_file_may_be_read_by_whom_the_mask_allows(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        isotone.save(example(), tmp_path / "model.isotone")
    finally:
        os.umask(old)
    assert (tmp_path / "model.isotone").stat().st_mode & 0o777 == 0o640
