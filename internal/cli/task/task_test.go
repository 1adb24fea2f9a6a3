package task

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"platen/client"
	"platen/internal/cli/task/oracle"
	"platen/platentest"
)

func allTasks(t *testing.T) []*Task {
	t.Helper()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// try lets play try a task in the world of a seed, and returns its grade.
func try(t *testing.T, p *platentest.Platen, k *Task, seed uint64, play oracle.Solution) *Grade {
	t.Helper()
	s, err := k.Prepare(t.Context(), p.BaseURL, "", seed)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", k.Name, seed, err)
	}
	// The player has two keys, as its environment has.
	player := client.New(p.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, hasty()...)
	answer, err := play(t.Context(), player)
	if err != nil {
		t.Errorf("%s, seed %d: %v", k.Name, seed, err)
	}
	var filed []byte
	if answer != nil {
		if filed, err = json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
	}
	g, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, filed)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", k.Name, seed, err)
	}
	again, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, filed)
	if err != nil || again.Score != g.Score || again.Calls != g.Calls || again.Minutes != g.Minutes {
		t.Errorf("%s, seed %d: graded twice it is %+v and %+v, %v", k.Name, seed, g, again, err)
	}
	return g
}

// TestEachTaskIsSolvedByItsOracleAndByNoneWhoDoesNothing, in each of its worlds.
func TestEachTaskIsSolvedByItsOracleAndByNoneWhoDoesNothing(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	solutions := oracle.Solutions()
	for _, k := range allTasks(t) {
		solve, ok := solutions[k.Name]
		if !ok {
			t.Errorf("nobody can solve %s", k.Name)
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			for _, seed := range worlds(k) {
				if g := try(t, p, k, seed, solve); g.Score != 1 || !g.Passed {
					t.Errorf("the oracle scores %g with seed %d: %s", g.Score, seed, shown(g))
				}
			}
			const most = 0.1
			if g := try(t, p, k, k.Seeds[0], nothing); g.Score > most || g.Passed {
				t.Errorf("who does nothing scores %g: %s", g.Score, shown(g))
			}
		})
	}
}

// TestARecordingOfTheSolutionSolvesNothingElsewhere: whoever sends in another world what the
// oracle has sent in one has not understood the task.
func TestARecordingOfTheSolutionSolvesNothingElsewhere(t *testing.T) {
	t.Parallel()
	const most = 0.3
	p := platentest.Start(t)
	for _, k := range allTasks(t) {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			for i, seed := range worlds(k) {
				tape := solved(t, p, k, seed)
				elsewhere := k.Seeds[(i+1)%len(k.Seeds)]
				if g := try(t, p, k, elsewhere, tape.again); g.Score > most || g.Passed {
					t.Errorf("the solution of seed %d scores %g with seed %d: %s", seed, g.Score, elsewhere, shown(g))
				}
			}
		})
	}
}

// solved records how the oracle solves a task.
func solved(t *testing.T, p *platentest.Platen, k *Task, seed uint64) *tape {
	t.Helper()
	on := &tape{}
	s, err := k.Prepare(t.Context(), p.BaseURL, "", seed)
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(p.BaseURL, s.Keys(), append(hasty(), client.HTTPClient(&http.Client{Transport: on}))...)
	if on.answer, err = oracle.Solutions()[k.Name](t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return on
}

// tape records requests and sends them again.
type tape struct {
	sent   []*http.Request
	bodies [][]byte
	answer any
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
	return http.DefaultTransport.RoundTrip(in)
}

// again sends what was recorded with the keys of another sandbox.
func (r *tape) again(ctx context.Context, c *client.Client) (any, error) {
	for i, was := range r.sent {
		path := strings.TrimPrefix(was.URL.RequestURI(), client.BasePath)
		in, err := http.NewRequestWithContext(ctx, was.Method, path, bytes.NewReader(r.bodies[i]))
		if err != nil {
			return nil, err
		}
		in.Header = was.Header.Clone()
		in.Header.Del("Authorization")
		resp, err := c.Do(in)
		if err == nil {
			err = resp.Body.Close()
		}
		if err != nil && resp == nil {
			continue // refused, as it should be
		}
	}
	return r.answer, nil
}

func nothing(context.Context, *client.Client) (any, error) { return nil, nil }

func shown(g *Grade) string {
	var b strings.Builder
	_ = g.Print(&b)
	return b.String()
}

// hasty are the options of a client that asks again at once, and often.
func hasty() []client.Option {
	return []client.Option{
		client.MaxRetries(60), client.Clock(time.Now, func(context.Context, time.Duration) error { return nil }),
	}
}

// worlds are those of a task that are played: all of them only in a thorough run.
func worlds(k *Task) []uint64 {
	const few = 2
	if os.Getenv("PLATEN_TEST_THOROUGH") != "" {
		return k.Seeds
	}
	return k.Seeds[:few]
}
