# make run    builds schedstep and opens the first demo in this terminal
# make test   runs every test
# Both need Go, make and git, and nothing else.

GO        ?= go
BIN       := bin
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT   := mvdan.cc/gofumpt@v0.12.0
VULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

# Every module of the repository, and those that a test of conformance builds on. The oracles of other releases are
# compiled with build tags, by make conformance-releases alone.
MODULES   := $(filter-out conformance/releases/%,$(sort $(patsubst %/,%,$(dir $(shell git ls-files '*go.mod')))))
EXAMPLES  := $(filter examples/%,$(MODULES))
# Systems that schedstep is built for, and those that make vet-systems compiles the tests for.
SYSTEMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
VETTED    := darwin/arm64 windows/amd64

.PHONY: run build install test test-race lint fmt vuln vuln-modules generate check-generated bench versus verify conformance \
  conformance-short host conformance-releases conformance-reduced hunt conformance-rotation conformance-changes oracle fuzz laws laws-history cross vet-systems pictures tour dist image completions e2e queries e2e-programs e2e-carried corpus incident e2e-1.34 demo demos clean browser playground

run: build
	@$(BIN)/schedstep demo

build:
	@mkdir -p $(BIN)
	$(GO) build -o $(BIN)/ ./cmd/schedstep ./cmd/kubectl-schedstep

install:
	$(GO) install ./cmd/schedstep ./cmd/kubectl-schedstep

# go vet reads a package and all that it imports once more for each way to compile it. make test and make lint run it over
# every module; VET=: leaves it to make lint.
VETTED_BEFORE := -vet=off
VET           ?= $(GO) vet ./...

# The same random stories in every run; make laws draws others. Idle, the longest package takes a minute: who shares the
# machine with much else needs more than the ten that go test gives it.
test:
	$(VET)
	$(GO) test $(VETTED_BEFORE) -timeout 30m ./...
	@for module in $(EXAMPLES); do echo "== $$module"; \
	  (cd $$module && $(VET) && $(GO) test $(VETTED_BEFORE) ./...) || exit 1; done

# The race detector, which needs a C compiler, in the packages whose code or tests start goroutines. In core nothing starts
# one, and neither does a test that damages every byte of a recording in turn, or reads what every demo and scenario says
# in another language: ALONE names those, which would take minutes here. What is built for a browser alone has no files here.
ALONE := CutAnywhere|FlippedBytes|RedactionTakesOut|NoSentence|WhatDataSays
test-race:
	CGO_ENABLED=1 $(GO) test -race $(VETTED_BEFORE) -timeout 30m -skip '$(ALONE)' \
	  $$(grep -rlE --include='*.go' '^\s*go (func\b|[a-zA-Z_.]+\()|\.Go\(' cmd replay serve tui | xargs -n1 dirname | sort -u | sed 's|^|./|' \
	    | xargs $(GO) list -e -f '{{if or .GoFiles .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}')

# Both programs for every system, or for those of CROSS. Hosted CI runs the tests on Linux, macOS and Windows themselves.
CROSS ?= $(SYSTEMS)
cross:
	@for system in $(CROSS); do echo "== $$system"; \
	  GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/cross/$$system/ ./cmd/schedstep ./cmd/kubectl-schedstep || exit 1; done

# Every package and test compiled for one machine of the other systems.
vet-systems:
	@for system in $(VETTED); do echo "== vet $$system"; \
	  GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0 $(GO) vet ./... || exit 1; done

lint: $(BIN)/golangci-lint $(BIN)/gofumpt
	@for module in $(MODULES); do echo "== $$module"; \
	  (cd $$module && $(abspath $(BIN))/golangci-lint run --build-tags e2e,incident ./...) || exit 1; done
	@unformatted=$$($(BIN)/gofumpt -l $$(git ls-files '*.go' | grep -v /testdata/)); \
	if [ -n "$$unformatted" ]; then echo "not gofumpt'd (run make fmt):"; echo "$$unformatted"; exit 1; fi
	$(GO) test $(VETTED_BEFORE) -count=1 -v -run PlainWords .

