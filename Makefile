# From a bare clone, with Python 3.11 or newer and make:   make demo   make test   make lint
# Each sets up what it needs in .venv, once; a change of pyproject.toml sets it up again.

PYTHON ?= python3
VENV ?= .venv
BENCH ?= .venv-bench
ARGS ?=

BIN := $(VENV)/bin
# -P: without it the folder `agents` of this repository would come before an installed package of that name.
RUN := $(BIN)/python -P
PIP := $(RUN) -m pip --quiet --disable-pip-version-check

.PHONY: help demo test lint format docs bench clean

help:
	@echo "make demo    twelve requests to a small model through the whole chain (ARGS=... are passed on)"
	@echo "make test    all tests (ARGS=... are passed on, e.g. ARGS='-m \"not integration\"')"
	@echo "make lint    ruff, mypy, import-linter"
	@echo "make format  let ruff mend what it can"
	@echo "make docs    write the generated pages of docs/ anew"
	@echo "make bench   measure this and its peers on the same work (ARGS='a b' for some parts), in an environment of its own"
	@echo "make clean   remove .venv and all that running leaves"
	@echo "PYTHON=python3.13 chooses the interpreter of a new .venv"

demo: $(VENV)/.ready-demo
	$(RUN) examples/demo.py $(ARGS)

test: $(VENV)/.ready-test
	$(RUN) -m pytest -q -n 2 --inline-snapshot=disable $(ARGS)

lint: $(VENV)/.ready-lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(RUN) -m mypy
	$(BIN)/lint-imports

format: $(VENV)/.ready-lint
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.ready-test
	$(RUN) -m toolmend.repairs.docs
	$(RUN) -m toolmend.toolkit.docs
	$(RUN) docs/draw_fitting.py

bench: $(BENCH)/.ready
	PYTHONPATH=benchmarks $(BENCH)/bin/python -P benchmarks/run.py $(ARGS)

$(BENCH)/.ready: benchmarks/requirements.txt
	@echo "setting up $(BENCH) with the peers"
	@test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python -P -m pip --quiet --disable-pip-version-check install --no-deps -r benchmarks/requirements.txt -e .
	@touch $@

$(VENV)/.ready:
	@$(PYTHON) -c 'import sys; sys.exit("toolmend needs Python 3.11 or newer, this is %s: make PYTHON=python3.12" % sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@echo "setting up $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

# demo, test and lint name extras of pyproject.toml.
$(VENV)/.ready-%: $(VENV)/.ready pyproject.toml
	@echo "installing toolmend[$*] into $(VENV)"
	@$(PIP) install -e ".[$*]"
	@touch $@

clean:
	rm -rf $(VENV) $(BENCH) build dist toolmend.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
