package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"platen/client"
	"platen/internal/words/money"
)

// ReadAttention reads what needs attention, nil where players are compared and are not told.
func ReadAttention(ctx context.Context, c *client.Client) (*client.Attention, error) {
	found, err := c.GetAttention(ctx)
	if client.IsCode(err, client.CodeNotInEvaluation) {
		return nil, nil //nolint:nilnil // nothing is told, which is no error
	}
	return found, err //nolint:wrapcheck // the error of a request speaks for itself
}

// maxNeeds is how much of what needs attention follows a tick.
const maxNeeds = 3

// WriteNeeds writes what needs attention most after a tick. Where it cannot be read, the tick was
// made all the same, and nothing is written; nor for the player of an evaluation, who is not told.
func WriteNeeds(ctx context.Context, out io.Writer, c *client.Client, line func(*client.AttentionItem) string) {
	sandbox, err := c.GetSandbox(ctx)
	if err != nil || sandbox.Evaluation {
		return
	}
	a, err := ReadAttention(ctx, c)
	if err != nil || a == nil {
		return
	}
	more := len(a.Items) - maxNeeds
	a.Items = a.Items[:min(len(a.Items), maxNeeds)]
	WriteAttention(out, a, line)
	if more > 0 {
		fmt.Fprintf(out, "  %s\n", paintFor(out).in(faint, fmt.Sprintf("and %d more: platen status", more)))
	}
}

// WriteAttention writes what needs attention, for a person, each with the command that fixes it, of which line is the
// text. Of a company that has ended it writes how that came.
func WriteAttention(out io.Writer, a *client.Attention, line func(*client.AttentionItem) string) {
	p := paintFor(out)
	if len(a.Items) > 0 {
		fmt.Fprintf(out, "\n%s\n", p.in(bold, "needs attention"))
	}
	for _, item := range a.Items {
		cost := ""
		if item.CostMinor > 0 {
			cost = p.in(yellow, money.Minor(item.CostMinor).String()) + "  "
		}
		fmt.Fprintf(out, "  %s%s\n", cost, item.Message)
		if item.Command != nil {
			fmt.Fprintf(out, "    %s\n    %s\n", item.Command.Effect, p.in(faint, line(&item)))
		}
	}
	if len(a.History) > 0 {
		fmt.Fprintf(out, "\n%s\n", p.in(bold, "what happened"))
	}
	for _, turn := range a.History {
		fmt.Fprintf(out, "  %s  %s\n", turn.SimDate, turn.Message)
	}
}

// RequestLine is a command as platen api takes it.
func RequestLine(c *client.AttentionCommand) string {
	line := "platen api " + string(c.Method) + " " + c.Path
	if body := string(c.Body); body != "" && body != "{}" {
		line += " --data '" + strings.ReplaceAll(body, "'", `'\''`) + "'"
	}
	return line
}
