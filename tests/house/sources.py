"""What the rules look at: text and syntax trees.

Nothing of the package is imported, so a file that cannot be imported is judged too.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = "src/isotone/"
# Folders that a command makes and git ignores, beside the hidden ones.
MADE = {"__pycache__", "_build", "_generated", "build", "dist"}
CODE = ("src/", "tests/", "benchmarks/", "examples/", "docs/")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file of the repository."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names that lead to a module inside the package: ``("nn", "layers", "switch")``; none for the façade."""
        parts = self.path.removeprefix(PACKAGE).removesuffix(".pyi").removesuffix(".py").split("/")
        return tuple(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@dataclass(frozen=True)
class House:
    """All files that the rules look at, by path relative to the root of the repository."""

    files: Mapping[str, str]

    @classmethod
    def at(cls, root: Path) -> House:
        """Read every text file below ``root`` that is written by hand or committed."""
        contents = {path.relative_to(root).as_posix(): path.read_bytes() for path in _files(root)}
        return cls({path: content.decode() for path, content in contents.items() if b"\0" not in content})

    def under(self, folders: str | tuple[str, ...], *endings: str) -> Iterator[Source]:
        """Yield the files below ``folders`` whose names end so, in the order of their paths."""
        for path, text in sorted(self.files.items()):
            if path.startswith(folders) and path.endswith(endings or ("",)):
                yield Source(path, text)

    @cached_property
    def modules(self) -> dict[tuple[str, ...], Source]:
        return {source.parts: source for source in self.under(PACKAGE, ".py", ".pyi")}

    def functions(self, folders: str | tuple[str, ...]) -> Iterator[tuple[Source, Function]]:
        """Yield every function of the Python files below ``folders``."""
        for source in self.under(folders, ".py"):
            for node in ast.walk(source.tree):
                if isinstance(node, Function):
                    yield source, node


def _files(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith(".") or name == ".ci"]
        below[:] = [name for name in below if name not in MADE]
        # in a worktree of git .git is a file, and says where the repository lies
        yield from (Path(folder, name) for name in names if name != ".git")


Rule = Callable[[House], list[str]]
