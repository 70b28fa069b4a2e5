.DEFAULT_GOAL := help
FUZZTIME ?= 10s
GOLANGCI := v2.15.0
GORELEASER := v2.14.3
VERSITYGW := v1.8.0
PREFIX ?= /usr/local
BENCHSTAT := v0.0.0-20260908200009-22c9c6c9d4da
BENCH ?= .
PKGS ?= ./...
COUNT ?= 6
SOAK ?= 30m
KILLS ?= 1000
ROUNDS ?= 2000
SEEKS ?= 200
# packages of conformance that take more than half a minute or a network of npm's
LONG := attack|browser|debugbench|editors|interop|load|official|scale|xml
# packages whose tests take longest with the race detector: they begin first
SLOW := ./debugger ./debugger/internal/recording ./cmd/triptych ./transport/audit ./debugger/internal/history ./debugger/internal/proc
# where it has to build, tests and all, besides where they are run
ELSEWHERE := linux/arm64 darwin/arm64 windows/amd64

.PHONY: help build run demo test race long fuzz bench bench-peers bench-debugger soak soak-cluster rounds recordings cover vet lint fmt generate golden site conformance conformance-s3 conformance-xml bench-bugs ci install snapshot release release-check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/triptych, static and without what only debuggers read
	CGO_ENABLED=0 go build -trimpath -ldflags=-w -o bin/triptych ./cmd/triptych

install: build ## install the program, its man pages and completions below PREFIX
	install -D -m 755 bin/triptych $(DESTDIR)$(PREFIX)/bin/triptych
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	bin/triptych man --folder $(DESTDIR)$(PREFIX)/share/man/man1
	bin/triptych completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/triptych
	bin/triptych completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_triptych
	bin/triptych completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/triptych.fish

run: build ## serve https://127.0.0.1:8443/mcp; the first time it prints a key and a curl line
	bin/triptych serve

demo: build ## play a short session on sample data over standard input and output
	sh docs/demo/run.sh

test: ## run the tests but the long ones of "make conformance"; says which programs are missing
	@conformance/missing.sh
	go test -shuffle=on $$(go list ./... | grep -v -E '/conformance/($(LONG))$$')

# The packages of conformance start the program, which is built without the detector.
# A program with the detector sleeps for a second before it ends, to find races of goroutines that
# still run. The tests start thousands of them, and wait for their ends.
race: export GORACE := atexit_sleep_ms=10 $(GORACE)
race: ## run the tests with the race detector, but those of conformance that only start programs
	go test -race -vet=off -shuffle=on -timeout 20m $(SLOW) $$(go list ./... | grep -v /conformance) ./conformance/xml ./conformance/jsonrpc ./conformance/editors

long: ## run the tests of conformance that "make test" leaves out
	go test -shuffle=on -timeout 20m $$(go list ./conformance/... | grep -E '/conformance/($(LONG))$$')

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
	cd conformance/peers && go run . $(if $(QUICK),-quick)

bench-debugger: ## measure the debugger beside gdb, Delve and qemu-user and write docs/debugger-performance.md; QUICK=1 takes 3 minutes, not 15
	go run ./conformance/debugbench $(if $(QUICK),-quick)

soak: ## keep the program busy for SOAK over both transports and write what became of it into docs/performance.md
	@mkdir -p bin/peers
	go test -count=1 -v -run '^TestSoak$$' -timeout 3h ./conformance/load -soak $(SOAK) -soak-file $(CURDIR)/bin/peers/soak.json
	cd conformance/peers && go run . -soak $(CURDIR)/bin/peers/soak.json

soak-cluster: ## let servers behind haproxy and their store fail in turn for SOAK, with clients of all kinds
	TRIPTYCH_TEST_SOAK=$(SOAK) go test -count=1 -v -run '^TestSoak$$' -timeout 3h ./conformance/scale

rounds: ## kill debuggers KILLS times in five states and attach ROUNDS times, to find races
	TRIPTYCH_TEST_KILLS=$(KILLS) go test -count=1 -timeout 30m -run '^TestKilledAtAnyMoment$$' ./debugger/internal/history
	TRIPTYCH_TEST_ROUNDS=$(ROUNDS) go test -count=1 -timeout 30m -run '^Test(AttachRounds|NoSignalIsLost|DebuggerIsKilled|Storm)$$' ./debugger/internal/proc

recordings: ## record real programs, compare SEEKS positions and single-stepped samples of each, kill recorders KILLS times, and fuzz translations
	cd debugger/internal/recording && TRIPTYCH_TEST_SEEKS=$(SEEKS) go test -count=1 -timeout 3h -run '^Test(RealPrograms|SharedFiles|Ring)$$' .
	cd debugger/internal/recording && TRIPTYCH_TEST_KILLS=$(KILLS) go test -count=1 -timeout 3h -run '^TestKilledRecorder$$' .
	cd debugger/internal/inplace && TRIPTYCH_X86_WHOLE=1 go test -count=1 -timeout 3h -run '^Test(Random|Changing)Code$$' .

cover: ## show the coverage by package
	go test -cover ./...

vet: ## check the format and vet, for other systems too
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt would change:"; echo "$$files"; exit 1; }
	go vet ./...
	@set -e; for target in $(ELSEWHERE); do \
		echo "vet for $$target"; GOOS=$${target%/*} GOARCH=$${target#*/} go vet -gcflags='all=-N -l -dwarf=false' ./...; \
	done

lint: vet ## check the house rules too; the first run builds the linter, which takes minutes
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) run ./...

fmt: ## format
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) fmt ./...

generate: ## write the man page and the documents made from tables anew
	go run ./cmd/triptych man > docs/triptych.1
	go test -count=1 -run '^TestDocumentsAreFresh$$' ./cmd/triptych -update
	go test -count=1 -run '^TestRoutesAreDocumented$$' ./cmd/triptych/internal/servecmd -update

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

conformance-s3: ## export the audit trail to another project's S3 gateway; the first run builds it, which takes minutes
	GOBIN=$(CURDIR)/bin/peers go install github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW)
	TRIPTYCH_TEST_S3=$(CURDIR)/bin/peers/versitygw go test -count=1 -v -run '^TestExportToAGateway$$' ./cmd/triptych/internal/auditcmd

conformance-xml: ## ask the W3C's suites in XSDTESTS and QT3TESTS, xmllint, and Xerces about real schemas in the clones in SCHEMAS
	XSDTESTS=$(abspath $(XSDTESTS)) QT3TESTS=$(abspath $(QT3TESTS)) SCHEMAS=$(abspath $(SCHEMAS)) go test -count=1 -v -timeout 3h ./conformance/xml

snapshot: ## build everything of a release into bin/dist, without an image and without publishing
	go run github.com/goreleaser/goreleaser/v2@$(GORELEASER) release --snapshot --clean --skip=docker,sign
	bin/release/triptych __release registry --version 0.0.0 bin/release/bundles/*.mcpb >bin/release/server.json

release: ## build and publish the release of the tag that is checked out
	go run github.com/goreleaser/goreleaser/v2@$(GORELEASER) release --clean
	bin/release/triptych __release registry --version "$$(git describe --tags --exact-match)" bin/release/bundles/*.mcpb >bin/release/server.json

release-check: snapshot ## install, start and check what snapshot has built, at last on bare Debian systems; needs root, dpkg, rpm, node, systemd and debootstrap
	deploy/check.sh

ci: vet race long build ## what continuous integration runs
