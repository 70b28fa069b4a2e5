.DEFAULT_GOAL := help
FUZZTIME ?= 10s
GOLANGCI := v2.15.0
GORELEASER := v2.14.3
PREFIX ?= /usr/local
BENCHSTAT := v0.0.0-20260908200009-22c9c6c9d4da
BENCH ?= .
PKGS ?= ./...
COUNT ?= 6
SOAK ?= 30m
TIMES ?= 1
# packages of conformance that take more than half a minute or a network of npm's: "make long" runs them
LONG := attack|browser|dapclient|editors|gdbclient|interop|official|scale|xml
# packages whose tests take longest: they begin first
SLOW := ./debugger ./conformance ./debugger/internal/record/recording ./cmd/triptych ./transport/audit ./debugger/internal/record/history ./debugger/internal/kernel/proc
# tests wait for processes and servers as long as they compute: twice as many packages as cores run
# beside each other
BESIDE = $$((2 * $$(getconf _NPROCESSORS_ONLN)))
# packages that start goroutines, or whose tests do. Those of conformance start the program, which
# is built without the race detector.
RACY = $$(grep -rlE --include=*.go '(^[[:space:]]*|[{;] )go (func|[[:alpha:]_.]+\()|\.Go\(' . | \
	grep -vE '/testdata/|^\./(conformance|bin)/' | xargs -n1 dirname | sort -u) ./conformance/xml ./conformance/jsonrpc ./conformance/editors
# where it has to build, tests and all, besides where they are run
ELSEWHERE := linux/arm64 darwin/arm64 windows/amd64

.PHONY: help build run demo test race long fuzz bench bench-peers bench-debugger soak soak-cluster cover vet lint fmt generate golden site conformance conformance-xml bench-bugs ci install snapshot release release-check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/triptych, static and without what only debuggers read
	CGO_ENABLED=0 go build -ldflags=-w -o bin/triptych ./cmd/triptych

install: build ## install the program, its man pages and completions below PREFIX
	install -D -m 755 bin/triptych $(DESTDIR)$(PREFIX)/bin/triptych
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	bin/triptych man --folder $(DESTDIR)$(PREFIX)/share/man
	bin/triptych completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/triptych
	bin/triptych completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_triptych
	bin/triptych completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/triptych.fish

run: build ## serve https://127.0.0.1:8443/mcp; the first time it makes a key and prints a curl line
	bin/triptych serve

demo: build ## show a rule, a crash and a race on sample data; with JSON=1, a session in JSON
	sh docs/demo/$(if $(JSON),json,run).sh

test: ## run the tests without vet, of what takes long a sample; says which programs are missing
	@conformance/missing.sh
	go test -p $(BESIDE) -vet=off -shuffle=on $(SLOW) $$(go list ./... | grep -v -E '/conformance/($(LONG))$$')

# A program with the detector sleeps for a second before it ends, to find races of goroutines that
# still run. The tests start thousands of them, and wait for their ends.
race: export GORACE := atexit_sleep_ms=10 $(GORACE)
race: ## run the tests of packages with goroutines with the race detector, of what takes long a sample
	go test -p $(BESIDE) -race -vet=off -shuffle=on -timeout 20m $(filter-out %/history ./conformance,$(SLOW)) $(RACY)

long: export TRIPTYCH_TEST_LONG := $(TIMES)
long: ## run all tests of PKGS, whole: with TIMES=5, five times as many rounds, kills and random inputs
	go test -p $(BESIDE) -vet=off -shuffle=on -timeout 3h $(if $(filter ./...,$(PKGS)),$(SLOW)) $(PKGS)

fuzz: ## run each fuzz target for FUZZTIME
	@set -e; for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; done

bench: ## run the benchmarks BENCH of PKGS; with BASE=REF, beside those of that commit, COUNT times, whether their packages are internal or not
ifndef BASE
	go test -run '^$$' -bench '$(BENCH)' $(PKGS)
else
	@set -e; dir=$$(mktemp -d); trap 'git worktree remove --force $$dir/base; rm -rf $$dir' EXIT; \
	git worktree add -q --detach $$dir/base $(BASE); \
	for i in $$(seq $(COUNT)); do \
		echo "round $$i of $(COUNT)" >&2; \
		(cd $$dir/base && go test -run '^$$' -bench '$(BENCH)' -benchmem $(PKGS)) >>$$dir/base.txt; \
		go test -run '^$$' -bench '$(BENCH)' -benchmem $(PKGS) >>$$dir/here.txt; \
	done; \
	sed -i '/^pkg: /s|/internal||g' $$dir/base.txt $$dir/here.txt; \
	go run golang.org/x/perf/cmd/benchstat@$(BENCHSTAT) $(BASE)=$$dir/base.txt here=$$dir/here.txt
