package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"platen/client"
)

// Grade is the result of a try.
type Grade struct {
	Task string `json:"task"`
	// Score is the sum of the weights of what holds, less OverBudget of it, or 0 where something
	// that was to be left alone was not. Passed is set where all holds within the budget.
	Score  float64 `json:"score"`
	Passed bool    `json:"passed"`
	// Reward is that of a whole company for training, as platen eval reports it. It knows no budget, and is nil for
	// other tasks.
	Reward *float64 `json:"reward,omitempty"`
	// OverBudget is the share by which the budget was exceeded, of minutes or of requests, whichever
	// is more; 1 at most. Over says it in words.
	OverBudget float64 `json:"over_budget,omitempty"`
	Over       string  `json:"over,omitempty"`
	// Void says why a score is 0 that would be another one.
	Void   string   `json:"void,omitempty"`
	Checks []Result `json:"checks"`
	// Minutes and Calls are the used part of the budget.
	Minutes int64 `json:"minutes"`
	Calls   int64 `json:"calls"`
}

// Result is the outcome of one check.
type Result struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
	Earned float64 `json:"earned"`
	// Why says what is the case where not all holds.
	Why string `json:"why,omitempty"`
}

// Judge grades a try with the grading key of its sandbox. What the player has filed as its
// answer may be empty. The sandbox stays as it is: two forks of it are looked at, and deleted. A program that was
// filed runs on this machine.
func (t *Task) Judge(ctx context.Context, baseURL, gradingKey string, answer []byte) (g *Grade, err error) {
	if t.Program == nil {
		return t.judge(ctx, baseURL, gradingKey, answer, nil)
	}
	trial, err := t.Try(ctx, baseURL, gradingKey, answer)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trial.End(ctx)) }()
	if err := trial.runHere(ctx); err != nil {
		return nil, err
	}
	return trial.Judge(ctx)
}

// judge grades a try by its sandbox, or by the company of a trial.
func (t *Task) judge(ctx context.Context, baseURL, gradingKey string, answer []byte, trial *Trial) (
	g *Grade, err error,
) {
	grader := client.New(baseURL, client.Keys{Grading: gradingKey}, client.MaxRetries(retries))
	end, err := grader.ForkSandbox(ctx, client.ForkSandboxInput{})
	if err != nil {
		return nil, fmt.Errorf("look at the end: %w", err)
	}
	defer func() { err = errors.Join(err, remove(ctx, end)) }()
	handed, err := handedOver(ctx, grader)
	if err != nil {
		return nil, err
	}
	start, err := handed.fork(ctx, grader)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove(ctx, start)) }()

	now, twin := newWorld(end, baseURL), newWorld(start, baseURL)
	began, err := twin.object(ctx, "/sandbox")
	if err != nil {
		return nil, err
	}
	seed, err := strconv.ParseUint(textOf(began, "seed"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the seed: %w", err)
	}
	twin.named, twin.seed, twin.split = t.drawn(handed.key), seed, textOf(began, "split")
	twin.given = handed.given
	if err := twin.let(ctx, t); err != nil {
		return nil, err
	}
	g = &Grade{Task: t.Name}
	if g.Minutes, err = minutesBetween(ctx, twin, now); err != nil {
		return nil, err
	}
	if g.Calls, err = requestsSince(ctx, grader, handed.at); err != nil {
		return nil, err
	}
	t.limit(g)
	if trial != nil {
		if g.Void = trial.void; g.Void != "" {
			return t.void(g), nil
		}
		now = newWorld(trial.company, baseURL)
	} else {
		now.judged = patientClient(baseURL, client.Keys{Grading: gradingKey})
	}
	now.split, now.seed, now.given, now.named = twin.split, twin.seed, twin.given, twin.named
	if err := now.close(ctx, t.Close); err != nil {
		return nil, err
	}
	filed, unread := readAnswer(answer)
	for i := range t.Checks {
		r, err := now.judge(ctx, &t.Checks[i], filed)
		if err != nil {
			return nil, err
		}
		g.Checks = append(g.Checks, r)
		g.Score += r.Earned
	}
	if g.Reward, err = now.reward(ctx, t); err != nil {
		return nil, err
	}
	if g.Void == "" {
		if g.Void, err = t.guarded(ctx, now, twin, start); err != nil {
			return nil, err
		}
	}
	g.settle(unread)
	return g, nil
}

