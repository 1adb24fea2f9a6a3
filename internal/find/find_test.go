package find_test

import (
	"slices"
	"testing"

	"platen/internal/find"
)

func TestTheBestTextComesFirst(t *testing.T) {
	t.Parallel()
	x := find.New([]find.Text{
		{Title: "Lists", Body: "Pages of records, a cursor and a limit. Retries are elsewhere."},
		{Title: "Idempotency and retries", Body: "The same key twice does nothing twice. Retry after a 429."},
		{Title: "press_busy", Body: "The press runs something else."},
		{Title: "Presses", Body: "What a press prints, and how fast a press is."},
	})
	for query, want := range map[string][]int{
		"retry": {1}, "Retries": {1, 0}, "retries?": {1, 0}, "press_busy": {2, 3}, "presses": {2, 3}, "busy": {2}, "idem": {1},
		"id": nil, "": nil, "...": nil, "CURSOR limit": {0},
	} {
		got := x.Search(query, 10)
		if query == "presses" || query == "press_busy" {
			slices.Sort(got)
			slices.Sort(want)
		}
		if query == "Retries" || query == "retries?" {
			got = got[:min(1, len(got))]
			want = want[:1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
	}
	if got := x.Search("press", 1); len(got) != 1 {
		t.Errorf("more than were asked for: %v", got)
	}
}

func TestWordsOfIdentifiersAreFoundWholeAndInParts(t *testing.T) {
	t.Parallel()
	want := []string{"factory.work_order.ready", "factory", "work", "order", "ready"}
	if got := find.Words("factory.work_order.ready."); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzAQueryIsHarmless(f *testing.F) {
	x := find.New([]find.Text{{Title: "A title", Body: "a body"}, {}})
	f.Add("a body")
	f.Fuzz(func(t *testing.T, query string) {
		for _, i := range x.Search(query, 5) {
			if i < 0 || i > 1 {
				t.Errorf("%q finds %d", query, i)
			}
		}
	})
}
