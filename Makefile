# The entry point for developers.  Each target installs the system packages that it lacks
# where it may (tools/install-packages), and says which otherwise.
BUILD = build
PREFIX = /usr/local
DESTDIR =
FUZZ_SECONDS = 60
N = 1000
SEED = 1

.PHONY: help build demo check check-quick bench fuzz faults shadow conformance-opa public-rego format \
	packages size check-packages check-bindings check-arm64 check-reproducible check-agents \
	check-first-day \
	lint docs accept install uninstall clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' \
		Makefile

build: ## compile the programs and the tests into build/
	@tools/build $(BUILD)

demo: build ## run real hooks on a real event and show the decision
	@tools/install-packages demo
	@examples/demo/run $(BUILD)/src/cli

check: ## run every test and every check; ends with "N passed, N failed"
	@tools/check

check-quick: ## build and run the tests, without sanitizers, lint, browser (5 minutes)
	@tools/check --quick

bench: build ## measure speed, each figure beside a yardstick of the same run
	@tools/bench $(BUILD)

check-agents: build ## run real agents (AGENT=NAME...) from npm with belay as their hook
	@tools/install-packages check-agents
	@tests/check-agents/run --belay $(BUILD)/src/cli --record --docs $(AGENT)

check-first-day: ## a day with belay and a real agent, on a bare Debian 12 (as root, downloads)
	@tools/install-packages build packages check-agents check-packages
	@packaging/stage $(abspath build-packages) x86_64
	@packaging/tarball $(abspath build-packages) x86_64
	@tests/check-agents/first-day \
		$$(ls -t build-packages/belay-*-linux-x86_64.tar.gz | head -n 1)

packages: ## build every package into build-packages/
	@packaging/make

check-packages: packages ## install every package in fresh roots, and use it (as root, downloads)
	@packaging/check
	@packaging/check-bindings

check-arm64: ## the unit tests on arm64: cross-compiled, by qemu-user (as root, downloads)
	@packaging/check-arm64

check-reproducible: packages ## build every package again, elsewhere: are they the same bytes?
	@packaging/check-reproducible

check-bindings: build ## the tests of the bindings in valgrind, and over N (1000) times 1000 decisions
	@tests/bindings/run --valgrind python $(BUILD) .
	@tests/bindings/run --valgrind node $(BUILD) .
	@DECISIONS=$$(($(N) * 1000)) tests/bindings/run python $(BUILD) .
	@DECISIONS=$$(($(N) * 1000)) tests/bindings/run node $(BUILD) .

size: build ## show what takes the bytes of belay, by module
	@packaging/size $(BUILD)

fuzz: ## fuzz every parser for FUZZ_SECONDS (60) each
	@tools/fuzz $(FUZZ_SECONDS)

faults: build ## let each system call of belay fail once, in each way (15 minutes)
	@$(BUILD)/tests/faults/faults --all $(BUILD)/src/cli

shadow: build ## run N (1000) nasty lines in a sandbox: is what belay says of them true?
	@tools/install-packages shadow
	@tests/shadow/run $(BUILD) --generate $(N) --seed $(SEED) \
		--report $(BUILD)/shadow.json

conformance-opa: build ## run the cases of OPA's own Go module (needs Go)
	@tests/conformance/rego/opa/run \
		$(BUILD)/tests/conformance/rego/rego-suite

public-rego: build ## run the policies of DIR by OPA and belay (needs Go, Python)
	@tests/differential/public/run $(BUILD)/src/cli/belay $(BUILD) $(ARGS) $(DIR)

format: ## lay out the sources as .clang-format says
	@tools/lint --fix clang-format

lint: ## style, module graph, sizes, headers, static analysis
	@tools/lint

docs: build ## fill in the parts of the documents that are printed from tables
	@tools/docs $(BUILD)

accept: build ## rewrite what tests/cli/*.case expect to what is printed now
	@$(BUILD)/tests/cli/run-cases --accept $(BUILD)/src/cli/belay tests/cli

install: build ## install under PREFIX (/usr/local), staged in DESTDIR
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@tools/build $(BUILD)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

uninstall: ## take away what 'make install' put there ('belay uninstall --everywhere' first)
	@test -f $(BUILD)/meson-logs/install-log.txt || { echo "nothing was installed from $(BUILD)" >&2; exit 1; }
	@ninja -C $(BUILD) uninstall

clean: ## remove everything that was built
	rm -rf build build-asan build-clang build-fuzz
