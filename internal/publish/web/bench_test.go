package web_test

import (
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/publish/web"
)

// BenchmarkNew measures what the pages add to the start of a server.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		site := docsite.New(docsite.Options{Origin: origin, Asset: web.Asset, Operations: operation.Table()})
		if _, err := web.New(web.Options{Site: site}); err != nil {
			b.Fatal(err)
		}
	}
}
