# Two commands are enough: `make run` and `make test`. Each sets up what it needs and skips what is there.
# Variables: PORT, HOST (run), PYTHON (interpreter), PYTEST_ARGS (test), PASSNET_CASES (folder with vectors/ and cases/).

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup doctor run test test-hostile test-cluster lint format bench bench-gpu screenshots tasks
export PORT HOST PYTHON CHROMIUM PYTEST_ARGS PASSNET_CASES

help:            ## say what there is
	@sed -n 's/^\([a-z-]*\): *## /\1\t/p' Makefile | awk -F'\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

setup:           ## environment in .venv/, front end in static/dist/
	@scripts/setup.sh setup

doctor:          ## what is there, what is missing, how to get it
	@scripts/setup.sh doctor

run:             ## start the workbench (PORT=8000 HOST=127.0.0.1)
	@exec scripts/run.sh

test:            ## lint and all tests but the long hostile series
	@exec scripts/test.sh all

test-hostile:    ## long attack and fault series
	@exec scripts/test.sh hostile

test-cluster:    ## real Postgres and Redis, two web servers, three workers; each is killed in mid-work
	@exec scripts/test.sh cluster

lint:            ## ruff, mypy, import-linter, tsc, dependency audit
	@exec scripts/test.sh lint

format:          ## let ruff format and fix what it can
	@scripts/setup.sh setup && .venv/bin/ruff check --fix . ; .venv/bin/ruff format .

bench:           ## measure the parts that should stay fast
	@scripts/setup.sh setup && for file in $$(ls tests/bench/bench_*.py | grep -v bench_gpu); do echo "── $$file"; .venv/bin/python $$file || exit 1; done

bench-gpu:       ## measure the evaluator on a CUDA device, without web or database (BENCH_ARGS="--fresh 1")
	@$(if $(wildcard .venv/bin/python),.venv/bin/python,python3) tests/bench/bench_gpu.py $(BENCH_ARGS)

screenshots:     ## pictures of the pages into docs/images
	@scripts/setup.sh setup && exec .venv/bin/python scripts/screenshots.py

tasks:           ## write the graphs of the shipped tasks again
	@scripts/setup.sh run && exec .venv/bin/python scripts/write_tasks.py