// void is the grade of a try that nothing more is looked at.
func (t *Task) void(g *Grade) *Grade {
	for i := range t.Checks {
		g.Checks = append(g.Checks, Result{Name: t.Checks[i].Name, Weight: t.Checks[i].Weight, Why: g.Void})
	}
	g.settle("")
	return g
}

// retries are those of a grader, whom a rate limit may stop for a moment.
const retries = 8

func remove(ctx context.Context, s *client.Sandbox) error {
	_, err := s.Grader().DeleteSandbox(context.WithoutCancel(ctx))
	return err //nolint:wrapcheck // it names the request
}

// moment is when a player got its sandbox, and by what its world was drawn.
type moment struct {
	checkpoint string
	at         time.Time
	key        string
	given      uint64
}

// handedOver finds that moment.
func handedOver(ctx context.Context, grader *client.Client) (*moment, error) {
	for c, err := range grader.Checkpoints(ctx, client.ListCheckpointsParams{}) {
		if err != nil {
			return nil, fmt.Errorf("find the moment of the handing over: %w", err)
		}
		if key, given, ok := readLabel(c.Label); ok {
			return &moment{checkpoint: c.ID, at: c.CreatedAt, key: key, given: given}, nil
		}
	}
	return nil, errors.New("this sandbox was not prepared for a task: it has no checkpoint " + checkpointName)
}

// fork is a fork of the sandbox as the player got it.
func (m *moment) fork(ctx context.Context, grader *client.Client) (*client.Sandbox, error) {
	s, err := grader.ForkSandbox(ctx, client.ForkSandboxInput{Checkpoint: &m.checkpoint})
	if err != nil {
		return nil, fmt.Errorf("look at the beginning: %w", err)
	}
	return s, nil
}

// fenced is a block of code in Markdown, which models write around JSON, with text before and after it.
var fenced = regexp.MustCompile("(?s)```(?:json)?\\s*\n(.*?)\n\\s*```")

// readAnswer reads an answer, which must be a JSON object.
func readAnswer(text []byte) (answer row, unread string) {
	if len(strings.TrimSpace(string(text))) == 0 {
		return row{}, ""
	}
	if m := fenced.FindSubmatch(text); m != nil {
		text = m[1]
	}
	answer, err := decode(text)
	if err != nil || answer == nil {
		return row{}, "the answer is no JSON object"
	}
	return answer, ""
}

// judge judges one check.
func (w *world) judge(ctx context.Context, c *Check, answer row) (Result, error) {
	r := Result{Name: c.Name, Weight: c.Weight, Earned: c.Weight}
	for i := range c.All {
		share, why, err := w.holds(ctx, &c.All[i], answer)
		if err != nil {
			return r, fmt.Errorf("check %q: %w", c.Name, err)
		}
		if share == 1 {
			continue
		}
		r.Earned, r.Why = 0, why
		if c.Share && i == len(c.All)-1 {
			r.Earned = c.Weight * share
		}
		break
	}
	return r, nil
}

// minutesBetween is how many working minutes lie between two sandboxes.
func minutesBetween(ctx context.Context, start, end *world) (int64, error) {
	began, err := start.minute(ctx)
	if err != nil {
		return 0, err
	}
	ended, err := end.minute(ctx)
	return ended - began, err
}

// requestsSince is the number of the player's newest request: it counts those too that the list has forgotten.
func requestsSince(ctx context.Context, grader *client.Client, from time.Time) (int64, error) {
	for r, err := range grader.Requests(ctx, client.ListRequestsParams{Limit: 1}) {
		if err != nil {
			return 0, fmt.Errorf("count the requests: %w", err)
		}
		if r.CreatedAt.After(from) {
			return r.Number, nil
		}
		break // it prepared the company
	}
	return 0, nil
}

