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
	// words is the vocabulary that everybody speaks: no behaviour, no state.
	words = "internal/words/..."
	// tools are the packages that departments are built of.
	tools = words + " internal/company/sim internal/company/record internal/company/catalog internal/company/preset"
)

// rooms lists the folders of the program from the ground up, each with the folders that its packages may import
// beside their own. A folder is meant with all below it. A package outside of all rooms fails the test, so the map of
// the program is always whole.
var rooms = []struct{ room, may string }{
	{"internal/words", ""},
	{"internal/config", ""},
	{"internal/store", "internal/words"},
	// A company knows nothing of its client: it never imports the desk.
	{"internal/company", "internal/words"},
	{"internal/desk", "internal/words internal/company internal/sandbox/apikey"},
	{"internal/sandbox", "internal/words internal/store internal/company internal/desk"},
	{"internal/edge", "internal/words internal/store internal/desk/subscription"},
	{"internal/operation", "internal/words internal/company internal/desk internal/sandbox internal/edge"},
	{"internal/api", "internal/words internal/company internal/desk internal/sandbox internal/edge internal/operation"},
	{"internal/cluster", "internal/words internal/store internal/sandbox internal/edge internal/api/message"},
	// The agent endpoint reaches the road of requests through an interface that internal/api implements.
	{"internal/mcp", "internal/words internal/store internal/company/mission internal/sandbox internal/operation " +
		"internal/api/message internal/publish/find"},
	{"internal/publish", "internal/words internal/company internal/operation internal/config docs"},
	// The one place that knows everybody, and who may start it.
	{"internal/server", "internal docs"},
	{"platentest", "internal/server internal/config client"},
	{"cmd/platen", "internal/server internal/config internal/publish/serverjson internal/words/money " +
		"internal/edge/webhook client eval"},
	// Programs to copy, and black boxes: they know Platen as a client does.
	{"client", ""},
	{"docs", ""},
	{"examples", "client"},
	// Evaluation is a product of its own, built on the client. No package outside the tree imports it, the program
	// apart.
	{"eval", "client cmd/platen/cli internal/publish/economy internal/words/money"},
	{"test", "client platentest internal/server internal/config"},
}

