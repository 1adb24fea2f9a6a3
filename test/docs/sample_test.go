package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// sampled finds the pages of operations in llms.txt.
var sampled = regexp.MustCompile(`\(([^)]*/docs/api/([a-z_]+)\.md)\)`)

// shown are the languages of the samples, as their blocks are marked.
var shown = []string{"sh", "python", "javascript", "go"}

// samplesOf reads the blocks of an operation's page, by language.
func samplesOf(t *testing.T, page string) map[string]string {
	t.Helper()
	samples := map[string]string{}
	for _, fence := range fences.FindAllStringSubmatch(read(t, page), -1) {
		if slices.Contains(shown, fence[1]) {
			samples[fence[1]] = fence[2]
		}
	}
	return samples
}

// TestEverySampleIsValidInItsLanguage takes the samples of all operations to
// their languages: one process for each, and go/types for Go.
func TestEverySampleIsValidInItsLanguage(t *testing.T) {
	t.Parallel()
	p := shared()
	all := map[string]map[string]string{} // by language and operation
	for _, m := range sampled.FindAllStringSubmatch(read(t, p.Origin+"/llms.txt"), -1) {
		samples := samplesOf(t, m[1])
		for _, language := range shown {
			if samples[language] == "" {
				t.Errorf("%s has no sample in %s", m[2], language)
			}
			if id := named.FindString(samples[language]); strings.Contains(id, "…") {
				t.Errorf("%s has no example of an id: %s", m[2], id)
			}
			if all[language] == nil {
				all[language] = map[string]string{}
			}
			all[language][m[2]] = samples[language]
		}
	}
	if len(all) == 0 {
		t.Fatal("llms.txt names no operation")
	}
	t.Run("sh", func(t *testing.T) { parses(t, all["sh"], "bash", "-c", checkShell) })
	t.Run("python", func(t *testing.T) { parses(t, all["python"], interpreter(t), "-c", checkPython) })
	t.Run("javascript", func(t *testing.T) {
		parses(t, all["javascript"], "node", "--experimental-vm-modules", "--no-warnings", "--input-type=module",
			"-e", checkJavaScript)
	})
	t.Run("go", func(t *testing.T) { compiles(t, all["go"]) })
}

// Each check reads programs by name, as one object of JSON, and prints a line
// for each that is wrong. Python also lists names without a definition.
const (
	checkShell = `jq -j 'to_entries[] | .key, "\u0000", .value, "\u0000"' |
while IFS= read -rd '' name && IFS= read -rd '' text; do
	eval "program() {
		:
		$text
	}" 2> /dev/null || echo "$name is no program of the shell"
done`
	checkPython = `
import ast, builtins, json, sys
for name, text in json.load(sys.stdin).items():
    try:
        tree = ast.parse(text)
        compile(tree, name, "exec")
    except SyntaxError as fault:
        print(name, fault)
        continue
    named = {n.id: isinstance(n.ctx, ast.Store) for n in ast.walk(tree) if isinstance(n, ast.Name)}
    known = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    known |= {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    known |= {n.name for n in ast.walk(tree) if isinstance(n, ast.ExceptHandler)}
    for word in sorted(set(named) - known - set(dir(builtins))):
        print(name, "uses", word, "which is nothing")
`
	checkJavaScript = `
import vm from 'node:vm';
import { readFileSync } from 'node:fs';
for (const [name, text] of Object.entries(JSON.parse(readFileSync(0, 'utf8')))) {
  try { new vm.SourceTextModule(text); } catch (fault) { console.log(name + ': ' + fault); }
}`
)

// parses gives programs to one process that checks them.
func parses(t *testing.T, programs map[string]string, argv ...string) {
	t.Helper()
	t.Parallel()
	if argv[0] == "bash" {
		testclient.Need(t, "jq") // by which checkShell reads
	}
	in, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	check := exec.CommandContext(t.Context(), testclient.Need(t, argv[0]), argv[1:]...)
	check.Stdin = bytes.NewReader(in)
	out, err := check.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// compiles takes each program for a package of its own, and expects it as gofmt
// writes it.
func compiles(t *testing.T, programs map[string]string) {
	t.Helper()
	t.Parallel()
	testclient.Need(t, "go") // knows where the standard library's types are
	files, parsed, imported := token.NewFileSet(), map[string]*ast.File{}, map[string]bool{}
	for name, text := range programs {
		file, err := parser.ParseFile(files, name+".go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		parsed[name] = file
		for _, i := range file.Imports {
			imported[strings.Trim(i.Path.Value, `"`)] = true
		}
	}
	exported := exports(t, slices.Sorted(maps.Keys(imported)))
	checker := types.Config{Importer: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exported[path])
	})}
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		text, file := programs[name], parsed[name]
		if _, err := checker.Check(name, files, []*ast.File{file}, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("%s is not as gofmt writes it: %v\n%s", name, err, text)
		}
	}
}

