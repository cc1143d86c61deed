# From nothing but Python 3.11, git and make. A second call does not install again.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# TFX wants other versions of many packages: an environment of its own.
TFX := .venv-tfx
# Tests also wait, for processes, servers and signals: one worker more than there are cores uses that time.
WORKERS := $(shell echo $$(($$(nproc) + 1)))
PYTEST_FLAGS := --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder
# Most useful first; every grid goes on where it was stopped. VLCS needs files that cannot be downloaded.
GRIDS := main main_rest initialisation ablation pacs pi digits supervised concrete_posterior
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# It asks for an older scikit-learn than it needs.
SKMATTER := $(INSTALL) --no-deps skmatter==0.4.1

.PHONY: demo test test-core lint types pytest-core test-pipelines docs docs-outputs pipeline-demo bench peers grids \
	same-as soak fuzz digits-targets tuned-digits chromium wheel clean

demo: $(VENV)/.core
	$(BIN)/python -m tffs.main --flagfile=digits_r.flags --compare=concrete,greedy,variance,random

test: test-core test-pipelines

# Types are checked beside the tests: mypy has one process, and would leave the other cores without work.
test-core: $(VENV)/.test chromium lint
	$(MAKE) --jobs=2 --no-print-directory types pytest-core

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

pytest-core: $(VENV)/.test
	$(BIN)/pytest $(PYTEST_FLAGS) --ignore=tests/pipelines

test-pipelines: $(TFX)/.test
	$(TFX)/bin/pytest $(PYTEST_FLAGS) tests/pipelines tests/data_builders/table/beam_test.py \
		tests/data_builders/table/beam_pipeline_test.py tests/data/beam_sums_test.py tests/benchmarks/scale_beam_test.py \
		tests/baselines/selectors_test.py tests/estimator/conformance_test.py tests/estimator/sklearn_compat_test.py

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

docs-outputs: $(VENV)/.test
	$(BIN)/python -m docs.making.outputs

pipeline-demo: $(TFX)/.test
	$(TFX)/bin/python -m pipelines.local_runner --flagfile=digits_r.flags --data_dir=runs/pipeline/data

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.train_step
	$(BIN)/python -m benchmarks.select
	$(BIN)/python -m benchmarks.posterior
	$(BIN)/python -m benchmarks.data
	$(BIN)/python -m benchmarks.streaming
	$(BIN)/python -m benchmarks.methods
	$(BIN)/python -m benchmarks.grid
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.distributed

peers: $(VENV)/.bench
	$(BIN)/python -m benchmarks.peers_quality

grids: $(VENV)/.core
	for grid in $(GRIDS); do $(BIN)/python -m tffs.main --flagfile=experiment_$$grid.flags || exit; done
	$(BIN)/python -m reproduction.page

same-as: $(VENV)/.core
	$(BIN)/python -m benchmarks.same_as

soak: $(VENV)/.bench
	$(BIN)/python -m benchmarks.serving_soak

digits-targets: $(VENV)/.core
	$(BIN)/python -m benchmarks.digits_targets

fuzz: $(VENV)/.test
	$(BIN)/python -m fuzzing.run

tuned-digits: $(VENV)/.core
	$(BIN)/python -m benchmarks.tuned_digits

# The browser in which pages are tested. Without it these tests are skipped.
chromium:
	@if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
		apt-get install -qq --yes --no-install-recommends chromium chromium-driver >/dev/null; then :; \
	else echo "Tests of pages are skipped without Chromium: apt-get install chromium chromium-driver"; fi

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
	$(SKMATTER)
	@touch $@

$(VENV)/.docs: $(VENV)/.core
	$(INSTALL) --editable '.[docs]'
	@touch $@

$(VENV)/.bench: $(VENV)/.core
	$(INSTALL) --editable '.[bench]'
	$(SKMATTER)
	@touch $@

$(TFX)/bin/python:
	$(PYTHON) -m venv $(TFX)

$(TFX)/.test: $(TFX)/bin/python setup.py constraints-tfx.txt
	@echo "Installing TFX into $(TFX) (about four minutes and 3 GB the first time) ..."
	$(TFX)/bin/python -m pip install --quiet --disable-pip-version-check 'setuptools<81' wheel
	$(TFX)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement constraints-tfx.txt
	$(TFX)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@
