"""Stand-ins for `measure.serve`, importable by the process of a cell."""

import os
import sys
import time
from dataclasses import asdict

from benchmarks.measure import READY, end_after


def prompt(fits, budget, connection, errors):
    connection.send(READY)
    for fit in fits:
        connection.send(asdict(fit))


def slow_at_one(fits, budget, connection, errors):
    connection.send(READY)
    for fit in fits:
        time.sleep(600 if fit.seed == 1 else 0)
        connection.send(asdict(fit))


def names_its_process_and_sleeps(fits, budget, connection, errors):
    connection.send(READY)
    connection.send(asdict(fits[0]) | {"process": os.getpid()})
    time.sleep(600)


def works_on_at_one(fits, budget, connection, errors):
    connection.send(READY)
    end_after(budget)
    for fit in fits:
        while fit.seed == 1:
            pass
        connection.send(asdict(fit))


def raises_at_one(fits, budget, connection, errors):
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), sys.stderr.fileno())
    connection.send(READY)
    for fit in fits:
        if fit.seed == 1:
            raise ValueError("the first seed is unlucky")
        connection.send(asdict(fit))


def dies_at_one(fits, budget, connection, errors):
    connection.send(READY)
    for fit in fits:
        if fit.seed == 1:
            os._exit(9)
        connection.send(asdict(fit))


def never_starts(fits, budget, connection, errors):
    sys.exit(3)
