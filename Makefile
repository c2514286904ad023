# Needs Python 3.11 or newer with its venv module, make, and a package index; everything else goes into .venv.
# `make help` says what there is.

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input install --progress-bar off
LOG := $(VENV)/pip.log
READY := $(VENV)/.installed
WARM := $(VENV)/.warm
KERNELS := $(shell grep -rl --include='*.py' 'njit' src/cocs 2>/dev/null)
OUT := runs/paper-mnist

# The first of these that is 3.11 or newer makes .venv; `make run PYTHON=/path/to/python` names another.
PYTHON ?= python3 python3.13 python3.12 python3.11 python3.14 python

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup run test test-slow lint check bench clean

help:  ## say what there is
	@echo 'make run        set up, then compare policies on the network of the paper: a table, and figures in $(OUT)'
	@echo 'make test       set up, then run the tests (minutes)'
	@echo 'make test-slow  set up, then run the tests that take longer'
	@echo 'make lint       ruff, mypy --strict, import-linter'
	@echo 'make check      lint and test'
	@echo 'make bench      measure against peers (minutes; on a quiet machine)'
	@echo 'make setup      only set up: .venv with everything pinned, kernels compiled'
	@echo 'make clean      remove .venv, compiled kernels and caches; runs/ stays'

run: $(WARM)
	@echo '==> comparing policies on paper-mnist: 1,000 rounds with each of 5 seeds'
	@$(VENV)/bin/cocs compare --world paper-mnist --rounds 1000 --seeds 5 --set deadline_s=4 --out $(OUT) \
	  --policies clairvoyant,oracle,oracle-context,cocs,cocs:sharing=all,scale=0.1,cardinality,random
	@echo 'Look at $(OUT)/utility.svg, regret.svg and arrivals.svg; next: $(VENV)/bin/cocs --help'

test: $(WARM)
	@echo '==> running the tests'
	@$(PY) -m pytest -n auto --maxprocesses 8

# Exit status 5: no test is marked slow.
test-slow: $(WARM)
	@echo '==> running the slow tests'
	@$(PY) -m pytest -m slow || [ $$? -eq 5 ]

lint: $(READY)
	@echo '==> ruff: style'
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@echo '==> mypy: types'
	@$(PY) -m mypy
	@echo '==> import-linter: layers'
	@$(VENV)/bin/lint-imports

check: lint test

bench: $(WARM)
	@$(PY) -m benchmarks

setup: $(WARM)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache src/*.egg-info
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

# venv as `python -m venv`, but Ctrl-C ends it without a traceback.
export make_venv := import runpy, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); \
  runpy.run_module("venv", run_name="__main__")

# An environment that an interrupted set-up left without pip, or whose Python is gone, is made anew.
$(READY): pyproject.toml constraints.txt
	@found=; if ! $(PY) -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  for python in $(PYTHON); do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && found=$$python && break; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo 'error: no Python 3.11 or newer among: $(PYTHON). Install one, or name it: make PYTHON=/path/to/python' >&2; \
	    exit 1; \
	  fi; \
	  if ! "$$found" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	    echo "error: $$found lacks its venv module. Install it (Debian, Ubuntu: apt install python3-venv)" >&2; \
	    exit 1; \
	  fi; \
	  echo "==> making $(VENV) with $$("$$found" --version)"; \
	  "$$found" -c "$$make_venv" --clear $(VENV) || exit 1; \
	fi
	@echo '==> installing the pinned packages into $(VENV) (about 200 MB to fetch, a minute or two; once)'
	@set -f; for what in setuptools '--no-build-isolation --editable .[dev,milp]'; do \
	  $(PIP) -c constraints.txt $$what >$(LOG) 2>&1 || { \
	    grep -v '^WARNING: Location' $(LOG) | tail -n 15 >&2; \
	    echo 'error: pip could not install the packages; all it said is in $(LOG)' >&2; \
	    exit 1; \
	  }; \
	done
	@touch $@

# numba notices an edited file, but not an edit in what that file calls: whenever a kernel changes, all are compiled.
$(WARM): $(READY) $(KERNELS)
	@$(PY) -m cocs.cli.warm
	@touch $@
