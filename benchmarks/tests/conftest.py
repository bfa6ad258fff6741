import os

import pytest

from benchmarks import tasks
from benchmarks.tasks import storage


@pytest.fixture(scope="session")
def tables():
    """The tasks whose files are at hand; without any, tests of real tables are deselected by `-m "not data"`."""
    if "ISOTONE_DATA" not in os.environ and not storage.cache_folder().is_dir():
        pytest.fail('No tables: set ISOTONE_DATA to the folder that holds them, or run with -m "not data".')
    return tasks.TASKS
