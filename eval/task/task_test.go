package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen/client"
	"platen/eval/oracle"
	"platen/platentest"
	"platen/test/testclient"
)

func allTasks(t *testing.T) []*Task {
	t.Helper()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// suite holds what lives longer than a test.
var suite testclient.Suite

func TestMain(m *testing.M) { os.Exit(suite.End(m.Run())) }

// shared is the server of all tests, which delivers webhooks to this machine.
var shared = sync.OnceValue(func() *platentest.Platen {
	return platentest.Start(&suite, map[string]string{"private-webhooks": "true"})
})

// prepareAll prepares a task in the worlds of seeds, all at once: what a preparation does is
// mostly to wait. The sandboxes end with the test: those of a whole suite are more than a server has places.
func prepareAll(t *testing.T, p *platentest.Platen, k *Task, seeds ...uint64) []*Prepared {
	t.Helper()
	all, failed := make([]*Prepared, len(seeds)), make([]error, len(seeds))
	var wg sync.WaitGroup
	for i, seed := range seeds {
		wg.Go(func() { all[i], failed[i] = k.Prepare(t.Context(), p.BaseURL, "", World{Seed: seed}) })
	}
	wg.Wait()
	for _, s := range all {
		endWith(t, s)
	}
	if err := errors.Join(failed...); err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	return all
}

// endWith deletes a sandbox, nil for none, at the end of a test.
func endWith(t *testing.T, s *Prepared) {
	t.Helper()
	t.Cleanup(func() {
		if s == nil {
			return
		}
		if err := remove(t.Context(), s.Sandbox); err != nil {
			t.Error(err)
		}
	})
}

// try lets play try a task in the world of a seed, and returns its grade.
func try(t *testing.T, p *platentest.Platen, k *Task, seed uint64, play oracle.Solution) *Grade {
	t.Helper()
	return tryPrepared(t, p, k, prepareAll(t, p, k, seed)[0], play)
}

// tryPrepared lets play try a prepared task, and returns its grade.
func tryPrepared(t *testing.T, p *platentest.Platen, k *Task, s *Prepared, play oracle.Solution) *Grade {
	t.Helper()
	// The player has two keys, as its environment has.
	keys := client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}
	answer, err := play(t.Context(), oracle.NewPlayer(p.BaseURL, keys, s.Files))
	if err != nil {
		t.Errorf("%s: %v", k.Name, err)
	}
	var filed []byte
	if answer != nil {
		if filed, err = json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
	}
	g, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, filed)
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	if !testclient.Thorough() {
		return g // TestGradingLeavesNoTrace grades one several times
	}
	again, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, filed)
	if err != nil || again.Score != g.Score || again.Calls != g.Calls || again.Minutes != g.Minutes {
		t.Errorf("%s: graded twice it is %+v and %+v, %v", k.Name, g, again, err)
	}
	return g
}

// TestEachTaskIsSolvedByItsOracleAndByNoneWhoDoesNothing, in each of its worlds.
func TestEachTaskIsSolvedByItsOracleAndByNoneWhoDoesNothing(t *testing.T) {
	t.Parallel()
	p := shared()
	solutions := oracle.Solutions()
	for _, k := range allTasks(t) {
		solve, ok := solutions[k.Name]
		if !ok {
			t.Errorf("nobody can solve %s", k.Name)
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			longOnlyInCheck(t, k)
			needs(t, k)
			seeds := played()
			prepared := prepareAll(t, p, k, append(slices.Clone(seeds), 1)...)
			for i, seed := range seeds {
				if g := tryPrepared(t, p, k, prepared[i], solve); g.Score != 1 || !g.Passed {
					t.Errorf("the oracle scores %g with seed %d: %s", g.Score, seed, shown(g))
				}
			}
			const most = 0.1
			if g := tryPrepared(t, p, k, prepared[len(seeds)], nothing); g.Score > most || g.Passed {
				t.Errorf("who does nothing scores %g: %s", g.Score, shown(g))
			}
		})
	}
}

// tape records requests and sends them again.
type tape struct {
	sent   []*http.Request
	bodies [][]byte
	seen   ids
	answer any
}

// writes are the requests that change something but the time, each once, and the answer, with the places of ids in
// place of these.
func (r *tape) writes() []string {
	places := ids{shown: map[string][]string{}}
	for prefix, all := range r.seen.shown {
		for i := range all {
			places.shown[prefix] = append(places.shown[prefix], fmt.Sprintf("%s#%d", prefix, i))
		}
	}
	var texts []string
	for i, in := range r.sent {
		if in.Method != http.MethodGet && !strings.HasSuffix(in.URL.Path, "/tick") {
			texts = append(texts, r.seen.as(&places, in.Method+" "+in.URL.Path+" "+string(r.bodies[i])))
		}
	}
	slices.Sort(texts)
	return append(slices.Compact(texts), r.seen.as(&places, fmt.Sprint(r.answer)))
}