fmt: $(BIN)/gofumpt
	$(BIN)/gofumpt -w $$(git ls-files '*.go' | grep -v /testdata/)

# What is shipped is read as it was linked: seconds. make vuln-modules follows the calls of every module, those of the tests
# that link Kubernetes too: minutes. The check and its database come from the network. Where either cannot be had it says
# so and passes; a vulnerability it finds (exit 3) is the one thing that fails.
vuln: build $(BIN)/govulncheck
	@[ -x $(BIN)/govulncheck ] || exit 0; \
	for program in schedstep kubectl-schedstep; do echo "== $$program"; \
	  $(BIN)/govulncheck -mode binary $(BIN)/$$program || $(FOUND); done

vuln-modules: $(BIN)/govulncheck
	@[ -x $(BIN)/govulncheck ] || exit 0; \
	for module in $(MODULES); do echo "== $$module"; \
	  (cd $$module && $(abspath $(BIN))/govulncheck ./...) || $(FOUND); done

FOUND = { status=$$?; if [ $$status -eq 3 ]; then exit 3; fi; echo "govulncheck could not run (exit $$status): no network?"; }

$(BIN)/govulncheck:
	@GOBIN=$(abspath $(BIN)) $(GO) install $(VULNCHECK) || echo "govulncheck could not be installed: no network?"

# The documents that are made from tables in the code.
generate:
	$(GO) test ./cmd -run FieldsAreCommented -update-fields > /dev/null
	$(GO) run ./cmd/schedstep keys -o markdown > docs/keys.md
	$(GO) run ./cmd/schedstep commands > docs/commands.md
	$(GO) run ./cmd/schedstep releases -o markdown > docs/releases.md

# What a release hands out: an archive for each system, sums, and the manifest for krew. VERSION overrules git describe.
dist:
	@rm -rf dist
	$(GO) run ./internal/dist -o dist $(if $(VERSION),-version $(VERSION))

# An image for amd64 and arm64 as a folder in the layout of OCI, with its list of contents, by ko and without Docker. It is
# put on nothing; BASE names an image instead, such as gcr.io/distroless/static:nonroot. skopeo or crane copy it:
# skopeo copy --all oci:dist/image/oci docker://REGISTRY/schedstep:v1
BASE ?=
image:
	@rm -rf dist/image
	$(GO) run ./internal/image -o dist/image $(if $(BASE),-base $(BASE))

# Completions and man pages alone, which goreleaser packs (.goreleaser.yaml).
completions:
	$(GO) run ./internal/dist -completions $(BIN)/shared

# The screens that the documents show, drawn by the program itself.
pictures:
	$(GO) run ./internal/pictures docs/pictures

# Proposed changes beside kube-scheduler for more than 1,000 pods that have no node (it fails with fewer). Half an hour.
conformance-changes:
	cd conformance && SCHEDSTEP_SEEDS=0:4000 $(GO) test -timeout 0 ./compare -run 'ChangesThatAreProposed|FlipWeight' -v

# The screens of docs/tour.md and docs/live.md: the keys are pressed, and what is seen is written down.
tour:
	$(GO) test ./tui -run "TestTheTour|TestTheWalk" -update

# The prompt, the demos and the lessons as WebAssembly in one page, dist/playground/index.html: it can be opened from its
# file, or put on any server of files.
playground:
	$(GO) run ./internal/playground

# Opens exported pages, and the playground, in a headless Chromium: tables sort and filter, nothing is asked of anybody,
# scripts may be off; the playground plays, is small, and prints when its first cycle stood there.
browser:
	@if command -v chromium >/dev/null; then $(MAKE) --no-print-directory playground && \
	  $(GO) test -tags chromium ./internal/playground -count=1 -v -run Playground && \
	  $(GO) test -tags chromium ./cmd -count=1 -run 'APage|Tables|AreDrawn'; \
	else echo "browser: skipped: there is no chromium here (apt-get install chromium)"; fi

