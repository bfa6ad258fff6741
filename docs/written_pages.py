"""The parts of the documentation that are read off the package: the tables of activations, and the reference."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

import isotone
from isotone import activations

PROMISES = ("name", "keeps order", "at $-\\infty$", "at $\\infty$", "shape", "covered by the theorem")
FORMULAS = ("name", "formula", "derivative")
SENTENCES: dict[str, list[str]] = {}


def table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in (headings, ("---",) * len(headings), *rows))


def promises(chosen: activations.Activation) -> tuple[str, ...]:
    """Return what holds for an activation, in the order of the headings."""
    keeps = "yes" if chosen.monotone else f"no: {chosen.row.decreases}"
    left, right = (limit(value) for value in chosen.limits)
    return (titled(chosen), keeps, left, right, chosen.shape, "yes" if chosen.usable else "no")


def formulas(chosen: activations.Activation) -> tuple[str, ...]:
    """Return how an activation is computed, in the order of the headings."""
    return (f"`{chosen.name}`", formula(chosen.row.formula), formula(chosen.row.gradient))


def titled(chosen: activations.Activation) -> str:
    """Return the name with its parameters."""
    given = ", ".join(
        f"{name}={value:g}" for (name, _), value in zip(chosen.row.parameters, chosen.parameters, strict=True)
    )
    return f"`{chosen.name}`" + (f" ({given})" if given else "")


def formula(tex: str) -> str:
    """Return a formula that a cell of a table can hold: there a bar would end the cell."""
    return f"${tex}$".replace("|", r"\vert ")


def limit(value: float) -> str:
    """Return a limit as a formula."""
    mantissa, _, exponent = f"{value:.4g}".replace("inf", r"\infty").partition("e")
    return f"${mantissa} \\times 10^{{{int(exponent)}}}$" if exponent else f"${mantissa}$"


def modules(package: ModuleType) -> Iterator[str]:
    """Yield the modules that have a page: a package that lists what it offers shows that, and no inner module else."""
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if not found.name.rpartition(".")[2].startswith("_"):
            yield found.name
        if found.ispkg:
            inner = importlib.import_module(found.name)
            yield from (name for name in modules(inner) if is_offered(inner, name.rpartition(".")[2]))


def is_offered(package: ModuleType, name: str) -> bool:
    """Say whether a package offers its inner module as such, and not something in it that has the same name."""
    return not hasattr(package, "__all__") or (
        name in package.__all__ and isinstance(getattr(package, name), ModuleType)
    )


def reference_page(module: str) -> str:
    """Return the page that documents one module."""
    return f"# `{module}`\n\n```{{eval-rst}}\n.. automodule:: {module}\n```\n"


def write(app: Sphinx) -> None:
    """Write the generated pages where the others include them."""
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    registry = [activations.activation(name) for name in activations.TABLE]
    pages = {
        "promises.inc": table(PROMISES, map(promises, registry)),
        "formulas.inc": table(FORMULAS, map(formulas, registry)),
    }
    pages |= {f"{module}.md": reference_page(module) for module in modules(isotone)}
    for stale in folder.iterdir():
        if stale.name not in pages:
            stale.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def plain_types(*event: object) -> tuple[str | None, ...]:
    """Show a type alias inside another type as it is written, and a default that is made anew as dots."""
    *_, arguments, returned = event
    return tuple(
        re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", part).replace("<factory>", "...")
        if isinstance(part, str)
        else None
        for part in (arguments, returned)
    )


def keep_sentence(*event: Any) -> None:
    """Remember what a property says before napoleon takes the words before its colon for a type."""
    _, kind, name, *_, lines = event
    if kind in {"attribute", "data", "property"}:
        SENTENCES[name] = list(lines)


def give_sentence_back(*event: Any) -> None:
    """Undo what napoleon did to a property."""
    _, _, name, *_, lines = event
    lines[:] = SENTENCES.pop(name, lines)


def is_left_out(*event: Any) -> bool | None:
    """Leave out what scikit-learn adds to each estimator: its text points into scikit-learn's own pages."""
    _, _, name, *_ = event
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write)
    app.connect("autodoc-skip-member", is_left_out)
    app.connect("autodoc-process-signature", plain_types)
    # napoleon listens with priority 500
    app.connect("autodoc-process-docstring", keep_sentence, priority=400)
    app.connect("autodoc-process-docstring", give_sentence_back, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
