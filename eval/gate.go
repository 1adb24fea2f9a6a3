package eval

import (
	"errors"
	"fmt"
	"strings"

	"platen/client"
	"platen/cmd/platen/cli"
)

// Judge returns an error unless the integrations of all runs together meet the demands, and each had enough to carry.
func (s *Summary) Judge(d *cli.Demands) error {
	if !d.Any() {
		return nil
	}
	var little []string
	for i := range s.Runs {
		if r := &s.Runs[i]; r.TooLittleToJudge {
			little = append(little, fmt.Sprintf("seed %s: %d due, fewer than a third of the %d that good play has",
				s.name(r), r.Integration.Counts.Due, r.carefulDue()))
		}
	}
	if len(little) > 0 {
		return errors.New(strings.Join(little, "\n"))
	}
	return d.Judge(s.settlement()) //nolint:wrapcheck // it names each demand
}

// settlement is the integration of all runs as one: the scores of the summary, and the failures of each run with its
// seed.
func (s *Summary) settlement() *client.Settlement {
	all := &client.Integration{ExactlyOnce: s.ExactlyOnce, Client: s.Client}
	together := &client.Settlement{Integration: all, Faulty: s.faulty}
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.Integration == nil || r.Integration.Integration == nil {
			continue
		}
		all.Counts.Due += r.Integration.Counts.Due
		all.Hit += r.Integration.Hit
		for _, f := range r.Integration.Failures {
			f.Message = fmt.Sprintf("seed %s: %s", s.name(r), f.Message)
			together.Findings = append(together.Findings, f)
		}
		for _, u := range r.Integration.Unrecovered {
			u.Message = fmt.Sprintf("seed %s: %s", s.name(r), u.Message)
			all.Unrecovered = append(all.Unrecovered, u)
		}
	}
	return together
}
