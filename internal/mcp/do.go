package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/words/problem"
)

// commands are the arguments of do (contract: OPEN.MCP.DO). The struct is read for its rules.
type commands struct {
	Commands    []string `json:"commands" required:"true" minItems:"1" maxItems:"20" doc:"Each a line."`
	StopOnError *bool    `json:"stop_on_error,omitzero" doc:"Whether an error ends the call; true when left out."`
}

// do makes the tool that performs several commands.
func (b *builder) do(in entry) (*tool, error) {
	forms, err := b.commandForms()
	if err != nil {
		return nil, err
	}
	input, err := schema.NewInput(b.registry, reflect.TypeFor[commands]())
	if err != nil {
		return nil, fmt.Errorf("read the arguments of do: %w", err)
	}
	return in.tool(input.Arguments(), func(ctx context.Context, c *call) (*reply, error) {
		steps, err := c.steps(forms)
		if err != nil {
			return nil, err
		}
		stop := true
		if raw, ok := c.arguments["stop_on_error"]; ok {
			_ = json.Unmarshal(raw, &stop) // checked before
		}
		return c.take(ctx, steps, stop)
	})
}

// step is a command with its request.
type step struct {
	form    *commandForm
	request toolRequest
}

// steps reads the commands of a call, all before any is performed, and refuses with everything
// that is wrong with them.
func (c *call) steps(forms map[string]*commandForm) ([]step, error) {
	var sent []string
	_ = json.Unmarshal(c.arguments["commands"], &sent) // checked before
	key := c.arguments.text(argumentIdempotency)
	if key == "" {
		key = rand.Text()
	}
	var faults []problem.Field
	if longest := operation.MaxIdempotencyKeyLength - len(".20"); len(key) > longest {
		faults = append(faults, problem.Field{Field: argumentIdempotency, Rule: "maxLength",
			Message: fmt.Sprintf("idempotency_key must have at most %d characters here, where the number of each "+
				"command is added to it.", longest)})
	}
	steps := make([]step, len(sent))
	first := map[string]int{} // of equal faults
	for i, line := range sent {
		where := fmt.Sprintf("commands[%d]", i)
		fault := func(rule, message string) {
			said := where + ": " + message
			if at, again := first[message]; again {
				said = fmt.Sprintf("%s: as commands[%d].", where, at)
			} else {
				first[message] = i
			}
			faults = append(faults, problem.Field{Field: where, Rule: rule, Message: said})
		}
		read, wrong := readCommand(forms, line)
		for _, message := range wrong {
			fault("format", message)
		}
		if len(wrong) > 0 {
			continue
		}
		if op := read.form.operation; !c.reaches(op) {
			fault("enum", op.ID+" belongs to the other system, which this address does not reach.")
			continue
		}
		request, more := read.request(key + "." + strconv.Itoa(i+1))
		for _, f := range more {
			fault(f.Rule, f.Message)
		}
		steps[i] = step{read.form, request}
	}
	if len(faults) > 0 {
		return nil, refused(c.tool, faults...)
	}
	return steps, nil
}

// take performs commands in their order, each as a request like any other.
func (c *call) take(ctx context.Context, steps []step, stop bool) (*reply, error) {
	var said []string
	done := 0
	for i, s := range steps {
		r, err := c.perform(ctx, s.request)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			break // the client is gone
		}
		line, code, err := c.told(s.form.operation, r, strings.TrimSuffix(s.request.key, "."+strconv.Itoa(i+1)))
		if err != nil {
			return nil, err
		}
		said = append(said, strconv.Itoa(i+1)+" "+line)
		if r.status/100 == 2 {
			done++
			continue
		}
		if left := len(steps) - i - 1; left > 0 && (stop || ends(code)) {
			said = append(said, fmt.Sprintf("stopped: %d of %d commands were not performed", left, len(steps)))
			break
		}
	}
	r := replied(strings.Join(said, "\n"))
	if done == 0 {
		r.status = http.StatusConflict
	}
	return r, nil
}

// ends reports whether a refusal would be that of the next commands, too, and cost the client
// more than it says.
func ends(code problem.Code) bool {
	switch code {
	case problem.RateLimited, problem.Banned, problem.Unauthorized, problem.Unavailable, problem.SandboxExpired,
		problem.SandboxBankrupt, problem.SandboxDamaged, problem.InternalError:
		return true
	default:
		return false
	}
}

// told is the line about a command: the essentials of its response, or its code and
// message. A read has the lines of its compact view. key is that of the whole call, with which it can be
// sent again.
func (c *call) told(op *operation.Operation, r *reply, key string) (line string, code problem.Code, err error) {
	if r.unknown {
		return "error " + op.ID + " outcome unknown: the connection was lost before a response arrived. " +
			"Send the whole call again with the idempotency_key " + key + ".", problem.InternalError, nil
	}
	if r.status/100 != 2 {
		var failure struct {
			Error struct {
				Code          problem.Code `json:"code"`
				Message, Hint string
				RetryAt       *string `json:"retry_at"`
			} `json:"error"`
		}
		if err := json.Unmarshal(r.body, &failure); err != nil {
			return "", "", fmt.Errorf("read the refusal of %s: %w", op.ID, err)
		}
		f := &failure.Error
		line = strings.TrimSpace(fmt.Sprintf("error %s %s: %s %s", op.ID, f.Code, f.Message, f.Hint))
		if f.RetryAt != nil {
			line += " retry_at " + *f.RetryAt
		}
		return line, f.Code, nil
	}
	line = "ok " + op.ID
	if op.ID == advanceOperation {
		text, err := passed(r.body)
		return line + "\n" + text, "", err
	}
	of := op.Out
	if op.Preview != nil && r.status != op.Status {
		of, line = op.Preview, line+" dry_run"
	}
	l := c.endpoint.layouts[of]
	if op.Method == http.MethodGet && l != nil {
		text, err := lines(r.body, l.columns)
		return line + "\n" + text, "", err
	}
	var success struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(r.body, &success); err != nil {
		return "", "", fmt.Errorf("read the response of %s: %w", op.ID, err)
	}
	if l == nil || len(l.told) == 0 {
		return line + " " + string(success.Data), "", nil // such as a secret that is shown once
	}
	var data row
	if err := json.Unmarshal(success.Data, &data); err != nil {
		return "", "", fmt.Errorf("read the response of %s: %w", op.ID, err)
	}
	return line + " " + data.summary(l.told), "", nil
}
