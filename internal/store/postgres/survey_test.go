package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/internal/store"
)

// TestASurveyShowsWhoOwnsWhat, beside servers that run, and changes nothing.
func TestASurveyShowsWhoOwnsWhat(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	if _, err := Look(t.Context(), dsn); err == nil || !strings.Contains(err.Error(), "no server has begun on it") {
		t.Errorf("of a new database: %v", err)
	}
	s, err := OpenShared(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if found, err := Look(t.Context(), dsn); err != nil || len(found.Nodes) != 0 || found.Free != 0 {
		t.Errorf("without servers: %+v, %v", found, err)
	}
	fits := func(store.Node) error { return nil }
	for i, session := range []store.Session{"a", "b", "gone"} {
		err := s.Join(t.Context(), store.Node{Session: session, Engine: i + 1}, time.Hour, fits)
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, owner := range []store.Session{"a", "b", "b", "gone", ""} {
		id := fmt.Sprint("sbx_", i)
		header := &store.Sandbox{ID: id, OfficeKey: store.KeyHash{1, byte(i)}, FactoryKey: store.KeyHash{2, byte(i)}}
		if err := s.Commit(t.Context(), store.Commit{SandboxID: id, Version: 1, Header: header}); err != nil {
			t.Fatal(err)
		}
		if owner == "" {
			continue
		}
		if _, err := s.Claim(t.Context(), id, store.Fence{}, owner); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Assume(t.Context(), "admission", "b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Leave(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	found, err := Look(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Nodes) != 2 || found.Free != 2 {
		t.Fatalf("there are %+v", found)
	}
	a, b := found.Nodes[0], found.Nodes[1]
	if a.Session != "a" || a.Engine != 1 || a.Sandboxes != 1 || len(a.Roles) != 0 ||
		b.Session != "b" || b.Engine != 2 || b.Sandboxes != 2 || !slices.Equal(b.Roles, []string{"admission"}) {
		t.Errorf("there are %+v", found)
	}
	if left := a.Until.Sub(found.At); left <= 0 || left > time.Hour {
		t.Errorf("it lives for %s", left)
	}
}
