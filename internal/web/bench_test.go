package web_test

import (
	"testing"

	"platen/internal/operation"
	"platen/internal/web"
)

// BenchmarkNew is what the pages add to the start of a server.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := web.New(web.Options{Origin: origin, Operations: operation.Table()}); err != nil {
			b.Fatal(err)
		}
	}
}
