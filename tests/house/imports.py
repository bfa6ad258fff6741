"""Who may import whom."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping

from tests.house.sources import Function, House, Source

Parts = tuple[str, ...]

FLOORS = (
    {"constraints", "activations", "weights"},
    {"columns", "architecture", "initialisation", "reference", "losses"},
    {"engine", "_native", "encoding", "nn"},
    {"theory", "verify", "files"},
    {"estimators"},
    {"export", "report"},
    {"cli"},
)
UNITS = {(unit,) for floor in FLOORS for unit in floor}
# On one floor a file stands alone, but for these: the description is made of columns and calls its initialisation, the
# definition reads the description, and the engine is one thing in two languages (its stub names types of the face, and
# is never run).
NEIGHBOURS = {
    ("architecture", "columns"),
    ("architecture", "initialisation"),
    ("reference", "architecture"),
    ("engine", "_native"),
    ("_native", "engine"),
}
# Inside nn the order is that of the style guide; whatever is not named here stands above all of them.
STOREYS = ("ops", "functional", "layers", "networks")
# Where a package may be imported as soon as the importing file is; elsewhere, inside the function that needs it.
AT_IMPORT = {
    "torch": {"nn"},
    "triton": {"nn"},
    "sklearn": {"estimators"},
    "matplotlib": {"report"},
    "onnx": {"export"},
    "onnxruntime": {"export"},
    "pandas": set(),
    "polars": set(),
    "pyarrow": set(),
    "tqdm": set(),
    "click": {"cli"},
    "z3": {"verify"},
}
# Where a package is installed under another name than it is imported by, or comes along with another.
INSTALLED_AS = {"sklearn": "scikit-learn", "joblib": "scikit-learn", "z3": "z3-solver", "triton": "torch"}
# Who may ask for a module by its name as a text, which the rules below do not follow: the façade, which loads late, and
# the files, whose estimators register themselves.
BY_NAME = {(), ("files", "origin")}


def climbing_imports(house: House) -> list[str]:
    """A file imports only from floors below."""
    return [
        f"{source.path}:{line} imports {'.'.join(('isotone', *name))}"
        for parts, source in house.modules.items()
        for line, name in imported(house, source)
        if not may_import(parts, name)
    ]


def homeless_modules(house: House) -> list[str]:
    """Every module has its floor."""
    return [source.path for parts, source in house.modules.items() if parts and parts[:1] not in UNITS]


def import_cycles(house: House) -> list[str]:
    """No module reaches itself through imports."""
    graph = {
        parts: {name for _, name in imported(house, source) if name != parts} for parts, source in house.modules.items()
    }
    return [".".join(("isotone", *parts)) for parts in graph if parts in _reachable(graph, parts)]


def heavy_imports(house: House) -> list[str]:
    """A heavy package is imported at the top of a file only where the whole folder is about it."""
    return [
        f"{source.path}:{line} imports {name}"
        for parts, source in house.modules.items()
        for line, name in _foreign(source.tree)
        if name in AT_IMPORT and not set(parts[:1]) & AT_IMPORT[name]
    ]


def undeclared_imports(house: House) -> list[str]:
    """What the package imports, anywhere, is Python's, its own, or a dependency that pyproject.toml names."""
    known = {"isotone", *sys.stdlib_module_names, *_declared(house)}
    return [
        f"{source.path}:{line} imports {name}"
        for source in house.modules.values()
        for line, name in _imported_packages(source.tree)
        if INSTALLED_AS.get(name, name) not in known
    ]


def imports_by_name(house: House) -> list[str]:
    """A module is imported by a statement, not by its name as a text."""
    return [
        f"{source.path}:{node.lineno} calls {called}"
        for parts, source in house.modules.items()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and (called := ast.unparse(node.func)).endswith(("import_module", "__import__"))
        and parts not in BY_NAME
    ]


def may_import(reader: Parts, read: Parts) -> bool:
    """Say whether the module ``reader`` may import the module ``read``."""
    if not reader:
        return True
    if reader[:1] == read[:1]:
        return reader[0] != "nn" or _storey(read) <= _storey(reader)
    return _floor(read) < _floor(reader) or (reader[0], *read[:1]) in NEIGHBOURS


def imported(house: House, source: Source) -> Iterator[tuple[int, Parts]]:
    """Yield the line and the name of every module of the package that ``source`` imports, wherever in it."""
    for node in ast.walk(source.tree):
        for target in _targets(source, node):
            name = target
            while name and name not in house.modules and name not in UNITS:
                name = name[:-1]
            yield node.lineno, name


def _targets(source: Source, node: ast.AST) -> list[Parts]:
    if isinstance(node, ast.Import):
        named = [tuple(alias.name.split(".")) for alias in node.names]
        return [name[1:] for name in named if name[0] == "isotone"]
    if isinstance(node, ast.ImportFrom):
        base = _base(source, node)
        # the version is a plain string that the façade sets before anything else
        names = [alias.name for alias in node.names if alias.name != "__version__"]
        return [(*base[1:], name) for name in names if base[:1] == ("isotone",)]
    return []


def _base(source: Source, node: ast.ImportFrom) -> Parts:
    base = tuple(node.module.split(".")) if node.module else ()
    if not node.level:
        return base
    package = source.parts if source.path.endswith("__init__.py") else source.parts[:-1]
    return ("isotone", *package[: len(package) - node.level + 1], *base)


def _floor(parts: Parts) -> int:
    """Return the floor of a module; the façade, and what has no floor, stands on the roof."""
    return next((level for level, units in enumerate(FLOORS) if set(parts[:1]) & units), len(FLOORS))


def _storey(parts: Parts) -> int:
    return STOREYS.index(parts[1]) if len(parts) > 1 and parts[1] in STOREYS else len(STOREYS)


def _reachable(graph: Mapping[Parts, set[Parts]], start: Parts) -> set[Parts]:
    seen: set[Parts] = set()
    waiting = list(graph[start])
    while waiting:
        parts = waiting.pop()
        if parts not in seen:
            seen.add(parts)
            waiting.extend(graph.get(parts, ()))
    return seen


def _declared(house: House) -> set[str]:
    """Return the names of the distributions that a user may ask for: dependencies and extras."""
    project = tomllib.loads(house.files.get("pyproject.toml", "")).get("project", {})
    named = [
        *project.get("dependencies", ()),
        *(one for extra in project.get("optional-dependencies", {}).values() for one in extra),
    ]
    return {re.split(r"[^\w.-]", one)[0] for one in named}


def _imported_packages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and package of every import, those inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module.split(".")[0]


def _foreign(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and package of what is imported with the file: everywhere but inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module.split(".")[0]
        elif not isinstance(node, Function):
            yield from _foreign(node)


RULES = (climbing_imports, homeless_modules, import_cycles, heavy_imports, undeclared_imports, imports_by_name)
