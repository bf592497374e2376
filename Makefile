# Each target sets up what it needs: virtual environment, package, system packages, guest environment (.ci/setup).
PYTHON ?= python3
READY := .venv/.ready
# Many containers set this; tests start hundreds of processes, each of which would compile workgym anew.
unexport PYTHONDONTWRITEBYTECODE

demo: $(READY)
	.venv/bin/workgym demo

test: $(READY)
	.venv/bin/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder tests --ignore=tests/services
	@echo "tests/services is not run by this: docker and LibreOffice, see 'make services'"

services: $(READY)
	.venv/bin/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder tests/services

lint: $(READY)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

bench: $(READY)
	.venv/bin/python -m benchmarks

soak: $(READY)
	.venv/bin/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder --soak tests

lock: $(READY)
	.venv/bin/python -m pip freeze --exclude-editable > .ci/constraints.txt

$(READY): pyproject.toml .ci/constraints.txt .ci/setup
	PYTHON="$(PYTHON)" sh .ci/setup
	touch $@

.PHONY: demo test services lint bench soak lock
