# Two commands: `make demo` sets everything up and shows recollect at work; `make test` runs every check.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 3

.PHONY: help demo test lint types tests fuzz docs clean

help:  ## Show what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.demo  ## Set up recollect with local models, and show it at work
	@$(BIN)/recollect demo

test: lint types tests  ## Set up and run every check on both databases
	@echo "All checks passed."

lint: $(VENV)/.dev  ## Style
	@echo "== lint"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## Types
	@echo "== types"
	@$(BIN)/mypy

tests: $(VENV)/.dev  ## Tests, on SQLite and on PostgreSQL
	@echo "== tests"
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

fuzz: $(VENV)/.dev  ## Properties with new examples, and many more than the tests try (a quarter of an hour)
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m hypothesis --hypothesis-profile=fuzz

docs: $(VENV)/.dev  ## Write the generated reference pages again
	@$(BIN)/python tools/make_reference.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("recollect needs Python 3.11 or newer: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	@echo "== making $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing: on Debian, apt-get install python3-venv"; exit 1; }

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	@echo "== installing recollect[local] (a minute or two the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	@echo "== installing recollect[dev] (a minute or two the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

clean:  ## Remove what was installed and cached
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
