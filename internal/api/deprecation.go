package api

import (
	"net/http"
	"strconv"

	"platen/internal/operation"
	"platen/internal/wire"
)

// Headers of an operation that will be removed (contract: OPEN.VER.DEPRECATION), by
// RFC 9745 and RFC 8594.
const (
	headerDeprecation = "Deprecation"
	headerSunset      = "Sunset"
)

// announcement holds header values that are made once.
type announcement struct{ deprecation, sunset []string }

// announcementOf is nil for an operation that stays.
func announcementOf(op *operation.Operation) (*announcement, error) {
	d := op.Deprecated
	if d == nil {
		return nil, nil //nolint:nilnil // most operations stay
	}
	if err := d.Check(); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the operation
	}
	return &announcement{
		deprecation: []string{"@" + strconv.FormatInt(d.Since.Unix(), 10)},
		sunset:      []string{d.Sunset.UTC().Format(http.TimeFormat)},
	}, nil
}

// announce adds the headers of a deprecated operation to its response, with a
// link to its documentation.
func (x *exchange) announce(h http.Header) {
	if x.op == nil || x.op.announcement == nil {
		return
	}
	a := x.op.announcement
	h[headerDeprecation], h[headerSunset] = a.deprecation, a.sunset
	h.Add(wire.HeaderLink, "<"+x.server.origin+"/docs/api/"+x.op.ID+`>; rel="deprecation"; type="text/html"`)
}