// narrow lists packages for which the rule of their room is too wide, each with all that it may import of this module.
// Packages are named alone, a tree ends in "/...".
var narrow = []struct{ packages, may, reason string }{
	{"internal/company/sim", "internal/words/moment", "time and chance know nothing of print"},
	{"internal/company/record internal/company/catalog internal/company/fault", words + " internal/company/sim",
		"they know no department"},
	{"internal/company/preset", words + " internal/company/sim internal/company/catalog internal/company/fault",
		"a preset is values"},
	{"internal/company/office internal/company/factory internal/company/hr internal/company/market " +
		"internal/company/lore", tools,
		"departments never import each other: Office and Factory share no data, so neither can name the other's " +
			"types; they meet in internal/company"},
	{"internal/company/mission", words + " internal/company/sim internal/company/record",
		"missions see a company by its events and signals"},
	{"internal/company/integration internal/company/attention",
		tools + " internal/company/office internal/company/factory internal/company/hr",
		"the places beside the company itself that see both systems"},

	{"internal/desk/subscription", words + " internal/company/sim internal/company/record",
		"the parts below the desk decide, and keep no lock"},
	{"internal/desk/injection", words + " internal/company/sim internal/company/fault", "as above"},
	{"internal/desk/activity", words + " internal/company/sim internal/company/fault internal/company/mission " +
		"internal/desk/injection", "as above"},

	{"internal/store internal/store/migration internal/store/postgres/postgrestest", "",
		"a store keeps bytes: it cannot depend on what they mean"},
	{"internal/store/groupcommit internal/store/storetest", "internal/store", "as above"},
	{"internal/store/sqlite internal/store/postgres",
		"internal/store internal/store/groupcommit internal/store/migration", "engines do not know each other"},
	{"internal/sandbox/apikey", "internal/store internal/words/wire",
		"a key is known by the hash under which it is stored"},
	{"internal/sandbox/sandboxfile", "internal/store internal/words/moment",
		"a file holds bodies: it does not know what they mean"},
	{"internal/sandbox/commitlog", words + " internal/company/record internal/store",
		"the stored form knows rows and events, and not what they mean"},

	{"internal/edge/netguard internal/edge/network internal/edge/admission/pow internal/edge/webhook/diagnosis " +
		"internal/edge/ratelimit/valkey/valkeytest internal/cluster/ownership internal/publish/docsite/prose " +
		"internal/publish/find", "",
		"leaves that could be libraries of their own; diagnosis shares no code with the package that signs"},
	{"internal/edge/ratelimit", "internal/edge/network", "the same budgets in memory and in Valkey"},
	{"internal/edge/ratelimit/valkey", "internal/edge/network internal/edge/ratelimit", "as above"},
	{"internal/edge/webhook", words + " internal/edge/netguard internal/desk/subscription",
		"the dispatcher knows what an attempt is, and nothing else of the company"},
	{"internal/cluster/node", "internal/cluster/ownership internal/store", "a node knows no requests"},

	{"internal/operation/schema", words, "it reads the types of any table"},
	{"internal/api/message", words + " internal/operation internal/sandbox internal/sandbox/apikey " +
		"internal/edge/admission internal/edge/ratelimit internal/desk/activity",
		"a request and its response are values, and know nothing that serves them"},
	{"internal/api/console", words + " internal/operation internal/sandbox internal/company/record",
		"the data of the console; api decides who may see them"},
	{"internal/mcp/session", words + " internal/sandbox/apikey internal/store internal/store/storeproblem",
		"sessions are records"},

	{"cmd/platen", "cmd/platen/command cmd/platen/quiet", "the program is one call, once it is silent"},
	{"cmd/platen/quiet", "", "it initialises before all that it keeps silent, so it imports nothing"},
	{"cmd/platen/cli",
		"client internal/config internal/words/money internal/edge/webhook internal/edge/webhook/diagnosis",
		"commands that play know Platen as a client does"},
	{"cmd/platen/cli/resource", "client cmd/platen/cli internal/words/money", "as above"},
	{"eval/statistic eval/tasks eval/bound eval/results eval/usage", "", "they know no run"},
	{"eval/report", "eval/statistic eval/usage", "it writes pages: those who know runs fill them"},
	{"eval/trace", "client", "it records what a client does"},
	{"eval/player", words + " internal/operation internal/sandbox internal/company/... internal/desk/... client",
		"the one door into the server: players see a company through the operation table, and play it in their own " +
			"process or over HTTP"},
	{"eval/economy",
		"eval/player internal/publish/economy internal/company internal/company/preset internal/words/money",
		"it measures companies"},

	{"test/bounds test/faults test/road test/testclient", "", "they judge from outside"},
	{"test/books", "platentest client test/testclient", "an accountant from outside: it recomputes all by itself"},
	{"test/archtest", "internal/operation " + words, "it holds the code against the table"},
	{"test/selfexec", "cmd/platen/command", "a test binary that is the program too has all of it"},
	{"test/crash", "internal/store/postgres/postgrestest internal/edge/ratelimit/valkey/valkeytest platentest client " +
		"internal/server internal/config test/...", "it starts the servers that others keep"},
	{"test/mcp", "platentest client internal/server internal/config internal/store/sqlite internal/mcp/gateway " +
		"internal/mcp/session internal/api/message internal/sandbox internal/sandbox/apikey test/...",
		"fixtures of the protocol's suite are behind the same gateway"},
	{"test/load", "internal/... client eval/player test/...", "it measures some parts alone"},
}

// never lists packages that do not import each other, though their rooms would let them.
var never = []struct{ packages, reason string }{
	{"internal/api internal/api/faults internal/cluster/router", "layers of the road: each can be left out"},
	{"internal/api internal/mcp internal/publish/openapi internal/publish/postman internal/publish/clientgen " +
		"internal/publish/docsite",
		"readers know the table, and not each other"},
	{"internal/api internal/mcp internal/publish/openapi internal/publish/postman internal/publish/clientgen " +
		"internal/publish/web",
		"as above; web serves the pages of docsite"},
}

// foreignModule says where the code of a foreign module may be imported.
type foreignModule struct {
	path string
	// where lists packages or single files.
	where, reason string
}

