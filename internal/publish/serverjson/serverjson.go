// Command serverjson prints server.json, the document by which a registry of agent servers
// lists this one: its name, its image with the settings that one may give it, and where it can
// be reached. A release runs it.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"platen/internal/config"
)

// schemaURL is the published form that documents have.
const schemaURL = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

const (
	title       = "Platen"
	description = "A simulated printing company in two systems that share no data, for agents to run and connect"
	// transport is how agents talk to the server.
	transport = "streamable-http"
	// endpoint is the path of the agent endpoint.
	endpoint = "/mcp"
	// published is how a container's port is published, and local where its endpoint is then.
	published = "127.0.0.1:8080:8080"
	local     = "http://localhost:8080" + endpoint
)

// groups are the groups of settings that matter to a server that runs beside one agent host.
// The others are about many clients and several servers.
//
//nolint:gochecknoglobals // read only
var groups = []string{"Profile", "Addresses", "Storage", "Memory and keys at rest", "Evaluations", "Time", "Other"}

// fixed are the settings that the image makes itself: the port that is published depends on them.
//
//nolint:gochecknoglobals // read only
var fixed = []string{"listen", "ops-listen"}

func main() {
	var l listing
	flag.StringVar(&l.Name, "name", "", "name in the registry, such as io.github.you/platen")
	flag.StringVar(&l.Image, "image", "", "image with registry and tag, such as ghcr.io/you/platen:0.1.0")
	flag.StringVar(&l.Version, "version", "", "version of the program")
	flag.StringVar(&l.URL, "url", "", "agent endpoint of a server that others can reach; empty for none")
	flag.Parse()
	if build, ok := debug.ReadBuildInfo(); ok {
		l.Module = build.Main.Path
	}
	text, err := l.document()
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serverjson:", err)
		os.Exit(1)
	}
}

// listing is the document's entry for one version.
type listing struct {
	// Name is that of the server in the registry, such as io.github.you/platen.
	Name string
	// Image names the image with its tag, such as ghcr.io/you/platen:0.1.0.
	Image string
	// URL is that of the agent endpoint of a server that anybody can reach; empty for none.
	URL string
	// Version is that of the program, with or without a v.
	Version string
	// Module is the path of the Go module, which may name the repository.
	Module string
}

// serverJSON is a server.json. Fields are in the order in which people read them.
//
//nolint:tagliatelle // the registry's spelling
type serverJSON struct {
	Schema      string      `json:"$schema"`
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Repository  *repository `json:"repository,omitempty"`
	WebsiteURL  string      `json:"websiteUrl,omitempty"`
	Version     string      `json:"version"`
	Packages    []pack      `json:"packages"`
	Remotes     []remote    `json:"remotes,omitempty"`
}

type repository struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

// pack is a way to run the server.
//
//nolint:tagliatelle // the registry's spelling
type pack struct {
	RegistryType         string     `json:"registryType"`
	Identifier           string     `json:"identifier"`
	RuntimeHint          string     `json:"runtimeHint"`
	RuntimeArguments     []argument `json:"runtimeArguments"`
	Transport            remote     `json:"transport"`
	EnvironmentVariables []input    `json:"environmentVariables"`
}

// argument is one of the command that runs the image.
type argument struct {
	Type        string `json:"type"`
	Name        string `json:"name"`
	Value       string `json:"value"`
	Description string `json:"description"`
}

// remote is where the endpoint is.
type remote struct {
	Type    string  `json:"type"`
	URL     string  `json:"url"`
	Headers []input `json:"headers"`
}

// input is a value that a user may give.
//
//nolint:tagliatelle // the registry's spelling
type input struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Format      string   `json:"format,omitempty"`
	Default     string   `json:"default,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	IsSecret    bool     `json:"isSecret,omitempty"`
}

// document returns the server.json of a listing. It checks no value: registries do, and tell why.
func (l listing) document() ([]byte, error) {
	d := serverJSON{
		Schema: schemaURL, Name: l.Name, Title: title, Description: description,
		Repository: repositoryOf(l.Module), Version: number(l.Version),
		Packages: []pack{{
			RegistryType: "oci", Identifier: l.Image, RuntimeHint: "docker",
			RuntimeArguments: []argument{{
				Type: "named", Name: "--publish", Value: published,
				Description: "Publish the port of the server on this machine alone.",
			}},
			Transport:            remote{Type: transport, URL: local, Headers: headers()},
			EnvironmentVariables: variables(),
		}},
	}
	if l.URL != "" {
		d.WebsiteURL = strings.TrimSuffix(l.URL, endpoint) + "/docs/agents"
		d.Remotes = []remote{{Type: transport, URL: l.URL, Headers: headers()}}
	}
	var text bytes.Buffer
	w := json.NewEncoder(&text)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	if err := w.Encode(d); err != nil {
		return nil, fmt.Errorf("write server.json: %w", err)
	}
	return text.Bytes(), nil
}

// headers are those of a request of an agent.
func headers() []input {
	return []input{{
		Name: "Authorization", Placeholder: "Bearer lab_off_…", IsSecret: true,
		Description: "Bearer and the key of Head Office of a sandbox that you created. Without it, the agent creates " +
			"sandboxes itself.",
	}}
}

// variables are the settings that one may give the container. A default that depends on the
// profile is left out: a host that passes it would overrule the profile.
func variables() []input {
	var all []input
	for _, f := range config.Default().Fields() {
		if !slices.Contains(groups, f.Group) || slices.Contains(fixed, f.Name) {
			continue
		}
		v := input{Name: f.Variable(), Description: f.Doc, IsSecret: f.Secret}
		text := fmt.Sprint(reflect.ValueOf(f.Target).Elem())
		switch target := f.Target.(type) {
		case *bool:
			v.Format = "boolean"
		case *int:
			v.Format = "number"
		case *[]string:
			text = strings.Join(*target, ",")
		}
		if !f.Secret && !config.InProfile(f.Name) {
			v.Default = text
		}
		if f.Name == "profile" {
			v.Choices = config.Profiles()
		}
		all = append(all, v)
	}
	return all
}

// unreleased is for a build that has no version.
const unreleased = "0.0.0-devel"

// number is a version as registries have it, without a v.
func number(version string) string {
	if version == "" || version == "(devel)" {
		return unreleased
	}
	return strings.TrimPrefix(version, "v")
}

// forges are the modules whose path is that of a repository which registries know.
var forges = regexp.MustCompile(`^(github|gitlab)\.com/[\w.-]+/[\w.-]+`)

// repositoryOf is the repository that a module's path names, nil for none.
func repositoryOf(module string) *repository {
	found := forges.FindStringSubmatch(module)
	if found == nil {
		return nil
	}
	return &repository{URL: "https://" + found[0], Source: found[1]}
}
