"""What loads PyTorch, and what is said where it is absent."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_importing_isotone_does_not_load_torch() -> None:
    code = "import sys, isotone; print('torch' in sys.modules); import isotone.nn; print('torch' in sys.modules)"
    assert run_python(code).stdout.split() == ["False", "True"]


@pytest.mark.parametrize("module", ["isotone.nn", "isotone.nn.functional", "isotone.nn.layers"])
def test_a_missing_torch_is_one_error_that_names_the_extra(module: str) -> None:
    done = run_python(f"import sys; sys.modules['torch'] = None; import {module}")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last == "ImportError: isotone.nn needs PyTorch; install it with `pip install 'isotone[torch]'`."


def test_another_missing_module_is_not_blamed_on_torch() -> None:
    """Negative control: a torch that is there and broken speaks for itself."""
    broken = "import sys; sys.modules['torch'] = None; import builtins; old = builtins.__import__\n"
    broken += "def fail(name, *rest, **more):\n"
    broken += "    if name == 'torch':\n        raise ModuleNotFoundError('no module named libfoo', name='libfoo')\n"
    broken += "    return old(name, *rest, **more)\nbuiltins.__import__ = fail\nimport isotone.nn"
    assert run_python(broken).stderr.strip().splitlines()[-1] == "ModuleNotFoundError: no module named libfoo"
