package docsite

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	text "text/template"

	"platen/internal/operation"
	"platen/internal/publish/specimen"
)

// sample is a call in one language.
type sample struct {
	// Language is how prose calls it, Label how people do.
	Language, Label, Text string
}

// Each language has a template, which is a program that runs unchanged once
// the ids and "…" are filled in. It rests on nothing but the language's own
// library: in Go too, since the client of this repository has to be copied into
// a module before it can be imported, and a sample should show the request that
// is sent.
//
//go:embed samples
var sampleFiles embed.FS

var sampleTemplates = text.Must(text.ParseFS(sampleFiles, "samples/*")) //nolint:gochecknoglobals // read only

// languages are those of the samples, in the order of the switch.
var languages = []struct{ sample, file string }{ //nolint:gochecknoglobals // read only
	{"sh curl", "curl.tmpl"}, {"python Python", "python.tmpl"}, {"javascript JavaScript", "javascript.tmpl"},
	{"go Go", "go.tmpl"},
}

// samplePage is how many rows the samples of lists ask for.
const samplePage = 20

// call is the data of an operation's samples.
type call struct {
	// Method is empty where a language would take it for granted.
	Method string
	// URL has the places of the path in braces.
	URL string
	// Key is the placeholder that the page's script fills in, empty for none.
	Key string
	// IdempotencyKey has variables in braces, Note explains it. Both are empty for none.
	IdempotencyKey, Note string
	// Random is set where a key must not be guessed.
	Random bool
	// Body has variables in braces, as texts of their own.
	Body   string
	Places []pathPlace
}

// Idempotent reports whether an Idempotency-Key is sent.
func (c call) Idempotent() bool { return c.IdempotencyKey != "" || c.Random }

// pathPlace is an id in a path or in a body, and the variable that holds it.
type pathPlace struct {
	place string
	words []string
	// Value is the id of a record that was.
	Value string
	// InBody is set for one that the path does not have.
	InBody bool
}

// samples are an operation in every language.
func (l *library) samples(op *operation.Operation) ([]sample, error) {
	c := call{
		Method: op.Method, URL: l.BaseURL() + op.Path + sampleQuery(op), Body: specimen.Body(op),
		Random: specimen.Unguessable(op),
	}
	if c.Method == http.MethodGet {
		c.Method = ""
	}
	switch op.System {
	case operation.Office, operation.Shared:
		c.Key = "$PLATEN_OFFICE_KEY"
	case operation.Factory:
		c.Key = "$PLATEN_FACTORY_KEY"
	case operation.Open:
	}
	for _, place := range op.PathParamNames() {
		id := pathPlace{place: place, words: placeWords(op.Path, place), Value: l.exampleID(op.Path, place)}
		c.URL = strings.ReplaceAll(c.URL, "{"+place+"}", "{"+id.Snake()+"}")
		c.Places = append(c.Places, id)
	}
	l.nameKey(&c, op)
	var all []sample
	for _, language := range languages {
		var b bytes.Buffer
		if err := sampleTemplates.ExecuteTemplate(&b, language.file, c); err != nil {
			return nil, fmt.Errorf("sample of %s: %w", op.ID, err)
		}
		name, label, _ := strings.Cut(language.sample, " ")
		all = append(all, sample{Language: name, Label: label, Text: strings.TrimSpace(b.String())})
	}
	return all, nil
}

// sampleQuery is the required query, one filter and a page of few rows.
func sampleQuery(op *operation.Operation) string {
	required, filter, limit := "", "", ""
	for _, p := range op.Query() {
		switch {
		case p.Required:
			required += "&" + p.Name + "=0"
		case p.Filter && len(p.Values) > 0 && filter == "":
			filter = "&" + p.Name + "=" + p.Values[0]
		case p.Name == operation.ParameterLimit:
			limit = "&" + p.Name + "=" + strconv.Itoa(samplePage)
		}
	}
	return strings.Replace(required+filter+limit, "&", "?", 1)
}

// placeWords are the words for the record that a place of a path names: sales,
// order and id for {id} of /office/sales-orders/{id}.
func placeWords(path, place string) []string {
	if place != "id" {
		return strings.Split(place, "_")
	}
	before, _, _ := strings.Cut(path, "/{"+place+"}")
	noun := before[strings.LastIndexByte(before, '/')+1:]
	switch {
	case noun == "queue":
		return []string{"ticket"}
	case strings.HasSuffix(noun, "ies"):
		noun = strings.TrimSuffix(noun, "ies") + "y"
	case strings.HasSuffix(noun, "sses"):
		noun = strings.TrimSuffix(noun, "es")
	default:
		noun = strings.TrimSuffix(noun, "s")
	}
	return append(strings.Split(noun, "-"), "id")
}

