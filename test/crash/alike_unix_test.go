//go:build unix

package crash

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/internal/store/postgres/postgrestest"
	"platen/test/testclient"
)

const (
	// hundredsAlike is how many hundred steps a life takes, in each of which a client may
	// send several requests. A restart comes in their middle.
	hundredsAlike, hundredsFew = 6, 2
	// leastFaults is how many requests of a hundred steps must go wrong for the comparison
	// to say something.
	leastFaults = 17
)

// accidental matches the differences between two sandboxes of one seed: ids and names that are
// unique across sandboxes, moments of the wall clock, addresses and cursors.
var accidental = regexp.MustCompile(`(evt|req|sbx)_[0-9a-z]+|\d{4}-\d\d-\d\dT[\d:.]+Z|` +
	`"(expires_in_s|age_s)":\d+|http://127\.0\.0\.1:\d+|"(next_cursor|public_name)":"[^"]+"`)

// lived is a life as a client saw it, request by request.
type lived struct {
	seen []string
	// wrong counts the requests that met an injected fault.
	wrong int
}

// note keeps what a client sees of a request.
func (l *lived) note(q request, a *testclient.Answer) {
	path, _, _ := strings.Cut(q.path, "&cursor=")
	line := fmt.Sprintf("%s %s %s: cut", q.method, path, q.body)
	if a != nil {
		line = fmt.Sprintf("%s %s %s: %d %s",
			q.method, path, q.body, a.Status, accidental.ReplaceAllString(string(a.Raw), "…"))
	}
	if a == nil || again(a) {
		l.wrong++
	}
	l.seen = append(l.seen, line)
}

// presses are those on which something was started. A press that is busy would tell the client
// when to come again, and there is a mission for keeping to that: a matter of the wall clock.
type presses map[string]bool

// twice reports whether a write is the second to start something on a press.
func (s presses) twice(in *intent) bool {
	if in.kind != run {
		return false
	}
	_, after, _ := strings.Cut(in.request.body, `"press_id":`)
	press, _, _ := strings.Cut(after, ",")
	was := s[press]
	s[press] = true
	return was
}

// live lives a random life, the same for the same seed, one request after the other. In its
// middle the server is stopped and started again if so asked.
func live(t *testing.T, seed uint64, restart bool, start func() *process) *lived {
	t.Helper()
	p := start()
	n, err := newDisturbed(p, seed)
	if err != nil {
		t.Fatal(err)
	}
	l := &lived{}
	n.heard = l.note
	random := rand.New(rand.NewPCG(seed, 0))
	w := &writer{tenant: n, random: random, name: "alike", ticks: true, acknowledged: func() {}}
	pressed := presses{}
	var lists []string
	for _, path := range resources {
		lists = append(lists, path)
	}
	slices.Sort(lists)
	steps := 100 * testclient.Few(hundredsFew, hundredsAlike)
	for step := range steps {
		if restart && step == steps/2 {
			if err := p.stop(); err != nil {
				t.Fatal(err)
			}
			p = start()
		}
		switch random.IntN(3) {
		case 0:
			_, err = n.list(p, lists[random.IntN(len(lists))])
		case 1:
			err = n.follow(p, n.newest())
		default:
			var in *intent
			if in, err = w.next(p); err == nil && in != nil && !pressed.twice(in) {
				_, err = n.try(p, in)
			}
		}
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		if step == steps/2-1 { // with a write of each key stale reads end, as they do with a server
			last := request{method: http.MethodPost, idempotency: "last of the first half"}
			for _, route := range []struct{ key, path string }{
				{n.Office, "/office/sales-orders/so_none/accept"}, {n.Factory, "/factory/shipments"},
			} {
				last.key, last.path = route.key, route.path
				if _, err := n.send(p, last); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return l
}

// TestALifeUnderFaultsIsTheSameEverywhere: the same seed and calls lead to the same faults and
// the same bytes, but for ids that are unique and times, in a file and in PostgreSQL, with and
// without a restart.
func TestALifeUnderFaultsIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testclient.Few(1, 14)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			within := func(database string, settings ...string) func() *process {
				return func() *process {
					t.Helper()
					p, err := launch(database, append(settings, "--tick-pause", "0")...)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(p.kill)
					// On a connection that was used before, a GET that is cut would be sent once more.
					p.http.Transport = &http.Transport{DisableKeepAlives: true}
					return p
				}
			}
			folder := t.TempDir()
			want := live(t, seed, false, within(filepath.Join(folder, "whole.db")))
			if want.wrong < leastFaults*testclient.Few(hundredsFew, hundredsAlike) {
				t.Errorf("only %d of %d requests went wrong", want.wrong, len(want.seen))
			}
			alike(t, "after a restart", live(t, seed, true, within(filepath.Join(folder, "parted.db"))), want)
			t.Run("PostgreSQL", func(t *testing.T) {
				testclient.InCheck(t, "the same in a file")
				shared := postgrestest.URL(clusterOf(t).Directory())
				key := "--secret-key-file=" + filepath.Join(folder, "whole.db.key")
				alike(t, "in PostgreSQL", live(t, seed, true, within(shared, key)), want)
			})
		})
	}
}

func alike(t *testing.T, where string, got, want *lived) {
	t.Helper()
	for i, line := range want.seen {
		if i >= len(got.seen) {
			t.Fatalf("%s there are %d requests, and were %d", where, i, len(want.seen))
		}
		if got.seen[i] != line {
			at := 0
			for at < min(len(line), len(got.seen[i])) && line[at] == got.seen[i][at] {
				at++
			}
			t.Fatalf("%s request %d, %.90s, differs:\n%.400s\nand was\n%.400s",
				where, i, line, got.seen[i][at:], line[at:])
		}
	}
	if len(got.seen) != len(want.seen) {
		t.Errorf("%s there are %d requests, and were %d", where, len(got.seen), len(want.seen))
	}
}