// foreign lists every module that the program may import, tests left out.
var foreign = []foreignModule{
	{"github.com/danielgtaylor/huma/v2", "internal/operation/schema internal/publish/openapi",
		"its schemas and document types are kept out of the pipeline"},
	{"github.com/go-json-experiment/json",
		"internal/company/record/encode.go internal/company/record/canonical.go internal/company/preset",
		"the core encodes and decodes in one file, and reads presets"},
	{"github.com/go-json-experiment/json", "internal/desk", "a part of its state is JSON by itself"},
	{"github.com/go-json-experiment/json",
		"internal/words/wire internal/api/message internal/api internal/api/console internal/operation/schema " +
			"internal/publish/openapi " +
			"internal/config internal/server internal/edge/webhook",
		"bodies, documents and the configuration file are JSON"},
	{"github.com/klauspost/compress", "internal/sandbox/commitlog", "bodies are compressed as they are stored"},
	{"github.com/go-json-experiment/json", "eval/player/remote.go",
		"a player over HTTP reads and writes bodies by the types that the server has for them"},
	{"github.com/go-json-experiment/json", "test/testclient",
		"suites refuse what a lenient reader takes: a name twice, text that is no UTF-8"},
	{"modernc.org/sqlite", "internal/store/sqlite", "an engine is known to its own package only"},
	{"github.com/jackc/pgx/v5", "internal/store/postgres internal/store/postgres/postgrestest",
		"an engine is known to its own package only, and to the tests of it"},
	{"golang.org/x/sys", "internal/store/sqlite", "the lock file beside the database"},
	{"golang.org/x/sys", "internal/server/disk_statfs.go internal/server/disk_windows.go", "free space on a disk"},
	{"golang.org/x/sys", "internal/server/buffer_linux.go", "the kernel's buffers of connections"},
	{"golang.org/x/sync", "internal/server/share.go", "who waits for memory is served in turn"},
	{"golang.org/x/sys", "cmd/platen/command/hidden_linux.go", "a process that its programs cannot read"},
	{"golang.org/x/sys", "internal/cluster/node", "a clock that counts while the machine sleeps"},
	{"golang.org/x/crypto/x509roots/fallback", "cmd/platen/command", "roots for machines that have none"},
	{"github.com/spf13/cobra", "cmd/platen/command", "the command line"},
	{"github.com/spf13/pflag", "cmd/platen/command", "the flags of the command line"},
	{"github.com/lmittmann/tint", "cmd/platen/command", "logs on a terminal are the command's business"},
	{"github.com/gomodule/redigo", "internal/edge/ratelimit/valkey", "a server is known to its own package only"},
	{"github.com/VictoriaMetrics/metrics", "internal/server/metrics",
		"what is counted is said in our own words everywhere else"},
	{"github.com/KimMachineGun/automemlimit", "internal/server",
		"how much memory there is, is asked once, at the start"},
	{"github.com/dustin/go-humanize", "internal/config", "sizes are read as operators write them"},
	{"github.com/hbollon/go-edlib", "cmd/platen/command internal/operation/schema",
		"how far a mistyped name is from a known one"},
	{"code.dny.dev/ssrf", "internal/edge/netguard", "which addresses are public is decided in one place"},
	{"github.com/standard-webhooks/standard-webhooks/libraries", "internal/edge/webhook",
		"what is sent is signed by the library that receivers verify with"},
	{"github.com/modelcontextprotocol/go-sdk", "internal/mcp internal/mcp/gateway examples/go/agent",
		"the protocol of agents ends at the endpoint: tools reach the company as requests"},
	{"github.com/pires/go-proxyproto", "internal/server", "a connection's address is the business of who accepts it"},
	{"github.com/yuin/goldmark", "internal/publish/docsite/prose",
		"Markdown is known to one package; the docs get HTML and headings"},
	{"github.com/coder/websocket", "eval/environment", "trainers speak it, and nothing else does"},
	{"pgregory.net/rapid", "internal/store/storetest", "the conformance suite draws its steps"},
	{"github.com/google/go-cmp", "internal/store/storetest", "the conformance suite compares headers"},
}

