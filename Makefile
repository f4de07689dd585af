# On a fresh machine:
#   make demo    installs, then `editscope demo`: the main job offline, with a report at the end
#   make test    installs all that the tests need and runs every check, with a fixed sample of each large set and
#                five kills in each drill; 15 minutes on 2 idle cores, up to 40 on busy ones. SAMPLE=0 runs every parameter of slow tests
# While you work:
#   make quick   format, lint, types, arrows and the fast tests; under 90 seconds on 2 idle cores
#   make lint, make types, make arrows, make unit: one check each
#   make browser, make ray: the tests that start Chromium, that start a Ray cluster
#   make docs    the documentation site in site/, with search that works from a file; needs npm for one small script
# Beyond the tests:
#   make pages   every command and program of README and docs, run; `make test` runs a sample
#   make drills  the full counts: real runs killed at 120 random moments and more, and what was lost (KILLS=, SEED=)
#   make personas  five people walk through Editscope in a clean environment; walks/index.md has what they saw (ENV=)
#   make bench   the figures of docs/performance.md
# make help prints these lines. JOBS= sets the number of processes, 2 by default, and one more for tests, which also wait.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
TESTS  ?= $(shell expr $(JOBS) + 1)
SAMPLE ?= 1
KILLS  ?= 120
BIN    := $(VENV)/bin
# Python compiles what is imported; pip would compile every file of every package, which takes a minute longer.
INSTALL := $(BIN)/python -m pip --disable-pip-version-check -q install --no-compile -c constraints.txt
CHROMIUM := /usr/bin/chromium
SITE   ?= site

# Hundreds of tests start `editscope` as a process of its own: without bytecode each of them compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

# Tests sync small files thousands of times, which memory does at once; where it has little room, they use the disk.
MEMORY := $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}')" -gt 8000000 ] 2>/dev/null && echo /dev/shm)

PYTEST := $(if $(MEMORY),TMPDIR=$(MEMORY)) $(BIN)/python -m pytest -n $(TESTS) --dist worksteal

.PHONY: help demo test quick docs site pages drills personas bench check lint types arrows unit browser ray contact-sheet clean
.DEFAULT_GOAL := demo

help:
	@sed -n '/^$$/q; s/^# \{0,1\}//p' Makefile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Editscope needs Python 3.11 or newer, not %d.%d; say which with PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e '.[report,small]'
	@touch $@

# Every version is known, so two pips unpack half of the packages each; what pyproject.toml asks for is checked after that.
$(VENV)/.half-%: constraints.txt | $(BIN)/python
	@awk '/==/ && NR % 2 == $*' constraints.txt > $@.txt
	$(INSTALL) --no-deps -r $@.txt
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(MAKE) --no-print-directory -j 2 $(VENV)/.half-0 $(VENV)/.half-1
	$(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.demo

# The browser tests need Chromium, those of the LaTeX output need TeX and Poppler, those of TLS need openssl, those of
# the studio PostgreSQL, those of the documentation site npm; without them they are skipped, and pytest says so.
DEBIAN := chromium fonts-dejavu-core openssl poppler-utils postgresql texlive-latex-base texlive-latex-recommended \
          texlive-fonts-recommended lmodern

$(VENV)/.system: Makefile | $(BIN)/python
	@if [ -x $(CHROMIUM) ] && command -v pdflatex >/dev/null && command -v pdftoppm >/dev/null && command -v openssl >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(DEBIAN) >/dev/null; \
	else echo "no Chromium, TeX, PostgreSQL or openssl: their tests will be skipped (Debian: apt-get install $(DEBIAN))"; fi
	@touch $@

demo: $(VENV)/.demo
	@$(BIN)/editscope demo --jobs $(JOBS)

test: $(VENV)/.dev $(VENV)/.system check

# Types use one core for two minutes where they have no cache, so they run beside the tests.
check: lint arrows
	$(MAKE) --no-print-directory -j 2 types unit

lint:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

arrows:
	$(BIN)/lint-imports --no-cache

unit:
	EDITSCOPE_SAMPLE=$(SAMPLE) $(PYTEST)

browser ray: $(VENV)/.dev $(VENV)/.system
	$(PYTEST) -m $@

# The same checks with their caches, and without the tests that take long.
quick: $(VENV)/.dev lint types
	$(BIN)/lint-imports
	$(PYTEST) -m "not slow and not browser and not ray and not gpu"

docs: $(VENV)/.dev
	$(MAKE) --no-print-directory site

# Browsers give a page that was opened as a file no web worker, in which the search would run; this script stands in for it.
SHIM := docs/javascripts/iframe-worker.js
SHIM_PACKAGE := iframe-worker@1.0.4

$(SHIM): Makefile
	@command -v npm >/dev/null || { echo "the search of the site needs $(SHIM_PACKAGE) from npm, which is not installed"; exit 2; }
	@mkdir -p $(@D) $(VENV)/npm
	npm pack --silent --pack-destination $(VENV)/npm $(SHIM_PACKAGE) >/dev/null
	tar -xzOf $(VENV)/npm/$(subst @,-,$(SHIM_PACKAGE)).tgz package/shim/index.js > $@.part && mv $@.part $@

# No --quiet: MkDocs then does not see the warnings at which --strict stops.
site: $(SHIM)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --site-dir $(abspath $(SITE))

pages: $(VENV)/.dev
	EDITSCOPE_DRILL=full $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -v --tb=short tests/documentation/test_pages_run.py

drills: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m drills --kills $(KILLS) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

# ENV=.venv/bin/python walks in an environment that is there, without an installation; WHO=student lets one of them walk.
personas: $(VENV)/.dev $(VENV)/.system
	PYTHONPATH=tests $(BIN)/python -m walks $(WHO) $(if $(ENV),--python $(ENV))

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/generation.py
	$(BIN)/python benchmarks/charts.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/score_batch.py
	$(BIN)/python benchmarks/score_command.py
	$(BIN)/python benchmarks/intervals.py
	$(BIN)/python benchmarks/comparison.py
	$(BIN)/python benchmarks/diagnosis.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/judge_client.py
	$(BIN)/python benchmarks/judge_pictures.py
	$(BIN)/python benchmarks/judged_run.py
	$(BIN)/python benchmarks/hosted_editor.py
	$(BIN)/python benchmarks/editor_ways.py
	$(BIN)/python benchmarks/diffusers_batch.py
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/ray_overhead.py
	$(BIN)/python benchmarks/ray_flat.py
	$(BIN)/python benchmarks/footprint.py
	$(BIN)/python benchmarks/first_run.py
	$(BIN)/python benchmarks/factory_build.py
	$(BIN)/python benchmarks/factory_export.py
	$(BIN)/python benchmarks/factory_leaks.py
	$(BIN)/python benchmarks/factory_rules.py
	$(BIN)/python benchmarks/factory_pixels.py --unseen

contact-sheet: $(VENV)/.dev
	$(BIN)/python docs/contact_sheet.py

clean:
	rm -rf $(VENV) demo walks site docs/javascripts .mypy_cache .ruff_cache .pytest_cache .hypothesis
