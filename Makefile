# Plain make and sh. Only Go is needed for `make test`; what else a target
# wants, it says when it is missing.

# Everything is built without cgo. Only the race detector needs it.
GO = env CGO_ENABLED=0 go

# Tests are many short processes, and the machine has memory: with a collection of
# garbage at five times what is alive, not at twice, they take a tenth less time.
ROOMY = env GOGC=400

# suite NAME COMMAND... runs a command and says how long it took.
SUITE = suite() { name=$$1; shift; began=$$(date +%s); echo "== $$name"; \
	if "$$@"; then echo "== $$name: ok, $$(( $$(date +%s) - began )) s"; \
	else echo "== $$name: FAILED, $$(( $$(date +%s) - began )) s"; return 1; fi; }

# optional NAME FOLDER COMMANDS says so when a suite that exists cannot run
# because none of the commands is installed; pythons, because no Python has the modules.
OPTIONAL = optional() { [ -e "$$2" ] || return 0; \
	for command in $$3; do command -v "$$command" >/dev/null 2>&1 && return 0; done; \
	echo "!! SKIPPED: $$1 (none of: $$3)"; skipped=1; }; \
	pythons() { command -v python3 >/dev/null 2>&1 || return 0; \
	for python in python3 /usr/bin/python3; do "$$python" -c "import $$2" >/dev/null 2>&1 && return 0; done; \
	echo "!! SKIPPED: $$1 (no Python with: $$2)"; skipped=1; }

# Packages in which goroutines meet. The servers that test/crash kills are built as they are shipped,
# without the detector, so it has nothing to find there.
CONCURRENT = ^platen/(client|internal/(admission|api|cli|docsite|mcp|metrics|node|ratelimit|rowtext|sandbox|server|store|webhook)|platentest|test/mcp)(/|$$)
# Of the contract suite, what has several callers or something in the background.
# The rest of it asks one question after another.
MEETINGS = AtOnce|AtTheSameTime|Twice|Once|Many|Poll|HalfAStep|During|Queue|Ticket|Place|Overtaken|Deliver|Receiver|Lost|Deleted|Subscription|Rotation|Restart|Network|Budget|UnderOneKey|Revoked|TheEnd|Lease|Calls|Fault|Store
# And of the scenarios.
KILLS = Killed|AtOnce|Follows

help: ## Show this help.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: ## Serve on 127.0.0.1:8080 with a database in ./data.
	$(GO) run ./cmd/platen serve

# The suites that take longest begin first. The browser mostly waits, so its suite
# runs beside the others.
test: ## Vet and test. Says which optional suites were skipped, and why.
	@$(SUITE); $(OPTIONAL); failed=; skipped=; pages=$$(mktemp) || exit 1; trap 'rm -f "$$pages"' EXIT; \
	suite vet $(GO) vet ./... || failed=1; \
	suite browser $(ROOMY) $(GO) test -C test/browser -timeout 30m ./... >"$$pages" 2>&1 & browser=$$!; \
	suite test $(ROOMY) $(GO) test -vet=off -ldflags=-w -timeout 40m ./test/contract ./test/scenario ./test/crash ./... || failed=1; \
	wait $$browser || failed=1; cat "$$pages"; \
	if command -v node >/dev/null 2>&1; then suite console node --test --test-reporter=spec test/console/*.test.mjs || failed=1; \
	elif [ -n "$$PLATEN_TEST_ALL" ]; then failed=1; fi; \
	optional "what the console computes" test/console "node"; \
	optional "PostgreSQL store" internal/store/postgres "initdb /usr/lib/postgresql/*/bin/initdb"; \
	optional "Valkey budgets" internal/ratelimit/valkey "valkey-server redis-server"; \
	optional "pages in a browser" test/browser "chromium-headless-shell chromium chromium-browser google-chrome"; \
	optional "Python example" examples/python "python3"; \
	optional "JavaScript example" examples/javascript "node"; \
	optional "JavaScript client" clients/javascript "node"; \
	optional "Python client" clients/python "python3"; \
	[ -e tools/clients/node_modules ] || optional "types of the clients: npm ci --prefix tools/clients" clients "its packages"; \
	for runner in vitest jest; do [ -e examples/tests/$$runner/node_modules ] || \
	optional "fixture in $$runner: npm ci --prefix examples/tests/$$runner" examples/tests/$$runner "its packages"; done; \
	pythons "fixture in pytest" "pytest"; pythons "fixture in the workers of pytest-xdist" "pytest, xdist"; \
	pythons "installation of the Python client" "setuptools, wheel, pip"; \
	optional "commands of the docs and of the examples' READMEs, curl" examples "curl"; \
	optional "commands of the examples' READMEs, jq" examples "jq"; \
	for language in go python3 node php ruby javac; do optional "receiver of webhooks, $$language" docs/webhooks "$$language"; done; \
	[ -e docs/webhooks/library/node_modules ] || optional "receivers' library: npm ci --prefix docs/webhooks/library" docs/webhooks "its packages"; \
	[ -e test/mcp/conformance/node_modules ] || optional "protocol of agents, official suite and clients: npm ci --prefix test/mcp/conformance" test/mcp "its packages"; \
	optional "race detector, make race" internal "gcc clang"; \
	if [ -n "$$skipped" ]; then echo "!! The run above says nothing about the suites marked SKIPPED."; fi; \
	[ -z "$$failed" ]

