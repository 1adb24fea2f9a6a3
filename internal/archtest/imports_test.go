package archtest_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	// vocabulary is the words that everybody speaks: no behaviour, no state.
	vocabulary = "internal/event internal/problem internal/money internal/moment internal/share internal/wire " +
		"internal/jsonfield "
	// tools are the packages that departments are built of.
	tools = vocabulary + "internal/company/sim internal/company/record internal/company/catalog " +
		"internal/company/preset"
)

// may lists, for each package, the packages of this module that it may import.
// A tree ends in "/...". A package that is missing here fails the test, so the
// map of the program is always whole; a line without a package is one that is
// planned and does no harm.
var may = map[string]string{
	"internal/event": vocabulary, "internal/problem": vocabulary, "internal/money": vocabulary,
	"internal/moment": vocabulary, "internal/share": vocabulary, "internal/wire": vocabulary,
	"internal/jsonfield": "",

	// The simulation. Departments never import each other: Office and Factory
	// share no data, so neither can even name the other's types. They meet in
	// internal/company.
	"internal/company/sim":     "internal/moment",
	"internal/company/record":  vocabulary + "internal/company/sim",
	"internal/company/catalog": vocabulary + "internal/company/sim",
	"internal/company/preset":  vocabulary + "internal/company/sim internal/company/catalog internal/company/fault",
	"internal/company/fault":   vocabulary + "internal/company/sim",
	"internal/company/office":  tools,
	"internal/company/factory": tools,
	"internal/company/hr":      tools,
	"internal/company/market":  tools,
	"internal/company/lore":    tools,
	"internal/company/mission": vocabulary + "internal/company/sim internal/company/record",
	// The one place beside the company itself that sees both systems.
	"internal/company/integration": tools + " internal/company/office internal/company/factory internal/company/hr",
	"internal/company/attention":   tools + " internal/company/office internal/company/factory internal/company/hr",
	// A company knows nothing of its client: it never imports the desk.
	"internal/company": vocabulary + "internal/company/...",

	// What the client did and is owed. The parts below the desk decide, and keep no lock.
	"internal/desk":              vocabulary + "internal/company/... internal/desk/... internal/sandbox/apikey",
	"internal/desk/subscription": vocabulary + "internal/company/sim internal/company/record",
	"internal/desk/injection":    "internal/company/sim internal/company/fault",
	"internal/desk/activity": vocabulary + "internal/company/sim internal/company/fault internal/company/mission " +
		"internal/desk/injection",

	// A store keeps bytes. It cannot depend on what they mean.
	"internal/store":             "",
	"internal/store/groupcommit": "internal/store",
	"internal/store/migration":   "",
	"internal/store/sqlite":      "internal/store internal/store/groupcommit internal/store/migration",
	"internal/store/postgres":    "internal/store internal/store/groupcommit internal/store/migration",
	"internal/store/storetest":   "internal/store",
	// The server itself, for suites that need one.
	"internal/store/postgres/postgrestest": "",
	"internal/ratelimit/valkey/valkeytest": "",
	// Beside the stores, not in them: it is for the packages that write to one.
	"internal/store/storeproblem": vocabulary + "internal/store",

	// Leaves that could be libraries of their own.
	"internal/config":     "",
	"internal/serverjson": "internal/config", // a program that a release runs
	"internal/netguard":   "",
	"internal/ownership":  "",
	"internal/node":       "internal/ownership internal/store",
	// The header between nodes: who sent a request, and who owns a sandbox.
	"internal/hop":              "internal/store internal/sandbox/apikey internal/wire internal/event internal/moment",
	"internal/ratelimit":        "internal/network",
	"internal/network":          "",
	"internal/ratelimit/valkey": "internal/ratelimit internal/network",
	"client":                    "",
	"docs":                      "",

	"internal/schema": vocabulary,
	"internal/sandbox": vocabulary + "internal/company/... internal/desk/... internal/store " +
		"internal/store/storeproblem internal/sandbox/...",
	"internal/admission":      vocabulary + "internal/store internal/store/storeproblem internal/admission/pow",
	"internal/admission/pow":  "",
	"internal/sandbox/apikey": "internal/store",
	// The stored form of a sandbox, which knows rows and events and not what they
	// mean.
	"internal/sandbox/commitlog": vocabulary + "internal/company/record internal/store",
	// The dispatcher knows what an attempt is, and nothing else of the company.
	"internal/webhook": vocabulary + "internal/netguard internal/desk/subscription",

	// Receivers verify: this shares no code with the package that signs.
	"internal/webhook/diagnosis": "",

	// The table of operations and its readers. Readers know the table and not
	// each other.
	"internal/operation": vocabulary + "internal/company/... internal/desk/... internal/sandbox internal/webhook " +
		"internal/admission",
	// The values that a request and its response are, and nothing that serves them.
	"internal/message": vocabulary + "internal/operation internal/sandbox internal/sandbox/apikey internal/admission " +
		"internal/ratelimit internal/desk/activity",
	// Layers of the road. None knows another one: each can be left out.
	"internal/faults": vocabulary + "internal/message internal/operation internal/sandbox internal/company/fault " +
		"internal/desk internal/desk/injection",
	"internal/router": vocabulary + "internal/message internal/sandbox internal/sandbox/apikey internal/admission " +
		"internal/ratelimit internal/hop internal/node internal/ownership internal/store",
	"internal/api": vocabulary + "internal/message internal/operation internal/sandbox internal/schema " +
		"internal/admission internal/ratelimit internal/network internal/company/mission " +
		"internal/company/integration internal/company/record internal/desk/... internal/api/console " +
		"internal/sandbox/apikey",
	// The data of the console; api decides who may see them.
	"internal/api/console": vocabulary + "internal/operation internal/sandbox internal/company/record",
	// The agent endpoint is another reader: it reaches the road of requests
	// through an interface that internal/api implements.
	"internal/mcp": vocabulary +
		"internal/message internal/operation internal/sandbox internal/schema internal/company/mission internal/find " +
		"internal/mcp/... " +
		"internal/sandbox/apikey",
	"internal/mcp/gateway": vocabulary +
		"internal/message internal/mcp/session internal/sandbox internal/sandbox/apikey",
	"internal/mcp/session": vocabulary + "internal/sandbox/apikey internal/store internal/store/storeproblem",

	"internal/openapi":   vocabulary + "internal/operation internal/schema",
	"internal/metrics":   vocabulary + "internal/operation",
	"internal/clientgen": vocabulary + "internal/operation internal/schema",
	"internal/economy":   vocabulary,
	// The docs are pages; web serves them, and what else browsers load.
	"internal/docsite": vocabulary + "internal/operation internal/company/mission internal/company/preset " +
		"internal/company/fault " +
		"internal/company/catalog internal/economy internal/config internal/find internal/docsite/... docs",
	"internal/web": "internal/event internal/wire internal/operation internal/company/preset internal/docsite",
	// Leaves of the docs: Markdown, and the search.
	"internal/docsite/prose": "",
	"internal/find":          "",

	// The one place that knows everybody, and who may start it.
	"internal/server":    "internal/... docs",
	"platentest":         "internal/server internal/config client",
	"cmd/platen/command": "internal/server internal/config internal/cli/... client eval/...",
	"cmd/platen":         "cmd/platen/command",

	// Commands that play know Platen as a client does.
	"internal/cli":          "client internal/config internal/money internal/webhook internal/webhook/diagnosis",
	"internal/cli/resource": "client internal/cli internal/money",

	// Evaluation is a product of its own, built on the client. No package outside the tree imports it,
	// the program apart.
	"eval":           "client internal/cli eval/trace eval/statistic internal/economy internal/money",
	"eval/statistic": "",
	"eval/trace":     "client",
	"eval/tasks":     "",
	"eval/bound":     "",
	"eval/task":      "client eval/bound eval/player eval/tasks eval/statistic",
	"eval/harness":   "client eval/task",
	"eval/oracle":    "client eval/player",
	// The one door into the server: players see a company through the operation table, and play it in
	// their own process or over HTTP.
	"eval/player":  vocabulary + "internal/operation internal/sandbox internal/company/... internal/desk/... client",
	"eval/economy": "eval/player internal/economy internal/company internal/company/preset internal/money",

	// Programs to copy, and black boxes: they know Platen as a client does.
	"examples/go/bridge": "client",
	"examples/go/agent":  "",
	"docs/webhooks":      "",

	// Shared by the suites that talk to a server: it knows envelopes and cursors from
	// the contract, and nothing of the program.
	"internal/testclient": "",

	// A test binary that is the program too has all of it.
	"test/selfexec": "cmd/platen/command",
	"test/docs":     "platentest client internal/testclient test/selfexec",
	"test/contract": "platentest client internal/server internal/config internal/testclient",
	"test/crash": "internal/store/postgres/postgrestest internal/ratelimit/valkey/valkeytest platentest client " +
		"internal/server internal/config internal/testclient test/selfexec",
	// fixtures of the protocol's suite are behind the same gateway
	"test/mcp": "platentest client internal/server internal/config internal/store/sqlite internal/mcp/gateway " +
		"internal/mcp/session internal/message internal/sandbox internal/sandbox/apikey internal/testclient " +
		"test/selfexec",
	"test/scenario":  "platentest client internal/server internal/config internal/testclient test/selfexec",
	"test/load":      "internal/... client eval/player", // it measures some parts alone
	"test/faults":    "",
	"test/bounds":    "", // it judges the built program from outside
	"test/road":      "",
	"test/road/walk": "internal/server internal/config",

	"internal/archtest": "",
}

