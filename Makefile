# make run    builds schedstep and opens the first demo in this terminal
# make test   runs every test
# Both need Go, make and git, and nothing else.

GO        ?= go
BIN       := bin
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT   := mvdan.cc/gofumpt@v0.12.0
VULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

.PHONY: run build install test lint fmt vuln generate check-generated bench race verify conformance conformance-short fuzz e2e demo demos clean

run: build
	@$(BIN)/schedstep demo

build:
	@mkdir -p $(BIN)
	$(GO) build -o $(BIN)/ ./cmd/schedstep ./cmd/kubectl-schedstep

install:
	$(GO) install ./cmd/schedstep ./cmd/kubectl-schedstep

test:
	$(GO) vet ./...
	$(GO) test ./...

lint: $(BIN)/golangci-lint $(BIN)/gofumpt
	$(BIN)/golangci-lint run ./...
	@unformatted=$$($(BIN)/gofumpt -l $$(git ls-files '*.go' | grep -v /testdata/)); \
	if [ -n "$$unformatted" ]; then echo "not gofumpt'd (run make fmt):"; echo "$$unformatted"; exit 1; fi

fmt: $(BIN)/gofumpt
	$(BIN)/gofumpt -w $$(git ls-files '*.go' | grep -v /testdata/)

# The check and its database come from the network. Where either cannot be had it says so and passes;
# a vulnerability it finds (exit 3) is the one thing that fails.
vuln:
	@[ -x $(BIN)/govulncheck ] || GOBIN=$(abspath $(BIN)) $(GO) install $(VULNCHECK) || \
	  { echo "govulncheck could not be installed: no network?"; exit 0; }; \
	[ -x $(BIN)/govulncheck ] || exit 0; \
	$(BIN)/govulncheck ./... || { status=$$?; \
	if [ $$status -eq 3 ]; then exit 3; fi; echo "govulncheck could not run (exit $$status): no network?"; }

# Everything in docs/ that is made from tables in the code.
generate:
	$(GO) run ./cmd/schedstep keys -o markdown > docs/keys.md
	$(GO) run ./cmd/schedstep commands > docs/commands.md

check-generated: generate
	git diff --exit-code docs/keys.md docs/commands.md

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./core/... ./replay/... ./tui/...

# The real kube-scheduler and schedstep's core beside each other: a table of ratios. RACE takes flags, such as
# RACE='-nodes 5000 -workload preemption -rounds 9'; RACE=-h lists them.
RACE ?=
race:
	@mkdir -p $(BIN)
	cd conformance && $(GO) build -o ../$(BIN)/race ./cmd/race
	$(BIN)/race $(RACE)

# FILE, anything that schedstep run takes, through schedstep and through kube-scheduler 1.37.1 (ARGS: more flags).
verify:
	@mkdir -p $(BIN)
	@cd conformance && $(GO) build -o ../$(BIN)/ ./cmd/schedstep-verify
	$(BIN)/schedstep-verify $(ARGS) $(FILE)

# Everything the conformance module compares, at length, and docs/conformance.md from what came out. Half an hour or so.
SEEDS     ?= 3000
SEQUENCES ?= 12000
TALLIES   := $(abspath $(BIN)/tallies)
GROUPS    ?= 2000
COMPARED  := ./oracle ./generate ./compare ./queue ./groups ./verify
conformance:
	@rm -rf $(TALLIES) && mkdir -p $(TALLIES)
	cd conformance && SCHEDSTEP_TALLIES=$(TALLIES) SCHEDSTEP_SEEDS=0:$(SEEDS) $(GO) test -timeout 0 ./compare
	cd conformance && SCHEDSTEP_TALLIES=$(TALLIES) $(GO) test -timeout 0 ./queue -run TestBothQueues -rapid.checks=$(SEQUENCES)
	cd conformance && SCHEDSTEP_TALLIES=$(TALLIES) $(GO) test -timeout 0 ./groups -cases $(GROUPS)
	$(MAKE) e2e REPORT=$(TALLIES)/e2e.md
	cd conformance && $(GO) run ./cmd/conformance-report $(TALLIES) > $(TALLIES)/conformance.md
	cp $(TALLIES)/conformance.md docs/conformance.md

# A few minutes of it: the fixed seeds, and others every day.
FRESH ?= 60
conformance-short:
	cd conformance && $(GO) vet $(COMPARED) ./cmd/... && SCHEDSTEP_SEEDS=0:$(FRESH) $(GO) test $(COMPARED)
	@from=$$(( 1000000 + $$(date +%s) / 86400 * 1000 )); to=$$(( from + $(FRESH) )); \
	echo "seeds of the day: SCHEDSTEP_SEEDS=$$from:$$to"; \
	cd conformance && SCHEDSTEP_SEEDS=$$from:$$to $(GO) test -count=1 ./compare -run 'KubeScheduler'

# Each fuzz target for FUZZTIME.
FUZZTIME ?= 20s
fuzz:
	@for target in $$(grep -rl --include='*_test.go' '^func Fuzz' core replay themes); do \
	  for name in $$(grep -o '^func Fuzz[A-Za-z]*' $$target | cut -c6-); do \
	    echo "== $$name in $$(dirname $$target)"; \
	    $(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) ./$$(dirname $$target) || exit 1; \
	  done; done

# A real kube-apiserver with etcd and the real kube-scheduler, built from the module proxy (minutes, once), and several
# hundred pods that schedstep has to place as they do. REPORT names a file for the table.
E2E    := $(abspath $(BIN)/e2e)
STAMP  := $(patsubst %,-X k8s.io/component-base/version.%,gitVersion=v1.37.1 gitMajor=1 gitMinor=37)
REPORT ?=
e2e:
	@mkdir -p $(E2E)
	cd conformance/e2e && $(GO) build -ldflags "$(STAMP)" -o $(E2E)/ ./cmd/...
	cd conformance/e2e && SCHEDSTEP_E2E=$(E2E) $(GO) test -tags e2e -count=1 -timeout 20m -v . $(if $(REPORT),-args -report $(abspath $(REPORT)))

demo: run

# The embedded recordings, from the scenarios beside them.
demos: build
	@for d in replay/demo/*.txt; do \
	  $(BIN)/schedstep convert $$d -o $${d%.txt}.schedstep --title $$(basename $$d .txt) -q || exit 1; \
	done

$(BIN)/golangci-lint:
	GOBIN=$(abspath $(BIN)) $(GO) install $(LINT)

$(BIN)/gofumpt:
	GOBIN=$(abspath $(BIN)) $(GO) install $(GOFUMPT)

clean:
	rm -rf $(BIN)
