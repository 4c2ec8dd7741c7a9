# Everything is quoted and every path is relative: the checkout may lie in a folder with spaces and umlauts.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: run test bench eval faults lint docs fmt lock clean help

# make run [ONCE=1] [LLM=1] [PORT=8400] [DATA=folder]
ONCE ?=
LLM ?=
PORT ?=
DATA ?=
SCALE ?=
PYTHON ?=
export PYTHON LLM

py := .venv/bin/python
up_options := $(if $(PORT),--port "$(PORT)") $(if $(DATA),--data "$(DATA)") $(if $(LLM),--local-chat) $(if $(ONCE),--once)

run: ## set everything up, start the stack with the sample notebook, ask it a question, leave the page open (ONCE=1: stop then; LLM=1: with a local writing model)
	@tools/setup.sh run
	@exec $(py) -m sourcebook up --demo --ask-sample $(up_options)

test: ## set everything up and run every check: lint, types, import contracts, all tests, the page's, the browser's
	@tools/setup.sh test
	@tools/test.sh

bench: ## measure the ratios of the performance page (SCALE=1: a million chunks, most of an hour)
	@tools/setup.sh test
	@$(py) -m tests.load $(if $(SCALE),SCALE)

eval: ## measure the search with a question set on a stack of its own (SET=lakeside, or a folder); its documents are kept for the next run
	@tools/setup.sh run
	@tools/eval.sh "$(or $(SET),lakeside)"

faults: ## the long fault tests: kills, restarts, full disks
	@tools/setup.sh test
	@$(py) -m pytest tests/faults -m "long or not long" --timeout 1200

lint: ## formatting, rules, types, import contracts, line budget
	@tools/setup.sh lint
	@tools/lint.sh

docs: ## write docs/reference again from the code
	@tools/setup.sh lint
	@$(py) -m tools.reference

fmt: ## format the code
	@tools/setup.sh lint
	@.venv/bin/ruff format . && .venv/bin/ruff check --fix .

lock: ## write requirements/*.txt again from pyproject.toml
	@tools/setup.sh lint
	@tools/lock.sh

clean: ## remove what make has built (not your data)
	@rm -rf .venv .make web/node_modules web/dist build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16