check-generated: generate pictures
	git diff --exit-code docs/keys.md docs/commands.md docs/releases.md docs/pictures cmd/fields.json

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./core/... ./replay/... ./tui/...

# The real kube-scheduler and schedstep's core beside each other: a table of ratios. VERSUS takes flags, such as
# VERSUS='-nodes 5000 -workload preemption -rounds 9'; VERSUS=-h lists them.
VERSUS ?=
versus:
	@mkdir -p $(BIN)
	cd conformance && $(GO) build -o ../$(BIN)/versus ./cmd/versus
	$(BIN)/versus $(VERSUS)

# FILE, anything that schedstep run takes, through schedstep and through kube-scheduler 1.37.1, or through that of
# KUBE_VERSION (ARGS: more flags).
KUBE_VERSION ?=
verify:
	@mkdir -p $(BIN)
	@cd conformance && $(GO) build -o ../$(BIN)/ ./cmd/schedstep-verify
	$(if $(KUBE_VERSION),@$(MAKE) --no-print-directory oracle RELEASE=$(KUBE_VERSION))
	$(BIN)/schedstep-verify $(if $(KUBE_VERSION),--kube-version $(KUBE_VERSION)) $(ARGS) $(FILE)

# The real kube-scheduler of RELEASE as a program that answers questions. The first build of a release takes minutes and
# a gigabyte of Go's build cache, which keeps it.
oracle:
	@mkdir -p $(BIN)
	cd conformance && $(GO) run ./cmd/build-oracle -o ../$(BIN) $(RELEASE)

# Everything the conformance module compares, at length, and docs/conformance.md from what came out. Half an hour or so.
SEEDS     ?= 3000
SEQUENCES ?= 12000
TALLIES   := $(abspath $(BIN)/tallies)
GROUPS    ?= 2000
# The releases of the table of each of which nothing is left that nobody can explain, and how many clusters of each kind.
COMPARABLE ?= 1.37 1.36 1.35 1.34 1.33 1.32 1.31 1.30 1.29 1.19 1.17
CLUSTERS   ?= 200
COMPARED  := ./tables ./oracle ./generate ./compare ./queue ./groups ./verify ./hunt/... ./upstream
conformance:
	@rm -rf $(TALLIES) && mkdir -p $(TALLIES)
	cd conformance && SCHEDSTEP_TALLIES=$(TALLIES) SCHEDSTEP_SEEDS=0:$(SEEDS) $(GO) test -timeout 0 ./compare
	cd conformance && SCHEDSTEP_TALLIES=$(TALLIES) $(GO) test -timeout 0 ./queue -run TestBothQueues -rapid.checks=$(SEQUENCES)
	cd conformance && SCHEDSTEP_TALLIES=$(TALLIES) $(GO) test -timeout 0 ./groups -cases $(GROUPS)
	cd conformance && SCHEDSTEP_TALLIES=$(TALLIES) SCHEDSTEP_RELEASES="$(COMPARABLE)" SCHEDSTEP_SEEDS=0:$(CLUSTERS) \
	  $(GO) test -timeout 0 ./releases
	$(MAKE) e2e REPORT=$(TALLIES)/e2e.md
	cd conformance && $(GO) run ./cmd/conformance-report $(TALLIES) > $(TALLIES)/conformance.md
	cp $(TALLIES)/conformance.md docs/conformance.md

# kube-scheduler's own plugins, and the examples, hosted by schedstep, beside the real kube-scheduler: HOSTED clusters of
# each kind.
HOSTED ?= 40
host:
	cd host && SCHEDSTEP_SEEDS=0:$(HOSTED) $(GO) test $(VETTED_BEFORE) -ldflags=-checklinkname=0 -timeout 40m ./...
	cd host/beside && SCHEDSTEP_SEEDS=0:$(HOSTED) $(GO) test $(VETTED_BEFORE) -ldflags=-checklinkname=0 -timeout 40m ./...

