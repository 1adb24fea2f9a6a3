package wire_test

import (
	"net/http"
	"testing"

	"platen/internal/words/wire"
)

func TestGzipIsSentToThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent []string
		want bool
	}{
		{[]string{"gzip"}, true}, {[]string{"GZIP"}, true}, {[]string{"x-gzip"}, true}, {[]string{"br, gzip"}, true},
		{[]string{"br", "gzip"}, true}, {[]string{"*"}, true}, {[]string{"gzip;q=0.001"}, true},
		{[]string{"gzip ;\tq = 0.5"}, true}, {[]string{"*;q=0, gzip"}, true}, {[]string{"gzip, *;q=0"}, true},
		{[]string{"gzip;foo=bar"}, true},
		{nil, false}, {[]string{""}, false}, {[]string{"br"}, false}, {[]string{"identity"}, false},
		{[]string{"gzip;q=0"}, false}, {[]string{"gzip;Q=0.000"}, false}, {[]string{"gzip\t;\tq=0"}, false},
		{[]string{"*;q=0"}, false}, {[]string{"*, gzip;q=0"}, false}, {[]string{"gzip;q=0, *"}, false},
		{[]string{"gzip;q=x"}, false}, {[]string{"gzipped"}, false},
	} {
		if got := wire.TakesGzip(http.Header{"Accept-Encoding": c.sent}); got != c.want {
			t.Errorf("%q: gzip is sent: %t, want %t", c.sent, got, c.want)
		}
	}
}
