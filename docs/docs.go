// Package docs holds the files that pages of the docs show: the guides, and
// programs that tests run unchanged.
package docs

import "embed"

// Receivers are programs that receive webhooks, one for each language.
//
//go:embed webhooks/receiver.go webhooks/receiver.py webhooks/receiver.mjs webhooks/receiver.php webhooks/receiver.rb
//go:embed webhooks/Receiver.java
var Receivers embed.FS

// Guides are the pages that are written by hand, in Markdown with the template
// language of Go: a page says {{.BaseURL}} where an address stands.
//
//go:embed guides
var Guides embed.FS

// Tutorial are the programs of the tutorial, a folder for each step with the files that it
// changes. The underscore keeps the Go tool from taking each folder for a package: a program
// is the newest version of its files.
//
//go:embed _tutorial
var Tutorial embed.FS

// Skill is what a coding agent has to know to work with a server, as the servers hand it out.
// It has the template language of the guides.
//
//go:embed skill/SKILL.md
var Skill string