# A few minutes of it: the FIXED seeds, and FRESH others every day. FROM repeats those of another day.
FIXED ?= 60
FRESH ?= 60
FROM  ?= $(shell echo $$(( 1000000 + $$(date +%s) / 86400 * 1000 )))
conformance-short:
	cd conformance && SCHEDSTEP_SEEDS=0:$(FIXED) $(GO) test $(VETTED_BEFORE) -timeout 40m $(COMPARED)
	@from=$(FROM); to=$$(( from + $(FRESH) )); \
	echo "seeds $$from:$$to; to repeat: make conformance-short FROM=$$from FRESH=$(FRESH)"; \
	cd conformance && SCHEDSTEP_SEEDS=$$from:$$to $(GO) test $(VETTED_BEFORE) -timeout 40m -count=1 ./compare -run 'KubeScheduler'

# Ours with the table of a release beside the kube-scheduler of that release: FRESH clusters of each kind. Builds its
# oracle: minutes at the first time.
RELEASE ?= 1.37
conformance-releases:
	cd conformance && SCHEDSTEP_RELEASES="$(RELEASE)" SCHEDSTEP_SEEDS=0:$(FRESH) $(GO) test $(VETTED_BEFORE) -timeout 40m -count=1 -v ./releases ./wire

# Faults that upstream mended, reduced to Go tests: each fails in the real tree of the last release with the fault, and
# passes in that of the first without it (docs/reduced.md). The first run compiles nine releases: half an hour.
conformance-reduced:
	cd conformance && $(GO) test $(VETTED_BEFORE) -tags reduced -timeout 60m -count=1 -v ./releases -run ReducedInputs

# Drawn histories (lost events, restarts, leader changes, held evictions, clock jumps) in a whole kube-scheduler of RELEASE,
# or in schedstep (HUNTED=ours), and what none of them may bring about (docs/hunter.md): SEEDS of them from FROM on, or as
# many as there is time for (FOR=1h). What is found is made small and written to bin/hunt; HISTORY=file plays one of these,
# and prints what happens in it.
HUNTED  ?= real
HISTORY ?=
FOR     ?=
hunt:
	@mkdir -p $(BIN)/hunt
	@cd conformance && if [ $(HUNTED) = ours ]; then $(GO) test $(VETTED_BEFORE) -c -o ../$(BIN)/hunter-ours ./hunt/ours; \
	  else $(GO) run ./cmd/build-oracle -hunter -o ../$(BIN) $(RELEASE) >/dev/null; fi
	@$(if $(HISTORY),,echo "seeds from $(FROM); to repeat: make hunt FROM=$(FROM)")
	@SCHEDSTEP_HUNT_FROM=$(FROM) SCHEDSTEP_HUNT_INTO=$(abspath $(BIN)/hunt) SCHEDSTEP_HUNT_HISTORY=$(if $(HISTORY),$(abspath $(HISTORY))) \
	  $(if $(FOR),SCHEDSTEP_HUNT_FOR=$(FOR),SCHEDSTEP_HUNT_SEEDS=$(SEEDS)) \
	  $(BIN)/hunter-$(if $(filter ours,$(HUNTED)),ours,$(RELEASE)) -test.v -test.timeout 0 \
	  -test.run HoldsInDrawnHistories

