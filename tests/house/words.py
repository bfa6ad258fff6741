"""What may not stand in a file, and what must."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import CODE, PACKAGE, Function, House, Source

NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc"}
# The brackets keep these lines from being found by the patterns they hold.
BANNED = {
    "a promise instead of code": r"\bNot[I]mplementedError\b",
    "an except that catches everything": r"\bexcept\s+(Base)?E[x]ception\b|\bexcept\s*[:]",
    "a note without an issue number": r"\b(T[O]DO|F[I]XME|X[X]X)\b(?!\(#\d+\))",
}
MACHINE_PATH = r"(?<![A-Za-z0-9_.])/(?:work|tmp|farm|root|home)/"


def nameless_files(house: House) -> list[str]:
    """A file is named after its idea."""
    return [source.path for source in house.under(CODE, ".py", ".hpp", ".cpp") if Path(source.path).stem in NAMELESS]


def banned_words(house: House) -> list[str]:
    """No promise instead of code, no except that hides errors, no note that nobody owns."""
    return [
        f"{source.path}:{number} has {what}"
        for source in house.under(CODE, ".py", ".cpp", ".hpp", ".h")
        for number, line in enumerate(source.lines, 1)
        for what, pattern in BANNED.items()
        if re.search(pattern, line)
    ]


def machine_paths(house: House) -> list[str]:
    """No path of somebody's machine."""
    return [
        f"{source.path}:{number} {line.strip()[:60]}"
        for source in house.under("")
        for number, line in enumerate(source.lines, 1)
        if re.search(MACHINE_PATH, line)
    ]


def silent_names(house: House) -> list[str]:
    """Every public name of a public module shows an example that runs."""
    return [
        f"{source.path}:{node.lineno} {node.name} has no >>> example"
        for source in house.under(PACKAGE, ".py")
        if source.parts[:1] != ("cli",) and not any(part.startswith("_") for part in source.parts)
        for node in public_names(source)
        if ">>> " not in (ast.get_docstring(node) or "")
    ]


def undescribed_parts(house: House) -> list[str]:
    """ARCHITECTURE.md names every part of the package and every folder of code."""
    page = house.files.get("ARCHITECTURE.md", "")
    parts = {source.parts[0] for source in house.modules.values() if source.parts}
    folders = {f"{path.split('/')[0]}/" for path in house.files if path.startswith(CODE)}
    return [name for name in sorted(parts | folders - {"src/"}) if f"`{name}`" not in page]


def public_names(source: Source) -> Iterator[ast.ClassDef | Function]:
    """Yield the classes and functions that a module offers: those in ``__all__``, else those without underscore."""
    offered = _offered(source.tree)
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef | Function):
            is_offered = node.name in offered if offered is not None else not node.name.startswith("_")
            if is_offered:
                yield node


def _offered(tree: ast.Module) -> set[str] | None:
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    for node in assigned:
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            return set(ast.literal_eval(node.value))
    return None


RULES = (nameless_files, banned_words, machine_paths, silent_names, undescribed_parts)
