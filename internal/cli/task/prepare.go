package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"platen/client"
)

// Prepare makes the sandbox of a task in the world of a seed, and lets happen what has
// happened before the player comes. The creation key is that of a closed server, "" for none.
func (t *Task) Prepare(ctx context.Context, baseURL, creationKey string, seed uint64) (*client.Sandbox, error) {
	in := client.CreateSandboxInput{
		Preset: &t.Preset, Seed: new(int64(seed)), Clock: new(client.ClockModeManual), Evaluation: new(true),
		Faults: t.Faults,
	}
	if t.Bridge != "" {
		in.Bridge = &t.Bridge
	}
	options := []client.Option{client.MaxRetries(retries)}
	if creationKey != "" {
		options = append(options, client.CreationKey(creationKey))
	}
	s, err := client.CreateSandbox(ctx, baseURL, in, options...)
	if err != nil {
		return nil, fmt.Errorf("make the sandbox of the task: %w", err)
	}
	w := newWorld(s, baseURL)
	w.named = t.varied(seed)
	if err := w.perform(ctx, t.Prelude); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the task: %w", err), remove(ctx, s))
	}
	if _, err := s.Grader().CreateCheckpoint(ctx, client.CreateCheckpointInput{Label: checkpointName}); err != nil {
		return nil, errors.Join(fmt.Errorf("name the moment of the handing over: %w", err), remove(ctx, s))
	}
	return s, nil
}

// quotedNumber is a value of a body that is a number in spite of its quotes, which JSON asks for
// around an expression.
var quotedNumber = regexp.MustCompile(`"(\$\{(?:vary\.(?:days|quantity)|it\.quantity|[^"]*\|quantity)\})"`)

// perform performs the steps of a prelude.
func (w *world) perform(ctx context.Context, steps []Step) error {
	for i := range steps {
		w.forget()
		if err := w.step(ctx, &steps[i]); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (w *world) step(ctx context.Context, s *Step) error {
	if when, err := w.fill(ctx, s.When); err != nil || s.When != "" && when != "yes" {
		return err
	}
	switch {
	case s.Each != "":
		address, err := w.fill(ctx, s.Each)
		if err != nil {
			return err
		}
		rows, err := w.pick(ctx, address)
		if err != nil {
			return err
		}
		outer := w.it
		defer func() { w.it = outer }()
		for _, r := range rows {
			w.it = r
			if err := w.perform(ctx, s.Steps); err != nil {
				return err
			}
		}
		return nil
	case s.Tick > 0:
		for rest := s.Tick; rest > 0; rest -= dayMinutes {
			body, _ := json.Marshal(map[string]int64{"minutes": min(rest, dayMinutes)})
			if _, err := w.send(ctx, http.MethodPost, "/sandbox/tick", body); err != nil {
				return err
			}
		}
		return nil
	default:
		method, path, ok := strings.Cut(s.Call, " ")
		if !ok {
			return fmt.Errorf("%q is no method and path", s.Call)
		}
		path, err := w.fill(ctx, path)
		if err != nil {
			return err
		}
		// An expression that comes to a number is one, quotes or not.
		body, err := w.fill(ctx, quotedNumber.ReplaceAllString(string(s.Body), "$1"))
		if err != nil {
			return err
		}
		_, err = w.send(ctx, method, path, []byte(body))
		return err
	}
}