// foreignModule says where the code of a foreign module may be imported.
type foreignModule struct {
	path string
	// where lists packages or single files.
	where, reason string
}

// foreign lists every module that the program may import, tests left out.
var foreign = []foreignModule{
	{"github.com/danielgtaylor/huma/v2", "internal/schema internal/openapi",
		"its schemas and document types are kept out of the pipeline"},
	{"github.com/go-json-experiment/json",
		"internal/company/record/encode.go internal/company/record/canonical.go internal/company/preset",
		"the core encodes and decodes in one file, and reads presets"},
	{"github.com/go-json-experiment/json", "internal/desk", "a part of its state is JSON by itself"},
	{"github.com/go-json-experiment/json",
		"internal/wire internal/message internal/api internal/api/console internal/schema internal/openapi " +
			"internal/config internal/server internal/webhook",
		"bodies, documents and the configuration file are JSON"},
	{"github.com/klauspost/compress", "internal/sandbox/commitlog", "bodies are compressed as they are stored"},
	{"github.com/go-json-experiment/json", "eval/player/remote.go",
		"a player over HTTP reads and writes bodies by the types that the server has for them"},
	{"github.com/go-json-experiment/json", "internal/testclient",
		"suites refuse what a lenient reader takes: a name twice, text that is no UTF-8"},
	{"modernc.org/sqlite", "internal/store/sqlite", "an engine is known to its own package only"},
	{"github.com/jackc/pgx/v5", "internal/store/postgres internal/store/postgres/postgrestest",
		"an engine is known to its own package only, and to the tests of it"},
	{"golang.org/x/sys", "internal/store/sqlite", "the lock file beside the database"},
	{"golang.org/x/sys", "internal/server/disk_statfs.go internal/server/disk_windows.go", "free space on a disk"},
	{"golang.org/x/sys", "internal/server/buffer_linux.go", "the kernel's buffers of connections"},
	{"golang.org/x/sync", "internal/server/share.go", "who waits for memory is served in turn"},
	{"golang.org/x/sys", "internal/node", "a clock that counts while the machine sleeps"},
	{"golang.org/x/crypto/x509roots/fallback", "cmd/platen/command", "roots for machines that have none"},
	{"github.com/spf13/cobra", "cmd/platen/command", "the command line"},
	{"github.com/spf13/pflag", "cmd/platen/command", "the flags of the command line"},
	{"github.com/lmittmann/tint", "cmd/platen/command", "logs on a terminal are the command's business"},
	{"github.com/gomodule/redigo", "internal/ratelimit/valkey", "a server is known to its own package only"},
	{"github.com/VictoriaMetrics/metrics", "internal/metrics",
		"what is counted is said in our own words everywhere else"},
	{"github.com/KimMachineGun/automemlimit", "internal/server",
		"how much memory there is, is asked once, at the start"},
	{"github.com/dustin/go-humanize", "internal/config", "sizes are read as operators write them"},
	{"code.dny.dev/ssrf", "internal/netguard", "which addresses are public is decided in one place"},
	{"github.com/standard-webhooks/standard-webhooks/libraries", "internal/webhook",
		"what is sent is signed by the library that receivers verify with"},
	{"github.com/modelcontextprotocol/go-sdk", "internal/mcp internal/mcp/gateway examples/go/agent",
		"the protocol of agents ends at the endpoint: tools reach the company as requests"},
	{"github.com/pires/go-proxyproto", "internal/server", "a connection's address is the business of who accepts it"},
	{"github.com/yuin/goldmark", "internal/docsite/prose",
		"Markdown is known to one package; the docs get HTML and headings"},
	{"pgregory.net/rapid", "internal/store/storetest", "the conformance suite draws its steps"},
	{"github.com/google/go-cmp", "internal/store/storetest", "the conformance suite compares headers"},
}