// limit notes by how much a try exceeded its budget.
func (t *Task) limit(g *Grade) {
	exceeds := func(used, budget int64, text string) {
		over := min(1, float64(used-budget)/float64(max(1, budget)))
		if budget > 0 && over > g.OverBudget {
			g.OverBudget, g.Over = over, fmt.Sprintf(text, used, budget)
		}
	}
	exceeds(g.Minutes, t.Budget.Minutes, "%d in-world minutes were used, the budget is %d")
	exceeds(g.Calls, t.Budget.Calls, "%d requests were sent, the budget is %d")
}

// minute is how many working minutes a sandbox has lived.
func (w *world) minute(ctx context.Context) (int64, error) {
	s, err := w.object(ctx, "/sandbox")
	if err != nil {
		return 0, err
	}
	day, err := strconv.ParseInt(textOf(s, "clock.day_number"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the day: %w", err)
	}
	return WorkingMinute(day, textOf(s, "clock.sim_time"))
}

// WorkingMinute is how many working minutes lie before a time of a working day, such as 14:30.
func WorkingMinute(day int64, simTime string) (int64, error) {
	hours, minutes, _ := strings.Cut(simTime, ":")
	hour, err := strconv.ParseInt(hours, 10, 64)
	minute, err2 := strconv.ParseInt(minutes, 10, 64)
	return day*dayMinutes + (hour-firstHour)*60 + minute, errors.Join(err, err2)
}

// A working day has so many minutes, and begins at an hour.
const dayMinutes, firstHour = 480, 8

// guarded lets the twin get as old as the sandbox, and compares what was to be left alone.
func (t *Task) guarded(ctx context.Context, now, twin *world, start *client.Sandbox) (string, error) {
	if t.Guard.Open {
		return "", nil
	}
	minutes, err := minutesBetween(ctx, twin, now)
	if err != nil {
		return "", err
	}
	for rest := minutes; rest > 0; rest -= dayMinutes {
		tick := client.TickInput{Minutes: new(min(rest, dayMinutes))}
		if _, err := start.Client().AdvanceTime(ctx, tick); err != nil {
			return "", fmt.Errorf("let the twin grow old: %w", err)
		}
	}
	twin.forget()
	for _, path := range t.Guard.Same {
		is, err := now.list(ctx, path)
		if err != nil {
			return "", err
		}
		was, err := twin.list(ctx, path)
		if err != nil {
			return "", err
		}
		if !alike(is, was) {
			return path + " was to be left alone, and is not as it would be", nil
		}
	}
	return "", nil
}

// alike reports whether two lists are of the same rows, but for wall times and for fields that only one of them has:
// an injected fault has put them there.
func alike(is, was []row) bool {
	if len(is) != len(was) {
		return false
	}
	for i := range is {
		for name, value := range is[i] {
			other, both := was[i][name]
			wall := name == "created_at" || name == "updated_at" || name == "ends_at"
			if both && !wall && !reflect.DeepEqual(value, other) {
				return false
			}
		}
	}
	return true
}

// settle makes the score of what was earned.
func (g *Grade) settle(unread string) {
	passed := true
	for _, r := range g.Checks {
		passed = passed && r.Why == ""
	}
	if unread != "" && g.Void == "" {
		g.Void = unread
	}
	if g.Void != "" {
		g.Score, passed = 0, false
	}
	if g.OverBudget > 0 {
		g.Score, passed = g.Score*(1-g.OverBudget), false
	}
	const places = 1e6
	g.Score, g.Passed = float64(int64(g.Score*places+0.5))/places, passed
}

// Print writes a grade for people.
func (g *Grade) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range g.Checks {
		fmt.Fprintf(w, "%s\t%.2f of %.2f\t%s\n", r.Name, r.Earned, r.Weight, r.Why)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	text := fmt.Sprintf("%s: score %.2f, %d in-world minutes, %d requests", g.Task, g.Score, g.Minutes, g.Calls)
	if reason := cmp.Or(g.Void, g.Over); reason != "" {
		text += "; " + reason
	}
	if _, err := fmt.Fprintln(out, text); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
