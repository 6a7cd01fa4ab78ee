# What developers run. `make` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help build site wheel release-snapshot test ci lint generate bench bench-audit bench-hunt bench-observe bench-peers corpus mutants picture picture-hunt picture-editor vscode-screens fuzz

TREE ?=
MIRROR ?= .mirror
ROUNDS ?= 5
FUZZTIME ?= 30s
CHROMIUM ?= chromium
# A python3 that has build and hatchling: the first of PATH may be one of conda or pyenv, without Debian's packages.
PYTHON ?= $(shell for p in python3 /usr/bin/python3; do $$p -c 'import build, hatchling' 2>/dev/null && echo $$p && exit; done; echo python3)
MUSL_CC ?= musl-gcc
PACKAGE = $(PYTHON) -m build --no-isolation --skip-dependency-check --outdir dist packaging/pypi
WHEEL = $(PACKAGE) --wheel

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build ./rlvet
	go build -trimpath -ldflags '-s -w' -o rlvet ./cmd/rlvet

wheel: ## the package for pip into dist/, by build and hatchling of PYTHON; on Linux by MUSL_CC, for every Linux
	@$(PYTHON) -c 'import build, hatchling' 2>/dev/null || { \
	echo "make wheel takes a Python with build and hatchling, and $(PYTHON) lacks them: apt-get install python3-build python3-hatchling, or pip install build hatchling in a virtual environment and make wheel PYTHON=ITS/bin/python" >&2; exit 1; }
	@[ "$$(uname)" != Linux ] || command -v $(firstword $(MUSL_CC)) >/dev/null || { \
	echo "make wheel takes musl's compiler on Linux, and there is no $(firstword $(MUSL_CC)): apt-get install musl-tools, or give another as MUSL_CC" >&2; exit 1; }
	$(if $(filter Linux,$(shell uname)),CC="$(MUSL_CC)" RLVET_STATIC=1) $(WHEEL)

release-snapshot: ## what a release holds, as far as Debian's cross compilers go, into an empty dist/; to try, not to publish
	rm -rf dist
	$(PACKAGE) --sdist
	$(MAKE) wheel
	GOOS=linux GOARCH=arm64 CC=aarch64-linux-gnu-gcc RLVET_STATIC=1 $(WHEEL)
	GOOS=windows GOARCH=amd64 CC=x86_64-w64-mingw32-gcc $(WHEEL)
	.ci/archives dist
	.ci/packages dist
	@if command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then .ci/vsix dist; \
	else echo "LEFT OUT: the extension of VS Code (rlvet-*.vsix), which takes npm and Node.js 20 or newer" >&2; fi

site: ## the documents as a site into dist/site, by mkdocs and mkdocs-material of Debian
	mkdocs build --strict -f packaging/site/mkdocs.yml

test: ## install what the tests need and run them all
	./test

ci: ## everything that must hold before a change goes in
	.ci/run

lint: ## gofmt, vet, staticcheck
	@unformatted=$$(git ls-files '*.go' | xargs gofmt -l); test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go vet ./...
	go tool -modfile=.ci/tools.mod staticcheck ./...

generate: ## registry, index and README's table from the rules' folders; pages from their templates
	go generate ./rules ./internal/...

bench: ## benchmarks of parse, lowering, inference and the whole check
	go test -run '^$$' -bench . -benchmem ./internal/... ./rules/...

bench-audit: ## rlvet audit on runs that hack their reward and runs that do not; ten minutes
	go run ./internal/tools/benchaudit

bench-hunt: ## rlvet hunt beside other tools, on planted faults; minutes
	go run ./internal/tools/benchhunt > docs/benchmarks/hunt.md

bench-observe: ## whether what is inferred agrees with what runs show, on testdata and SCRIPTS; ten minutes
	go run ./internal/tools/benchobserve $(SCRIPTS) > docs/benchmarks/observe.md

bench-peers: ## rlvet beside other tools on TREE=DIR
	go run ./internal/tools/benchpeers -tree "$(TREE)" -rounds $(ROUNDS)

corpus: ## what is new and gone on pinned public repositories, cloned into MIRROR (.mirror)
	go run ./internal/tools/corpus -mirror "$(MIRROR)" -clone -trees "$(MIRROR)/trees"

mutants: corpus ## share of the bugs planted in them that is reported
	go run ./internal/tools/mutants -trees "$(MIRROR)/trees"

picture: ## the README's picture of a page of evidence, by CHROMIUM
	.ci/picture "$(CHROMIUM)"

picture-hunt: ## the README's picture of a post-mortem, by CHROMIUM
	.ci/picture-hunt "$(CHROMIUM)"

vscode-screens: ## try the extension in code-server (CODE_SERVER) by playwright-core (PLAYWRIGHT), with pictures; minutes
	cd editors/vscode && npm run package && npm run screens

picture-editor: ## the README's picture of Neovim, by tmux, aha and CHROMIUM
	.ci/picture-editor "$(CHROMIUM)"

fuzz: ## every fuzzer for FUZZTIME (30s)
	.ci/fuzz $(FUZZTIME)
