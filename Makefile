# For a newcomer: `make demo` and `make test`; each makes .venv if it is absent, installs, and runs.
# Before a change goes in: `make check`, the same command on a laptop and in CI. What takes hours: `make slow`.
PYTHON ?= python3
VENV ?= .venv
# The constraints name a torch for machines without a GPU; `make test CONSTRAINTS=` takes pip's choice.
CONSTRAINTS ?= -c constraints.txt

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NATIVE := CMakeLists.txt pyproject.toml $(wildcard src/isotone/_native/*)
SANITIZED := build/sanitized
ifeq ($(origin CXX),default)
CXX := c++
endif
UNDER_SANITIZERS = LD_PRELOAD="$(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

.PHONY: demo test slow check lint types docs format sanitize clean

demo: $(VENV)/core
	$(BIN)/python examples/demo.py

test: $(VENV)/dev
	$(BIN)/python -m pytest

# In full what the suite samples: each function at each of the 2^32 floats, 10^8 pairs of neighbours, and more.
# `make slow ONLY="-k tanh"` takes a part.
slow: $(VENV)/dev
	$(BIN)/python -m pytest -m slow $(ONLY)

# The suite comes last, so that its closing line does too.
check: lint types docs test

lint: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/dev
	$(BIN)/mypy

# From nothing each time: a page that is not read again does not repeat its warnings.
docs: $(VENV)/dev
	$(BIN)/python -m sphinx -E -a -W --keep-going -q docs docs/_build/html

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The tests of the engine under AddressSanitizer and UndefinedBehaviorSanitizer, in an environment of its own
# that borrows every other package from .venv. Python itself leaks by design, so leaks are not looked for. A build
# without sanitizers would pass for the wrong reason, so the module is asked first.
sanitize: $(VENV)/dev
	$(PYTHON) -m venv --clear $(SANITIZED)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
	  > $$($(SANITIZED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth
	$(SANITIZED)/bin/python -m pip --disable-pip-version-check --quiet install --ignore-installed --no-deps \
	  --no-build-isolation -C build-dir=build/sanitized-objects -C cmake.define.ISOTONE_SANITIZE=ON .
	$(UNDER_SANITIZERS) $(SANITIZED)/bin/python -c "from isotone import _native; assert _native.build_info()['sanitized']"
	$(UNDER_SANITIZERS) $(SANITIZED)/bin/python -m pytest tests/native

clean:
	rm -rf build dist docs/_build docs/_generated

# Asked before anything is made: an environment of an older Python would stay and fail ever after.
$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	  'isotone needs Python 3.11 or newer, and this is %d.%d; name one, as in: make PYTHON=python3.11' % sys.version_info[:2])"
	$(PYTHON) -m venv $(VENV)

# Building without isolation keeps the compiled objects, so that a second build takes only what changed.
$(VENV)/tools: $(BIN)/python
	$(PIP) install "cmake>=3.24" "nanobind>=2.4" "ninja>=1.11" "scikit-build-core>=0.11"
	@touch $@

$(VENV)/core: $(VENV)/tools $(NATIVE)
	$(PIP) install $(CONSTRAINTS) --no-build-isolation -e .
	@touch $@

$(VENV)/dev: $(VENV)/tools $(NATIVE) constraints.txt
	$(PIP) install $(CONSTRAINTS) --no-build-isolation -e ".[dev]"
	@touch $@ $(VENV)/core