race: ## Test the packages with goroutines under the race detector. Needs gcc.
	@command -v $${CC:-gcc} >/dev/null 2>&1 || { \
	echo "make race: no $${CC:-gcc} found. The race detector needs a C compiler, for example: apt-get install gcc libc6-dev"; exit 1; }
	@$(SUITE); packages=$$($(GO) list ./... | grep -E '$(CONCURRENT)'); \
	if [ -z "$$packages" ]; then echo "make race: no such package yet"; exit 0; fi; \
	suite race $(ROOMY) CGO_ENABLED=1 go test -timeout 30m -race $$packages; failed=$$?; \
	suite 'race in the contract suite' $(ROOMY) CGO_ENABLED=1 go test -timeout 30m -race -run '$(MEETINGS)' ./test/contract || failed=1; \
	suite 'race in the scenarios' $(ROOMY) CGO_ENABLED=1 go test -timeout 30m -race -run '$(KILLS)' ./test/scenario || failed=1; \
	[ $$failed = 0 ]

# biome COMMAND... formats or lints the browser's code, as biome.jsonc sets it.
# Without npm it is skipped, which PLATEN_TEST_ALL makes a failure.
BIOME = tools/biome/node_modules
RUN_BIOME = biome() { if ! command -v npm >/dev/null 2>&1; then \
	echo "!! SKIPPED: biome $$1, for scripts and styles of the browser (none of: npm)"; [ -z "$$PLATEN_TEST_ALL" ]; return; fi; \
	[ $(BIOME)/.package-lock.json -nt tools/biome/package-lock.json ] || npm ci --loglevel=error --no-audit --no-fund --prefix tools/biome || return; \
	suite "biome $$1" $(BIOME)/.bin/biome "$$@"; }

# A release is files for everybody to read, and go is run with what the machine has: two rules of
# the program do not fit there.
lint: bin/golangci-lint ## Run the linters of .golangci.yml and, where npm is, of biome.jsonc.
	@$(SUITE); $(RUN_BIOME); failed=; \
	biome check --error-on-warnings || failed=1; \
	suite lint env CGO_ENABLED=0 bin/golangci-lint run ./... || failed=1; \
	cd test/browser && suite "lint of test/browser" env CGO_ENABLED=0 ../../bin/golangci-lint run --config ../../.golangci.yml --disable gomoddirectives ./... || failed=1; \
	cd ../../tools && suite "lint of tools/module" env CGO_ENABLED=0 ../bin/golangci-lint run --config ../.golangci.yml --disable gomoddirectives,gosec,forbidigo ./module || failed=1; \
	cd release && suite "lint of tools/release" env CGO_ENABLED=0 ../../bin/golangci-lint run --config ../../.golangci.yml --disable gosec,forbidigo,paralleltest ./... || failed=1; \
	cd ../../test/generators && suite "lint of test/generators" env CGO_ENABLED=0 ../../bin/golangci-lint run --config ../../.golangci.yml --disable gomoddirectives,gosec ./... || failed=1; \
	cd ../tokens && suite "lint of test/tokens" env CGO_ENABLED=0 ../../bin/golangci-lint run --config ../../.golangci.yml --disable gomoddirectives ./... || failed=1; \
	[ -z "$$failed" ]

tokens: ## Measure what thirty days of play cost an agent, in calls and tokens.
	$(GO) test -C test/tokens -count=1 -v .

bin/golangci-lint: tools/go.mod tools/go.sum
	$(GO) build -C tools -buildvcs=false -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

openapi: bin/oasdiff ## Lint the OpenAPI document, and compare it with the released one. Needs npm.
	@command -v npm >/dev/null 2>&1 || { echo "make openapi: no npm found. The linter needs Node.js 20.19 or newer, for example: apt-get install nodejs npm"; exit 1; }
	@[ -x tools/openapi/node_modules/.bin/redocly ] || npm ci --silent --no-audit --no-fund --prefix tools/openapi
	$(GO) run ./cmd/platen openapi >bin/openapi.json
	tools/openapi/node_modules/.bin/redocly lint --config tools/openapi/redocly.yaml bin/openapi.json
	bin/oasdiff breaking --fail-on WARN --severity-levels tools/openapi/severity.txt tools/openapi/released.json bin/openapi.json

