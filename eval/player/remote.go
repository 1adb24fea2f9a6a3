package player

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"platen/client"
	"platen/internal/company"
	"platen/internal/operation"
	"platen/internal/words/problem"
)

// PlayRemote lets a policy play a sandbox over HTTP, whose clock is moved by hand, for so many
// working days from the morning on. It ends early if the company does. Blind replay and the
// oracle play other companies first, and so cannot play one that they are only shown.
func (p *Policy) PlayRemote(ctx context.Context, c *client.Client, days int) error {
	if p.kind == blind || p.kind == foreseeing {
		return fmt.Errorf("%s cannot play over HTTP", p.Name)
	}
	pl, err := newPlayer(&remote{ctx: ctx, client: c, table: theTable()}, *p, days)
	if err != nil {
		return err
	}
	for day := 1; day <= days; day++ {
		alive, err := pl.day()
		if err != nil {
			return fmt.Errorf("play as %s on day %d: %w", p.Name, day, err)
		}
		if !alive {
			break
		}
	}
	return nil
}

// remote is a door that leads through HTTP, as programs have it.
type remote struct {
	ctx    context.Context //nolint:containedctx // of the one game for which the door is opened
	client *client.Client
	table  *table
}

// send sends a request and decodes the data of its response, unless data is nil. A refusal is
// the problem that the response names.
func (d *remote) send(method, path string, body []byte, data any) error {
	raw, err := d.client.Send(d.ctx, method, path, body)
	if err != nil || data == nil {
		return asProblem(err)
	}
	if err := json.Unmarshal(raw, data); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// asProblem is an error of the server as players know it.
func asProblem(err error) error {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code != "" {
		return problem.New(problem.Code(refused.Code), "%s", refused.Message)
	}
	return err
}

func (d *remote) list(operationID string, decode func(raw []byte) any, filters ...string) ([]any, error) {
	query := url.Values{}
	for i := 0; i < len(filters); i += 2 {
		query.Set(filters[i], filters[i+1])
	}
	var rows []any
	for raw, err := range d.client.Rows(d.ctx, d.table.operation(operationID).Path, query) {
		if err != nil {
			return nil, asProblem(err)
		}
		rows = append(rows, decode(raw))
	}
	return rows, nil
}

func (d *remote) series() ([]*company.SeriesPoint, error) {
	var data struct {
		Points []*company.SeriesPoint `json:"points"`
	}
	err := d.send(http.MethodGet, "/sandbox/series", nil, &data)
	return data.Points, err
}

func (d *remote) glance() (operation.SandboxStatus, error) {
	var data operation.SandboxStatus
	err := d.send(http.MethodGet, "/sandbox", nil, &data)
	return data, err
}

func (d *remote) due() (int64, error) {
	score, err := d.client.GetIntegration(d.ctx)
	if client.IsCode(err, client.CodeNotInEvaluation) {
		return 0, nil
	}
	if err != nil {
		return 0, asProblem(err)
	}
	return score.Counts.Due, nil
}

func (d *remote) call(operationID, id string, body any) error {
	o := d.table.operation(operationID)
	raw := []byte("{}")
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return fmt.Errorf("encode the body of %s: %w", operationID, err)
		}
	}
	return d.send(o.Method, strings.Replace(o.Path, "{id}", id, 1), raw, nil)
}
