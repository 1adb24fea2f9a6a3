package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/words/problem"
)

const (
	argumentMinutes    = "minutes"
	argumentMaxMinutes = "max_minutes"
	argumentUntil      = "until"
	advanceOperation   = "advance_time"
)

// advancing are the arguments that move the clock, flat as a model needs them.
func advancing() []schema.Argument {
	return []schema.Argument{
		{Name: argumentMinutes, Integer: true, Minimum: 1, Maximum: operation.MaxTickMinutes,
			Doc: "Working minutes; a day of 480 when left out."},
		{Name: argumentUntil, Filled: true, Doc: "Stop early: decision, idle_press, event types, " +
			"2026-09-14T09:30, or a seq."},
		{Name: argumentMaxMinutes, Integer: true, Minimum: 1, Maximum: operation.MaxTickUntilMinutes,
			Doc: "With until."},
	}
}

// advance makes the tool that moves the clock.
func (b *builder) advance(in entry) (*tool, error) {
	op, err := b.operation(advanceOperation)
	if err != nil {
		return nil, err
	}
	in.writes = true
	arguments := append(advancing(), schema.Argument{Name: argumentView, Values: []string{viewCompact, viewFull},
		Doc: "compact when left out."})
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		full := c.arguments.text(argumentView) == viewFull
		body, faults := tickBody(c.arguments, !full)
		if len(faults) > 0 {
			return nil, refused(c.tool, faults...)
		}
		r, err := c.perform(ctx, toolRequest{operation: op, body: body, key: c.arguments.text(argumentIdempotency)})
		if err != nil || full || r.status/100 != 2 {
			return r, err
		}
		text, err := passed(r.body)
		return replied(text), err
	})
}

// Forms of until. Whether there is such an event or such a day is for the operation to say.
var (
	dayForm    = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?$`)
	numberForm = regexp.MustCompile(`^\d{1,16}$`)
	typesForm  = regexp.MustCompile(`^(\*|[a-z_]+(\.[a-z_]+)+(\s*,\s*[a-z_]+(\.[a-z_]+)+)*)$`)
)

// tickBody is the body of a tick, or what is wrong with the arguments for it.
func tickBody(given arguments, brief bool) (map[string]json.RawMessage, []problem.Field) {
	body := map[string]json.RawMessage{}
	if brief {
		body["brief"] = json.RawMessage("true")
	}
	fault := func(name, rule, message string) []problem.Field {
		return []problem.Field{{Field: name, Rule: rule, Message: message}}
	}
	until, has := given[argumentUntil]
	most, bounded := given[argumentMaxMinutes]
	minutes, fixed := given[argumentMinutes]
	switch {
	case bounded && !has:
		return nil, fault(argumentMaxMinutes, "dependentRequired",
			"max_minutes goes with until; without until send minutes.")
	case fixed && has:
		return nil, fault(argumentMinutes, "dependentRequired",
			"minutes passes all of them; with until send max_minutes.")
	case fixed:
		body["minutes"] = minutes
	case bounded:
		body["minutes"] = most
	}
	if !has {
		return body, nil
	}
	text := given.text(argumentUntil)
	var value any
	switch day := dayForm.FindStringSubmatch(text); {
	case text == "decision" || text == "idle_press":
		value = map[string]bool{text: true}
	case day != nil && day[2] != "":
		value = map[string]string{"sim_date": day[1], "sim_time": day[2]}
	case day != nil:
		value = map[string]string{"sim_date": day[1]}
	case numberForm.MatchString(text):
		value = map[string]json.Number{"seq": json.Number(text)}
	case typesForm.MatchString(text):
		types := strings.Split(text, ",")
		for i := range types {
			types[i] = strings.TrimSpace(types[i])
		}
		value = map[string][]string{"event_types": types}
	default:
		return nil, fault(argumentUntil, "format", fmt.Sprintf("until must be decision, idle_press, event types "+
			"such as office.payment.received, a moment such as 2026-09-14T09:30, or the number of an "+
			"event; it is %s.", until))
	}
	body["until"], _ = json.Marshal(value) // texts and numbers
	return body, nil
}

// passed says in lines what a tick did and what waits.
func passed(envelope []byte) (string, error) {
	var r struct {
		Data operation.TickResult `json:"data"`
	}
	if err := json.Unmarshal(envelope, &r); err != nil {
		return "", fmt.Errorf("read the result of a tick: %w", err)
	}
	d := &r.Data
	all := []string{fmt.Sprintf("%s %s day %d|%d min passed, stopped by %s|cash_minor %d|last_seq %d|%s",
		d.SimDate, d.SimTime, d.DayNumber, d.AdvancedMinutes, d.StoppedBy, d.CashMinor, d.LastSeq, d.Status)}
	if len(d.Digest.Events) > 0 {
		happened := make([]string, len(d.Digest.Events))
		for i, e := range d.Digest.Events {
			happened[i] = fmt.Sprintf("%s %d", e.Type, e.Count)
		}
		all = append(all, "happened: "+strings.Join(happened, ", "))
	}
	return strings.Join(append(all, d.Digest.Lines...), "\n"), nil
}
