package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"platen/client"
)

// PullTriggerInput reads the arguments of platen trigger: a type, and fields of the form
// name=value. Those that are numbers are known by their names.
func PullTriggerInput(kind string, fields []string) (in client.PullTriggerInput, err error) {
	in.Type = kind
	texts := map[string]**string{
		"sku": &in.SKU, "customer_id": &in.CustomerID, "badge_no": &in.BadgeNo, "press_id": &in.PressID,
		"customer_invoice_id": &in.CustomerInvoiceID, "purchase_order_id": &in.PurchaseOrderID,
	}
	numbers := map[string]**int64{
		"quantity": &in.Quantity, "unit_price_minor": &in.UnitPriceMinor, "days": &in.Days, "pct": &in.Pct,
	}
	for _, field := range fields {
		if date, is := strings.CutPrefix(field, "due_date="); is {
			in.DueDate = new(client.Date(date))
			continue
		}
		name, value, ok := strings.Cut(field, "=")
		switch {
		case !ok:
			return in, usagef("a field has the form name=value, not %q", field)
		case texts[name] != nil:
			*texts[name] = &value
		case numbers[name] != nil:
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return in, usagef("%s must be a whole number, not %q", name, value)
			}
			*numbers[name] = &n
		default:
			return in, usagef("no trigger takes %q", name)
		}
	}
	return in, nil
}

// WriteTrigger writes what a trigger did, for a person.
func WriteTrigger(out io.Writer, r *client.TriggerResult) {
	p := paintFor(out)
	when := "now"
	if r.EventsWritten == 0 {
		when = string(r.SimDate) + " " + r.SimTime
	}
	fmt.Fprintf(out, "%s  %s %s, %s; %s, newest %d\n",
		p.in(bold, r.Type), r.Resource, r.ID, when, count(r.EventsWritten, "event"), r.LastSeq)
}

// WriteTriggers writes the triggers, for a person.
func WriteTriggers(out io.Writer, kinds *client.TriggerKinds) error {
	p := paintFor(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range kinds.Triggers {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Type, t.Summary, p.in(faint, strings.Join(fieldsOf(t), " ")))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func fieldsOf(t client.TriggerKind) []string {
	fields := slices.Clone(t.Fields)
	for i := range fields {
		fields[i] += "=…"
	}
	return fields
}
