"""How long and how tangled a file or a function may be."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator

from tests.house.sources import CODE, PACKAGE, Function, House

FORKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)


def long_files(house: House) -> list[str]:
    """A file has at most 400 lines."""
    sources = house.under(CODE, ".py", ".pyi", ".cpp", ".hpp", ".h")
    return [f"{source.path}: {len(source.lines)} lines" for source in sources if len(source.lines) > 400]


def long_definitions(house: House) -> list[str]:
    """The definition has at most 150 lines: truth is slow and short."""
    sources = house.under(PACKAGE, "reference.py")
    return [f"{source.path}: {len(source.lines)} lines" for source in sources if len(source.lines) > 150]


def long_facades(house: House) -> list[str]:
    """An ``__init__`` has at most 40 lines."""
    facades = house.under(PACKAGE, "__init__.py")
    return [f"{source.path}: {len(source.lines)} lines" for source in facades if len(source.lines) > 40]


def long_functions(house: House) -> list[str]:
    """A Python function has at most 40 lines without its docstring."""
    return [
        f"{source.path}:{node.lineno} {node.name}: {length(node)} lines"
        for source, node in house.functions(CODE)
        if length(node) > 40
    ]


def long_median(house: House) -> list[str]:
    """The median function of the package has at most 8 lines."""
    lengths = [length(node) for _, node in house.functions(PACKAGE)]
    median = statistics.median(lengths) if lengths else 0
    return [f"{PACKAGE}: the median function has {median} lines"] if median > 8 else []


def tangled_functions(house: House) -> list[str]:
    """A function has a complexity of at most 8."""
    return [
        f"{source.path}:{node.lineno} {node.name}: complexity {complexity(node)}"
        for source, node in house.functions(CODE)
        if complexity(node) > 8
    ]


def long_kernels(house: House) -> list[str]:
    """A C++ function has at most 80 lines."""
    return [
        f"{source.path}:{first}: {last - first + 1} lines"
        for source in house.under("src/", ".cpp", ".hpp", ".h")
        for first, last in braced_functions(source.text)
        if last - first + 1 > 80
    ]


def long_readme(house: House) -> list[str]:
    """The README has at most 120 lines, and code before line 35."""
    lines = house.files.get("README.md", "").splitlines()
    code = [number for number, line in enumerate(lines, 1) if line.startswith("```python")]
    offences = {
        f"README.md: {len(lines)} lines": len(lines) > 120,
        "README.md: no Python before line 35": min(code, default=35) >= 35,
    }
    return [offence for offence, is_so in offences.items() if is_so]


def length(function: Function) -> int:
    """Return the number of lines of a function without its decorators and its docstring."""
    first = function.body[0]
    described = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if described else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def complexity(function: Function) -> int:
    """Return one more than the number of places where a function forks."""
    return 1 + sum(isinstance(node, FORKS) for node in ast.walk(function))


def braced_functions(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of every outermost braced block of C++ that follows a parenthesis."""
    quiet = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    plain = quiet.sub(lambda found: "\n" * found[0].count("\n"), text)
    opened: list[tuple[int, bool]] = []
    since = 0
    for found in re.finditer(r"[{};]", plain):
        if found[0] == "{":
            opened.append((found.start(), _is_function_head(plain[since : found.start()])))
        elif found[0] == "}" and opened:
            start, is_function = opened.pop()
            if is_function and not any(inside for _, inside in opened):
                yield plain.count("\n", 0, start) + 1, plain.count("\n", 0, found.start()) + 1
        since = found.end()


def _is_function_head(head: str) -> bool:
    return "(" in head and re.search(r"\b(namespace|struct|class|union|enum|extern)\b", head) is None


RULES = (
    long_files,
    long_definitions,
    long_facades,
    long_functions,
    long_median,
    tangled_functions,
    long_kernels,
    long_readme,
)
