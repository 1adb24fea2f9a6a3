// Package docs holds what pages of the docs show as files: the guides, and
// programs that are run by tests as they stand.
package docs

import "embed"

// Receivers are programs that receive webhooks, one for each language.
//
//go:embed webhooks/receiver.go webhooks/receiver.py webhooks/receiver.mjs webhooks/receiver.php webhooks/receiver.rb webhooks/Receiver.java
var Receivers embed.FS

// Guides are the pages that are written by hand, in Markdown with the template
// language of Go: a page says {{.BaseURL}} where an address stands.
//
//go:embed guides
var Guides embed.FS
