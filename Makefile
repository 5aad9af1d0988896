# The front door. Bare `make` prints what there is.

PYTHON ?= python3
VENV := .venv/bin
PART ?= kafka

.DEFAULT_GOAL := help
.PHONY: help setup up down clean status logs test test-unit test-infra lint format lock

##@ Platform
up: ## Start everything: Kafka, Connect, PostgreSQL, Spark, Airflow, the streaming apps
	@$(PYTHON) -m headwater.local.bootstrap up
	@$(VENV)/python -m headwater.local up

down: setup ## Stop everything; data stays
	@$(VENV)/python -m headwater.local down

clean: setup ## Stop everything and remove its data
	@$(VENV)/python -m headwater.local clean

status: setup ## Show what runs
	@$(VENV)/python -m headwater.local status

logs: setup ## Follow the log of one part: make logs PART=spark
	@$(VENV)/python -m headwater.local logs $(PART)

##@ Development
setup: ## Make the locked Python environment
	@$(PYTHON) -m headwater.local.bootstrap

test: setup test-infra ## Run every test, on parts of its own
	@$(VENV)/pytest

test-unit: setup ## Run the tests that need no running part
	@$(VENV)/pytest tests/unit

test-infra: ## Run the tests of the Terraform modules
	@$(VENV)/python -m headwater.local.terraform_tests

lint: setup ## Look for faults; change nothing
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy
	@terraform fmt -check -recursive infra

format: setup ## Put every file in shape
	@$(VENV)/ruff check --fix .
	@$(VENV)/ruff format .
	@terraform fmt -recursive infra

lock: setup ## Pin anew what requirements.in and infra/jvm/ivy.xml name
	@$(VENV)/uv pip compile --quiet --generate-hashes --python-version 3.11 --custom-compile-command 'make lock' \
		requirements.in --output-file requirements.txt
	@$(VENV)/python -m headwater.local.jvm

help: ## Print this
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  \033[36m%-12s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)
