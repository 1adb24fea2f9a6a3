package docsite

import (
	"bytes"
	"fmt"
	"testing"
)

func TestSearchesAreKeptWithinTheirBounds(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, 100 << 10} {
		var r recentSearches
		const searches = 1000
		for i := range searches {
			query := fmt.Sprintf("query %d", i)
			r.keep(query, bytes.Repeat([]byte{'x'}, size))
			r.keep(query, []byte("another one"))
			if got := r.find("query 0"); i < 30 && len(got) != size {
				t.Fatalf("after %d searches the first is not kept: %d bytes", i, len(got))
			}
		}
		kept, held := 0, 0
		for i := range searches {
			if body := r.find(fmt.Sprintf("query %d", i)); body != nil {
				kept++
				held += len(body)
			}
		}
		if kept > maxRecent || held > maxRecentBytes || kept == 0 || len(r.pages) != kept || r.order.Len() != kept {
			t.Errorf("%d pages of %d bytes are kept", kept, held)
		}
		if got := r.find(fmt.Sprintf("query %d", searches-1)); len(got) != size {
			t.Errorf("the newest is not kept: %d bytes", len(got))
		}
		if got := r.find("query 0"); len(got) != size {
			t.Errorf("the one that was asked for again and again is not kept: %d bytes", len(got))
		}
	}
}
