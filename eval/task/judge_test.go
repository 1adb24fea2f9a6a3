package task

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen/client"
	"platen/eval/oracle"
	"platen/platentest"
)

func named(t *testing.T, name string) *Task {
	t.Helper()
	k, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// and does one thing more before, or after, a solution.
func and(solve oracle.Solution, more func(context.Context, *client.Client) error) oracle.Solution {
	return func(ctx context.Context, p *oracle.Player) (any, error) {
		answer, err := solve(ctx, p)
		if err != nil {
			return nil, err
		}
		return answer, more(ctx, p.Client)
	}
}

// TestWhatWasToBeLeftAloneVoidsATry, also one that has solved the task.
func TestWhatWasToBeLeftAloneVoidsATry(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "first-order")
	hires := and(oracle.Solutions()[k.Name], func(ctx context.Context, c *client.Client) error {
		_, err := c.HireEmployee(ctx, client.HireEmployeeInput{Role: client.CatalogRoleFinisher})
		return err
	})
	g := try(t, p, k, 1, hires)
	if g.Score != 0 || g.Passed || !strings.Contains(g.Void, "/office/employees") {
		t.Errorf("who hires somebody on the way scores %g: %s", g.Score, shown(g))
	}
}

// TestMoreThanTheBudgetCostsItsShare: a minute too many costs little, twice the requests cost all.
func TestMoreThanTheBudgetCostsItsShare(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "audit")
	late := and(oracle.Solutions()[k.Name], func(ctx context.Context, c *client.Client) error {
		return tickFor(ctx, c, k.Budget.Minutes+1)
	})
	want := 1 - 1/float64(k.Budget.Minutes)
	if g := try(t, p, k, 1, late); math.Abs(g.Score-want) > 1e-6 || g.Passed ||
		!strings.Contains(g.Over, "minutes were used") {
		t.Errorf("a minute too many scores %g, want %g: %s", g.Score, want, shown(g))
	}
	curious := and(oracle.Solutions()[k.Name], func(ctx context.Context, c *client.Client) error {
		for range 2 * k.Budget.Calls {
			if _, err := c.GetCash(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if g := try(t, p, k, 1, curious); g.Score != 0 || g.Passed ||
		!strings.Contains(g.Over, "requests were sent") {
		t.Errorf("asking too often scores %g: %s", g.Score, shown(g))
	}
}

func tickFor(ctx context.Context, c *client.Client, minutes int64) error {
	_, err := c.AdvanceTime(ctx, client.TickInput{Minutes: &minutes})
	return err
}

// TestForgedResultsScoreNothing: a player has no key that judges, and what it claims counts
// only where an answer is asked for, and right.
func TestForgedResultsScoreNothing(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "audit")
	s := prepareAll(t, p, k, 1)[0]
	for answer, void := range map[string]bool{
		``: false, `{}`: false, `{"score": 1, "passed": true}`: false,
		`{"claims": [], "owed_minor": 0}`: false, `{"claims": "all", "back_minor": 1e99}`: false,
		`[1]`: true, `{"claims"`: true, `null`: true, `"1"`: true, "\x00": true,
	} {
		g, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, []byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		if g.Score != 0 || g.Passed || (g.Void != "") != void {
			t.Errorf("the answer %q scores %g: %s", answer, g.Score, shown(g))
		}
		for _, key := range []string{s.OfficeKey, s.FactoryKey, "lab_grd_" + s.OfficeKey[len("lab_off_"):]} {
			if _, err := k.Judge(t.Context(), p.BaseURL, key, []byte(answer)); err == nil {
				t.Errorf("a try was graded with the key %s…", key[:len("lab_xxx")])
			}
		}
	}
}

// TestGradingLeavesNoTrace in the sandbox, however often it is done, and comes to the same.
func TestGradingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "trucks")
	s, err := k.Prepare(t.Context(), p.BaseURL, "", World{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	report := func() *client.Report {
		r, err := s.Grader().GetReport(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	before := report()
	var first *Grade
	for range 3 {
		g, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = g
		}
		if !reflect.DeepEqual(g, first) {
			t.Errorf("it is graded %+v, and before %+v", g, first)
		}
	}
	if after := report(); after.StateHash != before.StateHash || after.LastSeq != before.LastSeq {
		t.Errorf("grading led from %s to %s", before.StateHash, after.StateHash)
	}
}

// TestThePreludeIsHidden: the player sees neither its requests nor that triggers were pulled.
func TestThePreludeIsHidden(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "orphans")
	s := prepareAll(t, p, k, 1)[0]
	c := client.New(p.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
	for r, err := range c.Requests(t.Context(), client.ListRequestsParams{}) {
		t.Errorf("the player sees %s %s, %v", r.Method, r.Path, err)
	}
	k = named(t, "right-price")
	s = prepareAll(t, p, k, 1)[0]
	c = client.New(p.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
	if status, err := c.GetSandbox(t.Context()); err != nil || status.Assisted {
		t.Errorf("the player sees that the company is assisted, %v", err)
	}
	if report, err := s.Grader().GetReport(t.Context()); err != nil || !report.Assisted {
		t.Errorf("the report does not say that the company is assisted, %v", err)
	}
}

// TestASandboxThatWasNotPreparedIsNotGraded, rather than with 0.
func TestASandboxThatWasNotPreparedIsNotGraded(t *testing.T) {
	t.Parallel()
	p := shared()
	s := p.Sandbox(t, platentest.Options{Preset: "starter", Clock: "manual", Evaluation: true})
	_, err := named(t, "trucks").Judge(t.Context(), p.BaseURL, s.GradingKey, nil)
	if err == nil || !strings.Contains(err.Error(), "not prepared for a task") {
		t.Errorf("it is graded with %v", err)
	}
}

func TestATaskThatIsNoneIsRejected(t *testing.T) {
	t.Parallel()
	good := `{"name": "n", "title": "T", "difficulty": "easy", "preset": "starter", "instruction": "I",
		"budget": {"minutes": 1, "calls": 1},
		"checks": [{"name": "c", "weight": 1, "all": [{"count": "/events", "is": "1"}]}],
		"guard": {"same": ["/office/cash"]}}`
	if _, err := parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for old, changed := range map[string]string{
		`"weight": 1`:              `"weight": 0.9`,
		`"count": "/events", "is"`: `"cuont": "/events", "is"`,
		`, "is": "1"`:              ``,
		`{"count": "/events"`:      `{"answer": "a", "count": "/events"`,
		`"easy"`:                   `"impossible"`,
		`"minutes": 1`:             `"minutes": 0`,
		`["/office/cash"]`:         `[]`,
		`"same": ["/office/cash"]`: `"same": ["/office/cash"], "open": true`,
		`"title": "T"`:             `"title": "T", "vary": {"x": {}}`,
		`"preset": "starter"`:      `"preset": "starter", "program": {"file": "f.py", "starts": 1}`,
	} {
		if !strings.Contains(good, old) {
			t.Fatalf("the good task has no %s", old)
		}
		if _, err := parse([]byte(strings.Replace(good, old, changed, 1))); err == nil {
			t.Errorf("a task with %s in place of %s is taken", changed, old)
		}
	}
}

func TestValuesAreComparedAsNumbersIfTheyAreAny(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, wanted string
		fits          bool
	}{
		{"7", "7", true}, {"7", "7,8", true}, {"9", "7,8", false}, {"", "7", false}, {"", "", true},
		{"6.5", "<7", true}, {"7", "<7", false}, {"", "<7", false}, {"seven", "<7", false}, {"-1", "<7", true},
		{"7", ">=7", true}, {"10", ">=7", true}, {"6", ">=7", false}, {"", ">=7", false}, {"x", ">=7", false},
		{"1e9", ">=7", false}, {"9007199254740993", ">=9007199254740993", true},
	} {
		if got := fits(c.value, c.wanted); got != c.fits {
			t.Errorf("%q fits %q: %t", c.value, c.wanted, got)
		}
	}
}

// TestAPlayerIsToldHowManyRequestsItHas: one that is not told cannot keep to it.
func TestAPlayerIsToldHowManyRequestsItHas(t *testing.T) {
	t.Parallel()
	for _, k := range allTasks(t) {
		told := strings.Contains(k.Assignment(), fmt.Sprintf("at most %d requests", k.Budget.Calls))
		if told != (k.Budget.Calls > 0) {
			t.Errorf("%s has a budget of %d requests and is told %q", k.Name, k.Budget.Calls, k.Assignment())
		}
	}
}

// TestABudgetOfRequestsCountsThemAll, also those that the list of requests has forgotten.
func TestABudgetOfRequestsCountsThemAll(t *testing.T) {
	t.Parallel()
	const budget, sent = 500, 600
	p, tight := shared(), *named(t, "first-order")
	tight.Budget.Calls = budget
	s := prepareAll(t, p, &tight, 1)[0]
	player := oracle.NewPlayer(p.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, s.Files)
	filed, err := Solve(t.Context(), &tight, player)
	if err != nil {
		t.Fatal(err)
	}
	before, err := tight.Judge(t.Context(), p.BaseURL, s.GradingKey, filed)
	if err != nil || before.Score != 1 {
		t.Fatalf("the oracle scores %s, %v", shown(before), err)
	}
	for range sent - before.Calls {
		if _, err := player.Client.GetCash(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	g, err := tight.Judge(t.Context(), p.BaseURL, s.GradingKey, filed)
	if err != nil || g.Calls != sent || g.Passed || math.Abs(g.Score-0.8) > 1e-6 {
		t.Errorf("%d requests with a budget of %d: %s, %v", sent, budget, shown(g), err)
	}
}

// TestANewKeyForEachAttemptFails: of two programs that do the same, the one that keeps its idempotency
// keys solves the tasks about lost responses, and the other one does the work twice.
func TestANewKeyForEachAttemptFails(t *testing.T) {
	t.Parallel()
	p, all := shared(), scripts()
	careless := all[slices.IndexFunc(all, func(s script) bool { return s.Name == "new keys" })]
	for _, name := range []string{"lost-answers", "half-outage"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, sum := named(t, name), 0.0
			for _, s := range prepareAll(t, p, k, Published()...) {
				sum += outcome(t, p.BaseURL, k, s, careless).Score / float64(len(Published()))
			}
			const most = 0.1
			if sum > most {
				t.Errorf("with a new key for each attempt the mean score is %g", sum)
			}
		})
	}
}

func TestAnAnswerMayBeFenced(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a": 1}`, "```json\n{\"a\": 1}\n```",
		"Here it is:\n\n```\n{\"a\": 1}\n```\nDone.", "```json\r\n{\"a\":1}\n  ```",
	} {
		if answer, unread := readAnswer([]byte(text)); unread != "" || textOf(answer, "a") != "1" {
			t.Errorf("%q is read as %v, %s", text, answer, unread)
		}
	}
	for _, text := range []string{"```json\n[1]\n```", "{", "```\n{\"a\"\n```"} {
		if answer, unread := readAnswer([]byte(text)); unread == "" {
			t.Errorf("%q is read as %v", text, answer)
		}
	}
}
