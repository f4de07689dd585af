# Two commands do everything on a fresh machine:
#   make demo   installs, runs the main job offline, ends with a report
#   make test   installs all that the tests need and runs every check
# and  make bench  prints the figures of docs/performance.md.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q
CHROMIUM := /usr/bin/chromium

.PHONY: demo test bench check lint types arrows unit contact-sheet clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Editscope needs Python 3.11 or newer, not %d.%d; say which with PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.core

# The browser tests of the report need Chromium; without it they are skipped, and pytest says so.
$(VENV)/.system:  | $(BIN)/python
	@if [ -x $(CHROMIUM) ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu-core >/dev/null; \
	else echo "no Chromium at $(CHROMIUM): the browser tests will be skipped (Debian: apt-get install chromium)"; fi
	@touch $@

DEMO_SET := --conditions baseline,striped --per-mode 1
DEMO_EDITORS := identity drift shift half

demo: $(VENV)/.core
	@rm -rf demo && mkdir -p demo
	@for editor in $(DEMO_EDITORS); do \
	  $(BIN)/editscope run paintbench $(DEMO_SET) --editor ref:$$editor --out demo/$$editor --jobs $(JOBS) || exit $$?; \
	done
	@$(BIN)/editscope report $(addprefix demo/,$(DEMO_EDITORS)) --out demo/report.html
	@echo "Open demo/report.html: four editors that each fail in one known way, side by side"

test: $(VENV)/.dev $(VENV)/.system check

check: lint types arrows unit

lint:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

arrows:
	$(BIN)/lint-imports --no-cache

unit:
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/generation.py
	$(BIN)/python benchmarks/charts.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/intervals.py
	$(BIN)/python benchmarks/footprint.py

contact-sheet: $(VENV)/.dev
	$(BIN)/python docs/contact_sheet.py

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
