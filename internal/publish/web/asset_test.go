package web

import (
	"testing"
	"testing/fstest"
)

// TestAssetPathFollowsContent looks inside because the embedded files cannot
// change under a test.
func TestAssetPathFollowsContent(t *testing.T) {
	t.Parallel()
	path := func(name, css string) string {
		a, err := loadAssets(fstest.MapFS{"static/" + name: {Data: []byte(css)}})
		if err != nil {
			t.Fatal(err)
		}
		return a.path("style.css")
	}
	first := path("style.css", "a{}")
	if again := path("style.css", "a{}"); again != first {
		t.Errorf("the same content is at %s and %s", first, again)
	}
	if other := path("style.css", "b{}"); other == first {
		t.Errorf("other content is at %s too", other)
	}
	if _, err := loadAssets(fstest.MapFS{"static/x.exe": {}}); err == nil {
		t.Error("a file of an unknown kind is taken")
	}
}
