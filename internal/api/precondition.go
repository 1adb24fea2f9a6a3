package api

import (
	"net/http"
	"slices"
	"strings"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// anyVersion is the If-Match that fits every record.
const anyVersion = "*"

// betweenTags are the characters between the members of a list, and around it.
const betweenTags = ", \t"

// precondition is the If-Match of a write: its entity tags without W/, nil for none.
type precondition []string

// readPrecondition reads If-Match, on the operations that take it (contract: OPEN.IF_MATCH).
func readPrecondition(h http.Header, op *operation.Operation) (precondition, error) {
	sent := h.Values(wire.HeaderIfMatch)
	if len(sent) == 0 || !op.TakesIfMatch() {
		return nil, nil
	}
	var tags precondition
	rest, ok := strings.Trim(strings.Join(sent, ","), betweenTags), true
	for ok && rest != "" {
		var tag string
		tag, rest, ok = cutTag(rest)
		tags = append(tags, tag)
	}
	switch {
	case !ok || len(tags) == 0:
		return nil, badParameter(wire.HeaderIfMatch, "If-Match has a value that is neither * nor an ETag.").
			Hinting(`Send the ETag of the record as you got it, W/ and quotation marks included, or *.`)
	case slices.Contains(tags, anyVersion) && len(tags) > 1:
		return nil, badParameter(wire.HeaderIfMatch, "If-Match has * beside other values.").
			Hinting("Send * alone, or ETags.")
	case op.Named() == "" && tags[0] != anyVersion:
		return nil, badParameter(wire.HeaderIfMatch, "If-Match takes only * here: the state of a sandbox changes "+
			"every second.").Hinting("Send If-Match: *, or leave the header out.")
	}
	return tags, nil
}

// cutTag cuts the first member off a list of entity tags (RFC 9110, 8.8.3), and the comma behind it.
func cutTag(list string) (tag, rest string, ok bool) {
	if after, found := strings.CutPrefix(list, anyVersion); found {
		tag, rest = anyVersion, after
	} else {
		list = strings.TrimPrefix(list, "W/")
		if !strings.HasPrefix(list, `"`) {
			return "", "", false
		}
		end := strings.IndexByte(list[1:], '"') + 2
		if end < 2 || strings.ContainsFunc(list[:end], func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return "", "", false
		}
		tag, rest = list[:end], list[end:]
	}
	rest = strings.TrimLeft(rest, " \t")
	return tag, strings.TrimLeft(rest, betweenTags), rest == "" || rest[0] == ','
}

// holds refuses a write whose record is of another version. The record is that of the last commit: what was
// due has happened. One that is not there is for the command to refuse.
func (x *exchange) holds(p precondition, tx *sandbox.Tx, id string) error {
	if p == nil || p[0] == anyVersion {
		return nil
	}
	e, ok := tx.View().Row(x.op.named, id)
	if !ok {
		return nil
	}
	base, _, _ := strings.Cut(x.op.Path, "{")
	base = wire.BasePath + base
	for _, name := range []string{id, sandbox.NumberOf(e)} {
		if name != "" && slices.Contains(p, strings.TrimPrefix(x.tagOf(base+name, "", e.Version), "W/")) {
			return nil
		}
	}
	present := x.tagOf(base+x.HTTP.PathValue("id"), "", e.Version)
	changed := problem.New(problem.PreconditionFailed, "The record has changed since the version that If-Match names.")
	return &message.HeaderError{
		Problem: changed.With(problem.VersionDetails{ETag: present}), Name: wire.HeaderETag, Value: present,
	}
}