// sampleTicket has the form of a ticket of the queue.
const sampleTicket = "tkt_5c8w0r7k1n3qd9v2h6m4x8b0e1"

// exampleID is the id of a record that a place of a path can name, as it was
// recorded, "…" where none was.
func (l *library) exampleID(path, place string) string {
	list, _, _ := strings.Cut(path, "/{"+place+"}")
	if list == "/queue" {
		return sampleTicket
	}
	for i := range l.operations {
		op := &l.operations[i]
		if op.Method != http.MethodGet || op.Path != list && op.Path != list+"/{"+place+"}" {
			continue
		}
		var row struct {
			ID    string
			Items []struct{ ID string }
		}
		if json.Unmarshal(l.examples.Operations[op.ID].Answer, &row) != nil {
			continue
		}
		if len(row.Items) > 0 {
			row.ID = row.Items[0].ID
		}
		if row.ID != "" && strings.HasSuffix(op.Path, "}") == (row.Items == nil) {
			return row.ID
		}
	}
	return "…"
}

// Shell is the name of the variable in a shell.
func (p pathPlace) Shell() string { return strings.ToUpper(p.place) }

// Snake is the name of the variable in Python.
func (p pathPlace) Snake() string { return strings.Join(p.words, "_") }

// Camel is the name in JavaScript.
func (p pathPlace) Camel() string {
	words := slices.Clone(p.words)
	for at, word := range words[1:] {
		words[at+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// Mixed is the name in Go.
func (p pathPlace) Mixed() string {
	name := p.Camel()
	if without, ok := strings.CutSuffix(name, "Id"); ok {
		return without + "ID"
	}
	return name
}

// ShellURL is the URL with variables of a shell.
func (c call) ShellURL() string {
	url := c.URL
	for _, i := range c.Places {
		url = strings.ReplaceAll(url, "{"+i.Snake()+"}", "$"+i.Shell())
	}
	if strings.Contains(url, "?") {
		return `"` + url + `"`
	}
	return url
}

// ShellMethod is the method where curl would take another.
func (c call) ShellMethod() string {
	if c.Method == http.MethodPost && c.Body != "" {
		return ""
	}
	return c.Method
}

// PythonURL is the URL with variables of Python.
func (c call) PythonURL() string {
	if len(c.Places) > 0 {
		return `f"` + c.URL + `"`
	}
	return `"` + c.URL + `"`
}

// JavaScriptURL is the URL with variables of JavaScript.
func (c call) JavaScriptURL() string {
	url, quote := c.URL, `"`
	for _, i := range c.Places {
		url, quote = strings.ReplaceAll(url, "{"+i.Snake()+"}", "${"+i.Camel()+"}"), "`"
	}
	return quote + url + quote
}

// GoURL is the URL with variables of Go.
func (c call) GoURL() string {
	url := `"` + c.URL + `"`
	for _, i := range c.Places {
		url = strings.ReplaceAll(url, "{"+i.Snake()+"}", `" + `+i.Mixed()+` + "`)
	}
	return strings.TrimSuffix(url, ` + ""`)
}

// GoMethod is the method's name in net/http.
func (c call) GoMethod() string {
	method := cmp.Or(c.Method, http.MethodGet)
	return "http.Method" + method[:1] + strings.ToLower(method[1:])
}

// Plain reports whether there is nothing to say but the URL.
func (c call) Plain() bool { return c.Method == "" && c.Key == "" && !c.Idempotent() }

// ShellBody is the body in single quotes of a shell.
func (c call) ShellBody() string { return c.inBody(c.Body, pathPlace.Shell, `"'$`, `'"`) }

// PythonBody is the body in Python.
func (c call) PythonBody() string {
	return c.inBody(laidOut(c.Body, "    ", "    ", ","), pathPlace.Snake, "", "")
}

// JavaScriptBody is the body in JavaScript.
func (c call) JavaScriptBody() string {
	return c.inBody(laidOut(c.Body, "  ", "  ", ","), pathPlace.Camel, "", "")
}

// GoBody is the body between backquotes of Go.
func (c call) GoBody() string {
	return c.inBody(laidOut(c.Body, "\t", "\t", ""), pathPlace.Mixed, "\"` + ", " + `\"")
}
