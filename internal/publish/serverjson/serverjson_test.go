package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"platen/internal/config"
)

// usual is one that every registry takes.
func usual() listing {
	return listing{
		Name: "io.github.you/platen", Image: "ghcr.io/you/platen:0.1.0", URL: "https://platen.example/mcp",
		Version: "v0.1.0", Module: "github.com/you/platen",
	}
}

// publishedSchema is the schema as its authors publish it.
func publishedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/server.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if id := document.(map[string]any)["$id"]; id != schemaURL {
		t.Fatalf("documents name the schema %s, and they are checked against %s", schemaURL, id)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(schemaURL, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(schemaURL)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// read is a document as a registry reads it.
type read struct {
	Name, Version, WebsiteURL string
	Repository                *struct{ URL, Source string }
	Packages                  []struct {
		RegistryType, Identifier, Version, RegistryBaseURL string

		RuntimeArguments     []struct{ Name, Value string }
		Transport            reachable
		EnvironmentVariables []variable
	}
	Remotes []reachable
}

type reachable struct {
	Type, URL string
	Headers   []variable
}

type variable struct {
	Name, Description, Format, Default string
	Choices                            []string
	IsSecret, IsRequired               bool
}

// documentOf is the document of a listing, which the published schema accepts.
func documentOf(t *testing.T, l listing) read {
	t.Helper()
	text, err := l.document()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := publishedSchema(t).Validate(value); err != nil {
		t.Errorf("the schema rejects it: %v\n%s", err, text)
	}
	var d read
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTheSchemaJudges: what the other tests rely on rejects what it should.
func TestTheSchemaJudges(t *testing.T) {
	t.Parallel()
	text, err := usual().document()
	if err != nil {
		t.Fatal(err)
	}
	for good, bad := range map[string]string{
		`"name": "io.github.you/platen"`:             `"name": "platen"`,
		`"version": "0.1.0"`:                         `"versions": "0.1.0"`,
		`"type": "streamable-http"`:                  `"type": "http"`,
		`"A simulated`:                               `"` + strings.Repeat("A", 100),
		`"identifier": "ghcr.io/you/platen:0.1.0"`:   `"identifier": 1`,
		`"isSecret": true`:                           `"isSecret": "true"`,
		`"format": "boolean"`:                        `"format": "bool"`,
		`"websiteUrl": "https://platen.example/docs`: `"websiteUrl": "platen example`,
	} {
		changed := bytes.Replace(text, []byte(good), []byte(bad), 1)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(changed))
		if err != nil || bytes.Equal(changed, text) {
			t.Fatalf("%s is not in the document: %v", good, err)
		}
		if publishedSchema(t).Validate(value) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}

func TestADocumentSaysHowToRunAndReachTheServer(t *testing.T) {
	t.Parallel()
	d := documentOf(t, usual())
	if d.Name != "io.github.you/platen" || d.Version != "0.1.0" ||
		d.WebsiteURL != "https://platen.example/docs/agents" {
		t.Errorf("it is %+v", d)
	}
	if d.Repository == nil || d.Repository.URL != "https://github.com/you/platen" || d.Repository.Source != "github" {
		t.Errorf("the repository is %+v", d.Repository)
	}
	if len(d.Packages) != 1 || len(d.Remotes) != 1 {
		t.Fatalf("it has %d packages and %d remotes", len(d.Packages), len(d.Remotes))
	}
	p := d.Packages[0]
	// The official registry wants the tag in the identifier, and neither of the other two fields.
	if p.RegistryType != "oci" || p.Identifier != "ghcr.io/you/platen:0.1.0" ||
		p.Version != "" || p.RegistryBaseURL != "" {
		t.Errorf("the package is %+v", p)
	}
	if len(p.RuntimeArguments) != 1 || p.RuntimeArguments[0].Value != "127.0.0.1:8080:8080" {
		t.Errorf("it is run with %+v", p.RuntimeArguments)
	}
	for want, got := range map[string]reachable{
		"http://localhost:8080/mcp": p.Transport, "https://platen.example/mcp": d.Remotes[0],
	} {
		if got.Type != "streamable-http" || got.URL != want {
			t.Errorf("the endpoint is %+v, want %s", got, want)
		}
		if len(got.Headers) != 1 || got.Headers[0].Name != "Authorization" || !got.Headers[0].IsSecret ||
			got.Headers[0].IsRequired {
			t.Errorf("its headers are %+v", got.Headers)
		}
	}
}

// TestADocumentWithoutServerAndRepositoryIsOneToo.
func TestADocumentWithoutServerAndRepositoryIsOneToo(t *testing.T) {
	t.Parallel()
	l := usual()
	l.URL, l.Module, l.Version = "", "platen", "(devel)"
	d := documentOf(t, l)
	if d.Repository != nil || d.Remotes != nil || d.WebsiteURL != "" || d.Version != "0.0.0-devel" {
		t.Errorf("it is %+v", d)
	}
}

// TestVariablesAreThoseOfTheSettings: each with its description, without a default that a profile
// or the image replaces, and secret where the setting is.
func TestVariablesAreThoseOfTheSettings(t *testing.T) {
	t.Parallel()
	settings := map[string]config.Field{}
	for _, f := range config.Default().Fields() {
		settings[f.Variable()] = f
	}
	variables := documentOf(t, usual()).Packages[0].EnvironmentVariables
	var names []string
	for _, v := range variables {
		names = append(names, v.Name)
		f, ok := settings[v.Name]
		if !ok || v.Description != f.Doc || v.IsSecret != f.Secret || v.IsRequired {
			t.Errorf("%+v is not the setting %+v", v, f)
		}
		if v.Default != "" && (f.Secret || config.InProfile(f.Name)) {
			t.Errorf("%s has the default %q", v.Name, v.Default)
		}
		if v.Default != "" {
			if err := f.Set(v.Default); err != nil {
				t.Errorf("the server rejects the default of %s: %v", v.Name, err)
			}
		}
	}
	for _, name := range []string{
		"PLATEN_PROFILE", "PLATEN_PUBLIC_URL", "PLATEN_DATABASE", "PLATEN_MEMORY", "PLATEN_SECRET_KEY",
		"PLATEN_CREATION_KEY", "PLATEN_SANDBOX_DURATION", "PLATEN_LOG_LEVEL",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %v", name, names)
		}
	}
	for _, name := range []string{"PLATEN_LISTEN", "PLATEN_OPS_LISTEN", "PLATEN_NODE_ADDRESS", "PLATEN_KEY_RATE"} {
		if slices.Contains(names, name) {
			t.Errorf("%s is among them", name)
		}
	}
	if len(variables) == 0 || !slices.Equal(variables[0].Choices, config.Profiles()) {
		t.Errorf("the profile is one of %v", variables[0].Choices)
	}
}

func TestRepositoriesAreThoseThatRegistriesKnow(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]string{
		"github.com/you/platen":    "https://github.com/you/platen",
		"gitlab.com/you/platen":    "https://gitlab.com/you/platen",
		"github.com/you/platen/v2": "https://github.com/you/platen", "platen": "", "example.org/you/platen": "",
		"notgithub.com/you/platen": "", "github.com/you": "",
	} {
		l := usual()
		l.Module = module
		got := ""
		if d := documentOf(t, l); d.Repository != nil {
			got = d.Repository.URL
		}
		if got != want {
			t.Errorf("the repository of %s is %q, want %q", module, got, want)
		}
	}
}
