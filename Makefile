# make run    install what is missing into .venv, then open the app on 127.0.0.1
# make test   the same set-up and the tools of the tests, then every check and the tests
# make test-all  the same with the tests that take long, and many more generated examples
# make lock   write requirements.lock anew: every package with its hashes, for Linux x86-64, Python 3.11, torch's CPU build
# make sbom   what the lock holds: a CycloneDX list, the licences, and the known vulnerabilities where a network allows
# make clean  remove .venv and caches; documents in data/library stay
#
# PYTHON=python3.12    the interpreter .venv is made with
# TORCH_INDEX=URL      take torch from this index first (its CPU build on Linux)
# LECTERN_CHROMIUM=... the browser of the browser tests, where it is not on PATH
#
# Paths are relative and programs are started as modules, so a folder with spaces in its name does no harm.

PYTHON ?= python3
TORCH_INDEX ?=

python := .venv/bin/python
pip := $(python) -m pip --disable-pip-version-check
torch_pin := $(shell sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements.txt)

# A stamp's name holds the checksum of the requirements, so an unchanged installation never calls pip again.
stamp_run := .venv/installed-run-$(firstword $(shell cat requirements.txt | cksum))
stamp_test := .venv/installed-test-$(firstword $(shell cat requirements.txt requirements-dev.txt | cksum))

# Named, so that the second run of pytest imports these alone.
browser_tests = $(sort $(shell grep -rl --include='test_*.py' 'mark\.browser' tests))

.PHONY: run test test-all types without_browser with_browser lock sbom clean

run: $(stamp_run)
	$(python) -m streamlit run app.py

# Compiled once: a worker, an app and a command that a test starts would each compile all of it again.
test test-all: export PYTHONDONTWRITEBYTECODE :=
test test-all: $(stamp_test)
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(MAKE) --no-print-directory -j3 which="$(which)" types without_browser with_browser

# Side by side: types are looked at by one process alone, and tests wait often, for what they have started or for a page.
types:
	$(python) -m mypy

without_browser:
	$(python) -m pytest -m "not browser$(and_which)" -n logical --maxprocesses 8 --dist worksteal

# Printed as a whole at its end, beside the other's dots. Two browsers at most: more only wait for each other.
with_browser:
	@said=$$($(python) -m pytest -m "browser$(and_which)" -n logical --maxprocesses 2 --dist worksteal $(browser_tests) \
	  2>&1); ended=$$?; printf '\n%s\n' "$$said"; exit $$ended

test: which := not long
and_which = $(if $(which), and $(which))
test-all: export HYPOTHESIS_PROFILE := thorough

TORCH ?= --torch-backend cpu
lock: $(stamp_test)
	$(python) -m uv pip compile requirements.txt -o requirements.lock --generate-hashes --no-header --no-annotate --quiet \
	  --python-version 3.11 --python-platform x86_64-manylinux_2_28 $(TORCH)

# In environments of their own: installed beside the tests, jsonschema would compile a grammar of one's in every process.
tool := $(python) -m uv tool run --python $(python)
sbom: $(stamp_test)
	mkdir -p build && rm -f build/vulnerabilities.json
	$(tool) --from cyclonedx-bom==7.5.0 cyclonedx-py requirements requirements.lock --output-reproducible -o build/sbom.json
	$(tool) pip-licenses==5.5.5 --python $(python) --from mixed --with-urls --format markdown \
	  --output-file build/licences.md --packages $$(sed -n 's/^\([a-z0-9._-]*\)==.*/\1/p' requirements.lock)
	$(tool) pip-audit==2.10.1 -r requirements.lock --require-hashes --disable-pip -f json -o build/vulnerabilities.json || true
	@test -s build/vulnerabilities.json || echo "Known vulnerabilities were not looked up: no network. Run it where there is one."

clean:
	rm -rf build .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

define install
	@"$(PYTHON)" -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Lectern needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12 ...")'
	"$(PYTHON)" -m venv .venv
	$(if $(TORCH_INDEX),$(pip) install "$(torch_pin)" --index-url "$(TORCH_INDEX)")
	$(pip) install -r $(1)
	rm -f .venv/installed-*
	touch $(2)
endef

$(stamp_run):
	$(call install,requirements.txt,$(stamp_run))

$(stamp_test):
	$(call install,requirements-dev.txt,$(stamp_run) $(stamp_test))
