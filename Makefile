# `make test` on a fresh clone sets up .venv, then checks everything. Set-up is redone only when pyproject.toml changes.

PYTHON ?= python3
BIN    := .venv/bin
RUNS   := .venv/.runs-from-pyproject
STAMP  := .venv/.tests-from-pyproject
DOCS   := .venv/.docs-from-pyproject
TABLES := rulespec/syntax/automaton.json
CODE   := .venv/.compiled
ROOMS  := rulespec engine drawing cli lsp pages serve guests

CHESS  := build/python-chess/bin/python

PROOFS := short perft agree wasm passes pages coverage migrations playouts secrets gallery guests

# Where it is set, as in many containers, each process of pytest would compile all tests again in each run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test quick docs replay proof $(PROOFS:%=proof-%) fuzz mutation bench bench-changed vscode release clean

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal -q

# A minute: form, types (mypy looks again at what has changed), and the tests of the language and of the order of the code.
quick: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal -q --ignore tests/rulespec/diagnostics \
	  $(wildcard tests/rulespec/*/) tests/engine/lower tests/engine/words \
	  tests/test_architecture.py tests/test_patterns.py tests/test_vocabulary.py

replay: $(CODE)
	$(BIN)/rulespec replay games/imperial/logs/playimperial/c002-standard-4p.json

# `make test` plays the same random examples in each run, so that it fails on a clone only where it fails here; proofs play new ones.
proof proof-short: export RULESPEC_NEW := 1
$(PROOFS:%=proof-%): export RULESPEC_NEW := 1

# Every scenario by both backends with all passes, the cases that `make test` samples from, random tests with new and more examples,
# and what else has the marker. Some three hours on two cores; CI runs parts of it, too.
proof-short: $(STAMP)
	RULESPEC_PROOF=short $(BIN)/pytest -n 2 --dist worksteal -q -m proof

# The long proofs: those, and all recorded perfts with both backends; every two overlays together; 1,000 damaged rulesets;
# 1,000 random programs for each property; all machines side by side: 50 whole games of each ruleset and each overlay, 10,000 by seed, 2,100 random programs for each machine;
# 1,000 games of exported modules in Node and Chromium; coverage of all shipped rules; twelve changes under all shipped games; 1,000 random games with all invariants;
# 200 of each ruleset of railways; 20 games at each level of Tetrarchia with each number of players, 100 of the Emperor's with each answer to each ruling;
# 2,000 random programs with secrets;
# 1,000 random games of each ruleset of the gallery beside OpenSpiel or python-chess, and chess five moves deep;
# all tables as environments of PettingZoo, Gymnasium and OpenSpiel.
# Some five hours on two cores, with those of `proof-short`. The next run goes on where one was stopped, and runs of other commits begin with other proofs: tests/support/proofs.py.
proof: $(STAMP)
	@for each in $$($(BIN)/python tests/support/proofs.py order $(PROOFS)); do \
	  $(MAKE) proof-$$each && $(BIN)/python tests/support/proofs.py passed $$each $(PROOFS) || exit 1; \
	done

proof-perft: $(STAMP)
	RULESPEC_PROOF=perft RULESPEC_PERFT=1 RULESPEC_PAIRS=1 RULESPEC_MUTANTS=1000 $(BIN)/pytest -n 2 --dist worksteal -q -m '' \
	  tests/engine/verify/test_perft.py tests/games/test_recorded_actions.py tests/games/test_shipped.py tests/rulespec/test_robustness.py

proof-agree: $(STAMP)
	RULESPEC_PROOF=agree RULESPEC_AGREE=50 RULESPEC_SEEDS=10000 RULESPEC_EXAMPLES=3000 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/engine/test_machines_agree.py

proof-wasm: $(STAMP)
	RULESPEC_PROOF=wasm RULESPEC_EXAMPLES=5000 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/engine/wasm

proof-passes: $(STAMP)
	RULESPEC_PROOF=passes RULESPEC_EXAMPLES=1000 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/engine/passes tests/engine/python tests/engine/search \
	  tests/rulespec/test_ruleset_hash.py

proof-pages: $(STAMP)
	RULESPEC_PROOF=pages RULESPEC_PAGES=1000 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/cli/test_export.py

proof-coverage: $(STAMP)
	RULESPEC_PROOF=coverage RULESPEC_COVERAGE=1 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/engine/coverage

proof-migrations: $(STAMP)
	RULESPEC_PROOF=migrations RULESPEC_MIGRATIONS=1 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/engine/migrate/test_twelve_changes.py

proof-playouts: $(STAMP)
	RULESPEC_PROOF=playouts RULESPEC_PLAYOUTS=1000 RULESPEC_LEVELS=20 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/games/test_playouts.py \
	  tests/games/test_tetrarchia.py tests/games/test_rails_random.py

proof-secrets: $(STAMP)
	RULESPEC_PROOF=secrets RULESPEC_SECRETS=2000 RULESPEC_RULINGS=100 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/engine/game/test_secret_programs.py \
	  tests/games/test_shadow_of_the_emperor.py

proof-gallery: $(STAMP) $(CHESS)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[gallery]'
	RULESPEC_PROOF=gallery RULESPEC_OPEN_SPIEL=1000 RULESPEC_SKAT=10000 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/games/test_open_spiel.py tests/games/test_connect_four.py tests/games/test_skat.py \
		tests/games/test_information_states.py
	RULESPEC_PROOF=gallery RULESPEC_CHESS=1 $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/games/test_chess.py tests/engine/dialects/test_notated.py \
		tests/engine/dialects/test_text_variations.py

# What speaks to learners, other engines and agents, beside their libraries: OpenSpiel is in no other run.
proof-guests: $(STAMP)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[rl,mcp,serve]'
	RULESPEC_PROOF=guests $(BIN)/pytest -n 2 --dist worksteal -q -m '' tests/guests

# python-chess is under the GPL: it is a program of its own, in an environment of its own, and in no extra.
$(CHESS):
	$(PYTHON) -m venv build/python-chess
	@build/python-chess/bin/pip install --quiet --disable-pip-version-check 'chess>=1.10'

# About an hour of fuzzing in two processes, with at least 2,000 inputs for every entry point; see docs/explanation/robustness.md.
# What fails is written to build/fuzz/.
fuzz: $(STAMP)
	seq 2 | xargs -P 2 -I SEED $(BIN)/python -m fuzz --seconds 100 --inputs 1000 --seed SEED --out build/fuzz/SEED

# How good the tests of the shipped rules are, by changing the rules; see docs/guides/testing.md. Some hours; results in build/mutants/. Of what overlays
# include, each file is changed under one reference, which stands before it; after a second colon, an heir whose tests are tried, too.
MUTATED := nim: connect_four: ludo: backgammon: chess: kuhn_poker: leduc_poker: liars_dice: skat: acquire: dominion: go: shadow_of_the_emperor: tetrarchia: tetrarchia+imperivm: tetrarchia+mare_nostrvm: tetrarchia+diarchia: \
           tetrarchia+patres_patriae: tetrarchia+el_grande: imperial: imperial_2030: imperial_asia: rails_1889::rails_18chesapeake rails_18chesapeake:rails_18chesapeake tutorial: imperial+first_edition: imperial+reverse_order: imperial+stricter_import: \
           imperial+economy_2030: imperial+playimperial: imperial_2030+playimperial:playimperial.rules \
           imperial+playimperial_2030:playimperial_economy.rules
mutation: $(STAMP)
	@mkdir -p build/mutants
	@for each in $(MUTATED); do ref=$${each%%:*}; files=$${each#*:}; heir=$${files#*:}; test "$$heir" != "$$files" || heir=; \
	  $(BIN)/python -m bench.rule_mutants $$ref --files "$${files%%:*}" $${heir:+--heir $$heir} --count 500 --kept build/mutants \
	    --out build/mutants/$$each.jsonl --fail-under 90 || failed="$$failed $$each"; \
	done; test -z "$$failed" || { echo "below 90 %:$$failed" >&2; exit 1; }

# Speed beside python-chess and check-jsonschema; see docs/explanation/speed.md. About 25 minutes; results in build/bench/speed.json, too.
bench: $(STAMP) $(CHESS)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m bench.speed

# The commit beside an earlier one: `make bench-changed BASE=COMMIT`; see docs/explanation/speed.md. Nine minutes.
# Fails where something is slower, and no commit has a line `Slower: JOB: WHY`.
bench-changed: $(STAMP)
	@$(BIN)/python -m bench.changed $(BASE)

# The extension for VS Code, with its client: build/rulespec.vsix. Needs Node 20 and npm; about a minute.
vscode:
	rm -rf build/vscode && mkdir -p build/vscode
	cp editors/vscode/* editors/textmate/rulespec.tmLanguage.json LICENSE build/vscode/
	cd build/vscode && npm install --omit=dev --no-package-lock --no-audit --no-fund
	cd build/vscode && npx --yes @vscode/vsce@3 package --allow-missing-repository --out ../rulespec.vsix

# The documentation as a site in build/site/, which can be read from the disk. Errors are a broken link, an anchor that does not exist,
# a page without navigation, and whatever would be loaded from elsewhere. About a minute.
docs: $(DOCS)
	rm -rf build/site
	$(BIN)/python docs/site/stage.py build/site-source
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs/site -d build/site-doctrees build/site-source build/site
	$(BIN)/python docs/site/offline.py build/site

# Wheel and source archive of the current commit in dist/, each installed and tried; then the tag. Uploads nothing.
# `make release DRY=1` leaves the tag out.
release:
	@$(PYTHON) -m release $(if $(DRY),--dry-run)

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis rulespec/syntax/*.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Replaying needs no developers' tools.
# pip is looked for, not python: a set-up that was interrupted half-way is repaired by the next run.
$(RUNS): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Rulespec needs Python 3.11 or newer, and $(PYTHON) is not: try 'make PYTHON=python3.12 $(MAKECMDGOALS)'" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot create virtual environments (no ensurepip)." >&2; \
	  echo "On Debian or Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# The set-up writes the parser's tables, and each change of the grammar makes them stale.
$(TABLES): rulespec/syntax/grammar.lark rulespec/syntax/parse_table.py | $(RUNS)
	$(BIN)/python -m rulespec.syntax.parse_table

# Bytecode of our own modules; pip has made that of others. Where PYTHONDONTWRITEBYTECODE is set, as in many containers,
# Python writes none, and each command would take twice as long.
$(CODE): $(RUNS) $(TABLES) $(shell find $(ROOMS) -name '*.py')
	@$(BIN)/python -m compileall -q $(ROOMS)
	@touch $@

$(STAMP): $(RUNS) | $(CODE)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(DOCS): $(RUNS)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@