// RoundTrip implements http.RoundTripper.
func (r *tape) RoundTrip(in *http.Request) (*http.Response, error) {
	var body []byte
	if in.Body != nil {
		var err error
		if body, err = io.ReadAll(in.Body); err != nil {
			return nil, err
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
	}
	r.sent, r.bodies = append(r.sent, in.Clone(context.Background())), append(r.bodies, body)
	resp, err := http.DefaultTransport.RoundTrip(in)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	r.seen.read(text)
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp, nil
}

// again sends what was recorded with the keys of another sandbox. The ids in it become those
// that were shown here in their places: the third order that was shown is still the third.
func (r *tape) again(ctx context.Context, p *oracle.Player) (any, error) {
	var here ids
	for i, was := range r.sent {
		path := strings.TrimPrefix(was.URL.RequestURI(), client.BasePath)
		body := strings.NewReader(r.seen.as(&here, string(r.bodies[i])))
		in, err := http.NewRequestWithContext(ctx, was.Method, r.seen.as(&here, path), body)
		if err != nil {
			return nil, err
		}
		in.Header = was.Header.Clone()
		in.Header.Del("Authorization")
		resp, err := p.Client.Do(in)
		if resp == nil {
			continue // the connection was cut, as it may be
		}
		text, err2 := io.ReadAll(resp.Body)
		if err = errors.Join(err, err2, resp.Body.Close()); err != nil {
			return nil, err
		}
		here.read(text)
	}
	text, err := json.Marshal(r.answer)
	if err != nil || r.answer == nil {
		return nil, err
	}
	return json.RawMessage(r.seen.as(&here, string(text))), nil
}

// ids are the ids that responses have shown, by their prefixes, in the order in which they came, and their places.
type ids struct {
	shown map[string][]string
	at    map[string]int
}

var anID = regexp.MustCompile(`\b[a-z]{2,3}_[0-9a-z]{13}\b`)

// read finds the ids by their underscores: to look for the expression at each byte took most of a test's time.
func (s *ids) read(text []byte) {
	if s.shown == nil {
		s.shown, s.at = map[string][]string{}, map[string]int{}
	}
	const before, behind = len("pre"), len("_0123456789abc")
	for from := 0; ; {
		next := bytes.IndexByte(text[from:], '_')
		if next < 0 {
			return
		}
		score := from + next
		from = score + 1
		if bytes.ContainsAny(text[from:min(len(text), score+behind)], "_\": ") {
			continue // the name of a field, mostly
		}
		around := text[max(0, score-before-1):min(len(text), score+behind+1)]
		id := string(anID.Find(around))
		if id == "" {
			continue
		}
		if _, known := s.at[id]; !known {
			prefix, _, _ := strings.Cut(id, "_")
			s.at[id] = len(s.shown[prefix])
			s.shown[prefix] = append(s.shown[prefix], id)
		}
	}
}

// as writes the ids in a text as those that others have in their places.
func (s *ids) as(others *ids, text string) string {
	return anID.ReplaceAllStringFunc(text, func(id string) string {
		prefix, _, _ := strings.Cut(id, "_")
		if at, known := s.at[id]; known && at < len(others.shown[prefix]) {
			return others.shown[prefix][at]
		}
		return id
	})
}

func nothing(context.Context, *oracle.Player) (any, error) { return nil, nil }

func shown(g *Grade) string {
	var b strings.Builder
	_ = g.Print(&b)
	return b.String()
}

// longOnlyInCheck leaves a task of many days, of which there is a shorter one too, to thorough runs.
func longOnlyInCheck(t *testing.T, k *Task) {
	t.Helper()
	if isLong(k) {
		testclient.InCheck(t, "the same test of the task of ten days")
	}
}

// needs skips a task whose programs nothing can run here.
func needs(t *testing.T, k *Task) {
	t.Helper()
	if k.Program != nil {
		testclient.Need(t, interpreter)
	}
}

// isLong reports whether a task is one of many days, of which there is a shorter one too.
func isLong(k *Task) bool {
	const long = 10
	return k.Close > long
}

// played are the published worlds that are played: the first, all of them in a thorough run.
func played() []uint64 {
	if testclient.Thorough() {
		return Published()
	}
	return Published()[:1]
}