endif

bench-peers: ## measure beside other servers and write docs/performance.md; QUICK=1 takes 3 minutes, not 12
	cd conformance/bench && go run ./peers $(if $(QUICK),-quick)

bench-debugger: ## measure the debugger beside gdb, Delve and qemu-user and write docs/debugger-performance.md; QUICK=1 takes 3 minutes, not 15
	cd conformance/bench && go run ./debugbench $(if $(QUICK),-quick)

soak: ## keep the program busy for SOAK over both transports and write what became of it into docs/performance.md
	@mkdir -p bin/peers
	cd conformance/bench && go test -count=1 -v -run '^TestSoak$$' -timeout 3h ./load -soak $(SOAK) -soak-file $(CURDIR)/bin/peers/soak.json
	cd conformance/bench && go run ./peers -soak $(CURDIR)/bin/peers/soak.json

soak-cluster: ## let servers behind haproxy and their store fail in turn for SOAK, with clients of all kinds
	TRIPTYCH_TEST_SOAK=$(SOAK) go test -count=1 -v -run '^TestSoak$$' -timeout 3h ./conformance/scale

cover: ## show the coverage by package
	go test -cover ./...

vet: ## check the format, vet, and check the types for other systems
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt would change:"; echo "$$files"; exit 1; }
	go vet ./...
	go run ./conformance/elsewhere $(ELSEWHERE)

lint: vet ## look for faults, too; the first run builds the linter, which takes minutes
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) run --timeout 20m --max-issues-per-linter 0 --max-same-issues 0 ./...

fmt: ## format
	gofmt -w .

generate: ## write the man pages and the documents made from tables anew
	rm -rf docs/man && go run ./cmd/triptych man --folder docs/man
	go test -count=1 -run '^TestDocumentsAreFresh$$' ./cmd/triptych -update
	go test -count=1 -run '^TestRoutesAreDocumented$$' ./cmd/triptych/internal/servecmd -update
	go test -count=1 -run '^TestServerJSONIsFresh$$' ./cmd/triptych/internal/releasetool -update

site: ## make a static site of the documents in bin/site
	go run ./cmd/docsite bin/site

golden: ## write the files anew that pin what clients see of the tools
	@set -e; for file in $$(grep -l 'mcptest\.Surface(t,' */*_test.go); do \
		go test -count=1 -run '^TestSurface$$' ./$$(dirname $$file) -update; \
	done

conformance: ## see the whole program from outside: conversations, suites, other clients
	TRIPTYCH_TEST_EDITORS=1 go test -count=1 -timeout 30m ./conformance/...

bench-bugs: ## look for the other places of known fixes in the bare clones in CLONES
	go run ./debugger/internal/bugs/bugbench run $(abspath $(CLONES))

conformance-xml: ## ask the W3C's suites in XSDTESTS and QT3TESTS, xmllint, and Xerces about real schemas in the clones in SCHEMAS
	XSDTESTS=$(abspath $(XSDTESTS)) QT3TESTS=$(abspath $(QT3TESTS)) SCHEMAS=$(abspath $(SCHEMAS)) go test -count=1 -v -timeout 3h ./conformance/xml

snapshot: ## build everything of a release into bin/dist, without an image and without publishing
	go run github.com/goreleaser/goreleaser/v2@$(GORELEASER) release --snapshot --clean --skip=docker,sign
	bin/release/releasetool registry --version 0.0.0 bin/release/bundles/*.mcpb >bin/release/server.json

release: ## build and publish the release of the tag that is checked out
	go run github.com/goreleaser/goreleaser/v2@$(GORELEASER) release --clean
	bin/release/releasetool registry --version "$$(git describe --tags --exact-match)" bin/release/bundles/*.mcpb >bin/release/server.json

release-check: snapshot ## install, start and check what snapshot has built, at last on bare Debian systems; needs root, dpkg, rpm, node, systemd and debootstrap
	deploy/check.sh

ci: lint race long build ## what continuous integration runs
