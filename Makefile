# From nothing but Python 3.11, git and make. A second call does not install again.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test bench soak digits-targets wheel clean

demo: $(VENV)/.core
	$(BIN)/python -m tffs.main --flagfile=digits_r.flags

test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.train_step
	$(BIN)/python -m benchmarks.select
	$(BIN)/python -m benchmarks.data
	$(BIN)/python -m benchmarks.methods
	$(BIN)/python -m benchmarks.serving

soak: $(VENV)/.bench
	$(BIN)/python -m benchmarks.serving_soak

digits-targets: $(VENV)/.core
	$(BIN)/python -m benchmarks.digits_targets

wheel: $(VENV)/.core
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(BIN)/python setup.py constraints.txt
	@echo "Installing tffs into $(VENV) (about two minutes the first time) ..."
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.core
	$(INSTALL) --editable '.[test]'
	@touch $@

$(VENV)/.bench: $(VENV)/.core
	$(INSTALL) --editable '.[bench]'
	@touch $@
