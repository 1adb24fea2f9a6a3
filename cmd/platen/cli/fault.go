package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"platen/client"
)

// FaultFlags are the faults to inject, as flags give them. The server knows its plans:
// an unknown name is rejected there, with the names that there are.
type FaultFlags struct {
	// Plan is the name of a plan, "" for none.
	Plan string
	// Seed makes what goes wrong repeatable; that of the sandbox is taken when it is negative.
	Seed int64
	// DelayPct is how long delays take, in per cent of what they are.
	DelayPct int64
}

// FullDelayPct leaves delays as long as they are.
const FullDelayPct = 100

// Input returns the order as a creation takes it, nil for nothing. It rejects a seed or a delay
// of no plan, which would do nothing.
func (o *FaultFlags) Input() (*client.FaultsInput, error) {
	if o.Plan == "" {
		if o.Seed >= 0 || o.DelayPct != FullDelayPct {
			return nil, usagef("--fault-seed and --fault-delay-pct require a fault plan: --faults moderate")
		}
		return nil, nil //nolint:nilnil // nothing goes wrong, which is no error
	}
	in := &client.FaultsInput{Plan: new(client.FaultPlanName(o.Plan))}
	if o.Seed >= 0 {
		in.Seed = &o.Seed
	}
	if o.DelayPct != FullDelayPct {
		in.DelayPct = &o.DelayPct
	}
	return in, nil
}

// FaultLog has the fault plan of a sandbox, and the faults that were injected.
type FaultLog struct {
	// Faults are the plan and what was asked for by hand, nil for nothing.
	Faults *client.FaultPlan `json:"faults"`
	// Happened are the newest faults, newest first.
	Happened []client.Fault `json:"happened"`
}

// ReadFaults reads the plan of a sandbox and the faults that happened.
func ReadFaults(ctx context.Context, c *client.Client) (*FaultLog, error) {
	log := &FaultLog{Happened: []client.Fault{}}
	for f, err := range c.Faults(ctx, client.ListFaultsParams{Limit: 100}) {
		if err != nil {
			return nil, err //nolint:wrapcheck // the error of a request speaks for itself
		}
		log.Happened = append(log.Happened, f)
	}
	s, err := c.GetSandbox(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the same
	}
	log.Faults = s.Faults
	return log, nil
}

// planLine is the fault plan in a line.
func planLine(f *client.FaultPlan) string {
	switch {
	case f == nil || f.Plan == nil && len(f.Rules) == 0:
		return "no plan"
	case f.Plan == nil:
		return fmt.Sprintf("%d rules, seed %d, delays %d %%", len(f.Rules), f.Seed, f.DelayPct)
	}
	return fmt.Sprintf("plan %s, seed %d, delays %d %%", *f.Plan, f.Seed, f.DelayPct)
}

// WriteFaults writes the plan and the injected faults for a person: the newest fault is last, as in a log.
func WriteFaults(out io.Writer, log *FaultLog) {
	p := paintFor(out)
	fmt.Fprintln(out, p.in(bold, "faults")+" ", planLine(log.Faults))
	if log.Faults != nil && len(log.Faults.Pending) > 0 {
		var pending []string
		for _, i := range log.Faults.Pending {
			pending = append(pending, fmt.Sprintf("%d × %s for %s", i.Count, i.Kind, waitsFor(&i)))
		}
		fmt.Fprintln(out, p.in(bold, "armed"), strings.Join(pending, ", "))
	}
	if len(log.Happened) == 0 {
		fmt.Fprintln(out, "No injected faults since the server started.")
		return
	}
	for _, f := range slices.Backward(log.Happened) {
		at := p.in(faint, f.CreatedAt.Local().Format("15:04:05"))
		fmt.Fprintf(out, "%s  %-7s  %-14s  %s\n", at, f.ID, f.Kind, struck(&f))
	}
}

// struck names what a fault happened to, and how it happened.
func struck(f *client.Fault) string {
	var parts []string
	for _, part := range []*string{f.RequestID, f.Operation, f.DeliveryID, f.EventID, f.Detail} {
		if part != nil {
			parts = append(parts, *part)
		}
	}
	return strings.Join(parts, "  ")
}

// WriteInjection writes an armed fault for a person.
func WriteInjection(out io.Writer, i *client.Injection) {
	times := "once"
	if i.Count != 1 {
		times = fmt.Sprintf("%d times", i.Count)
	}
	form := ""
	if i.Form != nil {
		form = ", as " + string(*i.Form)
	}
	kind := paintFor(out).in(bold, string(i.Kind))
	fmt.Fprintf(out, "%s  armed: applies %s to %s%s\n", kind, times, waitsFor(i), form)
}

// WriteGuard says of an armed loss what hides a missing key in this sandbox: both systems accept a reference only once,
// unless a rule lets them accept it again.
func WriteGuard(ctx context.Context, out io.Writer, c *client.Client, i *client.Injection) error {
	switch i.Kind {
	case client.FaultKindResponseLost, client.FaultKindRequestLost, client.FaultKindRequestLate:
	default:
		return nil
	}
	s, err := c.GetSandbox(ctx)
	if err != nil {
		return err //nolint:wrapcheck // the error of a request speaks for itself
	}
	open := s.Faults != nil && slices.ContainsFunc(s.Faults.Rules, func(r client.PlannedFault) bool {
		return r.Kind == client.FaultKindDoubleWork
	})
	if s.Bridge == client.BridgeManual && !open {
		fmt.Fprintln(out, "Both systems accept the same reference only once here, so a program with a new key\n"+
			"for each attempt still carries its record once. In platen integration, client counts what your\n"+
			"program recovered itself. To have references accepted twice: platen new --preset manual --faults severe")
	}
	return nil
}

// waitsFor names the requests or deliveries that an armed fault can hit.
func waitsFor(i *client.Injection) string {
	switch {
	case len(i.Operations) > 0:
		return "the next " + strings.Join(i.Operations, " or ")
	case i.Kind == client.FaultKindResponseLost, i.Kind == client.FaultKindRequestLost,
		i.Kind == client.FaultKindRequestLate:
		return "the next write"
	case strings.HasPrefix(string(i.Kind), "webhook_"), i.Kind == client.FaultKindSecretRotated:
		return "the next delivery"
	}
	return "the next matching request"
}
