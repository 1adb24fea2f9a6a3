package web

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"platen/internal/config"
)

const consolePath = "/console"

// consolePages are the pages of the console below its path. Which of them is
// meant, the document's script reads from the address.
var consolePages = []string{ //nolint:gochecknoglobals // read only
	"keys", "bridge", "events", "office", "factory", "presses", "missions", "webhooks", "requests",
	"connect", "session",
}

// consoleModules are loaded with the document, so that no module is first heard
// of when another has arrived. Pages load their own when they are wanted.
var consoleModules = []string{ //nolint:gochecknoglobals // read only
	"vendor/preact.js",
	"lib/html.js", "lib/api.js", "lib/format.js", "lib/session.js", "lib/copy.js", "lib/store.js", "lib/navigate.js",
	"console/parts.js",
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

// consoleDocument is the document of all pages of the console.
func (s *site) consoleDocument() ([]byte, error) {
	var b bytes.Buffer
	if err := s.templates.ExecuteTemplate(&b, "console", struct {
		Modules       []string
		WindowSeconds int
	}{consoleModules, int(s.window / time.Second)}); err != nil {
		return nil, fmt.Errorf("page %s: %w", consolePath, err)
	}
	return b.Bytes(), nil
}

func (s *site) addStatus() error {
	return s.add(page{
		Template: "status", Title: "Status", Path: "/status", Scripts: []string{"status.js"},
		Styles:      []string{"parts.css", "status.css"},
		Description: "How this server is: its version, its storage, its places and its queue.",
	})
}

// windowOf is the extension window of a server.
func windowOf(c *config.Config) time.Duration {
	if c == nil {
		c = config.Default()
	}
	return c.ExtensionWindow
}
