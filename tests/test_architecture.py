"""The house keeps its rules, and each rule catches a house that breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house import imports, sizes, words
from tests.house.sources import House, Rule

ROOT = Path(__file__).parents[1]
RULES: tuple[Rule, ...] = (*imports.RULES, *sizes.RULES, *words.RULES)

# Small houses that each break one rule. Words that may not stand in a file are put together here.
PASS = "    pass\n"
SHOWN = 'def f():\n    """Say f.\n\n    >>> f()\n    """\n'
LONG = "def f():\n" + PASS * 40
FORKED = "def f(x):\n" + "    if x: pass\n" * 8
KERNEL = "namespace a {\nstruct B {\n  void f(int x) {\n    if (x) {\n    }\n" + "    g();\n" * 80 + "  }\n};\n}\n"
HOME = "/" + "home/"
BAD: tuple[tuple[Rule, dict[str, str]], ...] = (
    (imports.climbing_imports, {"constraints.py": "from isotone import losses", "losses.py": ""}),
    (imports.climbing_imports, {"constraints.py": "def f():\n    from .losses import Loss", "losses.py": ""}),
    (imports.climbing_imports, {"theory/a.py": "import isotone.verify.b", "verify/b.py": ""}),
    (imports.climbing_imports, {"verify/b.py": "from ..theory.a import bound", "theory/a.py": ""}),
    (imports.climbing_imports, {"losses.py": "import isotone", "__init__.py": ""}),
    (imports.climbing_imports, {"nn/functional.py": "from isotone.nn.layers import A", "nn/layers/__init__.py": ""}),
    (imports.climbing_imports, {"nn/networks/a.py": "from isotone.nn import SwitchLinear", "nn/__init__.py": ""}),
    (imports.homeless_modules, {"attic.py": ""}),
    (imports.import_cycles, {"verify/a.py": "from .b import x", "verify/b.py": "from isotone.verify import a"}),
    (imports.heavy_imports, {"files.py": "import torch"}),
    (imports.heavy_imports, {"losses.py": "from sklearn.base import clone"}),
    (imports.heavy_imports, {"files.py": "try:\n    import torch\nexcept ImportError:\n    torch = None"}),
    (imports.heavy_imports, {"losses.py": "import click"}),
    (imports.undeclared_imports, {"losses.py": "def f():\n    import requests"}),
    (imports.undeclared_imports, {"losses.py": "from benchmarks.metrics import auc"}),
    (imports.undeclared_imports, {"nn/functional.py": "from tests import cases"}),
    (imports.imports_by_name, {"losses.py": "import importlib\nimportlib.import_module('isotone.cli')"}),
    (sizes.long_files, {"losses.py": "x = 1\n" * 401}),
    (sizes.long_files, {"_native/a.hpp": "int x;\n" * 401}),
    (sizes.long_definitions, {"reference.py": "x = 1\n" * 151}),
    (sizes.long_facades, {"nn/__init__.py": "x = 1\n" * 41}),
    (sizes.long_functions, {"losses.py": LONG}),
    (sizes.long_functions, {"losses.py": LONG.replace("def", "async def")}),
    (sizes.long_median, {"losses.py": "def f():\n" + PASS * 8}),
    (sizes.tangled_functions, {"losses.py": FORKED}),
    (sizes.long_kernels, {"_native/a.cpp": KERNEL}),
    (words.nameless_files, {"nn/utils.py": ""}),
    (words.banned_words, {"losses.py": "raise Not" + "ImplementedError"}),
    (words.banned_words, {"losses.py": "try:\n    x\nexcept E" + "xception:\n    y"}),
    (words.banned_words, {"losses.py": "try:\n    x\nexcept" + ":\n    y"}),
    (words.banned_words, {"_native/a.cpp": "// TO" + "DO: later"}),
    (words.machine_paths, {"losses.py": f"open('{HOME}me/data.csv')"}),
    (words.silent_names, {"losses.py": "def f(): ..."}),
    (words.silent_names, {"losses.py": "class Loss:\n    '''A loss.'''"}),
    (words.undescribed_parts, {"losses.py": ""}),
)
# What comes near to a broken rule without breaking it.
GOOD: tuple[tuple[Rule, dict[str, str]], ...] = (
    (imports.climbing_imports, {"reference.py": "from isotone.architecture import A", "architecture.py": ""}),
    (imports.climbing_imports, {"nn/layers/a.py": "from .. import functional as F", "nn/functional.py": ""}),
    (imports.climbing_imports, {"files.py": "from isotone import __version__", "__init__.py": ""}),
    (imports.climbing_imports, {"__init__.py": "from isotone.estimators import A", "estimators/__init__.py": ""}),
    (imports.heavy_imports, {"files.py": "def f():\n    import torch"}),
    (imports.heavy_imports, {"nn/functional.py": "import torch"}),
    (imports.heavy_imports, {"files.py": "class A:\n    def f(self):\n        import torch"}),
    (sizes.long_functions, {"losses.py": 'def f():\n    """Say.\n' + "\n" * 60 + '    """\n' + PASS * 39}),
    (sizes.long_kernels, {"_native/a.cpp": "namespace a {\n" + "void f() {\n}\n" * 50 + "}\n"}),
    (words.banned_words, {"losses.py": "# TO" + "DO(#12): a better bound"}),
    (words.machine_paths, {"losses.py": "see docs" + HOME + "index.md"}),
    (words.silent_names, {"losses.py": SHOWN + "def _g(): ..."}),
    (words.silent_names, {"losses.py": "__all__ = ['f']\n" + SHOWN + "def g(): ..."}),
)


def house(files: dict[str, str]) -> House:
    """Return a house that holds ``files`` in the package."""
    return House({f"src/isotone/{path}": text for path, text in files.items()})


@pytest.fixture(scope="module")
def ours() -> House:
    return House.at(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_the_rule(rule: Rule, ours: House) -> None:
    offences = rule(ours)
    assert not offences, "\n".join([str(rule.__doc__), *offences])


@pytest.mark.parametrize(("rule", "files"), BAD, ids=lambda value: getattr(value, "__name__", ""))
def test_the_rule_catches_a_house_that_breaks_it(rule: Rule, files: dict[str, str]) -> None:
    assert len(rule(house(files))) >= 1


@pytest.mark.parametrize(("rule", "files"), GOOD, ids=lambda value: getattr(value, "__name__", ""))
def test_the_rule_leaves_a_near_miss_alone(rule: Rule, files: dict[str, str]) -> None:
    assert rule(house(files)) == []


@pytest.mark.parametrize("readme", ["text\n" * 40, "```python\n```\n" * 61], ids=["late", "long"])
def test_a_long_or_late_readme_is_caught(readme: str) -> None:
    assert len(sizes.long_readme(House({"README.md": readme}))) == 1


def test_a_declared_dependency_may_be_imported() -> None:
    declared = 'dependencies = ["scikit-learn>=1.6"]\noptional-dependencies.torch = ["torch>=2.6"]\n'
    code = "import os, sklearn.base\nimport torch\nfrom . import weights"
    sources = {"src/isotone/losses.py": code, "pyproject.toml": f"[project]\n{declared}"}
    assert imports.undeclared_imports(House(sources)) == []
    assert len(imports.undeclared_imports(House(sources | {"pyproject.toml": ""}))) == 2


def test_every_rule_has_a_control() -> None:
    assert set(RULES) - {rule for rule, _ in BAD} == {sizes.long_readme}


def test_the_rules_see_the_sources(ours: House) -> None:
    assert not [path for path in ours.files if path.startswith((".venv", "build"))]


def test_what_git_keeps_for_itself_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(f"gitdir: {HOME}me/repository")
    (tmp_path / "page.md").write_text(f"see {HOME}me/repository")
    assert words.machine_paths(House.at(tmp_path)) == [f"page.md:1 see {HOME}me/repository"]
