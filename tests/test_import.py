"""What `import isotone` loads and offers."""

from __future__ import annotations

import ast
import importlib.machinery
import subprocess
import sys
from pathlib import Path

import pytest

import isotone
from isotone import _native

# what a machine without torch does: nobody finds it
WITHOUT_TORCH = """
import sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, NoTorch())
"""
LOADED = "import sys; print(sorted(sys.modules))"


def run_python(code: str) -> str:
    """Run ``code`` in a fresh interpreter and return what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def loaded_modules(code: str) -> set[str]:
    """Return the modules that a fresh interpreter holds after ``code``."""
    return set(ast.literal_eval(run_python(f"{code}\n{LOADED}")))


def packages_beyond_numpy(code: str) -> set[str]:
    """Return the packages, neither Python's own nor what ``import numpy`` brings, that are loaded after ``code``."""
    before, after = ({name.partition(".")[0] for name in loaded_modules(run)} for run in ("import numpy", code))
    return after - before - sys.stdlib_module_names


def test_importing_isotone_loads_nothing_but_numpy() -> None:
    assert packages_beyond_numpy("import isotone") == {"isotone"}


@pytest.mark.parametrize(("package", "code"), [("scipy", "import scipy.special"), ("torch", "import isotone.nn")])
def test_a_heavy_import_would_be_seen(package: str, code: str) -> None:
    assert package in packages_beyond_numpy(f"import isotone; {code}")


def test_the_engine_is_a_compiled_module() -> None:
    assert Path(str(_native.__file__)).name.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def test_the_citation_is_of_this_version_and_of_the_paper() -> None:
    cited = (Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {isotone.__version__}" in cited
    assert any("arXiv:2505.02537" in line for line in cited)


def test_every_offered_name_exists() -> None:
    missing = [name for name in isotone.__all__ if not hasattr(isotone, name)]
    assert missing == []
    assert set(isotone.__all__) <= set(dir(isotone))


def test_an_unknown_name_is_refused_in_the_usual_words() -> None:
    with pytest.raises(AttributeError, match="module 'isotone' has no attribute 'MonotoneRegresor'"):
        _ = isotone.MonotoneRegresor  # type: ignore[attr-defined]


def test_a_name_loaded_on_first_use_is_not_loaded_before() -> None:
    before, after = loaded_modules("import isotone"), loaded_modules("import isotone; isotone.Loss")
    assert "isotone.losses" in after - before


@pytest.mark.parametrize("name", [name for name in isotone.__all__ if name.startswith("Monotone")])
def test_an_estimator_brings_scikit_learn_on_first_use(name: str) -> None:
    assert {"sklearn", "isotone.estimators"} & loaded_modules("import isotone; dir(isotone)") == set()
    assert {"sklearn", "isotone.estimators"} <= loaded_modules(f"import isotone; isotone.{name}")


def test_estimators_and_saved_models_need_no_torch() -> None:
    fit = "isotone.MonotoneRegressor(max_iter=2, monotonic_cst=1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])"
    assert run_python(f"{WITHOUT_TORCH}import isotone; print(len({fit}.predict([[0.5]])))").split() == ["1"]


def test_torch_is_not_to_be_had_there() -> None:
    """Negative control: what needs torch fails there, and says which extra brings it."""
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run_python(f"{WITHOUT_TORCH}import isotone.nn")
    assert caught.value.stderr.strip().splitlines()[-1] == (
        "ImportError: isotone.nn needs PyTorch; install it with `pip install 'isotone[torch]'`."
    )