// foreignInTests lists what tests may import beside the modules above, which
// they may import anywhere.
var foreignInTests = []foreignModule{
	{"github.com/santhosh-tekuri/jsonschema/v6", "internal/operation/schema internal/publish/serverjson test/contract",
		"the judge of what our own reading of bodies accepts, of our answers, and of the server.json"},
	{"github.com/rogpeppe/go-internal", "cmd/platen/command test/scenario", "testscript runs the commands"},
	{"golang.org/x/net", "test/contract", "a nameserver that changes its answers"},
	{"golang.org/x/net", "test/docs", "pages read as browsers read them"},
	{"github.com/getkin/kin-openapi", "internal/publish/openapi test/contract",
		"a second reader of the OpenAPI document"},
	{"github.com/BurntSushi/toml", "eval/harness", "what is exported, read as harnesses read it"},
	{"github.com/oasdiff/yaml3", "eval/harness test/docs", "what is exported, and the recipes of the guide on CI"},
}

// TestImportsFollowTheMap keeps the directions that the layout relies on.
func TestImportsFollowTheMap(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		if _, ok := allowed(u.path); !ok {
			t.Errorf("%s is in no room: give it a place in the table `rooms`", u.path)
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

// TestRulesNameWhatIsThere: a rule for a package that was moved keeps nothing.
func TestRulesNameWhatIsThere(t *testing.T) {
	t.Parallel()
	there := func(path string) bool {
		return slices.ContainsFunc(theProgram(t).packages, func(u *unit) bool { return u.path == path })
	}
	for _, rule := range narrow {
		if rule.reason == "" {
			t.Errorf("the rule of %s has no reason", rule.packages)
		}
		for path := range strings.FieldsSeq(rule.packages) {
			if !there(path) {
				t.Errorf("a rule is for %s, which is not there", path)
			}
		}
	}
	for _, rule := range never {
		for path := range strings.FieldsSeq(rule.packages) {
			if !there(path) {
				t.Errorf("a rule is for %s, which is not there", path)
			}
		}
	}
}

// allowed returns the packages of this module that one may import, as allows reads them; not ok for one in no room.
func allowed(path string) (rule string, ok bool) {
	for _, n := range narrow {
		if slices.Contains(strings.Fields(n.packages), path) {
			return n.may, true
		}
	}
	for _, r := range rooms {
		if path == r.room || strings.HasPrefix(path, r.room+"/") {
			for tree := range strings.FieldsSeq(r.may + " " + r.room) {
				rule += " " + tree + "/..."
			}
			return rule, true
		}
	}
	return "", false
}

// mayImport holds tests to the rule of their package where the rule is the point:
// in the core, whose departments must work alone in their tests too, and in the
// black boxes. Elsewhere tests may take what they need to set a stage, but never
// the whole server: a test that needs it belongs under test/.
func mayImport(f *source, path string) bool {
	apart := func(n struct{ packages, reason string }) bool {
		all := strings.Fields(n.packages)
		return path != f.unit.path && slices.Contains(all, f.unit.path) && slices.Contains(all, path)
	}
	rule, _ := allowed(f.unit.path)
	if allows(rule, path) && (f.test || !slices.ContainsFunc(never, apart)) {
		return true
	}
	if !f.test {
		return false
	}
	strict := f.unit.inCore() || strings.HasPrefix(f.unit.path, "test/")
	return path == f.unit.path || !strict && path != "internal/server"
}

// allows reports whether a rule has a path, alone or in a tree that ends in "/...".
func allows(rule, path string) bool {
	return slices.ContainsFunc(strings.Fields(rule), func(a string) bool {
		tree, wild := strings.CutSuffix(a, "/...")
		return a == path || wild && (tree == path || strings.HasPrefix(path, tree+"/"))
	})
}

// TestServerIsImportedByItsOwnersOnly says who may start everything. A rule
// that ends in internal/... must not let it in by accident.
func TestServerIsImportedByItsOwnersOnly(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		owner := u.path == "cmd/platen/command" || u.path == "platentest" ||
			strings.HasPrefix(u.path, "internal/server") || strings.HasPrefix(u.path, "test/")
		if rule, _ := allowed(u.path); !owner && allows(rule, "internal/server") {
			t.Errorf("the rule of %s allows internal/server", u.path)
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
