package web

import (
	"net/http"
	"slices"
	"strings"

	"platen/internal/operation"
)

const consolePath = "/console"

// consolePages are the pages of the console below its path. Which of them is
// meant, the document's script reads from the address.
var consolePages = []string{ //nolint:gochecknoglobals // read only
	"keys", "bridge", "events", "office", "factory", "presses", "world", "missions", "webhooks",
	"requests", "faults", "checkpoints", "connect", "session",
}

// consoleModules are loaded with the document, so that no module is first heard
// of when another has arrived. Pages load their own when they are wanted.
var consoleModules = []string{ //nolint:gochecknoglobals // read only
	"vendor/preact.js",
	"lib/html.js", "lib/api.js", "lib/format.js", "lib/session.js", "lib/store.js", "lib/navigate.js",
	"console/parts.js",
}

// triggerKind is a trigger as the console shows it.
type triggerKind struct {
	Type    string   `json:"type"`
	Summary string   `json:"summary"`
	Needs   *string  `json:"needs"`
	Fields  []string `json:"fields"`
}

// triggerKinds lists the triggers.
func triggerKinds() []triggerKind {
	var kinds []triggerKind
	for _, t := range operation.Triggers().Triggers {
		kinds = append(kinds, triggerKind{t.Type, t.Summary, t.Needs, t.Fields})
	}
	return kinds
}

// faultKind is a kind of fault as the console shows it.
type faultKind struct {
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
	Looks   string `json:"looks"`
	Rule    string `json:"rule"`
	Writes  bool   `json:"writes"`
	Webhook bool   `json:"webhook"`
	Severs  bool   `json:"severs"`
}

// faultKinds lists what can be let go wrong.
func faultKinds() []faultKind {
	var kinds []faultKind
	for _, d := range operation.InjectableFaults() {
		kinds = append(kinds, faultKind{string(d.Kind), d.Summary, d.Looks, d.Rule, d.Writes, d.Webhook, d.Severs})
	}
	return kinds
}

// faultyOperations are the ids of the operations that faults can be injected into: the writes and the reads.
func faultyOperations() [2][]string {
	var ids [2][]string
	table := operation.Table()
	for i := range table {
		o := &table[i]
		if o.Spared() {
			continue
		}
		at := 0
		if o.Method == http.MethodGet {
			at = 1
		}
		ids[at] = append(ids[at], o.ID)
	}
	for i := range ids {
		slices.Sort(ids[i])
	}
	return ids
}

// forConsole reports whether a path is a page of the console.
func forConsole(path string) bool {
	below, ok := strings.CutPrefix(path, consolePath)
	if !ok || below == "" || below == "/" {
		return ok
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
	return below[0] == '/' && slices.Contains(consolePages, first)
}
