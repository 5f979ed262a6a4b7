# Everything a fresh machine needs: Python 3.11 or newer with its venv module, and make.
# What is installed lands in .venv, from requirements.lock, and nowhere else.

PYTHON ?= python3
SEED := $(shell date +%s)
bin = .venv/bin
ready = .venv/ready

# Tests start hundreds of processes, each of which would else compile again what it imports.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: dist dist-twice help demo test test-quick test-whole-days test-any-order test-thorough check unit testbed testbed-short bench bench-quick house lock recordings pictures pages goldens generated site clean

help:  ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

$(ready): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(bin)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(bin)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(ready)

demo: $(ready)  ## look at a simulated machine, with a guided tour
	$(bin)/zmon demo

test: $(ready)  ## every check, and the tests but those of whole days
	@$(MAKE) --no-print-directory --jobs=2 check unit

check: $(ready)  ## style, types and the import contract
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports

unit: $(ready)  ## the tests alone
	$(bin)/python -m pytest -m "not whole_days"

test-whole-days: $(ready)  ## the tests that take long: for whole days, all scenarios, the rest of many damages
	$(bin)/python -m pytest -m whole_days

test-any-order: $(ready)  ## the tests in another order each time; SEED=... repeats one
	$(bin)/python -m pytest -m "not whole_days" -p randomly --randomly-seed=$(SEED)

test-quick: $(ready)  ## what changed files can break by their names, in about a minute, while you work
	$(bin)/ruff check
	$(bin)/lint-imports
	$(bin)/python -m tests.quick

test-thorough: check  ## the same with many more examples for each property, and bench-quick, before a release
	HYPOTHESIS_PROFILE=thorough $(bin)/python -m pytest --timeout=1200
	$(MAKE) --no-print-directory bench-quick

testbed: $(ready)  ## boot an emulated s390x machine and compare zmon with what its own tools say
	$(bin)/python testbed/verify.py

testbed-short: $(ready)  ## the same for three minutes, as each submission does it
	$(bin)/python testbed/verify.py --short

bench-quick: $(ready)  ## compare the figures that break most often with those that are kept
	$(bin)/python -m benchmarks.quick

bench: $(ready)  ## measure every figure that the documents claim
	$(bin)/python -m benchmarks

house: $(ready)  ## what the house is measured by; LIST=wording lists what is counted with that word
	@$(bin)/python -m tests.house $(LIST)

# What emulated machines recorded: `zmon cut` judges it by the rules of today.
recorded = hercules-two-hot-files-before hercules-two-hot-files-after qemu-one-path-of-two

recordings: $(ready)  ## make the recordings of simulated machines anew, and judge those of others
	for name in shark-before shark-after; do $(bin)/zmon import lab:$$name recordings/lab-$$name.zmon --force || exit 1; done
	$(bin)/zmon import lab:healthy-day recordings/lab-healthy-day.zmon --force --no-rollups
	$(bin)/python testbed/casestudy.py
	for name in $(recorded); do $(bin)/zmon cut recordings/$$name.zmon recordings/judged.zmon --force && mv recordings/judged.zmon recordings/$$name.zmon || exit 1; done

pictures: $(ready)  ## draw the screens that README.md and docs/screens.md show
	$(bin)/python docs/pictures.py
	$(bin)/python docs/screen_pictures.py

pages: $(ready)  ## write the documents anew that say what screens and tables are
	for page in screens tables; do $(bin)/python docs/$$page.py || exit 1; done

goldens: $(ready)  ## write down anew what zmon prints and says of known machines, and to mistakes
	ZMON_GOLDEN=write $(bin)/python -m pytest $$(grep -lr 'from tests.goldens import .*compare' tests --include='test_*.py')
	$(bin)/python docs/witness.py

generated: $(ready)  ## make all of these anew, in their order, and list what has changed; read git diff then
	$(bin)/python docs/generated.py

site: build/site-tools/ready  ## build the documents as a site into build/site
	build/site-tools/bin/mkdocs build

build/site-tools/ready: docs/requirements.lock
	$(PYTHON) -m venv build/site-tools
	build/site-tools/bin/python -m pip install --quiet --require-hashes -r docs/requirements.lock
	touch $@

dist: $(ready)  ## build zmon.pyz, packages for Debian and RPM, wheel and source archive into dist/
	$(bin)/python release/build.py

dist-twice: $(ready)  ## build it twice in other surroundings, and see that the bytes are the same
	$(bin)/python release/twice.py

lock:  ## renew requirements.lock and docs/requirements.lock; needs uv
	uv pip compile pyproject.toml --group test --group check --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	  -o requirements.lock
	uv pip compile --group site --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	  -o docs/requirements.lock

clean:  ## remove what was made
	rm -rf .cache .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