generators: ## Make clients of the OpenAPI document with oapi-codegen and openapi-typescript, and play with them. Needs npm.
	@command -v npm >/dev/null 2>&1 || { echo "make generators: no npm found. It needs Node.js 20.19 or newer, for example: apt-get install nodejs npm"; exit 1; }
	@[ -x tools/openapi/node_modules/.bin/openapi-typescript ] || npm ci --silent --no-audit --no-fund --prefix tools/openapi
	@$(SUITE); suite generators env PLATEN_TEST_ALL=1 $(GO) test -C test/generators -count=1 -v .

# PATH would be that of the shell, too.
module: ## Give the module the path that it is published under: make module MODULE=github.com/you/platen
	@[ -n "$(MODULE)" ] || { echo "make module: say which: make module MODULE=github.com/you/platen"; exit 1; }
	$(GO) run -C tools ./module --root .. --to "$(MODULE)"

packaged: ## Test what make release makes, for this machine's processor: sums, archive, packages, image.
	@$(SUITE); failed=; suite module $(GO) test -C tools -count=1 ./module || failed=1; \
	suite packaged $(GO) test -C tools/release -count=1 -timeout 30m ./... || failed=1; [ -z "$$failed" ]

release: ## Make the archives, their sums and install.sh in ./dist. Needs git: make release VERSION=v0.1.0
	@[ -n "$(VERSION)" ] || { echo "make release: say which: make release VERSION=v0.1.0"; exit 1; }
	$(GO) run -C tools/release . --version "$(VERSION)" --root ../.. --out ../../dist --platforms "$(or $(PLATFORMS),all)" --url "$(URL)" --image "$(IMAGE)" --mcp-name "$(MCP_NAME)" --mcp-url "$(MCP_URL)"

release-openapi: ## Take today's OpenAPI document for the released one.
	$(GO) run ./cmd/platen openapi >tools/openapi/released.json

bin/oasdiff: tools/go.mod tools/go.sum
	$(GO) build -C tools -buildvcs=false -o ../bin/oasdiff github.com/oasdiff/oasdiff

screenshots: ## Make the pictures of the README, from the running program. Needs Chromium.
	PLATEN_TEST_ALL=1 PLATEN_SCREENSHOTS=$(CURDIR)/docs/pictures $(GO) test -C test/browser -count=1 -run TestThePicturesOfTheReadme .

vendor: ## Renew what the console has from npm: versions are in tools/console/package.json.
	npm ci --silent --no-audit --no-fund --prefix tools/console
	node tools/console/vendor.mjs

fmt: ## Format all Go files and, where npm is, the browser's code.
	gofmt -l -w .
	@$(SUITE); $(RUN_BIOME); biome format --write

generate: ## Regenerate what is generated from Go code.
	$(GO) generate ./...

check: ## Everything: formatting, linters, vet, tests with all looks, lives and draws.
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
	echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	@$(MAKE) lint
	@PLATEN_TEST_THOROUGH=1 $(MAKE) test

bench: ## Measure a server beside the least that could be done for the same; 6 minutes.
	@$(GO) run ./test/load

economy: ## Measure what the company is worth to players of different skill; 2 minutes.
	@$(GO) run ./test/economy

sizing: ## Measure several servers on PostgreSQL, and what a sandbox takes; 2 minutes.
	@$(GO) run ./test/load -sizing

measure: ## Count the code itself: functions a request passes, files an addition touches, its shape; 1 minute.
	@$(GO) run ./test/measure

faults: ## Make twenty faults, one after the other, and run the tests that should notice; 16 minutes.
	@$(GO) run ./test/faults

soak: ## More of what is random: lives (CHECKS=n), kills (POINTS=n), guests that come and go (MINUTES=n); 15 minutes.
	@$(SUITE); failed=; \
	suite lives $(GO) test -count=1 -timeout 60m ./internal/company ./internal/company/sim -rapid.checks=$${CHECKS:-60} -rapid.seed=$$(date +%s) || failed=1; \
	suite store $(GO) test -count=1 -timeout 60m ./internal/store/sqlite ./internal/admission -rapid.checks=$${CHECKS:-60}0 || failed=1; \
	suite kills env PLATEN_CRASH_POINTS=$${POINTS:-200} CGO_ENABLED=0 go test -count=1 -v -timeout 60m -run WhenTheServerIsKilled ./test/crash || failed=1; \
	suite guests env PLATEN_SOAK_MINUTES=$${MINUTES:-10} CGO_ENABLED=0 go test -count=1 -v -timeout 90m -run ComeAndGo ./test/crash || failed=1; \
	[ -z "$$failed" ]

fuzz: ## Feed each decoder of outside input what nobody thought of, for PLATEN_FUZZ_TIME (1m) each.
	@$(SUITE); failed=; \
	for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
	targets=$$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz') || failed=1; \
	for target in $$targets; do \
	suite "$$package $$target" $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $${PLATEN_FUZZ_TIME:-1m} $$package || failed=1; \
	done; done; \
	[ -z "$$failed" ]

.PHONY: help run test race lint openapi generators module packaged release release-openapi fmt generate check bench sizing economy tokens measure soak fuzz screenshots vendor
