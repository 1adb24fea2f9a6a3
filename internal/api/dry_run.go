package api

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"platen/internal/sandbox"
)

// asksDryRun reports whether a write is only to say what it would do. That is asked before
// anything can go wrong on purpose, so the body is looked at here and checked later: one that
// does not say so plainly is an ordinary write.
func (x *exchange) asksDryRun() bool {
	if x.op.Preview == nil {
		return false
	}
	body, err := x.body()
	var asked struct {
		DryRun bool `json:"dry_run"`
	}
	return err == nil && json.Unmarshal(body, &asked) == nil && asked.DryRun
}

// dryRun sends what a write would do. One that was read with an error is refused with it,
// where the sandbox still takes writes.
func (x *exchange) dryRun(d writeRequest, wrong error) error {
	var value any
	v, err := x.sandbox.Try(x.r.Context(), func(tx *sandbox.Tx) (err error) {
		if x.now = tx.Now; wrong != nil {
			return wrong
		}
		value, err = x.op.Try(tx, d.in)
		return err
	})
	if err != nil {
		return err //nolint:wrapcheck // a problem, or the name of what failed
	}
	x.data(v, http.StatusOK, encode(value))
	return nil
}
