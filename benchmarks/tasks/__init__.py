"""Every table that something is measured on, by name."""

from __future__ import annotations

from benchmarks.tasks.development import DEVELOPMENT
from benchmarks.tasks.table1 import TABLE1
from benchmarks.tasks.task import Task

GROUPS = {"table1": TABLE1, "development": DEVELOPMENT}
TASKS = {task.name: task for group in GROUPS.values() for task in group}


def find(names: str) -> tuple[Task, ...]:
    """Return the tasks that a comma-separated list of tasks and groups names."""
    wanted = names.split(",")
    unknown = [name for name in wanted if name not in TASKS and name not in GROUPS]
    if unknown:
        raise ValueError(f"There are no tasks {unknown}; there are {sorted(TASKS)} and the groups {sorted(GROUPS)}.")
    return tuple(task for name in wanted for task in GROUPS.get(name, (TASKS[name],) if name in TASKS else ()))


__all__ = ["GROUPS", "TASKS", "Task", "find"]
