# Two targets set everything up on a fresh machine: `make demo` and `make test`.
# They need Python 3.11 or newer, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := build/demo

.PHONY: demo test lint bench clean

# The stamp is newer than what it was made from, so a changed dependency is installed again.
$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

# Generates a language model, trains it for about three minutes, and lets it write.
demo: $(VENV)/installed
	rm -rf $(DEMO)
	$(BIN)/scaffold new $(DEMO) --preset pydoc-lm --name pydoc-lm
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable $(DEMO)
	cd $(DEMO) && PATH="$(abspath $(BIN)):$$PATH" sh -e -c '\
		python -m pydoc_lm.prepare; \
		launch/local.sh; \
		python -m pydoc_lm.generate --run runs/default "The import statement"'

test: $(VENV)/installed
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal --durations 10

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build
