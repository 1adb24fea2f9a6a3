package find_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen/internal/publish/find"
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
		"retry": {1, 0}, "Retries": {1, 0}, "retries?": {1, 0}, "press_busy": {2, 3}, "presses": {2, 3}, "busy": {2},
		"idem": {1}, "id": nil, "": nil, "...": nil, "CURSOR limit": {0},
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

// TestOfManyWordsTheFirstAreLookedFor: what a search costs has a bound.
func TestOfManyWordsTheFirstAreLookedFor(t *testing.T) {
	t.Parallel()
	x := find.New([]find.Text{
		{Title: "Presses", Body: "What a press prints."}, {Title: "Lists", Body: "Pages of records."},
	})
	repeated := strings.Repeat("press ", 1000)
	unknown := make([]string, 1000)
	for i := range unknown {
		unknown[i] = fmt.Sprintf("qx%d", i)
	}
	far := strings.Join(unknown, " ")
	for query, want := range map[string][]int{
		repeated: {0}, repeated + "lists": {0, 1}, strings.Repeat("the ", 1000) + "lists": {1}, "lists " + far: {1},
		far + " lists": nil,
	} {
		if got := x.Search(query, 10); !slices.Equal(got, want) {
			t.Errorf("%.20s… finds %v, want %v", query, got, want)
		}
	}
}

func TestWordsOfIdentifiersAreFoundWholeAndInParts(t *testing.T) {
	t.Parallel()
	want := []string{"factory.work_order.ready", "factori", "work", "order", "readi"}
	if got := find.Words("factory.work_order.ready."); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFormsOfAWordAreOne(t *testing.T) {
	t.Parallel()
	for _, forms := range []string{
		"retry retries retried retrying", "price prices priced pricing", "create creates created creating",
		"stop stops stopped stopping", "press presses pressed", "verify verifies verified", "delivery deliveries",
		"bill bills billed billing", "rotate rotated rotating", "hire hired hiring", "feed feeds", "need needed",
		"charge charged charging", "sign signed signing", "company companies", "body bodies",
		"serialise serialised serialising serialize serialized", "organisation organizations",
		"colour colored colors",
	} {
		words := find.Words(forms)
		for _, word := range words {
			if word != words[0] {
				t.Errorf("%s become %v", forms, words)
				break
			}
		}
	}
	for _, apart := range []string{
		"sheet sheer", "bus business", "string str", "seed see", "status state", "hour hor",
	} {
		if words := find.Words(apart); words[0] == words[1] {
			t.Errorf("%s become %v", apart, words)
		}
	}
}

func TestCommonWordsCountOnlyWhereThereIsNoOther(t *testing.T) {
	t.Parallel()
	x := find.New([]find.Text{{Title: "How it is", Body: "how do I do it, and how it is"},
		{Title: "Cursors", Also: "paging", Whole: "Lists", Body: "Where a page ends."}})
	for query, want := range map[string][]int{"how do I use a cursor?": {1}, "how": {0}, "paging": {1}, "list": {1}} {
		if got := x.Search(query, 2); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
	}
}

func TestAWordStandsForWhatItBeginsWith(t *testing.T) {
	t.Parallel()
	x := find.New([]find.Text{
		{Title: "sandbox_bankrupt", Body: "The company is at its end."}, {Title: "Bank", Body: "Where money is."},
	})
	if got := x.Search("bankruptcy", 2); !slices.Equal(got, []int{0}) {
		t.Errorf("got %v", got)
	}
	matches := x.Matches("the bankruptcy of sand")
	for word, want := range map[string]bool{
		"Bankrupt": true, "sandbox_bankrupt": true, "sandbox": true, "bank": false, "of": false,
	} {
		if matches(word) != want {
			t.Errorf("%s is looked for: %t", word, !want)
		}
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

// TestAQueryIsCutAfterSixWords: further ones cost as much as the first and find nothing better.
func TestAQueryIsCutAfterSixWords(t *testing.T) {
	t.Parallel()
	x := find.New([]find.Text{{Body: "paper ink press truck order lot"}, {Body: "ledger"}})
	if got := x.Search("paper ink press truck order lot ledger", 9); len(got) != 1 || got[0] != 0 {
		t.Errorf("seven words find %v", got)
	}
	if got := x.Search("how is the ledger", 9); len(got) != 1 || got[0] != 1 {
		t.Errorf("words that every sentence has count: %v", got)
	}
}