// foreignInTests lists what tests may import beside the modules above, which
// they may import anywhere.
var foreignInTests = []foreignModule{
	{"github.com/santhosh-tekuri/jsonschema/v6", "internal/schema internal/serverjson test/contract",
		"the judge of what our own reading of bodies accepts, of our answers, and of the server.json"},
	{"github.com/rogpeppe/go-internal", "cmd/platen/command test/scenario", "testscript runs the commands"},
	{"golang.org/x/net", "test/contract", "a nameserver that changes its answers"},
	{"golang.org/x/net", "test/docs", "pages read as browsers read them"},
	{"github.com/getkin/kin-openapi", "internal/openapi test/contract", "a second reader of the OpenAPI document"},
	{"github.com/BurntSushi/toml", "eval/harness", "what is exported, read as harnesses read it"},
	{"github.com/oasdiff/yaml3", "eval/harness", "what is exported, read as Compose reads it"},
}

// TestImportsFollowTheMap keeps the directions that the layout relies on.
func TestImportsFollowTheMap(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		if _, ok := may[u.path]; !ok {
			t.Errorf("%s has no rule: give it a line in the table `may`", u.path)
		}
	}
	for f := range theProgram(t).all {
		for _, spec := range f.Imports {
			path, ok := ours(importPath(spec.Path.Value))
			if ok && !mayImport(f, path) {
				t.Errorf("%s: %s must not import %s", theProgram(t).at(spec.Pos()), f.unit.path, path)
			}
		}
	}
}

