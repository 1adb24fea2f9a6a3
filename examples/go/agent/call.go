package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// object is a JSON object: the arguments and the result of a tool.
type object = map[string]any

// refusal is the error of an envelope: a tool that did nothing, and why.
type refusal struct {
	Code      string    `json:"code"`
	Message   string    `json:"message"`
	Retryable bool      `json:"retryable"`
	RetryAt   time.Time `json:"retry_at"`
}

// Error implements error.
func (r *refusal) Error() string { return r.Code + ": " + r.Message }

// player is a connection and the counts of the actions done through it.
type player struct {
	session *sdk.ClientSession
	out     io.Writer
	// moment is the in-world moment.
	moment string
	// done counts the actions of the rules in a day.
	done map[string]int
	// unwanted are the ids of work orders whose sales order has expired.
	unwanted map[string]bool
}

// pause is how long a call waits that is told to come again, and not when.
const pause = time.Second

// wait is how long to wait before the same call is worth another try, and false
// when it is not.
func (r *refusal) wait(now time.Time) (time.Duration, bool) {
	switch r.Code {
	case "press_busy", "press_down", "no_operator", "no_warehouse_worker", "week_not_over":
		// These end with the company's time. This player moves that clock itself, so
		// it goes on and asks again in its next turn; waiting would last for ever.
		return 0, false
	}
	switch {
	case !r.Retryable:
		return 0, false
	case r.RetryAt.IsZero():
		return pause, true
	default:
		return max(r.RetryAt.Sub(now), 0), true
	}
}

// must calls a tool that has to work, and returns its data. When it is told to
// come again, it waits and does.
func (p *player) must(ctx context.Context, tool string, arguments object) (object, error) {
	for {
		result, err := p.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", tool, err)
		}
		text, ok := result.Content[0].(*sdk.TextContent)
		if !ok {
			return nil, fmt.Errorf("%s answered with %T", tool, result.Content[0])
		}
		var envelope struct {
			Data  object   `json:"data"`
			Error *refusal `json:"error"`
		}
		if err := json.Unmarshal([]byte(text.Text), &envelope); err != nil {
			return nil, fmt.Errorf("read the answer of %s: %w", tool, err)
		}
		if !result.IsError {
			return envelope.Data, nil
		}
		wait, again := envelope.Error.wait(time.Now())
		if !again {
			return nil, fmt.Errorf("%s: %w", tool, envelope.Error)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-timer.C:
		}
	}
}

// write is must with a key, under which nothing happens twice however often it is
// sent. The key names the step and its record, so that a player that is started again repeats nothing either.
func (p *player) write(ctx context.Context, key, tool string, arguments object) (object, error) {
	arguments["idempotency_key"] = key
	return p.must(ctx, tool, arguments)
}

// may is write for a request that may be refused. It counts the ones that
// succeed.
func (p *player) may(ctx context.Context, what, key, tool string, arguments object) (bool, error) {
	_, err := p.write(ctx, key, tool, arguments)
	if _, refused := errors.AsType[*refusal](err); refused {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p.done[what]++
	return true, nil
}

// list returns up to 100 rows, the oldest first.
func (p *player) list(ctx context.Context, tool, resource, status string) ([]object, error) {
	arguments := object{"resource": resource, "limit": 100}
	if status != "" {
		arguments["status"] = status
	}
	data, err := p.must(ctx, tool, arguments)
	if err != nil {
		return nil, err
	}
	items, _ := data["items"].([]any)
	rows := make([]object, 0, len(items))
	for _, item := range slices.Backward(items) {
		if row, ok := item.(object); ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// text is a field that is a text, "" for none.
func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

// number is a field that is a number, 0 for none.
func number(o object, name string) float64 {
	n, _ := o[name].(float64)
	return n
}

// children is a field that is a list of objects.
func children(o object, name string) []object {
	var all []object
	list, _ := o[name].([]any)
	for _, element := range list {
		if child, ok := element.(object); ok {
			all = append(all, child)
		}
	}
	return all
}
