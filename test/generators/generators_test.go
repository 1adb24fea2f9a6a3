package generators_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/oapi-codegen/runtime" // a generated client imports it
	_ "github.com/ogen-go/ogen/ogenerrors"

	"platen/platentest"
)

// tools is where the programs of npm are: make generators installs them.
const tools = "../../build/tools/openapi/node_modules"

// TestAGoClientThatIsGeneratedPlaysAnOrder: oapi-codegen with its defaults.
func TestAGoClientThatIsGeneratedPlaysAnOrder(t *testing.T) {
	t.Parallel()
	p, folder := platentest.Start(t), module(t, "go")
	write(t, filepath.Join(folder, "openapi.json"), document(t, p, ""))
	code := run(t, ".", nil, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "api",
		filepath.Join(folder, "openapi.json"))
	write(t, filepath.Join(folder, "api", "api.go"), code)
	t.Logf("oapi-codegen: %d lines", bytes.Count(code, []byte("\n")))
	plays(t, p, folder)
}

// TestAGoClientOfThePlainProfilePlaysAnOrder: ogen with its defaults, which leaves out no operation.
func TestAGoClientOfThePlainProfilePlaysAnOrder(t *testing.T) {
	t.Parallel()
	p, folder := platentest.Start(t), module(t, "ogen")
	write(t, filepath.Join(folder, "openapi.json"), document(t, p, "?profile=plain"))
	run(t, ".", nil, "go", "tool", "ogen", "--target", filepath.Join(folder, "api"), "--package", "api",
		filepath.Join(folder, "openapi.json"))
	client := read(t, filepath.Join(folder, "api", "oas_client_gen.go"))
	if made, listed := bytes.Count(client, []byte("\nfunc (c *Client) send")), operations(t, p); made != listed {
		t.Errorf("ogen made %d operations of %d", made, listed)
	}
	plays(t, p, folder)
}

// operations counts those of the plain document.
func operations(t *testing.T, p *platentest.Platen) int {
	t.Helper()
	var plain struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(document(t, p, "?profile=plain"), &plain); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, methods := range plain.Paths {
		n += len(methods)
	}
	return n
}

// module is a folder with a program of testdata, and this module's dependencies.
func module(t *testing.T, program string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text := read(t, name)
		if name == "go.mod" {
			text = bytes.Replace(text, []byte("module platen/test/generators"), []byte("module play"), 1)
			text = bytes.Replace(text, []byte("=> ../.."), []byte("=> "+absolute(t, "../..")), 1)
		}
		write(t, filepath.Join(folder, name), text)
	}
	write(t, filepath.Join(folder, "main.go"), read(t, "testdata/"+program+"/main.go"))
	return folder
}

// plays runs a program, which has to play an order to its payment.
func plays(t *testing.T, p *platentest.Platen, folder string) {
	t.Helper()
	said := run(t, folder, []string{"PLATEN_URL=" + p.BaseURL}, "go", "run", "-mod=mod", ".")
	if !strings.Contains(string(said), "is paid") {
		t.Errorf("it said %s", said)
	}
}

// TestATypeScriptClientThatIsGeneratedPlaysAnOrder: openapi-typescript and openapi-fetch.
func TestATypeScriptClientThatIsGeneratedPlaysAnOrder(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(tools); err != nil {
		if os.Getenv("PLATEN_TEST_ALL") != "" {
			t.Fatalf("%v; make generators installs it", err)
		}
		t.Skip("openapi-typescript is not installed: npm ci --prefix build/tools/openapi")
	}
	p := platentest.Start(t)
	folder := t.TempDir()
	if err := os.Symlink(absolute(t, tools), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "package.json"), []byte(`{"type":"module"}`))
	write(t, filepath.Join(folder, "openapi.json"), document(t, p, ""))
	write(t, filepath.Join(folder, "play.ts"), read(t, "testdata/typescript/play.ts"))
	types := filepath.Join(folder, "api.d.ts")
	run(t, folder, nil, "node_modules/.bin/openapi-typescript", "openapi.json", "-o", types)
	t.Logf("openapi-typescript: %d lines", bytes.Count(read(t, types), []byte("\n")))
	write(t, filepath.Join(folder, "node.d.ts"),
		[]byte("declare const process: { env: Record<string, string | undefined>; exit(code: number): never };\n"))
	run(t, folder, nil, "node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--lib",
		"es2023,dom", "play.ts", "node.d.ts")
	said := run(t, folder, []string{"PLATEN_URL=" + p.BaseURL}, "node", "play.js")
	if !strings.Contains(string(said), "is paid") {
		t.Errorf("it said %s", said)
	}
}

func document(t *testing.T, p *platentest.Platen, query string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Origin+"/openapi.json"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("/openapi.json: %s (%v)", answer.Status, err)
	}
	return b
}

// run returns what a program says on its standard output.
func run(t *testing.T, folder string, env []string, name string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	said, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, said, complaints.Bytes())
	}
	return said
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
