package api

import (
	"net/http"
	"strconv"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/words/wire"
)

// Headers of an operation that will be removed (contract: OPEN.VER.DEPRECATION), by
// RFC 9745 and RFC 8594.
const (
	headerDeprecation = "Deprecation"
	headerSunset      = "Sunset"
)

// announcement holds header values that are made once.
type announcement struct{ deprecation, sunset, link string }

// announcementOf is nil for an operation that stays.
func announcementOf(op *operation.Operation, origin string) (*announcement, error) {
	d := op.Deprecated
	if d == nil {
		return nil, nil //nolint:nilnil // most operations stay
	}
	if err := d.Check(); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the operation
	}
	return &announcement{
		deprecation: "@" + strconv.FormatInt(d.Since.Unix(), 10),
		sunset:      d.Sunset.UTC().Format(http.TimeFormat),
		link:        "<" + origin + "/docs/api/" + op.ID + `>; rel="deprecation"; type="text/html"`,
	}, nil
}

// announce adds the headers of a deprecated operation to its response, with a
// link to its documentation.
func (a *announcement) announce(out *message.Response) {
	out.Set(headerDeprecation, a.deprecation)
	out.Set(headerSunset, a.sunset)
	out.Header[wire.HeaderLink] = append(out.Header[wire.HeaderLink], a.link)
}
