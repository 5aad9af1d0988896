# The front door. Bare `make` prints what there is.

PYTHON ?= python3
PART ?= kafka
BIN := .venv/bin
# Many tests wait more than they work: two processes share them, and take what is next in this order.
IN_TWO := --numprocesses=2 --dist=loadscope --no-loadscope-reorder

# Terraform complains of a configuration file that is named but missing.
ifeq ($(wildcard $(TF_CLI_CONFIG_FILE)),)
unexport TF_CLI_CONFIG_FILE
endif

.DEFAULT_GOAL := help
.PHONY: help up down clean status logs setup test test-unit lint docs format lock audit python bench-views bench-replay bench-search bench-changes soak

##@ Platform
up: python ## Start everything: Kafka, Connect, PostgreSQL, Spark, Airflow, the streaming apps
	@$(PYTHON) -m headwater.local.bootstrap up
	@$(BIN)/headwater up

down: setup ## Stop everything; data stays
	@$(BIN)/headwater down

clean: setup ## Stop everything and remove its data
	@$(BIN)/headwater clean

status: setup ## Show what runs
	@$(BIN)/headwater status

logs: setup ## Follow the log of one part: make logs PART=spark
	@$(BIN)/headwater logs $(PART)

##@ Development
setup: python ## Make the locked Python environment
	@$(PYTHON) -m headwater.local.bootstrap

test: test-unit ## Run every test, on an instance of its own
	@$(BIN)/pytest $(IN_TWO) --durations=30 \
		tests/cluster tests/end_to_end tests/contract tests/infra tests/integration

test-unit: setup ## Run the tests that need no running part
	@$(BIN)/pytest $(IN_TWO) tests/views tests/unit

lint: setup ## Look for faults; change nothing
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@terraform fmt -check -recursive infra
	@TF_DATA_DIR=$(CURDIR)/.headwater/.lint terraform -chdir=infra/environments/local init -backend=false -input=false >/dev/null
	@TF_DATA_DIR=$(CURDIR)/.headwater/.lint terraform -chdir=infra/environments/local validate

docs: setup ## Write the views' own words into the README and docs/views.md
	@$(BIN)/python -m spark_apps.docs

format: setup ## Put every file in shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@terraform fmt -recursive infra

bench-views: setup ## Measure how fast each view replays: make bench-views EVENTS=1000000
	@$(BIN)/python -m benchmarks.bench_views

bench-replay: setup ## Measure how replays grow with the log: make bench-replay EVENTS="1000000 5000000 20000000"
	@$(BIN)/python -m benchmarks.bench_replay

bench-search: setup ## Measure how alerts on searches grow with the stored queries
	@$(BIN)/python -m benchmarks.bench_search

bench-changes: setup ## Measure how fast changed rows come into a view: make bench-changes CHANGES=50000 RATE=20
	@$(BIN)/python -m benchmarks.bench_changes

soak: setup ## Run everything for a while and draw it: make soak MINUTES=15 RATE=200 CHANGES=2
	@$(BIN)/python -m benchmarks.soak

audit: setup ## Look for known faults in what we use and in the Terraform code; list its parts and licences
	@$(BIN)/python -m audit

lock: setup ## Pin anew what requirements.in, requirements-audit.in and infra/jvm/ivy.xml name
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --python-version 3.11 \
		requirements.in --output-file requirements.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --python-version 3.11 \
		requirements-audit.in --output-file requirements-audit.txt
	@$(BIN)/python -m headwater.local.jvm

help: ## Print this
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  \033[36m%-12s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

python:
	@command -v $(PYTHON) >/dev/null || { \
		echo "Python is missing"; \
		echo "Headwater needs 3.11 or newer; $(PYTHON) is not on PATH."; \
		echo "Install it with 'sudo apt-get install python3 python3-venv'."; \
		exit 1; }
