package api

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// arguments are the parameters of a request's query, each checked by its row in
// the table of operations.
type arguments struct {
	// Values are the parameters as they were sent.
	url.Values

	// numbers are those of the parameters that are numbers or times, or their defaults.
	numbers map[string]uint64
}

// query reads the query of the request.
func (x *exchange) query() (*arguments, error) {
	if x.HTTP.URL.RawQuery == "" && x.op.unasked != nil {
		return x.op.unasked, nil
	}
	return readQuery(x.op.query, x.HTTP.URL.RawQuery)
}

// readQuery reads the query of a request. It refuses unknown parameters, those
// that are given more than once, and values that their rows in the table do not
// allow. Of several bad names, the first in the order of the alphabet is
// reported.
func readQuery(known []operation.Parameter, raw string) (*arguments, error) {
	if raw == "" && len(known) == 0 {
		return &arguments{}, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, problem.New(problem.InvalidParameter, "The query string is not well-formed.")
	}
	a := &arguments{Values: values, numbers: make(map[string]uint64, len(known))}
	once := 0 // parameters that are known and given once
	for i := range known {
		if len(values[known[i].Name]) == 1 {
			once++
		}
	}
	if once < len(values) {
		return nil, badName(known, values)
	}
	for i := range known {
		if err := a.check(&known[i]); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// badName refuses the first parameter that is not known or is given more than once.
func badName(known []operation.Parameter, values url.Values) error {
	names := make([]string, len(known))
	for i := range known {
		names[i] = known[i].Name
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case len(known) == 0:
			return badParameter(message.Short(name), "This route has no parameter %q.", message.Short(name))
		case !slices.Contains(names, name):
			return badParameter(message.Short(name), "There is no parameter %q here; known are %s.",
				message.Short(name), strings.Join(names, ", "))
		case len(values[name]) > 1:
			return badParameter(name, "The parameter %s is given %d times.", name, len(values[name]))
		}
	}
	return nil
}

// check refuses a value that a parameter cannot have (contract:
// OPEN.LIST.PARAMETER).
func (a *arguments) check(p *operation.Parameter) error {
	text := a.Get(p.Name)
	if p.InsteadOf != "" && a.Has(p.Name) && a.Has(p.InsteadOf) {
		return badParameter(p.InsteadOf, "Send %s or %s, not both.", p.Name, p.InsteadOf)
	}
	if !a.Has(p.Name) {
		if p.Required && (p.InsteadOf == "" || !a.Has(p.InsteadOf)) {
			return badParameter(p.Name, "%s is missing. %s", p.Name, p.Doc)
		}
		if p.Default != nil {
			a.numbers[p.Name] = uint64(*p.Default)
		}
		return nil
	}
	switch p.Type {
	case operation.Integer:
		n, err := integer(text)
		if err != nil || n < p.Minimum || n > p.Maximum {
			return badParameter(p.Name, "%s must be a whole number from %d to %d.", p.Name, p.Minimum, p.Maximum)
		}
		a.numbers[p.Name] = uint64(n)
	case operation.Sequence:
		n, err := integer(text)
		if err != nil {
			return badParameter(p.Name, "%s must be a whole number from 0.", p.Name)
		}
		a.numbers[p.Name] = uint64(n)
	case operation.Time:
		at, err := instant(text)
		if err != nil {
			return badParameter(p.Name, "%s must be an RFC 3339 time such as 2026-09-07T08:00:00Z.", p.Name)
		}
		a.numbers[p.Name] = uint64(at)
	case operation.Date:
		var day moment.Date
		if text != "" && day.UnmarshalText([]byte(text)) != nil {
			return badParameter(p.Name, "%s must be a date such as 2026-09-07.", p.Name)
		}
		if text != "" && p.Monday && day.Weekday() != time.Monday {
			return problem.Invalid(problem.Field{Field: p.Name, Rule: "pattern",
				Message: fmt.Sprintf("%s must be a Monday; %s is a %s.", p.Name, day, day.Weekday())})
		}
	case operation.Text:
	}
	if !p.Filter {
		return nil
	}
	if text == "" {
		return badParameter(p.Name, "%s is empty; leave it out to read everything.", p.Name)
	}
	if len(p.Values) > 0 && !slices.Contains(p.Values, text) {
		return badParameter(p.Name, "%s must be one of %s.", p.Name, strings.Join(p.Values, ", "))
	}
	return nil
}

// integer reads a whole number of a query: digits, of which the first may be
// zeros, behind a plus sign or none. One that was not escaped is a space there.
func integer(text string) (int64, error) {
	if text != "" && strings.ContainsRune("+ ", rune(text[0])) {
		text = text[1:]
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err //nolint:wrapcheck // the caller says which values there are
}

// instant reads a time of a query. A plus sign that was not escaped arrives
// there as a space.
func instant(text string) (moment.Instant, error) {
	var at moment.Instant
	err := at.UnmarshalText([]byte(strings.ReplaceAll(text, " ", "+")))
	return at, err
}