# 1.37 and OTHERS of those that are comparable, each day the next ones.
DAY    := $(shell echo $$(( $$(date +%s) / 86400 )))
OTHERS ?= 1
conformance-rotation:
	@set -- $(filter-out 1.37,$(COMPARABLE)); chosen=1.37; i=0; \
	while [ $$i -lt $(OTHERS) ]; do at=$$(( ($(DAY) * $(OTHERS) + i) % $$# + 1 )); eval "chosen=\"$$chosen \$${$$at}\""; i=$$(( i + 1 )); done; \
	echo "kube-scheduler $$chosen; to repeat: make conformance-releases RELEASE=\"$$chosen\" FRESH=$(ROTATED)"; \
	$(MAKE) --no-print-directory conformance-releases RELEASE="$$chosen" FRESH=$(ROTATED)
ROTATED ?= 20

# The laws of make test over other random stories: those of SEED, or fresh ones.
ifndef SEED
SEED := $(shell date +%s)
endif
# The tests of the files that draw stories. Not from Go's cache: it does not see that rapid reads RAPID_SEED, and would
# answer with the run of another seed.
laws:
	@echo "seed $(SEED); to repeat: make laws SEED=$(SEED)"
	@files=$$(grep -rl --include='*_test.go' '/internal/law"' core replay tui); \
	names=$$(grep -ho '^func Test[A-Za-z0-9_]*' $$files | cut -c6- | sort -u | paste -sd'|' -); \
	RAPID_SEED=$(SEED) $(GO) test $(VETTED_BEFORE) -count=1 -run "^($$names)$$" $$(dirname $$files | sort -u | sed 's|^|./|') || \
	  { echo "to repeat: make laws SEED=$(SEED)"; exit 1; }

# The laws over fresh stories, and each fuzz target for FUZZTIME. What a target finds new is tried out, not made small:
# making it small would take most of the time.
FUZZTIME ?= 20s
fuzz: laws
	@for target in $$(grep -rl --include='*_test.go' '^func Fuzz' core replay themes tui); do \
	  for name in $$(grep -o '^func Fuzz[A-Za-z]*' $$target | cut -c6-); do \
	    echo "== $$name in $$(dirname $$target)"; \
	    $(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x ./$$(dirname $$target) || exit 1; \
	  done; done

# A real kube-apiserver with etcd and the real kube-scheduler, built from the module proxy (minutes, once), and several
# hundred pods that schedstep has to place as they do; besides with kube-controller-manager a few small clusters on which
# what explain and plan drain print is carried out by kubectl. REPORT names a file for the table. SHADOW takes flags such as
# '-shadow-nodes 100 -shadow-pods 800' for the cluster that schedstep shadow follows: by default 200 and 2,000.
E2E    := $(abspath $(BIN)/e2e)
STAMP  := $(patsubst %,-X k8s.io/component-base/version.%,gitVersion=v1.37.1 gitMajor=1 gitMinor=37)
REPORT ?=
SHADOW ?=
e2e: e2e-programs
	cd conformance/e2e && SCHEDSTEP_E2E=$(E2E) $(GO) test $(VETTED_BEFORE) -tags e2e -count=1 -timeout 60m -v . \
	  -args $(if $(REPORT),-report $(abspath $(REPORT))) $(SHADOW)

e2e-programs:
	@mkdir -p $(E2E)
	$(GO) build -o $(E2E)/ ./cmd/schedstep ./cmd/kubectl-schedstep
	cd conformance/e2e && $(GO) build -ldflags "$(STAMP)" -o $(E2E)/ ./cmd/...
	$(E2E)/schedstep build -o $(E2E)/schedstep-examples $(foreach e,gang licenses loadaware quota,--with example.com/$(e)=examples/$(e))

# The queries of docs/sweeps.md, by the DuckDB that the module proxy has, which needs a C++ compiler to be linked.
queries: build
	cd conformance/duckdb && SCHEDSTEP=$(abspath $(BIN))/schedstep $(GO) test $(VETTED_BEFORE) -count=1 ./...

# The same commands on many more clusters: an hour or more. The input of each difference is kept in KEEP. Each test plays
# its clusters on so many control planes at the same time as PLANES says, and PARALLEL of all tests run at once.
CARRIED  ?= -carried-cases 100 -carried-changes 3 -drained-fleets 100 -room-fleets 20 -pack-fleets 30 \
  -upgrade-fleets 50 -capacity-fleets 50 -lose-fleets 30
PLANES   ?= 1
PARALLEL ?= 3
KEEP    ?= $(E2E)/differences
e2e-carried: e2e-programs
	cd conformance/e2e && SCHEDSTEP_E2E=$(E2E) $(GO) test $(VETTED_BEFORE) -tags e2e -count=1 -timeout 0 -v \
	  -run 'TestPrintedCommandsEndWhereThePageSaid|CarriedOutAsForetold' -parallel $(PARALLEL) . \
	  -args -wide-fleets 6 $(CARRIED) -planes $(PLANES) -carried-keep $(abspath $(KEEP))

# 10,000 damaged audit logs: none ends the program, and none is lost in silence.
laws-history:
	$(GO) test -count=1 ./replay/play/input -run TestMutatedLogsNeverCrash -args -mutations 10000

# The same life of a cluster on many more nodes and pods, whose traces are left in CORPUS: some 20 minutes.
CORPUS ?= $(E2E)/corpus
corpus: e2e-programs
	cd conformance/e2e && SCHEDSTEP_E2E=$(E2E) $(GO) test $(VETTED_BEFORE) -tags e2e -count=1 -timeout 0 -v \
	  -run TestThePastIsRebuiltFromItsTraces . \
	  -args -corpus-nodes 300 -corpus-pods 3000 -corpus-compact-early -corpus-keep $(abspath $(CORPUS))

# A night of a shop whose database waits for a Job, in real time: half an hour. Its traces are left in INCIDENT, and
# docs/history.md walks through them. NIGHT=-incident-minute=10s makes it short.
INCIDENT ?= $(E2E)/incident
incident: e2e-programs
	cd conformance/e2e && SCHEDSTEP_E2E=$(E2E) $(GO) test $(VETTED_BEFORE) -tags e2e,incident -count=1 -timeout 0 -v \
	  -run TestARestartWaitsForTheJobOfTheNight . -args -incident-keep $(abspath $(INCIDENT)) $(NIGHT)

# schedstep shadow beside kube-apiserver and kube-scheduler of 1.34, which are built into a folder of their own: some
# ten minutes of CPU time at the first time. Without pod groups, which 1.34 does not have.
E2E_134   := $(abspath $(BIN)/e2e-1.34)
STAMP_134 := $(patsubst %,-X k8s.io/component-base/version.%,gitVersion=v1.34.4 gitMajor=1 gitMinor=34)
e2e-1.34:
	@mkdir -p $(E2E_134)
	$(GO) build -o $(E2E_134)/ ./cmd/schedstep
	cd conformance/e2e && $(GO) build -o $(E2E_134)/ ./cmd/etcd
	cd conformance/releases/controlplane/v1_34 && $(GO) build -ldflags "$(STAMP_134)" -o $(E2E_134)/ ./...
	cd conformance/e2e && SCHEDSTEP_E2E=$(E2E_134) $(GO) test $(VETTED_BEFORE) -tags e2e -count=1 -timeout 60m -v \
	  -run TestAShadowAgreesWithTheRealScheduler . -args $(or $(SHADOW),-shadow-nodes 160 -shadow-pods 1200) -shadow-gates=

demo: run

# The embedded recordings, from the scenarios beside them. What a file NAME.do has done in one is saved with it.
demos: build
	@for d in replay/source/demo/*.txt; do \
	  $(BIN)/schedstep convert $$d -o $${d%.txt}.schedstep --force --title $$(basename $$d .txt) -q || exit 1; \
	done
	@for d in replay/source/demo/*.do; do \
	  (cat $$d; echo save-session $${d%.do}.schedstep yes; echo quit) | \
	  $(BIN)/schedstep replay $${d%.do}.schedstep --plain > /dev/null || exit 1; \
	done

$(BIN)/golangci-lint:
	GOBIN=$(abspath $(BIN)) $(GO) install $(LINT)

$(BIN)/gofumpt:
	GOBIN=$(abspath $(BIN)) $(GO) install $(GOFUMPT)

clean:
	rm -rf $(BIN)