// mayImport holds tests to the rule of their package where the rule is the point:
// in the core, whose departments must work alone in their tests too, and in the
// black boxes. Elsewhere tests may take what they need to set a stage, but never
// the whole server: a test that needs it belongs under test/.
func mayImport(f *source, path string) bool {
	if allows(may[f.unit.path], path) {
		return true
	}
	if !f.test {
		return false
	}
	strict := f.unit.inCore() || strings.HasPrefix(f.unit.path, "test/")
	return path == f.unit.path || !strict && path != "internal/server"
}

func allows(allowed, path string) bool {
	return slices.ContainsFunc(strings.Fields(allowed), func(a string) bool {
		tree, wild := strings.CutSuffix(a, "/...")
		return a == path || wild && (tree == path || strings.HasPrefix(path, tree+"/"))
	})
}

// TestServerIsImportedByItsOwnersOnly says who may start everything. A rule
// that ends in internal/... must not let it in by accident.
func TestServerIsImportedByItsOwnersOnly(t *testing.T) {
	t.Parallel()
	for path, allowed := range may {
		owner := path == "cmd/platen/command" || path == "platentest" || path == "internal/server" ||
			strings.HasPrefix(path, "test/")
		if !owner && allows(allowed, "internal/server") {
			t.Errorf("the rule of %s allows internal/server", path)
		}
	}
}

// TestForeignModulesStayWhereTheyAreWanted keeps each dependency behind few
// files of ours, so that an incompatible change is met in few places.
func TestForeignModulesStayWhereTheyAreWanted(t *testing.T) {
	t.Parallel()
	for f := range theProgram(t).all {
		for _, spec := range f.Imports {
			path := importPath(spec.Path.Value)
			host, _, _ := strings.Cut(path, "/")
			if strings.HasPrefix(path, module+"/") || !strings.Contains(host, ".") {
				continue // ours, or of the standard library
			}
			known, wanted := false, false
			for _, m := range slices.Concat(foreign, foreignInTests) {
				if path != m.path && !strings.HasPrefix(path, m.path+"/") {
					continue
				}
				known = true
				testsOnly := slices.Contains(foreignInTests, m)
				places := strings.Fields(m.where)
				here := slices.Contains(places, f.unit.path) || slices.Contains(places, f.path)
				wanted = wanted || !f.test && here && !testsOnly || f.test && (here || !testsOnly)
			}
			switch {
			case !known:
				t.Errorf("%s: %s is not in the table `foreign`", theProgram(t).at(spec.Pos()), path)
			case !wanted:
				t.Errorf("%s: %s is not wanted here", theProgram(t).at(spec.Pos()), path)
			}
		}
	}
}

// TestEveryDependencyHasItsLine keeps the record of dependencies whole.
func TestEveryDependencyHasItsLine(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/docs/adr/0001-dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Concat(foreign, foreignInTests) {
		if m.reason == "" {
			t.Errorf("%s is allowed in %s without a reason", m.path, m.where)
		}
		// Modules that only make sense together share a line.
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + regexp.QuoteMeta(m.path) + "`").Match(text) {
			t.Errorf("%s has no line in docs/adr/0001-dependencies.md", m.path)
		}
	}
}

func importPath(literal string) string {
	path, err := strconv.Unquote(literal)
	if err != nil {
		return literal
	}
	return path
}
