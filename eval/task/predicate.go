package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// Predicate is one statement about the records in the end: the one whose first field is set.
// Addresses are lists with the values that fields must have, oldest row first; ${...} in them
// are names of let, address|index|field, or it.FIELD in those of an Each.
type Predicate struct {
	// Count is an address whose rows are counted, Sum one whose Field is added up.
	Count string `json:"count,omitempty"`
	Sum   string `json:"sum,omitempty"`
	// Value is an object, such as /sandbox, whose Field is compared.
	Value string `json:"value,omitempty"`
	Field string `json:"field,omitempty"`
	// Worth is a day, at whose close the net worth is compared.
	Worth int `json:"worth,omitempty"`
	// Is, Min and Max are the expected value and its bounds, as texts that may hold expressions.
	Is  string `json:"is,omitempty"`
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`

	// From and To are the two ends of a way, in place of them: where the check of a Value, a Sum or a
	// Count is worth nothing, and where it is worth all. To may be less than From.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Part is how much of the way is worth all, the whole of it when 0.
	Part float64 `json:"part,omitempty"`

	// Each is an address with at least one row. Every row has the values of Has, and With holds
	// for it.
	Each string            `json:"each,omitempty"`
	Has  map[string]string `json:"has,omitempty"`
	With []Join            `json:"with,omitempty"`

	// Answer is a field of the answer that the player files, and Text an expression, which Is, Min
	// and Max compare.
	Answer string `json:"answer,omitempty"`
	Text   string `json:"text,omitempty"`
}

// Join counts the rows that belong to another one.
type Join struct {
	Of      string `json:"of"`
	Exactly int    `json:"exactly"`
}

func (p *Predicate) check() error {
	kinds := 0
	for _, set := range []bool{p.Count != "", p.Sum != "", p.Value != "", p.Each != "", p.Answer != "", p.Text != "",
		p.Worth != 0} {
		if set {
			kinds++
		}
	}
	compared, way := p.Is != "" || p.Min != "" || p.Max != "", p.From != "" && p.To != ""
	switch {
	case kinds != 1:
		return errors.New("a predicate is of one kind")
	case p.Part < 0 || p.Part > 1 || p.Part != 0 && !way:
		return errors.New("a part is of a way")
	case (p.From != "" || p.To != "") && (!way || compared || p.Value+p.Sum+p.Count == "" && p.Worth == 0):
		return errors.New("a way has two ends, and a number that goes it")
	case p.Each == "" && !compared && !way:
		return errors.New("nothing is compared")
	case p.Each != "" && len(p.Has) == 0 && len(p.With) == 0:
		return errors.New("nothing is asked of each row")
	case (p.Sum != "" || p.Value != "") && p.Field == "":
		return errors.New("no field is named")
	}
	return nil
}

// holds judges a predicate, and says what is the case where it does not hold. share is the
// part of the rows of an Each that fulfil it, and otherwise 1 or 0.
func (w *world) holds(ctx context.Context, p *Predicate, answer row) (share float64, why string, err error) {
	var is string
	switch {
	case p.Each != "":
		return w.each(ctx, p)
	case p.Answer != "":
		is = textOf(answer, p.Answer)
	case p.Value != "":
		object, err := w.object(ctx, p.Value)
		if err != nil {
			return 0, "", err
		}
		is = textOf(object, p.Field)
	case p.Text != "":
		var err error
		if is, err = w.fill(ctx, p.Text); err != nil {
			return 0, "", err
		}
	case p.Worth != 0:
		var err error
		if is, err = w.worthAt(ctx, p.Worth); err != nil {
			return 0, "", err
		}
	default:
		if is, err = w.total(ctx, p); err != nil {
			return 0, "", err
		}
	}
	if p.To != "" {
		return w.way(ctx, p, is)
	}
	ok, want, err := w.compare(ctx, p, is)
	if err != nil || ok {
		return 1, "", err
	}
	return 0, fmt.Sprintf("%s is %s, want %s", p.subject(), quoted(is), want), nil
}

// subject names what a predicate is about.
func (p *Predicate) subject() string {
	if p.Worth != 0 {
		return fmt.Sprintf("the net worth at the close of day %d", p.Worth)
	}
	return strings.TrimSpace(p.Count + p.Sum + p.Value + p.Answer + p.Text + " " + p.Field)
}

// way is the part of a way that a number has come.
func (w *world) way(ctx context.Context, p *Predicate, is string) (share float64, why string, err error) {
	from, err := w.fill(ctx, p.From)
	if err != nil {
		return 0, "", err
	}
	to, err := w.fill(ctx, p.To)
	if err != nil {
		return 0, "", err
	}
	begin, ok := number(from)
	end, ok2 := number(to)
	if !ok || !ok2 || begin.Cmp(end) == 0 {
		return 0, "", fmt.Errorf("there is no way from %s to %s", quoted(from), quoted(to))
	}
	if here, ok := number(is); ok {
		share, _ = here.Quo(here.Sub(here, begin), end.Sub(end, begin)).Float64()
	}
	if p.Part > 0 {
		share /= p.Part
	}
	if share >= 1 {
		return 1, "", nil
	}
	return max(0, share), fmt.Sprintf("%s is %s, want %s", p.subject(), quoted(is), p.wanted(to)), nil
}

// wanted says how far to go.
func (p *Predicate) wanted(to string) string {
	if p.Part == 0 {
		return to
	}
	return fmt.Sprintf("%g of the way to %s", p.Part, to)
}

// quoted shows a value, also when it is missing.
func quoted(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// total is the number of the rows of a Count, or the sum of a Sum.
func (w *world) total(ctx context.Context, p *Predicate) (string, error) {
	address, err := w.fill(ctx, p.Count+p.Sum)
	if err != nil {
		return "", err
	}
	rows, err := w.pick(ctx, address)
	if err != nil {
		return "", err
	}
	if p.Count != "" {
		return fmt.Sprint(len(rows)), nil
	}
	return sum(rows, p.Field)
}

// compare compares a value with what it has to be. Numbers are compared as numbers.
func (w *world) compare(ctx context.Context, p *Predicate, is string) (ok bool, want string, err error) {
	for _, c := range []struct {
		text, word string
		holds      func(order int) bool
	}{
		{p.Is, "", func(order int) bool { return order == 0 }},
		{p.Min, "at least ", func(order int) bool { return order == 0 || order == 1 }},
		{p.Max, "at most ", func(order int) bool { return order == 0 || order == -1 }},
	} {
		if c.text == "" {
			continue
		}
		bound, err := w.fill(ctx, c.text)
		if err != nil {
			return false, "", err
		}
		if !c.holds(order(is, bound)) {
			return false, c.word + bound, nil
		}
	}
	return true, "", nil
}

// unlike is the order of two values that have none.
const unlike = 2

// order compares two values: -1, 0 or 1 for numbers, 0 for two texts that are the same, and
// otherwise unlike.
func order(a, b string) int {
	x, ok := number(a)
	y, ok2 := number(b)
	switch {
	case ok && ok2:
		return x.Cmp(y)
	case a == b:
		return 0
	default:
		return unlike
	}
}

func number(text string) (*big.Rat, bool) {
	if text == "" || strings.ContainsAny(text, "/eE") { // fractions and powers are none of ours
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// each judges all rows of an address.
func (w *world) each(ctx context.Context, p *Predicate) (share float64, why string, err error) {
	address, err := w.fill(ctx, p.Each)
	if err != nil {
		return 0, "", err
	}
	rows, err := w.pick(ctx, address)
	if err != nil {
		return 0, "", err
	}
	if len(rows) == 0 {
		return 0, address + " has no row", nil
	}
	outer := w.it
	defer func() { w.it = outer }()
	good := 0
	for _, r := range rows {
		w.it = r
		wrong, err := w.fulfils(ctx, p)
		if err != nil {
			return 0, "", err
		}
		if wrong == "" {
			good++
		} else if why == "" {
			why = fmt.Sprintf("%s %s", textOf(r, "id"), wrong)
		}
	}
	return float64(good) / float64(len(rows)), why, nil
}

// fulfils judges the row that is it, and says what is wrong with it.
func (w *world) fulfils(ctx context.Context, p *Predicate) (wrong string, err error) {
	for field, text := range p.Has {
		want, err := w.fill(ctx, text)
		if err != nil {
			return "", err
		}
		if is := textOf(w.it, field); order(is, want) != 0 {
			return fmt.Sprintf("has the %s %s, want %s", field, quoted(is), want), nil
		}
	}
	for _, j := range p.With {
		address, err := w.fill(ctx, j.Of)
		if err != nil {
			return "", err
		}
		rows, err := w.pick(ctx, address)
		if err != nil {
			return "", err
		}
		if len(rows) != j.Exactly {
			return fmt.Sprintf("belongs to %d of %s, want %d", len(rows), address, j.Exactly), nil
		}
	}
	return "", nil
}

// parse reads a task. Unknown fields are refused: a mistyped check would hold or fail for
// nothing.
func parse(text []byte) (*Task, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	t := &Task{}
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return t, t.check()
}
