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
// language of Go: a page says {{.BaseURL}} for an address.
//
//go:embed guides
var Guides embed.FS

// Tutorial are the two files of the tutorial's program in three languages, as they are at its
// last step. Comments in them mark how they came to be, and pages show each step without marks:
//
//   - `step 3` alone in a line: the lines after it came with step 3, up to the next such mark.
//   - `step 3` at the end of a line: this one did.
//   - `until 4: TEXT`: a line of this section that later steps than the fourth no longer have.
//
// The underscore keeps the Go tool from taking the folder for a package.
//
//go:embed _tutorial
var Tutorial embed.FS

// Skill tells a coding agent how to work with a server, as the servers hand it out.
// It has the template language of the guides.
//
//go:embed skill/SKILL.md
var Skill string