// exports are the files with the types of packages.
func exports(t *testing.T, packages []string) map[string]string {
	t.Helper()
	list := []string{"list", "-export", "-f", "{{.ImportPath}} {{.Export}}"}
	out, err := exec.CommandContext(t.Context(), "go", append(list, packages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}

// interpreter is the path of Python itself.
func interpreter(t *testing.T) string {
	t.Helper()
	testclient.Need(t, "python3")
	path, err := testclient.Python()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEverySampleDoesWhatTheOneForCurlDoes runs samples of each kind in each
// language, every time in the same company made anew. Without a thorough run there are two
// operations, and none of Go, whose samples have their types checked.
func TestEverySampleDoesWhatTheOneForCurlDoes(t *testing.T) {
	t.Parallel()
	p := shared()
	languages := shown
	if !testclient.Thorough() {
		languages = slices.DeleteFunc(slices.Clone(shown), func(language string) bool { return language == "go" })
	}
	pages, inGo := map[string]string{}, map[string]string{}
	build := sync.OnceValues(func() (string, error) { return together(t.TempDir(), inGo) })
	for _, m := range sampled.FindAllStringSubmatch(read(t, p.Origin+"/llms.txt"), -1) {
		pages[m[2]] = m[1]
	}
	for _, c := range []struct {
		operation string
		// list is where the id comes from, empty for the one of the page, which
		// this company does not have.
		list string
		// refused is the code that is expected, empty for success.
		refused string
		// made is set where no two answers have the same values.
		made bool
	}{
		{operation: "list_sales_orders"},
		{operation: "poll_events"},
		{operation: "get_sales_order", list: "/office/sales-orders"},
		{operation: "get_sales_order", refused: "not_found"},
		{operation: "accept_sales_order", list: "/office/sales-orders"},
		{operation: "create_work_order"},
		{operation: "start_print_run", refused: "not_found"},
		{operation: "advance_time"},
		{operation: "create_sandbox", made: true},
		{operation: "poll_ticket", refused: "ticket_not_found"},
	} {
		if !testclient.Thorough() && c.operation != "get_sales_order" && c.operation != "create_work_order" {
			continue
		}
		samples := samplesOf(t, pages[c.operation])
		inGo[c.operation] = samples["go"]
		t.Run(c.operation+" "+c.refused, func(t *testing.T) {
			t.Parallel()
			want := ""
			for _, language := range languages {
				t.Run(language, func(t *testing.T) {
					s := p.Sandbox(t, platentest.Options{Preset: "starter", Seed: new(int64(7)), Clock: "manual"})
					text := samples[language]
					if language == "go" {
						testclient.Need(t, "go")
						path, err := build() // when all samples are known: this test is parallel
						if err != nil {
							t.Fatal(err)
						}
						text = path + " " + c.operation
					}
					got := perform(t, s, language, text, newest(t, s, c.list))
					if c.made {
						got = regexp.MustCompile(`: ?"[^"]*"`).ReplaceAllString(got, "")
					}
					if want == "" {
						want = got
					}
					switch {
					case c.refused != "" && !strings.HasPrefix(got, c.refused+": "):
						t.Errorf("got %q, want %s", got, c.refused)
					case c.refused == "" && !strings.HasPrefix(got, "{"):
						t.Errorf("got %q, want data", got)
					case got != want:
						t.Errorf("got\n%s\ncurl says\n%s", got, want)
					}
				})
			}
		})
	}
}

// together builds samples in Go as one program, which is told the one to run. Linking
// a program takes longer than all else that is done with it.
func together(folder string, samples map[string]string) (string, error) {
	dispatch := "package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n"
	for name, text := range samples {
		dispatch += "\tcase \"" + name + "\":\n\t\t" + name + "()\n"
		text = keyed.ReplaceAllString(named.ReplaceAllString(text, `${1}os.Getenv("ID")`), `"+os.Getenv("$1")+"`)
		text = strings.NewReplacer("package main\n", "package main\n\nimport \"os\"\n", "main()", name+"()").
			Replace(text) + "\nvar _ = os.Args\n"
		if err := os.WriteFile(filepath.Join(folder, name+".go"), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(dispatch+"\t}\n}\n"), 0o600); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "samples")
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", append([]string{"build", "-o", path}, files...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the samples in Go: %w\n%s", err, out)
	}
	return path, nil
}

// keyed finds the keys that a sample takes from its environment.
var keyed = regexp.MustCompile(`\$(PLATEN_[A-Z]+_KEY)`)

// newest is the id of the newest row of a list, for no list one that does not
// exist.
func newest(t *testing.T, s *platentest.Sandbox, list string) string {
	t.Helper()
	if list == "" {
		return "so_0000000000000"
	}
	items, _ := get(t, s, list+"?limit=1")["items"].([]any)
	if len(items) == 0 {
		t.Fatalf("%s is empty", list)
	}
	row, _ := items[0].(map[string]any)
	id, _ := row["id"].(string)
	return id
}

// named finds the ids that a sample begins with, bearing that of the page.
var named = regexp.MustCompile(`((?:_id|I[dD]|ticket) :?= )"[^"]*"`)

// namedInShell finds them in a shell.
var namedInShell = regexp.MustCompile(`(?m)^([A-Z_]+_ID=).*`)

// perform runs a sample, in Go the command that does, and returns the data that it prints, or the code and the
// sentence of the refusal that it ends with.
func perform(t *testing.T, s *platentest.Sandbox, language, text, id string) string {
	t.Helper()
	folder := t.TempDir()
	if language != "sh" {
		text = strings.NewReplacer("$PLATEN_OFFICE_KEY", s.OfficeKey, "$PLATEN_FACTORY_KEY", s.FactoryKey).
			Replace(named.ReplaceAllString(text, `${1}"`+id+`"`))
	}
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var argv []string
	switch language {
	case "sh":
		testclient.Need(t, "curl")
		text = namedInShell.ReplaceAllString(text, "${1}"+id)
		argv = []string{testclient.Need(t, "bash"), file("sample.sh", "curl() { command curl -sS \"$@\"; }\n"+text)}
	case "python": // prints what Python makes of JSON
		argv = []string{
			interpreter(t), "-B", "-c",
			"import json\nprint = lambda data: __builtins__.print(json.dumps(data))\n" + text,
		}
	case "javascript":
		file("json.mjs", "console.log = data => process.stdout.write(JSON.stringify(data));")
		argv = []string{"node", "--import", "./json.mjs", file("sample.mjs", text)}
	case "go":
		argv = strings.Fields(text) // it is built
	}
	program := exec.CommandContext(t.Context(), testclient.Need(t, argv[0]), argv[1:]...)
	program.Dir = folder
	program.Env = append(os.Environ(), "ID="+id, "PLATEN_OFFICE_KEY="+s.OfficeKey, "PLATEN_FACTORY_KEY="+s.FactoryKey)
	var complaints bytes.Buffer
	program.Stderr = &complaints
	out, err := program.Output()
	if language == "sh" {
		return answered(t, out)
	}
	if refusal := refusalForm.FindString(complaints.String()); err != nil && refusal != "" {
		return refusal
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", language, err, complaints.String())
	}
	return compact(t, out)
}

// refusalForm matches a refusal in samples, whatever is around it.
var refusalForm = regexp.MustCompile(`\b[a-z]+_[a-z_]+: [A-Z].*`)

// answered is the envelope that curl has printed, as the other samples say it.
func answered(t *testing.T, out []byte) string {
	t.Helper()
	var envelope struct {
		Data  json.RawMessage
		Error *struct{ Code, Message string }
	}
	if err := json.Unmarshal(out, &envelope); err != nil {
		t.Fatalf("curl prints %s: %v", out, err)
	}
	if envelope.Error != nil {
		return envelope.Error.Code + ": " + envelope.Error.Message
	}
	return compact(t, envelope.Data)
}

// compact is JSON with its members in order, and without what is never twice
// the same.
func compact(t *testing.T, out []byte) string {
	t.Helper()
	var data any
	if err := json.Unmarshal(out, &data); err != nil {
		t.Fatalf("a sample prints %s: %v", out, err)
	}
	sorted, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return plain(string(sorted))
}
